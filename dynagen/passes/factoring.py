"""Factoring: k*x - k*y is k*(x - y), and x*y + x*z is x*(y + z), wherever in a sum the terms stand.

The factor that most terms of a whole sum share goes first, as in a multivariate Horner scheme; every term that joins another
saves a multiplication. Signs must have been propagated before: then equal constants are one value, and none of them hides a
sign.
"""

from __future__ import annotations

from dataclasses import replace

from dynagen.ir.program import Program
from dynagen.passes.sums import Sum, Term, Terms, rewrite_sums


def factor_sums(program: Program) -> Program:
    """Take common factors out of sums."""
    return rewrite_sums(program, _change)


def _change(whole: Sum) -> Terms | None:
    factored = _factor(whole.terms)
    return None if factored == whole.terms else factored


def _factor(terms: Terms) -> Terms:
    """The same sum after the factor that most products share has been taken out of them, and so on until no two share one."""
    while True:
        sharing: dict[int, list[int]] = {}
        for index, term in enumerate(terms):
            if len(term.factors) > 1:
                for factor in dict.fromkeys(term.factors):
                    if isinstance(factor, int):
                        sharing.setdefault(factor, []).append(index)
        common = max(sharing, key=lambda factor: len(sharing[factor]), default=None)
        if common is None or len(sharing[common]) < 2:
            return terms
        first, *others = sharing[common]
        rest = _as_term(_factor(tuple(_without(terms[index], common) for index in sharing[common])))
        product = Term(rest.negative, (common, *rest.factors))
        joined = set(others)
        terms = (*terms[:first], product, *(term for index, term in enumerate(terms) if index > first and index not in joined))


def _without(term: Term, factor: int) -> Term:
    """A term with a factor taken out."""
    at = term.factors.index(factor)
    return Term(term.negative, term.factors[:at] + term.factors[at + 1 :])


def _as_term(terms: Terms) -> Term:
    """A sum as a single term, negative if the sum begins with a negative one."""
    if len(terms) == 1:
        return terms[0]
    if terms[0].negative:
        return Term(True, (tuple(replace(term, negative=not term.negative) for term in terms),))
    return Term(False, (terms,))
