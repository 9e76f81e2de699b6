"""Exact numbers that depend on run-time parameters, and polynomials with exact coefficients.

The variables of a polynomial may be of any ordered type, such as positions of values, parameters or
sines.

A `ParametricNumber` is a polynomial in run-time parameters and in functions of run-time parameters.
The robot model uses it like any other `Exact`. Comparisons and messages use the number's value
at the default values of the parameters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import chain, pairwise, product
from math import prod
from typing import Any, Protocol, TypeVar

from dynagen.numbers.exact import ONE, ZERO, Angle, Exact, ExactLike


class _Ordered(Protocol):
    """Protocol of types whose values can be sorted and hashed."""

    def __lt__(self, other: Any, /) -> bool: ...

    def __hash__(self) -> int: ...


V = TypeVar("V", bound=_Ordered)
K = TypeVar("K", bound=Hashable)
Monomial = tuple[V, ...]
"""Type of a product of variables in ascending order; a square repeats its variable, () is 1."""
Polynomial = dict[tuple[V, ...], Exact]
"""Type of a polynomial: mapping from each monomial to its coefficient, which is not zero."""


def make_variable(value: V) -> Polynomial[V]:
    """Return the polynomial that consists of one variable with the coefficient one."""
    return {(value,): ONE}


def collect(terms: Iterable[tuple[K, Exact]]) -> dict[K, Exact]:
    """Return the sum of terms, pairs of a monomial and its coefficient, as a polynomial.

    Coefficients of equal monomials are added; monomials with coefficient zero are left out.
    """
    total: dict[K, Exact] = {}
    for monomial, number in terms:
        before = total.get(monomial)
        total[monomial] = number if before is None else before + number
    return {monomial: number for monomial, number in total.items() if number}


def multiply_by_number(polynomial: Polynomial[V], number: Exact) -> Polynomial[V]:
    """Return a polynomial times a number that is not zero."""
    return {monomial: number * coefficient for monomial, coefficient in polynomial.items()}


def add(left: Polynomial[V], right: Polynomial[V]) -> Polynomial[V]:
    """Return left + right; a polynomial maps monomials (sorted variables) to coefficients."""
    return collect(chain(left.items(), right.items()))


def multiply(left: Polynomial[V], right: Polynomial[V]) -> Polynomial[V]:
    """Return left * right; a polynomial maps monomials (sorted variables) to coefficients."""
    return collect(
        (multiply_monomials(a, b), x * y) for a, x in left.items() for b, y in right.items()
    )


def substitute(polynomial: Polynomial[V], value: V, instead: Polynomial[V]) -> Polynomial[V]:
    """Return the polynomial with the variable `value` replaced by the polynomial `instead`."""
    result: Polynomial[V] = {}
    for monomial, number in polynomial.items():
        # For x^2 y the rest y, then twice the product with the replacement of x.
        term: Polynomial[V] = {tuple(factor for factor in monomial if factor != value): number}
        for _ in range(monomial.count(value)):
            term = multiply(term, instead)
        result = add(result, term)
    return result


def replace_squares(polynomial: Polynomial[V], partners: Mapping[V, V]) -> Polynomial[V]:
    """Return the polynomial with squares of variables replaced by one minus a partner's square.

    The squares of a variable and its partner add up to one, as for the cosine c and sine s of an
    angle: c^2 * x becomes x - s^2 * x.

    Args:
        polynomial: a polynomial with squares of variables.
        partners: partner (such as s) of each variable whose squares are replaced (such as c).
    """
    total = dict(polynomial)
    # The monomials with squares, in the order of the polynomial.
    squares = {
        monomial: square
        for monomial in total
        if (square := _find_square(monomial, partners)) is not None
    }
    while squares:
        monomial = next(iter(squares))
        square, number = squares.pop(monomial), total.pop(monomial)
        # number c^2 x becomes number x - number s^2 x; repeated until no square is left.
        rest = divide(monomial, (square, square))
        other = multiply_monomials(rest, (partners[square], partners[square]))
        for changed, more in ((rest, number), (other, -number)):
            before = total.get(changed)
            if before is None:
                total[changed] = more
                if (left := _find_square(changed, partners)) is not None:
                    squares[changed] = left
            elif before == -more:
                del total[changed]
                squares.pop(changed, None)
            else:
                total[changed] = before + more
    return total


def _find_square(monomial: Monomial[V], partners: Mapping[V, V]) -> V | None:
    """Return a variable that has a partner and whose square is in a monomial; None without one."""
    for left, right in pairwise(monomial):
        if left == right and left in partners:
            return left
    return None


def multiply_monomials(left: Monomial[V], right: Monomial[V]) -> Monomial[V]:
    """Return the product of two monomials, each a sorted tuple of variables."""
    return tuple(sorted(left + right))


def find_common_factors(left: Monomial[V], right: Monomial[V]) -> Monomial[V]:
    """Return the product of the factors that two monomials (sorted variables) have in common."""
    rest = list(right)
    common = []
    for factor in left:
        if factor in rest:
            rest.remove(factor)
            common.append(factor)
    return tuple(common)


def divide(monomial: Monomial[V], divisor: Monomial[V]) -> Monomial[V]:
    """Return the quotient of two monomials, which are sorted tuples of variables.

    `monomial` must contain all factors of `divisor`.
    """
    if not divisor:
        return monomial
    rest = list(monomial)
    for factor in divisor:
        rest.remove(factor)
    return tuple(rest)


class Atom:
    """Variable of the polynomials in `ParametricNumber`; atoms are ordered by their texts."""

    def __lt__(self, other: Atom) -> bool:
        return str(self) < str(other)


@dataclass(frozen=True)
class Parameter(Atom):
    """A run-time parameter: an argument of the generated code.

    Attributes:
        name: name in the description and in generated code.
        value: default value of the parameter.
        unit: unit as the user writes it; empty if not given.
    """

    name: str
    value: Exact
    unit: str = ""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class FunctionAtom(Atom):
    """The function `name` of a number that depends on run-time parameters, such as sin(a2).

    Attributes:
        name: one of sin, cos, sqrt and reciprocal.
        argument: the number; an angle in rad for sin and cos.
    """

    name: str
    argument: ParametricNumber

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        """Text of the function, computed once, because atoms are compared by their texts."""
        return f"{self.name}({self.argument})"


class ParametricNumber(Exact):
    """A polynomial in run-time parameters and functions of them (atoms), which is not constant.

    Two parametric numbers with equal polynomials are equal.

    Attributes:
        terms: monomials and their coefficients, in a fixed order: highest degree first.
    """

    __slots__ = ("_hash", "terms")
    terms: tuple[tuple[Monomial[Atom], Exact], ...]

    def __init__(self, atom: Atom) -> None:
        """Make the number that equals a parameter, or a function of parameters."""
        self._set_terms([((atom,), ONE)])

    def _set_terms(self, terms: Iterable[tuple[Monomial[Atom], Exact]]) -> None:
        """Set the terms, their hash, and the value for the parameters' defaults."""
        # A fixed order makes equal polynomials equal tuples.
        self.terms = tuple(sorted(terms, key=lambda term: (-len(term[0]), term[0])))
        self._hash = hash(self.terms)
        self._copy_value(self.substitute({}))

    @property
    def is_known(self) -> bool:
        """False, because the value depends on run-time parameters."""
        return False

    @property
    def has_minus(self) -> bool:
        """Whether the first coefficient is negative, so that the number is written with a minus."""
        return self.terms[0][1].is_negative

    def substitute(self, values: Mapping[str, Exact]) -> Exact:
        """Return the exact value of this number for given values of its run-time parameters.

        Args:
            values: value by parameter name; parameters that are not keys have their default values.
        """
        return sum(
            (x * prod(_value(atom, values) for atom in monomial) for monomial, x in self.terms),
            start=ZERO,
        )

    def __add__(self, other: ExactLike) -> Exact:
        return _from_polynomial(collect((*self.terms, *_terms(other))))

    __radd__ = __add__

    def __neg__(self) -> Exact:
        return _from_polynomial({monomial: -coefficient for monomial, coefficient in self.terms})

    def __mul__(self, other: ExactLike) -> Exact:
        pairs = product(self.terms, _terms(other))
        return _from_polynomial(
            collect((_product(left, right), x * y) for (left, x), (right, y) in pairs)
        )

    __rmul__ = __mul__

    def reciprocal(self) -> Exact:
        """Return one over this number, as a function of run-time parameters.

        The reciprocal of a number with one term is computed factor by factor, so that x / x is one.
        """
        if len(self.terms) > 1:
            return _function("reciprocal", self)
        ((monomial, coefficient),) = self.terms
        return prod(map(_inverse, monomial), start=coefficient.reciprocal())

    def sqrt(self) -> Exact:
        """Return the square root of this number, as a function of the run-time parameters."""
        return _function("sqrt", self)

    def cosine_sine(self) -> tuple[Exact, Exact]:
        """Return cosine and sine of this angle (rad), as functions of run-time parameters."""
        return _function("cos", self), _function("sin", self)

    def atan2(self, cosine: Exact) -> Exact:
        """Return the angle (rad) whose sine is this number, and whose cosine is given.

        Raises:
            UsageError: the two numbers were not computed as the sine and cosine of one angle.
        """
        atom = _single_atom(self)
        if (
            isinstance(atom, FunctionAtom)
            and atom.name == "sin"
            and atom.argument.cosine_sine() == (cosine, self)
        ):
            return atom.argument
        return super().atan2(cosine)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ParametricNumber) and self.terms == other.terms

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        """Return readable text: `2*m_load*a2**2 + 1/3`."""
        terms = []
        for monomial, coefficient in self.terms:
            powers = Counter(map(str, monomial))
            factors = [f"{text}**{power}" if power > 1 else text for text, power in powers.items()]
            if coefficient != ONE or not factors:
                factors.insert(
                    0, str(coefficient) if coefficient.is_rational else f"({coefficient})"
                )
            terms.append("*".join(factors))
        return " + ".join(terms)


