"""Options that several commands share: the robot and how to read it, numbers, times.

Values of options: numbers, which may be arithmetic as in a description, lists of them, and NAME=VALUE.

Times of an operation and of a hand-over as options: numbers, or `measured`.

The robot of a command: loaded, with a line on standard error for everything that is most likely a mistake in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import click

from dynagen.errors import Fault, UsageError
from dynagen.pipeline.settings import Settings
from dynagen.resources import title_of
from dynagen.robot.arithmetic import ArithmeticTextError, evaluate
from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import load_robot
from dynagen.robot.options import BASES, ReadingKeywords, ReadingOptions, reading_options
from dynagen.toolchain.shared_library import measure_times


def number(option: str, text: str) -> float:
    """A number: arithmetic, or infinity.

    Raises:
        UsageError: it is none; names the option.
    """
    stripped = text.strip()
    if stripped.lower() in ("inf", "+inf", "-inf"):
        return float(stripped)
    try:
        return float(evaluate(stripped))
    except ArithmeticTextError as error:
        raise UsageError(f"{option}: {error}; expected a number, as 0.5, pi/2 or deg(30)") from None


def numbers(option: str, text: str) -> list[float]:
    """Numbers with commas between them."""
    return [number(option, part) for part in text.split(",")]


def pairs(option: str, form: str, texts: Sequence[str]) -> dict[str, str]:
    """Names and values of an option that is given as `name=value`, several times."""
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name.strip() in pairs:
            problem = (
                f"`{name.strip()}` is given twice" if equals else f"expected {form}, found `{text}`"
            )
            raise UsageError(f"{option}: {problem}")
        pairs[name.strip()] = value
    return pairs


MEASURED = "measured"
operation_option = click.option(
    "--operation-ns",
    default=str(Settings.operation_ns),
    show_default=True,
    metavar="NS",
    help=f"With --cores: what an operation takes on a core, or `{MEASURED}` for this machine's.",
)
handover_option = click.option(
    "--handover-ns",
    default=str(Settings.handover_ns),
    show_default=True,
    metavar="NS",
    help=f"With --cores: what it takes until another core has a value, or `{MEASURED}`.",
)


def times_in_ns(operation: str, handover: str) -> tuple[float, float]:
    """The times that options give.

    Raises:
        UsageError: one of them is no number.
        ToolchainError: they cannot be measured here.
    """
    times = measure_times() if MEASURED in (operation, handover) else (0.0, 0.0)
    names = ("--operation-ns", "--handover-ns")
    found = [
        time if text == MEASURED else _number(name, text)
        for name, text, time in zip(names, (operation, handover), times, strict=True)
    ]
    return found[0], found[1]


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(
            f"{name}: expected nanoseconds as 60 or 0.25, or `{MEASURED}`, found {text!r}"
        ) from None


Command = Callable[..., None]

strict_option = click.option(
    "--strict", is_flag=True, help="Refuse a robot that there are warnings about."
)
trust_option = click.option(
    "--trust",
    is_flag=True,
    help="Run a description that is a program (xacro), which may do anything.",
)

_OPTIONS = (
    click.option(
        "--root", metavar="LINK", help="Make this link the base: the robot is what it carries."
    ),
    click.option(
        "--tip",
        metavar="LINK",
        help="Cut out the chain that ends at this link, which becomes the tool.",
    ),
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
    click.option(
        "--base",
        type=click.Choice(BASES),
        help="Let the base move freely, with the inertia of what it is made of.",
    ),
    click.option(
        "--wrench-at",
        default="",
        metavar="FRAMES",
        help="Frames, with commas between them, at which a force and a moment become an input: left_foot,right_foot.",
    ),
    click.option(
        "--arg",
        multiple=True,
        metavar="NAME=VALUE",
        help="Value of an argument of a xacro file. May be repeated.",
    ),
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
