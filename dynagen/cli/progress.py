"""Progress on standard error: a spinner and a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from dynagen import stages

_SECONDS = 10.0  # between lines: most runs are over before the first


@contextmanager
def stage_progress() -> Iterator[stages.Progress]:
    """Show the stages of the pipeline until the block ends."""
    console = Console(stderr=True)
    with _bars(console) if console.is_terminal else _lines() as show:
        yield show


@contextmanager
def _bars(console: Console) -> Iterator[stages.Progress]:
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task("reading", total=None)

        def show(stage: str, done: float | None) -> None:
            bars.update(task, description=stage, total=None if done is None else 1, completed=done or 0)

        yield show


@contextmanager
def _lines() -> Iterator[stages.Progress]:
    start, over = monotonic(), Event()
    current = ["reading"]

    def show(stage: str, done: float | None) -> None:
        current[0] = stage if done is None else f"{stage} {done:.0%}"

    def tell() -> None:
        while not over.wait(_SECONDS):
            click.echo(f"dynagen: {current[0]}, {monotonic() - start:.0f} s", err=True)

    teller = Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield show
    finally:
        over.set()
        teller.join()
