"""Filtering: a log as it was recorded -> samples on equal steps of time, without the noise above a cut-off, without delay.

Positions, rates and joint forces pass the same low-pass (Butterworth, forwards and backwards), so that both sides of tau = Y pi
lose the same; accelerations are central differences of the filtered rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynagen.errors import UsageError
from dynagen.extras import require_extra
from dynagen.identification.logs import Log
from dynagen.identification.samples import Array, Mask, Samples

ORDER = 4
_FLAT = 2.5  # cut-off by the highest frequency of the motion: there the filter takes less than 0.1 %
_EDGE = 2.0  # periods of the cut-off at either end, where the filter knows one side only
_SEGMENT = 1024  # samples of a piece whose spectrum is averaged
_GAP = 10.0  # steps of time that are more than jitter
_STUCK = 5  # equal extreme forces in a row that are no coincidence


@dataclass(frozen=True)
class Filtering:
    """What was done to a log.

    Attributes:
        rate: samples a second, 1/s.
        cutoff: Hz.
        bandwidth: highest frequency at which rates are more than noise, Hz; None if the cut-off was given.
        trimmed: s at either end of each piece.
        pieces: that gaps leave of the log.
        standing: equations left out because the joint stands, of each joint.
        saturated: those because its measured force is at its end, of each joint.
    """

    rate: float
    cutoff: float
    bandwidth: float | None
    trimmed: float
    pieces: int
    standing: tuple[int, ...]
    saturated: tuple[int, ...]


def filter_log(log: Log, cutoff: float | None = None, still: bool = False) -> tuple[Samples, Filtering]:
    """Filter a log.

    Args:
        log: with ascending times.
        cutoff: of the low-pass in Hz; None: two and a half times the bandwidth of the motion, from the spectra of the rates.
        still: whether equations of joints that stand count.

    Raises:
        UsageError: the cut-off is not below half the sampling rate, or the log is too short for it.
        ToolchainError: scipy is missing.
    """
    require_extra("scipy", "identify", "to filter logs")
    step = float(np.mean(np.diff(log.t)[np.diff(log.t) < _GAP * np.median(np.diff(log.t))]))
    pieces = [_resampled(log.cut(rows), step) for rows in pieces_of(log.t)]
    bandwidth = None
    if cutoff is None:
        bandwidth = motion_bandwidth([_rates(piece, step) for piece in pieces], 1 / step)
        cutoff = min(_FLAT * bandwidth, 0.8 * 0.5 / step)
    if not 0 < cutoff < 0.5 / step:
        raise UsageError(f"--cutoff: expected Hz above 0 and below {0.5 / step:.4g} (half of {log.source}'s rate), found {cutoff:g}")
    edge = round(_EDGE / cutoff / step)
    kept = [piece for piece in pieces if len(piece) > 4 * edge + 10]
    if not kept:
        raise UsageError(f"{log.source}: no piece of it is long enough for a cut-off of {cutoff:.3g} Hz: at least {4 * _EDGE / cutoff:.3g} s")
    parts = [_filtered(piece, step, cutoff, edge) for piece in kept]
    t, q, qd, qdd, tau, raw, rough = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    saturated = saturated_samples(raw)
    standing = np.abs(qd) < np.std(rough - qd, axis=0)
    used = ~saturated if still else ~(saturated | standing)
    filtering = Filtering(
        1 / step, cutoff, bandwidth, edge * step, len(kept), tuple(standing.sum(axis=0)), tuple(saturated.sum(axis=0))
    )
    return Samples(t, q, qd, qdd, tau, used, log.source), filtering


def pieces_of(t: Array) -> list[slice]:
    """The rows between gaps of time."""
    steps = np.diff(t)
    borders = [0, *(np.flatnonzero(steps > _GAP * np.median(steps)) + 1).tolist(), len(t)]
    return [slice(first, last) for first, last in zip(borders, borders[1:], strict=False)]


def motion_bandwidth(rates: Sequence[Array], sampling: float) -> float:
    """The highest frequency at which a motion is more than noise, in Hz.

    The spectrum of accelerations, that of the rates times the frequency squared, falls as long as there is motion, and rises
    where noise is left. Where the smoothed spectrum of a joint is lowest, its motion ends; of the joints' frequencies the median counts.

    Args:
        rates: of pieces of a log, shape (count, n) each, on equal steps.
        sampling: samples a second.
    """
    from scipy.signal import welch

    longest = max(rates, key=len)
    frequencies, power = welch(longest, sampling, nperseg=min(_SEGMENT, len(longest)), axis=0, detrend="linear")
    edges = np.geomspace(frequencies[1], 0.5 * sampling, 40)
    bands = [(frequencies >= low) & (frequencies < high) for low, high in zip(edges, edges[1:], strict=False)]
    bands = [band for band in bands if band.any()]
    centres = np.array([np.exp(np.log(frequencies[band]).mean()) for band in bands])
    levels = np.array([np.log((power[band] * frequencies[band, None] ** 2 + 1e-300)).mean(axis=0) for band in bands])
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
    from scipy.signal import butter, sosfiltfilt

    low_pass = butter(ORDER, cutoff, fs=1 / step, output="sos")

    def smooth(values: Array) -> Array:
        return np.asarray(sosfiltfilt(low_pass, values, axis=0))

    rough, q = _rates(log, step), smooth(log.q)
    qd = np.gradient(q, step, axis=0) if log.qd is None else smooth(log.qd)
    qdd = np.gradient(qd, step, axis=0) if log.qdd is None else smooth(log.qdd)
    inside = slice(edge, len(log) - edge)
    return tuple(values[inside] for values in (log.t, q, qd, qdd, smooth(log.tau), log.tau, rough))
