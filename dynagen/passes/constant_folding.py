"""Constant folding: what is known now is not computed later.

Multiplications by 0, 1 and -1 and additions of 0 vanish, operations on constants become constants (exactly), and factors are
gathered: 2*(3*x) is 6*x. A division by a constant becomes a multiplication, which costs less on every machine.
"""

from __future__ import annotations

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.program import Instruction, Operation, Program
from dynagen.numbers.angle import Angle
from dynagen.numbers.exact import ONE, ZERO, Exact

_MINUS_ONE = -ONE
_TRIVIAL = (ZERO, ONE, _MINUS_ONE)


def fold_constants(program: Program) -> Program:
    """Fold constants; values that turn out to equal another become copies of it."""
    return rewrite(program, fold)


def fold(builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int | None:
    """The rule for one instruction."""
    operation = instruction.operation
    constants = builder.constant_values(operands)
    known = [constant for constant in constants if constant is not None]
    if not known:
        if operation is Operation.SUBTRACT and operands[0] == operands[1]:
            return builder.constant(ZERO)
        return None
    if len(known) == len(constants) and (folded := _compute(operation, known)) is not None:
        return builder.constant(folded)

    if operation is Operation.ADD and ZERO in constants:
        return builder.emit(Operation.COPY, operands[1 - constants.index(ZERO)])
    if operation is Operation.SUBTRACT:
        if constants[1] == ZERO:
            return builder.emit(Operation.COPY, operands[0])
        if constants[0] == ZERO:
            return builder.emit(Operation.NEGATE, operands[1])
    if operation is Operation.DIVIDE and constants[1]:
        return _scaled(builder, constants[1].reciprocal(), operands[0])
    if operation is Operation.MULTIPLY:
        if constants[0] is None:
            return _scaled(builder, known[0], operands[0])
        if known[0] in _TRIVIAL or builder.constant_factor(operands[1]) is not None:
            return _scaled(builder, known[0], operands[1])
    return None


def _scaled(builder: Builder, factor: Exact, value: int) -> int:
    """The product of a constant and a value that is none."""
    if factor == ZERO:
        return builder.constant(ZERO)
    if factor == ONE:
        return builder.emit(Operation.COPY, value)
    if factor == _MINUS_ONE:
        return builder.emit(Operation.NEGATE, value)
    if (inner := builder.constant_factor(value)) is not None:
        return _scaled(builder, factor * inner, builder[value].operands[1])
    return builder.emit(Operation.MULTIPLY, builder.constant(factor), value)


def _compute(operation: Operation, operands: list[Exact]) -> Exact | None:
    """The exact result of an operation on constants; None where it is left to run time (a division by zero)."""
    match operation, operands:
        case Operation.COPY, [x]:
            return x
        case Operation.NEGATE, [x]:
            return -x
        case Operation.ADD, [x, y]:
            return x + y
        case Operation.SUBTRACT, [x, y]:
            return x - y
        case Operation.MULTIPLY, [x, y]:
            return x * y
        case Operation.DIVIDE, [x, y] if y:
            return x / y
        case Operation.SQRT, [x] if not x < 0:
            return x.sqrt()
        case Operation.SINE, [x]:
            return Angle(x).sin
        case Operation.COSINE, [x]:
            return Angle(x).cos
        case Operation.ABSOLUTE, [x]:
            return abs(x)
        case Operation.SIGN, [x]:
            return Exact((x > 0) - (x < 0))
        case Operation.HYPERBOLIC_TANGENT, [x] if not x:
            return ZERO
        case Operation.EXPONENTIAL, [x] if not x:
            return ONE
        case Operation.MINIMUM, [x, y]:
            return min(x, y)
        case Operation.MAXIMUM, [x, y]:
            return max(x, y)
    return None
