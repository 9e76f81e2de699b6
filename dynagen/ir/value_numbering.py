"""Value numbering: equal operations on equal values are one value, found by looking up instead of comparing programs.

J. Cocke and J. T. Schwartz, Programming Languages and Their Compilers, 1970. A position is the number of the value there.
"""

from __future__ import annotations

from collections.abc import Iterable

from dynagen.ir.builder import Builder
from dynagen.ir.operation import Operation
from dynagen.ir.program import Argument


class ValueNumberingBuilder(Builder):
    """A builder that appends no operation twice. Operands of sums and products may change places."""

    def __init__(self, name: str, inputs: Iterable[Argument], sections: Iterable[str] = ("",)) -> None:
        super().__init__(name, inputs, sections)
        self._numbers: dict[tuple[Operation, tuple[int, ...]], int] = {}

    def emit(self, operation: Operation, *operands: int) -> int:
        """The value of an operation: the first that was equal, or a new one."""
        key = operation, tuple(sorted(operands)) if operation.commutes else operands
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self.emit_new(operation, operands)
        return number

    def emit_new(self, operation: Operation, operands: tuple[int, ...]) -> int:
        """The value of an operation that has not been asked for; b - a is the negative of a - b."""
        if operation is Operation.SUBTRACT:
            opposite = self._numbers.get((operation, operands[::-1]))
            if opposite is not None:
                return self.emit(Operation.NEGATE, opposite)
        return super().emit(operation, *operands)
