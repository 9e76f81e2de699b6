"""Fingerprints: the values of a program at random points modulo primes, for exact comparison of functions.

Residues: exact numbers, sines, cosines and opaque functions at a few random points, modulo a prime.

The sine and cosine of an angle are a random point of the unit circle, so that c^2 + s^2 = 1 and all that follows holds.
Functions that are not algebraic are random numbers that depend on the residues of their arguments. All random numbers depend
on what they stand for alone: they are the same in every program and on every machine.

Fingerprints: every value of a program evaluated exactly at a few random points modulo a prime.

Two values that are the same function of the inputs have the same fingerprint, whatever they look like; two that are not have
the same one with a probability of less than 1e-50, as polynomials of low degree vanish in few points (J. T. Schwartz, "Fast
Probabilistic Algorithms for Verification of Polynomial Identities", J. ACM 27(4), 1980). What is found by them is proved
afterwards like anything else. Logic synthesis finds nodes of equal function in this way, by simulation (A. Mishchenko, S.
Chatterjee, R. Brayton, "FRAIGs: A Unifying Representation for Logic Synthesis and Verification", 2005).

Sines and cosines are points of the unit circle (`residues`); points of sums and integer multiples of angles are made from
those of their terms, so that c12 = c1 c2 - s1 s2 is known too.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from dynagen.ir.operation import EVEN, Operation
from dynagen.ir.program import Element, Instruction, Program
from dynagen.numbers.exact import Angle, Exact
from dynagen.numbers.parametric import Atom, FunctionOf, Parametric

Fingerprint = tuple[int, ...]
"""Residues, one for each point."""

_CACHED = 65536


class ResidueField:
    """The numbers below a prime, at several points at once.

    Attributes:
        prime: 23 modulo 24. So 2 and 3 are squares, and square roots in a robot's numbers have residues of their own; -1 is
            none, so that 1 + t^2 is never zero, and every t gives a point of the unit circle.
        points: at how many points.
    """

    def __init__(self, prime: int, points: int) -> None:
        assert prime % 24 == 23
        self.prime = prime
        self.points = points
        roots = [pow(square, (prime + 1) // 4, prime) for square in (2, 3)]
        self._surds = (
            1,
            *roots,
            roots[0] * roots[1] % prime,
        )  # of 1 and the square roots of 2, 3 and 6
        self.of_number = lru_cache(_CACHED)(self._of_number)
        self.circle = lru_cache(_CACHED)(self._circle)

    def opposite(self, value: Fingerprint) -> Fingerprint:
        """The fingerprint of the negative of a value."""
        return tuple([-residue % self.prime for residue in value])

    def add(self, left: Fingerprint, right: Fingerprint) -> Fingerprint:
        """The fingerprint of a sum."""
        return tuple([(a + b) % self.prime for a, b in zip(left, right, strict=True)])

    def subtract(self, left: Fingerprint, right: Fingerprint) -> Fingerprint:
        """The fingerprint of a difference."""
        return tuple([(a - b) % self.prime for a, b in zip(left, right, strict=True)])

    def multiply(self, left: Fingerprint, right: Fingerprint) -> Fingerprint:
        """The fingerprint of a product."""
        return tuple([a * b % self.prime for a, b in zip(left, right, strict=True)])

    def reciprocal(self, value: Fingerprint) -> Fingerprint:
        """The fingerprint of one over a value that is zero at no point."""
        return tuple([pow(residue, -1, self.prime) for residue in value])

    def rotate(
        self, cosine: Fingerprint, sine: Fingerprint, c: Fingerprint, s: Fingerprint
    ) -> tuple[Fingerprint, Fingerprint]:
        """Cosine and sine of the sum of two angles: the product of two points of the unit circle, as complex numbers."""
        points = list(zip(cosine, sine, c, s, strict=True))
        return (
            tuple([(a * x - b * y) % self.prime for a, b, x, y in points]),
            tuple([(a * y + b * x) % self.prime for a, b, x, y in points]),
        )

    def circle_of_number(self, angle: Exact) -> tuple[Fingerprint, Fingerprint]:
        """Cosine and sine of a known angle."""
        known = Angle(angle)
        return self.of_number(known.cos), self.of_number(known.sin)

    def opaque(self, operation: Operation, arguments: list[Fingerprint]) -> Fingerprint:
        """A random number for a function of its arguments; equal where the function's symmetries make its values equal."""
        if operation.commutes:
            return self.random(operation.value, *sorted(arguments))
        if operation.parity:
            bare = [min(argument, self.opposite(argument)) for argument in arguments]
            changes = (
                sum(x != y for x, y in zip(arguments, bare, strict=True)) % 2
                and operation.parity != EVEN
            )
            value = self.random(operation.value, *bare)
            return self.opposite(value) if changes else value
        return self.random(operation.value, *arguments)

    def random(self, *seed: object) -> Fingerprint:
        """Random numbers that depend on the seed alone: the same on every machine."""
        digest = blake2b(repr(seed).encode(), digest_size=16 * self.points).digest()
        return tuple(
            [
                int.from_bytes(digest[16 * point : 16 * point + 16]) % self.prime
                for point in range(self.points)
            ]
        )

    def _of_number(self, number: Exact) -> Fingerprint:
        """The residues of a number, which are all the same unless it depends on run-time parameters."""
        if isinstance(number, Parametric):
            total = (0,) * self.points
            for monomial, coefficient in number.terms:
                term = self.of_number(coefficient)
                for atom in monomial:
                    term = self.multiply(term, self._of_atom(atom))
                total = self.add(total, term)
            return total
        *integers, denominator = number.integers
        if denominator % self.prime == 0:
            return self.random("number", str(number))
        residue = (
            sum(map(int.__mul__, integers, self._surds))
            * pow(denominator, -1, self.prime)
            % self.prime
        )
        return (residue,) * self.points

    def _of_atom(self, atom: Atom) -> Fingerprint:
        if not isinstance(atom, FunctionOf):
            return self.random("parameter", str(atom))
        argument = self.of_number(atom.argument)
        match atom.name:
            case "cos" | "sin" as name:
                return self.circle(argument)[name == "sin"]
            case "reciprocal" if all(argument):
                return self.reciprocal(argument)
        return self.random(atom.name, argument)

    def _circle(self, angle: Fingerprint) -> tuple[Fingerprint, Fingerprint]:
        """A random point of the unit circle for every angle, that of the opposite angle with the opposite sine."""
        bare = min(angle, self.opposite(angle))
        if not any(bare):
            return (1,) * self.points, (0,) * self.points
        tangents = self.random("angle", bare)
        inverses = self.reciprocal(tuple([1 + t * t for t in tangents]))
        cosine = tuple(
            [
                (1 - t * t) * inverse % self.prime
                for t, inverse in zip(tangents, inverses, strict=True)
            ]
        )
        sine = tuple(
            [2 * t * inverse % self.prime for t, inverse in zip(tangents, inverses, strict=True)]
        )
        return cosine, sine if bare == angle else self.opposite(sine)


FIELD = ResidueField(2**61 - 465, 3)
"""For single comparisons: two values that differ have the same fingerprint with a probability of less than 1e-50."""

NARROW_FIELD = ResidueField(2**32 - 17, 4)
"""For comparisons by the million: products of residues fit into 64 bits, so that numpy computes with them; 1e-34."""


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
            c, s = (
                field.circle_of_number(number)
                if isinstance(number, Exact)
                else field.circle(self._values[term])
            )
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
                return _sum(
                    self._terms(operands[0]),
                    self._terms(operands[1]),
                    1 if kind is Operation.ADD else -1,
                )
            case Operation.MULTIPLY:
                factor = self._instructions[operands[0]].payload
                if (
                    isinstance(factor, Exact)
                    and factor.integers[1:] == (0, 0, 0, 1)
                    and abs(factor) <= _MOST_TIMES
                ):
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
