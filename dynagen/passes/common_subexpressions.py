"""Common subexpressions: what has been computed before is not computed again (value numbering)."""

from __future__ import annotations

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.program import Instruction, Operation, Program

_COMMUTATIVE = (Operation.ADD, Operation.MULTIPLY, Operation.MINIMUM, Operation.MAXIMUM)


def share_common_subexpressions(program: Program) -> Program:
    """Keep the first of several equal operations. Terms and factors may change places; b - a is the negative of a - b."""
    return rewrite(program, Sharing().share)


class Sharing:
    """What has been computed so far."""

    def __init__(self) -> None:
        self._known: dict[tuple[Operation, tuple[int, ...]], int] = {}

    def share(self, builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int:
        """The rule for one instruction."""
        operation = instruction.operation
        key = operation, tuple(sorted(operands)) if operation in _COMMUTATIVE else operands
        if key not in self._known:
            opposite = self._known.get((operation, operands[::-1])) if operation is Operation.SUBTRACT else None
            if opposite is not None:
                return builder.emit(Operation.NEGATE, opposite)
            self._known[key] = builder.emit(operation, *operands)
        return self._known[key]
