"""Report of an identification: tables, JSON, and the cost of the identified robot's dynamics.

Report: an identification as tables, JSON, a page, and a description of the robot.

Operations: what the dynamics of an identified robot cost, beside those of the described one.

Identification -> the object that `--report json` prints.

Identification -> tables on a console: how logs were filtered, how well forces are predicted, and the parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dynagen.apps.identification.identification import Identification, PreparedLog
from dynagen.apps.identification.regression import Prediction, above_100
from dynagen.pipeline.driver import generate
from dynagen.pipeline.settings import Settings
from dynagen.report.console import new_table
from dynagen.robot.description import RobotDescription

_FUNCTION = "inverse_dynamics"


@dataclass(frozen=True)
class Operations:
    """Multiplications, additions and divisions of one call of inverse dynamics."""

    described: int
    identified: int

    def __str__(self) -> str:
        """One line."""
        return (
            f"Inverse dynamics takes {self.identified} operations (as described {self.described})"
        )

    def as_dict(self) -> dict[str, int]:
        """By name."""
        return asdict(self)


def operations_of(described: RobotDescription, identified: RobotDescription) -> Operations:
    """Generate both, and count. What is zero among base parameters costs nothing."""
    return Operations(*(_count(robot) for robot in (described, identified)))


def _count(robot: RobotDescription) -> int:
    (function,) = generate(robot, Settings("c", (_FUNCTION,), verify=False)).functions
    return function.operations.total


def identification_json(
    found: Identification, written: Identification | None = None
) -> dict[str, Any]:
    """Everything of an identification but its samples, of numbers and text that JSON knows.

    Args:
        found: the identification.
        written: what a description was written of, if one was.
    """
    estimate, significant, deviations = (
        found.estimate,
        found.significant,
        found.judgement.deviations,
    )
    parameters = [
        {
            "name": each.name,
            "value": float(value),
            "deviation": None if place in estimate.held else float(deviation),
            "significant": bool(significant[place]),
            "described": each.described,
            "unit": each.unit,
        }
        for place, (each, value, deviation) in enumerate(
            zip(estimate.parameters, estimate.values, estimate.deviations, strict=True)
        )
    ]
    return {
        "robot": found.robot.name,
        "estimator": estimate.estimator,
        "friction": list(found.model.laws),
        "parameters": parameters,
        "dropped": [
            {"name": found.every.parameters[each.index].name, "reason": each.reason}
            for each in found.judgement.dropped
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
            float(each) if np.isfinite(each) else None for each in estimate.joint_deviation
        ],
        "logs": [_log(log) for log in found.logs],
        "fit": _residuals(found.fit),
        "validation": _residuals(found.validation),
        "written": written
        and {
            "estimator": written.estimate.estimator,
            "fit": _residuals(written.fit),
            "validation": _residuals(written.validation),
        },
        "faults": [str(fault) for fault in found.faults],
    }


def _log(log: PreparedLog) -> dict[str, Any]:
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


def _residuals(predictions: Sequence[Prediction]) -> dict[str, Any] | None:
    """Of all logs as one: norm of the residual by norm of the measured force, in percent, by joint; None without logs."""
    if not predictions:
        return None
    left = np.concatenate([each.residual for each in predictions])
    measured = np.concatenate([each.samples.tau for each in predictions])
    described = measured - np.concatenate([each.described for each in predictions])
    norms = np.linalg.norm(measured, axis=0)
    scale = np.where(norms > 0, norms, np.inf)
    return {
        "logs": [each.samples.source for each in predictions],
        "relative_residual_percent": (100 * np.linalg.norm(left, axis=0) / scale).tolist(),
        "described_relative_residual_percent": (
            100 * np.linalg.norm(described, axis=0) / scale
        ).tolist(),
    }


def print_identification(console: Console, found: Identification) -> None:
    """Print an identification."""
    estimate = found.estimate
    laws = ", ".join(found.model.laws) or "none"
    console.print(
        f"[bold]{escape(found.robot.name)}[/]: {len(estimate.parameters)} parameters, estimator {estimate.estimator}, "
        f"friction: {laws}",
        soft_wrap=True,
    )
    for log in found.logs:
        filtering = log.filtering
        bandwidth = filtering.cutoff.bandwidth
        chosen = "as given" if bandwidth is None else f"the motion ends at {bandwidth:.3g} Hz"
        console.print(
            f"{escape(log.samples.source)}: {len(log.samples)} samples at {filtering.rate:.4g} Hz, low-pass at "
            f"{filtering.cutoff.frequency:.3g} Hz ({chosen}), {filtering.trimmed:.2g} s left out at either end",
            soft_wrap=True,
        )
    console.print(_residual_table(console, found))
    if explained := above_100((*found.fit, *found.validation)):
        console.print(explained, soft_wrap=True)
    console.print(_parameters(console, found))
    _judgement(console, found)
    if estimate.held:
        names = ", ".join(estimate.parameters[place].name for place in estimate.held)
        console.print(
            f"The logs do not tell {escape(names)}: these keep the description's values, and what depends on them is as "
            "uncertain as these. Move all joints, faster and in more directions.",
            soft_wrap=True,
        )


def _judgement(console: Console, found: Identification) -> None:
    """What deviations rest on, and what was left out."""
    deviations, every = found.judgement.deviations, found.every.parameters
    times = ", ".join(f"{time:.3g}" for time in deviations.times)
    console.print(
        f"Deviations (+-) count so many neighbouring samples as one, joint by joint: {times}. The weighted regressor has "
        f"condition {deviations.condition:.3g}, and {deviations.condition_scaled:.3g} with columns of norm one.",
        soft_wrap=True,
    )
    for one, other, value in deviations.correlated:
        console.print(
            escape(f"{one} and {other} are hardly told apart: correlation {value:.2f}"),
            soft_wrap=True,
        )
    for each in found.judgement.dropped:
        console.print(escape(f"dropped: {every[each.index].name}: {each.reason}"), soft_wrap=True)


def _residual_table(console: Console, found: Identification) -> Table:
    """How much of each joint's force is left, in percent of its norm."""
    columns = ["joint", "deviation"]
    tried = [
        *(("fit", each) for each in found.fit),
        *(("held out", each) for each in found.validation),
    ]
    for kind, each in tried:
        source = each.samples.source.rpartition("/")[2]
        columns += [f"{kind}: {source}", "described"]
    table = new_table(
        console, "Residual of the joint forces, in percent of their norm", *map(escape, columns)
    )
    for joint, link in enumerate(found.model.joints):
        cells = [f"{found.estimate.joint_deviation[joint]:.3g} {link.joint.type.force_unit}"]
        for _, each in tried:
            cells += [
                f"{each.relative_residual_percent[joint]:.2f}",
                f"{each.described_residual_percent[joint]:.1f}",
            ]
        table.add_row(escape(link.joint_name), *cells)
    return table


def _parameters(console: Console, found: Identification) -> Table:
    estimate = found.estimate
    table = new_table(
        console, "Parameters", "parameter", "described", "identified", "+-", "unit", ""
    )
    for place, each in enumerate(estimate.parameters):
        deviation = "held" if place in estimate.held else f"{estimate.deviations[place]:.2g}"
        remark = "" if found.significant[place] else "not significant"
        table.add_row(
            escape(each.name),
            f"{each.described:.5g}",
            f"{estimate.values[place]:.5g}",
            deviation,
            each.unit,
            remark,
        )
    return table
