"""Program: a sequence of instructions, each computing one value from earlier ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from math import prod
from typing import NamedTuple

from dynagen.ir.interface import STATUS
from dynagen.ir.symbols import Symbol
from dynagen.numbers.exact import Exact


class Operation(Enum):
    """What an instruction computes; the value is the word that messages use.

    Attributes:
        operand_count: how many operands an instruction of this kind has.
    """

    operand_count: int

    def __new__(cls, word: str, operand_count: int) -> Operation:
        """A member from its word and number of operands."""
        member = object.__new__(cls)
        member._value_, member.operand_count = word, operand_count
        return member

    CONSTANT = "constant", 0
    INPUT = "input", 0
    COPY = "copy", 1
    NEGATE = "negate", 1
    ADD = "add", 2
    SUBTRACT = "subtract", 2
    MULTIPLY = "multiply", 2
    DIVIDE = "divide", 2
    SQRT = "sqrt", 1
    SINE = "sin", 1
    COSINE = "cos", 1
    ABSOLUTE = "abs", 1
    SIGN = "sign", 1
    HYPERBOLIC_TANGENT = "tanh", 1
    EXPONENTIAL = "exp", 1
    MINIMUM = "min", 2
    MAXIMUM = "max", 2

    __hash__ = object.__hash__  # members are single objects; Enum's own hash is a Python call


FUNCTIONS = (
    Operation.SQRT,
    Operation.ABSOLUTE,
    Operation.SIGN,
    Operation.HYPERBOLIC_TANGENT,
    Operation.EXPONENTIAL,
    Operation.MINIMUM,
    Operation.MAXIMUM,
)
"""Operations that are written as calls. The sign of zero is zero; whatever has an operand that is not a number is none."""


@dataclass(frozen=True)
class Argument:
    """An array that a kernel takes or fills, row-major.

    Attributes:
        units: SI unit of each element, row-major (the joints of one robot may differ).
        meaning: for documentation, as "joint positions".
        columns: names of what the last index counts; empty if there are none.
        vector: name of a vector with one element for each column, if this is a matrix.
    """

    name: str
    shape: tuple[int, ...]
    units: tuple[str, ...]
    meaning: str
    columns: tuple[str, ...] = field(default=(), compare=False)
    vector: str = field(default="", compare=False)

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
    def arguments(self) -> tuple[Argument, ...]:
        """Inputs, then outputs: the order of the kernel's signature."""
        return self.inputs + tuple(output.argument for output in self.outputs)

    @property
    def results(self) -> tuple[Output, ...]:
        """The outputs but for the status."""
        return tuple(output for output in self.outputs if output.argument.name != STATUS)

    @property
    def can_fail(self) -> bool:
        """Whether there is a status."""
        return len(self.results) < len(self.outputs)

    def result_values(self) -> Iterator[int]:
        """Positions of all outputs' elements, in order."""
        for output in self.outputs:
            yield from output.values
