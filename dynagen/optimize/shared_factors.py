"""Pairs of factors that products of several polynomials share, numbers among them, are multiplied once, commonest first."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from dynagen.exact import ONE, Exact
from dynagen.passes.polynomials import Monomial, Polynomial


def share_factors(sums: dict[int, Polynomial]) -> dict[int, Polynomial]:
    """The sums, with a new value for every pair that is multiplied once."""
    numbers: dict[Exact, int] = {}  # as factors below zero
    terms: dict[int, list[tuple[bool, Monomial]]] = {}
    for value, polynomial in sums.items():
        terms[value] = mine = []
        for factors, number in polynomial.items():
            size = abs(number)
            if size != ONE or not factors:
                factors = (-1 - numbers.setdefault(size, len(numbers)), *factors)
            mine.append((size != number, factors))
    values = {-1 - place: number for number, place in numbers.items()}
    products = dict.fromkeys(factors for mine in terms.values() for _, factors in mine)
    shared, pairs = _pairs(
        list(products), 1 + max((*sums, *(factor for factors in products for factor in factors)), default=0)
    )
    instead = dict(zip(products, shared, strict=True))
    result = {new: dict([_term(False, pair, values)]) for new, pair in pairs.items()}
    for value, mine in terms.items():
        result[value] = dict(_term(negative, instead[factors], values) for negative, factors in mine)
    return result


def _term(negative: bool, factors: Monomial, values: dict[int, Exact]) -> tuple[Monomial, Exact]:
    number = values[factors[0]] if factors[0] < 0 else ONE
    return factors[1:] if factors[0] < 0 else factors, -number if negative else number


def _pairs(products: list[Monomial], new: int) -> tuple[list[Monomial], dict[int, tuple[int, int]]]:
    """The products with values from a new one on in place of pairs, and these pairs."""
    pairs: dict[int, tuple[int, int]] = {}
    while True:
        counts = Counter(pair for factors in set(products) if len(factors) > 1 for pair in set(combinations(factors, 2)))
        pair = max(counts, key=lambda each: (counts[each], each), default=(0, 0))
        if counts[pair] < 2:
            return products, pairs
        pairs[new] = pair
        products = [_with_pair(factors, pair, new) for factors in products]
        new += 1


def _with_pair(factors: Monomial, pair: tuple[int, int], product: int) -> Monomial:
    left, right = pair
    if left not in factors or right not in factors:
        return factors
    rest = list(factors)
    while left in rest and right in rest and (left != right or rest.count(left) > 1):
        rest.remove(left)
        rest.remove(right)
        rest.append(product)
    return tuple(rest)
