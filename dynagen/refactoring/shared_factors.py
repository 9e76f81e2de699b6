"""Pairs of factors that products of several polynomials share, numbers among them, are multiplied once, commonest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from dynagen.numbers.exact import ONE, Exact
from dynagen.numbers.polynomials import Monomial, Polynomial

_Pair = tuple[int, int]


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
            size = abs(number)
            if size != ONE or not factors:
                factors = (-1 - numbers.setdefault(size, len(numbers)), *factors)
            mine.append((size != number, factors))
    values = {-1 - place: number for number, place in numbers.items()}
    products = dict.fromkeys(factors for mine in terms.values() for _, factors in mine)
    shared = _Pairs(products, first_new)
    result = {new: dict([_term(False, pair, values)]) for new, pair in shared.pairs.items()}
    for value, mine in terms.items():
        result[value] = dict(_term(negative, shared.instead(factors), values) for negative, factors in mine)
    return result


def shared_multiplications(products: Iterable[tuple[Monomial[int], int]]) -> int:
    """How many multiplications are left where pairs are shared.

    Args:
        products: all that are multiplied: factors, and the place of a number above zero; that of 1 is 1.
    """
    flat = {factors if number == 1 else (-number, *factors): None for factors, number in products}
    new = 1 + max((factor for factors in flat for factor in factors), default=0)
    return _Pairs(flat, new).multiplications


def _term(negative: bool, factors: Monomial[int], values: dict[int, Exact]) -> tuple[Monomial[int], Exact]:
    number = values[factors[0]] if factors[0] < 0 else ONE
    return factors[1:] if factors[0] < 0 else factors, -number if negative else number


class _Pairs:
    """Products in which pairs are replaced until no two have one in common.

    Attributes:
        pairs: new values and what they are products of.
        multiplications: for pairs and products, equal ones counted once.
    """

    def __init__(self, products: Iterable[Monomial[int]], new: int) -> None:
        self.pairs: dict[int, _Pair] = {}
        self._instead: dict[Monomial[int], Monomial[int]] = {}
        self._having: dict[_Pair, dict[Monomial[int], None]] = {}
        self._ranks: dict[_Pair, tuple[int, int]] = {}  # of those in several products, and in which they are most of it
        distinct = dict.fromkeys(products)
        self.multiplications = sum(len(factors) - 1 for factors in distinct if factors)
        for factors in distinct:
            self._add(factors)
        while self._ranks:
            _, pair = max((rank, pair) for pair, rank in self._ranks.items())
            self.pairs[new] = pair
            self.multiplications += 1
            for factors in list(self._having[pair]):
                self._change(factors, _with_pair(factors, pair, new))
            new += 1

    def instead(self, factors: Monomial[int]) -> Monomial[int]:
        """What a product has become."""
        while factors in self._instead:
            factors = self._instead[factors]
        return factors

    def _add(self, factors: Monomial[int]) -> None:
        for pair in set(combinations(factors, 2)):
            self._having.setdefault(pair, {})[factors] = None
            self._rank(pair)

    def _rank(self, pair: _Pair) -> None:
        """How many products have a pair; of equally common ones those go first that leave the fewest other factors."""
        having = self._having[pair]
        if len(having) > 1:
            self._ranks[pair] = len(having), -sum(map(len, having))
        else:
            self._ranks.pop(pair, None)

    def _change(self, factors: Monomial[int], changed: Monomial[int]) -> None:
        for pair in set(combinations(factors, 2)):
            del self._having[pair][factors]
            self._rank(pair)
        self._instead[factors] = changed
        self.multiplications -= len(factors) - 1
        if len(changed) < 2 or changed not in self._having.get((changed[0], changed[1]), {}):
            self.multiplications += len(changed) - 1
            self._add(changed)


def _with_pair(factors: Monomial[int], pair: _Pair, product: int) -> Monomial[int]:
    left, right = pair
    rest = list(factors)
    while left in rest and right in rest and (left != right or rest.count(left) > 1):
        rest.remove(left)
        rest.remove(right)
        rest.append(product)
    return tuple(rest)
