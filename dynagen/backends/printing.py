"""Expressions -> text, once for all languages: precedence, parentheses, long lines.

Text means exactly what the tree means. Parentheses are written where the languages' grouping from the left would regroup
a sum or product, so that the compiled kernel rounds as the intermediate form does; nowhere else, except around a minus sign that follows
an operator, which Fortran forbids.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from math import isfinite
from typing import NamedTuple

from dynagen.backends.comments import plain_text
from dynagen.backends.naming import NameTable, assigned_names, read_arguments
from dynagen.errors import UsageError
from dynagen.exact import Exact
from dynagen.ir.program import Argument, Element, Operation, Program
from dynagen.ir.statements import Assignment, Block, Constant, Expression, Name, SineCosine, statements

WIDTH = 100


class _Binding(IntEnum):
    """How tightly the outermost operator of a text binds."""

    SUM = 1
    PRODUCT = 2
    ATOM = 3


class _Text(NamedTuple):
    """A printed expression; `signed` if it begins with a minus sign."""

    text: str
    binding: _Binding = _Binding.ATOM
    signed: bool = False


_OPERATORS = {
    Operation.ADD: (" + ", _Binding.SUM),
    Operation.SUBTRACT: (" - ", _Binding.SUM),
    Operation.MULTIPLY: ("*", _Binding.PRODUCT),
    Operation.DIVIDE: ("/", _Binding.PRODUCT),
}


@dataclass(frozen=True)
class Paragraph:
    """The printed statements of one section."""

    title: str
    lines: tuple[str, ...]


class Printer(ABC):
    """Prints one kernel; a language says how it writes atoms and assignments.

    Attributes:
        program: the kernel.
        listing: its statements.
        names: for every argument and assigned value its legal name in the language.
    """

    def __init__(self, program: Program, reserved: Iterable[str]) -> None:
        self.program = program
        self.listing = statements(program)
        self._arguments = {argument.name: argument for argument in program.arguments}
        self._table = NameTable(reserved)
        wanted = [*(argument.name for argument in program.arguments), *assigned_names(self.listing)]
        self.names = {name: self._table.claim(name) for name in wanted}

    @abstractmethod
    def literal(self, digits: str) -> str:
        """A number, given as the shortest decimal that reads back equal."""

    @abstractmethod
    def element(self, argument: Argument, index: int) -> str:
        """Element of an argument by its flat row-major index."""

    @abstractmethod
    def square_root(self, operand: str) -> str:
        """A call of the square root."""

    @abstractmethod
    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Lines that give a value its name."""

    @abstractmethod
    def assign_sine_cosine(self, angle: str, sine: str | None, cosine: str | None) -> Iterator[str]:
        """Lines that name sine and cosine of an angle; None for the one that is not used."""

    def paragraphs(self) -> list[Paragraph]:
        """All statements, section by section."""
        return [Paragraph(plain_text(block.title), tuple(self._lines(block))) for block in self.listing.blocks]

    def results(self) -> Iterator[tuple[Argument, int, Constant | Name | Element]]:
        """What to store at the end: output argument, flat row-major index, value."""
        for output, values in self.listing.results:
            for index, value in enumerate(values):
                yield output.argument, index, value

    def unread_inputs(self) -> list[str]:
        """Legal names of the inputs that this robot's kernel happens not to need."""
        read = read_arguments(self.listing)
        return [self.names[argument.name] for argument in self.program.inputs if argument.name not in read]

    def expression(self, expression: Expression) -> str:
        """An expression, without outer parentheses."""
        return self._print(expression).text

    def _lines(self, block: Block) -> Iterator[str]:
        for statement in block.statements:
            match statement:
                case Assignment(name, expression):
                    yield from self.assign(self.names[name], self.expression(expression))
                case SineCosine(angle, sine, cosine):
                    yield from self.assign_sine_cosine(
                        self.expression(angle), sine and self.names[sine], cosine and self.names[cosine]
                    )

    def _print(self, expression: Expression) -> _Text:
        match expression:
            case Constant(value):
                return _Text(self.literal(shortest_decimal(value)), signed=value < 0)
            case Name(name):
                return _Text(self.names[name])
            case Element(argument, index):
                return _Text(self.element(self._arguments[argument], index))
        operands = [self._print(operand) for operand in expression.operands]
        if expression.operation is Operation.SQRT:
            return _Text(self.square_root(operands[0].text))
        if expression.operation is Operation.NEGATE:
            bare = operands[0].binding is _Binding.ATOM and not operands[0].signed
            return _Text(f"-{operands[0].text}" if bare else f"-({operands[0].text})", signed=True)
        symbol, binding = _OPERATORS[expression.operation]
        left, right = operands
        # A minus sign may lead a product: -x*y rounds alike as (-x)*y (C, Python) and -(x*y) (Fortran).
        if left.binding < binding:
            left = _Text(f"({left.text})")
        if right.binding <= binding or right.signed:
            right = _Text(f"({right.text})")
        return _Text(f"{left.text}{symbol}{right.text}", binding, left.signed)


def subscripts(argument: Argument, index: int) -> tuple[int, ...]:
    """Subscripts, from zero, of the element with a flat row-major index."""
    found: list[int] = []
    for extent in reversed(argument.shape):
        index, subscript = divmod(index, extent)
        found.insert(0, subscript)
    return tuple(found)


def shortest_decimal(value: Exact) -> str:
    """The shortest decimal that reads back as the double nearest to a number, always with a point or an exponent.

    Raises:
        UsageError: the number is beyond the range of double precision.
    """
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise UsageError("a constant of this robot is beyond the range of double precision; check the units of its numbers")
    return repr(number)


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
    """Where a line may be broken -> how many parentheses that splits; between factors only if there are no terms."""
    terms: dict[int, int] = {}
    factors: dict[int, int] = {}
    depth = 0
    for position, character in enumerate(text[: last + 1]):
        depth += (character == "(") - (character == ")")
        if first < position <= last:
            if text[position : position + 3] in (" + ", " - "):
                terms[position] = depth
            elif position < last and character in "*/":
                factors[position + 1] = depth
    return terms or factors
