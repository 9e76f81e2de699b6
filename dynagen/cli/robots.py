"""`dynagen robots`: what is bundled, and a description to start from."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table

from dynagen.description.loading import load_robot
from dynagen.report.console import new_console
from dynagen.resources import bundled_robots


@click.command()
@click.argument("robot", required=False)
def robots(robot: str | None) -> None:
    """List the bundled robots, or print the description of ROBOT to start from: dynagen robots puma560 > my_robot.yaml."""
    if robot is not None:
        click.echo(Path(load_robot(robot).path).read_text(encoding="utf-8"), nl=False)
        return
    table = Table(box=None)
    for column in ("robot", "joints", "source"):
        table.add_column(column)
    for name in bundled_robots():
        description = load_robot(name)
        table.add_row(name, "".join(link.joint.type.name[0].upper() for link in description.links), description.source)
    new_console().print(table)
