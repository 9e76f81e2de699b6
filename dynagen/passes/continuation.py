"""Continue a finished program with operations that stay as they are written, so that bits do not depend on what is known.

Passes reorder sums and fold constants exactly, so that a value that becomes known, or is no longer, changes how others are
rounded. Here what only numbers enter is computed as the target computes it, and no bit depends on whether a zero is written,
and left out, or computed, with either sign.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from dynagen.ir.builder import Builder
from dynagen.ir.program import Argument, Operation, Program
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.real import Real

_ARITHMETIC: dict[Operation, Callable[..., Any]] = {
    Operation.ADD: operator.add,
    Operation.SUBTRACT: operator.sub,
    Operation.MULTIPLY: operator.mul,
    Operation.DIVIDE: operator.truediv,
    Operation.ABSOLUTE: operator.abs,
    Operation.SQRT: np.sqrt,
    Operation.MINIMUM: min,
    Operation.MAXIMUM: max,
}


class ContinuingBuilder(Builder):
    """Appends to a program."""

    def __init__(self, program: Program, inputs: Sequence[Argument], real: Real, numbers: Mapping[int, Exact]) -> None:
        """Start where a program ends.

        Args:
            program: the finished program.
            inputs: of what it becomes.
            real: what the target computes in.
            numbers: values that are computed here, and numbers in the program whose bits are to be kept.
        """
        super().__init__(program.name, inputs)
        self._begin_with(program.instructions)
        self._sections = {title: place for place, title in enumerate(program.sections)}
        self._real = real
        self._numbers = dict(numbers)
        self._known: dict[tuple[Operation, tuple[int, ...]], int] = {}

    def emit(self, operation: Operation, *operands: int) -> int:
        """The value of an operation, emitted, found, or known."""
        written = self.constant_values(operands)
        if operation is Operation.MULTIPLY and (ZERO in written or ONE in written):
            factor = written.index(ZERO if ZERO in written else ONE)
            return operands[factor if ZERO in written else 1 - factor]
        numbers = [self._numbers.get(operand, value) for operand, value in zip(operands, written, strict=True)]
        number = self._computed(operation, numbers)
        if number is not None and None not in written:
            return self.constant(number)
        if number is not None:
            position = self._plain(operation, *operands)
            self._numbers[position] = number
            return position
        if operation is Operation.ADD and ZERO in numbers:
            zero = numbers.index(ZERO)
            return self._sum(operands[1 - zero], operands[zero])
        if operation is Operation.SUBTRACT and ZERO in numbers:
            return self._difference(operands[0], operands[1], numbers[0] == ZERO)
        moved = self._with_sign_moved(operation, operands)
        return self._plain(operation, *operands) if moved is None else moved

    def _computed(self, operation: Operation, numbers: Sequence[Exact | None]) -> Exact | None:
        """What comes of numbers on the target, or of zero and anything; None if it is not known."""
        if operation is Operation.MULTIPLY and ZERO in numbers:
            return ZERO
        known = [self._real.nearest(number) for number in numbers if number is not None]
        if len(known) < len(numbers) or operation not in _ARITHMETIC or (operation is Operation.DIVIDE and not known[1]):
            return None
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            result = float(_ARITHMETIC[operation](*known))
        return Exact(Fraction(result)) if isfinite(result) else None

    def _with_sign_moved(self, operation: Operation, operands: tuple[int, ...]) -> int | None:
        """The same without the sign of an operand, which a difference takes along; it never changes a bit."""
        signs = [self[operand].operation is Operation.NEGATE for operand in operands]
        bare = [self[operand].operands[0] if sign else operand for operand, sign in zip(operands, signs, strict=True)]
        match operation, signs:
            case Operation.NEGATE, [True]:
                return bare[0]
            case Operation.SUBTRACT, [_, True]:
                return self.emit(Operation.ADD, operands[0], bare[1])
            case Operation.MULTIPLY, [left, right] if left or right:
                product = self.emit(operation, *bare)
                return product if left and right else self.emit(Operation.NEGATE, product)
        return None

    def _sum(self, value: int, nothing: int) -> int:
        """A value and zero: 0 - y has the sign that leaves the value as it is, whichever a zero has that is computed."""
        zero, subtract = self.constant(ZERO), Operation.SUBTRACT
        return value if nothing == zero else self._plain(subtract, value, self._plain(subtract, zero, nothing))

    def _difference(self, left: int, right: int, from_zero: bool) -> int:
        """-x or x, with a zero in front or behind; a zero that is computed may have either sign: 0 - y and 0 + y have not."""
        zero, subtract = self.constant(ZERO), Operation.SUBTRACT
        if from_zero:
            opposite = self._plain(Operation.NEGATE, right)
            return opposite if left == zero else self._plain(subtract, opposite, self._plain(subtract, zero, left))
        return left if right == zero else self._plain(subtract, left, self._plain(Operation.ADD, zero, right))

    def _plain(self, operation: Operation, *operands: int) -> int:
        key = operation, operands
        if key not in self._known:
            self._known[key] = super().emit(operation, *operands)
        return self._known[key]
