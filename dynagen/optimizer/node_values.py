"""Values of the nodes of a value graph: residues identify nodes, samples show magnitudes.

A value graph represents a program; each node is a function of the program's inputs, up to its sign.
A literal is a node or its opposite, stored as twice the index of the node, plus one for the
opposite. A node has three kinds of values.

- Residues are the values of the function at random points, modulo a prime of 32 bits. Equal
  functions have equal residues; different functions have different residues, except with a
  negligible probability (`ir.fingerprints`).
- The magnitude is the largest magnitude of the function at a few sampled inputs, a double.
  Magnitudes show whether a sum is much smaller than its terms and hence loses digits.
- Wide residues, modulo a prime of 512 bits, are computed on demand. From the wide residues of two
  nodes x and y, exact fractions k and m with x = k*y + m are reconstructed.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import inf, isnan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynagen.ir.fingerprints import NARROW_FIELD, Fingerprint, ResidueField
from dynagen.ir.operation import ADD, MULTIPLY, Operation
from dynagen.numbers.exact import ONE, ZERO, Exact

Residues = NDArray[np.uint64]
Literal = int
"""Type of a literal: twice a node's index, plus one for the opposite of the node's value."""

PRIME = np.uint64(NARROW_FIELD.prime)
_HALF, _LOW, _FOLD = np.uint64(32), np.uint64(2**32 - 1), np.uint64(2**32 - NARROW_FIELD.prime)
WIDE_FIELD = ResidueField(2**512 - 569, 2)
"""Residues modulo a prime of 512 bits (wide residues), at two random points.

