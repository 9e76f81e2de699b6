"""Less garbage collection, because programs consist of many small tuples with hardly any cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLD = 100_000  # new objects between two collections


def reduce_garbage_collection() -> None:
    """Make garbage collection rare until this process ends."""
    gc.set_threshold(_THRESHOLD)


@contextmanager
def collect_garbage_rarely() -> Iterator[None]:
    """Make garbage collection rare in this context, in a process of the user."""
    before = gc.get_threshold()
    reduce_garbage_collection()
    try:
        yield
    finally:
        gc.set_threshold(*before)
