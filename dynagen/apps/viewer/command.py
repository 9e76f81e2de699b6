"""`dynagen check ROBOT`: inspect a robot model, and cross-check it with another tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import rich_click as click

from dynagen.apps.viewer.geometry import read_shapes
from dynagen.apps.viewer.inspection import (
    inspect,
    print_inspection,
    print_snap_effects,
)
from dynagen.apps.viewer.robot_page import render_robot_page
from dynagen.apps.viewer.structure import find_structure
from dynagen.cli.commands import command
from dynagen.cli.options import load_and_warn, reading, robot_argument, warn
from dynagen.cli.output import OUTPUT_FILE, report_files, report_form, show_progress, write_whole
from dynagen.errors import RobotDescriptionError, UsageError, VerificationError
from dynagen.options import OUTPUT, PROOF
from dynagen.report.accuracy import measure_snap_effects, measure_total_snap_effect
from dynagen.report.console import make_console
from dynagen.resources import is_bundled, make_title
from dynagen.robot.description import RobotDescription
from dynagen.robot.literals import Snapping
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model
from dynagen.robot.motion_tables import read_motion_table
from dynagen.robot.options import ReadingOptions

_OTHER_TOOLS = ("pinocchio", "mujoco")
"""Tools for a cross-check: optional extras, so their modules are imported only when needed."""


@command(
    "dynagen check ur5 --html ur5.html",
    "dynagen check arm.urdf --against pinocchio",
)
@robot_argument
@click.option(
    "--against",
    "other",
    panel=PROOF,
    type=click.Choice(_OTHER_TOOLS),
    help="Tool for a cross-check: the tool reads the same file, and all functions are compared. "
    "The exit status is 1 if they differ.",
)
@report_form("text", "json", of="cross-check")
@click.option(
    "--html",
    "page",
    panel=OUTPUT,
    type=OUTPUT_FILE,
    help="Also write a page that shows the robot in 3D with a slider for each joint.",
)
@click.option(
    "--motion",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    panel=OUTPUT,
    help="With --html: CSV with t, q1, ... that the page plays, from `simulate`, `excite` or a "
    "log. Names may end in a unit, as in q1_deg and time_ms.",
)
@reading
def check(
    robot: str,
    other: str | None,
    form: str,
    page: Path | None,
    motion: Path | None,
    reading: ReadingOptions,
) -> None:
    """Show frames, joint axes, centres of mass, gravity forces and limits of ROBOT, with warnings.

    All values are at q = 0 and in the base frame. With --against, ROBOT is cross-checked with
    another tool, and the links and joints that differ are reported.
    """
    description = load_and_warn(robot, reading)
    if other is not None:
        _cross_check(robot, other, form, reading)
        return
    if motion is not None and page is None:
        raise UsageError("--motion requires a page that plays it; add --html page.html")
    if form != "text":
        raise UsageError(
            "--format json requires a cross-check; add --against pinocchio or --against mujoco"
        )
    inspection = inspect(description)
    if reading.strict and inspection.warnings:
        raise RobotDescriptionError(make_title(description.path), inspection.warnings)
    bundled = is_bundled(description.path)
    if not bundled:
        warn(description, inspection.warnings)
    console = make_console()
    print_inspection(console, inspection)
    if description.snaps:
        print_snap_effects(
            console, measure_snap_effects(description), measure_total_snap_effect(description)
        )
    model = build_model(description)
    for note in description.notes + model.notes + inspection.notes + find_structure(model):
        console.print(f"note: {note}", markup=False)
    if page is not None:
        size = sum(link.joint.nq for link in description.links)
        table = "" if motion is None else _read_motion(motion, size)
        shapes, unread = read_shapes(description)
        with show_progress() as progress:
            text = render_robot_page(
                inspection,
                description.warnings + inspection.warnings,
                progress,
                table,
                shapes,
            )
        write_whole(page, text, "--html")
        for note in unread:
            console.print(f"note: {note}", markup=False)
        report_files(console, page)
    warnings = description.warnings + inspection.warnings
    if bundled and warnings:
        oddities = "; ".join(f"{fault.where}: {fault.message}" for fault in warnings)
        line = f"Unusual published numbers: {oddities}"
        console.print(line, markup=False, soft_wrap=True)
        return
    counted = {0: "No warnings.", 1: "1 warning, on standard error."}
    console.print(counted.get(len(warnings), f"{len(warnings)} warnings, on standard error."))


_MOST_ROWS = 3000  # of a motion in a page: a minute at 50 Hz


def _read_motion(path: Path, size: int) -> str:
    """Return the columns t and q1 to q<size> of a CSV as text for the page.

    If the file has more rows than _MOST_ROWS, evenly spaced rows are returned.

    Raises:
        UsageError: the file lacks a column, or has fewer than two rows of numbers.
    """
    columns = [f"q{joint}" for joint in range(1, size + 1)]
    times, positions = read_motion_table(path, columns)
    lines = [
        ",".join([f"{time:.15g}", *(f"{position:.6g}" for position in row)])
        for time, row in zip(times, positions, strict=True)
    ]
    return "\n".join([",".join(["t", *columns]), *lines[:: len(lines) // _MOST_ROWS + 1]])


def _cross_check(robot: str, other: str, form: str, reading: ReadingOptions) -> None:
    """Cross-check a robot with another tool, and print the report.

    Numbers in the description are not snapped to exact values, because the other tool reads the
    numbers as written.

    Raises:
        VerificationError: dynagen's reference and the other tool differ.
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
        click.echo(text.cross_check_to_json(comparison))
    else:
        text.print_cross_check(make_console(), comparison)
    if not comparison.agrees:
        raise VerificationError(f"{tool.name} and dynagen differ on {known.name}")
