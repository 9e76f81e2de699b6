"""The robot of a command: loaded, with a line on standard error for everything that is most likely a mistake in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import click

from dynagen.cli.values import pairs
from dynagen.description.description import RobotDescription
from dynagen.description.loading import load_robot
from dynagen.description.options import BASES, ReadingKeywords, ReadingOptions, reading_options
from dynagen.errors import Fault
from dynagen.resources import title_of

Command = Callable[..., None]

strict_option = click.option("--strict", is_flag=True, help="Refuse a robot that there are warnings about.")
trust_option = click.option(
    "--trust", is_flag=True, help="Run a description that is a program (xacro), which may do anything."
)

_OPTIONS = (
    click.option("--root", metavar="LINK", help="Make this link the base: the robot is what it carries."),
    click.option("--tip", metavar="LINK", help="Cut out the chain that ends at this link, which becomes the tool."),
    click.option(
        "--lock",
        multiple=True,
        metavar="JOINT=VALUE",
        help="Freeze a joint at a position, in rad or m: elbow=deg(90). May be repeated.",
    ),
    click.option(
        "--snap",
        metavar="TOL",
        help="Read angles as multiples of pi/12 and lengths as zero where they are within this (rad, m); 0 reads every number "
        "as written. [default: those that tools have rounded]",
    ),
    click.option("--base", type=click.Choice(BASES), help="Let the base move freely, with the inertia of what it is made of."),
    click.option(
        "--wrench-at",
        default="",
        metavar="FRAMES",
        help="Frames, with commas between them, at which a force and a moment become an input: left_foot,right_foot.",
    ),
    click.option("--arg", multiple=True, metavar="NAME=VALUE", help="Value of an argument of a xacro file. May be repeated."),
    trust_option,
    strict_option,
)


def reading(command: Command) -> Command:
    """The options of reading a robot, which a command gets as one argument `reading`; the same for every command."""

    @wraps(command)
    def with_reading(**given: Any) -> None:
        own = {name: given.pop(name) for name in ("strict", *ReadingKeywords.__annotations__)}
        own["lock"] = pairs("--lock", "JOINT=VALUE", own["lock"])
        own["arg"] = pairs("--arg", "NAME=VALUE", own["arg"])
        command(reading=reading_options(**own), **given)

    decorated: Command = with_reading
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def load_and_warn(robot: str, reading: ReadingOptions) -> RobotDescription:
    """Load a robot as `load_robot` does, and say what is suspicious, whatever the command reports."""
    description = load_robot(robot, reading)
    warn(description, description.warnings)
    return description


def warn(description: RobotDescription, warnings: Sequence[Fault]) -> None:
    """One line on standard error for each."""
    for warning in warnings:
        click.echo(f"warning: {warning.said_of(title_of(description.path))}", err=True)
