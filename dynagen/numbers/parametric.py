"""Exact numbers that depend on run-time parameters, and polynomials with exact coefficients.

Polynomials with exact coefficients in variables of any kind that have an order: positions of values, parameters, sines.

Numbers of run-time parameters, closed forms of the literature and the search for better factors all compute with these.

Exact numbers that depend on run-time parameters: polynomials in the parameters and in functions of them.

To the model such a number is an Exact like any other; only whoever records a program asks what it is made of. As a plain
number, in a comparison or a message, it has its nominal value, that of the parameters' defaults.
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
    def __lt__(self, other: Any, /) -> bool: ...

    def __hash__(self) -> int: ...


V = TypeVar("V", bound=_Ordered)
K = TypeVar("K", bound=Hashable)
Monomial = tuple[V, ...]
"""A product of variables, in ascending order; a square has its variable twice, and the empty product is one."""
Polynomial = dict[tuple[V, ...], Exact]
"""Monomials and their coefficients, which are never zero."""


def variable(value: V) -> Polynomial[V]:
    """A variable by itself."""
    return {(value,): ONE}


def collect(terms: Iterable[tuple[K, Exact]]) -> dict[K, Exact]:
    """Return the sum of terms, each a monomial and its coefficient, of which several may have the same monomial."""
    total: dict[K, Exact] = {}
    for monomial, number in terms:
        total[monomial] = total[monomial] + number if monomial in total else number
    return {monomial: number for monomial, number in total.items() if number}


def multiple(polynomial: Polynomial[V], number: Exact) -> Polynomial[V]:
    """A number, which is not zero, times a polynomial."""
    return {monomial: number * each for monomial, each in polynomial.items()}


def add(left: Polynomial[V], right: Polynomial[V]) -> Polynomial[V]:
    """The sum of two."""
    return collect(chain(left.items(), right.items()))


def multiply(left: Polynomial[V], right: Polynomial[V]) -> Polynomial[V]:
    """The product of two."""
    return collect(
        (monomial_product(a, b), x * y) for a, x in left.items() for b, y in right.items()
    )


def substitute(polynomial: Polynomial[V], value: V, instead: Polynomial[V]) -> Polynomial[V]:
    """A polynomial with another one in place of a variable."""
    result: Polynomial[V] = {}
    for monomial, number in polynomial.items():
        term: Polynomial[V] = {tuple(factor for factor in monomial if factor != value): number}
        for _ in range(monomial.count(value)):
            term = multiply(term, instead)
        result = add(result, term)
    return result


def without_squares(polynomial: Polynomial[V], partners: Mapping[V, V]) -> Polynomial[V]:
    """The same where the squares of two variables add up to one, as those of sine and cosine: c^2 x is x - s^2 x.

    Args:
        polynomial: with squares.
        partners: for every variable that is to have no square the one that it meets.
    """
    while (found := _find_square(polynomial, partners)) is not None:
        monomial, square = found
        number = polynomial[monomial]
        rest = divide(monomial, (square, square))
        other = monomial_product(rest, (partners[square], partners[square]))
        polynomial = collect(
            [*polynomial.items(), (monomial, -number), (rest, number), (other, -number)]
        )
    return polynomial


def _find_square(
    polynomial: Polynomial[V], partners: Mapping[V, V]
) -> tuple[Monomial[V], V] | None:
    for monomial in polynomial:
        for left, right in pairwise(monomial):
            if left == right and left in partners:
                return monomial, left
    return None


def monomial_product(left: Monomial[V], right: Monomial[V]) -> Monomial[V]:
    """The product of two monomials."""
    return tuple(sorted(left + right))


def common_factors(left: Monomial[V], right: Monomial[V]) -> Monomial[V]:
    """The greatest monomial that divides both."""
    rest = list(right)
    common = []
    for factor in left:
        if factor in rest:
            rest.remove(factor)
            common.append(factor)
    return tuple(common)


def divide(monomial: Monomial[V], divisor: Monomial[V]) -> Monomial[V]:
    """A monomial without factors that it has."""
    if not divisor:
        return monomial
    rest = list(monomial)
    for factor in divisor:
        rest.remove(factor)
    return tuple(rest)


class Atom:
    """A variable of polynomials; they are in the order of their texts."""

    def __lt__(self, other: Atom) -> bool:
        return str(self) < str(other)


@dataclass(frozen=True)
class Parameter(Atom):
    """A run-time parameter: an argument of the generated code.

    Attributes:
        value: its default.
        unit: as the user writes it; empty if not given.
    """

    name: str
    value: Exact
    unit: str = ""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class FunctionOf(Atom):
    """A function of a number that depends on parameters; `name` is sin, cos, sqrt or reciprocal."""

    name: str
    argument: Parametric

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        return f"{self.name}({self.argument})"


class Parametric(Exact):
    """A polynomial in atoms with exact coefficients, which is not constant. Equal polynomials are equal numbers.

    Attributes:
        terms: monomials and their coefficients, in a fixed order: highest degree first.
    """

    __slots__ = ("_hash", "terms")
    terms: tuple[tuple[Monomial[Atom], Exact], ...]

    def __init__(self, atom: Atom) -> None:
        """The number that a parameter, or a function of parameters, stands for."""
        self._become([((atom,), ONE)])

    def _become(self, terms: Iterable[tuple[Monomial[Atom], Exact]]) -> None:
        self.terms = tuple(sorted(terms, key=lambda term: (-len(term[0]), term[0])))
        self._hash = hash(self.terms)
        self._take(self.substitute({}))

    @property
    def is_known(self) -> bool:
        """Always false: the value comes at run time."""
        return False

    @property
    def has_minus(self) -> bool:
        """Whether it is written with a minus sign, whatever the parameters are: its first coefficient is negative."""
        return self.terms[0][1].is_negative

    def substitute(self, values: Mapping[str, Exact]) -> Exact:
        """The number for given values of the parameters."""
        return sum(
            (x * prod(_value(atom, values) for atom in monomial) for monomial, x in self.terms),
            start=ZERO,
        )

    def __add__(self, other: ExactLike) -> Exact:
        return _number(collect((*self.terms, *_terms(other))))

    __radd__ = __add__

    def __neg__(self) -> Exact:
        return _number({monomial: -coefficient for monomial, coefficient in self.terms})

    def __mul__(self, other: ExactLike) -> Exact:
        pairs = product(self.terms, _terms(other))
        return _number(collect((_product(left, right), x * y) for (left, x), (right, y) in pairs))

    __rmul__ = __mul__

    def reciprocal(self) -> Exact:
        """One over this number; a monomial's leaves a polynomial, so that x / x is one."""
        if len(self.terms) > 1:
            return _function("reciprocal", self)
        ((monomial, coefficient),) = self.terms
        return prod(map(_inverse, monomial), start=coefficient.reciprocal())

    def sqrt(self) -> Exact:
        """Square root."""
        return _function("sqrt", self)

    def cosine_sine(self) -> tuple[Exact, Exact]:
        """Cosine and sine of this number of radians."""
        return _function("cos", self), _function("sin", self)

    def arc_of(self, cosine: Exact) -> Exact:
        """The angle whose sine this is, if it is recorded as one and the cosine is that of the same angle."""
        atom = _single_atom(self)
        if (
            isinstance(atom, FunctionOf)
            and atom.name == "sin"
            and atom.argument.cosine_sine() == (cosine, self)
        ):
            return atom.argument
        return super().arc_of(cosine)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Parametric) and self.terms == other.terms

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        """Readable: `2*m_load*a2**2 + 1/3`."""
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


