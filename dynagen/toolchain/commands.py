"""Compilers and other commands, and temporary folders for source files."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from dynagen.errors import ToolchainError

_SECONDS = 600
_LIBRARIES_STAY = os.name == "nt"  # Windows cannot delete files in use
MOST_LINES = 20
"""Largest number of lines of a compiler's messages that users see."""


@dataclass(frozen=True)
class Tool:
    """A compiler or an interpreter.

    Attributes:
        title: title for messages, such as "C compiler".
        variable: environment variable that names it, optionally with arguments.
        commands: names that are tried without the variable, in order.
        system_package: package that installs it.
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
    """Write files into a new temporary folder; remove the folder at the end of the context.

    On Windows a library that is still loaded remains in it.

    Args:
        files: path in the folder -> text in UTF-8; parent folders are made.

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
    command: Sequence[str], folder: Path | None, refusal: str, seconds: float = _SECONDS
) -> str:
    """Run a command in a folder and return its standard output.

    Args:
        command: words of the command.
        folder: working directory; None: the directory of this process.
        refusal: meaning of a failure, for the message.
        seconds: longest run time.

    Raises:
        ToolchainError: the command cannot be run, takes too long, or fails.
    """
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainError(f"{shlex.join(command)}: {error}") from error
    if done.returncode != 0:
        output = "\n".join((done.stderr + done.stdout).splitlines()[:MOST_LINES])
        raise ToolchainError(f"{refusal}: {shlex.join(command)}\n{output}")
    return done.stdout
