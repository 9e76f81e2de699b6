"""Rules for one sum: cancellation, collection, factoring, doubling, and the order for fused multiply-add.

Cancellation: x - (x - y) is y, 2*x - x is x. Rotations by right angles, written for any angle, leave such terms behind.

Collection: numbers in a sum become one, and terms that a sum both adds and subtracts disappear, wherever they stand.

0.82 + (t - 0.43) is 0.39 + t, (a + b) - (c + a) is b - c, a*(b*c) - (a*b)*c is nothing, and a + a - 2*a is nothing either. A
partial sum that others need too is written out if so many of its terms disappear that this saves operations: with r = a + b,
r + c - a is b + c.

Factoring: k*x - k*y is k*(x - y), and x*y + x*z is x*(y + z), wherever in a sum the terms stand.

The factor that most terms of a whole sum share goes first, as in a multivariate Horner scheme; every term that joins another
saves a multiplication. Extraction of common divisors would find these factors too, two terms at a time, but it can part terms
that a Horner scheme keeps together (it loses up to four operations), so this looks at all terms of a sum at once. Signs must
have been propagated before: then equal constants are one value, and none of them hides a sign.

Doubling: 2*x is x + x, for targets on which an addition costs less than a multiplication.

Fusing: sums in an order in which every addition can take a product along, for targets with a fused multiply-add.

In (x*y + u*v) + z one addition can take a product along, in (z + x*y) + u*v both can. Of the t - 1 additions of t terms, p of
which are products, min(p, t - 1) fuse if the terms that are no products go first.
"""

from __future__ import annotations

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.cost import fused_products
from dynagen.ir.program import Instruction, Operation, Program
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.optimizer.passes.sums_of_products import SumsOfProducts, Term, remove_factor

_SUM = (Operation.ADD, Operation.SUBTRACT)


def cancel_terms(program: Program) -> Program:
    """Simplify sums of two terms that have a value in common."""
    return rewrite(program, cancel_instruction)


def cancel_instruction(
    builder: Builder, instruction: Instruction, operands: tuple[int, ...]
) -> int | None:
    """The rule for one instruction."""
    if instruction.operation not in _SUM:
        return None
    (_, left), (sign, right) = _list_terms(instruction.operation, operands)
    multiple = _merge_like_terms(builder, left, sign, right)
    if multiple is not None:
        return builder.emit(Operation.MULTIPLY, *multiple)
    rest = _drop_opposite_term(builder, 1, left, sign, right) or _drop_opposite_term(
        builder, sign, right, 1, left
    )
    return None if rest is None else builder.emit(*rest)


def _merge_like_terms(builder: Builder, left: int, sign: int, right: int) -> tuple[int, int] | None:
    """Factors of the product that both terms together are, if they are multiples of one value; x + x is 2*x, a product too."""
    (factor, value), (other_factor, other_value) = (
        _split_multiple(builder, left),
        _split_multiple(builder, right),
    )
    if value != other_value:
        return None
    return builder.constant(factor + sign * other_factor), value


def _split_multiple(builder: Builder, position: int) -> tuple[Exact, int]:
    """A constant factor, and what it multiplies."""
    factor = builder.constant_factor(position)
    return (ONE, position) if factor is None else (factor, builder[position].operands[1])


def _drop_opposite_term(
    builder: Builder, sign: int, total: int, other_sign: int, other: int
) -> tuple[Operation, int] | None:
    """What is left of a sum, itself a term, if the other term is the opposite of one of its terms."""
    inner = builder[total]
    if inner.operation not in _SUM:
        return None
    first, second = (
        (sign * inner_sign, term)
        for inner_sign, term in _list_terms(inner.operation, inner.operands)
    )
    for (term_sign, term), (rest_sign, rest) in ((first, second), (second, first)):
        if term == other and term_sign == -other_sign:
            return Operation.COPY if rest_sign > 0 else Operation.NEGATE, rest
    return None


