"""Rarer garbage collection, which makes dynagen faster.

Programs consist of many small tuples without reference cycles. Frequent collections would scan
these tuples and free almost nothing.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

# New objects between two collections. A collection of 100 000 objects takes 50 ms; the functions of
# an arm make a million, among which garbage takes 40 MB.
_THRESHOLD = 2_000_000


def reduce_garbage_collection() -> None:
    """Make garbage collection rare until this process ends."""
    gc.set_threshold(_THRESHOLD)
    atexit.register(gc.freeze)  # the collections at the end of a process would take up to a second


def collect_new_garbage() -> None:
    """Collect garbage among the objects that were made since the last collection.

    A call while this process waits for another one costs no time. Otherwise, the collection follows
    at the end of `collect_garbage_rarely`.
    """
    gc.collect(0)


@contextmanager
def collect_garbage_rarely() -> Iterator[None]:
    """Make garbage collection rare in the user's process until the `with` block ends."""
    before = gc.get_threshold()
    gc.set_threshold(_THRESHOLD)
    try:
        yield
    finally:
        gc.set_threshold(*before)
