"""Fusing: sums in an order in which every addition can take a product along, for targets with a fused multiply-add.

In (x*y + u*v) + z one addition can take a product along, in (z + x*y) + u*v both can. Of the t - 1 additions of t terms, p of
which are products, min(p, t - 1) fuse if the terms that are no products go first.
"""

from __future__ import annotations

from dynagen.ir.fusion import fused_products
from dynagen.ir.program import Program
from dynagen.passes.sums_of_products import SumsOfProducts, Term


def order_for_fusing(program: Program) -> Program:
    """Put sums in order that fuse less than they could."""
    sums, fused = SumsOfProducts(program), set(fused_products(program).values())

    def is_product(term: Term) -> bool:
        return len(sums.own_factors(term[1])) > 1

    for position, terms in list(sums.sums.items()):
        taken_along = sum(value in fused for _, value in terms)
        if taken_along < min(sum(map(is_product, terms)), len(terms) - 1):
            first = min(terms, key=lambda term: (term[0], is_product(term)))
            others = list(terms)
            others.remove(first)
            sums.change_sum(position, (first, *sorted(others, key=is_product)))
    return sums.rebuilt()
