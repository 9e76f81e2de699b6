"""Passes on single sums: cancel, collect, factor and order terms, and replace 2*x by x + x.

Cancellation simplifies sums of two terms. Most other passes work on sums with any number of terms,
which consist of several additions (`sums_of_products`).
"""

from __future__ import annotations

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.cost import find_fused_products
from dynagen.ir.operation import ADD, COPY, MULTIPLY, NEGATE, SUBTRACT
from dynagen.ir.program import Instruction, Operation, Program
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.optimizer.passes.sums_of_products import SumsOfProducts, Term, remove_factor

SUMS = (ADD, SUBTRACT)
_HALF = Exact("1/2")


def cancel_terms(program: Program) -> Program:
    """Simplify sums of two terms that have a value in common.

    Such sums occur where formulas for general angles are used for right angles.

        a = x - y            ->
        b = x - a            ->  b = y
        c = 2*z - z          ->  c = 1*z, left to constant folding
    """
    return rewrite(program, cancel_instruction, operations=SUMS)


def cancel_instruction(
    builder: Builder, instruction: Instruction, operands: tuple[int, ...]
) -> int | None:
    """Return a value that replaces a sum or difference whose two terms have a value in common.

    Args:
        builder: builder of the new program.
        instruction: instruction of the old program.
        operands: the instruction's operands, as positions in the builder.

    Returns:
        Position of the replacement in the builder; None to keep the instruction.
    """
    if instruction.operation not in SUMS or not may_share_term(builder, *operands):
        return None
    (_, left), (sign, right) = _list_terms(instruction.operation, operands)
    multiple = _merge_like_terms(builder, left, sign, right)
    if multiple is not None:
        return builder.emit(MULTIPLY, *multiple)
    # Either term may be the sum that contains the opposite of the other.
    rest = _drop_opposite_term(builder, 1, left, sign, right) or _drop_opposite_term(
        builder, sign, right, 1, left
    )
    return None if rest is None else builder.emit(*rest)


def may_share_term(builder: Builder, left: int, right: int) -> bool:
    """Return whether two terms may be like terms (as 2*x and 3*x), or one may contain the other.

    A term contains another one if it is a sum with this term. The test is quick, and its result is
    False for most sums.

    Args:
        builder: builder that has recorded both terms.
        left: position of the first term in the builder.
        right: position of the second term in the builder.
    """
    parts, other_parts = builder[left].operands, builder[right].operands
    return (
        left == right
        or left in other_parts
        or right in parts
        # In 2*x and 3*x the number comes first.
        or (parts != () and parts[-1:] == other_parts[-1:])
    )


def _merge_like_terms(builder: Builder, left: int, sign: int, right: int) -> tuple[int, int] | None:
    """Return the positions of the factors of a product equal to a sum of like terms, or None.

    For example, 2*x + 3*x yields the positions of 5 and x. The second term is subtracted if `sign`
    is -1. The result is None if the terms are not multiples of one value.
    """
    (factor, value), (other_factor, other_value) = (
        _split_multiple(builder, left),
        _split_multiple(builder, right),
    )
    # x + x is 2*x: a product, which later folding can merge with other factors.
    if value != other_value:
        return None
    return builder.add_constant(factor + sign * other_factor), value


def _split_multiple(builder: Builder, position: int) -> tuple[Exact, int]:
    """Return the constant factor of the value at a position, and the other factor's position."""
    factor = builder.find_constant_factor(position)
    return (ONE, position) if factor is None else (factor, builder[position].operands[1])


def _drop_opposite_term(
    builder: Builder, sign: int, total: int, other_sign: int, other: int
) -> tuple[Operation, int] | None:
    """Return the remaining one of three terms of a sum if the other two terms cancel each other.

    Two terms belong to the inner sum at `total`, which has the sign `sign` (1 or -1) in the outer
    sum; `other` is the third term. Return COPY or NEGATE and the remaining term, or None if nothing
    cancels.
    """
    inner = builder[total]
    if inner.operation not in SUMS:
        return None
    first, second = (
        (sign * inner_sign, term)
        for inner_sign, term in _list_terms(inner.operation, inner.operands)
    )
    # In (a - b) - a, the term a meets its opposite, and -b remains.
    for (term_sign, term), (rest_sign, rest) in ((first, second), (second, first)):
        if term == other and term_sign == -other_sign:
            return COPY if rest_sign > 0 else NEGATE, rest
    return None


