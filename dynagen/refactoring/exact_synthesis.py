"""Exact synthesis: the shortest programs that compute a few values from a few others, found by enumeration.

What is computed besides the values that are asked for are helpers. A value that is asked for and within reach of one operation
is computed at once: it has to be computed in any case, and no program that begins otherwise is shorter. So only helpers are
enumerated; and of these the last is found by meeting in the middle, as what is missing between a value that is asked for and
one that is there. With two helpers that is some hundred sets of values, of twenty look-ups each.

Values are residues at one point of the narrow field, up to their signs, as the functions of exact synthesis for logic networks
are truth tables (H. Riener, A. Mishchenko, M. Soeken, "Exact DAG-Aware Rewriting", DATE 2020). That two which differ are taken
for the same happens once in millions of programs: whoever takes a program compares its values at the other points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dynagen.ir.operation import Operation
from dynagen.ir.residues import NARROW_FIELD

_PRIME = NARROW_FIELD.prime
_HALF = (_PRIME + 1) // 2
_OPERATIONS = (Operation.ADD, Operation.ADD, Operation.MULTIPLY)
_DIFFERENCE = 1  # the second of them


class Step(NamedTuple):
    """A sum or product of two values, by their places; with the opposite of the second, a difference."""

    operation: Operation
    left: int
    right: int
    is_difference: bool = False


class ShortProgram:
    """A program that grows.

    Attributes:
        values: residues of what it begins with and of what its steps compute, in the order of computation.
        steps: of the values that are computed, by their places.
    """

    def __init__(self, missing: Sequence[int]) -> None:
        """An empty program.

        Args:
            missing: residues of what it is to compute.
        """
        self.values: list[int] = []
        self.steps: dict[int, Step] = {}
        self._within_reach: dict[int, Step] = {}  # values that one operation gives
        self._missing = list(missing)

    @property
    def is_complete(self) -> bool:
        """Whether it computes all that it is to compute."""
        return not self._missing

    def helpers(self) -> list[int]:
        """Values that may be computed next."""
        return [value for value in self._within_reach if value not in self.values]

    def last_helpers(self) -> dict[int, None]:
        """Those with which one of the missing values comes within reach."""
        found: dict[int, None] = {}
        inverses = [(value, pow(value, -1, _PRIME)) for value in self.values if value]  # a result may be zero
        for target in self._missing:
            # Twice a helper, or its square: as -1 is no square, one of a target and its opposite has this root.
            wanted = [target * _HALF, pow(target, (_PRIME + 1) // 4, _PRIME)]
            for value, inverse in inverses:
                wanted += (target - value, target + value, target * inverse)
            found |= dict.fromkeys(helper for helper in map(_unsigned, wanted) if helper in self._within_reach)
        return found

    def with_helper(self, value: int) -> ShortProgram:
        """A copy that computes one more value that is within reach."""
        longer = ShortProgram(self._missing)
        longer.values, longer.steps = self.values.copy(), self.steps.copy()
        longer._within_reach = self._within_reach.copy()
        longer._compute([value])
        return longer

    def give_number(self, value: int) -> None:
        """Begin with a number; operations on numbers alone are of no use."""
        self.values.append(value)

    def give(self, value: int) -> None:
        """Begin with a value, and compute all missing ones that come within reach by it."""
        self._compute(self._append(value))

    def _compute(self, values: list[int]) -> None:
        """Compute values that are within reach, and all missing ones that come within reach by them."""
        while values:
            value = values.pop()
            self.steps[len(self.values)] = self._within_reach[value]
            values += self._append(value)

    def _append(self, value: int) -> list[int]:
        """Append a value; the missing ones that come within reach by it."""
        place, met = len(self.values), []
        self.values.append(value)
        for other, operand in enumerate(self.values):
            for kind, residue in enumerate((operand + value, operand - value, operand * value)):
                result = _unsigned(residue)
                if result and result not in self._within_reach:
                    self._within_reach[result] = Step(_OPERATIONS[kind], other, place, kind == _DIFFERENCE)
                    if result in self._missing:
                        self._missing.remove(result)
                        met.append(result)
        return met


def short_programs(
    numbers: Sequence[int], leaves: Sequence[int], outputs: Sequence[int], helpers: int
) -> Iterator[ShortProgram]:
    """Programs that compute outputs, with that many helpers at most; all sets of helpers are looked at.

    Args:
        numbers: residues of numbers, which are not combined with each other.
        leaves: residues of other values that are there.
        outputs: residues of what is to be computed.
        helpers: how many values may be computed besides.
    """
    program = ShortProgram(outputs)
    for number in numbers:
        program.give_number(number)
    for leaf in leaves:
        program.give(leaf)
    yield from _completed(program, helpers)


def _completed(program: ShortProgram, helpers: int) -> Iterator[ShortProgram]:
    if program.is_complete:
        yield program
    elif helpers:
        for helper in program.last_helpers() if helpers == 1 else program.helpers():
            yield from _completed(program.with_helper(helper), helpers - 1)


def _unsigned(residue: int) -> int:
    """The smaller of a residue and its opposite."""
    residue %= _PRIME
    return residue if residue < _HALF else _PRIME - residue
