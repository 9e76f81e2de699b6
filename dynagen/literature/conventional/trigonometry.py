"""Polynomials in sines, cosines and displacements, with exact coefficients: what closed forms are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

from dynagen.numbers.exact import ONE, ZERO, Exact


@dataclass(frozen=True, order=True)
class Variable:
    """Sine or cosine of a sum of joint positions, or the position of a sliding joint.

    Attributes:
        kind: `sin`, `cos` or `position`.
        joints: whose positions are added.
    """

    kind: str
    joints: tuple[int, ...]


Monomial = tuple[Variable, ...]
"""Factors in ascending order."""


@dataclass(frozen=True)
class Polynomial:
    """A sum of monomials with coefficients, in ascending order; squares of sines are written by those of cosines."""

    terms: tuple[tuple[Monomial, Exact], ...]

    def __add__(self, other: Polynomial) -> Polynomial:
        return _collected((*self.terms, *other.terms))

    def __neg__(self) -> Polynomial:
        return self.scaled(-ONE)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __mul__(self, other: Polynomial) -> Polynomial:
        return _collected(
            term
            for left, a in self.terms
            for right, b in other.terms
            for term in _without_squared_sines(_product(left, right), a * b)
        )

    def scaled(self, factor: Exact) -> Polynomial:
        """A multiple, by a number that is not zero."""
        return Polynomial(tuple((monomial, factor * coefficient) for monomial, coefficient in self.terms))

    def derivative(self, joint: int) -> Polynomial:
        """By the position of a joint."""
        total = constant(ZERO)
        for monomial, coefficient in self.terms:
            for place, factor in enumerate(monomial):
                if joint in factor.joints:
                    others = Polynomial(((monomial[:place] + monomial[place + 1 :], coefficient),))
                    total = total + _slope(factor) * others
        return total


def constant(value: Exact) -> Polynomial:
    """A number."""
    return _collected([((), value)])


def variable(kind: str, *joints: int) -> Polynomial:
    """A variable by itself."""
    return Polynomial((((Variable(kind, joints),), ONE),))


def textbook_form(polynomial: Polynomial) -> Polynomial:
    """The same in fewer terms, by cos(v - u) = c_u c_v + s_u s_v, sin(v - u) = s_v c_u - c_v s_u and s^2 = 1 - c^2."""
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


def _merged(polynomial: Polynomial, left: Monomial, right: Monomial, sign: Exact, into: Monomial) -> Polynomial:
    """With a m left + sign a m right written as a m into, for every monomial m for which there are both."""
    terms = dict(polynomial.terms)
    for monomial, coefficient in polynomial.terms:
        rest = _quotient(monomial, left)
        if rest is None or monomial not in terms:
            continue
        partner = _product(rest, right)
        if terms.get(partner) == sign * coefficient:
            del terms[monomial], terms[partner]
            merged = _product(rest, into)
            terms[merged] = terms.get(merged, ZERO) + coefficient
    return _collected(terms.items())


def _sine_cosine(joints: tuple[int, ...]) -> tuple[Variable, Variable]:
    return Variable("sin", joints), Variable("cos", joints)


def _slope(factor: Variable) -> Polynomial:
    match factor.kind:
        case "sin":
            return variable("cos", *factor.joints)
        case "cos":
            return -variable("sin", *factor.joints)
    return constant(ONE)


def _collected(terms: Iterable[tuple[Monomial, Exact]]) -> Polynomial:
    sums: dict[Monomial, Exact] = {}
    for monomial, coefficient in terms:
        sums[monomial] = sums.get(monomial, ZERO) + coefficient
    return Polynomial(tuple((monomial, sums[monomial]) for monomial in sorted(sums) if sums[monomial]))


def _product(left: Monomial, right: Monomial) -> Monomial:
    return tuple(sorted(left + right))


def _quotient(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """What is left of a monomial, or None if the divisor is no part of it."""
    rest = list(monomial)
    for factor in divisor:
        if factor not in rest:
            return None
        rest.remove(factor)
    return tuple(rest)


def _without_squared_sines(monomial: Monomial, coefficient: Exact) -> Iterator[tuple[Monomial, Exact]]:
    for place, (factor, following) in enumerate(pairwise(monomial)):
        if factor == following and factor.kind == "sin":
            rest, cosine = monomial[:place] + monomial[place + 2 :], Variable("cos", factor.joints)
            yield from _without_squared_sines(rest, coefficient)
            yield from _without_squared_sines(_product(rest, (cosine, cosine)), -coefficient)
            return
    yield monomial, coefficient
