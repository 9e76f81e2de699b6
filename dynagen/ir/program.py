"""Programs: sequences of instructions, each computing one value from earlier ones.

`ir.text` prints programs; `tests/golden/planar3` contains examples. Names and arguments of kernels
are in `ir.signature`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from dynagen.ir.operation import FUNCTIONS, Operation
from dynagen.ir.signature import PARAMS, PREPARE, STATUS, VALUES, Argument, Signature
from dynagen.ir.symbols import Symbol
from dynagen.numbers.exact import Exact

__all__ = [
    "FUNCTIONS",
    "PARAMS",
    "PREPARE",
    "STATUS",
    "VALUES",
    "Argument",
    "Element",
    "Instruction",
    "Operation",
    "Output",
    "Program",
    "Signature",
]


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
class Program:
    """A kernel in the intermediate form.

    Attributes:
        name: the function that it computes, such as `inverse_dynamics`.
        inputs: inputs in order.
        outputs: outputs in order, with the values that they return; a status comes last.
        instructions: instructions in an order in which operands come before their use.
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
