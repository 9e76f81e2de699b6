"""Names of the intermediate form -> names that are free and legal in the target language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dynagen.ir.statements import Assignment, Listing


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
