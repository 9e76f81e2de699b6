"""Names of the intermediate form -> names that are free and legal in the target language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dynagen.description.names import identifier
from dynagen.ir.program import Element
from dynagen.ir.statements import Apply, Assignment, Expression, Listing


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
            names = (statement.name,) if isinstance(statement, Assignment) else (statement.sine, statement.cosine)
            yield from (name for name in names if name is not None)


def read_arguments(listing: Listing) -> set[str]:
    """Names of the arguments that a listing reads."""
    return {element.argument for element in read_elements(listing)}


def read_elements(listing: Listing) -> set[Element]:
    """The elements of arguments that a listing reads."""
    pending: list[Expression] = [value for _, values in listing.results for value in values]
    for block in listing.blocks:
        for statement in block.statements:
            pending.append(statement.expression if isinstance(statement, Assignment) else statement.angle)
    read = set()
    while pending:
        expression = pending.pop()
        if isinstance(expression, Element):
            read.add(expression)
        elif isinstance(expression, Apply):
            pending.extend(expression.operands)
    return read
