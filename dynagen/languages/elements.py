"""Names for what arguments count other than joints: elements of `state`, columns of `Y`; constants in the generated code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dynagen.ir.program import Argument
from dynagen.languages.comments import plain_text
from dynagen.languages.naming import NameTable
from dynagen.languages.package import Package
from dynagen.robot.names import MAX_NAME, identifier


@dataclass(frozen=True)
class NamedElements:
    """A vector, and a constant for every element.

    Attributes:
        vector: its name.
        title: what the elements are, in words.
        size: constant for the number of elements.
        names: identifiers in order, lower case, unique in the package.
        labels: the elements' own names, as in the manifest.
    """

    vector: str
    title: str
    size: str
    names: tuple[str, ...]
    labels: tuple[str, ...]


def named_elements(package: Package) -> tuple[NamedElements, ...]:
    """Every vector whose elements have names, and what the columns of matrices are called after, once."""
    table = NameTable(f"{package.prefix}_{kernel.function}" for kernel in package.kernels)
    found: dict[str, NamedElements] = {}
    for argument in _arguments(package):
        vector = argument.vector or argument.name
        if vector not in found:
            stem = f"{package.prefix}_{vector}"
            names = tuple(
                _constant(table, stem, column, number)
                for number, column in enumerate(argument.columns, 1)
            )
            labels = tuple(map(plain_text, argument.columns))
            size = table.claim(f"{stem}_size")
            counted = "Columns" if argument.vector else "Elements"
            title = f"{counted} of {argument.name}: {plain_text(argument.meaning)}"
            found[vector] = NamedElements(vector, title, size, names, labels)
    return tuple(found.values())


def _arguments(package: Package) -> Iterator[Argument]:
    for kernel in package.kernels:
        yield from (argument for argument in kernel.program.arguments if argument.columns)


def _constant(table: NameTable, stem: str, column: str, number: int) -> str:
    """The element's name behind the argument's, or its number where that is too long for a name."""
    name = f"{stem}_{identifier(column)}"
    return table.claim(name if len(name) <= MAX_NAME else f"{stem}_{number}")
