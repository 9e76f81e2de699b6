"""Estimators from triangular factors: ordinary, weighted, robust, total and physical least squares.

Joint forces differ in size and in noise: the base of an arm carries a hundred times the torque of
its wrist. Weighted least squares divides each joint's regressor rows and forces by the standard
deviation of the joint's residual. The standard deviation depends on the solution, so weights and
solution are computed in turn until they are constant (Gautier and Poignet, "Extended Kalman
filtering and weighted least squares dynamic identification of robot", Control Engineering Practice
9(12), 2001). The iteration uses one triangular factor per joint instead of the samples.

Robust regression gives large residuals less weight (Huber, "Robust Estimation of a Location
Parameter", 1964). The loss of a residual r is quadratic up to |r| = 1.345 s and linear for larger
|r|, where s is the standard deviation of the joint's residuals. For normal noise, the variance of
the estimate is 5 % larger than by least squares. The standard deviation s is computed from the
median of |r|, because outliers hardly change the median. Robust regression repeats least squares,
with weights from the last residuals, until the parameters are constant.

Total least squares assumes noise in the regressor as well as in the forces. It finds the smallest
change of regressor Y and forces tau with which Y x = tau holds exactly for some parameters x;
changes are relative to the norm of each column (Van Huffel and Vandewalle, "The Total Least Squares
Problem", SIAM 1991; for robots Gautier, Vandanjon and Presse 1994). If only the forces are noisy,
total least squares is slightly worse than least squares.

The physical estimator is weighted least squares restricted to physically consistent links
(`dynagen.apps.identification.physical_links`). The instrumental-variable estimator is in
`dynagen.apps.identification.instrumental`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynagen.apps.identification.link_parameters import make_link_parameters
from dynagen.apps.identification.physical_links import fit_physical
from dynagen.apps.identification.regression import Parameter, RegressionModel
from dynagen.apps.identification.samples import Samples, join_samples
from dynagen.apps.identification.triangular import JointFactors, compute_factors
from dynagen.errors import UsageError
from dynagen.numbers.arrays import Array
from dynagen.resources import require_extra
from dynagen.robot.description import RobotDescription


@dataclass(frozen=True)
class Estimate:
    """Estimated parameters of a robot, with the covariance of their errors.

    Attributes:
        estimator: name of the estimator.
        parameters: the p estimated parameters.
        values: estimated values in the parameters' SI units, shape (p,).
        covariance: covariance of the estimation errors, shape (p, p); zero for held parameters.
        joint_deviation: for each of the n joints, the standard deviation of measured minus
            predicted force in N m or N, shape (n,); inf for a joint without used samples.
        held: indices of held parameters, which the samples do not determine. Held parameters have
            their described values.
    """

    estimator: str
    parameters: tuple[Parameter, ...]
    values: Array
    covariance: Array
    joint_deviation: Array
    held: tuple[int, ...] = ()

    @property
    def deviations(self) -> Array:
        """Standard deviation of each parameter, in the parameter's unit."""
        return np.sqrt(np.diag(self.covariance))


# A column of unit length is dependent if the other columns leave less of it than this.
_RANK = 1e-7
_WEIGHT_ROUNDS = 100
_WEIGHTS_SETTLED = 1e-6  # relative change of the weights
# Smallest deviation, relative to the norm of a joint's force: exact samples need finite weights.
_WEIGHT_FLOOR = 1e-12


@dataclass(frozen=True)
class Solution:
    """Weighted least-squares solution for one set of joint weights.

    Attributes:
        values: values of the p parameters in SI units, shape (p,).
        spread: matrix S with S S^T = (Y^T W^2 Y)^-1 for the regressor Y and the diagonal matrix W
            of weights. S has a row for each parameter and a column for each parameter that is not
            held; rows of held parameters are zero.
        held: indices of parameters that the samples do not determine; they keep their described
            values.
    """

    values: Array
    spread: Array
    held: tuple[int, ...]


def solve(factor: Array, described: Array) -> Solution:
    """Minimise ||A x - b|| over the p parameters x, given the triangular factor R of [A | b].

    A contains the regressor rows of all joints, and b the measured forces.

    Linearly dependent columns are found by QR with column pivoting and are omitted. The parameters
    of omitted columns keep their described values.

    Args:
        factor: upper triangular R, shape (p + 1, p + 1), with R^T R = [A | b]^T [A | b].
        described: described values of the parameters, shape (p,).

    Returns:
        The minimising parameters x, a matrix S such that S S^T is the covariance of x for unit
        noise, and the indices of omitted columns.
    """
    require_extra("scipy", "identify", "to solve least squares")
    from scipy.linalg import qr, solve_triangular

    columns, forces = factor[:, :-1], factor[:, -1]
    # Columns of unit length: the rank decision must not depend on the parameters' units.
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
    return Solution(values, spread, tuple(int(index) for index in held))


