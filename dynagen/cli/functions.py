"""`dynagen functions`: what can be generated."""

from __future__ import annotations

import click
from rich.table import Table

from dynagen.description.loading import load_robot
from dynagen.dynamics.functions import FUNCTIONS
from dynagen.model.model import build_model
from dynagen.report.console import new_console


@click.command()
def functions() -> None:
    """List the functions that can be generated."""
    example = build_model(load_robot("planar3"))
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