Such a residue determines a fraction if numerator and denominator have at most 60 digits.
"""

_FRACTION_BOUND = 2**200

SAMPLED_STATES = 32
"""Number of random states in which the magnitudes of values are sampled."""


class LeafValue(NamedTuple):
    """A leaf of the value graph: a value that is neither a sum nor a product of other values.

    Attributes:
        residues: residues modulo the 32-bit prime at the random points, shape (points,).
        samples: the value at the sampled inputs, shape (SAMPLED_STATES,).
        guards: bits for the guards of the value. A guard is an operation, such as a division or a
            square root, that is undefined for some operands and on which the value depends.
        wide: function that computes the residues modulo the 512-bit prime.
    """

    residues: Residues
    samples: NDArray[np.float64]
    guards: int
    wide: Callable[[], Fingerprint]


class Combination(NamedTuple):
    """A sum or product of two literals; a literal is a node or its opposite.

    A difference is the sum of a literal and the opposite of another literal.

    Attributes:
        operation: ADD or MULTIPLY.
        left, right: the literals: twice the index of the node, plus one for the opposite.
    """

    operation: Operation
    left: Literal
    right: Literal


def make_combination(kind: int, left: Literal, right: Literal) -> Combination:
    """Return a sum (kind 0), a difference (kind 1) or a product (kind 2) of two literals."""
    return Combination(MULTIPLY if kind == 2 else ADD, left, right ^ (kind == 1))


_LazyFingerprint = Combination | Callable[[], Fingerprint]
"""Type of residues modulo the 512-bit prime that are computed on demand, as few nodes need them."""


class NodeValues:
    """The values of all nodes of a value graph, each up to its sign.

    Attributes:
        residues: residues of each node modulo the 32-bit prime, shape (capacity, points); the
            capacity is at least the number of nodes.
        guards: for each node the bits of its guards. A guard is an operation, such as a division or
            a square root, that is undefined for some operands and on which the node depends.
    """

    def __init__(self) -> None:
        self.residues: Residues = np.zeros((64, NARROW_FIELD.points), np.uint64)
        self.guards: list[int] = []
        self._largest: list[float | None] = []  # None until it is needed
        self._nodes: dict[bytes, int] = {}
        self._samples: list[NDArray[np.float64]] = []
        self._wide: list[Fingerprint | _LazyFingerprint] = []

    def __len__(self) -> int:
        return len(self.guards)

    def add_value(self, value: LeafValue) -> Literal:
        """Return the literal (node or opposite) of a value; add a node if the value is new."""
        return self._intern(*value)

    def add_combination(
        self, combination: Combination, residues: Residues | None = None
    ) -> Literal:
        """Return the literal (node or opposite) of a sum or product; add a node if it is new.

        Args:
            combination: the sum or product.
            residues: its residues modulo the 32-bit prime, shape (points,); None to compute them.
        """
        operation, left, right = combination
        a, b = self.read_samples(left), self.read_samples(right)
        # Samples round; they show magnitudes only and never decide equality.
        samples = a + b if operation is ADD else a * b
        guards = self.guards[left >> 1] | self.guards[right >> 1]
        if residues is None:
            residues = self.compute_residues(combination)
        return self._intern(residues, samples, guards, combination)

    def _intern(
        self, residues: Residues, samples: NDArray[np.float64], guards: int, wide: _LazyFingerprint
    ) -> Literal:
        """Return the literal of a value; add a node if no node is equal or opposite to the value.

        Args:
            residues: residues modulo the 32-bit prime, shape (points,).
            samples: the value at the sampled inputs, shape (SAMPLED_STATES,).
            guards: bits of the guards of the value.
            wide: function that computes the residues modulo the 512-bit prime.
        """
        # x and -x share a node: of r and p - r at the first point, the node has the smaller one.
        negative = bool(residues[0] > PRIME - residues[0])
        if negative:
            residues = (PRIME - residues) % PRIME
        key = residues.tobytes()
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = len(self)
            if node == len(self.residues):
                # Double the rows, so that appending stays linear in time.
                self.residues = np.concatenate([self.residues, np.zeros_like(self.residues)])
            self.residues[node] = residues
            self.guards.append(guards)
            self._largest.append(None)
            self._samples.append(-samples if negative else samples)
            self._wide.append(_negate_lazily(wide) if negative else wide)
        return 2 * node + negative

    def read_samples(self, literal: Literal) -> NDArray[np.float64]:
        """Return a node or its opposite at the sampled inputs, shape (SAMPLED_STATES,)."""
        samples = self._samples[literal >> 1]
        return -samples if literal & 1 else samples

    def find_largest(self, node: int) -> float:
        """Return the largest magnitude of a node at the sampled inputs.

        The result is infinite if the node is undefined at one of these inputs, so that the node is
        never a term of a finite sum.
        """
        largest = self._largest[node]
        if largest is None:
            largest = float(np.abs(self._samples[node]).max())
            self._largest[node] = largest = inf if isnan(largest) else largest
        return largest

    def compute_residues(self, combination: Combination) -> Residues:
        """Compute the residues of a sum or product modulo the 32-bit prime, shape (points,)."""
        operation, left, right = combination
        a, b = self.residues[left >> 1], self.residues[right >> 1]
        if operation is ADD:
            total: Residues = (
                (PRIME - a if left & 1 else a) + (PRIME - b if right & 1 else b)
            ) % PRIME
            return total
        product: Residues = a * b % PRIME
        return (PRIME - product) % PRIME if (left ^ right) & 1 else product

    def solve_affine(
        self, target: Literal, base: Literal, outer: Combination | None = None
    ) -> tuple[Exact, Exact] | None:
        """Return exact numbers k and m such that k*base + m equals the target, or None.

        Args:
            target: literal of the value to compute.
            base: literal of a node that is not a number.
            outer: sum or product with the right operand c; then (k*base + m) + c or (k*base + m)*c
                equals the target, instead of k*base + m. The left operand is ignored.

        Returns:
            The numbers k and m; None if they are not found or not short fractions.
        """
        other = None if outer is None else outer.right
        kind = outer and outer.operation
        factor, term = self.solve_affine_residues(target, base, outer)
        # k = 1 or -1 without m needs no fraction: the narrow field is enough.
        if not term and factor in (1, NARROW_FIELD.prime - 1):
            return (ONE if factor == 1 else -ONE), ZERO
        factor, term = _solve_affine_in(
            WIDE_FIELD,
            self._compute_wide(target),
            self._compute_wide(base),
            kind,
            self._compute_wide(other),
        )
        k, m = _reconstruct_fraction(factor), _reconstruct_fraction(term)
        return None if k is None or m is None else (k, m)

    def solve_affine_residues(
        self, target: Literal, base: Literal, outer: Combination | None = None
    ) -> tuple[int, int]:
        """Return residues of numbers k and m for which k*base + m equals the target, or zeros.

        The residues modulo the 32-bit prime suffice to see whether k is 1 or -1, and whether m is
        0.

        Args:
            target: literal of the value to compute.
            base: literal of a node that is not a number.
            outer: sum or product with the right operand c; then (k*base + m) + c or (k*base + m)*c
                equals the target, instead of k*base + m. The left operand is ignored.
        """
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
        """Return the residues of a literal modulo the 32-bit prime at two points; () for None."""
        if literal is None:
            return ()
        residues = tuple(self.residues[literal >> 1, :2].tolist())
        return NARROW_FIELD.negate(residues) if literal & 1 else residues

    def _compute_wide(self, literal: Literal | None) -> Fingerprint:
        """Return the residues of a literal modulo the 512-bit prime, computed once; () for None."""
        if literal is None:
            return ()
        # A stack in place of recursion: chains of definitions are thousands of nodes long.
        pending = [literal >> 1]
        while pending:
            wide = self._wide[pending[-1]]
            if isinstance(wide, Combination):
                missing = [operand >> 1 for operand in wide[1:] if not self._has_wide(operand)]
                pending += missing
                if missing:
                    continue
                combine = WIDE_FIELD.add if wide.operation is ADD else WIDE_FIELD.multiply
                self._wide[pending[-1]] = combine(
                    self._read_wide(wide.left), self._read_wide(wide.right)
                )
            elif callable(wide):
                self._wide[pending[-1]] = wide()
            pending.pop()
        return self._read_wide(literal)

    def _has_wide(self, literal: Literal) -> bool:
        """Return whether a node's wide residues, modulo the 512-bit prime, have been computed."""
        wide = self._wide[literal >> 1]
        return not isinstance(wide, Combination) and not callable(wide)

    def _read_wide(self, literal: Literal) -> Fingerprint:
        """Return the residues of a literal modulo the 512-bit prime; they must be computed before.

        They are computed if `_has_wide` is true.
        """
        wide = self._wide[literal >> 1]
        assert not isinstance(wide, Combination)
        assert not callable(wide)
        return WIDE_FIELD.negate(wide) if literal & 1 else wide


