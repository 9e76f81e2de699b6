"""The recorder of a recursion: it applies formulas to recorded values and gives the results names of declared symbols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce

from dynagen.dynamics.recording.formula import Formula, Shape
from dynagen.errors import InvalidProgramError
from dynagen.ir.builder import Builder
from dynagen.ir.program import STATUS, Argument, Operation, Output, Program
from dynagen.ir.symbols import SCALAR, Name, Symbol
from dynagen.numbers.exact import Exact

_STATUS = Argument(
    STATUS,
    (1,),
    ("1",),
    "0: ok; 1: no solution, the mass matrix is not positive definite",
    is_status=True,
)
_LEAST = Symbol("least", "", SCALAR, "least of the pivots of the mass matrix and their reciprocals")


@dataclass(frozen=True)
class Quantity:
    """Recorded values: a scalar (), a vector (3,), a symmetric tensor (6,) or a matrix (3, 3), row-major."""

    shape: Shape
    values: tuple[int, ...]

    def __getitem__(self, index: int) -> Quantity:
        """One entry of a vector."""
        return Quantity((), (self.values[index],))

    def __iter__(self) -> Iterator[Quantity]:
        """The entries of a vector."""
        return (Quantity((), (value,)) for value in self.values)


class Recorder:
    """Records a program, one named step after the other."""

    def __init__(self, builder: Builder, parameters: Sequence[str] = ()) -> None:
        """Start to record.

        Args:
            builder: receives the program; `params` must be among its inputs if there are run-time parameters.
            parameters: names of the run-time parameters, in the order of `params`.
        """
        self._builder = builder
        self._parameters = tuple(parameters)
        self._names: set[Name] = set()
        self._positive: dict[int, None] = {}

    def section(self, title: str) -> None:
        """Start a section: a comment in generated code."""
        self._builder.begin_section(title)

    def constant(self, *values: Exact | int, shape: Shape | None = None) -> Quantity:
        """Numbers, known or dependent on run-time parameters: one is a scalar, several a vector unless a shape is given."""
        shape = shape if shape is not None else () if len(values) == 1 else (len(values),)
        return Quantity(shape, tuple(self._builder.constant(value) for value in values))

    def element(self, argument: str, index: int) -> Quantity:
        """An element of an input."""
        return Quantity((), (self._builder.element(argument, index),))

    def sine_cosine(self, angle: Quantity) -> tuple[Quantity, Quantity]:
        """Sine and cosine of a scalar."""
        sine = self._builder.emit(Operation.SINE, angle.values[0])
        return Quantity((), (sine,)), Quantity(
            (), (self._builder.emit(Operation.COSINE, angle.values[0]),)
        )

    def apply(self, formula: Formula, *arguments: Quantity) -> Quantity:
        """Record a formula's operations on these arguments."""
        trace = formula.traced(tuple([argument.shape for argument in arguments]))
        emit = self._builder.emit
        values = [value for argument in arguments for value in argument.values]
        values += map(self._builder.constant, trace.constants)
        for operation, operands in trace.operations:
            values.append(emit(operation, *[values[operand] for operand in operands]))
        return Quantity(trace.shape, tuple([values[result] for result in trace.results]))

    def name(self, name: Name, quantity: Quantity) -> Quantity:
        """Give the values of a quantity their names; what has a name already, or is known, is copied.

        The first to ask for a name gets it: functions that are joined may use one for different values.

        Raises:
            InvalidProgramError: the quantity has not the shape of the symbol, or the symbol's stem belongs to another one.
        """
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
        return Quantity(quantity.shape, tuple(values))

    def record(self, name: Name, formula: Formula, *arguments: Quantity) -> Quantity:
        """Apply a formula and name what comes out."""
        return self.name(name, self.apply(formula, *arguments))

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
            made.append(Output(_STATUS, self.name(_LEAST(), Quantity((), (least,))).values))
        return self._builder.finish(made)


class CountingRecorder(Recorder):
    """Records without names, and without sections, what is only counted."""

    def section(self, title: str) -> None:
        """Do nothing: nobody reads these programs."""

    def name(self, name: Name, quantity: Quantity) -> Quantity:
        """Values stay as they are."""
        return quantity
