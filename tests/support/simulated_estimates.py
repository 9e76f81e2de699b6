"""Estimates of simulated logs by weighted least squares, for what judges and uses estimates."""

from __future__ import annotations

import numpy as np

from dynagen.apps.identification.estimators import Estimate
from dynagen.apps.identification.regression import RegressionModel
from dynagen.apps.identification.samples import Samples
from dynagen.apps.identification.triangular import JointFactors, compute_factors
from dynagen.numbers.arrays import Array


def estimate_of(
    model: RegressionModel, samples: Samples, factors: JointFactors | None = None
) -> Estimate:
    """Least squares with each joint weighted by its residual, and the covariance that white noise
    would leave.
    """
    factors = factors or compute_factors(model, samples)
    deviation = np.ones(len(factors.counts))
    for _ in range(2):
        factor = factors.apply_weights(1 / deviation)
        values = np.linalg.solve(factor[:-1, :-1], factor[:-1, -1])
        residuals = np.array(
            [np.linalg.norm(own @ np.append(values, -1.0)) for own in factors.factors]
        )
        deviation = residuals / np.sqrt(factors.counts)
    inverse = np.linalg.inv(factors.apply_weights(1 / deviation)[:-1, :-1])
    return Estimate("weighted", model.parameters, values, inverse @ inverse.T, deviation)


def coloured(rng: np.random.Generator, count: int, joints: int, memory: float) -> Array:
    """Noise of variance one, each sample of which is `memory` times the last one and something new;
    shape (count, joints).
    """
    noise = rng.normal(size=(count, joints))
    noise[1:] *= np.sqrt(1 - memory**2)
    for row in range(1, count):
        noise[row] += memory * noise[row - 1]
    return noise
