"""Equal values: what is the same function of the inputs is computed once, however it is written (see `ir.fingerprints`).

A value that is a small number becomes that number, one that is equal to an earlier value becomes that, or its negative. This
finds what no pass finds that looks at texts: nothing in the derivatives of the PUMA 560's forward dynamics depends on its
last joint, and sums of hundreds of operations are zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.fingerprints import Fingerprint, Fingerprints, of_number, opposite
from dynagen.ir.program import Argument, Element, Instruction, Operation, Program
from dynagen.numbers.exact import Exact
from dynagen.passes.dead_code import remove_dead_code

_LARGEST = 12  # numerator or denominator of a number that is recognised


def unite_equal_values(program: Program) -> Program:
    """Keep the first of several values that are equal or opposite, and know those that are numbers."""
    return remove_dead_code(rewrite(program, _unite, _UnitingBuilder))


def _unite(builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int:
    return builder.emit(instruction.operation, *operands)


class _UnitingBuilder(Builder):
    """A builder in which no two values are equal; of two that are opposite one is the negative of the other."""

    def __init__(self, name: str, inputs: Iterable[Argument], sections: Iterable[str] = ("",)) -> None:
        super().__init__(name, inputs, sections)
        self._prints = Fingerprints()
        self._known: dict[Fingerprint, int] = {}

    def emit(self, operation: Operation, *operands: int) -> int:
        """The value of an operation: a number, one that is there, or a new one."""
        value = self._prints.of(Instruction(operation, operands))
        if value not in self._known:
            if (number := _small_numbers().get(value)) is not None:
                return self.constant(number)
            other = self._known.get(opposite(value))
            position = super().emit(operation, *operands) if other is None else super().emit(Operation.NEGATE, other)
            self._prints.append(self[position], value)
            self._known[value] = position
        return self._known[value]

    def _leaf(self, operation: Operation, payload: Exact | Element) -> int:
        position = super()._leaf(operation, payload)
        if position == len(self._prints):
            instruction = self[position]
            value = self._prints.of(instruction)
            self._prints.append(instruction, value)
            self._known.setdefault(value, position)
        return position


@cache
def _small_numbers() -> dict[Fingerprint, Exact]:
    """A random value has the fingerprint of one of these with a probability of 1e-52."""
    numbers = {Fraction(n, d) for n in range(-_LARGEST, _LARGEST + 1) for d in range(1, _LARGEST + 1)}
    return {of_number(Exact(number)): Exact(number) for number in sorted(numbers)}
