"""Common subexpressions: what has been computed before is not computed again (value numbering)."""

from __future__ import annotations

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.program import Instruction, Program
from dynagen.ir.value_numbering import ValueNumberingBuilder


def share_common_subexpressions(program: Program) -> Program:
    """Keep the first of several equal operations. Terms and factors may change places; b - a is the negative of a - b."""
    return rewrite(program, _number, ValueNumberingBuilder)


def _number(builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int:
    return builder.emit(instruction.operation, *operands)
