"""Identification -> tables on a console: how logs were filtered, how well forces are predicted, and the parameters."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dynagen.identification.identification import Identification
from dynagen.identification.prediction import above_100
from dynagen.report.console import new_table


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
    console.print(_residuals(console, found))
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
        console.print(escape(f"{one} and {other} are hardly told apart: correlation {value:.2f}"), soft_wrap=True)
    for each in found.judgement.dropped:
        console.print(escape(f"dropped: {every[each.index].name}: {each.reason}"), soft_wrap=True)


def _residuals(console: Console, found: Identification) -> Table:
    """How much of each joint's force is left, in percent of its norm."""
    columns = ["joint", "deviation"]
    tried = [*(("fit", each) for each in found.fit), *(("held out", each) for each in found.validation)]
    for kind, each in tried:
        source = each.samples.source.rpartition("/")[2]
        columns += [f"{kind}: {source}", "described"]
    table = new_table(console, "Residual of the joint forces, in percent of their norm", *map(escape, columns))
    for joint, link in enumerate(found.model.joints):
        cells = [f"{found.estimate.joint_deviation[joint]:.3g} {link.joint.type.force_unit}"]
        for _, each in tried:
            cells += [f"{each.relative_residual_percent[joint]:.2f}", f"{each.described_residual_percent[joint]:.1f}"]
        table.add_row(escape(link.joint_name), *cells)
    return table


def _parameters(console: Console, found: Identification) -> Table:
    estimate = found.estimate
    table = new_table(console, "Parameters", "parameter", "described", "identified", "+-", "unit", "")
    for place, each in enumerate(estimate.parameters):
        deviation = "held" if place in estimate.held else f"{estimate.deviations[place]:.2g}"
        remark = "" if found.significant[place] else "not significant"
        table.add_row(
            escape(each.name), f"{each.described:.5g}", f"{estimate.values[place]:.5g}", deviation, each.unit, remark
        )
    return table
