"""Derivatives of recorded values by automatic differentiation, in forward and in reverse mode.

Forward mode propagates tangents: the changes of all values for small changes of some inputs. It
costs a small multiple of the program for each direction. Reverse mode propagates adjoints from the
results to the inputs: the derivatives of one weighted sum of results by all values. It costs a
small multiple of the program, however many inputs there are (A. Griewank, A. Walther, "Evaluating
Derivatives", 2nd edition, 2008, sections 3.1 and 3.2).

    y = x0 * sin(x1)     forward:  y_dot = sin(x1) * x0_dot + x0 * (cos(x1) * x1_dot)
                         reverse:  x0_bar = sin(x1) * y_bar,  x1_bar = cos(x1) * (x0 * y_bar)

The components of a rotated vector are differentiated by the angle as a whole. In

    u = c * x + s * y
    v = c * y - s * x

the derivatives by the angle are du = v and dv = -u, which are known values. So the adjoint of the
angle is v u_bar - u v_bar: two products instead of the four of the adjoints of c and s.

Both modes append operations to the builder of the values. Passes remove repeated operations later.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dynagen.errors import InvalidProgramError
from dynagen.ir.builder import Builder
from dynagen.ir.program import Instruction, Operation
from dynagen.numbers.exact import ONE

Change = Callable[[int], int]
"""Appends the product of a partial derivative and a change; returns its position."""


def append_tangents(
    builder: Builder,
    results: Sequence[int],
    seeds: Mapping[int, int],
    fixed: Collection[int] = (),
) -> list[int]:
    """Append the tangents of some values.

    Args:
        builder: contains the values.
        results: positions of the values.
        seeds: position of the tangent of each variable that changes. A variable is an input
            element or a computed value, which then counts as one.
        fixed: positions of values that count as independent of the variables.

    Returns:
        Positions of the tangents of the results.

    Raises:
        InvalidProgramError: a value has no derivative.
    """
    partials = _Partials(builder, results)
    tangents: dict[int, int] = {}
    for place in partials.places:
        if place in seeds:
            tangents[place] = seeds[place]
            continue
        changing = [operand for operand in partials.list_operands(place) if operand in tangents]
        if changing and place not in fixed:
            changes = partials.list_changes(place)
            tangents[place] = _add(
                builder, [changes[operand](tangents[operand]) for operand in changing]
            )
    return [tangents[value] if value in tangents else builder.add_constant(0) for value in results]


def append_adjoints(
    builder: Builder,
    seeds: Iterable[tuple[int, int]],
    variables: Sequence[int],
    fixed: Iterable[int] = (),
) -> list[int]:
    """Append the adjoints of variables.

    Args:
        builder: contains the values.
        seeds: positions of values, each with the position of its weight.
        variables: positions of input elements, or of computed values that count as such.
        fixed: positions of values that count as independent of the variables.

    Returns:
        Positions of the derivatives of the weighted sum of values by the variables.

    Raises:
        InvalidProgramError: a value has no derivative.
    """
    seeds, ends = list(seeds), set(variables)
    partials = _Partials(builder, [value for value, _ in seeds])
    depends = _find_dependents(builder, partials.places, ends, set(fixed))
    contributions: dict[int, list[int]] = {}
    for value, weight in seeds:
        contributions.setdefault(value, []).append(weight)
    adjoints: dict[int, int] = {}
    for place in reversed(partials.places):
        if place not in contributions or place not in depends:
            continue
        adjoint = _add(builder, contributions[place])
        if place in ends:
            adjoints[place] = adjoint
            continue
        for operand, change in partials.list_changes(place).items():
            if operand in depends:
                contributions.setdefault(operand, []).append(change(adjoint))
    return [adjoints[each] if each in adjoints else builder.add_constant(0) for each in variables]


def _find_dependents(
    builder: Builder, places: Sequence[int], variables: set[int], fixed: set[int]
) -> set[int]:
    """Return the values that depend on some variables otherwise than by fixed values."""
    depends: set[int] = set()
    for place in places:
        operands = builder[place].operands
        if place not in fixed and (place in variables or not depends.isdisjoint(operands)):
            depends.add(place)
    return depends


def _add(builder: Builder, terms: Sequence[int]) -> int:
    """Append the sum of some values."""
    total, *others = terms
    for term in others:
        total = builder.emit(Operation.ADD, total, term)
    return total


class _Partials:
    """Partial derivatives of the values that some results depend on.

    Attributes:
        places: positions of these values, in order.
    """

    def __init__(self, builder: Builder, results: Iterable[int]) -> None:
        self._builder = builder
        self.places = list_needed(builder, results)
        self._rotations = _find_rotations(builder, self.places)

    def list_operands(self, place: int) -> tuple[int, ...]:
        """Return the values by which `list_changes` differentiates, each once."""
        if place in self._rotations:
            each = self._rotations[place]
            return tuple(dict.fromkeys([*(term.other for term, _ in each.terms), each.angle]))
        operation, operands, *_ = self._builder[place]
        if operation is Operation.MULTIPLY:
            # Recorded programs contain products with zero, which do not change.
            numbers = self._builder.get_constants(operands)
            if any(number is not None and not number for number in numbers):
                return ()
        return tuple(dict.fromkeys(operands))

    def list_changes(self, place: int) -> dict[int, Change]:
        """Return for each operand the product of a change with the partial derivative by it."""
        if place in self._rotations:
            pairs = self._list_rotated_changes(self._rotations[place])
        else:
            operation, operands, *_ = self._builder[place]
            changes = _list_changes(self._builder, operation, operands, place)
            pairs = list(zip(operands, changes, strict=True))
        changing = self.list_operands(place)
        combined: dict[int, Change] = {}
        for operand, change in pairs:
            if operand not in changing:
                continue
            # x * x depends on x twice.
            known = combined.get(operand)
            combined[operand] = change if known is None else self._sum(known, change)
        return combined

    def _list_rotated_changes(self, each: _Rotated) -> list[tuple[int, Change]]:
        return [
            *((term.other, self._times(term.factor, minus)) for term, minus in each.terms),
            (each.angle, self._times(each.turned, each.is_opposite)),
        ]

    def _sum(self, left: Change, right: Change) -> Change:
        return lambda change: self._builder.emit(Operation.ADD, left(change), right(change))

    def _times(self, factor: int, opposite: bool) -> Change:
        def change_by(change: int) -> int:
            product = _multiply(self._builder, factor, change)
            return self._builder.emit(Operation.NEGATE, product) if opposite else product

        return change_by


def list_needed(builder: Builder, results: Iterable[int]) -> list[int]:
    """Return the positions of all values that some results depend on, in order.

    A search records thousands of programs with one builder, so other values are left out.
    """
    pending, needed = list(results), set[int]()
    while pending:
        place = pending.pop()
        if place not in needed:
            needed.add(place)
            pending.extend(builder[place].operands)
    return sorted(needed)


@dataclass(frozen=True)
class _Product:
    """A product with the cosine or sine of an angle.

    Attributes:
        angle: position of the angle.
        is_sine: whether it is the sine.
        factor: position of the cosine or sine.
        other: position of the value that is multiplied by it.
    """

    angle: int
    is_sine: bool
    factor: int
    other: int


@dataclass(frozen=True)
class _Rotated:
    """A component of a rotated vector, such as c x + s y, with its derivative by the angle.

    Attributes:
        terms: the products, each with whether it is subtracted.
        turned: position of the derivative by the angle.
        is_opposite: whether that value is the derivative with the other sign.
    """

    terms: tuple[tuple[_Product, bool], ...]
    turned: int
    is_opposite: bool

    @property
    def angle(self) -> int:
        """Position of the angle."""
        return self.terms[0][0].angle


def _find_rotations(builder: Builder, places: Sequence[int]) -> dict[int, _Rotated]:
    """Find values such as c x + s y whose derivative by the angle, c y - s x, is a value too.

    A vector with one component before the rotation has the components c x and s x.
    """
    found = {place: terms for place in places if (terms := _read_terms(builder, builder[place]))}
    known = {frozenset(map(_describe_term, terms)): place for place, terms in found.items()}
    rotations = {}
    for place, terms in found.items():
        for is_opposite in (False, True):
            # d(c x) = -s x, and d(s x) = c x.
            turned = frozenset(
                (each.angle, not each.is_sine, each.other, minus ^ (not each.is_sine) ^ is_opposite)
                for each, minus in terms
            )
            if turned in known:
                rotations[place] = _Rotated(terms, known[turned], is_opposite)
                break
    return rotations


def _describe_term(term: tuple[_Product, bool]) -> tuple[int, bool, int, bool]:
    """Return angle, function, other factor and sign of a term."""
    product, minus = term
    return product.angle, product.is_sine, product.other, minus


def _read_terms(builder: Builder, instruction: Instruction) -> tuple[tuple[_Product, bool], ...]:
    """Return the products with cosine and sine of one angle that a value consists of, if it does.

    Each has whether it is subtracted.
    """
    if instruction.operation is Operation.MULTIPLY:
        product = _read_product(builder, instruction)
        return () if product is None else ((product, False),)
    if instruction.operation not in (Operation.ADD, Operation.SUBTRACT):
        return ()
    left, right = (_read_product(builder, builder[operand]) for operand in instruction.operands)
    if left is None or right is None or left.angle != right.angle or left.is_sine == right.is_sine:
        return ()
    return (left, False), (right, instruction.operation is Operation.SUBTRACT)


def _read_product(builder: Builder, instruction: Instruction) -> _Product | None:
    """Return a product with a cosine or sine; None for any other instruction."""
    if instruction.operation is not Operation.MULTIPLY:
        return None
    for factor, other in (instruction.operands, instruction.operands[::-1]):
        operation, operands, *_ = builder[factor]
        if operation in (Operation.COSINE, Operation.SINE):
            return _Product(operands[0], operation is Operation.SINE, factor, other)
    return None


def _multiply(builder: Builder, factor: int, change: int) -> int:
    """Append the product of a factor and a change, unless one of them is 1."""
    numbers = builder.get_constants((factor, change))
    if numbers[0] == ONE:
        return change
    if numbers[1] == ONE:
        return factor
    return builder.emit(Operation.MULTIPLY, factor, change)


def _list_changes(
    builder: Builder, operation: Operation, operands: Sequence[int], value: int
) -> list[Change]:
    """Return for each operand the product of a change with the partial derivative by it.

    Args:
        builder: contains operands and value.
        operation: the operation.
        operands: positions of its operands.
        value: position of its result.

    Raises:
        InvalidProgramError: the operation has no derivative.
    """
    emit, constant = builder.emit, builder.add_constant
    first = operands[0]

    def times(factor: int) -> Change:
        return lambda change: _multiply(builder, factor, change)

    def same(change: int) -> int:
        return change

    def opposite(change: int) -> int:
        return emit(Operation.NEGATE, change)

    def per(divisor: int) -> Change:
        return lambda change: emit(Operation.DIVIDE, change, divisor)

    if operation is Operation.COPY:
        return [same]
    if operation is Operation.NEGATE:
        return [opposite]
    if operation is Operation.ADD:
        return [same, same]
    if operation is Operation.SUBTRACT:
        return [same, opposite]
    if operation is Operation.MULTIPLY:
        return [times(operands[1]), times(first)]
    if operation is Operation.DIVIDE:
        # d(a / b) = (da - (a / b) db) / b
        by_divisor = per(operands[1])
        return [by_divisor, lambda change: opposite(times(value)(by_divisor(change)))]
    if operation is Operation.SQRT:
        return [per(times(value)(constant(2)))]
    if operation is Operation.SINE:
        return [times(emit(Operation.COSINE, first))]
    if operation is Operation.COSINE:
        by_sine = times(emit(Operation.SINE, first))
        return [lambda change: opposite(by_sine(change))]
    if operation is Operation.HYPERBOLIC_TANGENT:
        return [times(emit(Operation.SUBTRACT, constant(1), times(value)(value)))]
    if operation is Operation.EXPONENTIAL:
        return [times(value)]
    if operation is Operation.ABSOLUTE:
        return [times(emit(Operation.SIGN, first))]
    raise InvalidProgramError(f"{operation.value} has no derivative here")
