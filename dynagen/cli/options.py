"""Command-line options from the tables of options, and parsers of their values.

`add_options(table, ...)` adds options of a table (`dynagen.options`) to a command. The decorator
`reading` adds all options for reading a robot. A number on the command line may be an arithmetic
expression, as in robot descriptions (`pi/2`, `deg(30)`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import rich_click as click

from dynagen.cli.completion import complete_function, complete_robot
from dynagen.errors import Fault, UsageError
from dynagen.options import BUILD, Option, list_options, make
from dynagen.resources import is_bundled, make_title
from dynagen.robot.arithmetic import ArithmeticTextError, evaluate
from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import load_robot
from dynagen.robot.options import ReadingOptions
from dynagen.toolchain.shared_library import measure_times

Command = Callable[..., Any]
MEASURED = "measured"
"""Value of --operation-ns and --handover-ns that requests a measurement on this machine."""
_TIMES = ("operation_ns", "handover_ns")


def parse_number(option: str, text: str) -> float:
    """Return the value of a number, or of an arithmetic expression such as `pi/2`.

    Args:
        option: name of the option, for the error message.
        text: value on the command line, a number, an expression or `inf`.

    Raises:
        UsageError: the text is not a number.
    """
    stripped = text.strip()
    if stripped.lower() in ("inf", "+inf", "-inf"):
        return float(stripped)
    try:
        return float(evaluate(stripped))
    except ArithmeticTextError as error:
        raise UsageError(
            f"{option}: {error}; expected a number, for example 0.5, pi/2 or deg(30)"
        ) from None


def parse_numbers(option: str, text: str) -> list[float]:
    """Return the values of numbers or arithmetic expressions separated by commas.

    Args:
        option: name of the option, for the error message.
        text: value on the command line, such as `0,pi/2,1.5`.

    Raises:
        UsageError: a part of the text is not a number.
    """
    return [parse_number(option, part) for part in text.split(",")]


def parse_pairs(option: str, form: str, texts: Sequence[str]) -> dict[str, str]:
    """Return the values of a repeated option `name=value`, by name.

    Args:
        option: name of the option, for the error message.
        form: expected form of a value, such as `NAME=VALUE`, for the error message.
        texts: values on the command line.

    Raises:
        UsageError: a value has no `=`, or a name occurs twice.
    """
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name.strip() in values:
            problem = (
                f"`{name.strip()}` is given twice" if equals else f"expected {form}, found `{text}`"
            )
            raise UsageError(f"{option}: {problem}")
        values[name.strip()] = value
    return values


def parse_times(given: Mapping[str, Any]) -> dict[str, float]:
    """Return the times of an arithmetic operation and of a hand-off between two cores, in ns.

    Args:
        given: values of a command's options by keyword. `operation_ns` and `handover_ns` are
            numbers in ns, texts with such numbers, or `measured`: the time is measured now.

    Returns:
        The two times, by the same keywords.

    Raises:
        UsageError: a time is not a number.
        ToolchainError: the times cannot be measured on this machine.
    """
    times = measure_times() if MEASURED in [given[name] for name in _TIMES] else (0.0, 0.0)
    return {
        name: time
        if given[name] == MEASURED
        else _nanoseconds(f"--{name.replace('_', '-')}", given[name])
        for name, time in zip(_TIMES, times, strict=True)
    }


def _nanoseconds(name: str, text: str) -> float:
    """Return a time in ns from the text of an option; `name` is the option's name for messages."""
    try:
        return float(text)
    except ValueError:
        raise UsageError(
            f"{name}: expected nanoseconds, for example 60 or 0.25, or `{MEASURED}`, found {text!r}"
        ) from None


def reading(command: Command) -> Command:
    """Add all options for reading a robot; the command receives them as the argument `reading`."""

    @wraps(command)
    def with_reading(**given: Any) -> None:
        own = {name: given.pop(name) for name in list_options(ReadingOptions)}
        for name, option in list_options(ReadingOptions).items():
            if option.is_mapping:
                own[name] = parse_pairs(f"--{name}", str(option.metavar), own[name])
        command(reading=make(ReadingOptions, own), **given)

    return add_options(ReadingOptions)(with_reading)


def load_and_warn(robot: str, reading: ReadingOptions) -> RobotDescription:
    """Load a robot with `load_robot`, and print its warnings to standard error.

    Warnings about bundled robots are omitted, because bundled robots have the numbers of their
    sources; `dynagen check` prints these warnings.
    """
    description = load_robot(robot, reading)
    if not is_bundled(description.path):
        warn(description, description.warnings)
    return description


def warn(description: RobotDescription, warnings: Sequence[Fault]) -> None:
    """Print each warning about a robot as one line on standard error."""
    for warning in warnings:
        click.echo(f"warning: {warning.full_message(make_title(description.path))}", err=True)


def add_options(table: type, *names: str, meaning: str = "") -> Callable[[Command], Command]:
    """Return a decorator that adds options of a table to a command.

    The command receives the values of the options by keyword.

    Args:
        table: `Settings` or `ReadingOptions`.
        names: keywords of the options; empty: all options of the table.
        meaning: help text in place of the text in the table; empty to use the table's text.
    """
    known = list_options(table)

    def add(command: Command) -> Command:
        for name in reversed(names or tuple(known)):
            command = _option(name, known[name], meaning or known[name].meaning)(command)
        return command

    return add


def _option(name: str, option: Option, meaning: str) -> Callable[[Command], Command]:
    """Return the decorator that adds one option to a command."""
    flag = f"--{name.replace('_', '-')}"
    spelt = option.flags or (f"{flag}/--no-{name}" if option.default is True else flag,)
    hints = (
        f", or `{MEASURED}` to measure it on this machine." if option.measured else "",
        " May be repeated." if option.repeated else "",
        f" [default: {option.usual}]" if option.usual else "",
    )
    text = meaning.removesuffix(".") if option.measured else meaning
    return click.option(
        *spelt,
        name,
        metavar=option.metavar,
        help=text + "".join(hints),
        panel=option.group or None,
        shell_complete=complete_function if name == "functions" else None,
        **_value(option),
    )


def _value(option: Option) -> dict[str, Any]:
    """Return type and default of an option, as keywords of `click.option`.

    A default that the help does not show is None here; the table of options supplies it later.
    """
    if option.default is False:
        return {"is_flag": True}
    hidden = option.usual is not None or option.default in (None, ())
    shown = {} if hidden else {"default": option.default, "show_default": True}
    if option.measured:
        return {"type": str, **shown, "default": str(option.default)}
    if option.choices:
        return {"type": click.Choice(option.choices), **shown}
    if option.least is not None or option.most is not None:
        return {"type": click.IntRange(option.least, option.most), **shown}
    if option.bare is not None:
        return {"is_flag": False, "flag_value": option.bare, **shown}
    if option.type.startswith("float") and not option.measured:
        return {"type": float, **shown}
    return {"multiple": option.repeated, **shown}


robot_argument = click.argument("robot", shell_complete=complete_robot)
"""Argument ROBOT of commands: a file or the name of a bundled robot."""

jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    panel=BUILD,
    help="Number of processes that generate functions in parallel. [default: one per processor]",
)
