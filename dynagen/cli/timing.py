"""Times of an operation and of a hand-over as options: numbers, or `measured`."""

from __future__ import annotations

import click

from dynagen.errors import UsageError
from dynagen.generation import Settings
from dynagen.toolchain.handover import measure_times

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
        raise UsageError(f"{name}: expected nanoseconds as 60 or 0.25, or `{MEASURED}`, found {text!r}") from None
