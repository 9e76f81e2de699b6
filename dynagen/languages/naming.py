"""Names of the intermediate form -> names that are free and legal in the target language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dynagen.ir.program import Element
from dynagen.ir.statements import Expression, Listing, atoms
from dynagen.robot.names import identifier


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
