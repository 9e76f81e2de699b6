"""Triangular factors: the data of least squares, in a size independent of the number of samples.

Let A_j = [Y_j | tau_j] be the regressor rows of joint j next to its measured forces, and A_j = Q_j
R_j with orthogonal Q_j. For all parameters x, the norm of the residual Y_j x - tau_j is the same if
R_j replaces A_j. The factor R_j is square, so memory does not grow with the number of samples. The
factors R_1 and R_2 of two pieces A_1 and A_2 of the samples can be merged, because [R_1; R_2] and
[A_1; A_2] have the same triangular factor (tall-skinny QR: Demmel, Grigori, Hoemmen, Langou,
"Communication-optimal parallel and sequential QR and LU factorizations", 2012). Joint weights are
applied to the factors. An estimator that iterates weights therefore reads the logs only once.

The matrix Y_j^T Y_j is as small as R_j and costs a third of the factorisation, but its condition
number is the square of the condition number of Y_j. If the condition number of Y_j is 10^8, a
solution from Y_j^T Y_j has no correct digit in double precision.
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
    """Triangular factors of regressor rows and measured forces, one factor per joint.

    Attributes:
        factors: for each of the n joints, the upper triangular matrix R_j with R_j^T R_j = A_j^T
            A_j and non-negative diagonal, shape (n, p + 1, p + 1). A_j = [Y_j | tau_j] contains the
            joint's regressor rows for p parameters and its measured forces. Rows and columns of
            parameters that do not affect the force of joint j are zero in R_j.
        counts: number of used samples in each joint's factor, shape (n,).
    """

    factors: Array
    counts: NDArray[np.int64]

    def apply_weights(self, weights: ArrayLike) -> Array:
        """Return one triangular factor R for the weighted least-squares problem of all joints.

        The problem is to minimise |W (Y x - tau)| over the parameters x. Y is the regressor with p
        columns, tau contains the measured forces, and the diagonal matrix W the weight of each
        row's joint.

        Args:
            weights: weight of each joint, usually 1 / standard deviation of its residuals, shape
                (n,).

        Returns:
            The factor R of [W Y | W tau], shape (p + 1, p + 1). The last entry of column p + 1 is
            the norm of the least-squares residual.
        """
        rows = self.factors * np.asarray(weights, dtype=float)[:, None, None]
        return compute_triangle(rows.reshape(-1, rows.shape[-1]))

    def restrict(self, parameters: Iterable[int]) -> JointFactors:
        """Return the triangular factors for the regressor columns of some parameters only.

        Args:
            parameters: indices of the kept parameters, in the order of the result's columns.
        """
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
    """Compute one triangular factor per joint from the regressor and forces of samples.

    The factor R_j of joint j satisfies R_j^T R_j = A_j^T A_j, where A_j = [Y_j | tau_j] contains
    regressor rows and measured forces. Samples are processed in pieces that fit the cache.

    Args:
        model: regressor of joint forces with p parameters.
        samples: any number of samples of motion and measured joint forces.
        before: factors of other samples, to which these samples are added; None: no other samples.
        scale: factor by which the regressor row and the force of each sample and joint are
            multiplied, shape (samples, n); None for 1.

    Returns:
        The factors, shape (n, p + 1, p + 1), and the number of used samples of each joint.
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
    """Merge the triangular factors of two sets of samples to the factors of all samples.

    Args:
        one: factors of the first set of samples.
        other: factors of the second set, for the same joints and parameters.
    """
    stacked = np.concatenate([one.factors, other.factors], axis=1)
    return JointFactors(
        np.stack([compute_triangle(rows) for rows in stacked]), one.counts + other.counts
    )


def accumulate(model: RegressionModel, chunks: Iterable[Samples]) -> JointFactors:
    """Compute one triangular factor per joint from all chunks of samples.

    Only one chunk of samples is in memory at a time.

    Args:
        model: regressor of joint forces.
        chunks: motions and measured joint forces, in any order.

    Raises:
        UsageError: there are no chunks.
    """
    factors: JointFactors | None = None
    for chunk in chunks:
        factors = compute_factors(model, chunk, factors)
    if factors is None:
        raise UsageError("expected at least one piece of samples, found none")
    return factors


def _update(rows: Array, tau: Array, used: Mask, before: JointFactors | None) -> JointFactors:
    """Add regressor rows and measured forces to the triangular factors `before`.

    `rows` has the shape (samples, n, p) for n joints and p parameters; `tau` and `used` have the
    shape (samples, n). Only samples that are True in `used` are added. `before` is None for new
    factors.
    """
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
    """Compute the upper triangular matrix R with R^T R = A^T A for a matrix A.

    The diagonal of R is not negative, which makes R unique if A has full rank. Factoring blocks
    that fit the cache is faster than LAPACK's factorisation of a tall matrix.

    Args:
        rows: the matrix A with c columns, shape (any number of rows, c).

    Returns:
        The matrix R, shape (c, c).
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
    """Compute the triangular factor of a matrix: factor blocks of rows, then merge the factors."""
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
    """Compute the triangular factor of every matrix in a stack, by Householder reflections."""
    factors: Any = np.linalg.qr(blocks, mode="r")  # numpy's types lack this mode
    return np.asarray(factors)
