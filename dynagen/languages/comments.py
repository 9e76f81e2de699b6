"""Text from a description -> text that is safe inside a comment or docstring of any language.

Names, sources and titles come from users. Nothing of theirs may end a comment, continue a line, or be read as code.
"""

from __future__ import annotations

import unicodedata
from textwrap import wrap

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
