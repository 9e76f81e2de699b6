"""Recording: formulas in sympy, recorded values with operators, and the recorder of a program.

A formula is traced once for each combination of argument shapes: sympy evaluates it on symbols, and
the expression tree is lowered to a list of operations (`traces`). Each call of the formula appends
these operations to the program, without sympy. Therefore a search can record thousands of programs
quickly. Operators on recorded values are formulas too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial, reduce
from typing import Any, Protocol, overload

from dynagen.dynamics.traces import Shape, Trace, find_trace
from dynagen.errors import InvalidProgramError
from dynagen.ir.builder import Builder
from dynagen.ir.operation import make_lookup
from dynagen.ir.program import STATUS, Argument, Operation, Output, Program
from dynagen.ir.symbols import SCALAR, Name, Symbol
from dynagen.ir.tables import Table
from dynagen.numbers.exact import Exact

Number = Exact | int


class Formula:
    """An equation, written as a function of sympy symbols and called with recorded values."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = function.__name__
        self.__doc__ = function.__doc__
        self.traced = cache(partial(find_trace, function))

    def __call__(self, *arguments: Operand) -> Quantity:
        """Record the formula for arguments that are recorded values or numbers; return the result.

        Raises:
            TypeError: no argument is a recorded value.
        """
        for each in arguments:
            if isinstance(each, Quantity):
                return each.recorder.apply(self, *arguments)
        raise TypeError(f"{self.name}: expected at least one recorded value among the arguments")


def formula(function: Callable[..., Any]) -> Formula:
    """Turn a function of sympy symbols into a formula that is called with recorded values.

    The decorator is meant for one step of a recursion. A call of the formula records its operations
    and returns the recorded result.
    """
    return Formula(function)


class FormulaRecorder(Protocol):
    """Interface of the recorder to which a recorded value belongs."""

    def add_constant(self, *numbers: Number) -> Quantity:
        """Return a constant: a scalar from one number, a vector from several numbers."""

    def apply(self, formula: Formula, *arguments: Operand) -> Quantity:
        """Record a formula's operations on arguments; return the result."""

    def look_up(self, table: Table, place: Quantity) -> Quantity:
        """Record a table lookup; the integer part of `place` is the index of the returned entry."""

    def name(self, name: Name, quantity: Quantity) -> Quantity:
        """Give names to the values of a quantity, and return the named quantity."""


# A frozen dataclass would be created more slowly, and a run creates millions of quantities.
@dataclass(slots=True, unsafe_hash=True)
class Quantity:
    """A scalar, vector, tensor or matrix of recorded values.

    Operators record operations: `+` and `-` of equal shapes, `*` of a scalar and any shape, `/` of
    scalars, `@` of a matrix and a vector. The left operand may be an integer, and the right operand
    of `*` any number.

    Attributes:
        recorder: the recorder whose program contains the values.
        shape: () for a scalar, (3,) for a vector, (6,) for a symmetric tensor (xx, yy, zz, xy, xz,
            yz), and (3, 3) for a matrix.
        values: the instructions that compute the elements (row-major), as positions in the program.
    """

    recorder: FormulaRecorder
    shape: Shape
    values: tuple[int, ...]

    @overload
    def __getitem__(self, place: int) -> Quantity: ...
    @overload
    def __getitem__(self, place: slice) -> Quantity: ...
    def __getitem__(self, place: int | slice) -> Quantity:
        """Return an entry of a vector, or a slice as a shorter vector."""
        if isinstance(place, int):
            return Quantity(self.recorder, (), (self.values[place],))
        part = self.values[place]
        return Quantity(self.recorder, (len(part),), part)

    def __iter__(self) -> Iterator[Quantity]:
        """Return the entries of a vector, or of a matrix row by row."""
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
        # A number comes first, as in printed formulas: `x * 2` and `2 * x` have the same trace.
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
        """Record the cross product of this vector with another vector of three entries."""
        return self.recorder.apply(_CROSS, self, other)

    def name(self, name: Name) -> Quantity:
        """Name this quantity's values, and return the named quantity.

        For example, the name `W(2)` names the elements w2_x, w2_y and w2_z.
        """
        return self.recorder.name(name, self)


Operand = Quantity | Number | tuple[Number, ...]
"""An argument of a formula: a recorded value, or numbers, which become constants."""


def join(quantities: Iterable[Quantity]) -> Quantity:
    """Return the values of several scalars and vectors as one vector, in order."""
    quantities = tuple(quantities)
    values = tuple(value for quantity in quantities for value in quantity.values)
    return Quantity(quantities[0].recorder, (len(values),), values)


