"""Compilers of the timed programs with their flags, and a description of the machine.

All C and C++ programs are compiled with the same flags.
"""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dynagen.errors import ToolchainError
from dynagen.toolchain.commands import C_COMPILER
from dynagen.toolchain.extension import OPTIMISED, THIS_MACHINE, read_version
from dynagen.toolchain.shared_library import SHARED, NativeLibrary, compile_library

FAST = ("-O3", *THIS_MACHINE, "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math")
"""Flags for C and C++.

The flags allow fused multiply-add instructions, as GCC does by default; these change results by
rounding errors. All other flags leave results unchanged.
"""
PLAIN = ("-O0",)
"""Flags to check only that programs run. Compiling takes half as long as with FAST."""


@dataclass(frozen=True)
class Compiler:
    """Pair of compilers for C and C++.

    Attributes:
        name: name of the compilers in reports, GCC or Clang.
        c, cpp: commands of the C and the C++ compiler, such as gcc and g++.
        options: flags with which all programs are compiled.
    """

    name: str
    c: str
    cpp: str
    options: tuple[str, ...]

    @property
    def version(self) -> str:
        """First line of the text that the C compiler prints for `--version`."""
        return read_version((self.c,)).partition("\n")[0]

    def compile_library(self, files: Mapping[str, str], *options: str) -> NativeLibrary:
        """Compile C files to a shared library, and load it.

        Args:
            files: mapping from path to text, for C files and headers. Headers are in `include/` or
                in the folder of the C file.
            options: flags in addition to `Compiler.options`.

        Raises:
            ToolchainError: the compiler fails.
        """
        command = [self.c, "-std=gnu99", *self.options, *SHARED, "-Iinclude", "-I.", *options]
        return NativeLibrary(compile_library(command, files, ["-lm"]))

    def compile_cpp_library(
        self,
        files: Mapping[str, str],
        includes: tuple[Path, ...],
        defines: tuple[str, ...],
        version: str,
    ) -> NativeLibrary:
        """Compile C++ files to a shared library, and load it.

        Args:
            files: mapping from path to text, for the C++ files.
            includes: folders with headers of another library.
            defines: compiler flags that the headers require.
            version: version of the other library; the files are compiled again if the version
                changes.

        Raises:
            ToolchainError: the compiler fails.
        """
        command = [
            self.cpp,
            *self.options,
            *SHARED,
            *defines,
            *(f"-isystem{each}" for each in includes),
        ]
        return NativeLibrary(compile_library(command, files, (), [version]))


_KNOWN = {"clang": ("clang", "clang++"), "gcc": ("gcc", "g++")}


def find_compilers(quick: bool) -> tuple[Compiler, ...]:
    """Return the installed pairs of C and C++ compilers among Clang and GCC, with their flags.

    Args:
        quick: whether to return only one compiler, without optimisation.

    Raises:
        ToolchainError: neither Clang nor GCC is installed.
    """
    options = PLAIN if quick else FAST
    found = [
        Compiler(name, *pair, options)
        for name, pair in _KNOWN.items()
        if all(map(shutil.which, pair))
    ]
    if not found:
        raise ToolchainError(
            "expected gcc with g++, or clang with clang++, found neither: "
            f"install one (apt-get install {C_COMPILER.system_package} g++)"
        )
    return tuple(found[:1] if quick else found)


def describe_machine(compilers: Sequence[Compiler]) -> dict[str, str]:
    """Describe the processor, its load, the system, compilers and flags, and Python's version.

    Returns:
        Texts by the keys processor, load, system, compilers, flags and python.
    """
    processor = platform.processor() or platform.machine()
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = (
            next(line for line in lines if line.startswith("model name")).partition(":")[2].strip()
        )
    python_flags = " ".join((*OPTIMISED, *THIS_MACHINE))
    return {
        "processor": f"{processor}, {os.cpu_count()} of them",
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
        "system": platform.platform(),
        "compilers": "; ".join(each.version for each in compilers),
        "flags": f"{' '.join(compilers[0].options)} for all C and C++, {python_flags} for "
        "generated "
        "code that is called from Python",
        "python": f"{platform.python_version()}, numpy {np.__version__}",
    }
