"""Equal values: what is the same function of the inputs is computed once, however it is written (see `ir.fingerprints`).

A value that is a small number becomes that number, and of several that are equal or opposite the simplest is computed. This
finds what no pass finds that looks at texts: nothing in the derivatives of the PUMA 560's forward dynamics depends on its
last joint, and sums of hundreds of operations are zero.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

from dynagen.ir.builder import Builder
from dynagen.ir.fingerprints import Fingerprints
from dynagen.ir.program import Operation, Program
from dynagen.ir.residues import FIELD, Fingerprint
from dynagen.numbers.exact import Exact
from dynagen.passes.dead_code import remove_dead_code

_LARGEST = 12  # numerator or denominator of a number that is recognised
_COSTS = {"": 0, "neg": 0, "mul": 1, "add": 1, "div": 1}  # of operations by themselves, if not all that others are
_OTHER = 8
_MANY = 10**9  # operations: squares of squares take any number; of values that take more the first is the simplest


def unite_equal_values(program: Program) -> Program:
    """Keep the simplest of several values that are equal or opposite, and know those that are numbers."""
    return remove_dead_code(_Union(program).run())


class _Union:
    """Values of a program by their size: the fingerprint or its opposite, whichever comes first.

    The simplest of a size is computed in place of all others: what takes the fewest operations, were none of them shared.
    That of its operands is simpler still, so that there is an order in which all can be computed.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._builder = Builder.replacing(program)
        self._prints = Fingerprints()
        self._sizes: list[Fingerprint] = []
        self._simplest: dict[Fingerprint, tuple[int, int]] = {}  # operations of the simplest value, and its position
        self._made: dict[Fingerprint, int] = {}  # fingerprint -> position in the new program
        for position, instruction in enumerate(program.instructions):
            value = self._prints.of(instruction)
            self._prints.append(instruction, value)
            size = min(value, FIELD.opposite(value))
            self._sizes.append(size)
            operations = _COSTS.get(instruction.operation.kind, _OTHER)
            operations += sum(self._simplest[self._sizes[operand]][0] for operand in instruction.operands)
            operations = min(operations, _MANY)
            if size not in self._simplest or operations < self._simplest[size][0]:
                self._simplest[size] = operations, position

    def run(self) -> Program:
        for position, instruction in enumerate(self._program.instructions):
            self._builder.begin_section(self._program.sections[instruction.section])
            value = self._value(position)
            if instruction.name is not None and self._builder.can_name(value):
                self._builder.give_name(value, instruction.name)
        outputs = self._program.outputs
        return self._builder.finish(replace(each, values=tuple(map(self._value, each.values))) for each in outputs)

    def _value(self, position: int) -> int:
        """The position at which a value is computed: as a number, from the simplest that is equal, or as its negative."""
        fingerprint = self._prints[position]
        if fingerprint not in self._made:
            number = _small_numbers().get(fingerprint)
            if number is not None:
                self._made[fingerprint] = self._builder.constant(number)
            else:
                self._make(self._sizes[position])
        if fingerprint not in self._made:
            self._made[fingerprint] = self._builder.emit(Operation.NEGATE, self._made[FIELD.opposite(fingerprint)])
        return self._made[fingerprint]

    def _make(self, size: Fingerprint) -> None:
        """Compute the simplest value of a size, and first what it needs."""
        pending = [self._simplest[size][1]]
        while pending:
            position = pending[-1]
            instruction = self._program.instructions[position]
            missing = [operand for operand in instruction.operands if not self._is_made(operand)]
            if missing:
                pending += [self._simplest[self._sizes[operand]][1] for operand in missing]
                continue
            pending.pop()
            if not self._is_made(position):
                operands = tuple(self._value(operand) for operand in instruction.operands)
                made = self._builder.repeat(instruction._replace(name=None), operands)
                self._made[self._prints[position]] = made

    def _is_made(self, position: int) -> bool:
        fingerprint = self._prints[position]
        return fingerprint in self._made or FIELD.opposite(fingerprint) in self._made or fingerprint in _small_numbers()


@cache
def _small_numbers() -> dict[Fingerprint, Exact]:
    """Small numbers by their fingerprints; a random value has one of these with a probability of 1e-52."""
    numbers = {Fraction(n, d) for n in range(-_LARGEST, _LARGEST + 1) for d in range(1, _LARGEST + 1)}
    return {FIELD.of_number(Exact(number)): Exact(number) for number in sorted(numbers)}
