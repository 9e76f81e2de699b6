"""Collection: numbers in a sum become one, and terms that a sum both adds and subtracts disappear, wherever they stand.

0.82 + (t - 0.43) is 0.39 + t, (a + b) - (c + a) is b - c, a*(b*c) - (a*b)*c is nothing, and a + a - 2*a is nothing either. A
partial sum that others need too is written out if so many of its terms disappear that this saves operations: with r = a + b,
r + c - a is b + c.
"""

from __future__ import annotations

from dynagen.ir.program import Program
from dynagen.numbers.exact import ZERO, Exact
from dynagen.passes.sums_of_products import SumsOfProducts, Term


def collect_terms(program: Program) -> Program:
    """Collect the terms of all sums."""
    sums = SumsOfProducts(program)
    for position in list(sums.sums):
        if position in sums.sums:  # nothing may need it any more
            before = sums.sums[position]
            after = _one_number(sums, _without_opposites(sums, _written_out(sums, before)))
            if after != before:
                sums.change_sum(position, after)
    return sums.rebuilt()


def _written_out(sums: SumsOfProducts, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """The terms with those of partial sums in their place, where that saves operations."""
    for place, (negative, value) in enumerate(terms):
        inner = tuple((negative != each, term) for each, term in sums.sums.get(value, ()))
        written_out = terms[:place] + inner + terms[place + 1 :]
        if inner and len(_without_opposites(sums, written_out)) < len(terms):
            return _written_out(sums, written_out)
    return terms


def _without_opposites(sums: SumsOfProducts, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """The terms but for pairs of opposite ones, and for those of the same factors whose numbers add up to nothing."""
    left: list[tuple[Term, tuple[bool, Exact, tuple[int, ...]]]] = []
    for negative, value in terms:
        number, factors = sums.monomial(value)
        subtracted = negative != number.has_minus
        opposite = not subtracted, number.unsigned, factors
        place = next((place for place, (_, monomial) in enumerate(left) if monomial == opposite), None)
        if place is None:
            left.append(((negative, value), (subtracted, number.unsigned, factors)))
        else:
            left.pop(place)
    totals: dict[tuple[int, ...], Exact] = {}
    for _, (subtracted, number, factors) in left:
        signed = -number if subtracted else number
        totals[factors] = totals[factors] + signed if factors in totals else signed
    return tuple(term for term, (_, _, factors) in left if totals[factors])


def _one_number(sums: SumsOfProducts, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """The terms with the sum of all numbers in the place of the first."""
    places = [place for place, (_, value) in enumerate(terms) if value in sums.constants]
    if len(places) < 2:
        return terms
    numbers = (
        -sums.constants[value] if negative else sums.constants[value] for negative, value in map(terms.__getitem__, places)
    )
    total = sum(numbers, start=ZERO)
    collected = ((total.has_minus, sums.constant(total.unsigned)),) if total else ()
    first, *others = places
    rest = tuple(term for place, term in enumerate(terms) if place > first and place not in others)
    return terms[:first] + collected + rest
