"""What is under way: told to whoever wants to know, and timed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter

Progress = Callable[[str, float | None], None]
"""Is told what happens, in a few words, and how much of it is done, from 0 to 1, where that is known."""


class Stages:
    """Tells what stage is under way, and keeps how long each took.

    Attributes:
        progress: is told.
        seconds: of every stage that is over, by its name.
    """

    def __init__(self, progress: Progress = lambda stage, done: None) -> None:
        self.progress = progress
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str, detail: str = "") -> Iterator[None]:
        """Begin a stage, which lasts as long as the block."""
        self.progress(f"{name} {detail}".rstrip(), None)
        start = perf_counter()
        yield
        self.add({name: perf_counter() - start})

    def add(self, seconds: Mapping[str, float]) -> None:
        """Time that stages took."""
        for name, value in seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + value
