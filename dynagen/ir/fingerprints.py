"""Fingerprints: every value of a program evaluated exactly at a few random points modulo a prime.

Two values that are the same function of the inputs have the same fingerprint, whatever they look like; two that are not have
the same one with a probability of less than 1e-50, as polynomials of low degree vanish in few points (J. T. Schwartz, "Fast
Probabilistic Algorithms for Verification of Polynomial Identities", J. ACM 27(4), 1980). What is found by them is proved
afterwards like anything else. Logic synthesis finds nodes of equal function in this way, by simulation (A. Mishchenko, S.
Chatterjee, R. Brayton, "FRAIGs: A Unifying Representation for Logic Synthesis and Verification", 2005).

The sine and cosine of an angle are a random point of the unit circle, so that c^2 + s^2 = 1 and all that follows is known for
nothing; points of sums and integer multiples of angles are made from those of their terms, so that c12 = c1 c2 - s1 s2 is
known too. Functions that are not algebraic are random numbers that depend on the fingerprint of their argument.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from dynagen.ir.operation import EVEN, Operation
from dynagen.ir.program import Element, Instruction
from dynagen.numbers.angle import Angle
from dynagen.numbers.exact import Exact
from dynagen.numbers.parametric import Atom, FunctionOf, Parametric

PRIME = 2**61 - 465
"""The largest that is 23 modulo 24. So 2 and 3 are squares, and square roots in a robot's numbers have residues of their own;
-1 is none, so that 1 + t^2 is never zero, and every t gives a point of the unit circle."""

POINTS = 3

Fingerprint = tuple[int, ...]
"""Residues, one for each point."""

_ROOTS = (1, pow(2, (PRIME + 1) // 4, PRIME), pow(3, (PRIME + 1) // 4, PRIME))
_RESIDUES = (*_ROOTS, _ROOTS[1] * _ROOTS[2] % PRIME)  # of 1 and the square roots of 2, 3 and 6

_MOST_TIMES = 8  # that an angle is multiplied by, to be known as a sum

_Linear = dict[int, int]
"""Positions of angles and what they are multiplied by in a sum of them."""


class Fingerprints:
    """The fingerprints of a growing program's values, by position."""

    def __init__(self) -> None:
        self._instructions: list[Instruction] = []
        self._values: list[Fingerprint] = []

    def __getitem__(self, position: int) -> Fingerprint:
        return self._values[position]

    def __len__(self) -> int:
        return len(self._values)

    def append(self, instruction: Instruction, value: Fingerprint) -> None:
        """Take an instruction on values that are here, and its fingerprint."""
        self._instructions.append(instruction)
        self._values.append(value)

    def of(self, instruction: Instruction) -> Fingerprint:
        """The fingerprint of an instruction on values that are here."""
        operation, operands, payload, *_ = instruction
        if isinstance(payload, Exact):
            return of_number(payload)
        if isinstance(payload, Element):
            return _random("input", payload.argument, payload.index)
        match operation, [self._values[operand] for operand in operands]:
            case Operation.COPY, [x]:
                return x
            case Operation.NEGATE, [x]:
                return opposite(x)
            case Operation.ADD, [x, y]:
                return tuple([(a + b) % PRIME for a, b in zip(x, y, strict=True)])
            case Operation.SUBTRACT, [x, y]:
                return tuple([(a - b) % PRIME for a, b in zip(x, y, strict=True)])
            case Operation.MULTIPLY, [x, y]:
                return tuple([a * b % PRIME for a, b in zip(x, y, strict=True)])
            case Operation.DIVIDE, [x, y] if all(y):
                return tuple([a * pow(b, -1, PRIME) % PRIME for a, b in zip(x, y, strict=True)])
            case Operation.SINE | Operation.COSINE, _:
                return self._circle(operands[0])[operation is Operation.SINE]
            case _, arguments:
                return _opaque(operation, arguments)

    def _circle(self, angle: int) -> tuple[Fingerprint, Fingerprint]:
        """Cosine and sine of an angle: the product, as complex numbers, of the points of its terms."""
        cosine, sine = (1,) * POINTS, (0,) * POINTS
        for term, times in self._terms(angle).items():
            number = self._instructions[term].payload
            c, s = _circle_of_number(number) if isinstance(number, Exact) else _circle_of(self._values[term])
            for _ in range(abs(times)):
                cosine, sine = _rotated(cosine, sine, c, s if times > 0 else opposite(s))
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


