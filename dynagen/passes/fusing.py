"""Fusing: sums in an order in which every addition can take a product along, for targets with a fused multiply-add.

In (x*y + u*v) + z one addition can take a product along, in (z + x*y) + u*v both can. Of the t - 1 additions of t terms, p of
which are products, min(p, t - 1) fuse if the terms that are no products go first.
"""

from __future__ import annotations

from functools import partial

from dynagen.ir.fusion import fused_products
from dynagen.ir.program import Program
from dynagen.passes.sums import Sum, Term, Terms, rewrite_sums


def order_for_fusing(program: Program) -> Program:
    """Put sums in order that fuse less than they could."""
    return rewrite_sums(program, partial(_change, fused_products(program)))


def _change(fused: dict[int, int], whole: Sum) -> Terms | None:
    products = sum(_is_product(term) for term in whole.terms)
    now = sum(addition in fused for addition in whole.additions)
    if now == min(products, len(whole.additions)):
        return None
    first = min(whole.terms, key=lambda term: (term.negative, _is_product(term)))
    others = [term for term in whole.terms if term is not first]
    return (first, *sorted(others, key=_is_product))


def _is_product(term: Term) -> bool:
    return len(term.factors) > 1
