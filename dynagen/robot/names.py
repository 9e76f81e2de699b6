"""Rules for names in robot descriptions, and conversion of names to identifiers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from dynagen.errors import clip

MAX_NAME = 63
"""Largest length of an identifier in all target languages (Fortran 2003, section 3.2)."""

MAX_PREFIX = 40
"""Largest length of a robot's name and of a prefix, so that a suffix fits into MAX_NAME."""


def make_identifier(name: str) -> str:
    """Convert a name to a lower-case identifier.

    Each run of characters outside a-z and 0-9 becomes one underscore, e.g. "Left Arm-2" becomes
    "left_arm_2".
    """
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def find_name_fault(name: str, longest: int = MAX_NAME) -> str | None:
    """Return the reason why a text is not a valid name of a robot, link or frame, or None.

    Args:
        name: text to check.
        longest: largest length of the identifier that `make_identifier` makes from the name.
    """
    word = make_identifier(name)
    if not re.match("[a-z]", word):
        return (
            f"a name must start with a letter (a-z), found `{clip(name)}`"
            if name.strip()
            else "a name must not be empty; write a name that starts with a letter (a-z)"
        )
    if len(word) > longest:
        return f"expected a name of at most {longest} characters, found {len(word)}"
    return None


def find_name_faults(names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield index and fault of each invalid or repeated name.

    A name is repeated if generated code has the same identifier for this name and an earlier name.
    """
    first: dict[str, str] = {}
    for position, name in enumerate(names):
        word = make_identifier(name)
        if fault := find_name_fault(name):
            yield position, fault
        elif word not in first:
            first[word] = name
        elif first[word] == name:
            yield position, f"the name `{clip(name)}` occurs twice: rename one"
        else:
            yield (
                position,
                f"`{clip(name)}` and `{clip(first[word])}` both become `{word}` "
                "in generated code: rename one",
            )


def find_circles(next_of: Mapping[str, str | None]) -> Iterator[list[str]]:
    """Yield each cycle of names once, e.g. `[a, b, a]` if b comes after a, and a after b.

    Args:
        next_of: mapping from each name to the next name, or to None at the end of a path.
    """
    visited: set[str] = set()
    for name in next_of:
        trail: list[str] = []
        following: str | None = name
        while following is not None and following not in visited:
            visited.add(following)
            trail.append(following)
            following = next_of[following]
        if following in trail:
            yield [*trail[trail.index(following) :], following]


def find_control_character(text: str) -> str | None:
    """Return the first character that could mislead a terminal, an editor or a generated comment.

    Such characters are control, format and surrogate characters and separators of lines and
    paragraphs, except tab, line feed and carriage return. The result is None if the text has no
    such character.
    """
    if text.isprintable():
        return None
    return next(
        (
            c
            for c in text
            if c not in "\t\n\r" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        ),
        None,
    )
