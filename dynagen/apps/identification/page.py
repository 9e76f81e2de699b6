"""HTML page of an identification: forces, spectra of residuals, parameters, dropped parameters."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from dynagen.apps.identification.charts import draw_forces, encode_samples
from dynagen.apps.identification.identification import Identification
from dynagen.apps.identification.link_parameters import make_link_parameters
from dynagen.apps.identification.physical_links import compute_eigenvalues
from dynagen.apps.identification.predictions import Prediction, note_above_100
from dynagen.apps.identification.samples import Samples
from dynagen.apps.identification.verdict import (
    explain_deviations,
    list_next_steps,
    measure_coverage,
    state_verdict,
)
from dynagen.report.drawing import draw_inline, require_drawing
from dynagen.report.page import render_page
from dynagen.resources import require_extra
from dynagen.robot.description import RobotDescription
from dynagen.version import __version__

EXTRA = "identify"


def build_identification_page(
    found: Identification, built: RobotDescription | None = None, impossible: str = ""
) -> str:
    """Return a self-contained HTML page on an identification: charts, residuals, parameters.

    Text from descriptions and logs is escaped.

    Args:
        found: the identification.
        built: the robot description with physically consistent links that was written to a file;
            None if none was written.
        impossible: reason why the base parameters of `built` differ from the identified parameters;
            empty without a difference.

    Raises:
        ToolchainError: scipy or matplotlib is not installed.
    """
    require_extra("scipy", EXTRA, "to draw spectra")
    require_drawing(EXTRA)
    tried = [
        *(("identified from", prediction) for prediction in found.fit),
        *(("held out", prediction) for prediction in found.validation),
    ]
    return render_page(
        "identification.html.j2",
        robot=found.robot.name,
        lead=_lead(found),
        verdict=state_verdict(found),
        steps=list(list_next_steps(found)),
        coverage=list(measure_coverage(found)),
        notes=list(_notes(found)),
        has_held_out=bool(found.validation),
        tried=[
            {
                "kind": kind,
                "name": _file_name(prediction.samples),
                "identified": prediction.relative_residual_percent.tolist(),
                "described": prediction.described_residual_percent.tolist(),
            }
            for kind, prediction in tried
        ],
        above_100=note_above_100([prediction for _, prediction in tried]),
        joints=[link.joint_name for link in found.model.joints],
        logs=[
            _log_charts(found, kind, prediction, place == len(found.fit) % len(tried))
            for place, (kind, prediction) in enumerate(tried)
        ],
        judged=list(explain_deviations(found)),
        parameters=list(_parameter_rows(found)),
        links=[] if built is None else list(_link_rows(built)),
        impossible=impossible,
        version=__version__,
    )


def _file_name(samples: Samples) -> str:
    """Return the file name of a log without its folders."""
    return samples.source.replace("\\", "/").rpartition("/")[2]


def _lead(found: Identification) -> str:
    """Return the first paragraph: numbers of parameters and samples, estimator, friction laws."""
    samples = sum(len(log.samples) for log in found.logs)
    seconds = sum(float(np.ptp(log.samples.t)) for log in found.logs)
    laws = ", ".join(found.model.laws) or "none"
    return (
        f"{len(found.estimate.parameters)} parameters from {samples} samples ({seconds:.3g} s), "
        f"estimator {found.estimate.estimator}, friction: {laws}."
    )


def _notes(found: Identification) -> Iterator[str]:
    """Yield a sentence on the low-pass filter of each log, and on each fault of the logs."""
    for log in found.logs:
        filtering = log.filtering
        yield f"{_file_name(log.samples)}: low-pass at {filtering.cutoff.frequency:.3g} Hz."
    yield from (f"{fault}." for fault in found.faults)


def _log_charts(
    found: Identification, kind: str, tried: Prediction, is_open: bool
) -> dict[str, Any]:
    """Return the data from which the template draws the charts of one log, with a chart per joint.

    `kind` names the purpose of the log, such as validation. `tried` contains its measured and
    predicted forces. If `is_open` is true, the charts are unfolded when the page opens.
    """
    name, joints = _file_name(tried.samples), []
    for number, link in enumerate(found.model.joints):
        t, measured, predicted = (
            tried.samples.t,
            tried.samples.tau[:, number],
            tried.predicted[:, number],
        )
        draw = partial(draw_forces, link.joint.type.force_unit, t, measured, predicted)
        joints.append(
            {
                "name": link.joint_name,
                "percent": tried.relative_residual_percent[number],
                "drawing": draw_inline(f"{link.joint_name}, {kind} {name}", EXTRA, draw),
                "samples": encode_samples(t, measured, predicted),
            }
        )
    return {"kind": kind, "name": name, "open": is_open, "joints": joints}


def _parameter_rows(found: Identification) -> Iterator[dict[str, Any]]:
    """Yield the rows of the page's table of parameters, including dropped parameters."""
    estimate, model = found.estimate, found.full_model
    places = {parameter.name: place for place, parameter in enumerate(estimate.parameters)}
    reasons = {
        model.parameters[dropped.index].name: dropped.reason for dropped in found.judgement.dropped
    }
    for parameter in model.parameters:
        row = {
            "name": parameter.name,
            "unit": parameter.unit,
            "described": f"{parameter.described:.4g}",
            "out": parameter.name in reasons,
        }
        if parameter.name in reasons:
            remark = f"dropped: {reasons[parameter.name]}"
            yield {**row, "value": "0", "deviation": "", "percent": "", "remark": remark}
            continue
        place = places[parameter.name]
        value, deviation = float(estimate.values[place]), float(estimate.deviations[place])
        remark = "" if found.significant[place] else "within two standard deviations of zero"
        if place in estimate.held:
            remark = "not determined by the logs: described value"
        percent = f"{100 * deviation / abs(value):.3g}" if value else ""
        yield {
            **row,
            "value": f"{value:.4g}",
            "deviation": f"{deviation:.2g}",
            "percent": percent,
            "remark": remark,
        }


def _link_rows(built: RobotDescription) -> Iterator[dict[str, Any]]:
    """Yield a table row for each link: its mass in kg and the eigenvalues of its pseudo-inertia."""
    links = make_link_parameters(built)
    standard = np.array([float(value) for value in links.described])
    for name, values in compute_eigenvalues(links, standard).items():
        yield {"name": name, "mass": standard[links.places[name]], "eigenvalues": values.tolist()}
