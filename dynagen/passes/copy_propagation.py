"""Copy propagation: whoever uses a copy uses the original."""

from __future__ import annotations

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.program import Instruction, Operation, Program


def propagate_copies(program: Program) -> Program:
    """Remove all copies."""
    return rewrite(program, propagate)


def propagate(builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int | None:
    """The rule for one instruction."""
    return operands[0] if instruction.operation is Operation.COPY else None
