"""Target `folder`, and folders on disk that are written completely or not at all.

The complete new folder is built next to the old folder, and one step exchanges both folders. Even
after a crash, either the complete old folder or the complete new folder exists. Only files that the
old manifest lists are replaced or removed; all other files are moved to the new folder. A file with
unchanged content keeps its time stamp, so that build tools do not compile the file again. The
manifest is always written again, even if its content is unchanged.

The functions `exchange` and `lock` operate on folders; Python has no portable calls for these
operations.
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

from dynagen.codegen.language import load_package
from dynagen.codegen.languages import LANGUAGES
from dynagen.codegen.package import BinaryFile, SourceFile
from dynagen.codegen.targets.manifest import MANIFEST, SCHEMA, check_path, name_footprint_file
from dynagen.codegen.targets.target import Target
from dynagen.errors import UsageError
from dynagen.on_demand import import_on_call

FOLDER = Target(
    name="folder",
    audience="projects that build the source code themselves, such as controller firmware",
    languages=LANGUAGES,
    out="generated/<robot>/<lang>",
    files=(
        "kernels",
        "example",
        "golden test",
        "build files",
        "README.md",
        f"<robot>{MANIFEST}",
    ),
    tools=("compiler or interpreter of the language",),
    proof="The delivered kernels are compiled, loaded, and called on all states.",
    print_files=import_on_call("dynagen.codegen.targets.assembly.assemble"),
    load=lambda package, language, files, built: load_package(language, package, files),
    options=("single_file", "batch", "threads", "cores"),
)
_AT_FDCWD = -100  # paths are relative to the working folder, as usual
_RENAME_EXCHANGE = 2


def exchange(first: Path, second: Path, aside: Path) -> None:
    """Exchange two folders, so that each path leads to the other folder.

    Linux exchanges folders atomically. On other systems, three renames exchange the folders, and
    are undone on failure.

    Args:
        first: a folder.
        second: another folder, on the same file system.
        aside: an unused path, to which `second` is renamed for a moment if the exchange is not
            atomic.

    Raises:
        OSError: the file system does not allow the exchange; nothing has changed.
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
    """Exchange two folders by one system call; return False if the system has no such call."""
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
    """Lock a folder while the context is active; wait until no other process locks the folder.

    The system releases the lock of a process that dies.
    """
    # Imported here: the import takes several milliseconds, and few runs write a folder.
    from filelock import lock_descriptor

    if sys.platform == "win32":  # Windows locks files only
        descriptor = os.open(folder / ".dynagen-lock", os.O_RDWR | os.O_CREAT)
    else:
        descriptor = os.open(folder, os.O_RDONLY)
    try:
        # Some network file systems have no locks; then runs are not kept apart, all else works.
        with suppress(OSError):
            lock_descriptor(descriptor)
        yield
    finally:
        os.close(descriptor)


def write_folder(folder: Path, files: Sequence[SourceFile | BinaryFile]) -> None:
    """Write files into a folder and replace the files of an earlier run.

    Args:
        folder: output folder; created with its parents if it does not exist.
        files: all files of the new folder, the manifest last. They may include the file with the
            measured code size and stack.

    Raises:
        UsageError: the folder contains files but no manifest of dynagen, a user's file has the name
            of a generated file, or the folder cannot be written. After an error, the folder is
            unchanged.
    """
    try:
        folder = folder.resolve()
        if not folder.name:
            raise UsageError(
                f"{folder} cannot be an output folder; choose another folder with --out"
            )
        # The folder is exchanged for another; a shell inside would stay in the old one.
        if Path.cwd().is_relative_to(folder):
            raise UsageError(
                f"{folder} is or contains the current folder; choose another folder with --out"
            )
        folder.parent.mkdir(parents=True, exist_ok=True)
        with lock(folder.parent):
            _recover(folder)
            owned = _owned_files(folder, files[-1].path)
            with _stage(folder) as staging:
                *contents, manifest = files
                # Unchanged files keep their time stamps; the manifest is always new.
                for file in contents:
                    _keep_or_write(
                        folder / check_path(file.path), staging / file.path, file.content
                    )
                _write(staging / check_path(manifest.path), manifest.content)
                if folder.exists():
                    _carry_over(folder, staging, PurePosixPath(), owned)
                    # The new folder keeps the permissions of the old one.
                    shutil.copymode(folder, staging)
                # All names must be durable before the exchange makes them visible.
                for path, _, _ in os.walk(staging):
                    _synchronise(Path(path))
                if folder.exists():
                    exchange(staging, folder, _backup(folder))
                else:
                    staging.rename(folder)
                _synchronise(folder.parent)
    # RuntimeError: links in a circle; ValueError: a null character in the path.
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"cannot write {folder}: {reason}; choose another folder with --out, or make this one "
            "writable"
        ) from error


def find_stale_files(folder: Path, files: Sequence[SourceFile | BinaryFile]) -> tuple[str, ...]:
    """Return the paths of those `files` that are missing or different in a folder on disk."""
    return tuple(file.path for file in files if _read_regular(folder / file.path) != file.content)


