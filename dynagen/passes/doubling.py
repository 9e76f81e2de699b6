"""Doubling: 2*x is x + x, for targets on which an addition costs less than a multiplication."""

from __future__ import annotations

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.program import Instruction, Operation, Program
from dynagen.numbers.exact import Exact

_TWO = Exact(2)


def add_doubles(program: Program) -> Program:
    """Add a value to itself instead of multiplying it by two."""
    return rewrite(program, _double)


def _double(builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int | None:
    if instruction.operation is Operation.MULTIPLY and builder.constant_value(operands[0]) == _TWO:
        return builder.emit(Operation.ADD, operands[1], operands[1])
    return None