def _solve_affine_in(
    field: ResidueField,
    target: Fingerprint,
    base: Fingerprint,
    outer: Operation | None,
    other: Fingerprint,
) -> tuple[int, int]:
    """Return the residues of k and m in target = k*base + m; zeros if no k can be found.

    With `outer` ADD, the target is (k*base + m) + other; with MULTIPLY, it is (k*base + m)*other.
    Fingerprints are residues at two points; `other` is empty without `outer`.
    """
    if outer is ADD:
        # Undo the last operation: k base + m = target - c, or target / c.
        target = field.subtract(target, other)
    elif outer is MULTIPLY:
        # Dividing by a residue of zero is not defined; such a formula is given up.
        if not all(other):
            return 0, 0
        target = field.multiply(target, field.invert(other))
    (x, y), (a, b) = target, base
    # The base is constant at these points: no k can be found.
    if a == b:
        return 0, 0
    # k = (y - x)/(b - a) and m = x - k a, from target x, y and base a, b at two points.
    factor = (y - x) * pow(b - a, -1, field.prime) % field.prime
    return factor, (x - factor * a) % field.prime


def _negate_lazily(wide: _LazyFingerprint) -> _LazyFingerprint:
    """Return the residues of a value's opposite modulo the 512-bit prime, computed on demand."""
    if not isinstance(wide, Combination):
        return lambda: WIDE_FIELD.negate(wide())
    operation, left, right = wide
    return Combination(operation, left ^ 1, right ^ 1 if operation is ADD else right)


