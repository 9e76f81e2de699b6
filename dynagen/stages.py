"""Progress reports and times of the stages of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter

Progress = Callable[[str, float | None], None]
"""Called with the name of what is being done, and the part that is done, from 0 to 1, or None where that is not known."""


class Stages:
    """Reports which stage runs, and keeps how long each took.

    Attributes:
        progress: called when a stage begins.
        seconds: time of every stage that has ended, by its name.
    """

    def __init__(self, progress: Progress = lambda stage, done: None) -> None:
        self.progress = progress
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str, detail: str = "") -> Iterator[None]:
        """Report a stage, and time the block that it consists of."""
        self.progress(f"{name} {detail}".rstrip(), None)
        start = perf_counter()
        yield
        self.add({name: perf_counter() - start})

    def add(self, seconds: Mapping[str, float]) -> None:
        """Add time that stages took, as measured in another process."""
        for name, value in seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + value
