"""Filtering: a log as recorded to samples on equal time steps, without noise.

The low-pass that logs go through: Butterworth's of fourth order, forwards and backwards, so that nothing is delayed.

Filtering: a log as it was recorded -> samples on equal steps of time, without the noise above a cut-off, without delay.

Positions, rates and joint forces pass the same low-pass (Butterworth, forwards and backwards), so that both sides of
tau = Y pi lose the same; accelerations are central differences of the filtered rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from dynagen.apps.identification.logs import Log
from dynagen.apps.identification.samples import Array, Mask, Samples
from dynagen.errors import UsageError
from dynagen.resources import require_extra

ORDER = 4
_LONGEST = 2.0  # periods of the cut-off after which a step is over: what still rings is below 0.1 %
_HIGHEST = 12.0  # cut-offs: what passes beyond is below 1e-8


def low_pass(values: Array, cutoff: float, rate: float) -> Array:
    """Filter columns.

    Args:
        values: shape (count, columns), on equal steps.
        cutoff: Hz; there a quarter of the power passes.
        rate: samples a second.
    """
    from scipy.signal import butter, sosfiltfilt

    return np.asarray(sosfiltfilt(butter(ORDER, cutoff, fs=rate, output="sos"), values, axis=0))


@lru_cache(maxsize=1)
def step_response() -> tuple[Array, Array]:
    """What the filter makes of a jump from -1 to 1: times since, in periods of the cut-off, and values.

    Both passes take 1/(1 + f^8) of the amplitude at f cut-offs, and the response is 2/pi of the integral of sin(2 pi f t)/f
    times that over f.
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


_LOWEST = 5.0  # Hz: dry friction jumps where a joint reverses, and below this a filter makes long slopes of the jumps
_FLAT = (
    2.5  # cut-off by the highest frequency of the motion: there the filter takes less than 0.1 %
)
_EDGE = 2.0  # periods of the cut-off at either end, where the filter knows one side only
_SEGMENT = 1024  # samples of a piece whose spectrum is averaged
_GAP = 10.0  # steps of time that are more than jitter
_SMEARED = 0.5  # periods of the cut-off over which a filter spreads a jump, either way
_STUCK = 5  # equal extreme forces in a row that are no coincidence


@dataclass(frozen=True)
class Cutoff:
    """Where a low-pass begins to take.

    Attributes:
        frequency: at which half of the power passes, each way, Hz.
        bandwidth: highest frequency at which rates are more than noise, Hz; None if the cut-off was given.
    """

    frequency: float
    bandwidth: float | None = None


@dataclass(frozen=True)
class Filtering:
    """What was done to a log.

    Attributes:
        rate: samples a second, 1/s.
        cutoff: of the low-pass.
        trimmed: s at either end of each piece.
        pieces: that gaps leave of the log.
        standing: equations left out because the joint stands, of each joint.
        saturated: those left out because its measured force is at its end, of each joint.
    """

    rate: float
    cutoff: Cutoff
    trimmed: float
    pieces: int
    standing: tuple[int, ...]
    saturated: tuple[int, ...]


def choose_cutoff(logs: Sequence[Log]) -> Cutoff:
    """Two and a half times the bandwidth of the fastest motion, at least 5 Hz, at most 4/5 of what the slowest log can have.

    Raises:
        ToolchainError: scipy is missing.
    """
    require_extra("scipy", "identify", "to filter logs")
    widest, highest = 0.0, np.inf
    for log in logs:
        step = _step(log)
        rates = [_rates(_resampled(log.cut(rows), step), step) for rows in pieces_of(log.t)]
        widest, highest = max(widest, motion_bandwidth(rates, 1 / step)), min(highest, 0.4 / step)
    return Cutoff(min(max(_FLAT * widest, _LOWEST), highest), widest)


def filter_log(log: Log, cutoff: Cutoff) -> tuple[Samples, Filtering]:
    """Filter a log.

    Raises:
        UsageError: the cut-off is not below half the sampling rate, or the log is too short for it.
        ToolchainError: scipy is missing.
    """
    require_extra("scipy", "identify", "to filter logs")
    step, frequency = _step(log), cutoff.frequency
    if not 0 < frequency < 0.5 / step:
        rate = f"half of the sampling rate of {log.source}"
        raise UsageError(
            f"--cutoff: expected Hz above 0 and below {0.5 / step:.4g}, {rate}; found {frequency:g}"
        )
    edge = round(_EDGE / frequency / step)
    kept = [
        piece
        for piece in (_resampled(log.cut(rows), step) for rows in pieces_of(log.t))
        if len(piece) > 4 * edge + 10
    ]
    if not kept:
        least = f"at least {4 * edge * step:.3g} s without a gap"
        raise UsageError(
            f"{log.source}: no part of it is long enough for a cut-off of {frequency:.3g} Hz: expected {least}"
        )
    parts = [_filtered(piece, step, frequency, edge) for piece in kept]
    t, q, qd, qdd, tau, raw, rough = (
        np.concatenate(columns) for columns in zip(*parts, strict=True)
    )
    reach = round(_SMEARED / frequency / step)
    saturated = _widened(saturated_samples(raw), reach)
    standing = np.abs(qd) < np.std(rough - qd, axis=0)
    counts = (tuple(int(count) for count in marked.sum(axis=0)) for marked in (standing, saturated))
    samples = Samples(t, q, qd, qdd, tau, ~(saturated | standing), log.source)
    return samples, Filtering(1 / step, cutoff, edge * step, len(kept), *counts)


