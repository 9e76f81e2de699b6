"""Two operations on folders that Python has no portable call for: exchange two in one step, and keep others out meanwhile."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import lock_descriptor

_AT_FDCWD = -100  # paths are relative to the working folder, as usual
_RENAME_EXCHANGE = 2


def exchange(first: Path, second: Path, aside: Path) -> None:
    """Exchange two folders; atomically where the system can (Linux), else by three renames that are undone on failure.

    Args:
        first: a folder.
        second: another, on the same file system.
        aside: a free name; `second` waits there for a moment where the exchange is not atomic.

    Raises:
        OSError: the file system refuses; nothing has changed.
    """
    if _exchange_atomically(first, second):
        return
    second.rename(aside)
    try:
        first.rename(second)
    except OSError:
        aside.rename(second)
        raise
    aside.rename(first)


def _exchange_atomically(first: Path, second: Path) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    renameat2 = getattr(ctypes.CDLL(None), "renameat2", None)
    if renameat2 is None:
        return False
    return bool(
        renameat2(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE)
        == 0
    )


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Wait until no other process holds this lock on a folder; a process that dies gives it up."""
    if sys.platform == "win32":  # which locks files only
        descriptor = os.open(folder / ".dynagen-lock", os.O_RDWR | os.O_CREAT)
    else:
        descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(
            OSError
        ):  # some network file systems have no locks; then nothing but the lock is lost
            lock_descriptor(descriptor)
        yield
    finally:
        os.close(descriptor)
