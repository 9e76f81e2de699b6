"""Residues: exact numbers, sines, cosines and opaque functions at a few random points, modulo a prime.

The sine and cosine of an angle are a random point of the unit circle, so that c^2 + s^2 = 1 and all that follows holds.
Functions that are not algebraic are random numbers that depend on the residues of their arguments. All random numbers depend
on what they stand for alone: they are the same in every program and on every machine.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from dynagen.ir.operation import EVEN, Operation
from dynagen.numbers.angle import Angle
from dynagen.numbers.exact import Exact
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
        self._surds = (1, *roots, roots[0] * roots[1] % prime)  # of 1 and the square roots of 2, 3 and 6
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
            changes = sum(x != y for x, y in zip(arguments, bare, strict=True)) % 2 and operation.parity != EVEN
            value = self.random(operation.value, *bare)
            return self.opposite(value) if changes else value
        return self.random(operation.value, *arguments)

    def random(self, *seed: object) -> Fingerprint:
        """Random numbers that depend on the seed alone: the same on every machine."""
        digest = blake2b(repr(seed).encode(), digest_size=16 * self.points).digest()
        return tuple([int.from_bytes(digest[16 * point : 16 * point + 16]) % self.prime for point in range(self.points)])

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
        residue = sum(map(int.__mul__, integers, self._surds)) * pow(denominator, -1, self.prime) % self.prime
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
        cosine = tuple([(1 - t * t) * inverse % self.prime for t, inverse in zip(tangents, inverses, strict=True)])
        sine = tuple([2 * t * inverse % self.prime for t, inverse in zip(tangents, inverses, strict=True)])
        return cosine, sine if bare == angle else self.opposite(sine)


FIELD = ResidueField(2**61 - 465, 3)
"""For single comparisons: two values that differ have the same fingerprint with a probability of less than 1e-50."""

NARROW_FIELD = ResidueField(2**32 - 17, 4)
"""For comparisons by the million: products of residues fit into 64 bits, so that numpy computes with them; 1e-34."""
