"""Derivatives of recorded values by automatic differentiation, in forward and in reverse mode.

Forward mode propagates tangents: the changes of all values for small changes of some inputs. For
each direction of change, forward mode needs a small multiple of the program's operations. Reverse
mode propagates adjoints, the derivatives of one weighted sum of results by all values, from the
results to the inputs. Reverse mode needs a small multiple of the program's operations for any
number of inputs (Griewank and Walther, "Evaluating Derivatives", 2nd edition, 2008, sections 3.1
and 3.2). In this example, `_dot` marks a tangent and `_bar` an adjoint:

    y = x0 * sin(x1)     forward:  y_dot = sin(x1) * x0_dot + x0 * (cos(x1) * x1_dot)
                         reverse:  x0_bar = sin(x1) * y_bar,  x1_bar = cos(x1) * (x0 * y_bar)

A vector (x, y), rotated by an angle with cosine c and sine s, has the components

    u = c * x + s * y v = c * y - s * x

The derivatives of u and v by the angle are v and -u, which exist already. Therefore the adjoint of
the angle, v * u_bar - u * v_bar, needs only two products.

Both modes append operations to the program builder that contains the values.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dynagen.errors import InvalidProgramError
from dynagen.ir.builder import Builder
from dynagen.ir.program import Instruction, Operation
from dynagen.numbers.exact import ONE

Change = Callable[[int], int]
"""Type of functions that multiply a change (tangent or adjoint) by a partial derivative.

The functions append the product. Argument and result are the positions of the change and of the
product.
"""


def append_tangents(
    builder: Builder,
    results: Sequence[int],
    seeds: Mapping[int, int],
    fixed: Collection[int] = (),
) -> list[int]:
    """Append derivatives of values along a direction (forward mode), and return their positions.

    The tangent of a value is its change, to first order, when the variables change.

    Args:
        builder: contains the values and receives the new operations.
        results: positions of the values to differentiate.
        seeds: mapping from the position of each variable to the position of its change along the
            direction. A variable is an input element or a computed value; computed values are
            treated as independent variables.
        fixed: positions of values that are treated as constants.

    Returns:
        Position of the tangent of each value in `results`, in the same order.

    Raises:
        InvalidProgramError: an operation between variables and results has no derivative, such as a
            minimum.
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
    """Append the derivatives of a weighted sum of values by some variables (reverse mode).

    Args:
        builder: contains the values and receives the new operations.
        seeds: for each term of the sum, the position of the value and the position of its weight.
        variables: positions of the input elements or computed values by which to differentiate;
            computed values are treated as independent variables.
        fixed: positions of values that are treated as constants.

    Returns:
        Position of the derivative by each variable, in the order of `variables`.

    Raises:
        InvalidProgramError: an operation between variables and results has no derivative, such as a
            minimum.
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
    """Return the positions of values that depend on variables, with fixed values held constant.

    `places` are the positions to search, in ascending order. The result includes the variables.
    """
    depends: set[int] = set()
    for place in places:
        operands = builder[place].operands
        if place not in fixed and (place in variables or not depends.isdisjoint(operands)):
            depends.add(place)
    return depends


def _add(builder: Builder, terms: Sequence[int]) -> int:
    """Append the sum of one or more values, from left to right, and return its position."""
    total, *others = terms
    for term in others:
        total = builder.emit(Operation.ADD, total, term)
    return total


class _Partials:
    """Partial derivatives of values by their operands, for all values that some results depend on.

    A component of a rotated vector is differentiated by the angle of the rotation, not by its
    cosine and sine. `places` are the positions of the results and of the values that they depend
    on, increasing.
    """

    def __init__(self, builder: Builder, results: Iterable[int]) -> None:
        self._builder = builder
        self.places = list_needed(builder, results)
        self._rotations = _find_rotations(builder, self.places)

    def list_operands(self, place: int) -> tuple[int, ...]:
        """Return the positions of the values by which the value at `place` is differentiated.

        Each position is returned once. For a component of a rotated vector, these are the vector's
        components and the angle. The result is empty for a product with the constant 0.
        """
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
        """Return, for each operand of a value, a function that multiplies by a partial derivative.

        `place` is the position of the value. The operands, given by their positions, are those of
        `list_operands`. The argument of a function is the position of a tangent or adjoint. The
        function appends the product of this tangent or adjoint and the partial derivative of the
        value by the operand, and returns the position of the product.
        """
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
    """Return the positions, in ascending order, of all values that some results depend on.

    The positions `results` are included.
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
    """The product of a value (`other`) with the cosine or sine (`factor`) of an angle."""

    angle: int
    is_sine: bool
    factor: int
    other: int


@dataclass(frozen=True)
class _Rotated:
    """A component of a rotated vector, such as c*x + s*y, and its derivative by the angle.

    Here c and s are cosine and sine of the angle, x and y the components before the rotation.

    Attributes:
        terms: pairs of a product and whether it is subtracted, for one or two products.
        turned: position of a value that equals the derivative by the angle, or its opposite.
        is_opposite: whether the derivative is the opposite of the value at `turned`.
    """

    terms: tuple[tuple[_Product, bool], ...]
    turned: int
    is_opposite: bool

    @property
    def angle(self) -> int:
        """Position of the instruction that computes the angle of the rotation."""
        return self.terms[0][0].angle


def _find_rotations(builder: Builder, places: Sequence[int]) -> dict[int, _Rotated]:
    """Find values such as c*x + s*y whose derivative by the angle, c*y - s*x, is computed too.

    Here c and s are cosine and sine of an angle, x and y any values. Products c*x and s*x, which
    come from a vector with one component, are found too. The keys of the result are positions.
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
    """Return a tuple by which terms can be compared.

    A term is a product of a value with a cosine or sine. The tuple contains the angle, whether the
    factor is a sine, the other factor, and whether the term is subtracted.
    """
    product, minus = term
    return product.angle, product.is_sine, product.other, minus


def _read_terms(builder: Builder, instruction: Instruction) -> tuple[tuple[_Product, bool], ...]:
    """Return the terms of c*x, s*x, or a sum or difference of two such products.

    Here c and s are cosine and sine of one angle, x is any value. The result has pairs of a product
    and whether it is subtracted; it is empty for an instruction of another form.
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
    """Return an instruction as a product with a cosine or sine; None if it has another form."""
    if instruction.operation is not Operation.MULTIPLY:
        return None
    for factor, other in (instruction.operands, instruction.operands[::-1]):
        operation, operands, *_ = builder[factor]
        if operation in (Operation.COSINE, Operation.SINE):
            return _Product(operands[0], operation is Operation.SINE, factor, other)
    return None


def _multiply(builder: Builder, factor: int, change: int) -> int:
    """Append the product of two values and return its position; a factor 1 appends nothing."""
    numbers = builder.get_constants((factor, change))
    if numbers[0] == ONE:
        return change
    if numbers[1] == ONE:
        return factor
    return builder.emit(Operation.MULTIPLY, factor, change)


def _list_changes(
    builder: Builder, operation: Operation, operands: Sequence[int], value: int
) -> list[Change]:
    """Return for each operand of an operation a function that multiplies by a partial derivative.

    The partial derivative is that of the operation's result by the operand. The functions append
    the product of a tangent or adjoint with this derivative (`Change`). `value` is the position of
    the operation's result, which some derivatives reuse.

    Raises:
        InvalidProgramError: the operation has no derivative here (sign, minimum, maximum).
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
    raise InvalidProgramError(f"no rule to differentiate the operation {operation.value}")
