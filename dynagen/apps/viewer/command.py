"""`dynagen check ROBOT`: what an engineer wants to see before trusting a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from dynagen.apps.viewer.inspection import (
    find_structure,
    inspect,
    print_inspection,
    print_snap_effects,
)
from dynagen.apps.viewer.robot_page import robot_page
from dynagen.cli.options import load_and_warn, reading, warn
from dynagen.cli.output import OUTPUT_FILE, report_form, report_written, stage_progress, write_whole
from dynagen.errors import RobotDescriptionError, UsageError, VerificationError
from dynagen.report.accuracy import measure_total_snap_effect, measure_snap_effects
from dynagen.report.console import new_console
from dynagen.resources import title_of
from dynagen.robot.description import RobotDescription
from dynagen.robot.literals import Snapping
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from dynagen.robot.options import ReadingOptions

_OTHER_TOOLS = ("pinocchio", "mujoco")
"""Tools for a cross-check: load_<name> in the module of that name in `crosscheck`, imported when it is called."""


@click.command()
@click.argument("robot")
@click.option(
    "--against",
    "other",
    type=click.Choice(_OTHER_TOOLS),
    help="Compare with what another tool makes of the same file, function by function; exit 1 where they differ.",
)
@report_form("text", "json", of="comparison")
@click.option(
    "--html",
    "page",
    type=OUTPUT_FILE,
    help="Also write a page that shows the robot in 3D, with a slider for every joint.",
)
@reading
def check(
    robot: str, other: str | None, form: str, page: Path | None, reading: ReadingOptions
) -> None:
    """Show ROBOT at q = 0, in the base frame: frames, axes, centres of mass, forces, limits, and what is suspicious.

    With --against, ask another tool for its opinion on the same file instead, and say which link or joint differs.
    """
    description = load_and_warn(robot, reading)
    if other is not None:
        _compare(robot, other, form, reading)
        return
    if form != "text":
        raise UsageError(
            "--report json is of a comparison: say with whom, --against pinocchio or mujoco"
        )
    inspection = inspect(description)
    if reading.strict and inspection.warnings:
        raise RobotDescriptionError(title_of(description.path), inspection.warnings)
    warn(description, inspection.warnings)
    console = new_console()
    print_inspection(console, inspection)
    if description.snaps:
        print_snap_effects(
            console, measure_snap_effects(description), measure_total_snap_effect(description)
        )
    model = build_model(description)
    for note in description.notes + model.notes + inspection.notes + find_structure(model):
        console.print(f"note: {note}", markup=False)
    if page is not None:
        with stage_progress() as progress:
            text = robot_page(inspection, description.warnings + inspection.warnings, progress)
        write_whole(page, text, "--html")
        report_written(console, page)
    warnings = len(description.warnings + inspection.warnings)
    counted = {0: "No warnings.", 1: "1 warning, on standard error."}
    console.print(counted.get(warnings, f"{warnings} warnings, on standard error."))


def _compare(robot: str, other: str, form: str, reading: ReadingOptions) -> None:
    """Ask another tool. Numbers are compared as they are written: what snapping does to them is for the check to say.

    Raises:
        VerificationError: it has another opinion.
    """
    compare = import_module("dynagen.apps.crosscheck.comparison").compare
    text = import_module("dynagen.apps.crosscheck.report")
    load: Callable[[RobotDescription], tuple[Any, RobotDescription]] = getattr(
        import_module(f"dynagen.apps.crosscheck.{other}"), f"load_{other}"
    )
    description = load_robot(robot, replace(reading, snapping=Snapping(Fraction(0))))
    tool, known = load(description)
    comparison = compare(description, known, tool)
    if form == "json":
        click.echo(text.comparison_json(comparison))
    else:
        text.print_comparison(new_console(), comparison)
    if not comparison.agrees:
        raise VerificationError(f"{tool.name} has another opinion on {known.name}")
