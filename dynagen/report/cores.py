"""Estimates of what several cores gain, as a table and in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from dynagen.generation import Generation
from dynagen.report.console import new_table


def cores_table(console: Console, generation: Generation) -> Table:
    """One row for every function that is divided; times in nanoseconds."""
    settings = generation.request.settings
    times = f"{settings.operation_ns:g} ns an operation, {settings.handover_ns:g} ns a hand-over"
    title = f"Estimated for {settings.cores} cores ({times})"
    table = new_table(console, title, "function", "one core (ns)", "all (ns)", "speed-up", "messages", "values")
    for kernel in generation.package.kernels:
        if (found := kernel.partition) is not None:
            durations = (f"{float(time):.0f}" for time in (found.alone, found.together))
            values = sum(len(message.values) for message in found.messages)
            table.add_row(kernel.function, *durations, f"{float(found.speedup):.2f}", str(len(found.messages)), str(values))
    return table


def idle_cores(generation: Generation) -> Iterator[str]:
    """For every function that one core computes alone though it should be divided, why it does."""
    for kernel in generation.package.kernels:
        found = kernel.partition
        if found is not None and found.busy < 2:
            yield (
                f"{kernel.function}: more cores do not pay, core 0 does it all: it takes {float(found.alone):.0f} ns, "
                f"and to hand a value over {generation.request.settings.handover_ns:g} ns (--operation-ns, --handover-ns)"
            )
