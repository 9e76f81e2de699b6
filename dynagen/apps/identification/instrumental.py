"""Instrumental-variable estimator, which avoids the bias of least squares with a noisy regressor.

The regressor Y of a measured motion contains noise. The noise biases the least-squares estimate. An
instrument Z is a matrix whose columns resemble the columns of Y, but contain no noise. With weights
W and joint forces tau, the solution x of the equations Z^T W (tau - Y x) = 0 does not have this
bias.

The instrument Z is the regressor of a simulated motion (Janot, Vandanjon and Gautier, "A generic
instrumental variable approach for industrial robot identification", IEEE Transactions on Control
Systems Technology 22(1), 2014). The simulated robot has the estimated parameters, and a controller
makes the robot follow the measured positions. Simulation and estimate are repeated until the
parameters are constant.

The controller is a computed-torque controller with the parameters of the first estimate. The
controller is critically damped, with half the cut-off frequency of the logs' low-pass filter as
natural frequency. With this bandwidth, the robot follows the motion, but not the measurement noise.
The controller uses measured positions and velocities, but not measured accelerations, which are too
noisy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynagen.apps.identification.estimators import (
    Estimate,
    Solution,
    compute_deviations,
    estimate_weighted,
    refuse_friction_by_load,
    solve,
)
from dynagen.apps.identification.regression import RegressionModel
from dynagen.apps.identification.samples import Samples
from dynagen.apps.identification.triangular import JointFactors
from dynagen.errors import UsageError
from dynagen.numbers.arrays import Array

_ROUNDS = 5
_SETTLED = 0.02  # change of a parameter, in its standard deviations
_PART_OF_CUTOFF = 0.5  # bandwidth of the controller relative to the filter's cut-off
_PART_OF_RATE = 0.5  # largest gain of the controller relative to the sampling rate
_RELAXATIONS = 20
_RELAXED = 1e-6  # change of the acceleration, relative to the greatest
_DIVERGED = 1e3  # acceleration relative to the greatest that is requested
_BANDWIDTH = 5.0  # Hz, of the controller if the logs were not filtered


def estimate_instrumental(
    model: RegressionModel, samples: Sequence[Samples], factors: JointFactors
) -> Estimate:
    """Estimate by instrumental variables, which avoid the bias due to noise in the regressor.

    The instrument is the regressor of a simulated motion, and is computed again with the new
    parameters until the parameters are constant.

    Parameters that the samples do not determine keep their described values.

    Args:
        model: regressor of joint forces.
        samples: filtered motions and measured joint forces, one object per log.
        factors: triangular factor of each joint's regressor rows and measured forces in `samples`.

    Raises:
        UsageError: a parameter belongs to the friction law `load`, or the simulation diverges.
    """
    refuse_friction_by_load("instrumental", model.parameters)
    first = estimate_weighted(factors, model.parameters)
    weights = np.where(np.isfinite(first.joint_deviation), 1 / first.joint_deviation, 0.0)
    free = [index for index in range(len(model.parameters)) if index not in first.held]
    measured = [
        _weigh(model.compute_regressor(log.q, log.qd, log.qdd), log, weights) for log in samples
    ]
    forces = [_weigh(log.tau[..., None], log, weights)[:, 0] for log in samples]
    # Columns of unit length, so that the inverse below does not depend on units.
    scale = np.sqrt(sum(np.sum(rows**2, axis=0) for rows in measured)[free])
    values, covariance = first.values.copy(), first.covariance.copy()
    for _ in range(_ROUNDS):
        motions = [simulate_motion(model, first.values, values, log) for log in samples]
        instruments = [
            _weigh(model.compute_regressor(*motion), log, weights)[:, free] / scale
            for motion, log in zip(motions, samples, strict=True)
        ]
        product = sum(
            z.T @ (rows[:, free] / scale) for z, rows in zip(instruments, measured, strict=True)
        )
        rest = [
            force - rows[:, list(first.held)] @ values[list(first.held)]
            for force, rows in zip(forces, measured, strict=True)
        ]
        # Z^T W (tau - Y x) = 0, solved for the free parameters.
        right_side = sum(z.T @ left for z, left in zip(instruments, rest, strict=True))
        before, inverse = values, np.linalg.inv(product)
        values = values.copy()
        values[free] = inverse @ right_side / scale
        spread = inverse @ sum(z.T @ z for z in instruments) @ inverse.T / np.outer(scale, scale)
        covariance[np.ix_(free, free)] = spread
        if np.all(np.abs(values - before)[free] <= _SETTLED * np.sqrt(np.diag(spread))):
            break
    solution = solve(factors.apply_weights(weights), values)
    solution = Solution(values, solution.spread, first.held)
    deviations = compute_deviations(factors, solution, weights)
    return Estimate("instrumental", model.parameters, values, covariance, deviations, first.held)


def simulate_motion(
    model: RegressionModel, known: Array, values: Array, samples: Samples
) -> tuple[Array, Array, Array]:
    """Simulate the robot under a controller that follows measured positions and velocities.

    The controller requests an acceleration a, and applies the joint forces that the parameters
    `known` predict for a. The robot's acceleration is then a + M^-1 Y(q, qd, a) (known - values),
    where M is the mass matrix. The second term is small, and is computed for all samples from the
    motion of the last iteration. The motion then follows from a linear filter for each joint. The
    iteration ends when the motion is constant (waveform relaxation).

    Args:
        model: regressor Y, with joint forces Y(q, qd, qdd) x for the parameters x.
        known: parameters in the controller, SI units, shape (p,).
        values: parameters of the simulated robot, SI units, shape (p,).
        samples: the measured motion that the controller follows.

    Returns:
        Positions, velocities and accelerations at the times of the samples, shape (count, n) each.

    Raises:
        UsageError: the simulation diverges.
    """
    gain = 2 * np.pi * _PART_OF_CUTOFF * (model.shape.cutoff or 2 * _BANDWIDTH)
    # A controller that is fast for the time step of the log would be unstable.
    gain = min(gain, _PART_OF_RATE / float(np.median(np.diff(samples.t))))
    motion = _follow(samples, gain, np.zeros_like(samples.q))
    if not (known - values).any():
        return motion
    limit = _DIVERGED * np.abs(motion[2]).max()
    for _ in range(_RELAXATIONS):
        deflection = _deflection(model, known - values, values, motion, samples, gain)
        before, motion = motion, _follow(samples, gain, deflection)
        if not np.abs(motion[2]).max() <= limit:
            raise UsageError(
                "instrumental: the simulation of the estimated robot diverges, so the estimated "
                "parameters are far from those of a real robot: use another --estimator, or "
                "record more motion"
            )
        if np.abs(motion[2] - before[2]).max() <= _RELAXED * np.abs(motion[2]).max():
            break
    return motion


def _compute_requested(
    samples: Samples, gain: float, q: Array, qd: Array, rows: slice | int
) -> Array:
    """Compute the acceleration that the controller requests at some rows of the samples.

    The controller has the natural frequency `gain` in rad/s. `q` and `qd` are the simulated motion.
    """
    return np.asarray(2 * gain * (samples.qd[rows] - qd) + gain**2 * (samples.q[rows] - q))


def _follow(samples: Samples, gain: float, deflection: Array) -> tuple[Array, Array, Array]:
    """Simulate the motion of a robot that follows the measured motion in `samples`.

    A controller (natural frequency `gain` in rad/s) requests accelerations. The acceleration of the
    robot is the requested acceleration plus `deflection`, because the controller's model of the
    robot has errors. The acceleration is integrated by the semi-implicit Euler rule.

    The results are positions, velocities and accelerations at the times of the samples.
    """
    motion = np.empty((3, *samples.q.shape))
    steps = np.diff(samples.t, append=samples.t[-1])
    gaps = (steps < 0) | (steps > 10 * np.median(steps))
    q, qd = samples.q[0], samples.qd[0]
    for row, step in enumerate(steps):
        # After a gap the simulated robot starts from the measured state again.
        if row and gaps[row - 1]:
            q, qd = samples.q[row], samples.qd[row]
        qdd = _compute_requested(samples, gain, q, qd, row) + deflection[row]
        motion[:, row] = q, qd, qdd
        qd = qd + step * qdd
        q = q + step * qd
    return motion[0], motion[1], motion[2]


def _deflection(
    model: RegressionModel,
    difference: Array,
    values: Array,
    motion: tuple[Array, Array, Array],
    samples: Samples,
    gain: float,
) -> Array:
    """Compute the robot's acceleration minus the requested acceleration, M^-1 Y (known - values).

    The controller requests an acceleration of the robot. `difference` is known - values: the
    parameters of the controller minus the parameters of the robot. The mass matrix M is computed
    from the regressor Y with unit accelerations. The arrays of the simulated `motion` and the
    result have the shape (samples, n). `gain` is the controller's natural frequency in rad/s.
    """
    q, qd, _ = motion
    still, units = np.zeros_like(q), np.eye(q.shape[1])
    held = model.compute_regressor(q, still, still) @ values
    inertia = np.stack(
        [model.compute_regressor(q, still, still + unit) @ values - held for unit in units], axis=-1
    )
    forces = (
        model.compute_regressor(q, qd, _compute_requested(samples, gain, q, qd, slice(None)))
        @ difference
    )
    return np.asarray(np.linalg.solve(inertia, forces[..., None])[..., 0])


def _weigh(rows: Array, samples: Samples, weights: Array) -> Array:
    """Multiply regressor rows by the weights of their joints; unused rows become zero.

    `rows` has the shape (samples, n, columns). In the result, shape (samples * n, columns), the
    rows of all joints are stacked.
    """
    counted = rows * (samples.used * weights)[..., None]
    return counted.reshape(-1, rows.shape[-1])
