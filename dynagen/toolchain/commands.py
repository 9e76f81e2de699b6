"""Search for compilers, execution of commands, and temporary folders for source files."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from tempfile import TemporaryDirectory

from dynagen.errors import ToolchainError
from dynagen.processes import count_workers

_Process = subprocess.Popen[str]
_SECONDS = 600
_LIBRARIES_STAY = os.name == "nt"  # Windows cannot delete files in use
_note_start: ContextVar[Callable[[], None]] = ContextVar("note_start", default=lambda: None)
MOST_LINES = 20
"""Largest number of lines of a compiler's output that error messages contain."""


@dataclass(frozen=True)
class Tool:
    """Compiler or interpreter.

    Attributes:
        title: name of the tool in messages, such as "C compiler".
        variable: environment variable that may contain the command and its arguments, such as CC.
        commands: commands that are tried in order if the variable is not set, such as gcc.
        system_package: Debian package that installs the tool.
    """

    title: str
    variable: str
    commands: tuple[str, ...]
    system_package: str

    @property
    def chosen(self) -> str:
        """Value of the environment variable for the command, such as CC; empty if unset."""
        return os.environ.get(self.variable, "").strip()

    def find(self) -> list[str]:
        """Return the command of the compiler or interpreter, followed by its arguments.

        Raises:
            ToolchainError: neither the chosen command nor one of `commands` is installed.
        """
        for command in (self.chosen,) if self.chosen else self.commands:
            # Paths of Windows contain backslashes, which are not escapes there.
            words = shlex.split(command, posix=os.name == "posix")
            if shutil.which(words[0]):
                return words
        tried = f"{self.variable}={self.chosen}" if self.chosen else ", ".join(self.commands)
        raise ToolchainError(
            f"no {self.title} found (tried {tried}): "
            f"install one (apt-get install {self.system_package}), "
            f"set {self.variable}, or generate without proof (--no-verify)"
        )


C_COMPILER = Tool("C compiler", "CC", ("cc", "gcc", "clang", "cl"), "gcc")


@contextmanager
def make_source_folder(files: Mapping[str, str]) -> Iterator[Path]:
    """Write files into a temporary folder, which is removed at the end of the `with` block.

    On Windows, a library that is still loaded cannot be removed and remains in the folder.

    Args:
        files: mapping from the path of each file, relative to the temporary folder, to its text.
            The text is written in UTF-8. Parent folders are created.

    Yields:
        The path of the temporary folder.
    """
    with TemporaryDirectory(prefix="dynagen-", ignore_cleanup_errors=_LIBRARIES_STAY) as name:
        folder = Path(name)
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8", newline="\n")
        yield folder


def run(
    command: Sequence[str], folder: Path | None, refusal: str, seconds: float | None = None
) -> str:
    """Run a command in a folder and return its standard output.

    Args:
        command: the program and its arguments.
        folder: working directory; None for the directory of this process.
        refusal: start of the error message if the command fails, such as `the compiler rejects the
            code`.
        seconds: longest run time in s; None for ten minutes. A command that exceeds the time limit
            is killed with its child processes.

    Raises:
        ToolchainError: the command cannot be run, exceeds the time limit, or fails.
    """
    return _finish(command, _start(command, folder), refusal, seconds)


@contextmanager
def note_start(note: Callable[[], None]) -> Iterator[None]:
    """Call `note` when `run_all` has started commands in the `with` block, or else at its end.

    Other work of this process can begin then. Before, it would delay the start of the commands,
    because threads of Python take turns.
    """
    before = _note_start.set(note)
    try:
        yield
    finally:
        _note_start.reset(before)
        note()


def run_all(commands: Iterable[Sequence[str]], folder: Path, refusal: str) -> None:
    """Run independent commands in a folder in parallel, at most one for each processor at a time.

    Args:
        commands: program and arguments of each command; long commands should come first.
        folder: working directory of all commands.
        refusal: start of the error message if a command fails.

    Raises:
        ToolchainError: a command cannot be run, exceeds the time limit, or fails.
    """
    processors, running = count_workers(), list[tuple[Sequence[str], _Process]]()
    try:
        for command in commands:
            if len(running) == processors:
                _note_start.get()()
                _finish(*running.pop(_find_first_to_end(running)), refusal)
            running.append((command, _start(command, folder)))
        _note_start.get()()
        while running:
            _finish(*running.pop(_find_first_to_end(running)), refusal)
    except BaseException:
        for _, process in running:
            _end(process)
            process.communicate()
        raise


def _find_first_to_end(running: Sequence[tuple[Sequence[str], _Process]]) -> int:
    """Wait until a process ends or prints something, and return its index.

    On Windows, which cannot wait for several pipes, the result is the process that began first.
    """
    if os.name != "posix":
        return 0
    with DefaultSelector() as selector:
        for index, (_, process) in enumerate(running):
            assert process.stdout is not None  # `_start` makes pipes
            selector.register(process.stdout, EVENT_READ, index)
        (first, _), *_ = selector.select()
    return int(first.data)


def _start(command: Sequence[str], folder: Path | None) -> _Process:
    """Start a command in a folder, without waiting for its end."""
    try:
        return subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            # A group of its own: a compiler may be a script that starts others.
            start_new_session=os.name == "posix",
        )
    except OSError as error:
        raise ToolchainError(f"{shlex.join(command)}: {error}") from error


def _finish(
    command: Sequence[str], process: _Process, refusal: str, seconds: float | None = None
) -> str:
    """Wait for a command and return its standard output; the arguments are those of `run`.

    Raises:
        ToolchainError: the command exceeds the time limit, or fails.
    """
    limit = _SECONDS if seconds is None else seconds
    words = shlex.join(command)
    with process:
        try:
            output, messages = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            _end(process)
            raise ToolchainError(
                f"{words} did not end within {limit:g} s and was stopped: run the "
                "command by hand to find the cause, or choose another compiler"
            ) from None
        except BaseException:
            _end(process)
            raise
    if process.returncode != 0:
        lines = "\n".join((messages + output).splitlines()[:MOST_LINES])
        raise ToolchainError(f"{refusal}: {words}\n{lines}")
    return output


def _end(process: _Process) -> None:
    """Kill a process and, except on Windows, its child processes."""
    if os.name == "posix":
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
