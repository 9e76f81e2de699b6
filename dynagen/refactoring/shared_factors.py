"""Pairs of factors that products of several polynomials share, numbers among them, are multiplied once, commonest first.

A number is a factor like any other here: 3 x y and 3 x z share 3 x. Only the size of numbers counts, for a sign costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.polynomials import Monomial, Polynomial
from dynagen.passes.shared_pairs import SharedPairs


def share_factors(sums: Mapping[int, Polynomial[int]], first_new: int) -> dict[int, Polynomial[int]]:
    """The sums, with a new value for every pair that is multiplied once.

    Args:
        sums: in which products share factors.
        first_new: a number from which on there are no values, be they in the sums or not.
    """
    numbers: dict[Exact, int] = {}  # as factors below zero
    terms: dict[int, list[tuple[bool, Monomial[int]]]] = {}
    for value, polynomial in sums.items():
        terms[value] = mine = []
        for factors, number in polynomial.items():
            size = number.unsigned
            if size != ONE or not factors:
                factors = (-1 - numbers.setdefault(size, len(numbers)), *factors)
            mine.append((size != number, factors))
    values = {-1 - place: number for number, place in numbers.items()}
    products = dict.fromkeys(factors for mine in terms.values() for _, factors in mine)
    shared = SharedPairs(products, first_new)
    result = {new: dict([_term(False, pair, values)]) for new, pair in shared.pairs.items()}
    for value, mine in terms.items():
        result[value] = dict(_term(negative, shared.instead(factors), values) for negative, factors in mine)
    return result


def shared_multiplications(products: Iterable[tuple[Monomial[int], int]]) -> int:
    """The number of multiplications that are left where pairs are shared.

    Args:
        products: all that are multiplied: factors, and the place of a number above zero; that of 1 is 1.
    """
    flat = {factors if number == 1 else (-number, *factors): None for factors, number in products}
    new = 1 + max((factor for factors in flat for factor in factors), default=0)
    return SharedPairs(flat, new).multiplications


def _term(negative: bool, factors: Monomial[int], values: dict[int, Exact]) -> tuple[Monomial[int], Exact]:
    number = values[factors[0]] if factors[0] < 0 else ONE
    return factors[1:] if factors[0] < 0 else factors, -number if negative else number