def _list_terms(
    operation: Operation, operands: tuple[int, ...]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Sign and position of both terms."""
    left, right = operands
    return (1, left), (1 if operation is Operation.ADD else -1, right)


def collect_terms(program: Program) -> Program:
    """Collect the terms of all sums."""
    sums = SumsOfProducts(program)
    for position in list(sums.sums):
        if position in sums.sums:  # nothing may need it any more
            before = sums.sums[position]
            after = _add_numbers(sums, _drop_opposites(sums, _expand_partial_sums(sums, before)))
            if after != before:
                sums.change_sum(position, after)
    return sums.rebuild()


def _expand_partial_sums(sums: SumsOfProducts, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """The terms with those of partial sums in their place, where that saves operations."""
    for place, (negative, value) in enumerate(terms):
        inner = tuple((negative != each, term) for each, term in sums.sums.get(value, ()))
        written_out = terms[:place] + inner + terms[place + 1 :]
        if inner and len(_drop_opposites(sums, written_out)) < len(terms):
            return _expand_partial_sums(sums, written_out)
    return terms


def _drop_opposites(sums: SumsOfProducts, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """The terms but for pairs of opposite ones, and for those of the same factors whose numbers add up to nothing."""
    left: list[tuple[Term, tuple[bool, Exact, tuple[int, ...]]]] = []
    for negative, value in terms:
        number, factors = sums.monomial(value)
        subtracted = negative != number.has_minus
        opposite = not subtracted, number.unsigned, factors
        place = next(
            (place for place, (_, monomial) in enumerate(left) if monomial == opposite), None
        )
        if place is None:
            left.append(((negative, value), (subtracted, number.unsigned, factors)))
        else:
            left.pop(place)
    totals: dict[tuple[int, ...], Exact] = {}
    for _, (subtracted, number, factors) in left:
        signed = -number if subtracted else number
        totals[factors] = totals[factors] + signed if factors in totals else signed
    return tuple(term for term, (_, _, factors) in left if totals[factors])


def _add_numbers(sums: SumsOfProducts, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """The terms with the sum of all numbers in the place of the first."""
    places = [place for place, (_, value) in enumerate(terms) if value in sums.constants]
    if len(places) < 2:
        return terms
    numbers = (
        -sums.constants[value] if negative else sums.constants[value]
        for negative, value in map(terms.__getitem__, places)
    )
    total = sum(numbers, start=ZERO)
    collected = ((total.has_minus, sums.add_constant(total.unsigned)),) if total else ()
    first, *others = places
    rest = tuple(term for place, term in enumerate(terms) if place > first and place not in others)
    return terms[:first] + collected + rest


_Product = tuple[bool, tuple[int, ...]]
"""A term of a sum: whether it is subtracted, and its factors."""


def factor_sums(program: Program) -> Program:
    """Take common factors out of sums."""
    sums = SumsOfProducts(program)
    for position, terms in list(sums.sums.items()):
        products = [(negative, sums.own_factors(value)) for negative, value in terms]
        factored = _factor(sums, products)
        if len(factored) < len(products):
            sums.change_sum(
                position,
                tuple((negative, sums.add_product(factors)) for negative, factors in factored),
            )
    return sums.rebuild()


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
        without_it = [
            (negative, remove_factor(factors, common))
            for negative, factors in map(products.__getitem__, places)
        ]
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
    return opposite, (
        sums.add_sum(
            tuple(
                (negative != opposite, sums.add_product(factors)) for negative, factors in products
            )
        ),
    )


_TWO = Exact(2)


def add_doubles(program: Program) -> Program:
    """Add a value to itself instead of multiplying it by two."""
    return rewrite(program, _double)


def _double(builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int | None:
    if instruction.operation is Operation.MULTIPLY and builder.constant_value(operands[0]) == _TWO:
        return builder.emit(Operation.ADD, operands[1], operands[1])
    return None


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
    return sums.rebuild()
