"""Output of commands: options for output, atomic writing of files, dependency files, and progress.

Every output file is written completely or not at all. Progress is printed to standard error: on a
terminal as a spinner and a bar, otherwise as one line every ten seconds.
"""

from __future__ import annotations

import errno
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from threading import Event, Thread
from time import monotonic
from typing import Any

import rich_click as click
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from dynagen import stages, version
from dynagen.errors import UsageError
from dynagen.options import OUTPUT, format_options
from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import list_files
from dynagen.robot.options import ReadingOptions


class _OutputFile(click.Path):
    """Type of options that name a file to write; the file's folder is checked before any work."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path of the file; refuse a folder that does not exist or is not writable."""
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
"""Type of options that name a file to write."""


force_option = click.option(
    "--force", is_flag=True, panel=OUTPUT, help="Replace the file of -o if it exists."
)


def refuse_existing(path: Path, option: str, force: bool) -> None:
    """Refuse to replace an existing description, before any work is done.

    Args:
        path: file that the command is to write.
        option: name of the option for the file, for the message.
        force: whether `--force` is set, which permits replacing the file.

    Raises:
        UsageError: the file exists, and `force` is not set.
    """
    if not force and os.path.lexists(path):
        raise _make_exists_error(path, option)


def report_form(
    *forms: str, of: str = "report"
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds the option `--format` to a command.

    The command receives the value of the option as the argument `form`.

    Args:
        forms: permitted values; `text`, which is the default, must be one of them.
        of: word for the output in the help text, such as "report".
    """
    return click.option(
        "--format",
        "form",
        type=click.Choice(forms),
        default="text",
        show_default=True,
        panel=OUTPUT,
        help=f"Format of the {of} on standard output.",
    )


def report_files(console: Console, *paths: Path | None) -> None:
    """Print the paths of written files, each on a line; None is skipped."""
    for path in paths:
        if path is not None:
            console.print(f"Written to {path}", markup=False, soft_wrap=True)


def suggest_command(
    console: Console, purpose: str, *words: str, reading: ReadingOptions | None = None
) -> None:
    """Print a command that the user can run next to continue the work.

    Args:
        console: console to print on.
        purpose: purpose of the command, as printed after the word "To".
        words: words of the command after `dynagen`.
        reading: options for reading the robot, which the printed command repeats; None if there are
            no such options.
    """
    options = "" if reading is None else format_options(reading.changes)
    command = shlex.join(["dynagen", *words, *shlex.split(options)])
    console.print(f"To {purpose}: {command}", markup=False, soft_wrap=True)


def write_whole(path: Path, text: str, option: str, replace: bool = True) -> None:
    """Write a text file atomically, so that a reader never sees an incomplete file.

    Args:
        path: path of the file.
        text: new content, written in UTF-8.
        option: command-line option that named the file, for the error message.
        replace: whether an existing file is replaced.

    Raises:
        UsageError: the file cannot be written, or exists and must not be replaced.
    """
    write_bytes(path, text.encode("utf-8"), option, replace)


def write_bytes(path: Path, content: bytes, option: str, replace: bool = True) -> None:
    """Write a binary file atomically, so that a reader never sees an incomplete file.

    Devices and pipes, such as /dev/null and /dev/stdout, are written to and not replaced.

    Args:
        path: path of the file.
        content: new content.
        option: command-line option that named the file, for the error message.
        replace: whether an existing file is replaced.

    Raises:
        UsageError: the file cannot be written, or exists and must not be replaced.
    """
    try:
        if replace and _is_stream(path):
            path.write_bytes(content)
            return
        descriptor, new = mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with open(descriptor, "wb") as file:
                file.write(content)
            os.chmod(new, 0o644)
            if replace:
                os.replace(new, path)
            else:
                os.link(new, path)  # unlike os.replace, this fails if the file exists
                os.unlink(new)
        except OSError:
            os.unlink(new)
            raise
    except FileExistsError:
        raise _make_exists_error(path, option) from None
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}; choose another file with {option}"
        ) from error


def _is_stream(path: Path) -> bool:
    """Return whether a path is a device, a pipe, or a name in the folder /dev."""
    return path.absolute().parent == Path("/dev") or (path.exists() and not path.is_file())


def _make_exists_error(path: Path, option: str) -> UsageError:
    """Return the error for a file that must not be replaced."""
    return UsageError(f"{path} exists: choose another file with {option}, or --force to replace it")


def write_depfile(path: Path, target: Path, description: RobotDescription) -> None:
    """Write a dependency file in the syntax of make.

    The target depends on the description, on all files that the description includes, and on the
    version of dynagen.

    Args:
        path: path of the dependency file.
        target: file that every run writes: the manifest, or the file of `--stamp`.
        description: the robot, as loaded from its file.

    Raises:
        UsageError: the file cannot be written.
        ToolchainError: the installed xacro cannot list included files, because it is too old.
    """
    causes = (*list_files(description), Path(version.__file__))
    text = f"{_escape_path(target)}: {' '.join(_escape_path(cause) for cause in causes)}\n"
    write_whole(path, text, "--depfile")


def _escape_path(path: Path) -> str:
    """Return an absolute path with the escapes of make and ninja."""
    text = path.absolute().as_posix().replace("$", "$$")
    return text.replace(" ", "\\ ").replace("#", "\\#")


_SECONDS = 10.0  # between lines of progress; most runs end before the first line


@contextmanager
def show_progress() -> Iterator[stages.Progress]:
    """Show the stages of the pipeline on standard error until the block ends.

    Yields:
        Function of a stage's name and its completed part (0 to 1; None: unknown).
    """
    console = Console(stderr=True)
    with _bars(console) if console.is_terminal else _lines() as show:
        yield show


@contextmanager
def _bars(console: Console) -> Iterator[stages.Progress]:
    """Show progress on a terminal: a spinner, the stage and a bar."""
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
    """Show progress without a terminal: print stage and elapsed time every ten seconds."""
    start, over = monotonic(), Event()
    current = ["reading"]

    def show(stage: str, done: float | None) -> None:
        current[0] = stage if done is None else f"{stage} {done:.0%}"

    def print_lines() -> None:
        while not over.wait(_SECONDS):
            click.echo(f"dynagen: {current[0]}, {monotonic() - start:.0f} s", err=True)

    printer = Thread(target=print_lines, daemon=True)
    printer.start()
    try:
        yield show
    finally:
        over.set()
        printer.join()
