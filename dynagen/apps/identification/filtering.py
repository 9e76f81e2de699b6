"""Low-pass filtering of recorded logs, without delay, to samples on equal time steps.

The low-pass filter is a Butterworth filter of fourth order. The filter runs forwards and backwards,
which cancels its delay. Positions, velocities and joint forces pass the same filter, so that both
sides of tau = Y pi contain the same frequencies (joint forces tau, regressor Y, parameters pi).
Accelerations are central differences of the filtered velocities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from dynagen.apps.identification.logs import Log
from dynagen.apps.identification.samples import Samples
from dynagen.errors import UsageError
from dynagen.numbers.arrays import Array, Mask
from dynagen.resources import require_extra

ORDER = 4
"""Order of the low-pass filter in one direction of time."""
_LONGEST = 2.0  # periods of the cut-off after which the step response rings by less than 0.1 %
_HIGHEST = 12.0  # cut-offs beyond which less than 1e-8 of the amplitude passes


def apply_low_pass(values: Array, cutoff: float, rate: float) -> Array:
    """Filter the columns of an array by a Butterworth low-pass, forwards and backwards in time.

    The filter has the order `ORDER` in each direction of time. There is no delay.

    Args:
        values: samples on equal time steps, shape (count, columns).
        cutoff: cut-off frequency in Hz, at which a quarter of the power passes.
        rate: sampling frequency in Hz.

    Returns:
        The filtered values, shape (count, columns).
    """
    from scipy.signal import butter, sosfiltfilt

    return np.asarray(sosfiltfilt(butter(ORDER, cutoff, fs=rate, output="sos"), values, axis=0))


@lru_cache(maxsize=1)
def compute_step_response() -> tuple[Array, Array]:
    """Tabulate the low-pass filter's response to a signal that jumps from -1 to 1 at time 0.

    The forward and the backward pass together transmit 1/(1 + f^8) of the amplitude at f times the
    cut-off frequency. Let t be the time after the jump, in periods of the cut-off frequency. The
    filtered value is 2/pi times the integral of sin(2 pi f t)/f / (1 + f^8) over f from 0 to
    infinity.

    Returns:
        Times since the jump, in periods of the cut-off frequency, and values of the response, shape
        (401,) each.
    """
    times = np.linspace(0.0, _LONGEST, 401)
    width = 1 / 400
    frequencies = np.arange(width / 2, _HIGHEST, width)
    passed = 1 / (1 + frequencies ** (2 * ORDER))
    values = (
        2
        / np.pi
        * np.sum(np.sin(2 * np.pi * np.outer(times, frequencies)) / frequencies * passed, axis=1)
        * width
    )
    return times, values


# Hz: dry friction jumps where a joint reverses; a lower cut-off turns the jumps into long slopes.
_LOWEST = 5.0
# Ratio of the cut-off to the highest frequency of the motion, where the filter removes below 0.1 %.
_FLAT = 2.5
_EDGE = 2.0  # periods of the cut-off at either end, where the filter sees only one side
_SEGMENT = 1024  # samples of a segment in the averaged spectrum
_GAP = 10.0  # median time steps beyond which a step is a gap and not jitter
_SMEARED = 0.5  # periods of the cut-off over which the filter spreads a jump, in both directions
_STUCK = 5  # equal extreme forces in a row that count as saturated


@dataclass(frozen=True)
class Cutoff:
    """Cut-off frequency of the low-pass filter, and the bandwidth from which it was chosen.

    Attributes:
        frequency: cut-off frequency in Hz. At this frequency, each of the filter's two passes
            (forwards and backwards in time) transmits half of the power.
        bandwidth: highest frequency in Hz at which velocities exceed the noise; None if the user
            set the cut-off.
    """

    frequency: float
    bandwidth: float | None = None


@dataclass(frozen=True)
class Filtering:
    """Facts about the filtering of a log, for the report.

    Attributes:
        rate: sampling frequency in Hz.
        cutoff: cut-off frequency of the low-pass filter.
        trimmed: duration in s that is omitted at both ends of each piece.
        pieces: number of pieces into which gaps divide the log.
        standing: for each joint, the number of samples that are not used because the joint is at
            rest.
        saturated: for each joint, the number of samples that are not used because the measured
            force is saturated.
    """

    rate: float
    cutoff: Cutoff
    trimmed: float
    pieces: int
    standing: tuple[int, ...]
    saturated: tuple[int, ...]


def choose_cutoff(logs: Sequence[Log]) -> Cutoff:
    """Choose the cut-off frequency of the low-pass filter from the spectra of the logs.

    The bandwidth of a motion is the highest frequency at which the motion exceeds the noise. The
    cut-off is 2.5 times the largest bandwidth, at least 5 Hz, and at most 0.4 times the lowest
    sampling frequency of the logs.

    Returns:
        The cut-off frequency and the largest bandwidth, Hz.

    Raises:
        ToolchainError: scipy is not installed.
    """
    require_extra("scipy", "identify", "to filter logs")
    widest, highest = 0.0, np.inf
    for log in logs:
        step = _mean_step(log)
        velocities = [
            _velocities(_resample(log.cut(rows), step), step) for rows in split_at_gaps(log.t)
        ]
        widest = max(widest, estimate_motion_bandwidth(velocities, 1 / step))
        highest = min(highest, 0.4 / step)
    return Cutoff(min(max(_FLAT * widest, _LOWEST), highest), widest)


def filter_log(log: Log, cutoff: Cutoff) -> tuple[Samples, Filtering]:
    """Filter motion and forces of a log with a low-pass, and mark data that estimates must not use.

    The data of a joint are not used while the joint is at rest or its force is saturated. The
    samples have equal time steps, except at gaps of the log.

    Args:
        log: log without faults that stop the identification.
        cutoff: cut-off frequency of the low-pass.

    Returns:
        The samples of all pieces between gaps, and facts about the filtering.

    Raises:
        UsageError: the cut-off is not below half the sampling frequency, or the log is too short.
        ToolchainError: scipy is not installed.
    """
    require_extra("scipy", "identify", "to filter logs")
    step, frequency = _mean_step(log), cutoff.frequency
    if not 0 < frequency < 0.5 / step:
        raise UsageError(
            f"--cutoff: expected Hz above 0 and below {0.5 / step:.4g}, half of the sampling rate "
            f"of {log.source}; found {frequency:g}"
        )
    edge = round(_EDGE / frequency / step)
    kept = [
        piece
        for piece in (_resample(log.cut(rows), step) for rows in split_at_gaps(log.t))
        if len(piece) > 4 * edge + 10
    ]
    if not kept:
        raise UsageError(
            f"{log.source}: no part is long enough for a cut-off of {frequency:.3g} Hz: "
            f"expected at least {4 * edge * step:.3g} s without a gap"
        )
    parts = [_filter_piece(piece, step, frequency, edge) for piece in kept]
    t, q, qd, qdd, tau, raw, rough = (
        np.concatenate(columns) for columns in zip(*parts, strict=True)
    )
    reach = round(_SMEARED / frequency / step)
    saturated = _widen(find_saturated_samples(raw), reach)
    # At rest: the filtered velocity is below its own noise, and so is the sign of dry friction.
    standing = np.abs(qd) < np.std(rough - qd, axis=0)
    counts = (tuple(int(count) for count in marked.sum(axis=0)) for marked in (standing, saturated))
    samples = Samples(t, q, qd, qdd, tau, ~(saturated | standing), log.source)
    return samples, Filtering(1 / step, cutoff, edge * step, len(kept), *counts)


def _widen(marked: Mask, reach: int) -> Mask:
    """Mark also the `reach` samples before and after each marked sample.

    The filter mixes these samples with the marked sample.
    """
    counts = np.cumsum(np.pad(marked, ((reach + 1, reach), (0, 0)), mode="constant"), axis=0)
    return np.asarray(counts[2 * reach + 1 :] > counts[: -2 * reach - 1])


def _mean_step(log: Log) -> float:
    """Compute the mean time in s between consecutive samples that no gap separates."""
    steps = np.diff(log.t)
    return float(np.mean(steps[steps < _GAP * np.median(steps)]))


def split_at_gaps(t: Array) -> list[slice]:
    """Split ascending times t in s, shape (count,), at gaps of more than 10 median time steps.

    Returns:
        The range of rows of each piece, in order of time.
    """
    steps = np.diff(t)
    borders = [0, *(np.flatnonzero(steps > _GAP * np.median(steps)) + 1).tolist(), len(t)]
    return [slice(first, last) for first, last in pairwise(borders)]


def estimate_motion_bandwidth(rates: Sequence[Array], sampling: float) -> float:
    """Estimate the highest frequency (Hz) at which a motion exceeds the noise.

    With rising frequency, the power spectrum of accelerations falls where the motion dominates, and
    rises where noise dominates. The bandwidth of a joint is the frequency at which its smoothed
    spectrum of accelerations is lowest. The returned bandwidth is the median over all joints.

    Args:
        rates: for each piece of a log, the velocities of the n joints on equal time steps, shape
            (samples, n).
        sampling: sampling frequency in Hz.
    """
    from scipy.signal import welch

    longest = max(rates, key=len)
    frequencies, power = welch(
        longest, sampling, nperseg=min(_SEGMENT, len(longest)), axis=0, detrend="linear"
    )
    edges = np.geomspace(frequencies[1], 0.5 * sampling, 40)
    bands = [(frequencies >= low) & (frequencies < high) for low, high in pairwise(edges)]
    bands = [band for band in bands if band.any()]
    # Logarithmic bands: at low frequencies single lines, at high ones averages over many.
    centres = np.array([np.exp(np.log(frequencies[band]).mean()) for band in bands])
    levels = np.array(
        [np.log(power[band] * frequencies[band, None] ** 2 + 1e-300).mean(axis=0) for band in bands]
    )
    smooth = np.array([levels[max(0, k - 1) : k + 2].mean(axis=0) for k in range(len(levels))])
    peaks = smooth.argmax(axis=0)
    ends = [centres[peak + smooth[peak:, joint].argmin()] for joint, peak in enumerate(peaks)]
    return float(np.median(ends))


def find_saturated_samples(tau: Array) -> Mask:
    """Mark forces that stay at the joint's greatest or smallest value for at least 5 samples.

    Args:
        tau: measured joint forces on equal time steps, shape (samples, joints).

    Returns:
        Array of the same shape that is True for saturated forces.
    """
    marked = np.zeros(tau.shape, dtype=bool)
    for joint, force in enumerate(tau.T):
        for extreme in (force.max(), force.min()):
            at = np.flatnonzero(force == extreme)
            for run in np.split(at, np.flatnonzero(np.diff(at) > 1) + 1):
                if len(run) >= _STUCK and force.min() < force.max():
                    marked[run, joint] = True
    return marked


def _resample(log: Log, step: float) -> Log:
    """Interpolate a log linearly on equal time steps."""
    count = int((log.t[-1] - log.t[0]) / step + 1e-6) + 1
    t = log.t[0] + step * np.arange(count)

    def on_steps(values: Array) -> Array:
        return np.stack([np.interp(t, log.t, column) for column in values.T], axis=1)

    qd, qdd = (None if values is None else on_steps(values) for values in (log.qd, log.qdd))
    return Log(log.source, t, on_steps(log.q), qd, qdd, on_steps(log.tau), log.names, log.first_row)


def _velocities(log: Log, step: float) -> Array:
    """Return the logged velocities, or finite differences of the positions if none are logged."""
    return np.gradient(log.q, step, axis=0) if log.qd is None else log.qd


def _filter_piece(log: Log, step: float, cutoff: float, edge: int) -> tuple[Array, ...]:
    """Return the times t, filtered q, qd, qdd and tau, and unfiltered tau and qd, of a log.

    The first and last `edge` samples are omitted.
    """

    def smooth(values: Array) -> Array:
        return apply_low_pass(values, cutoff, 1 / step)

    rough, q = _velocities(log, step), smooth(log.q)
    qd = np.gradient(q, step, axis=0) if log.qd is None else smooth(log.qd)
    qdd = np.gradient(qd, step, axis=0) if log.qdd is None else smooth(log.qdd)
    inside = slice(edge, len(log) - edge)
    return tuple(values[inside] for values in (log.t, q, qd, qdd, smooth(log.tau), log.tau, rough))
