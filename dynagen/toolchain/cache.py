"""Cache of compiled files, which processes share, and import of modules from the cache.

The name of a cache file contains two hashes: one of everything on which the file depends, and one
of the file's content. A cache file whose content does not match the hash in its name is damaged and
is not used. A file is renamed to its final name only when it is complete, so that processes can
create the same file in parallel. Files of the cache may be deleted at any time. If all files
together are larger than DYNAGEN_CACHE_SIZE, the files that have not been used for the longest time
are deleted.

This module imports few other modules, so that a process starts fast if its functions are in the
cache.
"""

from __future__ import annotations

import atexit
import os
import platform
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from threading import Lock
from types import ModuleType

from dynagen.errors import ToolchainError, UsageError

VARIABLE, SIZE_VARIABLE = "DYNAGEN_CACHE", "DYNAGEN_CACHE_SIZE"
"""Names of the environment variables for the cache folder and for its largest size in MB."""
MODULE = "_kernels"
"""Name that every compiled Python module has in its source code; only the file names differ."""
_MEGABYTES = 1000  # limit of the size without the variable
_KEPT = 0.8  # part of the limit that is left after files were deleted
_NAME = re.compile(r"[0-9a-f]{32}-[0-9a-f]{16}\.")
_locks: defaultdict[str, Lock] = defaultdict(Lock)


def cache_file(content: Iterable[str], suffix: str, make: Callable[[Path], None]) -> Path:
    """Return the path of a file or folder in the cache, and create it first if necessary.

    Args:
        content: all texts that determine the file or folder, such as source code and compiler
            options; the file is found again by their hash.
        suffix: suffix of the file's name, such as `.so`.
        make: function that writes the file or folder to a given path; called only if the cache does
            not contain the file.

    Raises:
        ToolchainError: `make` writes nothing.
    """
    folder, name = find_writable_folder(), _hash_texts(content)
    with _locks[name]:  # threads that need the same file wait until one thread has created it
        found = _find_intact(folder, name, suffix)
        return _create(folder, name, suffix, make) if found is None else found


def _create(folder: Path, name: str, suffix: str, make: Callable[[Path], None]) -> Path:
    """Create a file or folder of the cache and return its path; arguments as in `cache_file`."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(dir=folder, prefix="making-", ignore_cleanup_errors=True) as made_in:
        made = Path(made_in, name + suffix)
        make(made)
        if not made.exists():
            raise ToolchainError(
                f"the compiler reported success but wrote no {suffix} file: "
                "check the command in the environment variable CC, CXX or FC"
            )
        for part in _list_parts(made):
            with open(part, "rb+") as file:
                os.fsync(file.fileno())  # the content must reach the disk before the name
        path = folder / f"{name}-{_hash_content(made)}{suffix}"
        try:
            os.replace(made, path)
        except OSError:
            # Another process was first: a folder cannot be replaced, and on Windows no file in use.
            # Otherwise something else has this name, and the result serves this process only.
            if _find_intact(folder, name, suffix) != path:
                path = Path(shutil.move(made, _folder_of_process() / path.name))
    _limit_size(folder, path)
    return path


def cache_bytes(key: Iterable[str], suffix: str, content: bytes) -> Path:
    """Return the path of a cache file, and write the file if it is absent.

    Args:
        key: all texts that determine the content, such as source code and compiler options; the
            file is found again by their hash.
        suffix: suffix of the file's name, such as `.cubin`.
        content: bytes to write.
    """

    def write(path: Path) -> None:
        path.write_bytes(content)

    return cache_file(key, suffix, write)


def find_file(content: Iterable[str], suffix: str) -> Path | None:
    """Return the path of a file that `cache_file` created, or None if it is absent or damaged.

    Args:
        content: all texts that determine the file, as in the call of `cache_file`.
        suffix: suffix of the file's name, such as `.so`.
    """
    return _find_intact(cache_folder(), _hash_texts(content), suffix)


def find_by_name(name: str) -> Path | None:
    """Return the path of the cache file with a given full name; None if it is absent or damaged."""
    return _check(cache_folder() / name)


def _find_intact(folder: Path, name: str, suffix: str) -> Path | None:
    """Return an undamaged file `<name>-*<suffix>`, and mark it as used; None if it is missing."""
    with suppress(OSError):
        for path in folder.glob(f"{name}-*{suffix}"):
            if _check(path) is not None:
                return path
    return None


def _check(path: Path) -> Path | None:
    """Return the path of a file and mark the file as used; None if it is absent or damaged."""
    # Loading a truncated library would end the process (SIGBUS), so the content is checked first.
    with suppress(OSError):
        if path.name[33:49] == _hash_content(path):
            with suppress(OSError):  # a cache that is only readable
                os.utime(path)
            return path
    return None


def _hash_texts(content: Iterable[str]) -> str:
    """Return a hash of texts, the first part of the name of a cache file."""
    digest = sha256()
    for part in content:
        digest.update(f"{len(part)}:{part}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


def _hash_content(path: Path) -> str:
    """Return a hash of the content of a file or folder, the second part of a cache file's name."""
    digest = sha256()
    for part in _list_parts(path):
        if part != path:
            digest.update(f"{part.relative_to(path)}:".encode())
        digest.update(part.read_bytes())
    return digest.hexdigest()[:16]


