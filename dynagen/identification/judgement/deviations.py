"""Deviations: how uncertain estimated parameters are, where the errors of neighbouring samples resemble each other.

Residuals of a robot are not white: what a model leaves out (friction above all) and filters make them alike over many samples,
and deviations that count every sample as a new one are too small, often by a factor of ten. Here the covariance is that of
least squares under residuals of any colour: (Y^T W Y)^-1 (Y^T W G W Y) (Y^T W Y)^-1, with G the covariance of a joint's
residuals over time, from their own autocorrelation (W. Newey, K. West, "A simple, positive semi-definite, heteroskedasticity
and autocorrelation consistent covariance matrix", Econometrica 55(3), 1987; the window is Parzen's). Joints are independent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynagen.identification.estimate import Estimate
from dynagen.identification.regression import RegressionModel
from dynagen.identification.samples import Array, Samples

CORRELATED = 0.9
"""Correlation of two parameters beyond which they are told: data hardly tell the one from the other."""

_TRUNCATED = 5.0  # autocorrelation times after which the sum that defines them ends (Sokal 1996)
_ENTRIES = 4096  # of a block of rows
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


def coloured_deviations(model: RegressionModel, logs: Sequence[Samples], estimate: Estimate) -> Deviations:
    """Judge an estimate by the samples that it was made from.

    Args:
        model: with the estimate's parameters.
        logs: each with samples in the order of time, evenly spaced; those that do not count stand among them.
        estimate: of any estimator: the covariance is that of weighted least squares at its residuals.
    """
    told = [index for index in range(len(estimate.parameters)) if index not in estimate.held]
    rows = _Rows(model, tuple(logs), estimate, told)
    information, residuals, used = rows.information()
    bread: Array = np.asarray(np.linalg.pinv(information, hermitian=True), dtype=float)
    times = np.array([autocorrelation_time(residual) for residual in residuals.T])
    counts = np.maximum(used, 1)
    lags = np.ceil(_WINDOW * times).astype(int) + 1
    joints = zip(residuals.T, lags, counts, strict=True)
    observed = [_autocovariances(residual)[:most] / count for residual, most, count in joints]
    taken = rows.taken(observed, bread, bread @ rows.spread(observed) @ bread)
    of_errors = [own + part / count for own, part, count in zip(observed, taken, counts, strict=True)]
    spread = rows.spread(of_errors)
    covariance = np.zeros((len(estimate.parameters),) * 2)
    covariance[np.ix_(told, told)] = bread @ spread @ bread
    norms = np.sqrt(np.maximum(np.diag(information), np.finfo(float).tiny))
    return Deviations(
        replace(estimate, covariance=covariance),
        times,
        counts / times,
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


@dataclass(frozen=True)
class _Rows:
    """The weighted equations of logs, whose errors have variance one, some at a time: never all of them are in memory.

    Attributes:
        told: positions of the parameters whose columns they have.
    """

    model: RegressionModel
    logs: tuple[Samples, ...]
    estimate: Estimate
    told: list[int]

    def information(self) -> tuple[Array, Array, Array]:
        """Y^T Y, the residuals, shape (count, n), zero where a sample does not count, and how many count, shape (n,)."""
        information, residuals, used = np.zeros((len(self.told),) * 2), [], []
        for piece, columns in self._pieces():
            weights = piece.used / self.estimate.joint_deviation
            residuals.append(np.where(piece.used, (piece.tau - columns @ self.estimate.values) * weights, 0.0))
            used.append(piece.used.sum(axis=0))
            for own in self._joints(piece, columns):
                information += _product(own, own)
        return information, np.concatenate(residuals), np.sum(used, axis=0)

    def spread(self, covariances: Sequence[Array]) -> Array:
        """Y^T G Y, where the residuals of the joints have these covariances at lags from 0, windowed."""
        spread = np.zeros((len(self.told),) * 2)
        for piece, columns in self._pieces():
            for own, of_joint in zip(self._joints(piece, columns), covariances, strict=True):
                spread += _product(own, _smeared(own, of_joint))
        return spread

    def taken(self, covariances: Sequence[Array], bread: Array, fitted: Array) -> list[Array]:
        """What parameters have taken on: sums over time of errors' e(t) e(t + k) less those of residuals, joint by joint.

        Residuals (1 - H) e with H = Y B Y^T have the covariance G - H G - G H + H G H, and H G H = Y (B Y^T G Y B) Y^T.

        Args:
            covariances: G of each joint, by lags.
            bread: B.
            fitted: B Y^T G Y B, of all joints.
        """
        taken = [np.zeros(len(each)) for each in covariances]
        for piece, columns in self._pieces():
            for own, of_joint, sums in zip(self._joints(piece, columns), covariances, taken, strict=True):
                sums += 2 * _lagged(_mapped(own, bread), _smeared(own, of_joint), len(sums))
                sums -= _lagged(_mapped(own, fitted), own, len(sums))
        return taken

    def _pieces(self) -> Iterator[tuple[Samples, Array]]:
        """Samples and their regressor; where one piece ends and the next begins, colour is forgotten."""
        for log in self.logs:
            for piece in log.pieces():
                yield piece, self.model.columns(piece.q, piece.qd, piece.qdd)

    def _joints(self, piece: Samples, columns: Array) -> Iterator[Array]:
        """Weighted equations of every joint, zero where a sample does not count, shape (count, p)."""
        for joint, deviation in enumerate(self.estimate.joint_deviation):
            yield columns[:, joint, self.told] * (piece.used[:, joint, None] / deviation)


def _smeared(columns: Array, covariances: Array) -> Array:
    """G times columns, G the Toeplitz matrix of windowed covariances; shape (count, p)."""
    windowed = covariances * _parzen(np.arange(len(covariances)) / len(covariances))
    size = _power_of_two(len(columns) + len(windowed))
    kernel = np.zeros(size)
    kernel[: len(windowed)] = windowed
    kernel[size - len(windowed) + 1 :] = windowed[:0:-1]
    product = np.fft.rfft(kernel)[:, None] * np.fft.rfft(columns, size, axis=0)
    return np.asarray(np.fft.irfft(product, size, axis=0)[: len(columns)])


def _lagged(left: Array, right: Array, lags: int) -> Array:
    """Sums of left(t) . right(t + k) over t, the mean of k and -k, at lags from 0."""
    size = _power_of_two(max(2 * len(left), 2 * lags))
    products = np.sum(np.conj(np.fft.rfft(left, size, axis=0)) * np.fft.rfft(right, size, axis=0), axis=1)
    return np.asarray(np.fft.irfft(products.real, size)[:lags])


def _blocks(columns: Array) -> list[slice]:
    """Rows, some at a time: so few that the linear algebra library does not divide a product among cores that wait for it."""
    height = max(1, _ENTRIES // max(columns.shape[1], 1))
    return [slice(start, start + height) for start in range(0, len(columns), height)]


def _product(left: Array, right: Array) -> Array:
    """left^T right, of many rows."""
    products = [left[rows].T @ right[rows] for rows in _blocks(left)]
    return np.asarray(np.sum(products, axis=0))


def _mapped(columns: Array, matrix: Array) -> Array:
    """The product of a matrix of many rows with a square one."""
    return np.concatenate([columns[rows] @ matrix for rows in _blocks(columns)])


def _autocovariances(residual: Array) -> Array:
    """Sums of r(t) r(t + k) over t, for k from 0 to a half of the length."""
    size = _power_of_two(2 * len(residual))
    spectrum = np.abs(np.fft.rfft(residual, size)) ** 2
    return np.asarray(np.fft.irfft(spectrum, size)[: max(len(residual) // 2, 1)])


def _power_of_two(least: int) -> int:
    """A length that Fourier transforms are quick for."""
    return 1 << (least - 1).bit_length()


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
