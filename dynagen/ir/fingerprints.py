"""Fingerprints: the values of a program at random points modulo a prime, to compare functions.

Two values that are the same function of the inputs have the same fingerprint, whichever
instructions compute the function. For k points modulo a prime p, different functions have the same
fingerprint with a probability of at most (d/p)^k, where d is the degree of their difference
(Schwartz, "Fast Probabilistic Algorithms for Verification of Polynomial Identities", Journal of the
ACM 27(4), 1980). This probability is below 1e-48 for d <= 200. `docs/trust.md` lists the degrees of
functions of real robots. Programs found by fingerprints are verified afterwards, like all other
programs. Logic synthesis finds nodes of equal function similarly, by simulation with random inputs
(Mishchenko, Chatterjee and Brayton, "FRAIGs: a Unifying Representation for Logic Synthesis and
Verification", 2005).

The sine and cosine of an angle are a random point of the unit circle, so that c^2 + s^2 = 1 and all
its consequences hold. The points of sums and integer multiples of angles are computed from the
points of the terms, so that cos(a + b) = cos a cos b - sin a sin b holds too. Other functions that
are not rational, such as tanh, have random residues that depend on the residues of their arguments.
All random numbers are the same in every program and on every machine.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterator
from functools import lru_cache
from hashlib import blake2b

from dynagen.ir.operation import (
    ADD,
    COPY,
    COSINE,
    DIVIDE,
    EVEN,
    MULTIPLY,
    NEGATE,
    SINE,
    SUBTRACT,
    Operation,
)
from dynagen.ir.program import Element, Instruction, Program
from dynagen.numbers.exact import Angle, Exact
from dynagen.numbers.parametric import Atom, FunctionAtom, ParametricNumber

Fingerprint = tuple[int, ...]
"""Type of a fingerprint: one residue of a value at each random point."""

_CACHED = 65536


class ResidueField:
    """Arithmetic with residues modulo a prime, at several random points at once.

    Attributes:
        prime: the modulus, a prime number with the remainder 23 when divided by 24. Modulo such a
            prime, 2 and 3 are squares, so that their square roots have residues. The number -1 is
            not a square, so that 1 + t^2 is never zero and every number t yields a point of the
            unit circle.
        points: number of random points, which is the length of each fingerprint.
    """

    def __init__(self, prime: int, points: int) -> None:
        assert prime % 24 == 23
        self.prime = prime
        self.points = points
        roots = [pow(square, (prime + 1) // 4, prime) for square in (2, 3)]
        # Residues of 1 and of the square roots of 2, 3 and 6. For a prime that is 3 modulo 4, a^((p
        # + 1)/4) is a square root of a.
        self._surds = (1, *roots, roots[0] * roots[1] % prime)
        self.of_number = lru_cache(_CACHED)(self._convert_number)
        self.circle = lru_cache(_CACHED)(self._circle)

    def negate(self, value: Fingerprint) -> Fingerprint:
        """Return the fingerprint of -x, where `value` is the fingerprint of x."""
        prime = self.prime
        return tuple([-residue % prime for residue in value])

    def make_unsigned(self, value: Fingerprint) -> Fingerprint:
        """Return the smaller of the fingerprints of x and -x, where `value` is that of x."""
        # Unless the first residue is 0, it decides.
        if 0 < value[0] <= self.prime // 2:
            return value
        return min(value, self.negate(value))

    def add(self, left: Fingerprint, right: Fingerprint) -> Fingerprint:
        """Return the fingerprint of x + y from the fingerprints of x (`left`) and y (`right`)."""
        prime = self.prime
        return tuple([total % prime for total in map(operator.add, left, right)])

    def subtract(self, left: Fingerprint, right: Fingerprint) -> Fingerprint:
        """Return the fingerprint of x - y from the fingerprints of x (`left`) and y (`right`)."""
        prime = self.prime
        return tuple([difference % prime for difference in map(operator.sub, left, right)])

    def multiply(self, left: Fingerprint, right: Fingerprint) -> Fingerprint:
        """Return the fingerprint of x * y from the fingerprints of x (`left`) and y (`right`)."""
        prime = self.prime
        return tuple([product % prime for product in map(operator.mul, left, right)])

    def invert(self, value: Fingerprint) -> Fingerprint:
        """Return the fingerprint of 1/x, where `value` is the fingerprint of x.

        No residue in `value` may be zero.
        """
        return tuple([pow(residue, -1, self.prime) for residue in value])

    def rotate(
        self, cosine: Fingerprint, sine: Fingerprint, c: Fingerprint, s: Fingerprint
    ) -> tuple[Fingerprint, Fingerprint]:
        """Return the fingerprints of cosine and sine of the sum of two angles.

        The sum is computed as the product of the complex numbers cosine + i sine and c + i s.

        Args:
            cosine: fingerprint of the first angle's cosine.
            sine: fingerprint of the first angle's sine.
            c: fingerprint of the second angle's cosine.
            s: fingerprint of the second angle's sine.
        """
        points = list(zip(cosine, sine, c, s, strict=True))
        return (
            tuple([(a * x - b * y) % self.prime for a, b, x, y in points]),
            tuple([(a * y + b * x) % self.prime for a, b, x, y in points]),
        )

    def compute_circle(self, angle: Exact) -> tuple[Fingerprint, Fingerprint]:
        """Return fingerprints of cosine and sine of an exact angle (rad), in this order."""
        known = Angle(angle)
        return self.of_number(known.cos), self.of_number(known.sin)

    def draw_opaque(self, operation: Operation, arguments: list[Fingerprint]) -> Fingerprint:
        """Return a random fingerprint for an operation such as tanh or a square root.

        The fingerprint depends only on the operation and its operands' fingerprints. Symmetries are
        kept: the order of the operands does not matter if the operation commutes, and tanh(-x) has
        minus the fingerprint of tanh(x).

        Args:
            operation: the operation.
            arguments: fingerprints of its operands.
        """
        if operation.commutes:
            return self.draw_random(operation.value, *sorted(arguments))
        if operation.parity:
            # x and -x share a representative, so that |-x| = |x| and tanh(-x) = -tanh(x).
            bare = [min(argument, self.negate(argument)) for argument in arguments]
            changes = (
                sum(x != y for x, y in zip(arguments, bare, strict=True)) % 2
                and operation.parity != EVEN
            )
            value = self.draw_random(operation.value, *bare)
            return self.negate(value) if changes else value
        return self.draw_random(operation.value, *arguments)

    def draw_random(self, *seed: object) -> Fingerprint:
        """Return a random fingerprint that depends on `seed` alone: the same on every machine."""
        digest = blake2b(repr(seed).encode(), digest_size=16 * self.points).digest()
        return tuple(
            [
                int.from_bytes(digest[16 * point : 16 * point + 16], "big") % self.prime
                for point in range(self.points)
            ]
        )

    def _convert_number(self, number: Exact) -> Fingerprint:
        """Return the fingerprint of an exact number.

        Without run-time parameters, the number has the same residue at all points. If the prime
        divides the denominator, the number has no residue, and the fingerprint is random.
        """
        if isinstance(number, ParametricNumber):
            total = (0,) * self.points
            for monomial, coefficient in number.terms:
                term = self.of_number(coefficient)
                for atom in monomial:
                    term = self.multiply(term, self._convert_atom(atom))
                total = self.add(total, term)
            return total
        *integers, denominator = number.integers
        if denominator % self.prime == 0:  # the number has no residue
            return self.draw_random("number", str(number))
        residue = (
            sum(map(int.__mul__, integers, self._surds))
            * pow(denominator, -1, self.prime)
            % self.prime
        )
        return (residue,) * self.points

    def _convert_atom(self, atom: Atom) -> Fingerprint:
        """Return the fingerprint of a run-time parameter, or of a function of such parameters."""
        if not isinstance(atom, FunctionAtom):
            return self.draw_random("parameter", str(atom))
        argument = self.of_number(atom.argument)
        match atom.name:
            case "cos" | "sin" as name:
                return self.circle(argument)[name == "sin"]
            case "reciprocal" if all(argument):
                return self.invert(argument)
        return self.draw_random(atom.name, argument)

    def _circle(self, angle: Fingerprint) -> tuple[Fingerprint, Fingerprint]:
        """Return fingerprints of an angle's cosine and sine: random points of the unit circle.

        For the opposite angle, only the sine is negated. For the angle zero, the point is (1, 0).
        """
        bare = min(angle, self.negate(angle))
        if not any(bare):
            return (1,) * self.points, (0,) * self.points
        # Rational parametrisation of the circle by t = tan(angle/2).
        tangents = self.draw_random("angle", bare)
        inverses = self.invert(tuple([1 + t * t for t in tangents]))
        cosine = tuple(
            [
                (1 - t * t) * inverse % self.prime
                for t, inverse in zip(tangents, inverses, strict=True)
            ]
        )
        sine = tuple(
            [2 * t * inverse % self.prime for t, inverse in zip(tangents, inverses, strict=True)]
        )
        return cosine, sine if bare == angle else self.negate(sine)


FIELD = ResidueField(2**61 - 465, 3)
"""Arithmetic of fingerprints if few values are compared: three points modulo a 61-bit prime.

