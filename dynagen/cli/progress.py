"""What is going on, on the terminal: a spinner, and a bar while a search is under way. Where there is no terminal, nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from dynagen import stages


@contextmanager
def stage_progress() -> Iterator[stages.Progress]:
    """Show the stages of the pipeline on standard error until the block ends."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task("reading", total=None)

        def show(stage: str, done: float | None) -> None:
            bars.update(task, description=stage, total=None if done is None else 1, completed=done or 0)

        yield show
