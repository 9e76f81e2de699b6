"""Estimators: least squares, instrumental variables, robust, total and physical.

Estimators: samples of a robot's motion and forces -> its parameters.

`least_squares` has what all of them solve in the end; `robust`, `instrumental` and `total` differ in what they take for error:
outliers, filtered noise in the regressor, and noise in all that was measured.

Estimate: values of parameters that an estimator found, and how uncertain they are.

Least squares on triangular factors: ordinary, with all joint forces alike, and weighted by joint.

Joint forces differ in size and in noise: the base of an arm takes a hundred times the torque of its wrist. Weighted least
squares divides each joint's equations by the standard deviation of its residual, which follows from the solution, and repeats
that until weights stay (Gautier and Poignet 2001). With factors of each joint that costs no further pass over the samples.

Instrumental variables: least squares whose noisy regressor is met by one without that noise.

The regressor of measured motion has noise in its columns, which least squares takes for signal: estimates are biased, by an
amount that depends on the filter. Its product with an instrument, whose columns are like its own but know nothing of the
noise, has no such bias: Z^T W (tau - Y x) = 0. The instrument is the regressor of a simulated motion (A. Janot, P.-O.
Vandanjon, M. Gautier, "A generic instrumental variable approach for industrial robot identification", IEEE Transactions on
Control Systems Technology 22(1), 2014): the robot with the last estimate's parameters under a controller that follows the
measured positions, simulated again with each estimate until that stays.

The controller is computed torque with the first estimate's parameters, critically damped at half the cut-off of the logs'
filter: it follows the motion and is too slow for the noise. Its reference are measured positions and rates; accelerations,
which have the noise of a second derivative, it does not see.

Robust regression: equations far off count less (P. Huber, "Robust Estimation of a Location Parameter", 1964).

Residuals within 1.345 deviations of their joint count as in least squares, those beyond by their magnitude only; where noise
is normal that costs 5 % in variance. Deviations are medians of magnitudes, which outliers do not move. Least squares with
weights from the last residuals is repeated until the parameters stay.

Total least squares: noise in the regressor as well as in the forces.

The smallest change of all columns, relative to the length of each, that makes the equations hold exactly (S. Van Huffel, J.
Vandewalle, "The Total Least Squares Problem", SIAM 1991; for robots Gautier, Vandanjon, Presse 1994). Equations are weighted
as those of weighted least squares. Where noise is on the forces alone it gains nothing and loses a little.

Physical estimator: weighted least squares among the robots that can be built (`dynagen.apps.identification.physical_links`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynagen.apps.identification.link_parameters import link_parameters
from dynagen.apps.identification.physical_links import fit_physical
from dynagen.apps.identification.regression import Parameter, RegressionModel
from dynagen.apps.identification.samples import Array, Samples, joined
from dynagen.apps.identification.triangular import JointFactors, factors_of
from dynagen.errors import UsageError
from dynagen.resources import require_extra
from dynagen.robot.description import RobotDescription


@dataclass(frozen=True)
class Estimate:
    """Parameters as estimated.

    Attributes:
        estimator: its name.
        parameters: what is estimated, p of them.
        values: shape (p,), in the parameters' units.
        covariance: of the errors of the values, shape (p, p); zero for those that are held.
        joint_deviation: standard deviation of the residuals of each joint in N m or N, shape (n,); inf for one
            without equations.
        held: positions of parameters that the samples do not tell, which keep the description's values.
    """

    estimator: str
    parameters: tuple[Parameter, ...]
    values: Array
    covariance: Array
    joint_deviation: Array
    held: tuple[int, ...] = ()

    @property
    def deviations(self) -> Array:
        """Standard deviations of the values, shape (p,)."""
        return np.sqrt(np.diag(self.covariance))


_RANK = 1e-7  # a column of unit length of which less is not explained by others is not told by the samples
_WEIGHT_ROUNDS = 100
_WEIGHTS_SETTLED = 1e-6
_WEIGHT_FLOOR = (
    1e-12  # of a joint's force: the smallest deviation, so that exact samples have weights
)


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
        floor = _WEIGHT_FLOOR * np.linalg.norm(factor[:, -1])
        deviations[joint] = (
            np.sqrt(max(squares, floor**2) / max(count - taken, 1.0)) if count else np.inf
        )
    return deviations


def covariance_of(
    factors: JointFactors, solution: Solution, weights: Array, deviations: Array
) -> Array:
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
    return _estimate(
        "weighted", factors, parameters, settled_weights(factors, described_of(parameters))
    )


def settled_weights(factors: JointFactors, described: Array) -> Array:
    """The weights that are the inverse of the deviations that they lead to, 1/(N m) or 1/N; shape (n,).

    Raises:
        UsageError: no joint has equations.
    """
    if not factors.counts.any():
        raise UsageError(
            "no equation is left to identify from: all joints stand, or all their forces are saturated"
        )
    weights = np.where(factors.counts > 0, 1.0, 0.0)
    for _ in range(_WEIGHT_ROUNDS):
        before = weights
        deviations = deviations_of(factors, solve(factors.weighted(weights), described), weights)
        weights = np.where(factors.counts > 0, 1 / np.where(deviations > 0, deviations, 1.0), 0.0)
        if np.all(np.abs(weights - before) <= _WEIGHTS_SETTLED * weights):
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


def _estimate(
    name: str, factors: JointFactors, parameters: tuple[Parameter, ...], weights: Array
) -> Estimate:
    solution = solve(factors.weighted(weights), described_of(parameters))
    deviations = deviations_of(factors, solution, weights)
    covariance = covariance_of(factors, solution, weights, deviations)
    return Estimate(name, parameters, solution.values, covariance, deviations, solution.held)


_INSTRUMENT_ROUNDS = 5
_INSTRUMENTS_SETTLED = 0.02  # standard deviations of a parameter
_PART_OF_CUTOFF = 0.5
_RELAXATIONS = 20
_RELAXED = 1e-6
_BANDWIDTH = 5.0  # Hz, where logs were not filtered


def estimate_instrumental(
    model: RegressionModel, samples: Sequence[Samples], factors: JointFactors
) -> Estimate:
    """Estimate with the simulated motion's regressor as instrument.

    Raises:
        UsageError: friction depends on the load.
    """
    refuse_friction_by_load("instrumental", model.parameters)
    first = estimate_weighted(factors, model.parameters)
    weights = np.where(np.isfinite(first.joint_deviation), 1 / first.joint_deviation, 0.0)
    free = [place for place in range(len(model.parameters)) if place not in first.held]
    measured = [
        _weighted(model.columns(each.q, each.qd, each.qdd), each, weights) for each in samples
    ]
    forces = [_weighted(each.tau[..., None], each, weights)[:, 0] for each in samples]
    scale = np.sqrt(sum(np.sum(rows**2, axis=0) for rows in measured)[free])
    values, covariance = first.values.copy(), first.covariance.copy()
    for _ in range(_INSTRUMENT_ROUNDS):
        motions = [simulated_motion(model, first.values, values, each) for each in samples]
        instruments = [
            _weighted(model.columns(*motion), each, weights)[:, free] / scale
            for motion, each in zip(motions, samples, strict=True)
        ]
        product = sum(
            z.T @ (rows[:, free] / scale) for z, rows in zip(instruments, measured, strict=True)
        )
        rest = [
            force - rows[:, list(first.held)] @ values[list(first.held)]
            for force, rows in zip(forces, measured, strict=True)
        ]
        seen = sum(z.T @ left for z, left in zip(instruments, rest, strict=True))
        before, inverse = values, np.linalg.inv(product)
        values = values.copy()
        values[free] = inverse @ seen / scale
        spread = inverse @ sum(z.T @ z for z in instruments) @ inverse.T / np.outer(scale, scale)
        covariance[np.ix_(free, free)] = spread
        if np.all(np.abs(values - before)[free] <= _INSTRUMENTS_SETTLED * np.sqrt(np.diag(spread))):
            break
    solution = solve(factors.weighted(weights), values)
    deviations = deviations_of(
        factors, type(solution)(values, solution.spread, first.held), weights
    )
    return Estimate("instrumental", model.parameters, values, covariance, deviations, first.held)


def simulated_motion(
    model: RegressionModel, known: Array, values: Array, samples: Samples
) -> tuple[Array, Array, Array]:
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
        before, motion = (
            motion,
            _followed(
                samples, gain, _deflection(model, known - values, values, motion, samples, gain)
            ),
        )
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
    model: RegressionModel,
    difference: Array,
    values: Array,
    motion: tuple[Array, Array, Array],
    samples: Samples,
    gain: float,
) -> Array:
    """M^-1 Y (known - values): by how much the robot accelerates otherwise than its controller asks, shape (count, n)."""
    q, qd, _ = motion
    still, units = np.zeros_like(q), np.eye(q.shape[1])
    held = model.columns(q, still, still) @ values
    inertia = np.stack(
        [model.columns(q, still, still + unit) @ values - held for unit in units], axis=-1
    )
    forces = model.columns(q, qd, _asked(samples, gain, q, qd, slice(None))) @ difference
    return np.asarray(np.linalg.solve(inertia, forces[..., None])[..., 0])


def _weighted(rows: Array, samples: Samples, weights: Array) -> Array:
    """Rows of all equations that count, each multiplied by its joint's weight, shape (equations, columns)."""
    counted = rows * (samples.used * weights)[..., None]
    return counted.reshape(-1, rows.shape[-1])