Two values that differ by a polynomial of degree 200 have equal fingerprints with a probability
below 1e-48.
"""

NARROW_FIELD = ResidueField(2**32 - 17, 4)
"""Arithmetic of fingerprints if many values are compared: four points modulo a 32-bit prime.

Two values that differ by a polynomial of degree 200 have equal fingerprints with a probability
below 1e-29. Products of two residues fit into 64 bits, so that numpy can compute with them.
"""


_MOST_TIMES = 8  # largest factor for which a multiple of an angle is treated as a sum

_Linear = dict[int, int]
"""Type of a sum of multiples of angles: mapping from the position of each angle to its factor."""


class Fingerprints:
    """Fingerprints of the values of a program, in the order in which its instructions are appended.

    `fingerprints[position]` is the fingerprint of the value at a position in the program.

    Args:
        field: the prime and the number of random points.
    """

    def __init__(self, field: ResidueField = FIELD) -> None:
        self._field = field
        self._instructions: list[Instruction] = []
        self._values: list[Fingerprint] = []

    def __getitem__(self, position: int) -> Fingerprint:
        return self._values[position]

    def __iter__(self) -> Iterator[Fingerprint]:
        return iter(self._values)

    def append(self, instruction: Instruction, value: Fingerprint) -> None:
        """Append the program's next instruction, and `value`, the fingerprint of its result."""
        self._instructions.append(instruction)
        self._values.append(value)

    def compute(self, instruction: Instruction) -> Fingerprint:
        """Return the fingerprint of an instruction whose operands have been appended before."""
        operation, operands, payload, *_ = instruction
        field = self._field
        if isinstance(payload, Exact):
            return field.of_number(payload)
        if isinstance(payload, Element):
            return field.draw_random("input", payload.argument, payload.index)
        if operation is SINE or operation is COSINE:
            return self._circle(operands[0])[operation is SINE]
        arguments = [self._values[operand] for operand in operands]
        # The most frequent operations come first.
        if operation is MULTIPLY:
            return field.multiply(*arguments)
        if operation is ADD:
            return field.add(*arguments)
        if operation is SUBTRACT:
            return field.subtract(*arguments)
        if operation is NEGATE:
            return field.negate(*arguments)
        if operation is COPY:
            return arguments[0]
        if operation is DIVIDE and all(arguments[1]):
            return field.multiply(arguments[0], field.invert(arguments[1]))
        return field.draw_opaque(operation, arguments)

    def _circle(self, angle: int) -> tuple[Fingerprint, Fingerprint]:
        """Return the fingerprints of cosine and sine of an angle.

        `angle` is the position of the instruction that computes the angle. For a sum of angles, the
        fingerprints are computed from those of the terms, by addition theorems.
        """
        field = self._field
        cosine, sine = (1,) * field.points, (0,) * field.points  # the angle zero
        for term, times in self._terms(angle).items():
            number = self._instructions[term].payload
            c, s = (
                field.compute_circle(number)
                if isinstance(number, Exact)
                else field.circle(self._values[term])
            )
            # cos and sin of `times` equal angles, by repeated rotation.
            for _ in range(abs(times)):
                cosine, sine = field.rotate(cosine, sine, c, s if times > 0 else field.negate(s))
        return cosine, sine

    def _terms(self, position: int) -> _Linear:
        """Return the angle that an instruction computes, as a sum of integer multiples of angles.

        `position` is the position of the instruction. An angle that is not a sum is 1 times itself.
        """
        operation, operands, *_ = self._instructions[position]
        match operation:
            case Operation.COPY:
                return self._terms(operands[0])
            case Operation.NEGATE:
                return _add_multiple({}, self._terms(operands[0]), -1)
            case Operation.ADD | Operation.SUBTRACT as kind:
                return _add_multiple(
                    self._terms(operands[0]),
                    self._terms(operands[1]),
                    1 if kind is Operation.ADD else -1,
                )
            case Operation.MULTIPLY:
                # Only a small integer times an angle; integers are a, b, c, d, e of `Exact`.
                factor = self._instructions[operands[0]].payload
                if (
                    isinstance(factor, Exact)
                    and factor.integers[1:] == (0, 0, 0, 1)
                    and abs(factor) <= _MOST_TIMES
                ):
                    return _add_multiple({}, self._terms(operands[1]), int(factor.integers[0]))
        return {position: 1}


