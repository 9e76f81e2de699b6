"""Deviations: how uncertain estimated parameters are, where the errors of neighbouring samples resemble each other.

Residuals of a robot are not white: what a model leaves out (friction above all) and filters make them alike over many samples,
and deviations that count every sample as a new one are too small, often by a factor of ten. Here the covariance is that of
least squares under residuals of any colour: (Y^T W Y)^-1 (Y^T W G W Y) (Y^T W Y)^-1, with G the covariance of a joint's
residuals over time, from their own autocorrelation (W. Newey, K. West, "A simple, positive semi-definite, heteroskedasticity
and autocorrelation consistent covariance matrix", Econometrica 55(3), 1987; the window is Parzen's). Joints count as independent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dynagen.identification.estimate import Estimate
from dynagen.identification.regression import RegressionModel
from dynagen.identification.samples import Array, Samples

CORRELATED = 0.9
"""Correlation of two parameters beyond which they are told: data hardly tell the one from the other."""

_TRUNCATED = 5.0  # autocorrelation times after which the sum that defines them ends (Sokal 1996)
_WINDOW = 10.0  # autocorrelation times that the window spans: 3 % of the variance of a first-order process is left out


@dataclass(frozen=True)
class Deviations:
    """How well data tell the parameters.

    Attributes:
        estimate: with the covariance that coloured residuals leave.
        times: autocorrelation time of each joint's residuals, in samples, 1 for white ones.
        effective: number of samples of each joint that count as independent.
        condition: of the weighted regressor.
        condition_scaled: likewise, with columns of norm one: what units do not decide.
        correlated: pairs of parameters and their correlation, the strongest first, beyond `CORRELATED`.
    """

    estimate: Estimate
    times: Array
    effective: Array
    condition: float
    condition_scaled: float
    correlated: tuple[tuple[str, str, float], ...]


def deviations_of(model: RegressionModel, samples: Samples, estimate: Estimate) -> Deviations:
    """Judge an estimate by the samples that it was made from.

    Args:
        model: with the estimate's parameters.
        samples: in the order of time, evenly spaced; those that do not count stand among them.
        estimate: of any estimator: the covariance is that of weighted least squares at its residuals.
    """
    told = [index for index in range(len(estimate.parameters)) if index not in estimate.held]
    columns = model.columns(samples.q, samples.qd, samples.qdd)
    residuals = np.where(samples.used, samples.tau - columns @ estimate.values, 0.0)
    weighted = (columns * (samples.used / estimate.joint_deviation)[..., None])[..., told]
    whitened = residuals / estimate.joint_deviation
    information = np.einsum("tip,tiq->pq", weighted, weighted, optimize=True)
    times = np.array([autocorrelation_time(residual) for residual in residuals.T])
    effective = np.maximum(samples.used.sum(axis=0) / times, 1.0)
    spread = np.zeros_like(information)
    for joint, time in enumerate(times):
        own = weighted[:, joint]
        spread += own.T @ _smeared(own, whitened[:, joint], int(np.ceil(_WINDOW * time)), int(samples.used[:, joint].sum()))
    freedom = effective.sum() / max(effective.sum() - len(told), 1.0)  # residuals are less than errors, by what was fitted
    bread = np.linalg.pinv(information, hermitian=True)
    covariance = np.zeros((len(estimate.parameters),) * 2)
    covariance[np.ix_(told, told)] = freedom * bread @ spread @ bread
    norms = np.sqrt(np.diag(information))
    return Deviations(
        replace(estimate, covariance=covariance),
        times,
        effective,
        float(np.sqrt(np.linalg.cond(information))),
        float(np.sqrt(np.linalg.cond(information / np.outer(norms, norms)))),
        _correlated([each.name for each in estimate.parameters], covariance),
    )


def autocorrelation_time(residual: Array) -> float:
    """Samples that count as one: 1 + 2 (sum of autocorrelations), shape (count,) -> at least 1."""
    covariances = _autocovariances(residual)
    if not covariances[0] > 0:
        return 1.0
    sums = 2 * np.cumsum(covariances / covariances[0]) - 1
    ends = np.flatnonzero(np.arange(len(sums)) >= _TRUNCATED * sums)
    return max(1.0, float(sums[ends[0]] if len(ends) else sums.max()))


def _autocovariances(residual: Array) -> Array:
    """Sums of r(t) r(t + k) over t, for k from 0 to a half of the length."""
    size = 2 * len(residual)
    spectrum = np.abs(np.fft.rfft(residual, size)) ** 2
    return np.asarray(np.fft.irfft(spectrum, size)[: max(len(residual) // 2, 1)])


def _smeared(columns: Array, residual: Array, span: int, count: int) -> Array:
    """G times the columns of a joint, G the Toeplitz matrix of its residuals' windowed autocovariance; shape (count, p)."""
    covariances = _autocovariances(residual)[: span + 1] / max(count, 1)
    covariances = covariances * _parzen(np.arange(len(covariances)) / (span + 1))
    size = len(columns) + len(covariances)
    kernel = np.zeros(size)
    kernel[: len(covariances)] = covariances
    kernel[len(kernel) - len(covariances) + 1 :] = covariances[:0:-1]
    product = np.fft.rfft(kernel)[:, None] * np.fft.rfft(columns, size, axis=0)
    return np.asarray(np.fft.irfft(product, size, axis=0)[: len(columns)])


def _parzen(lag: Array) -> Array:
    """Parzen's window, 1 at 0 and 0 from 1; its transform is nowhere negative, so that a covariance stays one."""
    return np.where(lag < 0.5, 1 - 6 * lag**2 + 6 * lag**3, 2 * np.clip(1 - lag, 0, None) ** 3)


def _correlated(names: list[str], covariance: Array) -> tuple[tuple[str, str, float], ...]:
    deviations = np.sqrt(np.diag(covariance))
    scale = np.where(deviations > 0, deviations, np.inf)
    correlations = covariance / np.outer(scale, scale)
    pairs = [
        (names[first], names[second], float(correlations[first, second]))
        for first, second in zip(*np.triu_indices(len(names), 1), strict=True)
        if abs(correlations[first, second]) > CORRELATED
    ]
    return tuple(sorted(pairs, key=lambda pair: -abs(pair[2])))