_BEND = 1.345  # deviations
_NORMAL = 1.4826  # deviation of normal noise by the median of its magnitude
_ROBUST_ROUNDS = 100
_ROBUST_SETTLED = 1e-3  # standard deviations of a parameter
_SCALE_FLOOR = 1e-12


def estimate_robust(
    model: RegressionModel, samples: Sequence[Samples], factors: JointFactors
) -> Estimate:
    """Huber's estimate."""
    seen, described = joined(samples), described_of(model.parameters)
    values, solution = estimate_weighted(factors, model.parameters).values, None
    present = factors.counts > 0
    for _ in range(_ROBUST_ROUNDS):
        residuals = seen.tau - model.columns(seen.q, seen.qd, seen.qdd) @ values
        scale = _scale(residuals, seen)
        ratios = np.abs(residuals) / scale
        bent = np.minimum(1.0, _BEND / np.maximum(ratios, _BEND))
        weights = np.where(present, 1 / scale, 0.0)
        before, solution = (
            values,
            solve(factors_of(model, seen, scale=np.sqrt(bent)).weighted(weights), described),
        )
        values = solution.values
        if np.all(
            np.abs(values - before) <= _ROBUST_SETTLED * np.linalg.norm(solution.spread, axis=1)
        ):
            break
    deviations = np.where(present, _deviations(ratios, seen, len(values)) * scale, np.inf)
    plain = solve(factors.weighted(weights), described)
    return Estimate(
        "robust",
        model.parameters,
        values,
        covariance_of(factors, plain, weights, deviations),
        deviations,
        plain.held,
    )


