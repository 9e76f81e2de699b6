"""Polynomials in sines, cosines and displacements, with exact coefficients: what closed forms are made of."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.numbers.polynomials import Monomial, add, collect, common_factors, divide, multiply, product, without_squares
from dynagen.numbers.polynomials import Polynomial as Terms


@dataclass(frozen=True, order=True)
class Variable:
    """Sine or cosine of a sum of joint positions, or the position of a sliding joint.

    Attributes:
        kind: `sin`, `cos` or `position`.
        joints: whose positions are added.
    """

    kind: str
    joints: tuple[int, ...]


@dataclass(frozen=True)
class Polynomial:
    """A sum of monomials with coefficients, in ascending order; squares of sines are written by those of cosines."""

    terms: tuple[tuple[Monomial[Variable], Exact], ...]

    def __add__(self, other: Polynomial) -> Polynomial:
        return _of(collect((*self.terms, *other.terms)))

    def __neg__(self) -> Polynomial:
        return self.scaled(-ONE)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __mul__(self, other: Polynomial) -> Polynomial:
        squared = multiply(dict(self.terms), dict(other.terms))
        sines = {factor for monomial in squared for factor in monomial if factor.kind == "sin"}
        return _of(without_squares(squared, {sine: Variable("cos", sine.joints) for sine in sines}))

    def scaled(self, factor: Exact) -> Polynomial:
        """A multiple, by a number that is not zero."""
        return Polynomial(tuple((monomial, factor * coefficient) for monomial, coefficient in self.terms))

    def derivative(self, joint: int) -> Polynomial:
        """The derivative by the position of a joint."""
        total = constant(ZERO)
        for monomial, coefficient in self.terms:
            for place, factor in enumerate(monomial):
                if joint in factor.joints:
                    others = Polynomial(((monomial[:place] + monomial[place + 1 :], coefficient),))
                    total = total + _slope(factor) * others
        return total


def constant(value: Exact) -> Polynomial:
    """A number."""
    return _of(collect([((), value)]))


def variable(kind: str, *joints: int) -> Polynomial:
    """A variable by itself."""
    return Polynomial((((Variable(kind, joints),), ONE),))


def textbook_form(polynomial: Polynomial) -> Polynomial:
    """The polynomial in fewer terms, by cos(v - u) = c_u c_v + s_u s_v, sin(v - u) = s_v c_u - c_v s_u and s^2 = 1 - c^2."""
    angles = sorted({factor.joints for monomial, _ in polynomial.terms for factor in monomial if factor.kind != "position"})
    for u, v in combinations(angles, 2):
        if v[: len(u)] == u:
            (sine_u, cosine_u), (sine_v, cosine_v), (sine, cosine) = map(_sine_cosine, (u, v, v[len(u) :]))
            polynomial = _merged(polynomial, (cosine_u, cosine_v), (sine_u, sine_v), ONE, (cosine,))
            polynomial = _merged(polynomial, (cosine_u, sine_v), (cosine_v, sine_u), -ONE, (sine,))
    for angle in angles:
        sine, cosine = _sine_cosine(angle)
        polynomial = _merged(polynomial, (), (cosine, cosine), -ONE, (sine, sine))
    return polynomial


def _merged(
    polynomial: Polynomial, left: Monomial[Variable], right: Monomial[Variable], sign: Exact, into: Monomial[Variable]
) -> Polynomial:
    """Write a m left + sign a m right as a m into, for every monomial m for which both terms are there."""
    terms = dict(polynomial.terms)
    for monomial, coefficient in polynomial.terms:
        if monomial not in terms or common_factors(left, monomial) != left:
            continue
        rest = divide(monomial, left)
        partner = product(rest, right)
        if terms.get(partner) == sign * coefficient:
            del terms[monomial], terms[partner]
            terms = add(terms, {product(rest, into): coefficient})
    return _of(terms)


def _sine_cosine(joints: tuple[int, ...]) -> tuple[Variable, Variable]:
    return Variable("sin", joints), Variable("cos", joints)


def _slope(factor: Variable) -> Polynomial:
    match factor.kind:
        case "sin":
            return variable("cos", *factor.joints)
        case "cos":
            return -variable("sin", *factor.joints)
    return constant(ONE)


def _of(terms: Terms[Variable]) -> Polynomial:
    return Polynomial(tuple(sorted(terms.items())))
