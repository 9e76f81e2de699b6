"""What commands answer with: the form of their report, and single files, written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import mkstemp
from typing import Any

import click

from dynagen.errors import UsageError


def report_form(*forms: str, of: str = "report") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option `--report`, which a command is called with as `form`."""
    help = f"Form of the {of}."
    return click.option("--report", "form", type=click.Choice(forms), default="text", show_default=True, help=help)


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
        raise UsageError(f"{path} exists: choose another file with {option}, or --force to replace it") from None
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; choose another file with {option}") from error
