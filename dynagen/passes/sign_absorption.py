"""Sign absorption: a sign that no addition took is written into a constant factor, where it is free."""

from __future__ import annotations

from collections import Counter

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.program import Instruction, Operation, Program
from dynagen.passes.dead_code import remove_dead_code


def absorb_signs(program: Program) -> Program:
    """Turn -(3*x) into (-3)*x where nobody else needs 3*x. Runs last: sign propagation would undo it."""
    uses = Counter(operand for instruction in program.instructions for operand in instruction.operands)
    uses.update(program.result_values())

    def absorb(builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int | None:
        if instruction.operation is Operation.NEGATE and uses[instruction.operands[0]] == 1:
            product = builder[operands[0]]
            if product.operation is Operation.MULTIPLY and (factor := builder.constant_value(product.operands[0])) is not None:
                return builder.emit(Operation.MULTIPLY, builder.constant(-factor), product.operands[1])
        return None

    return remove_dead_code(rewrite(program, absorb))
