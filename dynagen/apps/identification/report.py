"""Report of an identification: console tables, JSON, and the operation counts of the robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dynagen.apps.identification.advice import Advice
from dynagen.apps.identification.identification import Identification, PreparedLog
from dynagen.apps.identification.predictions import Prediction, note_above_100
from dynagen.apps.identification.verdict import (
    explain_deviations,
    list_next_steps,
    state_verdict,
)
from dynagen.pipeline.driver import generate
from dynagen.pipeline.settings import Settings
from dynagen.report.console import make_table
from dynagen.robot.description import RobotDescription

_FUNCTION = "inverse_dynamics"


@dataclass(frozen=True)
class Operations:
    """Operation counts of generated inverse dynamics before and after identification.

    Attributes:
        described: number of operations for the robot as described.
        identified: number of operations for the identified robot.
    """

    described: int
    identified: int

    def __str__(self) -> str:
        """Return the counts for the described and identified robot in a line for the console."""
        return (
            f"Inverse dynamics requires {self.identified} operations "
            f"(as described: {self.described})"
        )

    def as_dict(self) -> dict[str, int]:
        """Return the operation counts by the keys `described` and `identified`."""
        return asdict(self)


def count_operations(described: RobotDescription, identified: RobotDescription) -> Operations:
    """Count additions, multiplications and other operations of generated inverse dynamics.

    Args:
        described: the robot before identification.
        identified: the robot with identified parameters.

    Returns:
        The total number of operations for each of the two robots.
    """
    return Operations(*(_count(robot) for robot in (described, identified)))


def _count(robot: RobotDescription) -> int:
    """Count the operations of the generated inverse dynamics of a robot."""
    (function,) = generate(robot, Settings("c", (_FUNCTION,), verify=False)).functions
    return function.operations.total


def identification_to_json(
    found: Identification, written: Identification | None = None
) -> dict[str, Any]:
    """Return an identification as JSON data: parameters, uncertainty, residuals, faults.

    The samples of the logs are not part of the JSON data.

    Args:
        found: the identification.
        written: the identification whose parameters were written to a description, if any.
    """
    estimate, significant, deviations = (
        found.estimate,
        found.significant,
        found.judgement.deviations,
    )
    parameters = [
        {
            "name": parameter.name,
            "value": float(value),
            "deviation": None if place in estimate.held else float(deviation),
            "significant": bool(significant[place]),
            "described": parameter.described,
            "unit": parameter.unit,
        }
        for place, (parameter, value, deviation) in enumerate(
            zip(estimate.parameters, estimate.values, estimate.deviations, strict=True)
        )
    ]
    return {
        "robot": found.robot.name,
        "estimator": estimate.estimator,
        "friction": list(found.model.laws),
        "parameters": parameters,
        "dropped": [
            {"name": found.full_model.parameters[dropped.index].name, "reason": dropped.reason}
            for dropped in found.judgement.dropped
        ],
        "condition": deviations.condition,
        "condition_scaled": deviations.condition_scaled,
        "correlated": [
            {"names": [one, other], "correlation": value}
            for one, other, value in deviations.correlated
        ],
        "autocorrelation_time": deviations.times.tolist(),
        "held": [estimate.parameters[place].name for place in estimate.held],
        "joint_deviation": [
            float(deviation) if np.isfinite(deviation) else None
            for deviation in estimate.joint_deviation
        ],
        "logs": [_log_json(log) for log in found.logs],
        "fit": _residuals_json(found.fit),
        "validation": _residuals_json(found.validation),
        "written": written
        and {
            "estimator": written.estimate.estimator,
            "fit": _residuals_json(written.fit),
            "validation": _residuals_json(written.validation),
        },
        "faults": [str(fault) for fault in found.faults],
    }


def _log_json(log: PreparedLog) -> dict[str, Any]:
    filtering = log.filtering
    return {
        "source": log.samples.source,
        "samples": len(log.samples),
        "rate": filtering.rate,
        "cutoff": filtering.cutoff.frequency,
        "bandwidth": filtering.cutoff.bandwidth,
        "trimmed": filtering.trimmed,
        "pieces": filtering.pieces,
        "standing": list(filtering.standing),
        "saturated": list(filtering.saturated),
    }


def _residuals_json(predictions: Sequence[Prediction]) -> dict[str, Any] | None:
    """Return the norm of each joint's force residual over all logs; None without logs.

    The norm is in percent of the norm of the joint's measured force. The residuals of the estimated
    and of the described robot have separate keys.
    """
    if not predictions:
        return None
    left = np.concatenate([log.residual for log in predictions])
    measured = np.concatenate([log.samples.tau for log in predictions])
    described = measured - np.concatenate([log.described for log in predictions])
    norms = np.linalg.norm(measured, axis=0)
    scale = np.where(norms > 0, norms, np.inf)
    return {
        "logs": [log.samples.source for log in predictions],
        "relative_residual_percent": (100 * np.linalg.norm(left, axis=0) / scale).tolist(),
        "described_relative_residual_percent": (
            100 * np.linalg.norm(described, axis=0) / scale
        ).tolist(),
    }


def print_identification(
    console: Console, found: Identification, advice: Advice | None = None
) -> None:
    """Print an identification: verdict, logs, residuals, parameters, uncertainty, next steps.

    Advice on better settings comes last, if it is given.
    """
    estimate = found.estimate
    laws = ", ".join(found.model.laws) or "none"
    console.print(
        f"[bold]{escape(found.robot.name)}[/]: {len(estimate.parameters)} parameters, "
        f"estimator {estimate.estimator}, friction: {laws}",
        soft_wrap=True,
    )
    console.print(state_verdict(found), soft_wrap=True)
    for log in found.logs:
        filtering = log.filtering
        bandwidth = filtering.cutoff.bandwidth
        chosen = (
            "as requested"
            if bandwidth is None
            else f"the spectrum of the motion ends at {bandwidth:.3g} Hz"
        )
        console.print(
            f"{escape(log.samples.source)}: {len(log.samples)} samples at {filtering.rate:.4g} Hz, "
            f"low-pass at {filtering.cutoff.frequency:.3g} Hz ({chosen}), "
            f"{filtering.trimmed:.2g} s left out at the beginning and at the end",
            soft_wrap=True,
        )
    console.print(_residual_table(console, found))
    if explained := note_above_100((*found.fit, *found.validation)):
        console.print(explained, soft_wrap=True)
    console.print(_parameter_table(console, found))
    _print_uncertainty(console, found)
    if estimate.held:
        names = ", ".join(estimate.parameters[place].name for place in estimate.held)
        console.print(
            f"The logs do not determine {escape(names)}, because the motion does not excite them. "
            "These parameters keep their described values; parameters that depend on them are "
            "equally "
            "uncertain. Move all joints, faster and in more directions (dynagen excite).",
            soft_wrap=True,
        )
    for step in list_next_steps(found, advised=advice is not None):
        console.print(f"next: {escape(step)}", soft_wrap=True)
    for line in () if advice is None else advice.list_sentences():
        console.print(line, markup=False, soft_wrap=True)


def _print_uncertainty(console: Console, found: Identification) -> None:
    """Print the explanation of standard deviations, and the dropped parameters."""
    every = found.full_model.parameters
    for sentence in explain_deviations(found):
        console.print(escape(sentence), soft_wrap=True)
    for dropped in found.judgement.dropped:
        console.print(
            escape(f"dropped: {every[dropped.index].name}: {dropped.reason}"), soft_wrap=True
        )


def _residual_table(console: Console, found: Identification) -> Table:
    """Return the table of each joint's relative residual."""
    columns = ["joint", "deviation"]
    tried = [
        *(("fit", prediction) for prediction in found.fit),
        *(("held out", prediction) for prediction in found.validation),
    ]
    for kind, prediction in tried:
        source = prediction.samples.source.rpartition("/")[2]
        columns += [f"{kind}: {source}", "described"]
    table = make_table(
        console, "Residual of the joint forces, in percent of their norm", *map(escape, columns)
    )
    for joint, link in enumerate(found.model.joints):
        cells = [f"{found.estimate.joint_deviation[joint]:.3g} {link.joint.type.force_unit}"]
        for _, prediction in tried:
            cells += [
                f"{prediction.relative_residual_percent[joint]:.2f}",
                f"{prediction.described_residual_percent[joint]:.1f}",
            ]
        table.add_row(escape(link.joint_name), *cells)
    return table


def _parameter_table(console: Console, found: Identification) -> Table:
    """Return the table of described and identified parameters."""
    estimate = found.estimate
    table = make_table(
        console, "Parameters", "parameter", "described", "identified", "+-", "unit", ""
    )
    for place, parameter in enumerate(estimate.parameters):
        deviation = "held" if place in estimate.held else f"{estimate.deviations[place]:.2g}"
        remark = "" if found.significant[place] else "not significant"
        table.add_row(
            escape(parameter.name),
            f"{parameter.described:.5g}",
            f"{estimate.values[place]:.5g}",
            deviation,
            parameter.unit,
            remark,
        )
    return table