def split_common_factor(first: Exact, second: Exact) -> tuple[Exact, Exact, Exact]:
    """Split two numbers into their common factor and the remaining factor of each.

    The common factor contains no division by a parameter, because a parameter may be zero.

    Returns:
        The common factor, the first number without it, and the second number without it.
    """
    if first.is_known:
        return first, ONE, second / first
    if second.is_known:
        return second, first / second, ONE
    if (ratio := _ratio(second, first)) is not None:
        return first, ONE, ratio
    if (ratio := _ratio(first, second)) is not None:
        return second, ratio, ONE
    # The common factor is the greatest common monomial times the first coefficient.
    (_, number), *_ = terms = (*_terms(first), *_terms(second))
    common = reduce(find_common_factors, (monomial for monomial, _ in terms))
    return (
        _from_polynomial({common: number}),
        _divide_terms(first, common, number),
        _divide_terms(second, common, number),
    )


def iterate_parameters(number: Exact) -> Iterator[Parameter]:
    """Yield the run-time parameters that a number depends on, with repetitions."""
    for monomial, _ in number.terms if isinstance(number, ParametricNumber) else ():
        for atom in monomial:
            if isinstance(atom, Parameter):
                yield atom
            elif isinstance(atom, FunctionAtom):
                yield from iterate_parameters(atom.argument)


