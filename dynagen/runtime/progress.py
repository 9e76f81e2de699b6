"""Progress of long computations in Python, as a line on standard error.

Progress is not shown during the first second, or if DYNAGEN_PROGRESS is 0.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from dynagen.stages import Progress

VARIABLE = "DYNAGEN_PROGRESS"
"""Name of the environment variable whose value 0 turns the display of progress off."""
_DELAY = 1.0  # seconds before anything is shown


def _is_watched() -> bool:
    """Return whether standard error is visible to a user, on a terminal or in a notebook."""
    if os.environ.get(VARIABLE) == "0" or sys.stderr is None:
        return False
    return sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel.")


@contextmanager
def show_progress() -> Iterator[Progress]:
    """Show the stages of a long computation until the context ends.

    Yields:
        Function of a stage's name and its completed part (0 to 1; None: unknown).
    """
    if not _is_watched():
        yield lambda stage, done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn())
    bars = Bars(*columns, console=Console(stderr=True), transient=True)
    task, begun = bars.add_task("generating", total=None), monotonic()

    def show(stage: str, done: float | None) -> None:
        bars.update(task, description=stage, total=None if done is None else 1, completed=done or 0)
        if monotonic() - begun > _DELAY:
            bars.start()

    try:
        yield show
    finally:
        bars.stop()
