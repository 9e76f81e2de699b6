"""Charts of the forces of a joint: a drawing, and the samples for zooming into the drawing."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from dynagen.numbers.arrays import Array
from dynagen.report.drawing import (
    COLOURS,
    WIDE,
    draw_limits,
    draw_signal,
    make_axes_logarithmic,
    make_figure,
)

# Wide, so that the measured force is visible below the predicted one.
_MEASURED = {"color": "#B4BCC6", "linewidth": 3.6, "label": "measured"}
_PREDICTED = {"color": COLOURS[0], "linewidth": 1.0, "label": "predicted"}
_RESIDUAL = {"color": COLOURS[1], "linewidth": 0.9, "label": "residual"}
_DECADES = 5  # of a spectrum drawn below its peak; the rest is rounding
_MOST = 1000  # parts of a signal in a page; the least and the greatest value of each are kept
_LEVELS = 2**16 - 1
_MARGIN = 0.05  # part of the range of a signal that is left free above and below


def draw_forces(unit: str, t: Array, measured: Array, predicted: Array) -> Any:
    """Return a figure of one joint's forces and their residual over time, with their spectra.

    The script `identification_zoom.js` of the HTML page finds the parts of the figure to zoom by
    SVG ids that begin with `zoom-`.

    Args:
        unit: unit of the forces for the axes, N m or N.
        t: times in s, evenly spaced, shape (samples,).
        measured: measured forces of the joint, shape (samples,).
        predicted: forces predicted by the identified robot, shape (samples,).

    Returns:
        The matplotlib figure; the residual is measured minus predicted force.
    """
    residual = measured - predicted
    figure = make_figure(WIDE, 3.0)
    grid = figure.add_gridspec(2, 2, width_ratios=(2, 1), height_ratios=(3, 2))
    forces = figure.add_subplot(grid[0, 0])
    draw_signal(forces, t, measured, **_MEASURED, gid="zoom-measured")
    draw_signal(forces, t, predicted, **_PREDICTED, gid="zoom-predicted")
    left = figure.add_subplot(grid[1, 0], sharex=forces)
    draw_signal(left, t, residual, **_RESIDUAL, gid="zoom-residual")
    for axes, signals in ((forces, (measured, predicted)), (left, (residual,))):
        draw_limits(axes, 0.0)
        axes.set_ylim(_find_span(*signals))
        axes.patch.set_gid("zoom-box")
        axes.xaxis.set_gid("zoom-axis")
    forces.tick_params(labelbottom=False)
    forces.set(ylabel=f"force in {unit}", xlim=(t[0], t[-1]))
    left.set(ylabel=f"residual in {unit}", xlabel="t in s")
    figure.align_ylabels((forces, left))
    _draw_spectra(
        figure.add_subplot(grid[:, 1]), unit, t, ((measured, _MEASURED), (residual, _RESIDUAL))
    )
    figure.legend(handles=[*forces.lines[:2], left.lines[0]], loc="outside upper left", ncols=3)
    return figure


def _draw_spectra(
    axes: Any, unit: str, t: Array, signals: Iterable[tuple[Array, Mapping[str, Any]]]
) -> None:
    """Draw the amplitude spectral densities of signals, estimated by Welch's method."""
    from scipy.signal import welch

    rate = (len(t) - 1) / (t[-1] - t[0])
    peak = 0.0
    for values, style in signals:
        frequency, power = welch(values, rate, nperseg=min(len(t), max(256, len(t) // 4)))
        axes.plot(frequency[1:], np.sqrt(power[1:]), **style)
        peak = max(peak, float(np.sqrt(power[1:]).max()))
    top = 10.0 ** np.ceil(np.log10(peak or 1.0))
    axes.set(
        xlabel="frequency in Hz", ylabel=f"density in {unit}/√Hz", ylim=(top / 10**_DECADES, top)
    )
    make_axes_logarithmic(axes, "xy")


def encode_samples(t: Array, measured: Array, predicted: Array) -> dict[str, Any]:
    """Return a chart's samples as JSON data: start and end time, and three encoded signals.

    The signals are the measured force, the predicted force and the residual. Values are scaled to
    16-bit numbers, from 0 at the lower end of the vertical axis to 65535 at the upper end. A long
    signal is divided into short intervals of equal length; only the smallest and the largest value
    of each interval are kept.

    Args:
        t: times in s, evenly spaced, shape (samples,).
        measured: measured forces of a joint in N m or N, shape (samples,).
        predicted: predicted forces of the joint in N m or N, shape (samples,).

    Returns:
        Times `start` and `end` in s; and `measured`, `predicted` and `residual`, the scaled values
        as little-endian numbers in base 64.
    """
    forces, residual = _find_span(measured, predicted), measured - predicted
    return {
        "start": float(t[0]),
        "end": float(t[-1]),
        "measured": _encode(measured, forces),
        "predicted": _encode(predicted, forces),
        "residual": _encode(residual, _find_span(residual)),
    }


def _find_span(*signals: Array) -> tuple[float, float]:
    """Return both ends of a vertical axis that contains zero and all values of the signals."""
    low = min(0.0, *(float(signal.min()) for signal in signals))
    high = max(0.0, *(float(signal.max()) for signal in signals))
    margin = _MARGIN * (high - low) or 1.0
    return low - margin, high + margin


def _encode(values: Array, span: tuple[float, float]) -> str:
    """Return a signal as little-endian numbers of 16 bits, in base 64.

    The values from span[0] to span[1] become the numbers from 0 to 65535.
    """
    if len(values) > 2 * _MOST:
        parts = pairwise(np.linspace(0, len(values), _MOST + 1).astype(int))
        places = [
            place
            for first, last in parts
            for place in sorted(
                first + which(values[first:last]) for which in (np.argmin, np.argmax)
            )
        ]
        values = values[places]
    low, high = span
    heights = np.round(_LEVELS * (values - low) / (high - low))
    return b64encode(heights.astype("<u2").tobytes()).decode()
