"""Program: a sequence of instructions, each computing one value from earlier ones.

Names that all generated functions share: how run-time parameters come in, and how failure goes out.

Program: a sequence of instructions, each computing one value from earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from dynagen.ir.operation import FUNCTIONS, Operation
from dynagen.ir.symbols import Symbol
from dynagen.numbers.exact import Exact

__all__ = ["FUNCTIONS", "Argument", "Element", "Instruction", "Operation", "Output", "Program"]

PREPARE = "prepare"
"""The function that takes the values of run-time parameters and fills what the kernels take instead of them."""
VALUES = "values"
"""Its input: one number for every parameter."""
PARAMS = "params"
"""Its output, and an input of every kernel: the values, then every product of them that some kernel needs."""
STATUS = "status"
"""The last output of kernels that can fail: a number that is positive if all went well; generated code makes 0 or 1 of it."""


@dataclass(frozen=True)
class Argument:
    """An array that a kernel takes or fills, row-major.

    Attributes:
        units: SI unit of each element, row-major (the joints of one robot may differ).
        meaning: for documentation, as "joint positions".
        columns: names of what the last index counts; empty if there are none.
        vector: name of a vector with one element for each column, if this is a matrix.
        ones: positions of elements that are one where nothing is displaced, and not zero: w of a unit quaternion.
        is_status: whether it says if all went well: a number that is positive then, of which generated code makes 0 or 1. The
            last output of what can fail.
    """

    name: str
    shape: tuple[int, ...]
    units: tuple[str, ...]
    meaning: str
    columns: tuple[str, ...] = field(default=(), compare=False)
    vector: str = field(default="", compare=False)
    is_status: bool = False
    ones: tuple[int, ...] = field(default=(), compare=False)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)


@dataclass(frozen=True)
class Element:
    """One element of an input argument: flat row-major index."""

    argument: str
    index: int


class Instruction(NamedTuple):
    """One value; operands are positions of earlier instructions in the program.

    A named tuple, which is made and compared several times as fast as a dataclass: passes make them by the hundred thousand.

    Attributes:
        payload: the number of a CONSTANT, the element of an INPUT, else None.
        name: name that the recursion gave it (lower case, unique); None for an unnamed part of an expression.
        section: position of its section in the program's list.
    """

    operation: Operation
    operands: tuple[int, ...] = ()
    payload: Exact | Element | None = None
    name: str | None = None
    section: int = 0


@dataclass(frozen=True)
class Output:
    """An output argument and, row-major, the positions of the instructions that compute its elements."""

    argument: Argument
    values: tuple[int, ...]


@dataclass(frozen=True)
class Signature:
    """A kernel's name and arguments, whatever it computes.

    Attributes:
        name: the function that it computes, as `inverse_dynamics`.
        outputs: a status, if there is one, is the last of them.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Inputs, then outputs: the order of all languages."""
        return self.inputs + self.outputs

    @property
    def results(self) -> tuple[Argument, ...]:
        """The outputs but for the status."""
        return tuple(output for output in self.outputs if not output.is_status)

    @property
    def can_fail(self) -> bool:
        """Whether there is a status."""
        return any(output.is_status for output in self.outputs)


@dataclass(frozen=True)
class Program:
    """A kernel in the intermediate form.

    Attributes:
        name: the function it computes, as `inverse_dynamics`.
        sections: titles; an instruction points to one of them. Printed as comments.
        symbols: what the names of its values stand for; some may occur no more.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Output, ...]
    instructions: tuple[Instruction, ...]
    sections: tuple[str, ...] = ("",)
    symbols: tuple[Symbol, ...] = field(default=(), compare=False)

    @property
    def signature(self) -> Signature:
        """Its name and arguments."""
        return Signature(self.name, self.inputs, tuple(output.argument for output in self.outputs))

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Inputs, then outputs."""
        return self.signature.arguments

    @property
    def results(self) -> tuple[Output, ...]:
        """The outputs but for the status."""
        return tuple(output for output in self.outputs if not output.argument.is_status)

    @property
    def can_fail(self) -> bool:
        """Whether there is a status."""
        return self.signature.can_fail

    def result_values(self) -> Iterator[int]:
        """Positions of all outputs' elements, in order."""
        for output in self.outputs:
            yield from output.values
