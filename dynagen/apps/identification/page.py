"""Curves: long signals as short SVG paths in which no peak is lost, and their spectra.

Page: an identification as one file: forces, measured and predicted, spectra of residuals, parameters, what was dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynagen.apps.identification.identification import Identification
from dynagen.apps.identification.link_parameters import link_parameters
from dynagen.apps.identification.physical_links import eigenvalues
from dynagen.apps.identification.regression import Prediction, above_100
from dynagen.apps.identification.samples import Array, Samples
from dynagen.report.page import render_page
from dynagen.resources import require_extra
from dynagen.robot.description import RobotDescription
from dynagen.version import __version__

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
    below = tuple(
        (100 * float(place), f"{10.0**decade:g} Hz")
        for place, decade in zip(places, decades, strict=True)
    )
    return Chart(title, tuple(curves), ((0.0, f"1e{top:.0f}"), (100.0, f"1e{bottom:.0f}")), below)


def _extremes(values: Array) -> NDArray[np.int64]:
    """Places of the least and the greatest value of every bucket, in order."""
    if len(values) <= 2 * _BUCKETS:
        return np.arange(len(values))
    bounds = np.linspace(0, len(values), _BUCKETS + 1).astype(int)
    pieces = [range(first, last) for first, last in pairwise(bounds)]
    found = {
        first.start + int(which(values[first.start : first.stop]))
        for first in pieces
        for which in (np.argmin, np.argmax)
    }
    return np.array(sorted({0, *found, len(values) - 1}))


def _path(x: Array, y: Array) -> str:
    """Points from 0 to 1, y downwards, as a path of whole units, each step relative to the last."""
    points = np.round(np.column_stack([x * WIDTH, y * HEIGHT])).astype(int)
    steps = np.diff(points, axis=0)
    return f"M{points[0, 0]} {points[0, 1]}l" + " ".join(f"{dx} {dy}" for dx, dy in steps)


def identification_page(
    found: Identification, built: RobotDescription | None = None, impossible: str = ""
) -> str:
    """The page; it needs nothing else. Whatever comes from descriptions and logs is escaped.

    Args:
        found: the identification.
        built: the robot of links that can be built which was written; None: there is none.
        impossible: why it has other base parameters than were found; empty where it has those.

    Raises:
        ToolchainError: scipy is missing.
    """
    require_extra("scipy", "identify", "to draw spectra")
    tried = [
        *(("identified from", each) for each in found.fit),
        *(("held out", each) for each in found.validation),
    ]
    return render_page(
        "identification.html.j2",
        robot=found.robot.name,
        lead=_lead(found),
        notes=list(_notes(found)),
        has_held_out=bool(found.validation),
        tried=[
            {
                "kind": kind,
                "name": _name(each.samples),
                "identified": each.relative_residual_percent.tolist(),
                "described": each.described_residual_percent.tolist(),
            }
            for kind, each in tried
        ],
        above_100=above_100([each for _, each in tried]),
        joints=[link.joint_name for link in found.model.joints],
        logs=[
            _log(found, kind, each, place == len(found.fit) % len(tried))
            for place, (kind, each) in enumerate(tried)
        ],
        judged=_judged(found),
        parameters=list(_parameters(found)),
        correlated=[
            f"{one} and {other} ({value:.2f})"
            for one, other, value in found.judgement.deviations.correlated
        ],
        links=[] if built is None else list(_links(built)),
        impossible=impossible,
        width=WIDTH,
        height=HEIGHT,
        version=__version__,
    )


def _name(samples: Samples) -> str:
    """The log's file, without its folders."""
    return samples.source.replace("\\", "/").rpartition("/")[2]


def _lead(found: Identification) -> str:
    """What was identified, from what, and how."""
    samples = sum(len(each.samples) for each in found.logs)
    seconds = sum(float(np.ptp(each.samples.t)) for each in found.logs)
    laws = ", ".join(found.model.laws) or "none"
    return (
        f"{len(found.estimate.parameters)} parameters from {samples} samples ({seconds:.3g} s), estimator "
        f"{found.estimate.estimator}, friction: {laws}."
    )


def _notes(found: Identification) -> Iterator[str]:
    """How logs were filtered, and what was wrong with them."""
    for log in found.logs:
        filtering = log.filtering
        yield f"{_name(log.samples)}: low-pass at {filtering.cutoff.frequency:.3g} Hz."
    yield from (f"{fault}." for fault in found.faults)


def _log(found: Identification, kind: str, tried: Prediction, is_open: bool) -> dict[str, Any]:
    """Charts of one log, joint by joint."""
    t, measured, left = tried.samples.t, tried.samples.tau, tried.residual
    joints = []
    for number, link in enumerate(found.model.joints):
        unit = link.joint.type.force_unit
        force, predicted, residual = (
            measured[:, number],
            tried.predicted[:, number],
            left[:, number],
        )
        joints.append(
            {
                "name": link.joint_name,
                "percent": tried.relative_residual_percent[number],
                "forces": force_chart(
                    f"force in {unit}", t, [("measured", force), ("predicted", predicted)]
                ),
                "residual": force_chart(f"residual in {unit}", t, [("residual", residual)]),
                "spectrum": spectrum_chart(
                    f"density in {unit}/Hz^0.5", t, [("measured", force), ("residual", residual)]
                ),
            }
        )
    return {"kind": kind, "name": _name(tried.samples), "open": is_open, "joints": joints}


def _judged(found: Identification) -> str:
    """What the deviations rest on, and how well conditioned the problem is."""
    deviations = found.judgement.deviations
    times = ", ".join(f"{time:.3g}" for time in deviations.times)
    return (
        f"Residuals of neighbouring samples are alike: so many count as one, joint by joint: {times}. The weighted regressor "
        f"has condition {deviations.condition:.3g}, and {deviations.condition_scaled:.3g} with columns of norm one."
    )


def _parameters(found: Identification) -> Iterator[dict[str, Any]]:
    """Rows of all parameters, those that were dropped among them."""
    estimate, model = found.estimate, found.every
    places = {each.name: place for place, each in enumerate(estimate.parameters)}
    reasons = {model.parameters[each.index].name: each.reason for each in found.judgement.dropped}
    for each in model.parameters:
        row = {
            "name": each.name,
            "unit": each.unit,
            "described": f"{each.described:.4g}",
            "out": each.name in reasons,
        }
        if each.name in reasons:
            yield {
                **row,
                "value": "0",
                "deviation": "",
                "percent": "",
                "said": f"dropped: {reasons[each.name]}",
            }
            continue
        place = places[each.name]
        value, deviation = float(estimate.values[place]), float(estimate.deviations[place])
        said = "" if found.significant[place] else "within two deviations of zero"
        if place in estimate.held:
            said = "not told by the logs: as described"
        percent = f"{100 * deviation / abs(value):.3g}" if value else ""
        yield {
            **row,
            "value": f"{value:.4g}",
            "deviation": f"{deviation:.2g}",
            "percent": percent,
            "said": said,
        }


def _links(built: RobotDescription) -> Iterator[dict[str, Any]]:
    """Masses and eigenvalues of pseudo-inertias."""
    links = link_parameters(built)
    standard = np.array([float(each) for each in links.described])
    for name, values in eigenvalues(links, standard).items():
        yield {"name": name, "mass": standard[links.places[name]], "eigenvalues": values.tolist()}
