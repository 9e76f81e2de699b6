"""The recorder of a recursion: it applies formulas to recorded values and gives the results names of declared symbols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, reduce

from dynagen.dynamics.recording.formula import Formula, Number, Operand, Quantity, vector
from dynagen.errors import InvalidProgramError
from dynagen.ir.builder import Builder
from dynagen.ir.program import STATUS, Argument, Operation, Output, Program
from dynagen.ir.symbols import SCALAR, Name, Symbol

_STATUS = Argument(
    STATUS,
    (1,),
    ("1",),
    "0: ok; 1: no solution, the mass matrix is not positive definite",
    is_status=True,
)
_LEAST = Symbol("least", "", SCALAR, "least of the pivots of the mass matrix and their reciprocals")


class Recorder:
    """Records a program, one named step after the other."""

    def __init__(
        self, builder: Builder, parameters: Sequence[str] = (), memoises: bool = False
    ) -> None:
        """Start to record.

        Args:
            builder: receives the program; `params` must be among its inputs if there are run-time parameters.
            parameters: names of the run-time parameters, in the order of `params`.
            memoises: apply no formula twice to the same values, as in a `memoised` context.
        """
        self._builder = builder
        self._parameters = tuple(parameters)
        self._names: set[Name] = set()
        self._positive: dict[int, None] = {}
        self._gives_names = True
        self._applied: dict[tuple[Formula, tuple[tuple[int, ...], ...]], Quantity] | None = (
            {} if memoises else None
        )

    @contextmanager
    def memoised(self) -> Iterator[None]:
        """Apply no formula twice to the same values in this context: a recursion reuses what another has recorded.

        A value that cannot have a name is not copied here to have one.
        """
        before = self._applied
        self._applied = {} if before is None else before
        try:
            yield
        finally:
            self._applied = before

    @contextmanager
    def unnamed(self) -> Iterator[None]:
        """Give no names in this context: its values may be recorded under their names before or after it."""
        before, self._gives_names = self._gives_names, False
        try:
            yield
        finally:
            self._gives_names = before

    def section(self, title: str) -> None:
        """Start a section: a comment in generated code."""
        self._builder.begin_section(title)

    def constant(self, *numbers: Number) -> Quantity:
        """Numbers, known or dependent on run-time parameters: one is a scalar, several are a vector."""
        shape = () if len(numbers) == 1 else (len(numbers),)
        return Quantity(self, shape, tuple([self._builder.constant(number) for number in numbers]))

    def constant_matrix(self, rows: Iterable[tuple[Number, ...]]) -> Quantity:
        """Numbers as a matrix, by its rows."""
        quantities = [self.constant(*row) for row in rows]
        return replace(vector(quantities), shape=(len(quantities), *quantities[0].shape))

    def element(self, argument: str, index: int) -> Quantity:
        """An element of an input."""
        return Quantity(self, (), (self._builder.element(argument, index),))

    def sine_cosine(self, angle: Quantity) -> tuple[Quantity, Quantity]:
        """Sine and cosine of a scalar."""
        sine = self._builder.emit(Operation.SINE, angle.values[0])
        return Quantity(self, (), (sine,)), Quantity(
            self, (), (self._builder.emit(Operation.COSINE, angle.values[0]),)
        )

    def apply(self, formula: Formula, *arguments: Operand) -> Quantity:
        """Record a formula's operations on these arguments; numbers among them become constants."""
        quantities = [
            each if isinstance(each, Quantity) else self._constant(each) for each in arguments
        ]
        if self._applied is None:
            return self._emit(formula, quantities)
        key = formula, tuple([each.values for each in quantities])
        if key not in self._applied:
            self._applied[key] = self._emit(formula, quantities)
        return self._applied[key]

    def _constant(self, number: Number | tuple[Number, ...]) -> Quantity:
        return self.constant(*number) if isinstance(number, tuple) else self.constant(number)

    def _emit(self, formula: Formula, arguments: Sequence[Quantity]) -> Quantity:
        trace = formula.traced(tuple([argument.shape for argument in arguments]))
        emit = self._builder.emit
        values = [value for argument in arguments for value in argument.values]
        values += map(self._builder.constant, trace.constants)
        for operation, operands in trace.operations:
            values.append(emit(operation, *[values[operand] for operand in operands]))
        return Quantity(self, trace.shape, tuple([values[result] for result in trace.results]))

    def name(self, name: Name, quantity: Quantity) -> Quantity:
        """Give the values of a quantity their names; a value that has a name already, or is known, is copied.

        The first quantity gets the name: functions that are joined may use one name for different values.

        Raises:
            InvalidProgramError: the quantity has not the shape of the symbol, or the symbol's stem belongs to another one.
        """
        if not self._gives_names:
            return quantity
        if quantity.shape != name.symbol.shape:
            raise InvalidProgramError(
                f"{name.text} has the shape {name.symbol.shape}, not {quantity.shape}"
            )
        self._builder.declare(name.symbol)
        if name in self._names:
            return quantity
        self._names.add(name)
        values = []
        for component, value in zip(name.components, quantity.values, strict=True):
            if not self._builder.can_name(value):
                value = self._builder.emit(Operation.COPY, value)
            self._builder.give_name(value, component)
            values.append(value)
        return Quantity(self, quantity.shape, tuple(values)) if self._applied is None else quantity

    def require_positive(self, *numbers: Quantity) -> None:
        """Declare that results need these to be positive; with run-time parameters the program has a status for it."""
        self._positive.update(dict.fromkeys(value for number in numbers for value in number.values))

    def finish(self, outputs: Iterable[tuple[Argument, Iterable[Quantity]]]) -> Program:
        """The recorded program; every output is the concatenation of quantities, and the status comes last."""
        made = [
            Output(argument, tuple(value for quantity in quantities for value in quantity.values))
            for argument, quantities in outputs
        ]
        if self._positive and self._parameters:
            self.section("Status: whether all pivots are positive, and finite")
            least = reduce(partial(self._builder.emit, Operation.MINIMUM), self._positive)
            made.append(Output(_STATUS, Quantity(self, (), (least,)).name(_LEAST()).values))
        return self._builder.finish(made)


class CountingRecorder(Recorder):
    """A recorder without names and sections, for programs that are only counted."""

    def section(self, title: str) -> None:
        """Do nothing."""

    def name(self, name: Name, quantity: Quantity) -> Quantity:
        """Return the quantity without a name."""
        return quantity
