"""Cancellation: x - (x - y) is y, 2*x - x is x. Rotations by right angles, written for any angle, leave such terms behind."""

from __future__ import annotations

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.program import Instruction, Operation, Program
from dynagen.numbers.exact import ONE, Exact

_SUM = (Operation.ADD, Operation.SUBTRACT)


def cancel_terms(program: Program) -> Program:
    """Simplify sums of two terms that have a value in common."""
    return rewrite(program, cancel)


def cancel(builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int | None:
    """The rule for one instruction."""
    if instruction.operation not in _SUM:
        return None
    (_, left), (sign, right) = _terms(instruction.operation, operands)
    multiple = _like_terms(builder, left, sign, right)
    if multiple is not None:
        return builder.emit(Operation.MULTIPLY, *multiple)
    rest = _opposite_terms(builder, 1, left, sign, right) or _opposite_terms(builder, sign, right, 1, left)
    return None if rest is None else builder.emit(*rest)


def _like_terms(builder: Builder, left: int, sign: int, right: int) -> tuple[int, int] | None:
    """Factors of the product that both terms together are, if they are multiples of one value; x + x is 2*x, a product too."""
    (factor, value), (other_factor, other_value) = _multiple(builder, left), _multiple(builder, right)
    if value != other_value:
        return None
    return builder.constant(factor + sign * other_factor), value


def _multiple(builder: Builder, position: int) -> tuple[Exact, int]:
    """A constant factor, and what it multiplies."""
    factor = builder.constant_factor(position)
    return (ONE, position) if factor is None else (factor, builder[position].operands[1])


def _opposite_terms(builder: Builder, sign: int, total: int, other_sign: int, other: int) -> tuple[Operation, int] | None:
    """What is left of a sum, itself a term, if the other term is the opposite of one of its terms."""
    inner = builder[total]
    if inner.operation not in _SUM:
        return None
    first, second = ((sign * inner_sign, term) for inner_sign, term in _terms(inner.operation, inner.operands))
    for (term_sign, term), (rest_sign, rest) in ((first, second), (second, first)):
        if term == other and term_sign == -other_sign:
            return Operation.COPY if rest_sign > 0 else Operation.NEGATE, rest
    return None


def _terms(operation: Operation, operands: tuple[int, ...]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Sign and position of both terms."""
    left, right = operands
    return (1, left), (1 if operation is Operation.ADD else -1, right)
