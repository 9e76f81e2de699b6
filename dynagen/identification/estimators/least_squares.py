"""Least squares on triangular factors: ordinary, with all joint forces alike, and weighted by joint.

Joint forces differ in size and in noise: the base of an arm takes a hundred times the torque of its wrist. Weighted least
squares divides each joint's equations by the standard deviation of its residual, which follows from the solution, and repeats
that until weights stay (Gautier and Poignet 2001). With factors of each joint that costs no further pass over the samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynagen.errors import UsageError
from dynagen.extras import require_extra
from dynagen.identification.estimate import Estimate
from dynagen.identification.regression import Parameter
from dynagen.identification.samples import Array
from dynagen.identification.triangular import JointFactors

_RANK = 1e-7  # a column of unit length of which less is not explained by others is not told by the samples
_ROUNDS = 100
_SETTLED = 1e-6
_FLOOR = 1e-12  # of a joint's force: the smallest deviation, so that exact samples have weights


@dataclass(frozen=True)
class Solution:
    """What least squares gives for one set of weights.

    Attributes:
        values: of the parameters, shape (p,).
        spread: S with S S^T the inverse of Y^T W^2 Y, rows of zeros for parameters that are held; shape (p, free).
        held: positions of parameters that the samples do not tell.
    """

    values: Array
    spread: Array
    held: tuple[int, ...]


def solve(factor: Array, described: Array) -> Solution:
    """Minimise ||A x - b||, R of [A | b] given, with columns of equal length.

    Where columns depend on each other, one of them after the other is held at its described value until the rest do not.

    Args:
        factor: shape (p + 1, p + 1).
        described: values for what the samples do not tell, shape (p,).
    """
    require_extra("scipy", "identify", "to solve least squares")
    from scipy.linalg import qr, solve_triangular

    columns, forces = factor[:, :-1], factor[:, -1]
    lengths = np.linalg.norm(columns, axis=0)
    scale = np.where(lengths > 0, lengths, 1.0)
    triangular, order = qr(columns / scale, mode="r", pivoting=True)
    pivots = np.abs(np.diag(triangular))
    rank = int(np.sum(pivots > _RANK * max(1.0, pivots[0])))
    free, held = order[:rank], np.sort(order[rank:])
    values = np.array(described, dtype=float)
    scaled = columns[:, free] / scale[free]
    orthogonal, upper = np.linalg.qr(scaled)
    rest = forces - columns[:, held] @ values[held]
    values[free] = solve_triangular(upper, orthogonal.T @ rest) / scale[free]
    spread = np.zeros((len(values), rank))
    spread[free] = solve_triangular(upper, np.eye(rank)) / scale[free, None]
    return Solution(values, spread, tuple(int(place) for place in held))


def deviations_of(factors: JointFactors, solution: Solution, weights: Array) -> Array:
    """Standard deviations of the joints' residuals, inf for a joint without equations; shape (n,)."""
    deviations = np.zeros(len(factors.counts))
    for joint, (factor, count) in enumerate(zip(factors.factors, factors.counts, strict=True)):
        residual = factor @ np.append(solution.values, -1.0)
        taken = weights[joint] ** 2 * np.sum((factor[:, :-1] @ solution.spread) ** 2)
        squares = float(residual @ residual)
        floor = _FLOOR * np.linalg.norm(factor[:, -1])
        deviations[joint] = np.sqrt(max(squares, floor**2) / max(count - taken, 1.0)) if count else np.inf
    return deviations


def covariance_of(factors: JointFactors, solution: Solution, weights: Array, deviations: Array) -> Array:
    """Covariance of the values, where each joint's residuals are white with its deviation; shape (p, p).

    With S from the solution it is S (sum of (w_j^2 s_j)^2 S^T Y_j^T Y_j S) S^T, which is S S^T if the weights are 1/s_j.
    """
    middle = np.zeros((solution.spread.shape[1],) * 2)
    for factor, weight, deviation in zip(factors.factors, weights, deviations, strict=True):
        if weight:
            rows = weight**2 * deviation * (factor[:, :-1] @ solution.spread)
            middle += rows.T @ rows
    covariance: Array = solution.spread @ middle @ solution.spread.T
    return covariance


def estimate_ordinary(factors: JointFactors, parameters: tuple[Parameter, ...]) -> Estimate:
    """Ordinary least squares: all forces count alike."""
    return _estimate("ordinary", factors, parameters, np.where(factors.counts > 0, 1.0, 0.0))


def estimate_weighted(factors: JointFactors, parameters: tuple[Parameter, ...]) -> Estimate:
    """Least squares weighted by the inverse deviation of each joint's residuals, repeated until the weights stay."""
    return _estimate("weighted", factors, parameters, settled_weights(factors, described_of(parameters)))


def settled_weights(factors: JointFactors, described: Array) -> Array:
    """The weights that are the inverse of the deviations that they lead to, 1/(N m) or 1/N; shape (n,).

    Raises:
        UsageError: no joint has equations.
    """
    if not factors.counts.any():
        raise UsageError("no equation is left to identify from: all joints stand, or all their forces are saturated")
    weights = np.where(factors.counts > 0, 1.0, 0.0)
    for _ in range(_ROUNDS):
        before = weights
        deviations = deviations_of(factors, solve(factors.weighted(weights), described), weights)
        weights = np.where(factors.counts > 0, 1 / np.where(deviations > 0, deviations, 1.0), 0.0)
        if np.all(np.abs(weights - before) <= _SETTLED * weights):
            break
    return weights


def refuse_friction_by_load(estimator: str, parameters: tuple[Parameter, ...]) -> None:
    """Refuse friction whose column is no measurement.

    Raises:
        UsageError: there is such friction.
    """
    if any(each.name.endswith(".loss") for each in parameters):
        raise UsageError(
            f"--estimator {estimator} is not available for friction by load, because that column is computed from other "
            "parameters and repeats their errors: take weighted"
        )


def described_of(parameters: tuple[Parameter, ...]) -> Array:
    """The values in the description, shape (p,)."""
    return np.array([parameter.described for parameter in parameters])


def _estimate(name: str, factors: JointFactors, parameters: tuple[Parameter, ...], weights: Array) -> Estimate:
    solution = solve(factors.weighted(weights), described_of(parameters))
    deviations = deviations_of(factors, solution, weights)
    covariance = covariance_of(factors, solution, weights, deviations)
    return Estimate(name, parameters, solution.values, covariance, deviations, solution.held)