def _list_terms(
    operation: Operation, operands: tuple[int, ...]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return sign (1 or -1) and position of both terms of a sum or difference."""
    left, right = operands
    return (1, left), (1 if operation is ADD else -1, right)


def collect_terms(program: Program) -> Program:
    """Add up the numbers in each sum, merge like terms, and drop terms that cancel each other.

    A partial sum with other uses is expanded if enough of its terms cancel to save operations.

        a = 0.82 + (x - 0.43)        ->  a = 0.39 + x
        b = (x + y) - (z + x)        ->  b = y - z
        c = x*(y*z) - (x*y)*z        ->  c = 0
        d = (3*x + y) - x            ->  d = 2*x + y
        r = x + y;  e = r + z - x    ->  r = x + y;  e = y + z
    """
    sums = SumsOfProducts(program)
    near_one = {place for place, number in sums.constants.items() if _is_near_one(number)}
    for position in list(sums.sums):
        if position in sums.sums:  # it may have lost its last use by now
            terms = _expand_partial_sums(sums, sums.sums[position])
            if has_like_terms := _has_like_terms(sums, terms):
                terms = _drop_opposites(sums, terms)
            _replace_terms(sums, position, terms)
            # Numbers are changed after expansion, when all uses of their products are counted.
            split = _split_near_multiples(sums, terms, near_one)
            if has_like_terms or split is not terms:
                split = _merge_multiples(sums, split)
            _replace_terms(sums, position, _add_numbers(sums, split))
    return sums.rebuild()


def _replace_terms(sums: SumsOfProducts, position: int, terms: tuple[Term, ...]) -> None:
    """Give the sum at a position these terms, unless it has them."""
    if terms != sums.sums[position]:
        sums.change_sum(position, terms)


def _has_like_terms(sums: SumsOfProducts, terms: tuple[Term, ...]) -> bool:
    """Return whether terms may be like terms, such as 2*x*y and 3*y*x, or a term is zero.

    Products are compared as number and factors, in any order of multiplication. Mostly no two terms
    of a sum have equal factors.
    """
    different = set()
    for _, value in terms:
        number, factors = sums.expand_monomial(value)
        if number is ONE or number:
            different.add(factors)
    return len(different) < len(terms)


def _expand_partial_sums(sums: SumsOfProducts, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Replace partial sums by their terms where this saves operations; return the terms."""
    for place, (negative, value) in enumerate(terms):
        partial_sum = sums.sums.get(value)
        if partial_sum:
            inner = tuple([(negative != subtracted, term) for subtracted, term in partial_sum])
            written_out = terms[:place] + inner + terms[place + 1 :]
            # The sum itself stays for its other uses: expanding it pays only if terms disappear.
            may_shrink = _has_like_terms(sums, written_out)
            if may_shrink and len(_drop_opposites(sums, written_out)) < len(terms):
                return _expand_partial_sums(sums, written_out)
    return terms


def _drop_opposites(sums: SumsOfProducts, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Return the terms of a sum without pairs of terms that cancel, such as 2*x*y and -2*y*x."""
    monomials = [sums.expand_monomial(value) for _, value in terms]
    left: list[tuple[Term, tuple[bool, Exact, tuple[int, ...]]]] = []
    for (negative, value), (number, factors) in zip(terms, monomials, strict=True):
        subtracted = negative != number.has_minus
        opposite = not subtracted, number.unsigned, factors
        place = next(
            (place for place, (_, monomial) in enumerate(left) if monomial == opposite), None
        )
        if place is None:
            left.append(((negative, value), (subtracted, number.unsigned, factors)))
        else:
            left.pop(place)
    # x + x - 2*x has no opposite pair, but the numbers of the factor x add up to zero.
    totals: dict[tuple[int, ...], Exact] = {}
    for _, (subtracted, number, factors) in left:
        signed = -number if subtracted else number
        totals[factors] = totals[factors] + signed if factors in totals else signed
    return tuple(term for term, (_, _, factors) in left if totals[factors])


def _split_near_multiples(
    sums: SumsOfProducts, terms: tuple[Term, ...], near_one: set[int]
) -> tuple[Term, ...]:
    """Return the terms of a sum without the loss of digits in 0.99*s - x, where s = x + y.

    The terms become y - 0.01*s, with as many operations. Such terms occur where a motor has far
    more inertia than the bodies that it moves. `near_one` are the positions of constants near one.
    """
    for place, (negative, value) in enumerate(terms):
        if near_one.isdisjoint(sums.products.get(value, ())):
            continue
        number, factors = _split_number(sums, value)
        if len(factors) != 1 or number == ONE or len(sums.sums.get(factors[0], ())) != 2:
            continue
        first, second = ((negative != inner, part) for inner, part in sums.sums[factors[0]])
        for (sign, x), y in ((first, second), (second, first)):
            if (not sign, x) in terms:
                rest = number - ONE
                multiple = negative != rest.has_minus, _scale(sums, rest.unsigned, factors)
                replaced = {place: multiple, terms.index((not sign, x)): y}
                return tuple(replaced.get(each, term) for each, term in enumerate(terms))
    return terms


def _is_near_one(number: Exact) -> bool:
    """Return whether a number differs from one by less than one half, but is not one."""
    return number.is_known and number != ONE and _HALF < number < _HALF * 3


def _merge_multiples(sums: SumsOfProducts, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Return the terms of a sum, with multiples of one value merged where this saves an addition.

    For example, 3*x - x becomes 2*x. The number of one of the terms is changed, so its product must
    have no other use. The accuracy gains as well: where x is large, 1.01*x - x loses digits.
    """
    monomials = [sums.expand_monomial(value) for _, value in terms]
    totals: dict[tuple[int, ...], Exact] = {}
    places: dict[tuple[int, ...], list[int]] = {}
    for place, ((negative, _), (number, factors)) in enumerate(zip(terms, monomials, strict=True)):
        totals[factors] = totals.get(factors, ZERO) + (-number if negative else number)
        places.setdefault(factors, []).append(place)
    merged: dict[int, Term | None] = {}
    for factors, like in places.items():
        for place in like if len(like) > 1 and factors else ():
            number, others = _split_number(sums, terms[place][1])
            # The other factors may be products with other uses, which contain numbers.
            if number != ONE and all(sums.expand_monomial(each)[0] == ONE for each in others):
                merged |= dict.fromkeys(like)
                product = _scale(sums, totals[factors].unsigned, others)
                merged[place] = totals[factors].has_minus, product
                break
    after = (merged.get(place, term) for place, term in enumerate(terms))
    return tuple(term for term in after if term is not None)


def _split_number(sums: SumsOfProducts, value: int) -> tuple[Exact, tuple[int, ...]]:
    """Return the constant factor of a product without other uses, and the other factors.

    For any other value the factor is one, and the value itself is the only other factor.
    """
    factors = sums.find_own_factors(value)
    constants = [factor for factor in factors if factor in sums.constants]
    if len(factors) < 2 or len(constants) != 1:
        return ONE, (value,)
    return sums.constants[constants[0]], remove_factor(factors, constants[0])


def _scale(sums: SumsOfProducts, number: Exact, factors: tuple[int, ...]) -> int:
    """Return the position of the product of a number and other factors, which is added if new."""
    return sums.add_product(
        factors if number == ONE else tuple(sorted((sums.add_constant(number), *factors)))
    )


def _add_numbers(sums: SumsOfProducts, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Return the terms of a sum, with one number in place of all numbers among them."""
    places = [place for place, (_, value) in enumerate(terms) if value in sums.constants]
    if len(places) < 2:
        return terms
    numbers = (
        -sums.constants[value] if negative else sums.constants[value]
        for negative, value in map(terms.__getitem__, places)
    )
    total = sum(numbers, start=ZERO)
    collected = ((total.has_minus, sums.add_constant(total.unsigned)),) if total else ()
    # The sum of the numbers stands where the first number stood, so that terms keep their order.
    first, *others = places
    rest = tuple(term for place, term in enumerate(terms) if place > first and place not in others)
    return terms[:first] + collected + rest


_Product = tuple[bool, tuple[int, ...]]
"""Type of a term of a sum: whether it is subtracted, and its factors in ascending order."""


def factor_sums(program: Program) -> Program:
    """Take common factors out of sums.

    The factor that most terms of a sum share is taken out first, as in a multivariate Horner
    scheme. Every term with the factor, except one, saves a multiplication.

    The pass requires propagated signs, so that constants of equal magnitude are one value of the
    program.

        a = k*x - k*y                ->  a = k*(x - y)
        b = x*y + x*z + u            ->  b = x*(y + z) + u
        c = k*l*x + k*l*y + k*z      ->  c = k*(l*(x + y) + z)
    """
    sums = SumsOfProducts(program)
    for position, terms in list(sums.sums.items()):
        products = [(negative, sums.find_own_factors(value)) for negative, value in terms]
        # A factor is common only to two products; most sums have fewer.
        if sum([len(factors) > 1 for _, factors in products]) < 2:
            continue
        factored = _factor(sums, products)
        if len(factored) < len(products):
            sums.change_sum(
                position,
                tuple((negative, sums.add_product(factors)) for negative, factors in factored),
            )
    return sums.rebuild()


def _factor(sums: SumsOfProducts, products: list[_Product]) -> list[_Product]:
    """Take common factors out of the products of a sum, the most shared factor first.

    The new sums and products are added to `sums`.
    """
    while True:
        # A factor that occurs twice in one product, as in a square, counts once for that product.
        containing: dict[int, list[int]] = {}
        for index, (_, factors) in enumerate(products):
            if len(factors) > 1:
                for factor in dict.fromkeys(factors):
                    containing.setdefault(factor, []).append(index)
        # Of equally common factors the first in the sum is taken, so that results are reproducible.
        common, places = max(containing.items(), key=_count_places, default=(0, []))
        if len(places) < 2:
            return products
        without_it = [
            (negative, remove_factor(factors, common))
            for negative, factors in map(products.__getitem__, places)
        ]
        # The rest may share further factors, so it is factored before it becomes one value.
        negative, rest = _as_product(sums, _factor(sums, without_it))
        product = negative, tuple(sorted((common, *rest)))
        products = [
            product if place == places[0] else other
            for place, other in enumerate(products)
            if place == places[0] or place not in places
        ]


def _count_places(item: tuple[int, list[int]]) -> int:
    """Return the number of products that contain a factor.

    `item` contains the factor, and the indices of these products.
    """
    return len(item[1])


def _as_product(sums: SumsOfProducts, products: list[_Product]) -> _Product:
    """Return a sum of products as one product: whether it is subtracted, and its factors.

    For several products, the only factor is their sum. If the first product is subtracted, the
    factor is minus the sum, and the result is subtracted: -(a*x) - a*y is -(a*x + a*y).
    """
    if len(products) == 1:
        return products[0]
    # -(a*x) - a*y is -(a*(x + y)): the sign moves outside of the parentheses.
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
    """Replace 2*x by x + x, for cost models in which an addition is cheaper than a multiplication.

    a = 2*x              ->  a = x + x
    b = 3*x              ->  b = 3*x
    """
    return rewrite(program, _double, operations=(MULTIPLY,))


def _double(builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int | None:
    """Return x + x if an instruction is 2*x, else None."""
    if builder.get_constant(operands[0]) == _TWO:
        return builder.emit(ADD, operands[1], operands[1])
    return None


def order_for_fusing(program: Program) -> Program:
    """Order sums such that as many additions as possible fuse with a product.

    A fused multiply-add computes z + x*y in one operation. In a sum of t terms, of which p are
    products, min(p, t - 1) additions fuse if all other terms come first.

        a = (x*y + u*v) + z      one addition fuses
        ->  a = (z + x*y) + u*v  both fuse
    """
    sums, fused = SumsOfProducts(program), set(find_fused_products(program).values())

    def is_product(term: Term) -> bool:
        return len(sums.find_own_factors(term[1])) > 1

    for position, terms in list(sums.sums.items()):
        taken_along = sum(value in fused for _, value in terms)
        # Sums that fuse as much as they can keep their order.
        if taken_along < min(sum(map(is_product, terms)), len(terms) - 1):
            # The first term must be no product; one that is added saves a change of sign.
            first = min(terms, key=lambda term: (term[0], is_product(term)))
            others = list(terms)
            others.remove(first)
            sums.change_sum(position, (first, *sorted(others, key=is_product)))
    return sums.rebuild()
