"""Instrumental variables: least squares whose noisy regressor is met by one without that noise.

The regressor of measured motion has noise in its columns, which least squares takes for signal: estimates are biased, by an
amount that depends on the filter. Its product with an instrument, whose columns are like its own but know nothing of the
noise, has no such bias: Z^T W (tau - Y x) = 0. The instrument is the regressor of a simulated motion (A. Janot, P.-O.
Vandanjon, M. Gautier, "A generic instrumental variable approach for industrial robot identification", IEEE Transactions on
Control Systems Technology 22(1), 2014): the robot with the last estimate's parameters under a controller that follows the
measured positions, simulated again with each estimate until that stays.

The controller is computed torque with the first estimate's parameters, critically damped at half the cut-off of the logs'
filter: it follows the motion and is too slow for the noise. Its reference are measured positions and rates; accelerations,
which have the noise of a second derivative, it does not see.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynagen.identification.estimate import Estimate
from dynagen.identification.estimators.least_squares import (
    deviations_of,
    estimate_weighted,
    refuse_friction_by_load,
    solve,
)
from dynagen.identification.regression import RegressionModel
from dynagen.identification.samples import Array, Samples
from dynagen.identification.triangular import JointFactors

_ROUNDS = 5
_SETTLED = 0.02  # standard deviations of a parameter
_PART_OF_CUTOFF = 0.5
_RELAXATIONS = 20
_RELAXED = 1e-6
_BANDWIDTH = 5.0  # Hz, where logs were not filtered


def estimate_instrumental(model: RegressionModel, samples: Sequence[Samples], factors: JointFactors) -> Estimate:
    """Estimate with the simulated motion's regressor as instrument.

    Raises:
        UsageError: friction depends on the load.
    """
    refuse_friction_by_load("instrumental", model.parameters)
    first = estimate_weighted(factors, model.parameters)
    weights = np.where(np.isfinite(first.joint_deviation), 1 / first.joint_deviation, 0.0)
    free = [place for place in range(len(model.parameters)) if place not in first.held]
    measured = [_weighted(model.columns(each.q, each.qd, each.qdd), each, weights) for each in samples]
    forces = [_weighted(each.tau[..., None], each, weights)[:, 0] for each in samples]
    scale = np.sqrt(sum(np.sum(rows**2, axis=0) for rows in measured)[free])
    values, covariance = first.values.copy(), first.covariance.copy()
    for _ in range(_ROUNDS):
        motions = [simulated_motion(model, first.values, values, each) for each in samples]
        instruments = [
            _weighted(model.columns(*motion), each, weights)[:, free] / scale
            for motion, each in zip(motions, samples, strict=True)
        ]
        product = sum(z.T @ (rows[:, free] / scale) for z, rows in zip(instruments, measured, strict=True))
        rest = [
            force - rows[:, list(first.held)] @ values[list(first.held)] for force, rows in zip(forces, measured, strict=True)
        ]
        seen = sum(z.T @ left for z, left in zip(instruments, rest, strict=True))
        before, inverse = values, np.linalg.inv(product)
        values = values.copy()
        values[free] = inverse @ seen / scale
        spread = inverse @ sum(z.T @ z for z in instruments) @ inverse.T / np.outer(scale, scale)
        covariance[np.ix_(free, free)] = spread
        if np.all(np.abs(values - before)[free] <= _SETTLED * np.sqrt(np.diag(spread))):
            break
    solution = solve(factors.weighted(weights), values)
    deviations = deviations_of(factors, type(solution)(values, solution.spread, first.held), weights)
    return Estimate("instrumental", model.parameters, values, covariance, deviations, first.held)


def simulated_motion(model: RegressionModel, known: Array, values: Array, samples: Samples) -> tuple[Array, Array, Array]:
    """The motion of the robot with given parameters under the controller, at the samples' times: q, qd, qdd.

    The controller asks for an acceleration a and gives the torque that its parameters need for it; the robot accelerates by
    a + M^-1 Y(q, qd, a) (known - values). What comes on top of a is small, and is computed for all samples at once from the
    last motion, until motions stay (waveform relaxation); between them stands a linear filter for each joint.

    Args:
        model: the regressor.
        known: parameters that the controller knows, shape (p,).
        values: parameters of the robot, likewise.
        samples: whose motion is followed.
    """
    gain = 2 * np.pi * _PART_OF_CUTOFF * (model.shape.cutoff or 2 * _BANDWIDTH)
    motion = _followed(samples, gain, np.zeros_like(samples.q))
    if not (known - values).any():
        return motion
    for _ in range(_RELAXATIONS):
        before, motion = motion, _followed(samples, gain, _deflection(model, known - values, values, motion, samples, gain))
        if np.abs(motion[2] - before[2]).max() <= _RELAXED * np.abs(motion[2]).max():
            break
    return motion


def _asked(samples: Samples, gain: float, q: Array, qd: Array, rows: slice | int) -> Array:
    """The acceleration that the controller asks for."""
    return np.asarray(2 * gain * (samples.qd[rows] - qd) + gain**2 * (samples.q[rows] - q))


def _followed(samples: Samples, gain: float, deflection: Array) -> tuple[Array, Array, Array]:
    """The motion with given accelerations besides those that are asked for, by the semi-implicit rule of Euler."""
    motion = np.empty((3, *samples.q.shape))
    steps = np.diff(samples.t, append=samples.t[-1])
    gaps = (steps < 0) | (steps > 10 * np.median(steps))
    q, qd = samples.q[0], samples.qd[0]
    for row, step in enumerate(steps):
        if row and gaps[row - 1]:
            q, qd = samples.q[row], samples.qd[row]
        qdd = _asked(samples, gain, q, qd, row) + deflection[row]
        motion[:, row] = q, qd, qdd
        qd = qd + step * qdd
        q = q + step * qd
    return motion[0], motion[1], motion[2]


def _deflection(
    model: RegressionModel, difference: Array, values: Array, motion: tuple[Array, Array, Array], samples: Samples, gain: float
) -> Array:
    """M^-1 Y (known - values): by how much the robot accelerates otherwise than its controller asks, shape (count, n)."""
    q, qd, _ = motion
    still, units = np.zeros_like(q), np.eye(q.shape[1])
    held = model.columns(q, still, still) @ values
    inertia = np.stack([model.columns(q, still, still + unit) @ values - held for unit in units], axis=-1)
    forces = model.columns(q, qd, _asked(samples, gain, q, qd, slice(None))) @ difference
    return np.asarray(np.linalg.solve(inertia, forces[..., None])[..., 0])


def _weighted(rows: Array, samples: Samples, weights: Array) -> Array:
    """Rows of all equations that count, each multiplied by its joint's weight, shape (equations, columns)."""
    counted = rows * (samples.used * weights)[..., None]
    return counted.reshape(-1, rows.shape[-1])
