"""Source files -> a folder on disk, written whole or not at all.

Two operations on folders that Python has no portable call for: exchange two in one step, and keep others out meanwhile.

Source files -> a folder on disk, whole or not at all.

The complete new folder is built beside the old one and the two are exchanged in one step, so that a crash at any moment leaves
either the old output or the new. Only files that the old manifest lists are replaced or removed; all others move along. A file
whose content stays keeps its time, so that nothing is compiled again for nothing; the manifest is new each time.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from filelock import lock_descriptor

from dynagen.codegen.package import SourceFile
from dynagen.codegen.targets.manifest import MANIFEST, SCHEMA, checked_path, footprint_name
from dynagen.errors import UsageError

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


def write_folder(folder: Path, files: Sequence[SourceFile]) -> None:
    """Write files into a folder, replacing what an earlier run wrote there.

    Args:
        folder: created with its parents if it does not exist.
        files: the complete new content, the manifest last; the footprint may be among it.

    Raises:
        UsageError: the folder holds files, be it in others, but no manifest of dynagen, a file of the user's is in the way,
            or the file system refuses. Nothing has changed then.
    """
    try:
        folder = folder.resolve()
        if not folder.name:
            raise UsageError(f"{folder} cannot be an output folder; choose another with --out")
        if Path.cwd().is_relative_to(
            folder
        ):  # it is exchanged for another, and whoever is in it would stay in the old one
            raise UsageError(
                f"{folder} is the folder you are in, or holds it; choose another with --out"
            )
        folder.parent.mkdir(parents=True, exist_ok=True)
        with lock(folder.parent):
            _recover(folder)
            owned = _owned_files(folder, files[-1].path)
            with _staging(folder) as staging:
                *contents, manifest = files
                for file in contents:
                    _keep_or_write(folder / checked_path(file.path), staging / file.path, file.text)
                _write(staging / checked_path(manifest.path), manifest.text)
                if folder.exists():
                    _carry_over(folder, staging, PurePosixPath(), owned)
                    shutil.copymode(folder, staging)
                for path, _, _ in os.walk(staging):
                    _synchronise(Path(path))
                if folder.exists():
                    exchange(staging, folder, _backup(folder))
                else:
                    staging.rename(folder)
                _synchronise(folder.parent)
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links; a null character
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"cannot write {folder}: {reason}; choose another folder with --out, or make this one writable"
        ) from error


def stale_files(folder: Path, files: Sequence[SourceFile]) -> tuple[str, ...]:
    """Paths of the files that are missing from a folder or differ from what they should be."""
    return tuple(
        file.path for file in files if _read_regular(folder / file.path) != file.text.encode()
    )


def _owned_files(folder: Path, manifest_name: str) -> frozenset[str]:
    """The files that an earlier run wrote; none if the folder is new, or holds only folders, as build tools make them."""
    if not folder.exists():
        return frozenset()
    if not folder.is_dir():
        raise UsageError(f"{folder} is a file; choose another folder with --out")
    if not _holds_files(folder):
        return frozenset()
    content = _read_regular(folder / manifest_name)
    if content is None:
        raise UsageError(
            f"{folder} is not empty and has no {manifest_name}: dynagen did not write it, or wrote another robot there; "
            "choose another folder with --out, or empty this one"
        )
    try:
        manifest = json.loads(content)
        if not isinstance(manifest["dynagen"], str) or manifest["schema"] != SCHEMA:
            raise ValueError("unknown schema")
        measured = footprint_name(manifest_name.removesuffix(MANIFEST))
        return frozenset({measured, *(str(checked_path(path)) for path in manifest["files"])})
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(
            f"{folder / manifest_name} is not a manifest that this version of dynagen can read ({error!r}); "
            "choose another folder with --out, or empty this one"
        ) from error


def _holds_files(folder: Path) -> bool:
    """Tell whether there is anything but folders in a folder and those in it."""
    with os.scandir(folder) as entries:
        return any(
            not entry.is_dir(follow_symlinks=False) or _holds_files(Path(entry.path))
            for entry in entries
        )


def _read_regular(path: Path) -> bytes | None:
    """Content of a file; None if it is missing, unreadable, a symbolic link or anything special."""
    try:
        return path.read_bytes() if path.is_file() and not path.is_symlink() else None
    except OSError:
        return None


def _carry_over(old: Path, new: Path, relative: PurePosixPath, owned: frozenset[str]) -> None:
    """Take along what dynagen did not write; symbolic links are never followed."""
    for entry in sorted(os.scandir(old / relative), key=lambda entry: entry.name):
        path = relative / entry.name
        target = new / path
        if entry.is_dir(follow_symlinks=False):
            if target.exists() and not target.is_dir():
                raise _in_the_way(old / path)
            if target.is_dir() or not _only_owned(old, path, owned):
                target.mkdir(exist_ok=True)
                shutil.copymode(entry.path, target)
                _carry_over(old, new, path, owned)
        elif str(path) not in owned:
            if os.path.lexists(target):
                raise _in_the_way(old / path)
            _link_or_copy(Path(entry.path), target)


def _only_owned(old: Path, relative: PurePosixPath, owned: frozenset[str]) -> bool:
    """Tell whether a folder holds files of dynagen's and nothing else, so that it may go with them."""
    entries = list(os.scandir(old / relative))
    return bool(entries) and all(
        _only_owned(old, relative / entry.name, owned)
        if entry.is_dir(follow_symlinks=False)
        else str(relative / entry.name) in owned
        for entry in entries
    )


def _in_the_way(path: Path) -> UsageError:
    return UsageError(
        f"{path} is in the way: dynagen did not write it; move it elsewhere, or choose another folder with --out"
    )


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def _keep_or_write(old: Path, new: Path, text: str) -> None:
    """A file with this text: the old one, if it has it already."""
    if _read_regular(old) == text.encode():
        new.parent.mkdir(parents=True, exist_ok=True)
        _link_or_copy(old, new)
    else:
        _write(new, text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())


def _synchronise(folder: Path) -> None:
    """Make a folder's list of files durable."""
    if os.name != "posix":
        return  # only POSIX systems open folders
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _backup(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.dynagen-old")


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    """A new folder beside the real one, which is removed in the end with whatever it then holds."""
    staging = folder.with_name(f".{folder.name}.dynagen-{secrets.token_hex(4)}")
    staging.mkdir()
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _recover(folder: Path) -> None:
    """Clean up after a run that was killed; the lock makes sure that it is not still at work."""
    if _backup(folder).exists() and not folder.exists():
        _backup(folder).rename(folder)
    ours = re.compile(re.escape(f".{folder.name}.dynagen-") + "(old|[0-9a-f]{8})")
    for leftover in folder.parent.iterdir():
        if ours.fullmatch(leftover.name):
            shutil.rmtree(leftover, ignore_errors=True)
