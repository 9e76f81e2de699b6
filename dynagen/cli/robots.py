"""`dynagen robots`: what is bundled."""

from __future__ import annotations

import click
from rich.table import Table

from dynagen.report.console import new_console
from dynagen.resources import bundled_robots
from dynagen.robot.loading import load_robot


@click.command()
def robots() -> None:
    """List the bundled robots."""
    table = Table(box=None)
    for column in ("robot", "joints", "source"):
        table.add_column(column)
    for name in bundled_robots():
        description = load_robot(name)
        table.add_row(name, "".join(link.joint.name[0].upper() for link in description.links), description.source)
    new_console().print(table)
