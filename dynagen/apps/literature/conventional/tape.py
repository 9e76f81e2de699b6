"""Recording of arithmetic on arrays as a straight-line program.

A formula is written in Python as in its paper, and each of its scalar operations is recorded.

Arrays of scalars are numpy arrays of Python objects. A `Scalar` is a value of the program;
operations on a `Scalar` are recorded even if its value is zero or one. The Python integers 0, 1 and
-1 stand for constants that the paper does not count, as in z = (0, 0, 1): additions of 0 and
multiplications by 0 or 1 are not recorded, and a multiplication by -1 is recorded as a change of
sign.
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
    """Value of a program. Arithmetic with scalars is recorded as operations of the program."""

    __slots__ = ("builder", "position")

    def __init__(self, builder: Builder, position: int) -> None:
        self.builder = builder
        self.position = position

    def __add__(self, other: object) -> Any:
        return self if _is_integer(other, 0) else self._emit(Operation.ADD, self, other)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return self if _is_integer(other, 0) else self._emit(Operation.SUBTRACT, self, other)

    def __rsub__(self, other: object) -> Any:
        return -self if _is_integer(other, 0) else self._emit(Operation.SUBTRACT, other, self)

    def __neg__(self) -> Any:
        return self._emit(Operation.NEGATE, self)

    def __mul__(self, other: object) -> Any:
        if _is_integer(other, 0):
            return 0
        if _is_integer(other, -1):
            return -self
        return self if _is_integer(other, 1) else self._emit(Operation.MULTIPLY, other, self)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        return self._emit(Operation.DIVIDE, self, other)

    def __rtruediv__(self, other: object) -> Any:
        return 0 if _is_integer(other, 0) else self._emit(Operation.DIVIDE, other, self)

    def _emit(self, operation: Operation, *operands: object) -> Any:
        positions = []
        for operand in operands:
            if isinstance(operand, Scalar):
                positions.append(operand.position)
            elif isinstance(operand, int):
                positions.append(self.builder.add_constant(operand))
            else:
                return (
                    NotImplemented  # numpy then applies the operation to the elements of the array
                )
        return Scalar(self.builder, self.builder.emit(operation, *positions))


def _is_integer(value: object, known: int) -> bool:
    return isinstance(value, int) and value == known


class Tape:
    """Recorder of one program, which creates the program's scalars and arrays."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder

    def begin_part(self, name: str) -> None:
        """Begin a part of the recursion: the next operations are counted for this part.

        Args:
            name: name of the part in the paper's table of operation counts.
        """
        self._builder.begin_section(name)

    def number(self, value: Exact | int) -> Scalar:
        """Return a constant as a value of the program.

        Operations with this value are recorded, even if the constant is zero or one.
        """
        return Scalar(self._builder, self._builder.add_constant(value))

    def element(self, argument: str, index: int) -> Scalar:
        """Return an entry of an input as a value of the program.

        Args:
            argument: name of the input, such as `q`.
            index: index of the entry, from 0.
        """
        return Scalar(self._builder, self._builder.add_element(argument, index))

    def array(self, entries: Any) -> Array:
        """Convert an array of numbers and of values of the program to an array of values only.

        Numbers become constants of the program, so that operations with zeros and ones are recorded
        too.
        """
        made = np.array(entries, dtype=object)
        recorded = [
            entry if isinstance(entry, Scalar) else self.number(entry) for entry in made.flat
        ]
        return np.array(recorded, dtype=object).reshape(made.shape)

    def sine_cosine(self, angle: Scalar) -> tuple[Scalar, Scalar]:
        """Record sine and cosine of an angle (rad), and return both as scalars in this order."""
        sine, cosine = (
            self._builder.emit(each, angle.position) for each in (Operation.SINE, Operation.COSINE)
        )
        return Scalar(self._builder, sine), Scalar(self._builder, cosine)


def cross(left: Array, right: Array) -> Array:
    """Record the cross product of two vectors, shape (3,), by 6 products and 3 subtractions."""
    (a, b, c), (x, y, z) = left, right
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x], dtype=object)
