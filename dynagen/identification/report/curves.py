"""Curves: long signals as short SVG paths in which no peak is lost, and their spectra."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dynagen.identification.samples import Array

WIDTH, HEIGHT = 1000, 200
"""Units of a chart; it is stretched to the place that there is for it."""

_BUCKETS = 400  # of a signal: in each its least and its greatest value are drawn


@dataclass(frozen=True)
class Curve:
    """A line of a chart.

    Attributes:
        kind: its class in the style sheet.
        path: in units of the chart.
    """

    kind: str
    path: str


@dataclass(frozen=True)
class Chart:
    """Lines over one axis.

    Attributes:
        title: what it shows, for those who cannot see it.
        curves: those drawn first lie behind.
        left: numbers along the left side, as (place from the top in percent, text).
        below: numbers below, as (place from the left in percent, text).
        zero: the height of zero in units of the chart; None where there is none.
    """

    title: str
    curves: tuple[Curve, ...]
    left: tuple[tuple[float, str], ...]
    below: tuple[tuple[float, str], ...]
    zero: float | None = None


def force_chart(title: str, t: Array, signals: Sequence[tuple[str, Array]]) -> Chart:
    """Signals over time, from the least value of all to the greatest.

    Args:
        title: of the chart.
        t: times in s, ascending.
        signals: kind and values of each.
    """
    low = min(0.0, *(float(values.min()) for _, values in signals))
    high = max(0.0, *(float(values.max()) for _, values in signals))
    span = (high - low) or 1.0
    curves = []
    for kind, values in signals:
        places = _extremes(values)
        x = (t[places] - t[0]) / ((t[-1] - t[0]) or 1.0)
        curves.append(Curve(kind, _path(x, (high - values[places]) / span)))
    left = ((0.0, f"{high:.3g}"), (100.0, f"{low:.3g}"))
    below = ((0.0, f"{t[0]:.6g} s"), (100.0, f"{t[-1]:.6g} s"))
    return Chart(title, tuple(curves), left, below, HEIGHT * high / span)


def spectrum_chart(title: str, t: Array, signals: Sequence[tuple[str, Array]]) -> Chart:
    """Amplitude densities of signals over frequency, both logarithmic (Welch's method).

    Args:
        title: of the chart.
        t: times in s, evenly spaced.
        signals: kind and values of each.
    """
    from scipy.signal import welch

    rate = (len(t) - 1) / (t[-1] - t[0])
    length = min(len(t), max(256, len(t) // 4))
    densities = []
    for kind, values in signals:
        frequency, power = welch(values, rate, nperseg=length)
        densities.append((kind, np.sqrt(power[1:])))
    frequency = frequency[1:]
    greatest = max(float(density.max()) for _, density in densities) or 1.0
    top = np.ceil(np.log10(greatest))
    bottom = top - 5  # five decades below: what lies there is rounding
    x = np.log10(frequency / frequency[0]) / np.log10(frequency[-1] / frequency[0])
    curves = []
    for kind, density in densities:
        y = (top - np.log10(np.maximum(density, 10.0**bottom))) / (top - bottom)
        kept = np.unique(np.round(x * _BUCKETS).astype(int), return_index=True)[1]
        kept = kept[: int(np.argmax(y[kept] >= 1)) or None]  # to where it leaves the chart
        curves.append(Curve(kind, _path(x[kept], y[kept])))
    decades = np.arange(np.ceil(np.log10(frequency[0])), np.floor(np.log10(frequency[-1])) + 1)
    places = (decades - np.log10(frequency[0])) / np.log10(frequency[-1] / frequency[0])
    below = tuple((100 * float(place), f"{10.0**decade:g} Hz") for place, decade in zip(places, decades, strict=True))
    return Chart(title, tuple(curves), ((0.0, f"1e{top:.0f}"), (100.0, f"1e{bottom:.0f}")), below)


def _extremes(values: Array) -> NDArray[np.int64]:
    """Places of the least and the greatest value of every bucket, in order."""
    if len(values) <= 2 * _BUCKETS:
        return np.arange(len(values))
    bounds = np.linspace(0, len(values), _BUCKETS + 1).astype(int)
    pieces = [range(first, last) for first, last in pairwise(bounds)]
    found = {
        first.start + int(which(values[first.start : first.stop])) for first in pieces for which in (np.argmin, np.argmax)
    }
    return np.array(sorted({0, *found, len(values) - 1}))


def _path(x: Array, y: Array) -> str:
    """Points from 0 to 1, y downwards, as a path of whole units, each step relative to the last."""
    points = np.round(np.column_stack([x * WIDTH, y * HEIGHT])).astype(int)
    steps = np.diff(points, axis=0)
    return f"M{points[0, 0]} {points[0, 1]}l" + " ".join(f"{dx} {dy}" for dx, dy in steps)
