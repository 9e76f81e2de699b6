"""Factoring: k*x - k*y is k*(x - y), and x*y + x*z is x*(y + z), wherever in a sum the terms stand.

The factor that most terms of a whole sum share goes first, as in a multivariate Horner scheme; every term that joins another
saves a multiplication. Extraction of common divisors would find these factors too, two terms at a time, but it can part terms
that a Horner scheme keeps together (it loses up to four operations), so this looks at all terms of a sum at once. Signs must
have been propagated before: then equal constants are one value, and none of them hides a sign.
"""

from __future__ import annotations

from dynagen.ir.program import Program
from dynagen.passes.sums_of_products import SumsOfProducts, without

_Product = tuple[bool, tuple[int, ...]]
"""A term of a sum: whether it is subtracted, and its factors."""


def factor_sums(program: Program) -> Program:
    """Take common factors out of sums."""
    sums = SumsOfProducts(program)
    for position, terms in list(sums.sums.items()):
        products = [(negative, sums.own_factors(value)) for negative, value in terms]
        factored = _factor(sums, products)
        if len(factored) < len(products):
            sums.change_sum(position, tuple((negative, sums.product(factors)) for negative, factors in factored))
    return sums.rebuilt()


def _factor(sums: SumsOfProducts, products: list[_Product]) -> list[_Product]:
    """Take the factor out of a sum's products that most of them share, and so on until no two share one."""
    while True:
        containing: dict[int, list[int]] = {}
        for index, (_, factors) in enumerate(products):
            if len(factors) > 1:
                for factor in dict.fromkeys(factors):
                    containing.setdefault(factor, []).append(index)
        common = max(containing, key=lambda factor: len(containing[factor]), default=None)
        if common is None or len(containing[common]) < 2:
            return products
        places = containing[common]
        without_it = [(negative, without(factors, common)) for negative, factors in map(products.__getitem__, places)]
        negative, rest = _as_product(sums, _factor(sums, without_it))
        product = negative, tuple(sorted((common, *rest)))
        products = [
            product if place == places[0] else each
            for place, each in enumerate(products)
            if place == places[0] or place not in places
        ]


def _as_product(sums: SumsOfProducts, products: list[_Product]) -> _Product:
    """A sum as a single product, subtracted if the sum begins with one that is."""
    if len(products) == 1:
        return products[0]
    opposite = products[0][0]
    return opposite, (sums.sum(tuple((negative != opposite, sums.product(factors)) for negative, factors in products)),)
