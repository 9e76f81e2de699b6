"""Printing of routines, as far as it is the same in all languages.

`Printer` prints the statements of a program, `CallPrinter` a kernel that consists of calls of
another function.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from dynagen.codegen.naming import NameTable, assigned_names, plain_text, read_arguments
from dynagen.codegen.routine import Routine
from dynagen.codegen.segments import Segmentation, store_early
from dynagen.codegen.trigonometry import AT_ONCE
from dynagen.ir.composition import Composition, Stage, Sum
from dynagen.ir.program import Argument, Element, Operation, Program
from dynagen.ir.statements import Assignment, Block, Listing, SineCosine, Store, statements
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.ir.text import ExpressionPrinter
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import Real

WIDTH = 100


@dataclass(frozen=True)
class Paragraph:
    """Printed statements of one section, under its title."""

    title: str
    lines: tuple[str, ...]


class Helper(NamedTuple):
    """A small numeric function that generated code defines for itself.

    `value` is an expression in the language.
    """

    name: str
    parameters: tuple[str, ...]
    value: str


def helpers_of(
    helpers: Mapping[Operation, Helper], operations: Collection[Operation]
) -> list[Helper]:
    """Return the helpers that a set of operations needs."""
    return [helper for operation, helper in helpers.items() if operation in operations]


class Printer(ExpressionPrinter):
    """Base class of printers, which print one routine.

    A language defines how it writes literals, assignments and loops.

    Attributes:
        routine: routine to print.
        signature: its arguments for one state.
        real: type of its numbers.
        listing: its statements.
        arguments: name -> argument.
        names: name of an argument or assigned value -> legal name in the language.
        table: all names that are in use.
        aliasing: whether an output may be the same array as an input.
        copies: symbols of copies of inputs that are read after a result has been stored.
    """

    aliasing = False

    def __init__(self, routine: Routine, real: Real, reserved: Iterable[str]) -> None:
        self.routine = routine
        self.signature = routine.signature
        self.real = real
        self.listing = (
            statements(routine.program) if routine.program is not None else Listing((), ())
        )
        self.arguments = {argument.name: argument for argument in self.signature.arguments}
        # Arguments claim names first, so that they keep the names of the documentation.
        self.table = NameTable((*reserved, routine.symbol))
        self.copies: dict[Symbol, None] = {}
        self.names = {
            name: self.table.claim(name)
            for name in (*self.arguments, *assigned_names(self.listing))
        }

    @abstractmethod
    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Yield lines that assign an expression to a name."""

    def assign_sine_cosine(self, angle: str, sine: str | None, cosine: str | None) -> Iterator[str]:
        """Yield lines that compute sine and cosine of an angle, with one call for each.

        None stands for the one that is not used.
        """
        for name, operation in ((sine, Operation.SINE), (cosine, Operation.COSINE)):
            if name:
                call = f"{self.function(operation)}({angle})"
                yield from self.assign(name, f"{self.rounding}({call})" if self.rounding else call)

    def step(self, angles: Sequence[SineCosine]) -> Iterator[str]:
        """Yield lines that compute sines and cosines of at most `AT_ONCE` angles.

        By default they are computed one by one.
        """
        for angle in angles:
            names = (name and self.names[name] for name in (angle.sine, angle.cosine))
            yield from self.assign_sine_cosine(self.expression(angle.angle), *names)

    def found_in(
        self, angles: Sequence[SineCosine], sines: str, cosines: str
    ) -> Iterator[tuple[str, str, int]]:
        """Yield the values that a step computes: legal name, array that holds it, index."""
        for place, angle in enumerate(angles):
            for name, array in ((angle.sine, sines), (angle.cosine, cosines)):
                if name is not None:
                    yield self.names[name], array, place

    @abstractmethod
    def store(self, store: Store) -> Iterator[str]:
        """Yield lines that store a result."""

    @abstractmethod
    def statuses(self) -> list[str]:
        """Return lines that compute the status code; empty if the routine cannot fail."""

    def decimal(self, value: Exact) -> str:
        """Return a literal without the suffix of the language."""
        return shortest_decimal(value, self.real)

    def name(self, name: str) -> str:
        """Return the legal name of an assigned value."""
        return self.names[name]

    def paragraphs(self) -> list[Paragraph]:
        """Return all statements, section by section."""
        return [self.paragraph(block) for block in self.listing.blocks]

    def paragraph(self, block: Block) -> Paragraph:
        """Return the statements of one section."""
        return Paragraph(plain_text(block.title), tuple(self._lines(block)))

    def whole(self) -> list[Paragraph]:
        """Return all statements of the routine.

        Results are stored as soon as they are computed; the status comes last.
        """
        # Copies are needed only if an output may be the same array as an input.
        listing = store_early(self.listing, self.copy if self.aliasing else None)
        return [*map(self.paragraph, listing.blocks), Paragraph("Status", tuple(self.statuses()))]

    def stores(self) -> Paragraph:
        """Return the stores of all results and the status, for routines that store at the end."""
        lines = (line for store in self.listing.stores for line in self.store(store))
        return Paragraph("Results", (*lines, *self.statuses()))

    def status(self) -> str | None:
        """Return the number that is positive if results are valid; None if there is no status."""
        for output, values in self.listing.results:
            if output.argument.is_status:
                return self.expression(values[0])
        return None

    def unread_inputs(self) -> list[str]:
        """Return the legal names of inputs that the kernel of this robot does not read."""
        read = read_arguments(self.listing)
        return [
            self.names[argument.name]
            for argument in self.signature.inputs
            if argument.name not in read
        ]

    def copy(self, element: Element) -> str:
        """Name the copy of an input that is read after a result has been stored."""
        name, array = f"{element.argument}[{element.index}]", self.names[element.argument]
        self.names[name] = self.table.claim(f"{array}_{element.index}")
        self.copies.setdefault(
            Symbol(f"{array}_", "k", SCALAR, f"copy of {array}[k] from before results are stored")
        )
        return name

    def subscripts(self, element: Element, first: int) -> list[str]:
        """Return the subscripts of an element of an argument of any shape, counted from `first`."""
        return subscripts(self.arguments[element.argument], element.index, first)

    def _lines(self, block: Block) -> Iterator[str]:
        """Yield the lines of a section; sines and cosines in a row share steps."""
        # Only neighbours are computed together: an angle may depend on an assignment in between.
        for are_angles, run in groupby(block.statements, lambda each: isinstance(each, SineCosine)):
            if are_angles:
                angles = [each for each in run if isinstance(each, SineCosine)]
                for first in range(0, len(angles), AT_ONCE):
                    yield from self.step(angles[first : first + AT_ONCE])
                continue
            for statement in run:
                if isinstance(statement, Assignment):
                    yield from self.assign(
                        self.names[statement.name], self.expression(statement.expression)
                    )
                elif isinstance(statement, Store):
                    yield from self.store(statement)


