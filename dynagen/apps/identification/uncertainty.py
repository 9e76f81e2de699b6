"""Standard deviations of estimated parameters, and the choice of insignificant parameters.

Standard deviations. Residuals of a robot are not white: filters and unmodelled friction correlate
residuals over many samples. Standard deviations that treat all samples as independent are often too
small by a factor of ten. The covariance of least squares under coloured residuals is (Y^T W Y)^-1
(Y^T W G W Y) (Y^T W Y)^-1, with the regressor Y and the diagonal matrix W of squared joint weights.
G is the covariance matrix of a joint's residuals over time, computed from their autocorrelation
(Newey and West, "A simple, positive semi-definite, heteroskedasticity and autocorrelation
consistent covariance matrix", Econometrica 55(3), 1987), with Parzen's window. Residuals of
different joints are assumed to be independent.

Significance. Insignificant parameters are dropped by one of two rules: contribution or test.

By contribution (Izaguirre, Hashimoto, Paul and Hayward, "A new computational structure for
real-time dynamics", International Journal of Robotics Research 11(4), 1992): a parameter is dropped
if its term stays below one percent of the greatest force in every trajectory. This rule considers
only the size of a term, so it may keep parameters that are entirely unknown because of noise.

By test: insignificant parameters are dropped one by one, the least certain first. A parameter is
dropped if the data are consistent with the value zero, for the parameter alone and for the set D of
all dropped parameters together. The test of D is an F test of pi_D^T C_DD^-1 pi_D / |D| at the
level 5 %. Here |D| is the size of D, pi_D the estimates of the parameters in D, and C_DD their
block of the covariance C under coloured residuals. For white residuals, this F test is the usual
comparison of two sums of squares (Janot, Vandanjon and Gautier, IEEE Transactions on Control
Systems Technology 22(1), 2014). The test needs no further pass over the data, because the values of
the kept parameters are computed from the covariance C.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynagen.apps.identification.estimation import Estimator, Observations
from dynagen.apps.identification.estimators import Estimate
from dynagen.apps.identification.link_parameters import make_link_parameters
from dynagen.apps.identification.physical_links import choose_consistent_zeros
from dynagen.apps.identification.regression import RegressionModel
from dynagen.apps.identification.samples import Samples
from dynagen.errors import UsageError, suggest_word
from dynagen.numbers.arrays import Array
from dynagen.resources import require_extra

CORRELATED = 0.9
"""Magnitude of a correlation above which a pair of parameters is reported."""

_TRUNCATED = 5.0  # autocorrelation times after which the sum that defines them ends (Sokal 1996)
_ENTRIES = 4096  # of a block of rows
# Length of the window in autocorrelation times: it omits 3 % of a first-order process's variance.
_WINDOW = 10.0
_MOST_STEPS = 8  # of the fixed-point iteration for the errors that the fit absorbs
_SETTLED = 0.01  # relative change of variances at which it ends


@dataclass(frozen=True)
class Deviations:
    """Uncertainty of an estimate for residuals that are correlated over time.

    Attributes:
        estimate: the estimate, with the covariance under coloured residuals.
        times: autocorrelation time of the residuals of each of n joints, in samples, shape (n,); 1
            for white residuals.
        effective: equivalent number of independent samples of each joint, shape (n,).
        condition: condition number of the regressor with weighted rows.
        condition_scaled: condition number after scaling each column to unit norm; independent of
            the parameters' units.
        correlated: pairs of parameter names with a correlation above 0.9 in magnitude, the
            strongest first.
    """

    estimate: Estimate
    times: Array
    effective: Array
    condition: float
    condition_scaled: float
    correlated: tuple[tuple[str, str, float], ...]


def compute_coloured_deviations(
    model: RegressionModel, logs: Sequence[Samples], estimate: Estimate
) -> Deviations:
    """Compute the uncertainty of an estimate for residuals that are correlated over time.

    For every estimator, the covariance is computed from the residuals by the formula for weighted
    least squares.

    Args:
        model: regressor of the estimated parameters.
        logs: samples of each log, evenly spaced in time, including samples that estimates do not
            use.
        estimate: the estimate.
    """
    free = [index for index in range(len(estimate.parameters)) if index not in estimate.held]
    rows = _WeightedRows(model, tuple(logs), estimate, free)
    information, residuals, used = rows.compute_information()
    bread: Array = np.asarray(np.linalg.pinv(information, hermitian=True), dtype=float)
    times = np.array([compute_autocorrelation_time(residual) for residual in residuals.T])
    counts = np.maximum(used, 1)
    lags = np.ceil(_WINDOW * times).astype(int) + 1
    joints = zip(residuals.T, lags, counts, strict=True)
    observed = [_autocovariances(residual)[:most] / count for residual, most, count in joints]
    # The fit has absorbed a part of the errors: add it to the autocovariance of the residuals. The
    # part follows from the errors, so the sum is a fixed point. In short logs the parameters absorb
    # many of the slow errors, and after one step their deviations would be too small.
    errors, spread = observed, rows.compute_spread(observed)
    for _ in range(_MOST_STEPS):
        absorbed = rows.compute_absorbed(errors, bread, bread @ spread @ bread)
        errors = [
            residual + part / count
            for residual, part, count in zip(observed, absorbed, counts, strict=True)
        ]
        before, spread = spread, rows.compute_spread(errors)
        if np.all(np.abs(np.diag(spread) / np.diag(before) - 1) < _SETTLED):
            break
    covariance = np.zeros((len(estimate.parameters),) * 2)
    covariance[np.ix_(free, free)] = bread @ spread @ bread
    norms = np.sqrt(np.maximum(np.diag(information), np.finfo(float).tiny))
    return Deviations(
        replace(estimate, covariance=covariance),
        times,
        counts / times,
        float(np.sqrt(np.linalg.cond(information))),
        float(np.sqrt(np.linalg.cond(information / np.outer(norms, norms)))),
        _correlated_pairs([item.name for item in estimate.parameters], covariance),
    )


def compute_autocorrelation_time(residual: Array) -> float:
    """Compute the autocorrelation time 1 + 2 (sum of autocorrelations) in samples, at least 1.

    The sum ends at a lag of five times the autocorrelation time, since noise dominates at larger
    lags. The result is 1 if all residuals are zero.

    Args:
        residual: residuals of one joint over time, shape (count,).
    """
    covariances = _autocovariances(residual)
    if not covariances[0] > 0:
        return 1.0
    sums = 2 * np.cumsum(covariances / covariances[0]) - 1
    ends = np.flatnonzero(np.arange(len(sums)) >= _TRUNCATED * sums)
    return max(1.0, float(sums[ends[0]] if len(ends) else sums.max()))


@dataclass(frozen=True)
class _WeightedRows:
    """Regressor rows and forces of all logs, divided by each joint's standard deviation.

    The rows are computed piece by piece to save memory. Only the columns of the parameters with the
    indices `free` are used.
    """

    model: RegressionModel
    logs: tuple[Samples, ...]
    estimate: Estimate
    free: list[int]

    def compute_information(self) -> tuple[Array, Array, Array]:
        """Return Y^T Y (weighted rows Y), the residuals, and the number of samples of each joint.

        The residuals are weighted and have the shape (samples, joints), 0 for unused samples.
        """
        information, residuals, used = np.zeros((len(self.free),) * 2), [], []
        for piece, columns in self._pieces():
            weights = piece.used / self.estimate.joint_deviation
            residuals.append(
                np.where(piece.used, (piece.tau - columns @ self.estimate.values) * weights, 0.0)
            )
            used.append(piece.used.sum(axis=0))
            for own in self._joints(piece, columns):
                information += _product(own, own)
        return information, np.concatenate(residuals), np.sum(used, axis=0)

    def compute_spread(self, covariances: Sequence[Array]) -> Array:
        """Compute Y^T G Y for the weighted rows Y and the covariance G of residuals over time.

        `covariances` contains, for each joint, the windowed autocovariance of its residuals by lag
        from 0.
        """
        spread = np.zeros((len(self.free),) * 2)
        for piece, columns in self._pieces():
            for own, of_joint in zip(self._joints(piece, columns), covariances, strict=True):
                spread += _product(own, _toeplitz_product(own, of_joint))
        return spread

    def compute_absorbed(
        self, covariances: Sequence[Array], bread: Array, fitted: Array
    ) -> list[Array]:
        """Compute, for each joint, how much autocovariance the fit removes from the residuals.

        Let e be the errors of the forces with covariance matrix G, and r = (1 - H) e the residuals
        of the fit, with H = Y B Y^T and the weighted rows Y. The result at lag k is the expected
        sum over time of e(t) e(t + k) minus the expected sum of r(t) r(t + k). The covariance of r
        is G - H G - G H + Y (B Y^T G Y B) Y^T.

        G is given by the autocovariances `covariances`; `bread` is B = (Y^T Y)^-1, and `fitted` is
        B Y^T G Y B for all joints together.
        """
        absorbed = [np.zeros(len(lags)) for lags in covariances]
        for piece, columns in self._pieces():
            for own, of_joint, sums in zip(
                self._joints(piece, columns), covariances, absorbed, strict=True
            ):
                smeared = _toeplitz_product(own, of_joint)
                sums += 2 * _lagged_sums(_block_product(own, bread), smeared, len(sums))
                sums -= _lagged_sums(_block_product(own, fitted), own, len(sums))
        return absorbed

    def _pieces(self) -> Iterator[tuple[Samples, Array]]:
        """Yield log pieces with regressors; residuals of different pieces count as independent."""
        for log in self.logs:
            for piece in log.iterate_pieces():
                yield piece, self.model.compute_regressor(piece.q, piece.qd, piece.qdd)

    def _joints(self, piece: Samples, columns: Array) -> Iterator[Array]:
        """Yield the weighted regressor rows of each joint in a piece; zeros for unused samples."""
        for joint, deviation in enumerate(self.estimate.joint_deviation):
            yield columns[:, joint, self.free] * (piece.used[:, joint, None] / deviation)


def _toeplitz_product(columns: Array, covariances: Array) -> Array:
    """Return G times `columns`, for a symmetric Toeplitz matrix G.

    The first column of G contains the autocovariances `covariances`, multiplied by Parzen's window.
    """
    # The product with a Toeplitz matrix is a convolution, computed by Fourier transforms.
    windowed = covariances * _parzen(np.arange(len(covariances)) / len(covariances))
    size = _power_of_two(len(columns) + len(windowed))
    kernel = np.zeros(size)
    kernel[: len(windowed)] = windowed
    kernel[size - len(windowed) + 1 :] = windowed[:0:-1]
    product = np.fft.rfft(kernel)[:, None] * np.fft.rfft(columns, size, axis=0)
    return np.asarray(np.fft.irfft(product, size, axis=0)[: len(columns)])


def _lagged_sums(left: Array, right: Array, lags: int) -> Array:
    """Compute the sum over t of left(t) right(t + k), averaged over k and -k, for each k >= 0."""
    size = _power_of_two(max(2 * len(left), 2 * lags))
    products = np.sum(
        np.conj(np.fft.rfft(left, size, axis=0)) * np.fft.rfft(right, size, axis=0), axis=1
    )
    return np.asarray(np.fft.irfft(products.real, size)[:lags])


def _blocks(columns: Array) -> list[slice]:
    """Divide rows into slices so short that the BLAS uses only one core, which is faster."""
    height = max(1, _ENTRIES // max(columns.shape[1], 1))
    return [slice(start, start + height) for start in range(0, len(columns), height)]


def _product(left: Array, right: Array) -> Array:
    """Compute the product left^T right of two matrices with many rows."""
    products = [left[rows].T @ right[rows] for rows in _blocks(left)]
    return np.asarray(np.sum(products, axis=0))


def _block_product(columns: Array, matrix: Array) -> Array:
    """Compute the product of a matrix with many rows and a square matrix."""
    return np.concatenate([columns[rows] @ matrix for rows in _blocks(columns)])


def _autocovariances(residual: Array) -> Array:
    """Compute the sum over t of r(t) r(t + k) of a residual r, for lags k up to half its length."""
    # Padding to twice the length: the Fourier transform must not wrap around.
    size = _power_of_two(2 * len(residual))
    spectrum = np.abs(np.fft.rfft(residual, size)) ** 2
    return np.asarray(np.fft.irfft(spectrum, size)[: max(len(residual) // 2, 1)])


def _power_of_two(least: int) -> int:
    """Return the least power of two that is not below `least`, for fast Fourier transforms."""
    return 1 << (least - 1).bit_length()


def _parzen(lag: Array) -> Array:
    """Compute Parzen's window, which falls from 1 at `lag` = 0 to 0 at `lag` = 1.

    The Fourier transform of the window is never negative, so a windowed covariance matrix stays
    positive semidefinite.
    """
    return np.where(lag < 0.5, 1 - 6 * lag**2 + 6 * lag**3, 2 * np.clip(1 - lag, 0, None) ** 3)


def _correlated_pairs(names: list[str], covariance: Array) -> tuple[tuple[str, str, float], ...]:
    """Return parameter pairs with a correlation above 0.9 in magnitude, the strongest first."""
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
"""Fraction of a joint's largest force below which a parameter's term Y_ij pi_j is negligible."""

LEVEL = 0.05
"""Significance level of the F test: the probability of keeping a parameter that is zero."""


@dataclass(frozen=True)
class DroppedParameter:
    """Parameter that was dropped as insignificant, with the reason.

    Attributes:
        index: index among all parameters, including dropped parameters.
        reason: reason for dropping, as text for the report.
    """

    index: int
    reason: str


def compute_contributions(
    model: RegressionModel, trajectories: Sequence[Samples], values: Array
) -> tuple[Array, Array]:
    """Compute the largest contribution of each parameter to the joint forces.

    Args:
        model: the regressor.
        trajectories: samples of each trajectory.
        values: estimated parameters in SI units, shape (p,).

    Returns:
        The largest magnitude of each parameter's term (regressor entry times value) in each joint's
        force, shape (trajectories, n, p), and of each measured force, shape (trajectories, n), in N
        m or N.
    """
    terms = [_greatest_terms(model, samples, values) for samples in trajectories]
    forces = [np.abs(samples.tau).max(axis=0) for samples in trajectories]
    return np.stack(terms), np.stack(forces)


def _greatest_terms(model: RegressionModel, samples: Samples, values: Array) -> Array:
    """Compute the largest magnitude over time of each parameter's term in each joint's force.

    A term is a regressor entry times the parameter's value. The result has the shape (joints,
    parameters).
    """
    greatest = [
        np.abs(model.compute_regressor(piece.q, piece.qd, piece.qdd) * values).max(axis=0)
        for piece in samples.iterate_pieces()
    ]
    return np.asarray(np.max(greatest, axis=0))


def find_without_contribution(
    terms: Array, greatest: Array, fraction: float = CONTRIBUTION
) -> tuple[DroppedParameter, ...]:
    """Find parameters whose terms are small compared with the greatest forces of the joints.

    Args:
        terms: greatest magnitude of each parameter's term in each joint's force, N m or N, shape
            (trajectories, n joints, p parameters).
        greatest: greatest measured force of each joint, N m or N, shape (trajectories, n).
        fraction: a term is small if it is below this fraction of the greatest force.
    """
    share = (terms / np.maximum(greatest, np.finfo(float).tiny)[..., None]).max(axis=(0, 1))
    return tuple(
        DroppedParameter(
            int(index),
            f"contributes at most {100 * share[index]:.2g} % of a joint's greatest force",
        )
        for index in np.flatnonzero(share < fraction)
    )


def find_without_certainty(
    estimate: Estimate, effective: float, level: float = LEVEL
) -> tuple[DroppedParameter, ...]:
    """Find parameters that can all be zero according to stepwise F tests, the least certain first.

    Args:
        estimate: estimate with the covariance for residuals that are correlated over time.
        effective: equivalent number of independent measurements.
        level: significance level of the test, such as 0.05.
    """
    require_extra("scipy", "identify", "for the F test")
    from scipy.stats import f

    free = [index for index in range(len(estimate.values)) if index not in estimate.held]
    values, covariance = estimate.values[free], estimate.covariance[np.ix_(free, free)]
    freedom = max(effective - len(free), 1.0)
    left, dropped = list(range(len(free))), list[DroppedParameter]()
    rest, spread, statistic = values.copy(), covariance.copy(), 0.0
    while left:
        ratios = np.abs(rest[left]) / np.sqrt(np.diag(spread)[left])
        index, ratio, count = left[int(np.argmin(ratios))], float(min(ratios)), len(dropped) + 1
        # pi_D^T C_DD^-1 pi_D of all dropped parameters: the steps are orthogonal, so they add up.
        statistic += ratio**2
        together, alone = (float(f.ppf(1 - level, number, freedom)) for number in (count, 1))
        if statistic / count > together or ratio**2 > alone:
            break
        reason = (
            f"{ratio:.2g} standard deviations from zero; the logs are consistent with zero for all "
            f"{count} dropped parameters (F = {statistic / count:.2f} <= {together:.2f})"
        )
        dropped.append(DroppedParameter(free[index], reason))
        # The values of the others with this one held at zero: one step of elimination.
        gain = spread[:, index] / spread[index, index]
        rest = rest - gain * rest[index]
        spread = spread - np.outer(gain, spread[index])
        left.remove(index)
    return tuple(dropped)


ESSENTIAL = {
    "test": "stepwise F test at 5 %, with standard deviations for correlated residuals",
    "contribution": "drops parameters below 1 % of the largest force in every log (Izaguirre)",
}
"""Help texts of the rules for dropping parameters, by name."""


@dataclass(frozen=True)
class Judgement:
    """Estimate with its uncertainty, and the dropped parameters.

    Attributes:
        seen: regressor of all parameters, with the samples and their triangular factors.
        essential: rule for dropping, `test` or `contribution`; None: nothing was dropped.
        observations: regressor of the kept parameters, with the samples and triangular factors.
        deviations: uncertainty of the estimate of the kept parameters.
        dropped: dropped parameters in the order of dropping; indices refer to `seen`.
    """

    seen: Observations
    essential: str | None
    observations: Observations
    deviations: Deviations
    dropped: tuple[DroppedParameter, ...]

    @property
    def estimate(self) -> Estimate:
        """Estimate of the kept parameters, with the covariance for time-correlated residuals."""
        return self.deviations.estimate


def judge(estimator: Estimator, seen: Observations, essential: str | None = None) -> Judgement:
    """Estimate parameters, drop insignificant parameters, and estimate the kept ones again.

    Args:
        estimator: function from observations to an estimate.
        seen: regressor of all parameters, and the samples to which it is fitted.
        essential: rule for dropping, `test` or `contribution`; None keeps all parameters.

    Raises:
        UsageError: the rule is unknown, or the estimator fails.
    """
    if essential is not None and essential not in ESSENTIAL:
        known = ", ".join(ESSENTIAL)
        raise UsageError(
            f"essential: there is no rule `{essential}`{suggest_word(essential, ESSENTIAL)}; "
            f"expected {known}"
        )
    deviations = _estimate_with_deviations(estimator, seen)
    if essential is None:
        return Judgement(seen, essential, seen, deviations, ())
    dropped = _choose_dropped(seen, deviations, essential)
    if deviations.estimate.estimator.startswith("physical"):
        dropped = _keep_consistent(seen, dropped)
    out = {item.index for item in dropped}
    kept = seen.restrict([index for index in range(len(seen.model.parameters)) if index not in out])
    return Judgement(seen, essential, kept, _estimate_with_deviations(estimator, kept), dropped)


def _estimate_with_deviations(estimator: Estimator, seen: Observations) -> Deviations:
    return compute_coloured_deviations(seen.model, seen.samples, estimator(seen))


def _choose_dropped(
    seen: Observations, deviations: Deviations, rule: str
) -> tuple[DroppedParameter, ...]:
    if rule == "test":
        return find_without_certainty(deviations.estimate, float(deviations.effective.sum()))
    terms, greatest = compute_contributions(seen.model, seen.samples, deviations.estimate.values)
    return find_without_contribution(terms, greatest)


def _keep_consistent(
    seen: Observations, dropped: tuple[DroppedParameter, ...]
) -> tuple[DroppedParameter, ...]:
    """Return those dropped parameters that physically consistent links may have at zero together.

    Other insignificant inertial parameters are not dropped.
    """
    links = make_link_parameters(seen.model.robot)
    places = {base.name: place for place, base in enumerate(links.base)}
    wanted = {places.get(seen.model.parameters[item.index].name): item for item in dropped}
    zeros = choose_consistent_zeros(links, [place for place in wanted if place is not None])
    inertial = {wanted[place].index for place in zeros}
    return tuple(
        item
        for item in dropped
        if item.index in inertial or seen.model.parameters[item.index].kind == "friction"
    )
