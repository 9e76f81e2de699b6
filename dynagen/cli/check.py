"""`dynagen check ROBOT`: what an engineer wants to see before trusting a model."""

from __future__ import annotations

import click

from dynagen.description.loading import load_robot
from dynagen.description.plausibility import implausibilities
from dynagen.model.model import build_model
from dynagen.report.console import new_console
from dynagen.report.inspection import inspect, print_inspection


@click.command()
@click.argument("robot")
@click.option("--strict", is_flag=True, help="Refuse inertial data that no physical body can have.")
def check(robot: str, strict: bool) -> None:
    """Show frames, masses, inertias and gravity forces of ROBOT at q = 0, and everything suspicious about it."""
    description = load_robot(robot, strict=strict)
    notes = description.notes + build_model(description).notes
    print_inspection(new_console(), inspect(description), implausibilities(description), notes)
