"""Recorded values with operators, and formulas in sympy that apply to them.

A formula is traced once per shape of its arguments into operations. sympy sees nothing but the symbols of one step:
expressions stay as small as they are printed, however many bodies there are, and a search that records thousands of programs
does not wait for it. Operators on recorded values are formulas too: `a + b` records one addition for each pair of elements.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, overload

import sympy

from dynagen.dynamics.recording.lowering import lower
from dynagen.ir.program import Argument, Element, Operation, Program
from dynagen.ir.symbols import Name
from dynagen.numbers.exact import Exact

Shape = tuple[int, ...]
Number = Exact | int


@dataclass(frozen=True)
class Trace:
    """A formula as operations on values: the elements of its arguments in order, then its constants, then its results.

    Attributes:
        constants: numbers that it uses.
        operations: each on values before it, given by their positions.
        results: positions of its result, row-major.
        shape: of the result.
    """

    constants: tuple[Exact, ...]
    operations: tuple[tuple[Operation, tuple[int, ...]], ...]
    results: tuple[int, ...]
    shape: Shape


class Formula:
    """A function of sympy scalars, column vectors and matrices that returns one of these; called with recorded values."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = function.__name__
        self.__doc__ = function.__doc__
        self._function = function
        self.traced = cache(self._trace)

    def __call__(self, *arguments: Operand) -> Quantity:
        """Record the formula for these arguments; at least one of them is a recorded value, the others may be numbers."""
        return next(each.recorder for each in arguments if isinstance(each, Quantity)).apply(
            self, *arguments
        )

    def _trace(self, shapes: tuple[Shape, ...]) -> Trace:
        inputs = tuple(Argument(f"x{index}", shape, (), "") for index, shape in enumerate(shapes))
        arguments = [_symbols(argument) for argument in inputs]
        result = self._function(*arguments)
        if isinstance(result, sympy.MatrixBase):
            shape = (result.rows,) if result.cols == 1 else (result.rows, result.cols)
            return _trace_of(lower(self.name, inputs, list(result)), shape)
        return _trace_of(lower(self.name, inputs, [sympy.sympify(result)]), ())


def formula(function: Callable[..., Any]) -> Formula:
    """Decorator: write one step of a recursion with sympy; its docstring cites the equation."""
    return Formula(function)


class FormulaRecorder(Protocol):
    """The recorder that a value belongs to."""

    def constant(self, *numbers: Number) -> Quantity:
        """Return numbers: one is a scalar, several are a vector."""

    def apply(self, formula: Formula, *arguments: Operand) -> Quantity:
        """Record a formula."""

    def name(self, name: Name, quantity: Quantity) -> Quantity:
        """Name values."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """Recorded values: a scalar (), a vector (3,), a symmetric tensor (6,) or a matrix (3, 3), row-major.

    Operators record what they compute: `+` and `-` on equal shapes, `*` of a scalar with any shape, `/` on scalars, `@` of a
    matrix with a vector. The left operand may be an integer, and the right operand of `*` any number; a number comes first in
    the product that is recorded.
    """

    recorder: FormulaRecorder
    shape: Shape
    values: tuple[int, ...]

    @overload
    def __getitem__(self, place: int) -> Quantity: ...
    @overload
    def __getitem__(self, place: slice) -> Quantity: ...
    def __getitem__(self, place: int | slice) -> Quantity:
        """One entry of a vector, or a part of it."""
        if isinstance(place, int):
            return Quantity(self.recorder, (), (self.values[place],))
        part = self.values[place]
        return Quantity(self.recorder, (len(part),), part)

    def __iter__(self) -> Iterator[Quantity]:
        """The entries of a vector, or of a matrix row by row."""
        return (Quantity(self.recorder, (), (value,)) for value in self.values)

    def __add__(self, other: Quantity) -> Quantity:
        return self.recorder.apply(_ADD, self, other)

    def __radd__(self, other: int) -> Quantity:
        return self.recorder.apply(_ADD, other, self)

    def __sub__(self, other: Quantity) -> Quantity:
        return self.recorder.apply(_SUBTRACT, self, other)

    def __neg__(self) -> Quantity:
        return self.recorder.apply(_NEGATE, self)

    def __mul__(self, other: Quantity | Number) -> Quantity:
        factors = (self, other) if isinstance(other, Quantity) else (other, self)
        return self.recorder.apply(_MULTIPLY, *factors)

    def __rmul__(self, other: int) -> Quantity:
        return self.recorder.apply(_MULTIPLY, other, self)

    def __truediv__(self, other: Quantity) -> Quantity:
        return self.recorder.apply(_DIVIDE, self, other)

    def __rtruediv__(self, other: int) -> Quantity:
        return self.recorder.apply(_DIVIDE, other, self)

    def __matmul__(self, other: Quantity) -> Quantity:
        return self.recorder.apply(_MATMUL, self, other)

    def cross(self, other: Quantity) -> Quantity:
        """Record the vector product with another vector."""
        return self.recorder.apply(_CROSS, self, other)

    def name(self, name: Name) -> Quantity:
        """Give the values a name: in `angular_velocity(carried, about_z).name(W(2))` they become w2_x, w2_y and w2_z."""
        return self.recorder.name(name, self)


Operand = Quantity | Number | tuple[Number, ...]
"""A recorded value, or a number or a vector of numbers, which become constants."""


def vector(quantities: Iterable[Quantity]) -> Quantity:
    """The values of several quantities, scalars or vectors, as one vector."""
    quantities = tuple(quantities)
    values = tuple(value for quantity in quantities for value in quantity.values)
    return Quantity(quantities[0].recorder, (len(values),), values)


_ADD = Formula(operator.add)
_SUBTRACT = Formula(operator.sub)
_NEGATE = Formula(operator.neg)
_MULTIPLY = Formula(operator.mul)
_DIVIDE = Formula(operator.truediv)
_MATMUL = Formula(operator.matmul)
_CROSS = Formula(lambda left, right: left.cross(right))


def _trace_of(program: Program, shape: Shape) -> Trace:
    elements = [
        Element(argument.name, index)
        for argument in program.inputs
        for index in range(argument.size)
    ]
    constants = [each.payload for each in program.instructions if isinstance(each.payload, Exact)]
    leaves: list[Element | Exact] = [*elements, *constants]
    places = {leaf: place for place, leaf in enumerate(leaves)}
    operations: list[tuple[Operation, tuple[int, ...]]] = []
    positions: list[int] = []
    for instruction in program.instructions:
        if instruction.payload is None:
            positions.append(len(places) + len(operations))
            operations.append(
                (
                    instruction.operation,
                    tuple(positions[operand] for operand in instruction.operands),
                )
            )
        else:
            positions.append(places[instruction.payload])
    return Trace(
        tuple(constants),
        tuple(operations),
        tuple(positions[value] for value in program.result_values()),
        shape,
    )


def _symbols(argument: Argument) -> Any:
    names = [sympy.Symbol(f"{argument.name}[{index}]") for index in range(argument.size)]
    if not argument.shape:
        return names[0]
    rows, columns = (*argument.shape, 1)[:2]
    return sympy.ImmutableDenseMatrix(rows, columns, names)
