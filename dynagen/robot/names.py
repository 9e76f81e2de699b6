"""Names in robot descriptions: what may be one, how it reads as an identifier, and what names in a file get wrong."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from dynagen.errors import shown

MAX_NAME = 63
"""Longest identifier that every target language takes (Fortran 2003, section 3.2)."""

MAX_PREFIX = 40
"""Longest name of a robot, and prefix of public names: what follows it has to fit into MAX_NAME."""


def identifier(name: str) -> str:
    """The name as a lower-case identifier: every other run of characters than a-z, 0-9 becomes one underscore."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def name_fault(name: str, longest: int = MAX_NAME) -> str | None:
    """The reason for which this cannot name a robot, link or frame; None if it can."""
    word = identifier(name)
    if not re.match("[a-z]", word):
        return (
            f"a name must start with a letter (a-z), found `{shown(name)}`"
            if name.strip()
            else "a name must not be empty"
        )
    if len(word) > longest:
        return f"a name may have {longest} characters, this one has {len(word)}"
    return None


def name_faults(names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Positions of names in a list that cannot be identifiers, or that another one in it is too, and what is wrong."""
    first: dict[str, str] = {}
    for position, name in enumerate(names):
        word = identifier(name)
        if fault := name_fault(name):
            yield position, fault
        elif word not in first:
            first[word] = name
        elif first[word] == name:
            yield position, f"the name `{shown(name)}` is taken already"
        else:
            yield (
                position,
                f"`{shown(name)}` and `{shown(first[word])}` both become `{word}` in generated code: rename one",
            )


def circles(next_of: Mapping[str, str | None]) -> Iterator[list[str]]:
    """The circles in which names lead back to themselves, each once, as `[a, b, a]`; None is where a path ends."""
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


def control_character(text: str) -> str | None:
    """The first character that a terminal, an editor or a comment in generated code could be misled by."""
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
