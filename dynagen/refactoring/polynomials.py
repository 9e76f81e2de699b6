"""Polynomials in the values of a program, with exact coefficients."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from dynagen.numbers.exact import ONE, ZERO, Exact

Monomial = tuple[int, ...]
"""A product of values, in ascending order."""
Polynomial = dict[Monomial, Exact]
"""Products of values and what they are multiplied by; never zero."""


def variable(value: int) -> Polynomial:
    """A value by itself."""
    return {(value,): ONE}


def multiple(polynomial: Polynomial, number: Exact) -> Polynomial:
    """A number, which is not zero, times a polynomial."""
    return {factors: number * each for factors, each in polynomial.items()}


def add(left: Polynomial, right: Polynomial) -> Polynomial:
    """The sum of two."""
    total = dict(left)
    for factors, number in right.items():
        total[factors] = total.get(factors, ZERO) + number
    return {factors: number for factors, number in total.items() if number}


def multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    """The product of two."""
    total: Polynomial = {}
    for factors, number in left.items():
        for others, other in right.items():
            together = tuple(sorted(factors + others))
            total[together] = total.get(together, ZERO) + number * other
    return {factors: number for factors, number in total.items() if number}


def substitute(polynomial: Polynomial, value: int, instead: Polynomial) -> Polynomial:
    """A polynomial with another one in place of a value."""
    result: Polynomial = {}
    for factors, number in polynomial.items():
        term: Polynomial = {tuple(factor for factor in factors if factor != value): number}
        for _ in range(factors.count(value)):
            term = multiply(term, instead)
        result = add(result, term)
    return result


def without_squares(polynomial: Polynomial, partners: Mapping[int, int]) -> Polynomial:
    """The same where the squares of two values add up to one, as those of sine and cosine: c^2 x is x - s^2 x.

    Args:
        polynomial: with squares.
        partners: for every value that is to have none the one that it meets.
    """
    while (found := _find_square(polynomial, partners)) is not None:
        factors, square = found
        number = polynomial[factors]
        rest = divide(factors, (square, square))
        changed = {factors: -number, rest: number, tuple(sorted((*rest, *(partners[square],) * 2))): -number}
        polynomial = add(polynomial, changed)
    return polynomial


def _find_square(polynomial: Polynomial, partners: Mapping[int, int]) -> tuple[Monomial, int] | None:
    for factors in polynomial:
        for left, right in pairwise(factors):
            if left == right and left in partners:
                return factors, left
    return None


def common_factors(left: Monomial, right: Monomial) -> Monomial:
    """The greatest monomial that divides both."""
    rest = list(right)
    common = []
    for factor in left:
        if factor in rest:
            rest.remove(factor)
            common.append(factor)
    return tuple(common)


def divide(factors: Monomial, divisor: Monomial) -> Monomial:
    """A monomial without factors that it has."""
    if not divisor:
        return factors
    rest = list(factors)
    for factor in divisor:
        rest.remove(factor)
    return tuple(rest)