def compute_deviations(factors: JointFactors, solution: Solution, weights: Array) -> Array:
    """Compute the standard deviation of each joint's force residuals, shape (n,), in N m or N.

    A joint without used samples has an infinite standard deviation.

    Args:
        factors: for each joint j, the triangular factor of its regressor rows Y_j and measured
            forces tau_j, and the number of used samples.
        solution: estimated parameters x whose residuals Y_j x - tau_j are evaluated.
        weights: weight of each joint in the least-squares solution, shape (n,).
    """
    deviations = np.zeros(len(factors.counts))
    for joint, (factor, count) in enumerate(zip(factors.factors, factors.counts, strict=True)):
        residual = factor @ np.append(solution.values, -1.0)
        # Degrees of freedom that the fit consumes in this joint: trace of W Y_j S S^T Y_j^T W.
        taken = weights[joint] ** 2 * np.sum((factor[:, :-1] @ solution.spread) ** 2)
        squares = float(residual @ residual)
        floor = _WEIGHT_FLOOR * np.linalg.norm(factor[:, -1])
        deviations[joint] = (
            np.sqrt(max(squares, floor**2) / max(count - taken, 1.0)) if count else np.inf
        )
    return deviations


def compute_covariance(
    factors: JointFactors, solution: Solution, weights: Array, deviations: Array
) -> Array:
    """Compute the covariance of p estimated parameters for white force residuals, shape (p, p).

    Joint j has the standard deviation s_j of residuals, the weight w_j and the regressor rows Y_j.
    With the `spread` S of the solution, the covariance is S (sum over j of (w_j^2 s_j)^2 S^T Y_j^T
    Y_j S) S^T. If every weight w_j is 1 / s_j, the covariance of the estimated parameters is S S^T.

    Args:
        factors: for each joint j, the triangular factor of its regressor rows Y_j and measured
            forces.
        solution: least-squares solution with p parameters and the matrix S.
        weights: weight w_j of each of the n joints in the solution, shape (n,).
        deviations: standard deviation s_j of each joint's residuals, shape (n,), in N m or N.
    """
    middle = np.zeros((solution.spread.shape[1],) * 2)
    for factor, weight, deviation in zip(factors.factors, weights, deviations, strict=True):
        if weight:
            rows = weight**2 * deviation * (factor[:, :-1] @ solution.spread)
            middle += rows.T @ rows
    covariance: Array = solution.spread @ middle @ solution.spread.T
    return covariance


def estimate_ordinary(factors: JointFactors, parameters: tuple[Parameter, ...]) -> Estimate:
    """Estimate parameters by ordinary least squares: all joint forces have equal weight.

    Parameters that the samples do not determine keep their described values.

    Args:
        factors: triangular factor of each joint's regressor rows and measured forces.
        parameters: the p parameters to estimate, in the order of the regressor's columns.
    """
    return _estimate("ordinary", factors, parameters, np.where(factors.counts > 0, 1.0, 0.0))


def estimate_weighted(factors: JointFactors, parameters: tuple[Parameter, ...]) -> Estimate:
    """Estimate by least squares, with weights 1 / standard deviation of each joint's residuals.

    Weights and estimate are computed in turn until the weights are constant. Parameters that the
    samples do not determine keep their described values.

    Args:
        factors: triangular factor of each joint's regressor rows and measured forces.
        parameters: the p parameters to estimate, in the order of the regressor's columns.
    """
    return _estimate(
        "weighted", factors, parameters, iterate_weights(factors, get_described_values(parameters))
    )


