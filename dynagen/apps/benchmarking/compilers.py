"""The compilers that programs are timed with, and their options, which are the same for all programs."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dynagen.apps.benchmarking.algorithms import ALGORITHMS
from dynagen.errors import ToolchainError
from dynagen.toolchain.commands import C_COMPILER
from dynagen.toolchain.extension import THIS_MACHINE, version_of
from dynagen.toolchain.shared_library import SHARED, NativeLibrary, compiled

FAST = ("-O3", *THIS_MACHINE, "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math")
"""Of C and C++ alike. Products and sums may be fused, as GCC does anyway; nothing else changes a result."""
PLAIN = ("-O0",)
"""To see that a program runs: it compiles in half of the time."""


@dataclass(frozen=True)
class Compiler:
    """A pair of compilers for C and C++.

    Attributes:
        name: as people call it.
        c, cpp: commands.
        options: for everything that is timed.
    """

    name: str
    c: str
    cpp: str
    options: tuple[str, ...]

    def together(self, functions: Sequence[str]) -> Sequence[str]:
        """The functions whose Pinocchio is compiled for these: all of them where that takes minutes, to be done once."""
        return functions if self.options == PLAIN else tuple(ALGORITHMS)

    @property
    def version(self) -> str:
        """The first line of what the C compiler says of itself."""
        return version_of((self.c,)).partition("\n")[0]

    def library(self, files: Mapping[str, str], *options: str) -> NativeLibrary:
        """Files in C as a library; those that they include are in `include/`, or beside them."""
        command = [self.c, "-std=gnu99", *self.options, *SHARED, "-Iinclude", "-I.", *options]
        return NativeLibrary(compiled(command, files, ["-lm"]))

    def cpp_library(
        self,
        files: Mapping[str, str],
        includes: tuple[Path, ...],
        defines: tuple[str, ...],
        version: str,
    ) -> NativeLibrary:
        """Files in C++ as a library.

        Args:
            files: path -> text.
            includes: folders with headers of another library.
            defines: options that those need.
            version: of that library.
        """
        command = [
            self.cpp,
            *self.options,
            *SHARED,
            *defines,
            *(f"-isystem{each}" for each in includes),
        ]
        return NativeLibrary(compiled(command, files, (), [version]))


_KNOWN = {"clang": ("clang", "clang++"), "gcc": ("gcc", "g++")}


def find_compilers(quick: bool) -> tuple[Compiler, ...]:
    """Clang and GCC, as far as they are there; only one of them, and without optimisation, for a quick look.

    Raises:
        ToolchainError: there is neither.
    """
    options = PLAIN if quick else FAST
    found = [
        Compiler(name, *pair, options)
        for name, pair in _KNOWN.items()
        if all(map(shutil.which, pair))
    ]
    if not found:
        raise ToolchainError(
            "programs are timed with gcc and clang, and neither is there with its C++ compiler: "
            f"install one (apt-get install {C_COMPILER.system_package} g++)"
        )
    return tuple(found[:1] if quick else found)
