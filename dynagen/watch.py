"""Progress reports and time limits of searches for programs with fewer operations.

An interrupt (Ctrl-C) ends a search with the best program so far. A second interrupt ends the
command at once.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import current_thread, main_thread
from time import monotonic
from types import FrameType

_noted: list[int] = []
"""Number of the signal that ended the searches of this process; empty before the signal."""
_followers: list[Callable[[], None]] = []
"""Functions that end the searches of other processes."""


@dataclass(frozen=True)
class Watch:
    """Callback for the progress of a search, and the time at which the search ends.

    Attributes:
        report: called with the completed part from 0 to 1, and the number of operations of the best
            program so far.
        deadline: value of `time.monotonic` at which the search ends; None: no time limit.
    """

    report: Callable[[float, int], None] = lambda done, operations: None
    deadline: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether the search has to end with the best program so far."""
        return bool(_noted) or (self.deadline is not None and monotonic() > self.deadline)


ENDLESS = Watch()
"""A watch that reports nothing and does not end the search."""


def begin_watch(time_limit: float | None) -> Watch:
    """Return the watch of a search that begins now; `time_limit` is in s, None for no limit."""
    return Watch(deadline=None if time_limit is None else monotonic() + time_limit)


def end_searches() -> None:
    """End the searches of this process, and call the functions given to `follow_searches`."""
    _noted[:] = [signal.SIGINT]
    for follow in _followers:
        follow()


@contextmanager
def follow_searches(follow: Callable[[], None]) -> Iterator[None]:
    """Call a function when `end_searches` is called in this process within the block.

    If the searches of this process have already ended, the function is called at once.

    Args:
        follow: function without arguments, which ends the searches of other processes.
    """
    _followers.append(follow)
    if _noted:
        follow()
    try:
        yield
    finally:
        _followers.remove(follow)


@contextmanager
def keep_best_on_interrupt() -> Iterator[None]:
    """End searches at the first interrupt within the block; handle a second interrupt as usual.

    The first interrupt also ends the searches of child processes.
    """
    if current_thread() is not main_thread():  # Python interrupts the main thread only
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, usual)
        end_searches()
        print(
            "dynagen: the searches end with the best programs so far; interrupt again to stop",
            file=sys.stderr,
        )

    usual = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        _noted.clear()
