"""Products of two factors that several products contain are computed once: x*y*a and x*b*y are p*a and p*b with p = x*y."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from dynagen.ir.program import Program
from dynagen.passes.sums_of_products import SumsOfProducts

_Pair = tuple[int, int]


def share_products(program: Program) -> Program:
    """Compute once what several products have in common, the pair of factors first that most of them contain."""
    sums = SumsOfProducts(program)
    while True:
        distinct = dict.fromkeys(sums.products.values())
        times = Counter(pair for factors in distinct for pair in _pairs(factors))
        pair = min(times, key=lambda each: (-times[each], each), default=None)
        if pair is None or times[pair] < 2:
            return sums.rebuilt()
        shared = sums.product(pair)
        for position, factors in list(sums.products.items()):
            if len(factors) > 2 and pair in _pairs(factors):
                left = list(factors)
                for factor in pair:
                    left.remove(factor)
                sums.change_product(position, tuple(sorted((shared, *left))))


def _pairs(factors: tuple[int, ...]) -> dict[_Pair, None]:
    """All pairs of factors, each once, in order."""
    return dict.fromkeys(combinations(factors, 2))
