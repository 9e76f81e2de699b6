"""The critical path: how long a program takes on a machine that never has to wait for anything but operands."""

from __future__ import annotations

from fractions import Fraction

from dynagen.ir.cost import FMA, CostModel
from dynagen.ir.fusion import fused_products
from dynagen.ir.program import Program


def critical_path(program: Program, model: CostModel) -> Fraction:
    """Cost of the longest chain of operations of which each needs the one before.

    Every operation takes the time that it costs. The program's cost divided by this is its parallelism: how many operations
    can be under way at once, on average (J. L. Hennessy, D. A. Patterson, Computer Architecture, section 3.1).
    """
    pairs = fused_products(program) if model.fusing_saves else {}
    taken_along = set(pairs.values())
    ready: list[Fraction] = []
    for position, instruction in enumerate(program.instructions):
        start = max((ready[operand] for operand in instruction.operands), default=Fraction(0))
        takes = Fraction(0) if position in taken_along else model.of(instruction.operation)
        ready.append(start + (model.weights[FMA] if position in pairs else takes))
    return max((ready[value] for value in program.result_values()), default=Fraction(0))
