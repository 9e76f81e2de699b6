"""Sign propagation: signs move towards the results until an addition absorbs them.

a + (-b) is a - b, (-a)*b is -(a*b), -(a - b) is b - a where nobody else needs a - b. Negative factors give their sign away, so
that 3*x and (-3)*x become one product. No multiplication or addition is added.
"""

from __future__ import annotations

from collections import Counter

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.program import Instruction, Operation, Program
from dynagen.passes.dead_code import remove_dead_code


def propagate_signs(program: Program) -> Program:
    """Move negations outward."""
    uses = Counter(operand for instruction in program.instructions for operand in instruction.operands)
    uses.update(program.result_values())

    def move(builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int:
        match instruction.operation:
            case Operation.NEGATE:
                return _negate(builder, instruction, operands[0], uses[instruction.operands[0]] == 1)
            case Operation.MULTIPLY | Operation.DIVIDE:
                (x_negative, x), (y_negative, y) = (_signed(builder, operand) for operand in operands)
                value = builder.emit(instruction.operation, x, y)
                return _opposite(builder, instruction, value) if x_negative != y_negative else value
            case Operation.ADD:
                return _add(builder, instruction, _signed(builder, operands[0]), _signed(builder, operands[1]))
            case Operation.SUBTRACT:
                # A negative constant stays where it is: -3 - x costs nothing, -(3 + x) may.
                is_constant = builder.constant_value(operands[0]) is not None
                minuend = (False, operands[0]) if is_constant else _signed(builder, operands[0])
                negative, subtrahend = _signed(builder, operands[1])
                return _add(builder, instruction, minuend, (not negative, subtrahend))
            case Operation.SINE:
                negative, angle = _signed(builder, operands[0])
                value = builder.emit(Operation.SINE, angle)
                return _opposite(builder, instruction, value) if negative else value
            case Operation.COSINE:
                return builder.emit(Operation.COSINE, _signed(builder, operands[0])[1])
            case _:
                return builder.emit(instruction.operation, *operands)

    # A difference whose sign was turned must not stay beside its old form, where it would be found and shared again.
    return remove_dead_code(rewrite(program, move))


def _signed(builder: Builder, position: int) -> tuple[bool, int]:
    """Whether a value is the negative of another, and that other; a negative constant is the negative of a positive one."""
    instruction = builder[position]
    if instruction.operation is Operation.NEGATE:
        return True, instruction.operands[0]
    constant = builder.constant_value(position)
    if constant is not None and constant < 0:
        return True, builder.constant(-constant)
    return False, position


def _add(builder: Builder, instruction: Instruction, x: tuple[bool, int], y: tuple[bool, int]) -> int:
    match x, y:
        case (False, a), (False, b):
            return builder.emit(Operation.ADD, a, b)
        case (False, a), (True, b):
            return builder.emit(Operation.SUBTRACT, a, b)
        case (True, a), (False, b):
            return builder.emit(Operation.SUBTRACT, b, a)
        case (True, a), (True, b):
            return _opposite(builder, instruction, builder.emit(Operation.ADD, a, b))
    raise AssertionError("two signs have four cases")


def _opposite(builder: Builder, instruction: Instruction, value: int) -> int:
    """The negative of what replaces an instruction, which keeps a trace of the name: minus_w2_x is -w2_x."""
    if instruction.name is not None and builder.can_name(value):
        builder.give_name(value, _minus(instruction.name))
    return builder.emit(Operation.NEGATE, value)


def _minus(name: str) -> str:
    return name.removeprefix("minus_") if name.startswith("minus_") else f"minus_{name}"


def _negate(builder: Builder, instruction: Instruction, position: int, only_use: bool) -> int:
    negative, value = _signed(builder, position)
    if negative:
        return value
    operand = builder[position]
    if only_use and operand.operation is Operation.SUBTRACT:
        return builder.emit(Operation.SUBTRACT, *reversed(operand.operands))
    return _opposite(builder, instruction, position)