def iterate_weights(factors: JointFactors, described: Array) -> Array:
    """Iterate least squares until each joint's weight is 1 / standard deviation of its residuals.

    Args:
        factors: triangular factor of each joint's regressor rows and measured forces.
        described: described values of the p parameters, shape (p,). Parameters that the samples do
            not determine keep these values.

    Returns:
        Weight of each joint in 1/(N m) or 1/N, shape (n,); 0 for a joint without used samples.

    Raises:
        UsageError: no joint has used samples.
    """
    if not factors.counts.any():
        raise UsageError(
            "no equations to identify from: all joints are at rest, or all forces are saturated"
        )
    weights = np.where(factors.counts > 0, 1.0, 0.0)
    for _ in range(_WEIGHT_ROUNDS):
        before = weights
        deviations = compute_deviations(
            factors, solve(factors.apply_weights(weights), described), weights
        )
        weights = np.where(factors.counts > 0, 1 / np.where(deviations > 0, deviations, 1.0), 0.0)
        if np.all(np.abs(weights - before) <= _WEIGHTS_SETTLED * weights):
            break
    return weights


def refuse_friction_by_load(estimator: str, parameters: tuple[Parameter, ...]) -> None:
    """Refuse the friction law `load` (friction proportional to load) for some estimators.

    The regressor column of this law is computed from estimated parameters, and contains their
    errors. Not every estimator can deal with such errors.

    Args:
        estimator: name of the estimator, for the message.
        parameters: the parameters to estimate.

    Raises:
        UsageError: a parameter belongs to the friction law `load`.
    """
    if any(parameter.name.endswith(".loss") for parameter in parameters):
        raise UsageError(
            f"--estimator {estimator} does not support --friction load, whose regressor column "
            "is computed from estimated parameters and contains their errors. Use --estimator "
            "weighted"
        )


def get_described_values(parameters: tuple[Parameter, ...]) -> Array:
    """Return the described value of each parameter in SI units, as a vector."""
    return np.array([parameter.described for parameter in parameters])


def _estimate(
    name: str, factors: JointFactors, parameters: tuple[Parameter, ...], weights: Array
) -> Estimate:
    """Estimate by least squares with a fixed weight for each joint."""
    solution = solve(factors.apply_weights(weights), get_described_values(parameters))
    deviations = compute_deviations(factors, solution, weights)
    covariance = compute_covariance(factors, solution, weights, deviations)
    return Estimate(name, parameters, solution.values, covariance, deviations, solution.held)


_BEND = 1.345  # standard deviations where the square becomes the magnitude
_NORMAL = 1.4826  # ratio of standard deviation to median magnitude, for normal noise
_ROBUST_ROUNDS = 100
_ROBUST_SETTLED = 1e-3  # change of a parameter, in its standard deviations
_SCALE_FLOOR = 1e-12  # relative to the root mean square of the force: exact samples need a scale


def estimate_robust(
    model: RegressionModel, samples: Sequence[Samples], factors: JointFactors
) -> Estimate:
    """Estimate by Huber's robust regression, in which large force residuals have less weight.

    The method is iteratively reweighted least squares, from the result of `estimate_weighted`.
    Parameters that the samples do not determine keep their described values.

    Args:
        model: regressor of the parameters to estimate.
        samples: filtered motions and measured joint forces, one object per log.
        factors: triangular factor of each joint's regressor rows and measured forces in `samples`.
    """
    joint_samples, described = join_samples(samples), get_described_values(model.parameters)
    values, solution = estimate_weighted(factors, model.parameters).values, None
    present = factors.counts > 0
    for _ in range(_ROBUST_ROUNDS):
        residuals = (
            joint_samples.tau
            - model.compute_regressor(joint_samples.q, joint_samples.qd, joint_samples.qdd) @ values
        )
        scale = _measure_scale(residuals, joint_samples)
        ratios = np.abs(residuals) / scale
        bent = np.minimum(1.0, _BEND / np.maximum(ratios, _BEND))
        weights = np.where(present, 1 / scale, 0.0)
        before, solution = (
            values,
            solve(
                compute_factors(model, joint_samples, scale=np.sqrt(bent)).apply_weights(weights),
                described,
            ),
        )
        values = solution.values
        if np.all(
            np.abs(values - before) <= _ROBUST_SETTLED * np.linalg.norm(solution.spread, axis=1)
        ):
            break
    excess = _huber_excess(ratios, joint_samples, len(values))
    deviations = np.where(present, excess * scale, np.inf)
    # The spread of the unweighted problem, scaled by Huber's efficiency factor per joint.
    plain = solve(factors.apply_weights(weights), described)
    return Estimate(
        "robust",
        model.parameters,
        values,
        compute_covariance(factors, plain, weights, deviations),
        deviations,
        plain.held,
    )


