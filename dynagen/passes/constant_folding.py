"""Constant folding: what is known now is not computed later.

Multiplications by 0, 1 and -1 and additions of 0 vanish, operations on constants become constants (exactly), and factors are
gathered: 2*(3*x) is 6*x. A division by a constant becomes a multiplication, which costs less on every machine.
"""

from __future__ import annotations

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.program import Instruction, Operation, Program
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
    if len(known) == len(constants) and operation.fold is not None and (folded := operation.fold(*known)) is not None:
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
