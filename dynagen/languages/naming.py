"""Names of the intermediate form -> names that are free and legal in the target language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from dynagen.description.names import MAX_PREFIX, RESERVED_WORDS
from dynagen.errors import UsageError
from dynagen.ir.program import Element
from dynagen.ir.statements import Apply, Assignment, Expression, Listing


def checked_prefix(prefix: str) -> str:
    """A prefix of public names, if every language takes it.

    Raises:
        UsageError: it is no identifier, too long, or a word that a language or a build tool knows.
    """
    fault = ""
    if not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", prefix):
        fault = "it has to be a letter, followed by letters, digits and underscores"
    elif len(prefix) > MAX_PREFIX:
        fault = f"it may have {MAX_PREFIX} characters, this one has {len(prefix)}"
    elif prefix.lower() in RESERVED_WORDS:
        fault = f"{prefix.lower()} is a word of C, C++, Fortran, Python or CMake"
    if fault:
        raise UsageError(f"{prefix!r} cannot be the prefix of public names: {fault}; choose another (--prefix)")
    return prefix


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
            names = (statement.name,) if isinstance(statement, Assignment) else (statement.sine, statement.cosine)
            yield from (name for name in names if name is not None)


def read_arguments(listing: Listing) -> set[str]:
    """Names of the arguments that a listing reads."""
    pending: list[Expression] = [value for _, values in listing.results for value in values]
    for block in listing.blocks:
        for statement in block.statements:
            pending.append(statement.expression if isinstance(statement, Assignment) else statement.angle)
    read = set()
    while pending:
        expression = pending.pop()
        if isinstance(expression, Element):
            read.add(expression.argument)
        elif isinstance(expression, Apply):
            pending.extend(expression.operands)
    return read
