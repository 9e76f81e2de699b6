"""Compilers and other commands, and the cache of compiled files.

Compiled files that stay on disk, so that not every process need compile what one of them has compiled.

A file's name is made of everything that it depends on, and a file appears under it whole or not at all: processes that start
at once compile the same side by side, and who comes last replaces a file by its equal. Files may be deleted at any time.

Compilers and their kin: how they are found, source files in a folder that does not stay, and commands run on them.
"""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from platformdirs import user_cache_path

from dynagen.errors import ToolchainError

VARIABLE = "DYNAGEN_CACHE"
"""Environment variable that names the folder."""


def cached_file(content: Iterable[str], suffix: str, make: Callable[[Path], None]) -> Path:
    """The file of this content, made if it is not there.

    Args:
        content: all that decides what is in it.
        suffix: of its name.
        make: writes it under a name that it gets.
    """
    digest = sha256()
    for part in content:
        digest.update(f"{len(part)}:{part}".encode())
    folder, name = writable_folder(), digest.hexdigest()[:32] + suffix
    if not (folder / name).exists():
        with tempfile.TemporaryDirectory(
            dir=folder, prefix="making-", ignore_cleanup_errors=True
        ) as made_in:
            make(Path(made_in, name))
            with open(Path(made_in, name), "rb+") as made:
                os.fsync(made.fileno())  # its name is not to be on disk before all of it is
            with suppress(PermissionError):  # Windows: another process was first, and has it in use
                os.replace(Path(made_in, name), folder / name)
    return folder / name


def writable_folder() -> Path:
    """The user's cache folder; where nothing can be written, one that lasts as long as the process."""
    folder = cache_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return _folder_of_process()


def cache_folder() -> Path:
    """Return the folder that DYNAGEN_CACHE names, else the system's folder for caches of this user's programs."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else user_cache_path("dynagen", appauthor=False)


@cache
def _folder_of_process() -> Path:
    # Not a folder of a known name: whoever made that first could put libraries of his own there.
    folder = Path(tempfile.mkdtemp(prefix="dynagen-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


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
            words = shlex.split(
                command, posix=os.name == "posix"
            )  # paths of Windows have backslashes
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


def run(
    command: Sequence[str], folder: Path | None, refusal: str, seconds: float = _SECONDS
) -> str:
    """Run a command in a folder; returns what it prints.

    Raises:
        ToolchainError: it cannot be run, takes too long, or fails; then `refusal` says what that means.
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