def without_common_factor(first: Exact, second: Exact) -> tuple[Exact, Exact, Exact]:
    """The common factor of two numbers, and what is left of each; nothing is divided by a parameter, which may be zero."""
    if first.is_known:
        return first, ONE, second / first
    if second.is_known:
        return second, first / second, ONE
    if (ratio := _ratio(second, first)) is not None:
        return first, ONE, ratio
    if (ratio := _ratio(first, second)) is not None:
        return second, ratio, ONE
    (_, number), *_ = terms = (*_terms(first), *_terms(second))
    common = reduce(common_factors, (monomial for monomial, _ in terms))
    return (
        _number({common: number}),
        _divided(first, common, number),
        _divided(second, common, number),
    )


def parameters_of(number: Exact) -> Iterator[Parameter]:
    """The parameters that a number depends on, some of them several times; none if it is known."""
    for monomial, _ in number.terms if isinstance(number, Parametric) else ():
        for atom in monomial:
            if isinstance(atom, Parameter):
                yield atom
            elif isinstance(atom, FunctionOf):
                yield from parameters_of(atom.argument)


def _function(name: str, argument: Parametric) -> Parametric:
    return Parametric(FunctionOf(name, argument))


def _number(polynomial: Polynomial[Atom]) -> Exact:
    """The number that a polynomial is; one that turns out to be constant is a plain Exact."""
    if any(polynomial):
        number = Parametric.__new__(Parametric)
        number._become(polynomial.items())
        return number
    return polynomial.get((), ZERO)


def _terms(value: ExactLike) -> tuple[tuple[Monomial[Atom], Exact], ...]:
    if isinstance(value, Parametric):
        return value.terms
    return (((), value if isinstance(value, Exact) else Exact(value)),)


def _product(left: Monomial[Atom], right: Monomial[Atom]) -> Monomial[Atom]:
    """Product of monomials; x times the reciprocal of x is one."""
    factors = [*left, *right]
    for atom in left + right:
        if isinstance(atom, FunctionOf) and atom.name == "reciprocal":
            inverse = _single_atom(atom.argument)
            if inverse in factors:
                factors.remove(atom)
                factors.remove(inverse)
    return tuple(sorted(factors))


def _ratio(numerator: Exact, denominator: Exact) -> Exact | None:
    """The ratio of two numbers that depend on parameters, if it is plain to see that it is one of a polynomial; else None."""
    monomials, divisors = _terms(numerator), _terms(denominator)
    divisor, number = divisors[0]
    if len(divisors) == 1:
        is_multiple = all(common_factors(divisor, monomial) == divisor for monomial, _ in monomials)
        return _divided(numerator, divisor, number) if is_multiple else None
    ratio = monomials[0][1] / number
    return ratio if denominator * ratio == numerator else None


def _divided(value: Exact, monomial: Monomial[Atom], number: Exact) -> Exact:
    """A number of which each term has the factors of this monomial, without them."""
    return _number({divide(each, monomial): x / number for each, x in _terms(value)})


def _single_atom(value: Exact) -> Atom | None:
    """The one atom that a number consists of; None if it is anything else."""
    if isinstance(value, Parametric) and len(value.terms) == 1:
        ((monomial, coefficient),) = value.terms
        if len(monomial) == 1 and coefficient == ONE:
            return monomial[0]
    return None


def _inverse(atom: Atom) -> Exact:
    if isinstance(atom, FunctionOf) and atom.name == "reciprocal":
        return atom.argument
    return _function("reciprocal", Parametric(atom))


def _value(atom: Atom, values: Mapping[str, Exact]) -> Exact:
    if isinstance(atom, Parameter):
        return values.get(atom.name, atom.value)
    assert isinstance(atom, FunctionOf)
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
