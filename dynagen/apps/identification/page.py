"""Page of an identification: forces, measured and predicted, spectra of residuals, parameters, what was dropped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from dynagen.apps.identification.identification import Identification
from dynagen.apps.identification.link_parameters import link_parameters
from dynagen.apps.identification.physical_links import eigenvalues
from dynagen.apps.identification.regression import Prediction, above_100
from dynagen.apps.identification.samples import Array, Samples
from dynagen.report.drawing import (
    COLOURS,
    WIDE,
    draw_inline,
    draw_limits,
    draw_signal,
    log_axes,
    new_figure,
    require_drawing,
)
from dynagen.report.page import render_page
from dynagen.resources import require_extra
from dynagen.robot.description import RobotDescription
from dynagen.version import __version__

EXTRA = "identify"

_MEASURED = {
    "color": "#B4BCC6",
    "linewidth": 3.6,
    "label": "measured",
}  # wide: seen under what is predicted
_PREDICTED = {"color": COLOURS[0], "linewidth": 1.0, "label": "predicted"}
_RESIDUAL = {"color": COLOURS[1], "linewidth": 0.9, "label": "residual"}
_DECADES = 5  # of a spectrum below its peak; what lies below is rounding


def identification_page(
    found: Identification, built: RobotDescription | None = None, impossible: str = ""
) -> str:
    """Return the page, which is self-contained. Text from descriptions and logs is escaped.

    Args:
        found: the identification.
        built: the robot of links that can be built which was written; None: there is none.
        impossible: why it has other base parameters than were found; empty where it has those.

    Raises:
        ToolchainError: scipy or matplotlib is missing.
    """
    require_extra("scipy", EXTRA, "to draw spectra")
    require_drawing(EXTRA)
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
    name, joints = _name(tried.samples), []
    for number, link in enumerate(found.model.joints):
        draw = partial(
            draw_forces,
            link.joint.type.force_unit,
            tried.samples.t,
            tried.samples.tau[:, number],
            tried.predicted[:, number],
        )
        joints.append(
            {
                "name": link.joint_name,
                "percent": tried.relative_residual_percent[number],
                "drawing": draw_inline(f"{link.joint_name}, {kind} {name}", EXTRA, draw),
            }
        )
    return {"kind": kind, "name": name, "open": is_open, "joints": joints}


def draw_forces(unit: str, t: Array, measured: Array, predicted: Array) -> Any:
    """Return a figure of a joint's forces and their residual over time, and their spectra.

    Args:
        unit: of the forces.
        t: times in s, evenly spaced, shape (samples,).
        measured: forces, shape (samples,).
        predicted: forces, shape (samples,).
    """
    residual = measured - predicted
    figure = new_figure(WIDE, 3.0)
    grid = figure.add_gridspec(2, 2, width_ratios=(2, 1), height_ratios=(3, 2))
    forces = figure.add_subplot(grid[0, 0])
    draw_signal(forces, t, measured, **_MEASURED)
    draw_signal(forces, t, predicted, **_PREDICTED)
    left = figure.add_subplot(grid[1, 0], sharex=forces)
    draw_signal(left, t, residual, **_RESIDUAL)
    for axes in (forces, left):
        draw_limits(axes, 0.0)
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
    """Draw amplitude densities of signals over frequency, by Welch's method."""
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
    log_axes(axes, "xy")


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
