"""`dynagen check ROBOT`: what an engineer wants to see before trusting a model."""

from __future__ import annotations

import click

from dynagen.cli.robot import load_and_warn, reading, warn
from dynagen.description.options import ReadingOptions
from dynagen.errors import RobotDescriptionError
from dynagen.model.model import build_model
from dynagen.report.console import new_console
from dynagen.report.inspection import inspect
from dynagen.report.inspection_text import print_inspection, print_snap_effects
from dynagen.report.snap_effects import change_of_all, snap_effects


@click.command()
@click.argument("robot")
@reading
def check(robot: str, reading: ReadingOptions) -> None:
    """Show ROBOT at q = 0, in the base frame: frames, axes, centres of mass, forces, limits, and what is suspicious."""
    description = load_and_warn(robot, reading)
    inspection = inspect(description)
    if reading.strict and inspection.warnings:
        raise RobotDescriptionError(description.path, inspection.warnings)
    warn(description, inspection.warnings)
    console = new_console()
    print_inspection(console, inspection)
    if description.snaps:
        print_snap_effects(console, snap_effects(description), change_of_all(description))
    for note in description.notes + build_model(description).notes + inspection.notes:
        console.print(f"note: {note}", markup=False)
    warnings = len(description.warnings + inspection.warnings)
    counted = {0: "No warnings.", 1: "1 warning, on standard error."}
    console.print(counted.get(warnings, f"{warnings} warnings, on standard error."))
