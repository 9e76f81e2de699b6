"""Uncertainty: standard deviations of parameters, and which parameters the forces need.

Judgement: how uncertain estimated parameters are, and which of them the forces need.

Deviations: how uncertain estimated parameters are, where the errors of neighbouring samples resemble each other.

Residuals of a robot are not white: what a model leaves out (friction above all) and filters make them alike over many samples,
and deviations that count every sample as a new one are too small, often by a factor of ten. Here the covariance is that of
least squares under residuals of any colour: (Y^T W Y)^-1 (Y^T W G W Y) (Y^T W Y)^-1, with G the covariance of a joint's
residuals over time, from their own autocorrelation (W. Newey, K. West, "A simple, positive semi-definite, heteroskedasticity
and autocorrelation consistent covariance matrix", Econometrica 55(3), 1987; the window is Parzen's). Joints are independent.

Significance: which parameters the forces of a robot need, by two rules.

By contribution (A. Izaguirre, M. Hashimoto, R. Paul, V. Hayward, "A new computational structure for real-time dynamics",
International Journal of Robotics Research 11(4), 1992): a parameter whose term stays under one percent of the greatest force
in every trajectory is left out. That is about size alone: with noise it keeps what is not known at all.

By test: parameters are taken out one by one, the least certain of those that are left first, as long as it may be zero and so
may all that are out together: an F test at 5 % of pi_D^T C_DD^-1 pi_D / |D| (for white residuals that is the test of the two
sums of squares; A. Janot, P.-O. Vandanjon, M. Gautier, IEEE Transactions on Control Systems Technology 22(1), 2014) with the
covariance C that coloured residuals leave. It needs no data again: what the rest becomes without some follows from C.

Judgement: how certain an estimate is, and what it is without the parameters that forces do not need.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynagen.apps.identification.estimation import Estimator, Observations
from dynagen.apps.identification.estimators import Estimate
from dynagen.apps.identification.link_parameters import link_parameters
from dynagen.apps.identification.physical_links import possible_zeros
from dynagen.apps.identification.regression import RegressionModel
from dynagen.apps.identification.samples import Array, Samples
from dynagen.errors import UsageError, did_you_mean
from dynagen.resources import require_extra

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


def coloured_deviations(
    model: RegressionModel, logs: Sequence[Samples], estimate: Estimate
) -> Deviations:
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
    of_errors = [
        own + part / count for own, part, count in zip(observed, taken, counts, strict=True)
    ]
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
            residuals.append(
                np.where(piece.used, (piece.tau - columns @ self.estimate.values) * weights, 0.0)
            )
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
            for own, of_joint, sums in zip(
                self._joints(piece, columns), covariances, taken, strict=True
            ):
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
    products = np.sum(
        np.conj(np.fft.rfft(left, size, axis=0)) * np.fft.rfft(right, size, axis=0), axis=1
    )
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


CONTRIBUTION = 0.01
"""Part of the greatest force that a term has to reach somewhere."""

LEVEL = 0.05
"""Of the F test: how often what is zero is kept."""


@dataclass(frozen=True)
class Dropped:
    """A parameter that is left out.

    Attributes:
        index: its position among all.
        reason: for people.
    """

    index: int
    reason: str


def contributions(
    model: RegressionModel, trajectories: Sequence[Samples], values: Array
) -> tuple[Array, Array]:
    """How much of the forces each parameter makes.

    Args:
        model: the regressor.
        trajectories: one after the other.
        values: of the parameters, shape (p,).

    Returns:
        The greatest magnitude of every term and of the measured force, in N m or N, shapes (trajectories, n, p) and
        (trajectories, n).
    """
    terms = [_greatest_terms(model, each, values) for each in trajectories]
    return np.stack(terms), np.stack([np.abs(each.tau).max(axis=0) for each in trajectories])


def _greatest_terms(model: RegressionModel, samples: Samples, values: Array) -> Array:
    """The greatest magnitude of every term of one trajectory, whose regressor is in memory in pieces; shape (n, p)."""
    greatest = [
        np.abs(model.columns(each.q, each.qd, each.qdd) * values).max(axis=0)
        for each in samples.pieces()
    ]
    return np.asarray(np.max(greatest, axis=0))


def without_contribution(
    terms: Array, greatest: Array, fraction: float = CONTRIBUTION
) -> tuple[Dropped, ...]:
    """The parameters whose terms stay small beside the greatest force of their joints.

    Args:
        terms: of each parameter, shape (trajectories, n, p).
        greatest: force of each joint, shape (trajectories, n).
        fraction: that counts as small.
    """
    share = (terms / np.maximum(greatest, np.finfo(float).tiny)[..., None]).max(axis=(0, 1))
    return tuple(
        Dropped(
            int(index),
            f"contributes at most {100 * share[index]:.2g} % of a joint's greatest force",
        )
        for index in np.flatnonzero(share < fraction)
    )


def without_certainty(
    estimate: Estimate, effective: float, level: float = LEVEL
) -> tuple[Dropped, ...]:
    """The parameters that may all be zero, taken out stepwise, in their order.

    Args:
        estimate: with the covariance of coloured residuals.
        effective: number of independent measurements.
        level: of the test.
    """
    require_extra("scipy", "identify", "for the F test")
    from scipy.stats import f

    told = [index for index in range(len(estimate.values)) if index not in estimate.held]
    values, covariance = estimate.values[told], estimate.covariance[np.ix_(told, told)]
    freedom = max(effective - len(told), 1.0)
    left, dropped = list(range(len(told))), list[Dropped]()
    rest, spread, statistic = values.copy(), covariance.copy(), 0.0
    while left:
        ratios = np.abs(rest[left]) / np.sqrt(np.diag(spread)[left])
        index, ratio, count = left[int(np.argmin(ratios))], float(min(ratios)), len(dropped) + 1
        statistic += ratio**2  # pi_D^T C_DD^-1 pi_D of all that are out: its steps are orthogonal
        together, alone = (float(f.ppf(1 - level, number, freedom)) for number in (count, 1))
        if statistic / count > together or ratio**2 > alone:
            break
        reason = f"{ratio:.2g} deviations from zero; all {count} dropped: F = {statistic / count:.2f} <= {together:.2f}"
        dropped.append(Dropped(told[index], reason))
        # What the others become with this one held at zero: one step of elimination.
        gain = spread[:, index] / spread[index, index]
        rest = rest - gain * rest[index]
        spread = spread - np.outer(gain, spread[index])
        left.remove(index)
    return tuple(dropped)


ESSENTIAL = {
    "test": "stepwise F test at 5 %, with the deviations that coloured residuals leave",
    "contribution": "contributes under 1 % of the greatest force in every log (Izaguirre)",
}
"""Rules by which parameters are left out."""


@dataclass(frozen=True)
class Judgement:
    """An estimate that is judged.

    Attributes:
        seen: all that was given to the estimator.
        essential: the rule by which parameters were left out; None: there was none.
        observations: with the regressor of what is kept.
        deviations: of what is kept.
        dropped: parameters of the whole regressor that are left out, in the order in which they were.
    """

    seen: Observations
    essential: str | None
    observations: Observations
    deviations: Deviations
    dropped: tuple[Dropped, ...]

    @property
    def estimate(self) -> Estimate:
        """What is kept, with the covariance that coloured residuals leave."""
        return self.deviations.estimate


def judge(estimator: Estimator, seen: Observations, essential: str | None = None) -> Judgement:
    """Estimate, and judge; then without what is not essential, if that is asked for.

    Args:
        estimator: that estimates.
        seen: what it sees.
        essential: a rule of `ESSENTIAL` by which parameters are left out; None keeps all.

    Raises:
        UsageError: there is no such rule, or as the estimator.
    """
    if essential is not None and essential not in ESSENTIAL:
        known = ", ".join(ESSENTIAL)
        raise UsageError(
            f"essential: there is no rule `{essential}`{did_you_mean(essential, ESSENTIAL)}; there are {known}"
        )
    deviations = _judged(estimator, seen)
    if essential is None:
        return Judgement(seen, essential, seen, deviations, ())
    dropped = _dropped(seen, deviations, essential)
    if deviations.estimate.estimator.startswith("physical"):
        dropped = _possible(seen, dropped)
    out = {each.index for each in dropped}
    kept = seen.restricted(
        [index for index in range(len(seen.model.parameters)) if index not in out]
    )
    return Judgement(seen, essential, kept, _judged(estimator, kept), dropped)


def _judged(estimator: Estimator, seen: Observations) -> Deviations:
    return coloured_deviations(seen.model, seen.samples, estimator(seen))


def _dropped(seen: Observations, deviations: Deviations, rule: str) -> tuple[Dropped, ...]:
    if rule == "test":
        return without_certainty(deviations.estimate, float(deviations.effective.sum()))
    terms, greatest = contributions(seen.model, seen.samples, deviations.estimate.values)
    return without_contribution(terms, greatest)


def _possible(seen: Observations, dropped: tuple[Dropped, ...]) -> tuple[Dropped, ...]:
    """Those that links which can be built may all have zero: an inertia that is too small to be told is still one."""
    links = link_parameters(seen.model.robot)
    places = {each.name: place for place, each in enumerate(links.base)}
    wanted = {places.get(seen.model.parameters[each.index].name): each for each in dropped}
    zeros = possible_zeros(links, [place for place in wanted if place is not None])
    of_links = {wanted[place].index for place in zeros}
    return tuple(
        each
        for each in dropped
        if each.index in of_links or seen.model.parameters[each.index].kind == "friction"
    )
