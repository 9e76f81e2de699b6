"""Progress reports and times of the stages of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter

Progress = Callable[[str, float | None], None]
"""Callback for progress.

Its arguments are the name of the current step, and the completed part from 0 to 1, or None if that
is unknown.
"""


class Stages:
    """Progress reports of stages, and the time that each stage took.

    Attributes:
        progress: called when a stage begins.
        seconds: time of every completed stage, by its name.
    """

    def __init__(self, progress: Progress = lambda stage, done: None) -> None:
        self.progress = progress
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str, detail: str = "") -> Iterator[None]:
        """Report a stage, and time the block of the `with` statement."""
        self.progress(f"{name} {detail}".rstrip(), None)
        start = perf_counter()
        yield
        self.add({name: perf_counter() - start})

    def add(self, seconds: Mapping[str, float]) -> None:
        """Add times in s, by name of a stage, to `Stages.seconds`.

        The times of these stages were measured in other processes.
        """
        for name, value in seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + value
