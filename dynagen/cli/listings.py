"""Listings: `dynagen functions`, `dynagen robots` and `dynagen schema`."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.table import Table

from dynagen.dynamics.functions import FUNCTIONS
from dynagen.report.console import new_console
from dynagen.resources import bundled_robots
from dynagen.robot.formats.yaml.schema import RobotSchema
from dynagen.robot.loading import load_robot
from dynagen.robot.model.model import build_model


@click.command()
def functions() -> None:
    """List the functions that can be generated, with inputs, outputs and formula."""
    example = build_model(load_robot("planar3"))  # arguments depend on the robot
    table = Table(box=None)
    for column in ("function", "inputs", "outputs", "computes"):
        table.add_column(column)
    for function in FUNCTIONS:
        inputs, outputs = (
            ", ".join(argument.name for argument in arguments)
            for arguments in (function.inputs(example), function.outputs(example))
        )
        table.add_row(function.name, inputs, outputs, function.formula)
    new_console().print(table)


@click.command()
@click.argument("robot", required=False)
def robots(robot: str | None) -> None:
    """List the bundled robots, or print the description of ROBOT.

    To start a description of your own: dynagen robots puma560 > my_robot.yaml
    """
    if robot is not None:
        click.echo(Path(load_robot(robot).path).read_text(encoding="utf-8"), nl=False)
        return
    table = Table(box=None)
    for column in ("robot", "joints", "source"):
        table.add_column(column)
    for name in bundled_robots():
        description = load_robot(name)
        table.add_row(
            name,
            "".join(link.joint.type.name[0].upper() for link in description.links),
            description.source,
        )
    new_console().print(table)


@click.command()
def schema() -> None:
    """Print the JSON Schema of robot descriptions, for editors.

    The schema checks structure only. `dynagen check` also checks values and names.
    """
    click.echo(json.dumps(json_schema(), indent=2))


def json_schema() -> dict[str, object]:
    """Return the JSON Schema (draft 2020-12) of robot descriptions."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **RobotSchema.model_json_schema(),
    }
