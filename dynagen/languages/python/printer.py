"""Routine -> Python on numpy arrays: its statements, and how it is called."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from typing import NamedTuple

from dynagen.ir.program import STATUS, Argument, Element, Operation
from dynagen.ir.statements import Store
from dynagen.languages.printing import WIDTH, Printer, break_line, shape_text
from dynagen.languages.routine import Routine
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import Real

_INDENT = "    "
RESERVED = frozenset({*keyword.kwlist, "np", "batch"})
"""Names that nothing else may have."""
_FUNCTIONS = {
    Operation.SINE: "np.sin",
    Operation.COSINE: "np.cos",
    Operation.SQRT: "np.sqrt",
    Operation.ABSOLUTE: "np.abs",
    Operation.SIGN: "np.sign",
    Operation.HYPERBOLIC_TANGENT: "np.tanh",
    Operation.EXPONENTIAL: "np.exp",
    Operation.MINIMUM: "np.minimum",
    Operation.MAXIMUM: "np.maximum",
}
# No module of this name could be imported, or it would hide one that it imports.
WORDS = {
    "Python": frozenset({*(word.lower() for word in keyword.kwlist), "math", "np", "numpy", "sys"})
}


class Array(NamedTuple):
    """An argument: its legal name, and its shape as text."""

    name: str
    shape: str


class PythonPrinter(Printer):
    """Prints a kernel as Python on numpy arrays; inputs come with their elements, flat, along the first axis.

    Names that it must leave to others are `taken`.
    """

    def __init__(self, routine: Routine, real: Real, *taken: str) -> None:
        super().__init__(routine, real, RESERVED.union(taken))

    def literal(self, value: Exact) -> str:
        """The shortest decimal of the routine's type."""
        return self.decimal(value)

    def element(self, element: Element) -> str:
        """An element, which is an array of states, of an argument that has its elements along the first axis."""
        return f"{self.names[element.argument]}[{element.index}]"

    def function(self, operation: Operation) -> str:
        """A function of numpy."""
        return _FUNCTIONS[operation]

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """An assignment, in parentheses where it is continued."""
        line = f"{_INDENT}{name} = {expression}"
        if len(line) > WIDTH:
            yield from break_line(f"{_INDENT}{name} = ({expression})", 2 * _INDENT)
        else:
            yield line

    def store(self, store: Store) -> Iterator[str]:
        """An assignment to an element of a result, of all states."""
        place = (
            f"{self.names[store.place.argument]}[..., {', '.join(self.subscripts(store.place, 0))}]"
        )
        yield from self.assign(place, self.expression(store.value))

    def statuses(self) -> list[str]:
        """The lines that make an array of what says whether all went well; none if nothing can fail."""
        status, name = self.status(), self.names.get(STATUS)
        if status is None:
            return []
        return [
            f"{_INDENT}{name} = np.empty(batch, int)",
            f"{_INDENT}{name}[...] = np.where({status} > 0, 0, 1)",
        ]

    def array(self, argument: Argument) -> Array:
        """An argument as the template sees it."""
        return Array(self.names[argument.name], shape_text(argument))
