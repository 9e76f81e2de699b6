"""Search for compilers, execution of commands, and temporary folders for source files."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from dynagen.errors import ToolchainError

_SECONDS = 600
_LIBRARIES_STAY = os.name == "nt"  # Windows cannot delete files in use
MOST_LINES = 20
"""Largest number of lines of a compiler's output that error messages contain."""


@dataclass(frozen=True)
class Tool:
    """Compiler or interpreter.

    Attributes:
        title: name in messages, such as "C compiler".
        variable: environment variable with the command and optional arguments, such as CC.
        commands: commands that are tried in order if the variable is not set, such as gcc.
        system_package: Debian package that installs the tool.
    """

    title: str
    variable: str
    commands: tuple[str, ...]
    system_package: str

    @property
    def chosen(self) -> str:
        """The value of the environment variable, empty if unset."""
        return os.environ.get(self.variable, "").strip()

    def find(self) -> list[str]:
        """Return the command, with its arguments.

        Raises:
            ToolchainError: no such command is installed.
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
    """Write files into a temporary folder, which is removed at the end of the context.

    On Windows a library that is still loaded remains in the folder.

    Args:
        files: path in the folder -> text, written in UTF-8; parent folders are created.

    Yields:
        The path of the folder.
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
        command: words of the command.
        folder: working directory; None for the directory of this process.
        refusal: start of the message if the command fails, such as `the compiler rejects the code`.
        seconds: longest run time in s, by default ten minutes. After this time, the command and its
            child processes are killed.

    Raises:
        ToolchainError: the command cannot be run, exceeds the time limit, or fails.
    """
    limit = _SECONDS if seconds is None else seconds
    words = shlex.join(command)
    try:
        with subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            # A group of its own: a compiler may be a script that starts others.
            start_new_session=os.name == "posix",
        ) as process:
            try:
                output, messages = process.communicate(timeout=limit)
            except BaseException:
                _end(process)
                raise
    except subprocess.TimeoutExpired:
        raise ToolchainError(
            f"{words} did not end within {limit:g} s and was stopped: run it by hand to see what "
            "it waits for, or choose another compiler"
        ) from None
    except OSError as error:
        raise ToolchainError(f"{words}: {error}") from error
    if process.returncode != 0:
        lines = "\n".join((messages + output).splitlines()[:MOST_LINES])
        raise ToolchainError(f"{refusal}: {words}\n{lines}")
    return output


def _end(process: subprocess.Popen[str]) -> None:
    """Kill a process and, except on Windows, its child processes."""
    if os.name == "posix":
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