def compute_fingerprints(
    program: Program, field: ResidueField, positions: Collection[int] | None = None
) -> Fingerprints:
    """Return fingerprints of all values of a program: residues at random points modulo a prime.

    Values with equal fingerprints are the same function of the inputs, except with the small
    probabilities that are stated at `FIELD` and `NARROW_FIELD`.

    Args:
        program: the program.
        field: the prime and the number of random points.
        positions: positions of the values whose fingerprints are needed; None for all values.

    Returns:
        One fingerprint for each instruction, indexed by its position in the program. The
        fingerprints of values that are not needed are empty.
    """
    instructions = program.instructions
    needed = [positions is None or position in positions for position in range(len(instructions))]
    for instruction, is_needed in zip(reversed(instructions), reversed(needed), strict=True):
        if is_needed:
            for operand in instruction.operands:
                needed[operand] = True
    prints = Fingerprints(field)
    for instruction, is_needed in zip(instructions, needed, strict=True):
        prints.append(instruction, prints.compute(instruction) if is_needed else ())
    return prints


def _add_multiple(left: _Linear, right: _Linear, sign: int) -> _Linear:
    """Return left + sign * right, two linear combinations of angles; `sign` is 1 or -1.

    Angles whose factor in the sum is zero are omitted.
    """
    total = dict(left)
    for term, times in right.items():
        total[term] = total.get(term, 0) + sign * times
    return {term: times for term, times in total.items() if times}
