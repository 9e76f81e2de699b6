"""Triangular factors: all that least squares needs of any number of samples, accumulated in memory that does not grow.

A joint's rows of the regressor Y_j and its measured forces tau_j, side by side, are A_j = [Y_j | tau_j] = Q_j R_j with
orthogonal Q_j. Whatever least squares asks of A_j, ||Y_j x - tau_j|| for any x among it, R_j answers alike, and R_j has as
many rows as columns. Factors of pieces are factored together in turn: R of [R_1; R_2] is that of [A_1; A_2] (tall-skinny QR:
Demmel, Grigori, Hoemmen, Langou 2012). One factor a joint is kept, so that weights of joints are applied afterwards:
estimators that iterate them read their logs once.

The sum of Y_j^T Y_j would be cheaper by two thirds and as small, but it squares the condition number: of a regressor with 10^8
nothing would be left in double precision, and the smallest parameters would be lost long before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynagen.apps.identification.regression import RegressionModel
from dynagen.apps.identification.samples import Array, Mask, Samples
from dynagen.errors import UsageError

_STATES = 2000  # that the regressor is computed for at once: its rows stay in the cache until they are factored
_ENTRIES = 8192  # of a block. From 9216 on OpenBLAS takes all cores for it, which wait for each other longer than they compute
_FEWEST = 2  # rows of a block as multiples of its columns, so that factoring blocks leaves fewer rows than it found


@dataclass(frozen=True)
class JointFactors:
    """One triangular factor for each joint.

    Attributes:
        factors: R_j of [Y_j | tau_j], upper triangular with a diagonal that is not negative, shape (n, p + 1, p + 1). A
            parameter that no force of the joint depends on has a column and a row of zeros.
        counts: samples behind each joint's factor, those alone that are used; shape (n,).
    """

    factors: Array
    counts: NDArray[np.int64]

    def weighted(self, weights: ArrayLike) -> Array:
        """The factor of all joints' rows together, each joint's multiplied by its weight.

        Args:
            weights: one a joint, usually the inverse of its residual's standard deviation; shape (n,).

        Returns:
            R of [W Y | W tau], shape (p + 1, p + 1): its last column but for its last element is Q^T W tau, and that element
            the norm of what no parameters explain.
        """
        rows = self.factors * np.asarray(weights, dtype=float)[:, None, None]
        return triangle_of(rows.reshape(-1, rows.shape[-1]))

    def restricted(self, parameters: Iterable[int]) -> JointFactors:
        """The factors of a regressor that has only these of the parameters, in this order."""
        kept = [*parameters, self.factors.shape[-1] - 1]
        return JointFactors(
            np.stack([triangle_of(factor[:, kept]) for factor in self.factors]), self.counts
        )


def factors_of(
    model: RegressionModel,
    samples: Samples,
    before: JointFactors | None = None,
    scale: Array | None = None,
) -> JointFactors:
    """The factors of samples, in memory for a few thousand of them beside the samples themselves.

    Args:
        model: gives their regressors.
        samples: any number of them.
        before: factors of other samples, which count as well.
        scale: what each equation is multiplied by, shape (count, n); None: by one.
    """
    factors = before
    for start in range(0, max(1, len(samples)), _STATES):
        piece = slice(start, start + _STATES)
        rows = model.columns(samples.q[piece], samples.qd[piece], samples.qdd[piece])
        tau = samples.tau[piece]
        if scale is not None:
            rows, tau = rows * scale[piece][..., None], tau * scale[piece]
        factors = _factored(rows, tau, samples.used[piece], factors)
    assert factors is not None
    return factors


def merged(one: JointFactors, other: JointFactors) -> JointFactors:
    """The factors of the samples behind both; in any order the same, to rounding."""
    stacked = np.concatenate([one.factors, other.factors], axis=1)
    return JointFactors(
        np.stack([triangle_of(rows) for rows in stacked]), one.counts + other.counts
    )


def accumulate(model: RegressionModel, chunks: Iterable[Samples]) -> JointFactors:
    """The factors of all samples of chunks, each of which is forgotten before the next is asked for.

    Raises:
        UsageError: there are no chunks.
    """
    factors: JointFactors | None = None
    for chunk in chunks:
        factors = factors_of(model, chunk, factors)
    if factors is None:
        raise UsageError("there are no samples to identify from")
    return factors


def _factored(rows: Array, tau: Array, used: Mask, before: JointFactors | None) -> JointFactors:
    """The factors of regressors, shape (count, n, p), of forces, shape (count, n), and of what came before."""
    factors, counts = [], used.sum(axis=0)
    for joint in range(tau.shape[1]):
        new = np.concatenate([rows[:, joint], tau[:, joint, None]], axis=1)
        new = new if counts[joint] == len(new) else new[used[:, joint]]
        factors.append(
            triangle_of(new if before is None else np.concatenate([before.factors[joint], new]))
        )
    return JointFactors(np.stack(factors), counts if before is None else before.counts + counts)


def triangle_of(rows: Array) -> Array:
    """R of a matrix with c columns, shape (c, c), with a diagonal that is not negative, so that it is the only one.

    Cores that are busy with other things do not slow it down, as they do LAPACK's own factoring of tall matrices.
    """
    columns = rows.shape[1]
    here = np.flatnonzero(
        rows.any(axis=0)
    )  # joints carry few of the bodies: half of all columns are zeros
    factor = np.zeros((columns, columns))
    if not here.size:
        return factor
    factor[np.ix_(here, here)] = _reduced(rows[:, here])
    return np.where(np.diagonal(factor) < 0, -1.0, 1.0)[:, None] * factor


def _reduced(rows: Array) -> Array:
    """R of a matrix: of blocks of its rows, each of which fits the cache, then of their factors, until there is one."""
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
    """R of every matrix of a stack, by Householder reflections (LAPACK's geqrf)."""
    factors: Any = np.linalg.qr(blocks, mode="r")  # whose types do not know this mode
    return np.asarray(factors)
