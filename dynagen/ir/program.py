"""Programs: sequences of instructions, each computing one value from earlier ones.

`ir.text` prints programs; `tests/golden/planar3` contains examples. This module also defines the
argument names that all generated functions share: names of run-time parameters and of the status.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from math import prod
from operator import attrgetter
from typing import NamedTuple

from dynagen.ir.operation import FUNCTIONS, Operation
from dynagen.ir.symbols import Symbol
from dynagen.numbers.exact import Exact

__all__ = ["FUNCTIONS", "Argument", "Element", "Instruction", "Operation", "Output", "Program"]

PREPARE = "prepare"
"""Function that computes the input `params` of the kernels from values of run-time parameters."""
VALUES = "values"
"""Input of `prepare`: one number for every parameter."""
PARAMS = "params"
"""Output of `prepare` and input of every kernel.

It contains the values, then all products of these values that kernels use.
"""
STATUS = "status"
"""Last output of kernels that can fail: positive on success; generated code turns it into 0 or 1.
"""


@dataclass(frozen=True)
class Argument:
    """Array that a kernel takes or fills, row-major.

    Attributes:
        name: its name, the same in all languages.
        shape: shape of the array; empty for a scalar.
        units: SI unit of each element, row-major (the joints of one robot may differ).
        meaning: text for documentation, such as "joint positions".
        columns: names of the columns; empty if they have no names.
        vector: name of a vector with one element for each column, if this is a matrix.
        ones: positions of elements that are one, not zero, at rest: w of a unit quaternion.
        is_status: whether this is the status, the last output of kernels that can fail: positive on
            success; generated code turns it into 0 or 1.
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
    """One element of an input argument, by its flat row-major index."""

    argument: str
    index: int


class Instruction(NamedTuple):
    """One value; the operands are positions of earlier instructions in the program.

    It is a named tuple because passes create and compare hundreds of thousands of instructions, and
    a dataclass is several times as slow.

    Attributes:
        operation: the operation.
        operands: positions of earlier instructions.
        payload: the number of a CONSTANT, the element of an INPUT, else None.
        name: name from the recursion (lower case, unique); None for an unnamed part of an
            expression.
        section: position of its section in the program's list.
    """

    operation: Operation
    operands: tuple[int, ...] = ()
    payload: Exact | Element | None = None
    name: str | None = None
    section: int = 0


_Fields = tuple[Operation, tuple[int, ...], Exact | Element | None, str | None, int]

make_instruction: Callable[[_Fields], Instruction] = partial(tuple.__new__, Instruction)
"""Return the instruction of five fields, in a third of the time of `Instruction(...)`."""


@dataclass(frozen=True)
class Output:
    """An output argument and the positions of the values of its elements, row-major."""

    argument: Argument
    values: tuple[int, ...]


@dataclass(frozen=True)
class Signature:
    """Name and arguments of a kernel.

    Attributes:
        name: the function that it computes, such as `inverse_dynamics`.
        inputs: in order.
        outputs: in order; a status comes last.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Inputs, then outputs: the order in all languages."""
        return self.inputs + self.outputs

    @property
    def results(self) -> tuple[Argument, ...]:
        """The outputs except the status."""
        return tuple(output for output in self.outputs if not output.is_status)

    @property
    def can_fail(self) -> bool:
        """Whether there is a status."""
        return any(output.is_status for output in self.outputs)


@dataclass(frozen=True)
class Program:
    """A kernel in the intermediate form.

    Attributes:
        name: the function that it computes, such as `inverse_dynamics`.
        inputs: in order.
        outputs: in order, with the values that they return; a status comes last.
        instructions: in an order in which operands come before their use.
        sections: titles, printed as comments; each instruction belongs to one of them.
        symbols: meanings of the names of values; some may not occur any more.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Output, ...]
    instructions: tuple[Instruction, ...]
    sections: tuple[str, ...] = ("",)
    symbols: tuple[Symbol, ...] = field(default=(), compare=False)

    @property
    def signature(self) -> Signature:
        """Name and arguments of the kernel."""
        return Signature(self.name, self.inputs, tuple(output.argument for output in self.outputs))

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Inputs, then outputs."""
        return self.signature.arguments

    @property
    def results(self) -> tuple[Output, ...]:
        """The outputs except the status."""
        return tuple(output for output in self.outputs if not output.argument.is_status)

    @property
    def can_fail(self) -> bool:
        """Whether there is a status."""
        return self.signature.can_fail

    def iterate_result_values(self) -> Iterator[int]:
        """Yield the positions of all outputs' elements, in order."""
        for output in self.outputs:
            yield from output.values

    def count_uses(self) -> Counter[int]:
        """Count how often each value is an operand or a result."""
        operands = chain.from_iterable(map(attrgetter("operands"), self.instructions))
        return Counter(chain(operands, self.iterate_result_values()))
