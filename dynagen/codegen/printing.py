"""Printers of routines, as far as they are the same in all languages.

Routine -> lines of code: everything about printing one that is the same in all languages.

Calls: how a kernel that is made of calls is printed, as far as that is the same in all languages.
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
    """The printed statements of one section."""

    title: str
    lines: tuple[str, ...]


class Helper(NamedTuple):
    """A function of numbers that generated code defines for itself; its value is an expression in the language."""

    name: str
    parameters: tuple[str, ...]
    value: str


def helpers_of(
    helpers: Mapping[Operation, Helper], operations: Collection[Operation]
) -> list[Helper]:
    """Return the helpers that some operations need."""
    return [helper for operation, helper in helpers.items() if operation in operations]


class Printer(ExpressionPrinter):
    """Prints one routine; a language says how it writes atoms, assignments and loops.

    Attributes:
        routine: what is printed.
        signature: its arguments for one state.
        real: type of its numbers.
        listing: its statements.
        arguments: by name.
        names: for every argument and assigned value its legal name in the language.
        table: all names that are taken.
        aliasing: whether an output may be the same array as an input.
        copies: symbols of the copies of inputs that are read after something has been stored.
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
        self.table = NameTable((*reserved, routine.symbol))
        self.copies: dict[Symbol, None] = {}
        self.names = {
            name: self.table.claim(name)
            for name in (*self.arguments, *assigned_names(self.listing))
        }

    @abstractmethod
    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Lines that give a value its name."""

    def assign_sine_cosine(self, angle: str, sine: str | None, cosine: str | None) -> Iterator[str]:
        """Lines that name sine and cosine of an angle, by a call for each; None for the one that is not used."""
        for name, operation in ((sine, Operation.SINE), (cosine, Operation.COSINE)):
            if name:
                call = f"{self.function(operation)}({angle})"
                yield from self.assign(name, f"{self.rounding}({call})" if self.rounding else call)

    def step(self, angles: Sequence[SineCosine]) -> Iterator[str]:
        """Lines that name sines and cosines of at most `AT_ONCE` angles: one by one, where a language has no better way."""
        for each in angles:
            names = (name and self.names[name] for name in (each.sine, each.cosine))
            yield from self.assign_sine_cosine(self.expression(each.angle), *names)

    def found_in(
        self, angles: Sequence[SineCosine], sines: str, cosines: str
    ) -> Iterator[tuple[str, str, int]]:
        """The values that a step computes: legal name, the array that it is in, and its place there, from 0."""
        for place, each in enumerate(angles):
            for name, array in ((each.sine, sines), (each.cosine, cosines)):
                if name is not None:
                    yield self.names[name], array, place

    @abstractmethod
    def store(self, store: Store) -> Iterator[str]:
        """Lines that store a result."""

    @abstractmethod
    def statuses(self) -> list[str]:
        """Lines that say whether all went well; none if nothing can fail."""

    def decimal(self, value: Exact) -> str:
        """A literal without the language's suffix."""
        return shortest_decimal(value, self.real)

    def name(self, name: str) -> str:
        """A value that has been assigned, by its legal name."""
        return self.names[name]

    def paragraphs(self) -> list[Paragraph]:
        """All statements, section by section."""
        return [self.paragraph(block) for block in self.listing.blocks]

    def paragraph(self, block: Block) -> Paragraph:
        """The statements of one section."""
        return Paragraph(plain_text(block.title), tuple(self._lines(block)))

    def whole(self) -> list[Paragraph]:
        """All statements of the routine: results are stored as they are computed, the status comes last."""
        listing = store_early(self.listing, self.copy if self.aliasing else None)
        return [*map(self.paragraph, listing.blocks), Paragraph("Status", tuple(self.statuses()))]

    def stores(self) -> Paragraph:
        """The results, of a routine that stores them at the end, and the status."""
        lines = (line for store in self.listing.stores for line in self.store(store))
        return Paragraph("Results", (*lines, *self.statuses()))

    def status(self) -> str | None:
        """The number that is positive if all went well; None if nothing can fail."""
        for output, values in self.listing.results:
            if output.argument.is_status:
                return self.expression(values[0])
        return None

    def unread_inputs(self) -> list[str]:
        """Legal names of the inputs that this robot's kernel happens not to need."""
        read = read_arguments(self.listing)
        return [
            self.names[argument.name]
            for argument in self.signature.inputs
            if argument.name not in read
        ]

    def copy(self, element: Element) -> str:
        """Name the copy of an input that is read after something has been stored."""
        name, array = f"{element.argument}[{element.index}]", self.names[element.argument]
        self.names[name] = self.table.claim(f"{array}_{element.index}")
        self.copies.setdefault(
            Symbol(f"{array}_", "k", SCALAR, f"{array}[k], read before a result is stored")
        )
        return name

    def subscripts(self, element: Element, first: int) -> list[str]:
        """Subscripts of an element of an argument of any shape, counted from `first`."""
        return subscripts(self.arguments[element.argument], element.index, first)

    def _lines(self, block: Block) -> Iterator[str]:
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
    for extent in reversed(argument.shape):
        index, subscript = divmod(index, extent)
        found.insert(0, str(subscript + first))
    return found