def _widened(marked: Mask, reach: int) -> Mask:
    """Marks, and the samples before and behind that a filter mixes with them."""
    counts = np.cumsum(np.pad(marked, ((reach + 1, reach), (0, 0)), mode="constant"), axis=0)
    return np.asarray(counts[2 * reach + 1 :] > counts[: -2 * reach - 1])


def _step(log: Log) -> float:
    """Mean time between samples, gaps left out, s."""
    steps = np.diff(log.t)
    return float(np.mean(steps[steps < _GAP * np.median(steps)]))


def pieces_of(t: Array) -> list[slice]:
    """The rows between gaps of time."""
    steps = np.diff(t)
    borders = [0, *(np.flatnonzero(steps > _GAP * np.median(steps)) + 1).tolist(), len(t)]
    return [slice(first, last) for first, last in pairwise(borders)]


def motion_bandwidth(rates: Sequence[Array], sampling: float) -> float:
    """The highest frequency at which a motion is more than noise, in Hz.

    The spectrum of accelerations, that of the rates times the frequency squared, falls as long as there is motion, and rises
    where noise is left. Where the smoothed spectrum of a joint is lowest, its motion ends; the median of all joints counts.

    Args:
        rates: of pieces of a log, shape (count, n) each, on equal steps.
        sampling: samples a second.
    """
    from scipy.signal import welch

    longest = max(rates, key=len)
    frequencies, power = welch(
        longest, sampling, nperseg=min(_SEGMENT, len(longest)), axis=0, detrend="linear"
    )
    edges = np.geomspace(frequencies[1], 0.5 * sampling, 40)
    bands = [(frequencies >= low) & (frequencies < high) for low, high in pairwise(edges)]
    bands = [band for band in bands if band.any()]
    centres = np.array([np.exp(np.log(frequencies[band]).mean()) for band in bands])
    levels = np.array(
        [np.log(power[band] * frequencies[band, None] ** 2 + 1e-300).mean(axis=0) for band in bands]
    )
    smooth = np.array([levels[max(0, k - 1) : k + 2].mean(axis=0) for k in range(len(levels))])
    peaks = smooth.argmax(axis=0)
    ends = [centres[peak + smooth[peak:, joint].argmin()] for joint, peak in enumerate(peaks)]
    return float(np.median(ends))


def saturated_samples(tau: Array) -> Mask:
    """Where a measured force stays at its greatest or smallest value, shape (count, n)."""
    marked = np.zeros(tau.shape, dtype=bool)
    for joint, force in enumerate(tau.T):
        for extreme in (force.max(), force.min()):
            at = np.flatnonzero(force == extreme)
            for run in np.split(at, np.flatnonzero(np.diff(at) > 1) + 1):
                if len(run) >= _STUCK and force.min() < force.max():
                    marked[run, joint] = True
    return marked


def _resampled(log: Log, step: float) -> Log:
    """On equal steps, on straight lines between the samples."""
    count = int((log.t[-1] - log.t[0]) / step + 1e-6) + 1
    t = log.t[0] + step * np.arange(count)

    def on_steps(values: Array) -> Array:
        return np.stack([np.interp(t, log.t, column) for column in values.T], axis=1)

    qd, qdd = (None if each is None else on_steps(each) for each in (log.qd, log.qdd))
    return Log(log.source, t, on_steps(log.q), qd, qdd, on_steps(log.tau), log.names, log.first_row)


def _rates(log: Log, step: float) -> Array:
    return np.gradient(log.q, step, axis=0) if log.qd is None else log.qd


def _filtered(log: Log, step: float, cutoff: float, edge: int) -> tuple[Array, ...]:
    """Time, position, rate, acceleration and force, filtered and without edges; force and rate as they were."""

    def smooth(values: Array) -> Array:
        return low_pass(values, cutoff, 1 / step)

    rough, q = _rates(log, step), smooth(log.q)
    qd = np.gradient(q, step, axis=0) if log.qd is None else smooth(log.qd)
    qdd = np.gradient(qd, step, axis=0) if log.qdd is None else smooth(log.qdd)
    inside = slice(edge, len(log) - edge)
    return tuple(values[inside] for values in (log.t, q, qd, qdd, smooth(log.tau), log.tau, rough))