def differentiate(number: Exact, parameter: str) -> Exact:
    """Return the partial derivative of a number by a run-time parameter.

    Args:
        number: expression in run-time parameters, or a known number, whose derivative is zero.
        parameter: name of the parameter.
    """
    if not isinstance(number, ParametricNumber):
        return ZERO
    return sum(
        (
            coefficient
            * prod(map(_as_number, monomial[:place] + monomial[place + 1 :]), start=ONE)
            * _differentiate_atom(atom, parameter)
            for monomial, coefficient in number.terms
            for place, atom in enumerate(monomial)
        ),
        start=ZERO,
    )


def _as_number(atom: Atom) -> Exact:
    return ParametricNumber(atom)


def _differentiate_atom(atom: Atom, parameter: str) -> Exact:
    """Return the derivative of a parameter, or of a function of parameters, by a parameter."""
    if not isinstance(atom, FunctionAtom):
        return ONE if str(atom) == parameter else ZERO
    change = differentiate(atom.argument, parameter)
    if not change:
        return ZERO
    value = ParametricNumber(atom)
    match atom.name:
        case "sin":
            return change * atom.argument.cosine_sine()[0]
        case "cos":
            return -change * atom.argument.cosine_sine()[1]
        case "sqrt":
            return change * value.reciprocal() * (ONE / 2)
        case _:  # reciprocal
            return -change * value * value