def _list_parts(path: Path) -> list[Path]:
    """Return a file itself, or all files in a folder except in Python's `__pycache__`."""
    if not path.is_dir():
        return [path]
    return sorted(
        each for each in path.rglob("*") if each.is_file() and each.parent.name != "__pycache__"
    )


def find_writable_folder() -> Path:
    """Return the cache folder, or a temporary folder of this process if the cache is not writable.

    The temporary folder is removed when the process ends.
    """
    from tempfile import TemporaryFile

    folder = cache_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return folder
    except OSError:
        return _folder_of_process()


def cache_folder() -> Path:
    """Return the cache folder, which is DYNAGEN_CACHE or the user's cache folder."""
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen).absolute()  # a compiler runs in a folder of its own
    from platformdirs import user_cache_path

    return user_cache_path("dynagen", appauthor=False)


@cache
def _folder_of_process() -> Path:
    """Create a temporary folder that is removed when this process ends."""
    from tempfile import mkdtemp

    # The name must be unpredictable: in a folder of a known name, another user could put libraries.
    folder = Path(mkdtemp(prefix="dynagen-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def list_files() -> list[Path]:
    """Return the files and folders of the cache, the least recently used first."""
    folder, dated = cache_folder(), []
    for path in folder.iterdir() if folder.is_dir() else ():
        with suppress(OSError):  # another process has deleted it
            if _NAME.match(path.name):
                dated.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(dated)]


def read_limit() -> int:
    """Return the limit of the size of the cache in bytes.

    Raises:
        UsageError: DYNAGEN_CACHE_SIZE is not a number of megabytes above zero.
    """
    given = os.environ.get(SIZE_VARIABLE) or str(_MEGABYTES)
    try:
        megabytes = float(given)
    except ValueError:
        megabytes = 0
    if not 0 < megabytes < 1e12:
        raise UsageError(f"{SIZE_VARIABLE}: expected megabytes above zero, found `{given}`")
    return round(megabytes * 1e6)


def clear() -> int:
    """Delete all files of the cache; return the number of deleted files.

    Raises:
        UsageError: a file cannot be deleted.
    """
    files = list_files()
    try:
        for path in files:
            _delete(path)
    except OSError as error:
        raise UsageError(f"`{error.filename}` cannot be deleted: {error.strerror}") from None
    return len(files)


def measure(path: Path) -> int:
    """Return the size of a file or folder of the cache in bytes."""
    return sum(part.stat().st_size for part in _list_parts(path))


def _delete(path: Path) -> None:
    """Delete a file or folder of the cache."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _limit_size(folder: Path, new: Path) -> None:
    """Delete the least recently used files, if the cache is too large.

    The file `new` stays. Nothing is deleted if `folder` is not the cache.
    """
    if folder != cache_folder():
        return
    sizes = {}
    for path in list_files():
        with suppress(OSError):  # another process has deleted it
            sizes[path] = measure(path)
    limit, total = read_limit(), sum(sizes.values())
    if total <= limit:
        return
    for path, size in sizes.items():
        if total <= _KEPT * limit:
            break
        # Windows does not delete modules in use.
        if path != new:
            with suppress(OSError):
                _delete(path)
                total -= size


@cache
def describe_processor() -> str:
    """Return a text that identifies the type of processor, on which -march=native depends.

    Machines with different processors may share a cache.
    """
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        keys = ("model name", "flags", "Features", "CPU part")  # of x86 and of Arm
        return "\n".join(sorted({line for line in lines if line.startswith(keys)}))
    return f"{platform.machine()} {platform.processor()}"


def import_module(path: Path) -> ModuleType:
    """Import a compiled Python extension module from its file.

    Raises:
        ImportError: the file is damaged, or is for another Python or machine.
    """
    loader = ExtensionFileLoader(MODULE, str(path))
    module = module_from_spec(ModuleSpec(MODULE, loader, origin=str(path)))
    loader.exec_module(module)
    return module
