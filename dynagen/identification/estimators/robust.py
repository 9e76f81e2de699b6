"""Robust regression: equations far off count less (P. Huber, "Robust Estimation of a Location Parameter", 1964).

Residuals within 1.345 deviations of their joint count as in least squares, those beyond by their magnitude only; where noise
is normal that costs 5 % in variance. Deviations are medians of magnitudes, which outliers do not move. Least squares with
weights from the last residuals is repeated until the parameters stay.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynagen.identification.estimate import Estimate
from dynagen.identification.estimators.least_squares import covariance_of, described_of, estimate_weighted, solve
from dynagen.identification.regression import RegressionModel
from dynagen.identification.samples import Array, Samples, joined
from dynagen.identification.triangular import JointFactors, factors_of

_BEND = 1.345  # deviations
_NORMAL = 1.4826  # deviation of normal noise by the median of its magnitude
_ROUNDS = 100
_SETTLED = 1e-3  # standard deviations of a parameter
_FLOOR = 1e-12


def estimate_robust(model: RegressionModel, samples: Sequence[Samples], factors: JointFactors) -> Estimate:
    """Huber's estimate."""
    seen, described = joined(samples), described_of(model.parameters)
    values, solution = estimate_weighted(factors, model.parameters).values, None
    present = factors.counts > 0
    for _ in range(_ROUNDS):
        residuals = seen.tau - model.columns(seen.q, seen.qd, seen.qdd) @ values
        scale = _scale(residuals, seen)
        ratios = np.abs(residuals) / scale
        bent = np.minimum(1.0, _BEND / np.maximum(ratios, _BEND))
        weights = np.where(present, 1 / scale, 0.0)
        before, solution = values, solve(factors_of(model, seen, scale=np.sqrt(bent)).weighted(weights), described)
        values = solution.values
        if np.all(np.abs(values - before) <= _SETTLED * np.linalg.norm(solution.spread, axis=1)):
            break
    deviations = np.where(present, _deviations(ratios, seen, len(values)) * scale, np.inf)
    plain = solve(factors.weighted(weights), described)
    return Estimate(
        "robust", model.parameters, values, covariance_of(factors, plain, weights, deviations), deviations, plain.held
    )


def _scale(residuals: Array, seen: Samples) -> Array:
    """Deviations of the joints' residuals by their median, shape (n,)."""
    scale = [np.median(np.abs(own[used])) if used.any() else 1.0 for own, used in zip(residuals.T, seen.used.T, strict=True)]
    return np.asarray(np.maximum(_NORMAL * np.array(scale), _FLOOR * np.sqrt(np.mean(seen.tau**2, axis=0)) + 1e-300))


def _deviations(ratios: Array, seen: Samples, count: int) -> Array:
    """By what the estimate's error exceeds that of least squares under unit noise: sqrt(E psi^2) / E psi' (Huber)."""
    inner = np.where(seen.used, ratios <= _BEND, False).sum(axis=0)
    squares = np.where(seen.used, np.minimum(ratios, _BEND) ** 2, 0.0).sum(axis=0)
    used = np.maximum(seen.used.sum(axis=0), 1)
    freedom = np.maximum(used - count / seen.tau.shape[1], 1)
    return np.asarray(np.sqrt(squares / freedom) / np.maximum(inner / used, 1e-3))
