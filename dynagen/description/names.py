"""Names in robot descriptions: what may be one, and how it reads as an identifier."""

from __future__ import annotations

import re

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
        return f"a name must start with a letter (a-z), found `{shown(name)}`" if name.strip() else "a name must not be empty"
    if len(word) > longest:
        return f"a name may have {longest} characters, this one has {len(word)}"
    return None