def subscripts(argument: Argument, index: int, first: int = 0) -> list[str]:
    """Return the subscripts, counted from `first`, of an element with a row-major index."""
    found: list[str] = []
    # Row-major: the last subscript varies fastest.
    for extent in reversed(argument.shape):
        index, subscript = divmod(index, extent)
        found.insert(0, str(subscript + first))
    return found


def heading(segmentation: Segmentation, number: int) -> str:
    """Return the title of segment `number`, counted from 1, with its first and last section."""
    titles = [
        plain_text(block.title) for block in segmentation.segments[number - 1].blocks if block.title
    ]
    sections = f"{titles[0]} ... {titles[-1]}" if len(titles) > 1 else "".join(titles)
    return f"Segment {number} of {len(segmentation.segments)}" + (sections and f": {sections}")


def shape_text(argument: Argument) -> str:
    """Return the shape of an argument as `6` or `6, 6`."""
    return ", ".join(map(str, argument.shape))


def shortest_decimal(value: Exact, real: Real) -> str:
    """Return the shortest decimal that reads back as the nearest number of a type.

    It always has a point or an exponent.

    Raises:
        UsageError: the value is outside the range of the type.
    """
    return str(real.nearest(value))


def break_line(text: str, indent: str, width: int = WIDTH) -> list[str]:
    """Break a statement at operators in the fewest parentheses.

    Continuation lines start with `indent`.
    """
    lines = []
    while len(text) > width:
        # Fewest parentheses first; of equal depth the place furthest right, for the fewest lines.
        breaks = _breaks(text, len(indent) + 1, width)
        if not breaks:
            break
        position = min(breaks, key=lambda place: (breaks[place], -place))
        lines.append(text[:position].rstrip())
        text = indent + text[position:].lstrip()
    return [*lines, text]


