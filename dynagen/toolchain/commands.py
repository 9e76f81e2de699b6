"""Compilers and other commands, temporary source folders, and the cache of compiled files.

The cache lets several processes share compiled files. A file's name is a hash of everything that it
depends on. A file appears under its name only when it is complete: processes that start at the same
time compile the same file in parallel, and the last one replaces it by an equal file. Files may be
deleted at any time.
"""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from platformdirs import user_cache_path

from dynagen.errors import ToolchainError

VARIABLE = "DYNAGEN_CACHE"
"""Environment variable that names the cache folder."""


def cache_file(content: Iterable[str], suffix: str, make: Callable[[Path], None]) -> Path:
    """Return a file or folder from the cache, after making it if necessary.

    Args:
        content: all texts that determine the file or folder.
        suffix: of its name.
        make: writes the file or folder to the path that it receives.
    """
    digest = sha256()
    for part in content:
        digest.update(f"{len(part)}:{part}".encode())
    folder, name = find_writable_folder(), digest.hexdigest()[:32] + suffix
    if not (folder / name).exists():
        with tempfile.TemporaryDirectory(
            dir=folder, prefix="making-", ignore_cleanup_errors=True
        ) as made_in:
            make(Path(made_in, name))
            made = Path(made_in, name)
            for file in made.rglob("*") if made.is_dir() else (made,):
                _write_through(file)
            try:
                os.replace(made, folder / name)
            except OSError:
                # Another process was first. A folder cannot be replaced, nor, on Windows, a file in
                # use.
                if not (folder / name).exists():
                    raise
    return folder / name


def _write_through(file: Path) -> None:
    """Write a file to the disk: the content must be there before the name in the cache."""
    if file.is_file():
        with open(file, "rb+") as opened:
            os.fsync(opened.fileno())


def find_writable_folder() -> Path:
    """Return the cache folder; if it is not writable, a folder for this process only."""
    folder = cache_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return _folder_of_process()


def cache_folder() -> Path:
    """Return the folder in DYNAGEN_CACHE, else the system's folder for caches of this user."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else user_cache_path("dynagen", appauthor=False)


@cache
def _folder_of_process() -> Path:
    """Create a folder that is removed at the end of this process."""
    # The name must be unpredictable: in a folder of a known name, another user could put libraries.
    folder = Path(tempfile.mkdtemp(prefix="dynagen-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


_SECONDS = 600
_LIBRARIES_STAY = os.name == "nt"  # Windows cannot delete files in use
MOST_LINES = 20
"""Largest number of lines of a compiler's messages that users see."""


@dataclass(frozen=True)
class Tool:
    """A compiler or an interpreter.

    Attributes:
        title: for messages, such as "C compiler".
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
