"""Names and text of a description -> names that are legal and text that is harmless in generated code.

Text from a description -> text that is safe inside a comment or docstring of any language.

Names, sources and titles come from users. Nothing of theirs may end a comment, continue a line, or be read as code.

Names of the intermediate form -> names that are free and legal in the target language.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from textwrap import wrap

from dynagen.ir.program import Element
from dynagen.ir.statements import Expression, Listing, atoms
from dynagen.robot.names import identifier

UNBROKEN = "\N{NO-BREAK SPACE}"
"""A space at which lines are not broken."""

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
_LONGEST = 300


def plain_text(text: str) -> str:
    """Make one line of harmless printable ASCII.

    Accents are dropped, other foreign characters become question marks, line ends and control characters become spaces.
    Backslashes, quotes, brackets that are not round, bars and ampersands give way to look-alikes; `*/` and its kind are pulled
    apart.
    """
    decomposed = unicodedata.normalize("NFKD", text)
    letters = "".join(
        _plain_character(character)
        for character in decomposed
        if not unicodedata.combining(character)
    )
    line = " ".join(letters.translate(_REPLACEMENTS).split())
    for pair in _PAIRS:
        while pair in line:
            line = line.replace(pair, " ".join(pair))
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."


def wrap_text(text: str, width: int) -> list[str]:
    """Lines of at most so many characters, broken at spaces alone; a longer word has a line of its own."""
    lines = wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return [line.replace(UNBROKEN, " ") for line in lines]


def _plain_character(character: str) -> str:
    if " " <= character <= "~":
        return character
    return " " if character.isspace() or unicodedata.category(character).startswith("C") else "?"


def prefixed_symbol(prefix: str, function: str) -> str:
    """`<prefix>_<function>`, where all programs share one space of names."""
    return f"{prefix}_{function}"


def module_symbol(prefix: str, function: str) -> str:
    """The function's own name: its module carries the prefix."""
    return function


def module_constant(prefix: str, parameter: str) -> str:
    """`P_<PARAMETER>`, in a module that carries the prefix."""
    return f"P_{identifier(parameter)}".upper()


class NameTable:
    """The names of one scope; a name that is reserved or taken gets underscores appended, and case never tells two apart."""

    def __init__(self, reserved: Iterable[str]) -> None:
        self._taken = {name.lower() for name in reserved}

    def claim(self, preferred: str) -> str:
        """Take a name, or the nearest free one."""
        name = preferred
        while name.lower() in self._taken:
            name += "_"
        self._taken.add(name.lower())
        return name


def assigned_names(listing: Listing) -> Iterator[str]:
    """The names that a listing assigns, in order."""
    for block in listing.blocks:
        for statement in block.statements:
            yield from statement.assigned


def read_arguments(listing: Listing) -> set[str]:
    """Names of the arguments that a listing reads."""
    return {element.argument for element in read_elements(listing)}


def read_elements(listing: Listing) -> set[Element]:
    """The elements of arguments that a listing reads."""
    expressions: list[Expression] = [
        statement.expression for block in listing.blocks for statement in block.statements
    ]
    expressions += [value for _, values in listing.results for value in values]
    return {
        atom
        for expression in expressions
        for atom in atoms(expression)
        if isinstance(atom, Element)
    }