@lru_cache(maxsize=4096)  # the same numbers relate many values
def _reconstruct_fraction(residue: int) -> Exact | None:
    """Return the short fraction that has a given residue modulo the 512-bit prime, or None.

    Euclid's algorithm yields pairs (n, d) with n = d * residue modulo the prime (Wang, SYMSAC
    1981). The first pair below the bounds is the fraction n/d.
    """
    # Invariant: before = of_before residue and after = of_after residue, modulo the prime.
    before, after, before_factor, after_factor = WIDE_FIELD.prime, residue, 0, 1
    while after > _FRACTION_BOUND:
        quotient = before // after
        before, after, before_factor, after_factor = (
            after,
            before - quotient * after,
            after_factor,
            before_factor - quotient * after_factor,
        )
    return Exact(Fraction(after, after_factor)) if abs(after_factor) < _FRACTION_BOUND else None


def compute_affine_keys(residues: Residues) -> NDArray[np.uint64]:
    """Return a key for each value x, from its residues; x and k*x + m have equal keys.

    From the residues x0 to x3 of a value, the key consists of (x2 - x0)/(x1 - x0) and (x3 - x0)/(x1
    - x0), 32 bits each. Any number k cancels in the ratios, and any number m in the differences.

    Args:
        residues: residues of values at four points, shape (values, 4).

    Returns:
        Keys of 64 bits, shape (values,): one for each row.
    """
    residues = residues % PRIME
    first = residues[:, :1]
    differences = (residues[:, 1:] + (PRIME - first)) % PRIME
    scale = invert_residues(differences[:, 0])
    keys: NDArray[np.uint64] = (differences[:, 1] * scale % PRIME << np.uint64(32)) | (
        differences[:, 2] * scale % PRIME
    )
    return keys


def reduce_products(products: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Return products of two residues, of any shape, modulo the 32-bit prime without a division.

    Modulo the prime, which is 2^32 - 17, the numbers a * 2^32 + b and 17 * a + b are equal.
    """
    for _ in range(2):  # the second result is below 2^32 + 17^2
        products = (products >> _HALF) * _FOLD + (products & _LOW)
    # p is subtracted if the number is not below p: otherwise r - p wraps to a large number.
    reduced: NDArray[np.uint32] = np.minimum(products, products - PRIME).astype(np.uint32)
    return reduced


def invert_residues(residues: Residues) -> Residues:
    """Return the reciprocals, modulo the 32-bit prime, of residues of any shape; zero stays zero.

    In a binary tree of products, 1/a = b/(a*b) and 1/b = a/(a*b) yield the reciprocals of all
    residues a, b, ... from a single modular inversion (Montgomery, "Speeding the Pollard and
    Elliptic Curve Methods of Factorization", Mathematics of Computation 48, 1987).
    """
    if residues.size <= 1:
        return np.array(
            [
                pow(int(residue), -1, NARROW_FIELD.prime) if residue else 0
                for residue in residues.flat
            ],
            np.uint64,
        ).reshape(residues.shape)
    # Zeros are replaced by one, as a single zero would annul all products.
    flat = np.where(residues == 0, np.uint64(1), residues).ravel()
    half = (len(flat) + 1) // 2
    # The last value is paired with one if their number is odd.
    left, right = flat[:half], np.append(flat[half:], np.ones(2 * half - len(flat), np.uint64))
    both = invert_residues(left * right % PRIME)
    result = np.concatenate([both * right % PRIME, both * left % PRIME])[: len(flat)]
    return np.where(residues == 0, np.uint64(0), result.reshape(residues.shape))
