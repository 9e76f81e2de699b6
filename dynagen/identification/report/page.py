"""Page: an identification as one file: forces, measured and predicted, spectra of residuals, parameters, what was dropped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dynagen.description.description import RobotDescription
from dynagen.extras import require_extra
from dynagen.identification.identification import Identification
from dynagen.identification.links.link_parameters import link_parameters
from dynagen.identification.links.physical import eigenvalues
from dynagen.identification.prediction import Prediction, above_100
from dynagen.identification.report.curves import HEIGHT, WIDTH, force_chart, spectrum_chart
from dynagen.identification.samples import Samples
from dynagen.report.page import render_page
from dynagen.version import __version__


def identification_page(found: Identification, built: RobotDescription | None = None, impossible: str = "") -> str:
    """The page; it needs nothing else. Whatever comes from descriptions and logs is escaped.

    Args:
        found: the identification.
        built: the robot of links that can be built which was written; None: there is none.
        impossible: why it has other base parameters than were found; empty where it has those.

    Raises:
        ToolchainError: scipy is missing.
    """
    require_extra("scipy", "identify", "to draw spectra")
    tried = [*(("identified from", each) for each in found.fit), *(("held out", each) for each in found.validation)]
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
        logs=[_log(found, kind, each, place == len(found.fit) % len(tried)) for place, (kind, each) in enumerate(tried)],
        judged=_judged(found),
        parameters=list(_parameters(found)),
        correlated=[f"{one} and {other} ({value:.2f})" for one, other, value in found.judgement.deviations.correlated],
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
        force, predicted, residual = measured[:, number], tried.predicted[:, number], left[:, number]
        joints.append(
            {
                "name": link.joint_name,
                "percent": tried.relative_residual_percent[number],
                "forces": force_chart(f"force in {unit}", t, [("measured", force), ("predicted", predicted)]),
                "residual": force_chart(f"residual in {unit}", t, [("residual", residual)]),
                "spectrum": spectrum_chart(f"density in {unit}/Hz^0.5", t, [("measured", force), ("residual", residual)]),
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
        row = {"name": each.name, "unit": each.unit, "described": f"{each.described:.4g}", "out": each.name in reasons}
        if each.name in reasons:
            yield {**row, "value": "0", "deviation": "", "percent": "", "said": f"dropped: {reasons[each.name]}"}
            continue
        place = places[each.name]
        value, deviation = float(estimate.values[place]), float(estimate.deviations[place])
        said = "" if found.significant[place] else "within two deviations of zero"
        if place in estimate.held:
            said = "not told by the logs: as described"
        percent = f"{100 * deviation / abs(value):.3g}" if value else ""
        yield {**row, "value": f"{value:.4g}", "deviation": f"{deviation:.2g}", "percent": percent, "said": said}


def _links(built: RobotDescription) -> Iterator[dict[str, Any]]:
    """Masses and eigenvalues of pseudo-inertias."""
    links = link_parameters(built)
    standard = np.array([float(each) for each in links.described])
    for name, values in eigenvalues(links, standard).items():
        yield {"name": name, "mass": standard[links.places[name]], "eigenvalues": values.tolist()}
