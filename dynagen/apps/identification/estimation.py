"""Estimators by name, and the fit of friction parameters that enter the forces nonlinearly.

The friction of a joint depends nonlinearly on two parameters: the Stribeck velocity and the loss of
the transmission. Stribeck velocities and losses are fitted before the estimator runs, and are
constant in the estimator.

The fit of Stribeck friction is a separable problem: for given Stribeck velocities, the problem is
linear in all other parameters (variable projection: Golub and Pereyra, Inverse Problems 19(2),
2003). The data of a joint are stored as a triangular factor, from QR factorisation of its regressor
rows and forces. This factor depends only on the Stribeck velocity of the same joint. The factors
for a few velocities per joint therefore suffice to compute the residual of every combination of
velocities.

The loss of a transmission depends on the load, and therefore on the other parameters. The load is
computed from the last solution, and the estimation is repeated until the solution is constant
(fixed-point iteration).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynagen.apps.identification.estimators import (
    Estimate,
    estimate_ordinary,
    estimate_physical,
    estimate_robust,
    estimate_total,
    estimate_weighted,
    get_described_values,
    iterate_weights,
    solve,
)
from dynagen.apps.identification.instrumental import estimate_instrumental
from dynagen.apps.identification.regression import RegressionModel
from dynagen.apps.identification.samples import Samples
from dynagen.apps.identification.triangular import JointFactors, accumulate
from dynagen.errors import UsageError, suggest_word
from dynagen.numbers.arrays import Array

_GRID = 9  # candidate velocities of a joint in one round
_ROUNDS_OF_GRID = 3  # each round narrows the grid around the best velocity
_SWEEPS = 5  # over the joints, in coordinate descent
_SLOWEST = 0.005  # smallest candidate, as a fraction of a joint's greatest velocity
_ROUNDS = 30  # of the fixed-point iteration for losses
_SETTLED = 1e-6  # relative change of a parameter at which the iteration has converged
_MOST_LOST = 0.9  # bound of the loss during the iteration: the column has 1 / (1 - loss)


def fit_shape(model: RegressionModel, samples: Sequence[Samples]) -> RegressionModel:
    """Fit the nonlinear friction parameters to the samples, and insert them in the regressor.

    The nonlinear friction parameters are the Stribeck velocities and the power losses of
    transmissions. If the friction laws contain neither, the model is returned unchanged.

    Args:
        model: regressor of joint forces, with the friction laws.
        samples: filtered motions and measured joint forces, one object per log.
    """
    if "stribeck" in model.laws:
        model = _fit_velocities(model, samples)
    return _fit_losses(model, samples) if "load" in model.laws else model


def _fit_velocities(model: RegressionModel, samples: Sequence[Samples]) -> RegressionModel:
    """Return the model with the Stribeck velocities that minimise the least-squares residual."""
    fastest = np.max([np.abs(log.qd).max(axis=0) for log in samples], axis=0)
    moving = fastest > 0  # a joint at rest keeps its described Stribeck velocity
    low, high = (
        np.log(np.where(moving, _SLOWEST * fastest, 1.0)),
        np.log(np.where(moving, fastest, 2.0)),
    )
    chosen = model.shape.stribeck_velocity
    for _ in range(_ROUNDS_OF_GRID):
        grid = np.exp(np.linspace(low, high, _GRID))
        tried = [accumulate(_set_velocities(model, velocities), samples) for velocities in grid]
        # The weights of the middle candidate serve all: they change little with the velocities.
        weights = iterate_weights(tried[_GRID // 2], get_described_values(model.parameters))
        best = _choose_factors(tried, weights)
        chosen = np.where(moving, grid[best, np.arange(len(best))], chosen)
        width = (high - low) / (_GRID - 1)
        low, high = np.log(chosen) - width, np.log(chosen) + width
    return _set_velocities(model, chosen)


def _set_velocities(model: RegressionModel, velocities: Array) -> RegressionModel:
    """Return the model with the given Stribeck velocity (rad/s or m/s) for each joint."""
    return replace(model, shape=replace(model.shape, stribeck_velocity=velocities))


def _choose_factors(tried: Sequence[JointFactors], weights: Array) -> Array:
    """Choose one of the tried Stribeck velocities for each joint; return the indices.

    The choice is made by coordinate descent, joint by joint.

    Each entry of `tried` contains the triangular factors of all joints for one velocity. The
    velocities minimise the norm of the least-squares residual, which is the last diagonal entry of
    the triangular factor of [Y | tau] (regressor Y, forces tau).
    """
    factors, counts = np.stack([candidate.factors for candidate in tried]), tried[0].counts
    joints = np.arange(len(counts))
    best = np.full(len(counts), len(tried) // 2)
    for _ in range(_SWEEPS):
        before = best.copy()
        for joint in joints:
            residuals = []
            for choice in range(len(tried)):
                best[joint] = choice
                combined = JointFactors(factors[best, joints], counts)
                residuals.append(combined.apply_weights(weights)[-1, -1])
            best[joint] = int(np.argmin(residuals))
        if np.array_equal(best, before):
            break
    return best


def _fit_losses(model: RegressionModel, samples: Sequence[Samples]) -> RegressionModel:
    """Fit the power losses of transmissions, and return the model with the fitted losses.

    The regressor column of a loss depends on the transmitted force, which depends on the estimated
    parameters. Losses and parameters are therefore estimated repeatedly, until they are constant
    (fixed-point iteration).
    """
    lost = [index for index, item in enumerate(model.parameters) if item.name.endswith(".loss")]
    others = [index for index in range(len(model.parameters)) if index not in lost]
    described = get_described_values(model.parameters)
    values = np.zeros(len(model.parameters))
    # The first solution ignores the losses: it supplies loads to start from.
    factors = accumulate(model.restrict(others), samples)
    values[others] = solve(
        factors.apply_weights(iterate_weights(factors, described[others])), described[others]
    ).values
    for _ in range(_ROUNDS):
        before = values
        loss = np.clip(values[lost], 0.0, _MOST_LOST)
        model = replace(
            model,
            shape=replace(
                model.shape,
                loads=np.where(np.isin(np.arange(len(values)), lost), 0.0, values),
                loss=loss,
            ),
        )
        factors = accumulate(model, samples)
        values = solve(factors.apply_weights(iterate_weights(factors, described)), described).values
        if np.all(np.abs(values - before) <= _SETTLED * (np.abs(values) + _SETTLED)):
            break
    return model


@dataclass(frozen=True)
class Observations:
    """Input of an estimator: a regressor, and the samples to which it is fitted.

    Attributes:
        model: regressor of joint forces, with one column for each parameter to estimate.
        samples: filtered samples, one object per log.
        factors: triangular factor of each joint's regressor rows and measured forces, from which
            least squares is solved.
    """

    model: RegressionModel
    samples: tuple[Samples, ...]
    factors: JointFactors

    def restrict(self, indices: Sequence[int]) -> Observations:
        """Return the observations for a regressor with only the parameters at `indices`."""
        return Observations(
            self.model.restrict(indices), self.samples, self.factors.restrict(indices)
        )


Estimator = Callable[[Observations], Estimate]

ESTIMATORS: dict[str, tuple[str, Estimator]] = {
    "weighted": (
        "least squares, each joint weighted by 1 / standard deviation of its residuals",
        lambda observations: estimate_weighted(observations.factors, observations.model.parameters),
    ),
    "ordinary": (
        "least squares, all joint forces with equal weight",
        lambda observations: estimate_ordinary(observations.factors, observations.model.parameters),
    ),
    "robust": (
        "large residuals count by their magnitude instead of their square (Huber)",
        lambda observations: estimate_robust(
            observations.model, observations.samples, observations.factors
        ),
    ),
    "instrumental": (
        "instrumental variables from a simulated motion (Janot)",
        lambda observations: estimate_instrumental(
            observations.model, observations.samples, observations.factors
        ),
    ),
    "total": (
        "total least squares, for noise in both motion and forces",
        lambda observations: estimate_total(observations.factors, observations.model.parameters),
    ),
    "physical": (
        "weighted, restricted to physically consistent links; parameters that logs do not "
        "determine stay near the described values (by an entropic distance)",
        lambda observations: estimate_physical(
            observations.factors, observations.model.parameters, observations.model.robot
        ),
    ),
    "physical-euclidean": (
        "as physical, with a euclidean distance",
        lambda observations: estimate_physical(
            observations.factors,
            observations.model.parameters,
            observations.model.robot,
            "euclidean",
        ),
    ),
}
"""Description for the help text, and function, of each estimator by name."""
DEFAULT_ESTIMATOR = "weighted"


def observe(model: RegressionModel, samples: tuple[Samples, ...]) -> Observations:
    """Fit nonlinear friction parameters; compute triangular factors of regressor rows and forces.

    Args:
        model: regressor of joint forces with its friction laws.
        samples: filtered motions and measured joint forces, one object per log.

    Returns:
        The regressor with the fitted friction, the samples, and one triangular factor per joint.
    """
    model = fit_shape(model, samples)
    return Observations(model, samples, accumulate(model, samples))


def find_estimator(name: str) -> Estimator:
    """Return the estimator with a given name, a key of ESTIMATORS such as `weighted`.

    Returns:
        Function from observations (regressor and samples) to an estimate of the parameters.

    Raises:
        UsageError: the name is unknown.
    """
    if name not in ESTIMATORS:
        raise UsageError(
            f"unknown estimator `{name}`{suggest_word(name, ESTIMATORS)}; "
            f"expected {', '.join(ESTIMATORS)}"
        )
    return ESTIMATORS[name][1]
