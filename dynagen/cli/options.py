"""Options that several commands share: the robot and how to read it, numbers, times.

Values of options: numbers, which may be arithmetic as in a description, lists of them, and NAME=VALUE.

Times of an operation and of a hand-over as options: numbers, or `measured`.

The robot of a command: loaded, with a line on standard error for everything that is most likely a mistake in it.

Options of commands, as the tables of options have them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import click

from dynagen.errors import Fault, UsageError
from dynagen.options import Option, make, options_of
from dynagen.resources import title_of
from dynagen.robot.arithmetic import ArithmeticTextError, evaluate
from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import load_robot
from dynagen.robot.options import ReadingOptions
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


_TIMES = ("operation_ns", "handover_ns")


def times_in_ns(given: Mapping[str, Any]) -> dict[str, float]:
    """Return the two times among the options of a command, in ns, by keyword.

    Raises:
        UsageError: one of them is not a number.
        ToolchainError: they cannot be measured here.
    """
    times = measure_times() if MEASURED in [given[name] for name in _TIMES] else (0.0, 0.0)
    return {
        name: time
        if given[name] == MEASURED
        else _number(f"--{name.replace('_', '-')}", given[name])
        for name, time in zip(_TIMES, times, strict=True)
    }


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(
            f"{name}: expected nanoseconds as 60 or 0.25, or `{MEASURED}`, found {text!r}"
        ) from None


def reading(command: Command) -> Command:
    """Add the options of reading a robot, which a command gets as one argument `reading`; the same for every command."""

    @wraps(command)
    def with_reading(**given: Any) -> None:
        own = {name: given.pop(name) for name in options_of(ReadingOptions)}
        for name, option in options_of(ReadingOptions).items():
            if option.is_mapping:
                own[name] = pairs(f"--{name}", str(option.metavar), own[name])
        command(reading=make(ReadingOptions, own), **given)

    return options(ReadingOptions)(with_reading)


def load_and_warn(robot: str, reading: ReadingOptions) -> RobotDescription:
    """Load a robot as `load_robot` does, and say what is suspicious, whatever the command reports."""
    description = load_robot(robot, reading)
    warn(description, description.warnings)
    return description


def warn(description: RobotDescription, warnings: Sequence[Fault]) -> None:
    """One line on standard error for each."""
    for warning in warnings:
        click.echo(f"warning: {warning.said_of(title_of(description.path))}", err=True)


Command = Callable[..., Any]
MEASURED = "measured"


def options(table: type, *names: str, meaning: str = "") -> Callable[[Command], Command]:
    """Return a decorator that adds options of a table to a command, which is called with them by keyword.

    Args:
        table: `Settings` or `ReadingOptions`.
        names: keywords of the options; all of the table if left out.
        meaning: help text of this command in place of the table's.
    """
    known = options_of(table)

    def add(command: Command) -> Command:
        for name in reversed(names or tuple(known)):
            command = _option(name, known[name], meaning or known[name].meaning)(command)
        return command

    return add


def _option(name: str, option: Option, meaning: str) -> Callable[[Command], Command]:
    flag = f"--{name.replace('_', '-')}"
    spelt = option.flags or (f"{flag}/--no-{name}" if option.default is True else flag,)
    hints = (
        f", or `{MEASURED}` for this machine's." if option.measured else "",
        " May be repeated." if option.repeated else "",
        f" [default: {option.usual}]" if option.usual else "",
    )
    text = meaning.removesuffix(".") if option.measured else meaning
    return click.option(
        *spelt, name, metavar=option.metavar, help=text + "".join(hints), **_value(option)
    )


def _value(option: Option) -> dict[str, Any]:
    """Return the type of an option, and its default if help shows it; else None, for which the table has the default."""
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
    return {"multiple": option.repeated, **shown}


jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Processes that generate several functions in parallel. [default: one per processor]",
)
