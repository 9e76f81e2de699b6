"""Estimation: observations of a robot -> an estimate, by the estimator that is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dynagen.errors import UsageError, did_you_mean
from dynagen.identification.estimate import Estimate
from dynagen.identification.estimators.instrumental import estimate_instrumental
from dynagen.identification.estimators.least_squares import estimate_ordinary, estimate_weighted
from dynagen.identification.estimators.physical import estimate_physical
from dynagen.identification.estimators.robust import estimate_robust
from dynagen.identification.estimators.total import estimate_total
from dynagen.identification.friction_shape import fit_shape
from dynagen.identification.regression import RegressionModel
from dynagen.identification.samples import Samples
from dynagen.identification.triangular import JointFactors, accumulate


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
        return Observations(self.model.restricted(indices), self.samples, self.factors.restricted(indices))


Estimator = Callable[[Observations], Estimate]

ESTIMATORS: dict[str, tuple[str, Estimator]] = {
    "weighted": (
        "least squares, every joint weighted by its residuals",
        lambda seen: estimate_weighted(seen.factors, seen.model.parameters),
    ),
    "ordinary": ("least squares, all forces alike", lambda seen: estimate_ordinary(seen.factors, seen.model.parameters)),
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
        lambda seen: estimate_physical(seen.factors, seen.model.parameters, seen.model.robot, "euclidean"),
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
        raise UsageError(f"there is no estimator `{name}`{did_you_mean(name, ESTIMATORS)}; there are {', '.join(ESTIMATORS)}")
    return ESTIMATORS[name][1]
