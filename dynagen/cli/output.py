"""Output of commands: the form of the report, single files written whole, dependency files, progress.

What commands answer with: the form of their report, and single files, written whole or not at all.

Dependency files: what generated output depends on, in the syntax of make, for build tools.

Progress on standard error: a spinner and a bar on a terminal, elsewhere a line now and then.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from threading import Event, Thread
from time import monotonic
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from dynagen import stages, version
from dynagen.errors import UsageError
from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import files_of


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


def report_form(
    *forms: str, of: str = "report"
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option `--report`, which a command is called with as `form`."""
    help = f"Form of the {of}."
    return click.option(
        "--report", "form", type=click.Choice(forms), default="text", show_default=True, help=help
    )


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
        raise UsageError(
            f"cannot write {path}: {error.strerror}; choose another file with {option}"
        ) from error


def _exists(path: Path, option: str) -> UsageError:
    return UsageError(f"{path} exists: choose another file with {option}, or --force to replace it")


def write_depfile(path: Path, target: Path, description: RobotDescription) -> None:
    """Write that a file depends on its robot's description with all that it includes, and on the version of dynagen.

    Args:
        path: of the dependency file.
        target: the generated file that is new after every run: the manifest.
        description: the robot, as loaded from its file.

    Raises:
        UsageError: the file cannot be written.
        ToolchainError: an installed tool is too old to tell what the description includes.
    """
    causes = (*files_of(description), Path(version.__file__))
    text = f"{_escaped(target)}: {' '.join(_escaped(cause) for cause in causes)}\n"
    write_whole(path, text, "--depfile")


def _escaped(path: Path) -> str:
    """An absolute path as make and ninja read it."""
    text = path.absolute().as_posix().replace("$", "$$")
    return text.replace(" ", "\\ ").replace("#", "\\#")


_SECONDS = 10.0  # between lines: most runs are over before the first


@contextmanager
def stage_progress() -> Iterator[stages.Progress]:
    """Show the stages of the pipeline until the block ends."""
    console = Console(stderr=True)
    with _bars(console) if console.is_terminal else _lines() as show:
        yield show


@contextmanager
def _bars(console: Console) -> Iterator[stages.Progress]:
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task("reading", total=None)

        def show(stage: str, done: float | None) -> None:
            bars.update(
                task, description=stage, total=None if done is None else 1, completed=done or 0
            )

        yield show


@contextmanager
def _lines() -> Iterator[stages.Progress]:
    start, over = monotonic(), Event()
    current = ["reading"]

    def show(stage: str, done: float | None) -> None:
        current[0] = stage if done is None else f"{stage} {done:.0%}"

    def tell() -> None:
        while not over.wait(_SECONDS):
            click.echo(f"dynagen: {current[0]}, {monotonic() - start:.0f} s", err=True)

    teller = Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield show
    finally:
        over.set()
        teller.join()
