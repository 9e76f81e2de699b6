"""Names that are legal in generated code, and text that is safe in its comments.

Names, sources and titles come from the user's description. Text from the description must not end a
comment, continue a line or be read as code; `make_plain_text` makes text safe in every language.
`NameTable` turns names of the program into names that are unique and not reserved in the target
language.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from textwrap import wrap

from dynagen.ir.program import Element
from dynagen.ir.statements import Expression, Listing, list_atoms
from dynagen.robot.names import make_identifier

UNBROKEN = "\N{NO-BREAK SPACE}"
"""Space character at which text is never broken into lines."""

_REPLACEMENTS = str.maketrans(
    {
        "\\": "/",
        '"': "'",
        "`": "'",
        "|": "/",
        "<": "(",
        ">": ")",
        "[": "(",
        "]": ")",
        "{": "(",
        "}": ")",
        "&": "+",
    }
)
# Pairs that open or close C comments, and the trigraphs' two question marks.
_PAIRS = ("*/", "/*", "??")
_LONGEST = 600  # characters; the notes on the formulation of a legged robot have 400


@lru_cache(maxsize=4096)  # names and titles repeat in each kernel
def make_plain_text(text: str) -> str:
    """Turn text into one safe line of printable ASCII with at most 300 characters.

    Accents are dropped; other characters outside ASCII become question marks. Line ends and control
    characters become spaces. Backslashes, quotes, bars, ampersands and square, curly and angle
    brackets are replaced by similar characters. A space separates the characters of `*/`, `/*` and
    `??`.
    """
    # NFKD separates accents from letters; the accents are then dropped.
    decomposed = unicodedata.normalize("NFKD", text)
    letters = "".join(
        _plain_character(character)
        for character in decomposed
        if not unicodedata.combining(character)
    )
    line = " ".join(letters.translate(_REPLACEMENTS).split())
    for pair in _PAIRS:
        # Repeated, because pulling apart `**/` and similar text can leave another pair.
        while pair in line:
            line = line.replace(pair, " ".join(pair))
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."


def wrap_text(text: str, width: int) -> list[str]:
    """Break text at spaces into lines of at most `width` characters.

    A word longer than `width` is on a line of its own.
    """
    lines = wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return [line.replace(UNBROKEN, " ") for line in lines]


def _plain_character(character: str) -> str:
    """Return a printable ASCII character; other characters become spaces or question marks."""
    if " " <= character <= "~":
        return character
    return " " if character.isspace() or unicodedata.category(character).startswith("C") else "?"


def prefix_symbol(prefix: str, function: str) -> str:
    """Return the symbol `<prefix>_<function>`, for languages with a single name space."""
    return f"{prefix}_{function}"


def name_in_module(prefix: str, function: str) -> str:
    """Return `function` unchanged, as the name of a kernel in a module named by the prefix."""
    return function


def name_constant_in_module(prefix: str, parameter: str) -> str:
    """Return `P_<PARAMETER>`, the constant for a run-time parameter's index in a module.

    The prefix is not part of the name, because the prefix is the name of the module.
    """
    return f"P_{make_identifier(parameter)}".upper()


def name_prefixed_constant(prefix: str, parameter: str) -> str:
    """Return `<PREFIX>_P_<PARAMETER>`, the constant for a run-time parameter's array index."""
    return f"{prefix}_P_{make_identifier(parameter)}".upper()


class NameTable:
    """Names that a scope of generated code already uses; upper and lower case count as equal.

    Args:
        reserved: names that must not be used.
    """

    def __init__(self, reserved: Iterable[str]) -> None:
        self._taken = {name.lower() for name in reserved}

    def claim(self, preferred: str) -> str:
        """Reserve and return a name: `preferred`, with underscores appended until it is unused."""
        name = preferred
        # Fortran ignores case.
        while name.lower() in self._taken:
            name += "_"
        self._taken.add(name.lower())
        return name


def iterate_assigned_names(listing: Listing) -> Iterator[str]:
    """Yield the names of the values that statements assign, in the order of the statements."""
    for block in listing.blocks:
        for statement in block.statements:
            yield from statement.assigned


def read_arguments(listing: Listing) -> set[str]:
    """Return the names of the arguments of which statements or results read an element."""
    return {element.argument for element in read_elements(listing)}


def read_elements(listing: Listing) -> set[Element]:
    """Return the argument elements (argument name and index) that statements or results read."""
    expressions: list[Expression] = [
        statement.expression for block in listing.blocks for statement in block.statements
    ]
    expressions += [value for _, values in listing.results for value in values]
    return {
        atom
        for expression in expressions
        for atom in list_atoms(expression)
        if isinstance(atom, Element)
    }
