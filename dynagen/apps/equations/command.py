"""`dynagen equations ROBOT`: the recursion of a function, or the robot's closed form."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from dynagen.apps.equations.closed_form import MOST_JOINTS, derive_closed_form
from dynagen.apps.equations.notation import FORMS, write_closed_form, write_recursion
from dynagen.apps.equations.recursion import derive_recursion
from dynagen.cli.commands import command
from dynagen.cli.completion import complete_function
from dynagen.cli.options import load_and_warn, reading, robot_argument
from dynagen.cli.output import OUTPUT_FILE, report_files, write_whole
from dynagen.dynamics.requests import find_functions
from dynagen.errors import UsageError
from dynagen.options import FUNCTIONS, OUTPUT
from dynagen.report.console import make_console
from dynagen.robot.model.model import build_model
from dynagen.robot.options import ReadingOptions


@command(
    "dynagen equations planar3 --closed --names",
    "dynagen equations puma560 -f gravity_forces --general --format latex -o puma.tex",
)
@robot_argument
@click.option(
    "-f",
    "--function",
    "request",
    panel=FUNCTIONS,
    default="inverse_dynamics",
    show_default=True,
    metavar="NAME",
    shell_complete=complete_function,
    help="Function whose recursion is printed.",
)
@click.option(
    "--general",
    "with_general",
    panel=FUNCTIONS,
    is_flag=True,
    help="Print the general recursion next to the recursion for this robot. Constants, copies "
    "and unused values are then listed too.",
)
@click.option(
    "--closed",
    panel=FUNCTIONS,
    is_flag=True,
    help=f"Print M(q), C(q, qd) and g(q) as formulas instead, for up to {MOST_JOINTS} joints.",
)
@click.option(
    "--names",
    "with_names",
    panel=OUTPUT,
    is_flag=True,
    help="Print names in place of the description's numbers, such as m2 for the mass of link 2.",
)
@click.option(
    "--format",
    "form",
    panel=OUTPUT,
    type=click.Choice(FORMS),
    default="text",
    show_default=True,
    help="Notation.",
)
@click.option("-o", "--out", panel=OUTPUT, type=OUTPUT_FILE, help="File to write.")
@reading
def equations(
    robot: str,
    request: str,
    with_general: bool,
    closed: bool,
    with_names: bool,
    form: str,
    out: Path | None,
    reading: ReadingOptions,
) -> None:
    """Print the equations of a function for ROBOT, as a recursion with folded constants.

    Each line defines one value of the recursion. The generated code computes the same results with
    fewer operations. With --names, the formulas assume the zeros, ones and equal numbers of this
    robot.
    """
    description = load_and_warn(robot, reading)
    if closed:
        text = write_closed_form(
            description.name, derive_closed_form(description, with_names), form
        )
    else:
        functions = find_functions([request], build_model(description))
        if len(functions) > 1:
            raise UsageError(f"-f {request}: expected one function, such as -f inverse_dynamics")
        text = write_recursion(
            derive_recursion(description, functions[0], with_names), form, with_general
        )
    if out is None:
        click.echo(text, nl=False)
    else:
        write_whole(out, text, "--out")
        report_files(make_console(), out)