def heading(segmentation: Segmentation, number: int) -> str:
    """The number of a segment of a kernel, from 1, and its sections."""
    titles = [
        plain_text(block.title) for block in segmentation.segments[number - 1].blocks if block.title
    ]
    sections = f"{titles[0]} ... {titles[-1]}" if len(titles) > 1 else "".join(titles)
    return f"Segment {number} of {len(segmentation.segments)}" + (sections and f": {sections}")


def shape_text(argument: Argument) -> str:
    """Shape of an argument, as `6` or `6, 6`."""
    return ", ".join(map(str, argument.shape))


def shortest_decimal(value: Exact, real: Real) -> str:
    """The shortest decimal that reads back as the number of a type nearest to a value, always with a point or an exponent.

    Raises:
        UsageError: the value is beyond the range of the type.
    """
    return str(real.nearest(value))


def break_line(text: str, indent: str, width: int = WIDTH) -> list[str]:
    """Break a statement before operators of the outermost parentheses that fit; continuation lines start with `indent`."""
    lines = []
    while len(text) > width:
        breaks = _breaks(text, len(indent) + 1, width)
        if not breaks:
            break
        position = min(breaks, key=lambda place: (breaks[place], -place))
        lines.append(text[:position].rstrip())
        text = indent + text[position:].lstrip()
    return [*lines, text]


def _breaks(text: str, first: int, last: int) -> dict[int, int]:
    """Places where a line may be broken -> in how many parentheses; between factors or arguments only without terms."""
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
    return terms or factors or arguments


@dataclass(frozen=True)
class Calls:
    """The calls that a kernel is made of.

    Attributes:
        composition: what is made of their results.
        program: what is called; its first output is what it is called for.
    """

    composition: Composition
    program: Program

    @property
    def size(self) -> int:
        """Number of elements of each vector between the calls."""
        return self.program.outputs[0].argument.size

    @property
    def factors(self) -> list[str]:
        """The scalars that are computed before the calls."""
        return [factor.name for factor in self.composition.factors]

    @property
    def vectors(self) -> list[str]:
        """The vectors between the calls, each once: the results of calls, and sums except the outputs."""
        *others, last = self.composition.stages
        return [
            name for stage in others for name in (stage.result, *(each.name for each in stage.sums))
        ] + [last.result]


class CallPrinter(Printer):
    """Prints a routine that is made of calls, and that has no program; a base class beside the printer of a language."""

    def calls(self, calls: Calls, symbol: str) -> list[Paragraph]:
        """Print the statements.

        Args:
            calls: what the routine is made of.
            symbol: of the function that it calls.
        """
        self.names.update(
            (name, self.table.claim(name)) for name in (*calls.factors, *calls.vectors)
        )
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
        """Lines before the first call: the factors are computed."""
        for factor in calls.composition.factors:
            yield from self.assign(
                self.names[factor.name],
                f"{self.literal(factor.number)}*{self.scalar(factor.scalar)}",
            )

    @abstractmethod
    def call(self, symbol: str, taken: Sequence[str], result: str, first: bool) -> Iterator[str]:
        """Lines of a call; all except the first leave the status nonzero if it is."""

    def sums(self, stage: Stage, size: int) -> Iterator[str]:
        """Lines that compute the sums after a call, in a language that adds whole vectors."""
        for each in stage.sums:
            yield from self.assign(self.names[each.name], self.sum_text(each))

    def scalar(self, name: str) -> str:
        """A factor, or an input that is one number."""
        return self.names[name]

    def vector(self, name: str) -> str:
        """A vector, or the element of it that is computed."""
        return self.names[name]

    def sum_text(self, each: Sum) -> str:
        """The value of a sum, as all languages write it: q + sixth*(qd + 2*(v2 + v3) + v4)."""
        first, *others = map(self.vector, each.once)
        if each.twice:
            others.insert(
                0, f"{self.literal(Exact(2))}*({' + '.join(map(self.vector, each.twice))})"
            )
        terms = " + ".join([first, *others])
        return f"{self.vector(each.base)} + {self.scalar(each.factor)}*{f'({terms})' if others else terms}"