def _scale(residuals: Array, seen: Samples) -> Array:
    """Deviations of the joints' residuals by their median, shape (n,)."""
    scale = [
        np.median(np.abs(own[used])) if used.any() else 1.0
        for own, used in zip(residuals.T, seen.used.T, strict=True)
    ]
    return np.asarray(
        np.maximum(
            _NORMAL * np.array(scale), _SCALE_FLOOR * np.sqrt(np.mean(seen.tau**2, axis=0)) + 1e-300
        )
    )


def _deviations(ratios: Array, seen: Samples, count: int) -> Array:
    """By what the estimate's error exceeds that of least squares under unit noise: sqrt(E psi^2) / E psi' (Huber)."""
    inner = np.where(seen.used, ratios <= _BEND, False).sum(axis=0)
    squares = np.where(seen.used, np.minimum(ratios, _BEND) ** 2, 0.0).sum(axis=0)
    used = np.maximum(seen.used.sum(axis=0), 1)
    freedom = np.maximum(used - count / seen.tau.shape[1], 1)
    return np.asarray(np.sqrt(squares / freedom) / np.maximum(inner / used, 1e-3))


def estimate_total(factors: JointFactors, parameters: tuple[Parameter, ...]) -> Estimate:
    """Total least squares; parameters that the samples do not tell are held as least squares holds them.

    Raises:
        UsageError: friction depends on the load.
    """
    refuse_friction_by_load("total", parameters)
    described = described_of(parameters)
    weights = settled_weights(factors, described)
    factor = factors.weighted(weights)
    least = solve(factor, described)
    free = [place for place in range(len(parameters)) if place not in least.held]
    held = list(least.held)
    rest = factor[:, -1] - factor[:, held] @ least.values[held]
    extended = np.column_stack([factor[:, free], rest])
    lengths = np.linalg.norm(extended, axis=0)
    _, sizes, directions = np.linalg.svd(extended / lengths)
    nearest = directions[-1] / lengths
    values = least.values.copy()
    values[free] = -nearest[:-1] / nearest[-1]
    columns = factor[:, free] / lengths[:-1]
    information = columns.T @ columns - sizes[-1] ** 2 * np.eye(len(free))
    error = (
        sizes[-1] ** 2
        * (1 + np.sum((values[free] * lengths[:-1] / lengths[-1]) ** 2))
        * lengths[-1] ** 2
    )
    freedom = max(int(factors.counts.sum()) - len(free), 1)
    covariance = np.zeros((len(parameters),) * 2)
    scaled = error / freedom * np.linalg.inv(information)
    covariance[np.ix_(free, free)] = scaled / np.outer(lengths[:-1], lengths[:-1])
    deviations = deviations_of(factors, type(least)(values, least.spread, least.held), weights)
    return Estimate("total", parameters, values, covariance, deviations, least.held)


