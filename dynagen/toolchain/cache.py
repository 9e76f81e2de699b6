"""Compiled files that stay on disk, so that not every process need compile what one of them has compiled.

A file's name is made of everything that it depends on, and a file appears under it whole or not at all: processes that start
at once compile the same side by side, and who comes last replaces a file by its equal. Files may be deleted at any time.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

VARIABLE = "DYNAGEN_CACHE"
"""Environment variable that names the folder."""


def cached_file(content: Iterable[str], suffix: str, make: Callable[[Path], None]) -> Path:
    """The file of this content, made if it is not there.

    Args:
        content: all that decides what is in it.
        suffix: of its name.
        make: writes it under a name that it gets.
    """
    digest = sha256()
    for part in content:
        digest.update(f"{len(part)}:{part}".encode())
    folder, name = writable_folder(), digest.hexdigest()[:32] + suffix
    if not (folder / name).exists():
        with tempfile.TemporaryDirectory(dir=folder, prefix="making-", ignore_cleanup_errors=True) as made_in:
            make(Path(made_in, name))
            with open(Path(made_in, name), "rb+") as made:
                os.fsync(made.fileno())  # its name is not to be on disk before all of it is
            with suppress(PermissionError):  # Windows: another process was first, and has it in use
                os.replace(Path(made_in, name), folder / name)
    return folder / name


def writable_folder() -> Path:
    """The user's cache folder; where nothing can be written, one that lasts as long as the process."""
    folder = cache_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return _folder_of_process()


def cache_folder() -> Path:
    """The folder where the system wants caches of this user's programs, unless DYNAGEN_CACHE names a folder."""
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "dynagen" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "dynagen"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dynagen"


@cache
def _folder_of_process() -> Path:
    # Not a folder of a known name: whoever made that first could put libraries of his own there.
    folder = Path(tempfile.mkdtemp(prefix="dynagen-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
