"""Compilers and their kin: how they are found, source files in a folder that does not stay, and commands run on them."""

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
_LIBRARIES_STAY = os.name == "nt"  # as files that are in use, until the program ends
MOST_LINES = 20
"""Of what a compiler complains about: what users are shown."""


@dataclass(frozen=True)
class Tool:
    """A compiler or an interpreter.

    Attributes:
        title: what it is, as "C compiler".
        variable: environment variable that names it, with arguments if need be.
        commands: names that are tried without it, in order.
        system_package: what to install if there is none.
    """

    title: str
    variable: str
    commands: tuple[str, ...]
    system_package: str

    @property
    def chosen(self) -> str:
        """The value of the environment variable."""
        return os.environ.get(self.variable, "").strip()

    def find(self) -> list[str]:
        """The command, with its arguments.

        Raises:
            ToolchainError: there is none.
        """
        for command in (self.chosen,) if self.chosen else self.commands:
            words = shlex.split(command, posix=os.name == "posix")  # paths of Windows have backslashes
            if shutil.which(words[0]):
                return words
        tried = f"{self.variable}={self.chosen}" if self.chosen else ", ".join(self.commands)
        raise ToolchainError(
            f"no {self.title} found (tried {tried}): install one (apt-get install {self.system_package}), "
            f"set {self.variable}, or generate without proof (--no-verify)"
        )


C_COMPILER = Tool("C compiler", "CC", ("cc", "gcc", "clang", "cl"), "gcc")


@contextmanager
def source_folder(files: Mapping[str, str]) -> Iterator[Path]:
    """A folder with these files, path -> text, that goes when it is left; a library that Windows has loaded stays."""
    with TemporaryDirectory(prefix="dynagen-", ignore_cleanup_errors=_LIBRARIES_STAY) as name:
        folder = Path(name)
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8", newline="\n")
        yield folder


def run(command: Sequence[str], folder: Path | None, refusal: str, seconds: float = _SECONDS) -> str:
    """Run a command in a folder; returns what it prints.

    Raises:
        ToolchainError: it cannot be run, takes too long, or fails; then `refusal` says what that means.
    """
    try:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=seconds
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainError(f"{shlex.join(command)}: {error}") from error
    if done.returncode != 0:
        output = "\n".join((done.stderr + done.stdout).splitlines()[:MOST_LINES])
        raise ToolchainError(f"{refusal}: {shlex.join(command)}\n{output}")
    return done.stdout