if TYPE_CHECKING:
    from dynagen.apps.identification.possible_links import Prior

_BOUND = 1e-6  # standard deviations from zero
_MAY_BE_NEGATIVE = ("offset",)  # of friction: what it gives on one side it takes on the other


def estimate_physical(
    factors: JointFactors,
    parameters: tuple[Parameter, ...],
    robot: RobotDescription,
    prior: Prior = "entropic",
) -> Estimate:
    """The parameters of a robot that can be built, with joints weighted as `estimate_weighted` does.

    Every link's pseudo-inertia is positive definite, motors have no negative inertia, friction brakes. The covariance is that
    without these conditions, which only take from it. Inertial parameters that the samples do not tell follow from links near
    the description; friction that they do not tell keeps its values.

    Args:
        factors: of the samples.
        parameters: what is estimated; base parameters that are not among them are zero.
        robot: its links are those that the prior keeps to.
        prior: the distance from them.

    Raises:
        ToolchainError: cvxpy is missing.
        UsageError: no possible links have zeros where they are asked for.
    """
    free = estimate_weighted(factors, parameters)
    links = link_parameters(robot)
    places = {each.name: place for place, each in enumerate(links.base)}
    inertial = [places[each.name] for each in parameters if each.kind == "inertial"]
    friction = [index for index, each in enumerate(parameters) if each.kind == "friction"]
    braking = [index for index in friction if not parameters[index].name.endswith(_MAY_BE_NEGATIVE)]
    known = {index: parameters[index].described for index in friction if index in free.held}
    values = fit_physical(
        links, factors.weighted(1 / free.joint_deviation), inertial, braking, prior, known
    )
    bound = values[braking] <= _BOUND * free.deviations[braking]
    values[braking] = np.where(
        bound, 0.0, values[braking]
    )  # where a solver comes to within its own precision
    return Estimate(
        "physical", parameters, values, free.covariance, free.joint_deviation, free.held
    )
