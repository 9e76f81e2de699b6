"""`dynagen functions`: what can be generated."""

from __future__ import annotations

import click
from rich.table import Table

from dynagen.dynamics.functions import FUNCTIONS
from dynagen.report.console import new_console


@click.command()
def functions() -> None:
    """List the functions that can be generated."""
    table = Table(box=None)
    for column in ("function", "arguments", "computes"):
        table.add_column(column)
    for function in FUNCTIONS:
        table.add_row(function.name, ", ".join((*function.inputs, function.output[0])), function.formula)
    new_console().print(table)
