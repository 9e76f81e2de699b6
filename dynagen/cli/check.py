"""`dynagen check ROBOT`: what an engineer wants to see before trusting a model."""

from __future__ import annotations

import click

from dynagen.cli.robot import load_and_warn, strict_option, warn
from dynagen.errors import RobotDescriptionError
from dynagen.model.model import build_model
from dynagen.report.console import new_console
from dynagen.report.inspection import inspect
from dynagen.report.inspection_text import print_inspection


@click.command()
@click.argument("robot")
@strict_option
def check(robot: str, strict: bool) -> None:
    """Show ROBOT at q = 0, in the base frame: frames, axes, centres of mass, forces, limits, and what is suspicious."""
    description = load_and_warn(robot, strict)
    inspection = inspect(description)
    if strict and inspection.warnings:
        raise RobotDescriptionError(description.path, inspection.warnings)
    warn(description, inspection.warnings)
    console = new_console()
    print_inspection(console, inspection)
    for note in description.notes + build_model(description).notes + inspection.notes:
        console.print(f"note: {note}", markup=False)
    warnings = len(description.warnings + inspection.warnings)
    counted = {0: "No warnings.", 1: "1 warning, on standard error."}
    console.print(counted.get(warnings, f"{warnings} warnings, on standard error."))