def _function(name: str, argument: ParametricNumber) -> ParametricNumber:
    """Return the function `name` (such as sin) of a parametric number, as a parametric number."""
    return ParametricNumber(FunctionAtom(name, argument))


def _from_polynomial(polynomial: Polynomial[Atom]) -> Exact:
    """Return a polynomial as a `ParametricNumber`, or as a plain `Exact` if it is constant."""
    if any(polynomial):
        number = ParametricNumber.__new__(ParametricNumber)
        number._set_terms(polynomial.items())
        return number
    return polynomial.get((), ZERO)


def _terms(value: ExactLike) -> tuple[tuple[Monomial[Atom], Exact], ...]:
    """Return the terms of a number as pairs of a monomial and its coefficient.

    A number without run-time parameters is the coefficient of the empty monomial.
    """
    if isinstance(value, ParametricNumber):
        return value.terms
    return (((), value if isinstance(value, Exact) else Exact(value)),)


def _product(left: Monomial[Atom], right: Monomial[Atom]) -> Monomial[Atom]:
    """Return the product of two monomials, in which a factor and its reciprocal cancel."""
    factors = [*left, *right]
    for atom in left + right:
        if isinstance(atom, FunctionAtom) and atom.name == "reciprocal":
            inverse = _single_atom(atom.argument)
            if inverse in factors:  # 1/x and x cancel
                factors.remove(atom)
                factors.remove(inverse)
    return tuple(sorted(factors))


def _ratio(numerator: Exact, denominator: Exact) -> Exact | None:
    """Return numerator / denominator if it is a polynomial or a plain number, else None.

    A polynomial is found only if the denominator is one term that divides all numerator terms.
    """
    monomials, divisors = _terms(numerator), _terms(denominator)
    divisor, number = divisors[0]
    if len(divisors) == 1:
        is_multiple = all(
            find_common_factors(divisor, monomial) == divisor for monomial, _ in monomials
        )
        return _divide_terms(numerator, divisor, number) if is_multiple else None
    # Two polynomials are multiples of each other if their first coefficients' ratio fits all.
    ratio = monomials[0][1] / number
    return ratio if denominator * ratio == numerator else None


def _divide_terms(value: Exact, monomial: Monomial[Atom], number: Exact) -> Exact:
    """Return `value` / (`number` * `monomial`); each term of `value` must contain `monomial`."""
    return _from_polynomial({divide(factors, monomial): x / number for factors, x in _terms(value)})


def _single_atom(value: Exact) -> Atom | None:
    """Return the atom (parameter or function of parameters) that a number equals, else None."""
    if isinstance(value, ParametricNumber) and len(value.terms) == 1:
        ((monomial, coefficient),) = value.terms
        if len(monomial) == 1 and coefficient == ONE:
            return monomial[0]
    return None


def _inverse(atom: Atom) -> Exact:
    """Return one over a parameter or a function of parameters, as a number."""
    if isinstance(atom, FunctionAtom) and atom.name == "reciprocal":
        return atom.argument
    return _function("reciprocal", ParametricNumber(atom))


def _value(atom: Atom, values: Mapping[str, Exact]) -> Exact:
    """Return the value of a parameter or a function; parameters not in `values` have defaults."""
    if isinstance(atom, Parameter):
        return values.get(atom.name, atom.value)
    assert isinstance(atom, FunctionAtom)
    argument = atom.argument.substitute(values)
    match atom.name:
        case "sin":
            return Angle(argument).sin
        case "cos":
            return Angle(argument).cos
        case "sqrt":
            return argument.sqrt()
        case _:
            return argument.reciprocal()
