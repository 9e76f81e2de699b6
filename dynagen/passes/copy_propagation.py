"""Copy propagation: whoever uses a copy uses the original."""

from __future__ import annotations

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.program import Instruction, Operation, Program


def propagate_copies(program: Program) -> Program:
    """Remove all copies."""
    return rewrite(program, propagate)


def propagate(builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int:
    """The rule for one instruction."""
    if instruction.operation is Operation.COPY:
        return operands[0]
    return builder.emit(instruction.operation, *operands)
