"""Triangular factors: the data that least squares needs from any number of samples.

Let A_j = [Y_j | tau_j] be a joint's rows of the regressor next to its measured forces, and A_j =
Q_j R_j with orthogonal Q_j. Then ||Y_j x - tau_j|| is the same for R_j as for A_j, for every x, and
R_j has only as many rows as columns: memory does not grow with the samples. Factors of pieces can
be factored again: R of [R_1; R_2] is R of [A_1; A_2] (tall-skinny QR: Demmel, Grigori, Hoemmen,
Langou, "Communication-optimal parallel and sequential QR and LU factorizations", 2012). One factor
per joint is kept. Weights of joints are applied to the factors, so that estimators which iterate
weights read their logs once.

The sum of Y_j^T Y_j would cost a third of the factorisation and is as small. But that sum has the
square of the condition number of Y_j: a regressor with condition 10^8 would have no correct digit
left in double precision.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynagen.apps.identification.regression import RegressionModel
from dynagen.apps.identification.samples import Samples
from dynagen.errors import UsageError
from dynagen.numbers.arrays import Array, Mask

# States per call of the regressor: their rows stay in the cache until they are factored.
_STATES = 2000
# Entries of a block. From 9216 on OpenBLAS uses all cores, which wait longer than they compute.
_ENTRIES = 8192
# Rows of a block as a multiple of its columns, so that factoring a block reduces the rows.
_FEWEST = 2


@dataclass(frozen=True)
class JointFactors:
    """One triangular factor per joint.

    Attributes:
        factors: R_j of [Y_j | tau_j], upper triangular, with non-negative diagonal, shape (n, p +
            1, p + 1). A parameter that does not affect a joint's force has a zero row and column.
        counts: number of used samples in each joint's factor, shape (n,).
    """

    factors: Array
    counts: NDArray[np.int64]

    def apply_weights(self, weights: ArrayLike) -> Array:
        """Return the factor of all joints' rows together, with one weight per joint.

        Args:
            weights: usually the inverse standard deviation of each joint's residual, shape (n,).

        Returns:
            R of [W Y | W tau], shape (p + 1, p + 1). The last column is Q^T W tau; its last entry
            is the norm of the residual.
        """
        rows = self.factors * np.asarray(weights, dtype=float)[:, None, None]
        return compute_triangle(rows.reshape(-1, rows.shape[-1]))

    def restrict(self, parameters: Iterable[int]) -> JointFactors:
        """Return the factors of the regressor with only these parameters, in this order."""
        kept = [*parameters, self.factors.shape[-1] - 1]
        return JointFactors(
            np.stack([compute_triangle(factor[:, kept]) for factor in self.factors]), self.counts
        )


def compute_factors(
    model: RegressionModel,
    samples: Samples,
    before: JointFactors | None = None,
    scale: Array | None = None,
) -> JointFactors:
    """Compute the factors of samples, in pieces of a few thousand.

    Args:
        model: the regressor.
        samples: any number of samples.
        before: factors of other samples to include.
        scale: factor for each equation, shape (count, n); None: 1.
    """
    factors = before
    for start in range(0, max(1, len(samples)), _STATES):
        piece = slice(start, start + _STATES)
        rows = model.compute_regressor(samples.q[piece], samples.qd[piece], samples.qdd[piece])
        tau = samples.tau[piece]
        if scale is not None:
            rows, tau = rows * scale[piece][..., None], tau * scale[piece]
        factors = _update(rows, tau, samples.used[piece], factors)
    assert factors is not None
    return factors


def merge_factors(one: JointFactors, other: JointFactors) -> JointFactors:
    """Merge the factors of two sets of samples; the order does not matter, except for rounding.

    Args:
        one: factors of some samples.
        other: factors of the other samples.
    """
    stacked = np.concatenate([one.factors, other.factors], axis=1)
    return JointFactors(
        np.stack([compute_triangle(rows) for rows in stacked]), one.counts + other.counts
    )


def accumulate(model: RegressionModel, chunks: Iterable[Samples]) -> JointFactors:
    """Compute the factors of all chunks of samples; only one chunk is in memory at a time.

    Args:
        model: the regressor.
        chunks: samples, as an iterable.

    Raises:
        UsageError: there are no chunks.
    """
    factors: JointFactors | None = None
    for chunk in chunks:
        factors = compute_factors(model, chunk, factors)
    if factors is None:
        raise UsageError("there are no samples to identify from")
    return factors


def _update(rows: Array, tau: Array, used: Mask, before: JointFactors | None) -> JointFactors:
    """Add equations to the factors: regressor (count, n, p), forces and mask (count, n)."""
    factors, counts = [], used.sum(axis=0)
    for joint in range(tau.shape[1]):
        new = np.concatenate([rows[:, joint], tau[:, joint, None]], axis=1)
        new = new if counts[joint] == len(new) else new[used[:, joint]]
        factors.append(
            compute_triangle(
                new if before is None else np.concatenate([before.factors[joint], new])
            )
        )
    return JointFactors(np.stack(factors), counts if before is None else before.counts + counts)


def compute_triangle(rows: Array) -> Array:
    """Compute R of a matrix with c columns, shape (c, c); a non-negative diagonal makes it unique.

    Blocks that fit the cache are faster than LAPACK's factorisation of a tall matrix, and do not
    slow down when other cores are busy.
    """
    columns = rows.shape[1]
    # A joint carries only some of the bodies: about half of all columns are zero.
    nonzero = np.flatnonzero(rows.any(axis=0))
    factor = np.zeros((columns, columns))
    if not nonzero.size:
        return factor
    factor[np.ix_(nonzero, nonzero)] = _reduce(rows[:, nonzero])
    # Signs of rows are free in a QR factorisation: fix them, so that factors can be compared.
    return np.where(np.diagonal(factor) < 0, -1.0, 1.0)[:, None] * factor


def _reduce(rows: Array) -> Array:
    """Compute R of a matrix from blocks of its rows, and then from the factors of the blocks."""
    columns = rows.shape[1]
    height = max(_FEWEST * columns, _ENTRIES // columns)
    while len(rows) > height:
        blocks = -(-len(rows) // height)
        padded = np.zeros((blocks * height, columns))  # rows of zeros change no factor
        padded[: len(rows)] = rows
        rows = _factors(padded.reshape(blocks, height, columns)).reshape(-1, columns)
    square = np.zeros((max(columns, len(rows)), columns))
    square[: len(rows)] = rows
    return _factors(square)


def _factors(blocks: Array) -> Array:
    """Compute R of every matrix of a stack, by Householder reflections (LAPACK's geqrf)."""
    factors: Any = np.linalg.qr(blocks, mode="r")  # numpy's types lack this mode
    return np.asarray(factors)
