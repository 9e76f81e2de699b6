"""Tape: arithmetic on arrays that is recorded as a program.

Formulas are written as a paper writes them; every scalar operation is recorded.

Arrays are numpy's, of objects: a Scalar is a value of the program, whatever number it may turn out
to be. The Python integers 0, 1 and -1 are what the text itself leaves out, as in z = (0, 0, 1):
adding 0 and multiplying by 0 or 1 is not recorded, and multiplying by -1 is a change of sign.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynagen.ir.builder import Builder
from dynagen.ir.program import Operation
from dynagen.numbers.exact import Exact

Array = NDArray[np.object_]


class Scalar:
    """A value on a tape."""

    __slots__ = ("builder", "position")

    def __init__(self, builder: Builder, position: int) -> None:
        self.builder = builder
        self.position = position

    def __add__(self, other: object) -> Any:
        return self if _is(other, 0) else self._emit(Operation.ADD, self, other)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return self if _is(other, 0) else self._emit(Operation.SUBTRACT, self, other)

    def __rsub__(self, other: object) -> Any:
        return -self if _is(other, 0) else self._emit(Operation.SUBTRACT, other, self)

    def __neg__(self) -> Any:
        return self._emit(Operation.NEGATE, self)

    def __mul__(self, other: object) -> Any:
        if _is(other, 0):
            return 0
        if _is(other, -1):
            return -self
        return self if _is(other, 1) else self._emit(Operation.MULTIPLY, other, self)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        return self._emit(Operation.DIVIDE, self, other)

    def __rtruediv__(self, other: object) -> Any:
        return 0 if _is(other, 0) else self._emit(Operation.DIVIDE, other, self)

    def _emit(self, operation: Operation, *operands: object) -> Any:
        positions = []
        for operand in operands:
            if isinstance(operand, Scalar):
                positions.append(operand.position)
            elif isinstance(operand, int):
                positions.append(self.builder.constant(operand))
            else:
                return NotImplemented  # an array applies the operation to its elements
        return Scalar(self.builder, self.builder.emit(operation, *positions))


def _is(value: object, known: int) -> bool:
    return isinstance(value, int) and value == known


class Tape:
    """Makes the scalars of one program."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder

    def number(self, value: Exact | int) -> Scalar:
        """A number; operations on it are recorded, be it zero."""
        return Scalar(self._builder, self._builder.constant(value))

    def element(self, argument: str, index: int) -> Scalar:
        """An element of an input."""
        return Scalar(self._builder, self._builder.element(argument, index))

    def array(self, entries: Any) -> Array:
        """An array like any other: whatever its entries are, what is done with them is recorded."""
        made = np.array(entries, dtype=object)
        recorded = [
            entry if isinstance(entry, Scalar) else self.number(entry) for entry in made.flat
        ]
        return np.array(recorded, dtype=object).reshape(made.shape)

    def sine_cosine(self, angle: Scalar) -> tuple[Scalar, Scalar]:
        """Sine and cosine of an angle (rad)."""
        sine, cosine = (
            self._builder.emit(each, angle.position) for each in (Operation.SINE, Operation.COSINE)
        )
        return Scalar(self._builder, sine), Scalar(self._builder, cosine)


def cross(left: Array, right: Array) -> Array:
    """Vector product: 6M + 3A."""
    (a, b, c), (x, y, z) = left, right
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x], dtype=object)
