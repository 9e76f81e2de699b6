"""Functions that print text for all languages: lines, literals, subscripts, helper functions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import NamedTuple

from dynagen.ir.operation import list_tables
from dynagen.ir.program import Argument, Operation
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import Real

WIDTH = 100
_TABLE_INDENT = 16


@dataclass(frozen=True)
class Paragraph:
    """Printed statements of one section of code, and the section's title."""

    title: str
    lines: tuple[str, ...]


class Helper(NamedTuple):
    """A small numeric function that generated code defines itself, such as the sign.

    Attributes:
        name: name of the function in generated code.
        parameters: names of the function's arguments.
        value: text in the target language of the expression that the function returns.
    """

    name: str
    parameters: tuple[str, ...]
    value: str


def find_helpers(
    helpers: Mapping[Operation, Helper], operations: Collection[Operation]
) -> list[Helper]:
    """Return the helper functions that code with certain operations must define.

    Args:
        helpers: mapping from an operation that the language lacks to a function for it.
        operations: operations that the code contains.
    """
    return [helper for operation, helper in helpers.items() if operation in operations]


class PrintedTable(NamedTuple):
    """A table of constants, for the jinja2 templates.

    Attributes:
        name: name of the table, and of the function that looks it up.
        meaning: what the entries are, as text of a comment.
        last: index of the last entry, from 0.
        lines: literals of the entries, separated by commas, in lines without indentation.
    """

    name: str
    meaning: str
    last: int
    lines: tuple[str, ...]


def print_tables(
    operations: Iterable[Operation], real: Real, suffix: str = ""
) -> list[PrintedTable]:
    """Return the tables of constants that some operations look up, as text for templates.

    Args:
        operations: operations of a program; all except table lookups are ignored.
        real: number type of the literals.
        suffix: end of each literal, such as `f` for float in C.
    """
    return [
        PrintedTable(
            table.name,
            table.meaning,
            table.last,
            tuple(
                wrap(
                    ", ".join(
                        format_shortest_decimal(entry, real) + suffix for entry in table.entries
                    ),
                    WIDTH - _TABLE_INDENT,
                    break_long_words=False,
                    break_on_hyphens=False,
                )
            ),
        )
        for table in list_tables(operations)
    ]


def list_subscripts(argument: Argument, index: int, first: int = 0) -> list[str]:
    """Return the subscripts of an argument's element as text, one for each axis.

    Args:
        argument: argument with its shape.
        index: row-major index of the element, from 0.
        first: number of the first row and column, 0 or 1.
    """
    found: list[str] = []
    # Row-major: the last subscript varies fastest.
    for extent in reversed(argument.shape):
        index, subscript = divmod(index, extent)
        found.insert(0, str(subscript + first))
    return found


def format_shape(argument: Argument) -> str:
    """Return the shape of an argument as text: `6`, `6, 6` for a matrix, empty for a scalar."""
    return ", ".join(map(str, argument.shape))


def format_shortest_decimal(value: Exact, real: Real) -> str:
    """Return the shortest decimal that is read as `value` rounded to the number type `real`.

    The text always has a point or an exponent.

    Raises:
        UsageError: the value is outside the range of the type.
    """
    return str(real.round(value))


def break_line(text: str, indent: str, width: int = WIDTH) -> list[str]:
    """Break a statement longer than `width` characters into lines, at the outermost operators.

    Continuation lines start with `indent`. A line without a position where it may be broken stays
    longer than `width`.
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
    """Return the positions where a line may be broken, as a mapping to their depths.

    The depth is the number of parentheses around the position. There are four kinds of positions,
    in order of preference: before + and -, after * and /, after the comma of an argument, after an
    opening parenthesis (where the depth is set to 0). Only positions of the first kind that occurs
    between the indices `first` and `last` are returned.
    """
    terms: dict[int, int] = {}
    factors: dict[int, int] = {}
    arguments: dict[int, int] = {}
    openings: dict[int, int] = {}
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
            elif position < last and character == "(":
                openings[position + 1] = (
                    0  # at any depth: the furthest right gives the fewest lines
                )
    # A sum broken before its signs is easiest to read.
    return terms or factors or arguments or openings