def opposite(value: Fingerprint) -> Fingerprint:
    """The fingerprint of the negative of a value."""
    return tuple([-residue % PRIME for residue in value])


@lru_cache(maxsize=65536)
def of_number(number: Exact) -> Fingerprint:
    """The residues of a number, which are all the same unless it depends on run-time parameters."""
    if isinstance(number, Parametric):
        total = (0,) * POINTS
        for monomial, coefficient in number.terms:
            term = of_number(coefficient)
            for atom in monomial:
                term = tuple([a * b % PRIME for a, b in zip(term, _of_atom(atom), strict=True)])
            total = tuple([(a + b) % PRIME for a, b in zip(total, term, strict=True)])
        return total
    *integers, denominator = number.integers
    if denominator % PRIME == 0:
        return _random("number", str(number))
    residue = sum(map(int.__mul__, integers, _RESIDUES)) * pow(denominator, -1, PRIME) % PRIME
    return (residue,) * POINTS


@lru_cache(maxsize=65536)
def _of_atom(atom: Atom) -> Fingerprint:
    if not isinstance(atom, FunctionOf):
        return _random("parameter", str(atom))
    argument = of_number(atom.argument)
    match atom.name:
        case "cos" | "sin" as name:
            return _circle_of(argument)[name == "sin"]
        case "reciprocal" if all(argument):
            return tuple([pow(residue, -1, PRIME) for residue in argument])
    return _random(atom.name, argument)


def _opaque(operation: Operation, arguments: list[Fingerprint]) -> Fingerprint:
    """A random number for a function of its arguments; equal where the function's symmetries make its values equal."""
    if operation.commutes:
        return _random(operation.value, *sorted(arguments))
    if operation.parity:
        bare = [min(argument, opposite(argument)) for argument in arguments]
        changes = sum(x != y for x, y in zip(arguments, bare, strict=True)) % 2 and operation.parity != EVEN
        value = _random(operation.value, *bare)
        return opposite(value) if changes else value
    return _random(operation.value, *arguments)


@lru_cache(maxsize=65536)
def _circle_of(angle: Fingerprint) -> tuple[Fingerprint, Fingerprint]:
    """A random point of the unit circle for every angle, that of the opposite angle with the opposite sine."""
    bare = min(angle, opposite(angle))
    if not any(bare):
        return (1,) * POINTS, (0,) * POINTS
    tangents = _random("angle", bare)
    inverses = [pow(1 + t * t, -1, PRIME) for t in tangents]
    cosine = tuple([(1 - t * t) * inverse % PRIME for t, inverse in zip(tangents, inverses, strict=True)])
    sine = tuple([2 * t * inverse % PRIME for t, inverse in zip(tangents, inverses, strict=True)])
    return cosine, sine if bare == angle else opposite(sine)


def _circle_of_number(angle: Exact) -> tuple[Fingerprint, Fingerprint]:
    known = Angle(angle)
    return of_number(known.cos), of_number(known.sin)


def _rotated(cosine: Fingerprint, sine: Fingerprint, c: Fingerprint, s: Fingerprint) -> tuple[Fingerprint, Fingerprint]:
    """Cosine and sine of the sum of two angles."""
    points = list(zip(cosine, sine, c, s, strict=True))
    return tuple([(a * x - b * y) % PRIME for a, b, x, y in points]), tuple([(a * y + b * x) % PRIME for a, b, x, y in points])


def _sum(left: _Linear, right: _Linear, sign: int) -> _Linear:
    total = dict(left)
    for term, times in right.items():
        total[term] = total.get(term, 0) + sign * times
    return {term: times for term, times in total.items() if times}


def _random(*seed: object) -> Fingerprint:
    """Random numbers that depend on the seed alone: the same on every machine."""
    digest = blake2b(repr(seed).encode(), digest_size=16 * POINTS).digest()
    return tuple([int.from_bytes(digest[16 * point : 16 * point + 16]) % PRIME for point in range(POINTS)])
