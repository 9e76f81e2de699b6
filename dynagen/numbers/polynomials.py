"""Polynomials with exact coefficients in variables of any kind that have an order: positions of values, parameters, sines.

Numbers of run-time parameters, closed forms of the literature and the search for better factors all compute with these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, pairwise
from typing import Any, Protocol, TypeVar

from dynagen.numbers.exact import ONE, Exact


class _Ordered(Protocol):
    def __lt__(self, other: Any, /) -> bool: ...

    def __hash__(self) -> int: ...


V = TypeVar("V", bound=_Ordered)
Monomial = tuple[V, ...]
"""A product of variables, in ascending order; a square has its variable twice, and the empty product is one."""
Polynomial = dict[tuple[V, ...], Exact]
"""Monomials and their coefficients, which are never zero."""


def variable(value: V) -> Polynomial[V]:
    """A variable by itself."""
    return {(value,): ONE}


def collect(terms: Iterable[tuple[Monomial[V], Exact]]) -> Polynomial[V]:
    """The sum of terms, of which several may have the same monomial."""
    total: Polynomial[V] = {}
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
    return collect((product(a, b), x * y) for a, x in left.items() for b, y in right.items())


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
        other = product(rest, (partners[square], partners[square]))
        polynomial = collect([*polynomial.items(), (monomial, -number), (rest, number), (other, -number)])
    return polynomial


def _find_square(polynomial: Polynomial[V], partners: Mapping[V, V]) -> tuple[Monomial[V], V] | None:
    for monomial in polynomial:
        for left, right in pairwise(monomial):
            if left == right and left in partners:
                return monomial, left
    return None


def product(left: Monomial[V], right: Monomial[V]) -> Monomial[V]:
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
