"""Addition of programs: the results of another are added to those of a finished one, whose operations stay as they are.

Where the added results are zero, the sums have the bits of the finished program's results. Only equal operations are shared,
which changes no bit; and instead of x + y, which is not x for x = -0 and y = +0, the sum is x - (0 - y): the difference in
brackets is +0 for both zeros (IEEE 754-2019, 6.3), and x - (+0) is x. A compiler has to leave it so, unless it is told not to
care for the sign of zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from dynagen.ir.builder import Builder
from dynagen.ir.program import Argument, Operation, Output, Program
from dynagen.ir.value_numbering import ValueNumberingBuilder
from dynagen.numbers.exact import ZERO
from dynagen.passes.dead_code import remove_dead_code

LOAD = "load_"
"""What the names of the other program's own values start with."""


def add_results(program: Program, other: Program, inputs: Sequence[Argument]) -> Program:
    """Add a program's results to another's.

    Args:
        program: the finished program.
        other: has the same outputs.
        inputs: of the sum; those of both programs are among them.
    """
    builder = ValueNumberingBuilder(program.name, inputs)
    values, others = _append(builder, program), _append(builder, other, LOAD, "Load: ")
    builder.begin_section("Robot and load: x - (0 - y) is x, bit by bit, where y is a zero of either sign")
    outputs = []
    for output, added in zip(program.outputs, other.outputs, strict=True):
        pairs = zip(output.values, added.values, strict=True)
        outputs.append(Output(output.argument, tuple(_sum(builder, values[x], others[y]) for x, y in pairs)))
    return remove_dead_code(builder.finish(outputs))


def _append(builder: Builder, program: Program, prefix: str = "", section: str = "") -> list[int]:
    """Emit the operations that are not there yet; returns where the values of all are."""
    values: list[int] = []
    for instruction in program.instructions:
        builder.begin_section(section + program.sections[instruction.section])
        operands = tuple(values[operand] for operand in instruction.operands)
        value = builder.emit(instruction.operation, *operands) if operands else builder.repeat(instruction, ())
        if instruction.name is not None and builder.can_name(value):
            builder.give_name(value, prefix + instruction.name)
        values.append(value)
    return values


def _sum(builder: Builder, value: int, added: int) -> int:
    if builder.constant_value(added) == ZERO:
        return value
    plus, minus = Operation.ADD, Operation.SUBTRACT
    if builder[added].operation is Operation.NEGATE:
        added, plus, minus = builder[added].operands[0], minus, plus
    if builder.constant_value(value) is not None:
        return builder.emit(plus, value, added)  # a constant is never -0
    return builder.emit(Operation.SUBTRACT, value, builder.emit(minus, builder.constant(ZERO), added))