def _owned_files(folder: Path, manifest_name: str) -> frozenset[str]:
    """Return the paths of the files that an earlier run wrote into a folder.

    The result is empty if the folder does not exist or contains no files. Build tools may have
    created empty folders in it.
    """
    if not folder.exists():
        return frozenset()
    if not folder.is_dir():
        raise UsageError(f"{folder} is a file; choose another folder with --out")
    if not _holds_files(folder):
        return frozenset()
    content = _read_regular(folder / manifest_name)
    if content is None:
        raise UsageError(
            f"{folder} is not empty and has no {manifest_name}: its files are not from dynagen, or "
            "are "
            "for another robot; choose another folder with --out, or empty this folder"
        )
    try:
        manifest = json.loads(content)
        if not isinstance(manifest["dynagen"], str) or manifest["schema"] != SCHEMA:
            raise ValueError("unknown schema")
        measured = name_footprint_file(manifest_name.removesuffix(MANIFEST))
        return frozenset({measured, *(str(check_path(path)) for path in manifest["files"])})
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(
            f"{folder / manifest_name} is not a manifest that this version of dynagen can read "
            f"({error!r}); choose another folder with --out, or empty this folder"
        ) from error


def _holds_files(folder: Path) -> bool:
    """Return whether a folder or a subfolder contains a file."""
    with os.scandir(folder) as entries:
        return any(
            not entry.is_dir(follow_symlinks=False) or _holds_files(Path(entry.path))
            for entry in entries
        )


def _read_regular(path: Path) -> bytes | None:
    """Return a regular file's content; None if it is missing, unreadable or a symbolic link."""
    try:
        return path.read_bytes() if path.is_file() and not path.is_symlink() else None
    except OSError:
        return None


def _carry_over(old: Path, new: Path, relative: PurePosixPath, owned: frozenset[str]) -> None:
    """Copy or link the files that dynagen did not write from an old folder to a new one.

    Symbolic links are copied as links. `relative` is the path of the subfolder in both folders;
    `owned` are the paths in `old` of the files that dynagen wrote.
    """
    for entry in sorted(os.scandir(old / relative), key=lambda entry: entry.name):
        path = relative / entry.name
        target = new / path
        if entry.is_dir(follow_symlinks=False):
            # A generated file has the path of a user's folder.
            if target.exists() and not target.is_dir():
                raise _make_obstacle_error(old / path)
            if target.is_dir() or not _contains_only_owned(old, path, owned):
                target.mkdir(exist_ok=True)
                shutil.copymode(entry.path, target)
                _carry_over(old, new, path, owned)
        elif str(path) not in owned:
            if os.path.lexists(target):
                raise _make_obstacle_error(old / path)
            _link_or_copy(Path(entry.path), target)


def _contains_only_owned(old: Path, relative: PurePosixPath, owned: frozenset[str]) -> bool:
    """Return whether the folder `relative` in `old` contains files, all written by dynagen.

    `owned` are the paths in `old` of the files that dynagen wrote.
    """
    entries = list(os.scandir(old / relative))
    return bool(entries) and all(
        _contains_only_owned(old, relative / entry.name, owned)
        if entry.is_dir(follow_symlinks=False)
        else str(relative / entry.name) in owned
        for entry in entries
    )


def _make_obstacle_error(path: Path) -> UsageError:
    """Return the error for a user's file at the path of a generated file."""
    return UsageError(
        f"cannot overwrite {path}, which dynagen did not write; move the file elsewhere, or choose "
        "another folder with --out"
    )


def _link_or_copy(source: Path, target: Path) -> None:
    """Make a hard link to a file, or a copy if the file system has no hard links."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def _keep_or_write(old: Path, new: Path, content: bytes) -> None:
    """Write the file `new`, or link it to the file `old` if `old` has this content."""
    if _read_regular(old) == content:
        new.parent.mkdir(parents=True, exist_ok=True)
        _link_or_copy(old, new)
    else:
        _write(new, content)


def _write(path: Path, content: bytes) -> None:
    """Write a new file and flush it to the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _synchronise(folder: Path) -> None:
    """Flush a folder's list of files to the disk."""
    if os.name != "posix":
        return  # only POSIX systems open folders
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _backup(folder: Path) -> Path:
    """Return the path that the old folder has during an exchange that is not atomic."""
    return folder.with_name(f".{folder.name}.dynagen-old")


@contextmanager
def _stage(folder: Path) -> Iterator[Path]:
    """Create a temporary folder next to the output folder, and remove it at the end."""
    staging = folder.with_name(f".{folder.name}.dynagen-{secrets.token_hex(4)}")
    staging.mkdir()
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _recover(folder: Path) -> None:
    """Restore the output folder after a killed run; remove the killed run's temporary folders.

    The caller must hold the lock of the folder.
    """
    if _backup(folder).exists() and not folder.exists():
        _backup(folder).rename(folder)
    # The names that `_backup` and `_stage` give.
    ours = re.compile(re.escape(f".{folder.name}.dynagen-") + "(old|[0-9a-f]{8})")
    for leftover in folder.parent.iterdir():
        if ours.fullmatch(leftover.name):
            shutil.rmtree(leftover, ignore_errors=True)
