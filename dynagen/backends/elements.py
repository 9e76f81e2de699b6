"""Names for the elements of arguments that do not count joints, as `state` and `pi`: constants in the generated code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dynagen.backends.comments import plain_text
from dynagen.backends.naming import NameTable
from dynagen.backends.package import Package
from dynagen.ir.program import Argument
from dynagen.robot.names import MAX_NAME, identifier


@dataclass(frozen=True)
class NamedElements:
    """An argument, and a constant for every element.

    Attributes:
        size: constant for the number of elements.
        names: identifiers in order, lower case, unique in the package.
        labels: the elements' own names, as in the manifest.
    """

    argument: str
    meaning: str
    size: str
    names: tuple[str, ...]
    labels: tuple[str, ...]


def named_elements(package: Package) -> tuple[NamedElements, ...]:
    """Every argument with one axis whose elements have names, once."""
    table = NameTable(f"{package.prefix}_{kernel.function}" for kernel in package.kernels)
    found: dict[str, NamedElements] = {}
    for argument in _arguments(package):
        if argument.name not in found:
            stem = f"{package.prefix}_{argument.name}"
            names = tuple(_constant(table, stem, column, number) for number, column in enumerate(argument.columns, 1))
            labels = tuple(map(plain_text, argument.columns))
            size = table.claim(f"{stem}_size")
            found[argument.name] = NamedElements(argument.name, plain_text(argument.meaning), size, names, labels)
    return tuple(found.values())


def _arguments(package: Package) -> Iterator[Argument]:
    for kernel in package.kernels:
        yield from (argument for argument in kernel.program.arguments if argument.columns and len(argument.shape) == 1)


def _constant(table: NameTable, stem: str, column: str, number: int) -> str:
    """The element's name behind the argument's, or its number where that is too long for a name."""
    name = f"{stem}_{identifier(column)}"
    return table.claim(name if len(name) <= MAX_NAME else f"{stem}_{number}")