def _breaks(text: str, first: int, last: int) -> dict[int, int]:
    """Return places where a line may be broken -> depth of parentheses.

    A line is broken before a sign, after a factor only if there is no sign, and after an argument
    only if there is neither.
    """
    terms: dict[int, int] = {}
    factors: dict[int, int] = {}
    arguments: dict[int, int] = {}
    depth = 0
    for position, character in enumerate(text[: last + 1]):
        depth += (character == "(") - (character == ")")
        if position > first:
            if text[position : position + 3] in (" + ", " - "):
                terms[position] = depth
            elif position < last and character in "*/":
                factors[position + 1] = depth
            elif position < last and character == ",":
                arguments[position + 1] = depth
    # A sum broken before its signs is easiest to read.
    return terms or factors or arguments


@dataclass(frozen=True)
class Calls:
    """Calls that a kernel consists of.

    Attributes:
        composition: sums that combine the results of the calls.
        program: program that is called; its first output is the result of a call.
    """

    composition: Composition
    program: Program

    @property
    def size(self) -> int:
        """Number of elements of the vectors between the calls."""
        return self.program.outputs[0].argument.size

    @property
    def factors(self) -> list[str]:
        """Names of the scalars that are computed before the calls."""
        return [factor.name for factor in self.composition.factors]

    @property
    def vectors(self) -> list[str]:
        """Names of the vectors between the calls: results of calls, and sums except the outputs."""
        *others, last = self.composition.stages
        return [
            name for stage in others for name in (stage.result, *(term.name for term in stage.sums))
        ] + [last.result]


class CallPrinter(Printer):
    """Printer of a routine that consists of calls and has no program.

    It is a second base class next to the language's printer.
    """

    def calls(self, calls: Calls, symbol: str) -> list[Paragraph]:
        """Return the statements of the routine.

        Args:
            calls: calls that the routine consists of.
            symbol: name of the function that it calls.
        """
        self.names.update(
            (name, self.table.claim(name)) for name in (*calls.factors, *calls.vectors)
        )
        # The first paragraph has no title: it belongs to no stage.
        paragraphs = [Paragraph("", tuple(self.before(calls)))]
        stages = calls.composition.stages
        for number, stage in enumerate(stages, start=1):
            taken = [
                self.names[stage.given.get(argument.name, argument.name)]
                for argument in calls.program.inputs
            ]
            lines = (
                *self.call(symbol, taken, self.names[stage.result], number == 1),
                *self.sums(stage, calls.size),
            )
            paragraphs.append(Paragraph(f"Stage {number} of {len(stages)}", lines))
        return paragraphs

    def before(self, calls: Calls) -> Iterator[str]:
        """Yield the lines before the first call, which compute the factors."""
        for factor in calls.composition.factors:
            yield from self.assign(
                self.names[factor.name],
                f"{self.literal(factor.number)}*{self.scalar(factor.scalar)}",
            )

    @abstractmethod
    def call(self, symbol: str, taken: Sequence[str], result: str, first: bool) -> Iterator[str]:
        """Yield the lines of a call.

        All calls except the first keep a nonzero status of an earlier one.
        """

    def sums(self, stage: Stage, size: int) -> Iterator[str]:
        """Yield lines that compute the sums after a call, in a language that adds whole vectors."""
        for term in stage.sums:
            yield from self.assign(self.names[term.name], self.sum_text(term))

    def scalar(self, name: str) -> str:
        """Return a factor, or an input that is one number."""
        return self.names[name]

    def vector(self, name: str) -> str:
        """Return a vector, or its current element in a language with loops."""
        return self.names[name]

    def sum_text(self, each: Sum) -> str:
        """Return the value of a sum, in all languages as q + sixth*(qd + 2*(v2 + v3) + v4)."""
        # Terms with factor 2 come second, as in the classical Runge-Kutta formula.
        first, *others = map(self.vector, each.once)
        if each.twice:
            others.insert(
                0, f"{self.literal(Exact(2))}*({' + '.join(map(self.vector, each.twice))})"
            )
        terms = " + ".join([first, *others])
        factor = self.scalar(each.factor)
        return f"{self.vector(each.base)} + {factor}*{f'({terms})' if others else terms}"
