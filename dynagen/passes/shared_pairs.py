"""Shared pairs: two factors that several products contain are multiplied once: x*y*a and x*b*y are p*a and p*b with p = x*y.

The pair that most products contain goes first, as in the extraction of divisors from sums (`divisors`); as there, three
factors that several products contain are found as a pair of a pair. Of pairs that are equally common the one goes first whose
products have the fewest other factors: those have the least to share besides, so the least is lost for other pairs.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from dynagen.ir.program import Program
from dynagen.passes.sums_of_products import SumsOfProducts

_Pair = tuple[int, int]


def extract_shared_pairs(program: Program) -> Program:
    """Compute once what several products have in common."""
    sums = SumsOfProducts(program)
    before = list(sums.products.items())
    shared = SharedPairs(sums.products.values(), len(program.instructions))
    became = {position: shared.instead(factors) for position, factors in before}
    of_pairs = {instead[0]: position for position, instead in became.items() if len(instead) == 1}
    values: dict[int, int] = {}

    def factors_of(numbers: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted(values.get(number, number) for number in numbers))

    def change(position: int, factors: tuple[int, ...]) -> None:
        if sums.products[position] != factors:
            sums.change_product(position, factors)

    # A pair that is a whole product of the program is computed there, under its name; any other pair is a new value. Pairs of
    # pairs come after those that they are made of, so that these have their values by then.
    for new, pair in shared.pairs.items():
        if new in of_pairs:
            values[new] = of_pairs[new]
            change(of_pairs[new], factors_of(pair))
        else:
            values[new] = sums.product(factors_of(pair))
    for position, instead in became.items():
        if len(instead) > 1:
            change(position, factors_of(instead))
    return sums.rebuilt()


class SharedPairs:
    """Products in which pairs are replaced until no two have one in common.

    Attributes:
        pairs: new values and what they are products of.
        multiplications: for pairs and products, equal ones counted once.
    """

    def __init__(self, products: Iterable[tuple[int, ...]], new: int) -> None:
        self.pairs: dict[int, _Pair] = {}
        self._instead: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._having: dict[_Pair, dict[tuple[int, ...], None]] = {}
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

    def instead(self, factors: tuple[int, ...]) -> tuple[int, ...]:
        """The product with its pairs replaced."""
        while factors in self._instead:
            factors = self._instead[factors]
        return factors

    def _add(self, factors: tuple[int, ...]) -> None:
        for pair in set(combinations(factors, 2)):
            self._having.setdefault(pair, {})[factors] = None
            self._rank(pair)

    def _rank(self, pair: _Pair) -> None:
        """Rank a pair by the products that have it; of equally common ones that goes first which leaves the fewest factors."""
        having = self._having[pair]
        if len(having) > 1:
            self._ranks[pair] = len(having), -sum(map(len, having))
        else:
            self._ranks.pop(pair, None)

    def _change(self, factors: tuple[int, ...], changed: tuple[int, ...]) -> None:
        for pair in set(combinations(factors, 2)):
            del self._having[pair][factors]
            self._rank(pair)
        self._instead[factors] = changed
        self.multiplications -= len(factors) - 1
        if len(changed) < 2 or changed not in self._having.get((changed[0], changed[1]), {}):
            self.multiplications += len(changed) - 1
            self._add(changed)


def _with_pair(factors: tuple[int, ...], pair: _Pair, product: int) -> tuple[int, ...]:
    left, right = pair
    rest = list(factors)
    while left in rest and right in rest and (left != right or rest.count(left) > 1):
        rest.remove(left)
        rest.remove(right)
        rest.append(product)
    return tuple(rest)