# Lambdas, because traces are stored by the line of a function's source code.
_ADD = Formula(lambda left, right: left + right)
_SUBTRACT = Formula(lambda left, right: left - right)
_NEGATE = Formula(lambda value: -value)
_MULTIPLY = Formula(lambda left, right: left * right)
_DIVIDE = Formula(lambda left, right: left / right)
_MATMUL = Formula(lambda left, right: left @ right)
_CROSS = Formula(lambda left, right: left.cross(right))


_NUMBER = "number"  # marks a number in a key, as positions of values are integers too
_SINGULAR = "the mass matrix is not positive definite"
_LEAST = Symbol(
    "least", "", SCALAR, "smallest of the pivots of the mass matrix and their reciprocals"
)
_SMALLEST = Symbol("smallest", "", SCALAR, "smallest of the numbers that must be positive")


def _make_status(reasons: Iterable[str]) -> Argument:
    """Return the output argument of the status code, with the possible reasons of a failure."""
    meaning = f"0: ok; 1: no solution, {' or '.join(reasons)}"
    return Argument(STATUS, (1,), ("1",), meaning, is_status=True)


class Recorder:
    """Recorder of a program: appends operations to a builder and gives names to values."""

    def __init__(
        self, builder: Builder, parameters: Sequence[str] = (), memoises: bool = False
    ) -> None:
        """Make a recorder without recorded values.

        Args:
            builder: receives the program; `params` must be among its inputs if there are run-time
                parameters.
            parameters: names of the run-time parameters, in the order of `params`.
            memoises: whether a formula applied again to the same values returns the recorded
                result.
        """
        self.builder = builder
        self._parameters = tuple(parameters)
        self._names: set[Name] = set()
        self._positive: dict[int, str] = {}  # values, with the reason if one is not positive
        self._gives_names = True
        self._applied: dict[tuple[Any, ...], Quantity] | None = {} if memoises else None

    @contextmanager
    def memoise(self) -> Iterator[None]:
        """Reuse the recorded result if a formula is applied again to the same values.

        This context manager lets several recursions share their common values.
        """
        before = self._applied
        self._applied = {} if before is None else before
        try:
            yield
        finally:
            self._applied = before

    @contextmanager
    def suppress_names(self) -> Iterator[None]:
        """Ignore calls of `name` within this context manager."""
        # Contexts may be nested, so the state before is restored.
        before, self._gives_names = self._gives_names, False
        try:
            yield
        finally:
            self._gives_names = before

    def begin_section(self, title: str) -> None:
        """Begin a section of the program for the instructions that follow.

        `title` becomes a comment in generated code.
        """
        self.builder.begin_section(title)

    def add_constant(self, *numbers: Number) -> Quantity:
        """Return a constant: a scalar from one number, a vector from several.

        Numbers may depend on run-time parameters.
        """
        shape = () if len(numbers) == 1 else (len(numbers),)
        return Quantity(self, shape, tuple(map(self.builder.add_constant, numbers)))

    def add_constant_matrix(self, rows: Iterable[tuple[Number, ...]]) -> Quantity:
        """Return a constant matrix of numbers, given as rows."""
        quantities = [self.add_constant(*row) for row in rows]
        return replace(join(quantities), shape=(len(quantities), *quantities[0].shape))

    def add_element(self, argument: str, index: int) -> Quantity:
        """Return element `index` (from 0, row-major) of the input with the name `argument`."""
        return Quantity(self, (), (self.builder.add_element(argument, index),))

    def add_sine_cosine(self, angle: Quantity) -> tuple[Quantity, Quantity]:
        """Record sine and cosine of a scalar angle (rad), and return them in this order."""
        sine = self.builder.emit(Operation.SINE, angle.values[0])
        return Quantity(self, (), (sine,)), Quantity(
            self, (), (self.builder.emit(Operation.COSINE, angle.values[0]),)
        )

    def apply(self, formula: Formula, *arguments: Operand) -> Quantity:
        """Record a formula's operations on arguments, and return the result.

        Numbers among the arguments become constants.
        """
        applied = self._applied
        if applied is not None:
            # A formula is identified by its object: a module defines it once. Most calls have been
            # made before, so that their numbers are looked up as they are.
            given = (
                formula,
                *[
                    each.values if isinstance(each, Quantity) else (_NUMBER, each)
                    for each in arguments
                ],
            )
            if (known := applied.get(given)) is not None:
                return known
        quantities = [
            each if isinstance(each, Quantity) else self._constant(each) for each in arguments
        ]
        if applied is None:
            return self._emit(formula, quantities)
        # A number and a recorded constant are one value.
        key = formula, *[each.values for each in quantities]
        known = applied.get(key) if key != given else None
        if known is None:
            known = applied[key] = self._emit(formula, quantities)
        applied[given] = known
        return known

    def look_up(self, table: Table, place: Quantity) -> Quantity:
        """Record a table lookup and return the entry.

        The integer part of the scalar `place` is the index of the entry, from 0. Indices outside
        the table return the first or the last entry.
        """
        return Quantity(self, (), (self.builder.emit(make_lookup(table), *place.values),))

    def _constant(self, number: Number | tuple[Number, ...]) -> Quantity:
        return self.add_constant(*(number if isinstance(number, tuple) else (number,)))

    def _emit(self, formula: Formula, arguments: Sequence[Quantity]) -> Quantity:
        values = [value for argument in arguments for value in argument.values]
        trace = self.find_trace(formula, tuple([argument.shape for argument in arguments]), values)
        if trace.constants:
            values += map(self.builder.add_constant, trace.constants)
        self.builder.emit_all(trace.operations, values)
        return Quantity(self, trace.shape, tuple([values[result] for result in trace.results]))

    def find_trace(self, formula: Formula, shapes: tuple[Shape, ...], values: list[int]) -> Trace:
        """Return the operations by which a formula is computed for given shapes of arguments.

        Args:
            formula: the formula whose operations are returned.
            shapes: shape of each argument.
            values: positions in the program of the arguments' elements, for recorders that override
                this method.
        """
        # Sympy runs once for each combination of shapes; later calls replay the trace.
        return formula.traced(shapes)

    def name(self, name: Name, quantity: Quantity) -> Quantity:
        """Give names to the values of a quantity, and return the named quantity.

        A value that already has a name, an input or a constant is copied before it is named. A
        second use of a name is ignored, because parts of a fused function may share names.

        Args:
            name: symbol with its index, which determines a name for each element.
            quantity: the quantity, with the shape of the symbol.

        Raises:
            InvalidProgramError: the quantity does not have the shape of the symbol, or another
                symbol uses the same prefix of names.
        """
        if not self._gives_names:
            return quantity
        if quantity.shape != name.symbol.shape:
            raise InvalidProgramError(
                f"expected the shape {name.symbol.shape} for {name.text}, found {quantity.shape}"
            )
        self.builder.declare(name.symbol)
        if name in self._names:
            return quantity
        self._names.add(name)
        values = []
        for component, value in zip(name.components, quantity.values, strict=True):
            # A constant, an input or a value with a name: its copy gets the name.
            if not self.builder.can_name(value):
                value = self.builder.emit(Operation.COPY, value)
            self.builder.give_name(value, component)
            values.append(value)
        # While formulas are memoised, values and not their copies are the keys of later formulas.
        return Quantity(self, quantity.shape, tuple(values)) if self._applied is None else quantity

    def require_positive(self, *numbers: Quantity, unless: str = "") -> None:
        """Make the status code report success only if recorded numbers are positive.

        Args:
            numbers: the recorded numbers.
            unless: why a number may not be positive, for the documentation of the status code.
                Leave this empty for pivots of the mass matrix; they are only checked if the robot
                has run-time parameters, because otherwise they are always positive.
        """
        self._positive.update(
            dict.fromkeys((value for number in numbers for value in number.values), unless)
        )

    def finish(self, outputs: Iterable[tuple[Argument, Iterable[Quantity]]]) -> Program:
        """Return the recorded program.

        Args:
            outputs: each output argument, with the recorded values of its elements in order.

        Returns:
            The program. Its last output is the status code if `require_positive` requires a check.
        """
        made = [
            Output(argument, tuple(value for quantity in quantities for value in quantity.values))
            for argument, quantities in outputs
        ]
        required = {
            value: reason for value, reason in self._positive.items() if reason or self._parameters
        }
        if required:
            reasons = dict.fromkeys(reason or _SINGULAR for reason in required.values())
            symbol = _LEAST if _SINGULAR in reasons and len(reasons) == 1 else _SMALLEST
            self.begin_section("Status: check that all pivots are positive and finite")
            # The reciprocal of an infinite pivot is 0, so one comparison with 0 finds both faults.
            least = reduce(partial(self.builder.emit, Operation.MINIMUM), required)
            status = Quantity(self, (), (least,)).name(symbol())
            made.append(Output(_make_status(reasons), status.values))
        return self.builder.finish(made)


class CountingRecorder(Recorder):
    """A recorder without names and sections, for programs whose operations are only counted."""

    def begin_section(self, title: str) -> None:
        """Ignore a section title, because counted programs have no sections."""

    def name(self, name: Name, quantity: Quantity) -> Quantity:
        """Return the quantity unchanged, because counted programs have no names of values."""
        return quantity