def _measure_scale(residuals: Array, seen: Samples) -> Array:
    """Compute the standard deviation of each joint's residuals from their median magnitude."""
    scale = [
        np.median(np.abs(own[used])) if used.any() else 1.0
        for own, used in zip(residuals.T, seen.used.T, strict=True)
    ]
    return np.asarray(
        np.maximum(
            _NORMAL * np.array(scale), _SCALE_FLOOR * np.sqrt(np.mean(seen.tau**2, axis=0)) + 1e-300
        )
    )


def _huber_excess(ratios: Array, seen: Samples, count: int) -> Array:
    """Compute the standard error of Huber's estimate, divided by the error of least squares.

    For each joint, the result is sqrt(mean(psi^2)) / mean(psi'). Here psi is the derivative of
    Huber's loss at `ratios` = |r| / s, for residuals r with the standard deviation s.
    """
    inner = np.where(seen.used, ratios <= _BEND, False).sum(axis=0)
    squares = np.where(seen.used, np.minimum(ratios, _BEND) ** 2, 0.0).sum(axis=0)
    used = np.maximum(seen.used.sum(axis=0), 1)
    freedom = np.maximum(used - count / seen.tau.shape[1], 1)
    return np.asarray(np.sqrt(squares / freedom) / np.maximum(inner / used, 1e-3))


def estimate_total(factors: JointFactors, parameters: tuple[Parameter, ...]) -> Estimate:
    """Estimate by total least squares, which allows for noise in the regressor and in the forces.

    Parameters that the samples do not determine keep their described values.

    Args:
        factors: triangular factor of each joint's regressor rows and measured forces.
        parameters: the p parameters to estimate, in the order of the regressor's columns.

    Raises:
        UsageError: a parameter belongs to the friction law `load`.
    """
    refuse_friction_by_load("total", parameters)
    described = get_described_values(parameters)
    weights = iterate_weights(factors, described)
    factor = factors.apply_weights(weights)
    least = solve(factor, described)
    free = [index for index in range(len(parameters)) if index not in least.held]
    held = list(least.held)
    rest = factor[:, -1] - factor[:, held] @ least.values[held]
    extended = np.column_stack([factor[:, free], rest])
    lengths = np.linalg.norm(extended, axis=0)
    _, sizes, directions = np.linalg.svd(extended / lengths)
    # The right singular vector of the smallest singular value is (x, -1) up to scale.
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
    deviations = compute_deviations(factors, type(least)(values, least.spread, least.held), weights)
    return Estimate("total", parameters, values, covariance, deviations, least.held)


if TYPE_CHECKING:
    from dynagen.apps.identification.consistent_links import Prior

_BOUND = 1e-6  # standard deviations from zero within which a parameter is on its bound
_MAY_BE_NEGATIVE = ("offset",)  # the only friction parameter without a sign


def estimate_physical(
    factors: JointFactors,
    parameters: tuple[Parameter, ...],
    robot: RobotDescription,
    prior: Prior = "entropic",
) -> Estimate:
    """Estimate physically consistent parameters, with the weights of `estimate_weighted`.

    Every link's pseudo-inertia is positive definite; motor inertias and friction are not negative.
    The covariance is computed without these constraints. It is an upper bound, because
    constraints only reduce the covariance. If the samples do not determine a parameter, an inertial
    parameter stays near its described value, and a friction parameter keeps its described value.

    Args:
        factors: triangular factor of each joint's regressor rows and measured forces.
        parameters: the parameters to estimate; all other base parameters are zero.
        robot: description of the links.
        prior: kind of distance from the described links, "entropic" or "euclidean".

    Raises:
        ToolchainError: cvxpy is not installed.
        UsageError: no physically consistent links exist if all base parameters outside `parameters`
            are zero.
    """
    free = estimate_weighted(factors, parameters)
    links = make_link_parameters(robot)
    places = {base.name: place for place, base in enumerate(links.base)}
    inertial = [places[item.name] for item in parameters if item.kind == "inertial"]
    friction = [index for index, item in enumerate(parameters) if item.kind == "friction"]
    braking = [index for index in friction if not parameters[index].name.endswith(_MAY_BE_NEGATIVE)]
    known = {index: parameters[index].described for index in friction if index in free.held}
    values = fit_physical(
        links, factors.apply_weights(1 / free.joint_deviation), inertial, braking, prior, known
    )
    # The solver reaches a bound only to its own precision: such values are exactly zero.
    bound = values[braking] <= _BOUND * free.deviations[braking]
    values[braking] = np.where(bound, 0.0, values[braking])
    return Estimate(
        "physical", parameters, values, free.covariance, free.joint_deviation, free.held
    )
