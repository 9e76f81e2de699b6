"""Source -> a shared library that is kept in the cache, whose functions are called on arrays that stay where they are."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from dynagen.errors import ToolchainError
from dynagen.toolchain.cache import cached_file
from dynagen.toolchain.commands import run, source_folder
from dynagen.toolchain.extension import processor, version_of
from dynagen.toolchain.kernel import Array

_SECONDS = 3600  # for a large library of templates, on a machine that has other work
SHARED = ("-fPIC", "-fno-semantic-interposition", "-shared")
"""Of gcc and clang, for a shared library whose own calls are direct."""


def compiled(
    command: Sequence[str], files: Mapping[str, str], libraries: Sequence[str] = (), needed: Sequence[str] = ()
) -> Path:
    """The file that a compiler makes of others, from the cache or compiled anew.

    Args:
        command: the compiler and its options.
        files: path -> text; those that end in `.c` or `.cpp` are compiled, others included.
        libraries: what is behind the sources in the command.
        needed: versions of what the sources include from elsewhere.

    Raises:
        ToolchainError: it refuses.
    """
    sources = [path for path in files if path.endswith((".c", ".cpp"))]
    content = (
        json.dumps([sorted(files.items()), [*command], [*libraries], [*needed]]),
        version_of((command[0],)),
        processor(),
    )

    def make(path: Path) -> None:
        with source_folder(files) as folder:
            run([*command, *sources, "-o", str(path), *libraries], folder, f"{command[0]} refused the source", _SECONDS)

    return cached_file(content, ".so", make)


class NativeLibrary:
    """A shared library; it stays open as long as it, or a call that it has bound, lives."""

    def __init__(self, path: Path) -> None:
        """Open a library.

        Raises:
            ToolchainError: it cannot be loaded.
        """
        self._ffi = cffi.FFI()
        try:
            self._library = self._ffi.dlopen(str(path))
        except OSError as error:
            raise ToolchainError(f"cannot load {path}: {error}") from error

    def bind(self, symbol: str, *arguments: int | Array | None, returns: str = "void") -> Callable[[], Any]:
        """A call of a function with these arguments.

        Args:
            symbol: of the function.
            arguments: sizes, and arrays, of which the function gets the address; None is a null pointer.
            returns: the type of its result, in C.
        """
        types = ", ".join("size_t" if isinstance(each, int) else "void *" for each in arguments)
        self._ffi.cdef(f"{returns} {symbol}({types});", override=True)
        library, passed = self._library, [self._passed(each) for each in arguments]
        return lambda: getattr(library, symbol)(*passed)  # which also keeps the library open

    def _passed(self, argument: int | Array | None) -> Any:
        if isinstance(argument, np.ndarray):
            return self._ffi.from_buffer(argument)
        return self._ffi.NULL if argument is None else argument
