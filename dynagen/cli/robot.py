"""The robot of a command: loaded, with a line on standard error for everything that is most likely a mistake in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from dynagen.description.description import RobotDescription
from dynagen.description.loading import load_robot
from dynagen.errors import Fault

Command = TypeVar("Command", bound=Callable[..., Any])


def strict_option(command: Command) -> Command:
    """The option that makes errors of warnings; the same for every command that loads a robot."""
    return click.option("--strict", is_flag=True, help="Refuse a robot that there are warnings about.")(command)


def load_and_warn(robot: str, strict: bool) -> RobotDescription:
    """Load a robot as `load_robot` does, and say what is suspicious, whatever the command reports."""
    description = load_robot(robot, strict=strict)
    warn(description, description.warnings)
    return description


def warn(description: RobotDescription, warnings: Sequence[Fault]) -> None:
    """One line on standard error for each."""
    for warning in warnings:
        click.echo(f"warning: {warning.said_of(description.path)}", err=True)
