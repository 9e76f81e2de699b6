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
from typing import Any, NamedTuple

from dynagen.ir.operation import FUNCTIONS, Operation, list_tables
from dynagen.ir.signature import PARAMS, PREPARE, STATUS, VALUES, Argument, Signature
from dynagen.ir.symbols import Symbol
from dynagen.ir.tables import Table
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
    """One element of an argument.

    Attributes:
        argument: name of the argument.
        index: flat row-major index of the element, from 0.
    """

    argument: str
    index: int


class Instruction(NamedTuple):
    """One instruction of a program; it computes one value from values of earlier instructions.

    This class is a named tuple because passes create and compare hundreds of thousands of
    instructions, and a dataclass is several times as slow.

    Attributes:
        operation: the operation, such as ADD or SINE.
        operands: positions of earlier instructions in the program, from 0.
        payload: the number of a CONSTANT, the element of an INPUT, else None.
        name: lower-case name of the value, unique in the program, such as `w2_x` for a component of
            body 2's angular velocity; None for an unnamed part of an expression.
        section: index in `Program.sections` of the title under which the instruction is printed.
    """

    operation: Operation
    operands: tuple[int, ...] = ()
    payload: Exact | Element | None = None
    name: str | None = None
    section: int = 0


_Fields = tuple[Operation, tuple[int, ...], Exact | Element | None, str | None, int]

make_instruction: Callable[[_Fields], Instruction] = partial(tuple.__new__, Instruction)
"""Fast constructor of an instruction from a tuple of its five fields."""


@dataclass(frozen=True)
class Output:
    """An output argument of a program, with its values.

    Attributes:
        argument: name, shape and units of the output.
        values: position of the instruction that computes each element, row-major.
    """

    argument: Argument
    values: tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """A kernel as straight-line arithmetic: each instruction computes one value, once.

    Attributes:
        name: the function that the kernel computes, such as `inverse_dynamics`.
        inputs: input arguments, in the order of the generated function.
        outputs: output arguments in the order of the generated function, with their values; a
            status comes last.
        instructions: instructions in an order in which each operand is computed before its use.
        sections: titles of the groups of instructions, printed as comments.
        symbols: symbols of the values' names, with their meanings; some may be unused.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Output, ...]
    instructions: tuple[Instruction, ...]
    sections: tuple[str, ...] = ("",)
    symbols: tuple[Symbol, ...] = field(default=(), compare=False)

    def __reduce__(self) -> tuple[Callable[..., Program], tuple[Any, ...]]:
        """Return how pickle restores the program: by columns, which takes a third of the time."""
        columns = tuple(zip(*self.instructions, strict=True))
        return _restore_program, (
            self.name,
            self.inputs,
            self.outputs,
            columns,
            self.sections,
            self.symbols,
        )

    @property
    def signature(self) -> Signature:
        """Name, inputs and outputs of the kernel, without its instructions."""
        return Signature(self.name, self.inputs, tuple(output.argument for output in self.outputs))

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """All arguments: inputs, then outputs, which is their order in all languages."""
        return self.signature.arguments

    @property
    def results(self) -> tuple[Output, ...]:
        """The outputs except the status."""
        return tuple(output for output in self.outputs if not output.argument.is_status)

    @property
    def can_fail(self) -> bool:
        """Whether the kernel has a status, because it can fail for some inputs."""
        return self.signature.can_fail

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables that the program looks up, each once, in alphabetical order of their names."""
        operations = {instruction.operation for instruction in self.instructions}
        return list_tables(operations)

    def iterate_result_values(self) -> Iterator[int]:
        """Yield the position of the value of each output element: output by output, row-major."""
        for output in self.outputs:
            yield from output.values

    def count_uses(self) -> Counter[int]:
        """Count how often each value is an operand or an output element.

        Returns:
            Mapping from the position of each used value to the number of its uses.
        """
        operands = chain.from_iterable(map(attrgetter("operands"), self.instructions))
        return Counter(chain(operands, self.iterate_result_values()))


def _restore_program(
    name: str,
    inputs: tuple[Argument, ...],
    outputs: tuple[Output, ...],
    columns: tuple[tuple[Any, ...], ...],
    sections: tuple[str, ...],
    symbols: tuple[Symbol, ...],
) -> Program:
    """Return a program from its attributes, with the fields of all instructions as columns."""
    instructions = tuple(map(make_instruction, zip(*columns, strict=True)))
    return Program(name, inputs, outputs, instructions, sections, symbols)
