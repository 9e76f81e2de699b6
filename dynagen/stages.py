"""Progress reports and times of the stages of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter

Progress = Callable[[str, float | None], None]
"""Callback for progress.

The arguments are the name of the current stage and its completed part (0 to 1; None: unknown).
"""


class Stages:
    """Progress reports of the stages of a run, and the time that each stage took.

    Attributes:
        progress: called when a stage begins, with the stage's name and None.
        seconds: wall time of every completed stage in s, by name of the stage.
    """

    def __init__(self, progress: Progress = lambda stage, done: None) -> None:
        self.progress = progress
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str, detail: str = "") -> Iterator[None]:
        """Report the start of a stage, and measure the time of the `with` block.

        Args:
            name: name of the stage, by which the time is stored.
            detail: further words for the report, such as a function's name.
        """
        self.progress(f"{name} {detail}".rstrip(), None)
        start = perf_counter()
        yield
        self.add({name: perf_counter() - start})

    def add(self, seconds: Mapping[str, float]) -> None:
        """Add times in s, by name of a stage, to the times in `seconds` of this object.

        The times may have been measured in other processes.
        """
        for name, value in seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + value
