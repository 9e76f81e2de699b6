"""What commands answer with: the form of their report, and single files, written whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import mkstemp
from typing import Any

import click
from rich.console import Console

from dynagen.errors import UsageError


class _OutputFile(click.Path):
    """A file to write. That its folder is there and can be written to is asked before any work is done for it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path, as click calls it.

        Raises:
            UsageError: there is no such folder, or it cannot be written to.
        """
        path = Path(str(super().convert(value, param, ctx)))
        folder = path.parent
        fault = None
        if not folder.is_dir():
            fault = errno.ENOTDIR if folder.exists() else errno.ENOENT
        elif not os.access(folder, os.W_OK | os.X_OK):
            fault = errno.EACCES
        if fault is not None:
            option = f"; choose another file with {param.opts[-1]}" if param else ""
            raise UsageError(f"cannot write {path}: {os.strerror(fault)}{option}")
        return path


OUTPUT_FILE = _OutputFile(path_type=Path, dir_okay=False)
"""The type of options that name a file to write."""


force_option = click.option("--force", is_flag=True, help="Replace the file of -o if there is one.")


def refuse_existing(path: Path, option: str, force: bool) -> None:
    """Refuse to replace a description, which may be all that there is of somebody's work, before any work is done.

    Raises:
        UsageError: the file is there, and nobody has said that it may go.
    """
    if not force and os.path.lexists(path):
        raise _exists(path, option)


def report_form(*forms: str, of: str = "report") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option `--report`, which a command is called with as `form`."""
    help = f"Form of the {of}."
    return click.option("--report", "form", type=click.Choice(forms), default="text", show_default=True, help=help)


def report_written(console: Console, *paths: Path | None) -> None:
    """Say which files have been written."""
    for path in paths:
        if path is not None:
            console.print(f"Written to {path}", markup=False, soft_wrap=True)


def write_whole(path: Path, text: str, option: str, replace: bool = True) -> None:
    """Write a file in one step.

    Args:
        path: of the file.
        text: its new content.
        option: of the command line, that named it.
        replace: whether a file that is there is replaced.

    Raises:
        UsageError: the file cannot be written, or it is there and is not to be replaced.
    """
    write_bytes(path, text.encode("utf-8"), option, replace)


def write_bytes(path: Path, content: bytes, option: str, replace: bool = True) -> None:
    """Write a file in one step, as `write_whole` does."""
    try:
        descriptor, new = mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with open(descriptor, "wb") as file:
                file.write(content)
            os.chmod(new, 0o644)
            if replace:
                os.replace(new, path)
            else:
                os.link(new, path)  # which, unlike a replacement, fails if the file is there
                os.unlink(new)
        except OSError:
            os.unlink(new)
            raise
    except FileExistsError:
        raise _exists(path, option) from None
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; choose another file with {option}") from error


def _exists(path: Path, option: str) -> UsageError:
    return UsageError(f"{path} exists: choose another file with {option}, or --force to replace it")
