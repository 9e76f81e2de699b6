"""Estimation: observations of a robot to an estimate, and friction that is not linear in its parameters.

Friction that is not linear in its numbers: the Stribeck velocity, and losses that follow the load.

Stribeck friction is separable: for given velocities all else is linear, so that least squares leaves a function of the
velocities alone (variable projection: G. Golub, V. Pereyra, Inverse Problems 19(2), 2003). A joint's factor depends on its own
velocity only; factors of a few velocities therefore tell the residual of every combination of them, without the samples.

The loss of a transmission depends on the load that the other parameters make: these are taken from the last solution, until
that stays.

Estimation: observations of a robot -> an estimate, by the estimator that is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynagen.apps.identification.estimators import (
    Estimate,
    described_of,
    estimate_instrumental,
    estimate_ordinary,
    estimate_physical,
    estimate_robust,
    estimate_total,
    estimate_weighted,
    settled_weights,
    solve,
)
from dynagen.apps.identification.regression import RegressionModel
from dynagen.apps.identification.samples import Array, Samples
from dynagen.apps.identification.triangular import JointFactors, accumulate
from dynagen.errors import UsageError, did_you_mean

_GRID = 9  # velocities of a joint that are tried at once
_REFINED = 3  # times that the grid closes in on the best
_SWEEPS = 5
_SLOWEST = 0.005  # of a joint's greatest rate, where the search begins
_ROUNDS = 30
_SETTLED = 1e-6
_MOST_LOST = 0.9


def fit_shape(model: RegressionModel, samples: Sequence[Samples]) -> RegressionModel:
    """The regressor whose friction has the shape that fits samples best; of friction that is linear it is the same."""
    if "stribeck" in model.laws:
        model = _with_velocities(model, samples)
    return _with_losses(model, samples) if "load" in model.laws else model


def _with_velocities(model: RegressionModel, samples: Sequence[Samples]) -> RegressionModel:
    fastest = np.max([np.abs(each.qd).max(axis=0) for each in samples], axis=0)
    moving = fastest > 0
    low, high = (
        np.log(np.where(moving, _SLOWEST * fastest, 1.0)),
        np.log(np.where(moving, fastest, 2.0)),
    )
    chosen = model.shape.stribeck_velocity
    for _ in range(_REFINED):
        grid = np.exp(np.linspace(low, high, _GRID))
        tried = [accumulate(_at(model, velocities), samples) for velocities in grid]
        best = _best_of(tried, settled_weights(tried[_GRID // 2], described_of(model.parameters)))
        chosen = np.where(moving, grid[best, np.arange(len(best))], chosen)
        width = (high - low) / (_GRID - 1)
        low, high = np.log(chosen) - width, np.log(chosen) + width
    return _at(model, chosen)


def _at(model: RegressionModel, velocities: Array) -> RegressionModel:
    return replace(model, shape=replace(model.shape, stribeck_velocity=velocities))


def _best_of(tried: Sequence[JointFactors], weights: Array) -> Array:
    """For every joint which of the factors that were tried leaves least, one joint after the other; shape (n,)."""
    factors, counts = np.stack([each.factors for each in tried]), tried[0].counts
    joints = np.arange(len(counts))
    best = np.full(len(counts), len(tried) // 2)
    for _ in range(_SWEEPS):
        before = best.copy()
        for joint in joints:
            left = []
            for choice in range(len(tried)):
                best[joint] = choice
                left.append(JointFactors(factors[best, joints], counts).weighted(weights)[-1, -1])
            best[joint] = int(np.argmin(left))
        if np.array_equal(best, before):
            break
    return best


def _with_losses(model: RegressionModel, samples: Sequence[Samples]) -> RegressionModel:
    lost = [place for place, each in enumerate(model.parameters) if each.name.endswith(".loss")]
    others = [place for place in range(len(model.parameters)) if place not in lost]
    described = described_of(model.parameters)
    values = np.zeros(len(model.parameters))
    factors = accumulate(model.restricted(others), samples)
    values[others] = solve(
        factors.weighted(settled_weights(factors, described[others])), described[others]
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
        values = solve(factors.weighted(settled_weights(factors, described)), described).values
        if np.all(np.abs(values - before) <= _SETTLED * (np.abs(values) + _SETTLED)):
            break
    return model


@dataclass(frozen=True)
class Observations:
    """What estimators see.

    Attributes:
        model: the regressor.
        samples: one for each log.
        factors: of all samples.
    """

    model: RegressionModel
    samples: tuple[Samples, ...]
    factors: JointFactors

    def restricted(self, indices: Sequence[int]) -> Observations:
        """The same for some of the parameters; the others are zero."""
        return Observations(
            self.model.restricted(indices), self.samples, self.factors.restricted(indices)
        )


Estimator = Callable[[Observations], Estimate]

ESTIMATORS: dict[str, tuple[str, Estimator]] = {
    "weighted": (
        "least squares, every joint weighted by its residuals",
        lambda seen: estimate_weighted(seen.factors, seen.model.parameters),
    ),
    "ordinary": (
        "least squares, all forces alike",
        lambda seen: estimate_ordinary(seen.factors, seen.model.parameters),
    ),
    "robust": (
        "outliers count by their magnitude, not its square (Huber)",
        lambda seen: estimate_robust(seen.model, seen.samples, seen.factors),
    ),
    "instrumental": (
        "instrumental variables, a simulated motion as instrument (Janot)",
        lambda seen: estimate_instrumental(seen.model, seen.samples, seen.factors),
    ),
    "total": (
        "total least squares, noise in motion and forces",
        lambda seen: estimate_total(seen.factors, seen.model.parameters),
    ),
    "physical": (
        "weighted, among robots that can be built; what logs do not tell is near the description, by an entropic distance",
        lambda seen: estimate_physical(seen.factors, seen.model.parameters, seen.model.robot),
    ),
    "physical-euclidean": (
        "likewise, by a euclidean distance",
        lambda seen: estimate_physical(
            seen.factors, seen.model.parameters, seen.model.robot, "euclidean"
        ),
    ),
}
"""Estimators by name: what they are, and the function."""
DEFAULT_ESTIMATOR = "weighted"


def observe(model: RegressionModel, samples: tuple[Samples, ...]) -> Observations:
    """Find the shape of friction that is not linear, and accumulate the factors of samples."""
    model = fit_shape(model, samples)
    return Observations(model, samples, accumulate(model, samples))


def find_estimator(name: str) -> Estimator:
    """The estimator of a name.

    Raises:
        UsageError: there is none.
    """
    if name not in ESTIMATORS:
        raise UsageError(
            f"there is no estimator `{name}`{did_you_mean(name, ESTIMATORS)}; there are {', '.join(ESTIMATORS)}"
        )
    return ESTIMATORS[name][1]
