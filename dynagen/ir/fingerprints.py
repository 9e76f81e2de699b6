"""Fingerprints: every value of a program evaluated exactly at a few random points modulo a prime.

Two values that are the same function of the inputs have the same fingerprint, whatever they look like; two that are not have
the same one with a probability of less than 1e-50, as polynomials of low degree vanish in few points (J. T. Schwartz, "Fast
Probabilistic Algorithms for Verification of Polynomial Identities", J. ACM 27(4), 1980). What is found by them is proved
afterwards like anything else. Logic synthesis finds nodes of equal function in this way, by simulation (A. Mishchenko, S.
Chatterjee, R. Brayton, "FRAIGs: A Unifying Representation for Logic Synthesis and Verification", 2005).

Sines and cosines are points of the unit circle (`residues`); points of sums and integer multiples of angles are made from
those of their terms, so that c12 = c1 c2 - s1 s2 is known too.
"""

from __future__ import annotations

from dynagen.ir.operation import Operation
from dynagen.ir.program import Element, Instruction, Program
from dynagen.ir.residues import FIELD, Fingerprint, ResidueField
from dynagen.numbers.exact import Exact

_MOST_TIMES = 8  # that an angle is multiplied by, to be known as a sum

_Linear = dict[int, int]
"""Positions of angles and what they are multiplied by in a sum of them."""


class Fingerprints:
    """The fingerprints of a growing program's values, by position."""

    def __init__(self, field: ResidueField = FIELD) -> None:
        self._field = field
        self._instructions: list[Instruction] = []
        self._values: list[Fingerprint] = []

    def __getitem__(self, position: int) -> Fingerprint:
        return self._values[position]

    def append(self, instruction: Instruction, value: Fingerprint) -> None:
        """Take an instruction on values that are here, and its fingerprint."""
        self._instructions.append(instruction)
        self._values.append(value)

    def of(self, instruction: Instruction) -> Fingerprint:
        """The fingerprint of an instruction on values that are here."""
        operation, operands, payload, *_ = instruction
        field = self._field
        if isinstance(payload, Exact):
            return field.of_number(payload)
        if isinstance(payload, Element):
            return field.random("input", payload.argument, payload.index)
        match operation, [self._values[operand] for operand in operands]:
            case Operation.COPY, [x]:
                return x
            case Operation.NEGATE, [x]:
                return field.opposite(x)
            case Operation.ADD, [x, y]:
                return field.add(x, y)
            case Operation.SUBTRACT, [x, y]:
                return field.subtract(x, y)
            case Operation.MULTIPLY, [x, y]:
                return field.multiply(x, y)
            case Operation.DIVIDE, [x, y] if all(y):
                return field.multiply(x, field.reciprocal(y))
            case Operation.SINE | Operation.COSINE, _:
                return self._circle(operands[0])[operation is Operation.SINE]
            case _, arguments:
                return field.opaque(operation, arguments)

    def _circle(self, angle: int) -> tuple[Fingerprint, Fingerprint]:
        """Cosine and sine of an angle: the product, as complex numbers, of the points of its terms."""
        field = self._field
        cosine, sine = (1,) * field.points, (0,) * field.points
        for term, times in self._terms(angle).items():
            number = self._instructions[term].payload
            c, s = field.circle_of_number(number) if isinstance(number, Exact) else field.circle(self._values[term])
            for _ in range(abs(times)):
                cosine, sine = field.rotate(cosine, sine, c, s if times > 0 else field.opposite(s))
        return cosine, sine

    def _terms(self, position: int) -> _Linear:
        """An angle as a sum of others, so far as it is one."""
        operation, operands, *_ = self._instructions[position]
        match operation:
            case Operation.COPY:
                return self._terms(operands[0])
            case Operation.NEGATE:
                return _sum({}, self._terms(operands[0]), -1)
            case Operation.ADD | Operation.SUBTRACT as kind:
                return _sum(self._terms(operands[0]), self._terms(operands[1]), 1 if kind is Operation.ADD else -1)
            case Operation.MULTIPLY:
                factor = self._instructions[operands[0]].payload
                if isinstance(factor, Exact) and factor.integers[1:] == (0, 0, 0, 1) and abs(factor) <= _MOST_TIMES:
                    return _sum({}, self._terms(operands[1]), int(factor.integers[0]))
        return {position: 1}


def fingerprints_of(program: Program, field: ResidueField) -> Fingerprints:
    """The fingerprints of all values of a program."""
    prints = Fingerprints(field)
    for instruction in program.instructions:
        prints.append(instruction, prints.of(instruction))
    return prints


def _sum(left: _Linear, right: _Linear, sign: int) -> _Linear:
    total = dict(left)
    for term, times in right.items():
        total[term] = total.get(term, 0) + sign * times
    return {term: times for term, times in total.items() if times}
