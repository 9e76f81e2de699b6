"""Values of the nodes of a value graph: residues that identify them, and floating-point values that show rounding errors.

Residues by the thousand: invert_residues, and keys that are the same for all multiples of a value with a number added.

Values of the nodes of a network: residues to recognise them by, numbers to see how large they are, exact ratios of them.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, isnan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynagen.ir.fingerprints import NARROW_FIELD, Fingerprint, ResidueField
from dynagen.ir.operation import Operation
from dynagen.numbers.exact import ONE, ZERO, Exact


def compute_affine_keys(residues: Residues) -> NDArray[np.uint64]:
    """One number for residues at four points, the same for all multiples, with whatever number is added to them."""
    residues = residues % PRIME
    first = residues[:, :1]
    differences = (residues[:, 1:] + (PRIME - first)) % PRIME
    scale = invert_residues(differences[:, 0])
    keys: NDArray[np.uint64] = (differences[:, 1] * scale % PRIME << np.uint64(32)) | (
        differences[:, 2] * scale % PRIME
    )
    return keys


def invert_residues(residues: Residues) -> Residues:
    """One over residues, and zero of zero.

    With one reciprocal for all: each is the product of all others, times that of all (P. Montgomery, 1987), in a tree.
    """
    if residues.size <= 1:
        return np.array(
            [pow(int(each), -1, NARROW_FIELD.prime) if each else 0 for each in residues.flat],
            np.uint64,
        ).reshape(residues.shape)
    flat = np.where(residues == 0, np.uint64(1), residues).ravel()
    half = (len(flat) + 1) // 2
    left, right = flat[:half], np.append(flat[half:], np.ones(2 * half - len(flat), np.uint64))
    both = invert_residues(left * right % PRIME)
    result = np.concatenate([both * right % PRIME, both * left % PRIME])[: len(flat)]
    return np.where(residues == 0, np.uint64(0), result.reshape(residues.shape))


Residues = NDArray[np.uint64]
Literal = int
"""Twice the number of a node, and one more if its opposite is meant."""

PRIME = np.uint64(NARROW_FIELD.prime)
WIDE_FIELD = ResidueField(2**512 - 569, 2)
"""For the numbers of new constants: a fraction of up to 60 digits above and below is known by its residue."""

_FRACTION_BOUND = 2**200


class LeafValue(NamedTuple):
    """A value that is no sum or product of others.

    Attributes:
        residues: at the points of the narrow field.
        numbers: in a few states.
        guards: bits of the divisions and functions that it is behind.
        wide: computes its residues in the wide field.
    """

    residues: Residues
    numbers: NDArray[np.float64]
    guards: int
    wide: Callable[[], Fingerprint]


class Combination(NamedTuple):
    """A sum or product of two nodes, or of their opposites."""

    operation: Operation
    left: Literal
    right: Literal


def make_combination(kind: int, left: Literal, right: Literal) -> Combination:
    """A sum, difference or product: kinds 0, 1 and 2, in the order in which they are looked for."""
    return Combination(
        Operation.MULTIPLY if kind == 2 else Operation.ADD, left, right ^ (kind == 1)
    )


_LazyFingerprint = Combination | Callable[[], Fingerprint]
"""Wide residues that nobody has asked for yet; few are ever."""


class NodeValues:
    """The values of nodes, each up to its sign.

    Attributes:
        residues: of every node, shape (at least the number of nodes, points).
        largest: of every node, in any state.
        guards: of every node.
    """

    def __init__(self) -> None:
        self.residues: Residues = np.zeros((64, NARROW_FIELD.points), np.uint64)
        self.largest: list[float] = []
        self.guards: list[int] = []
        self._nodes: dict[bytes, int] = {}
        self._numbers: list[NDArray[np.float64]] = []
        self._wide: list[Fingerprint | _LazyFingerprint] = []

    def __len__(self) -> int:
        return len(self.largest)

    def add_value(self, value: LeafValue) -> Literal:
        """The literal of a value, found or new."""
        return self._intern(*value)

    def add_combination(self, combination: Combination) -> Literal:
        """The literal of a sum or product, found or new."""
        operation, left, right = combination
        a, b = self._numbers[left >> 1], self._numbers[right >> 1]
        if operation is Operation.ADD:
            numbers = (-a if left & 1 else a) + (-b if right & 1 else b)
        else:
            numbers = -a * b if (left ^ right) & 1 else a * b
        guards = self.guards[left >> 1] | self.guards[right >> 1]
        return self._intern(self.compute_residues(combination), numbers, guards, combination)

    def _intern(
        self, residues: Residues, numbers: NDArray[np.float64], guards: int, wide: _LazyFingerprint
    ) -> Literal:
        negative = bool(residues[0] > PRIME - residues[0])
        if negative:
            residues = (PRIME - residues) % PRIME
        key = residues.tobytes()
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = len(self)
            if node == len(self.residues):
                self.residues = np.concatenate([self.residues, np.zeros_like(self.residues)])
            self.residues[node] = residues
            largest = float(np.abs(numbers).max())
            self.largest.append(inf if isnan(largest) else largest)
            self.guards.append(guards)
            self._numbers.append(-numbers if negative else numbers)
            self._wide.append(_negate_lazily(wide) if negative else wide)
        return 2 * node + negative

    def compute_residues(self, combination: Combination) -> Residues:
        """The residues of a sum or product."""
        operation, left, right = combination
        a, b = self.residues[left >> 1], self.residues[right >> 1]
        if operation is Operation.ADD:
            total: Residues = (
                (PRIME - a if left & 1 else a) + (PRIME - b if right & 1 else b)
            ) % PRIME
            return total
        product: Residues = a * b % PRIME
        return (PRIME - product) % PRIME if (left ^ right) & 1 else product

    def solve_affine(
        self, target: Literal, base: Literal, outer: Combination | None = None
    ) -> tuple[Exact, Exact] | None:
        """The numbers k and m with which k base + m is a value; None if there are none, or they are no short fractions.

        Args:
            target: the value.
            base: literal of a node that is no number.
            outer: what is to be added to k base + m, as its right operand, or multiplied by it, to give the target.
        """
        other = None if outer is None else outer.right
        kind = outer and outer.operation
        factor, term = self.solve_affine_residues(target, base, outer)
        if not term and factor in (1, NARROW_FIELD.prime - 1):
            return (ONE if factor == 1 else -ONE), ZERO
        factor, term = _solve_affine_in(
            WIDE_FIELD,
            self._compute_wide(target),
            self._compute_wide(base),
            kind,
            self._compute_wide(other),
        )
        numbers = _reconstruct_fraction(factor), _reconstruct_fraction(term)
        return None if numbers[0] is None or numbers[1] is None else (numbers[0], numbers[1])

    def solve_affine_residues(
        self, target: Literal, base: Literal, outer: Combination | None = None
    ) -> tuple[int, int]:
        """The residues of the numbers of `affine` in the narrow field; zeros if there are none."""
        other = None if outer is None else outer.right
        kind = outer and outer.operation
        return _solve_affine_in(
            NARROW_FIELD,
            self._read_narrow(target),
            self._read_narrow(base),
            kind,
            self._read_narrow(other),
        )

    def _read_narrow(self, literal: Literal | None) -> Fingerprint:
        if literal is None:
            return ()
        residues = tuple(self.residues[literal >> 1, :2].tolist())
        return NARROW_FIELD.opposite(residues) if literal & 1 else residues

    def _compute_wide(self, literal: Literal | None) -> Fingerprint:
        if literal is None:
            return ()
        pending = [literal >> 1]
        while pending:
            wide = self._wide[pending[-1]]
            if isinstance(wide, Combination):
                missing = [each >> 1 for each in wide[1:] if not self._has_wide(each)]
                pending += missing
                if missing:
                    continue
                combine = WIDE_FIELD.add if wide.operation is Operation.ADD else WIDE_FIELD.multiply
                self._wide[pending[-1]] = combine(
                    self._read_wide(wide.left), self._read_wide(wide.right)
                )
            elif callable(wide):
                self._wide[pending[-1]] = wide()
            pending.pop()
        return self._read_wide(literal)

    def _has_wide(self, literal: Literal) -> bool:
        wide = self._wide[literal >> 1]
        return not isinstance(wide, Combination) and not callable(wide)

    def _read_wide(self, literal: Literal) -> Fingerprint:
        wide = self._wide[literal >> 1]
        assert not isinstance(wide, Combination)
        assert not callable(wide)
        return WIDE_FIELD.opposite(wide) if literal & 1 else wide


def _solve_affine_in(
    field: ResidueField,
    target: Fingerprint,
    base: Fingerprint,
    outer: Operation | None,
    other: Fingerprint,
) -> tuple[int, int]:
    """The residues of k and m, from two points; zeros if there are none."""
    if outer is Operation.ADD:
        target = field.subtract(target, other)
    elif outer is Operation.MULTIPLY:
        if not all(other):
            return 0, 0
        target = field.multiply(target, field.reciprocal(other))
    (x, y), (a, b) = target, base
    if a == b:
        return 0, 0
    factor = (y - x) * pow(b - a, -1, field.prime) % field.prime
    return factor, (x - factor * a) % field.prime


def _negate_lazily(wide: _LazyFingerprint) -> _LazyFingerprint:
    if not isinstance(wide, Combination):
        return lambda: WIDE_FIELD.opposite(wide())
    operation, left, right = wide
    return Combination(operation, left ^ 1, right ^ 1 if operation is Operation.ADD else right)


def _reconstruct_fraction(residue: int) -> Exact | None:
    """The fraction with a residue, if there is one that is short: by Euclid's algorithm (P. Wang, SYMSAC 1981)."""
    before, after, of_before, of_after = WIDE_FIELD.prime, residue, 0, 1
    while after > _FRACTION_BOUND:
        quotient = before // after
        before, after, of_before, of_after = (
            after,
            before - quotient * after,
            of_after,
            of_before - quotient * of_after,
        )
    return Exact(Fraction(after, of_after)) if abs(of_after) < _FRACTION_BOUND else None
