"""C or Fortran source -> shared library -> CompiledKernel."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from dynagen.errors import ToolchainError
from dynagen.ir.program import Program
from dynagen.real import Real
from dynagen.toolchain.commands import run, source_folder
from dynagen.toolchain.kernel import Array, CompiledKernel

# -O0: a kernel is called a thousand times and compiled once. A call takes 2 to 4 us, most of them on the way here; -O1 would
# save less than one of them and takes three times as long to compile.
# -ffp-contract=off: no fused multiply-adds, so that every machine computes what the source says, to the last bit.
_FLAGS = ("-O0", "-ffp-contract=off", "-fPIC", "-shared")
_LIBRARY = "kernels.so"


@dataclass(frozen=True)
class Language:
    """How a language is compiled.

    Attributes:
        variable: environment variable that names the compiler, with arguments if need be.
        commands: compilers that are tried without it, in order.
        system_package: what to install if there is none.
        suffix: of source files.
        column_major: whether the first subscript of a matrix runs fastest in memory.
        returns_status: whether a kernel that can fail returns its status; else its last argument is for it.
    """

    name: str
    variable: str
    commands: tuple[str, ...]
    system_package: str
    suffix: str
    flags: tuple[str, ...]
    libraries: tuple[str, ...]
    column_major: bool
    returns_status: bool


C = Language(
    "C",
    "CC",
    ("cc", "gcc", "clang"),
    "gcc",
    ".c",
    ("-std=c99", "-Iinclude"),
    ("-lm",),
    column_major=False,
    returns_status=True,
)
FORTRAN = Language(
    "Fortran", "FC", ("gfortran",), "gfortran", ".f90", ("-std=f2008",), (), column_major=True, returns_status=False
)


def load_library(
    language: Language, files: Mapping[str, str], programs: Mapping[str, Program], real: Real
) -> dict[str, CompiledKernel]:
    """Compile source into a shared library and find its kernels.

    Args:
        language: C or FORTRAN.
        files: path -> text; files that are not of the language's source suffix are there to be included.
        programs: symbol -> program.
        real: type of the numbers; its name is C's.

    Returns:
        Name of the function -> kernel. The library stays open as long as a kernel lives; nothing stays on disk.

    Raises:
        ToolchainError: the compiler is missing or refuses the source.
    """
    with source_folder(files) as folder:
        sources = [path for path in files if path.endswith(language.suffix)]
        _compile(language, folder, sources)
        ffi = cffi.FFI()
        for symbol, program in programs.items():
            ffi.cdef(_prototype(language, symbol, program, real))
        try:
            library = ffi.dlopen(str(folder / _LIBRARY))
        except OSError as error:
            raise ToolchainError(
                f"cannot load what the {language.name} compiler made: {error}. If {language.variable} names a cross compiler, "
                f"set it to this machine's own; if {folder.parent} must not hold programs, set TMPDIR to a folder that may"
            ) from error
    return {
        program.name: CompiledKernel(program, _Loop(ffi, library, symbol, program, real, language), real)
        for symbol, program in programs.items()
    }


def find_compiler(language: Language) -> list[str]:
    """The command that compiles a language.

    Raises:
        ToolchainError: there is none.
    """
    chosen = os.environ.get(language.variable, "").strip()
    commands = (chosen,) if chosen else language.commands
    for command in commands:
        words = shlex.split(command)
        if shutil.which(words[0]):
            return words
    tried = f"{language.variable}={chosen}" if chosen else ", ".join(commands)
    raise ToolchainError(
        f"no {language.name} compiler found (tried {tried}): install one (apt-get install {language.system_package}), "
        f"set {language.variable}, or generate without proof (--no-verify)"
    )


def _compile(language: Language, folder: Path, sources: Sequence[str]) -> None:
    command = [*find_compiler(language), *_FLAGS, *language.flags, *sources, "-o", _LIBRARY, *language.libraries]
    hint = f" ({language.variable} chose the compiler)" if os.environ.get(language.variable) else ""
    run(command, folder, f"the {language.name} compiler refused generated code{hint}")


def _prototype(language: Language, symbol: str, program: Program, real: Real) -> str:
    """The declaration of a kernel in C."""
    parameters = [f"const {real.name} *"] * len(program.inputs) + [f"{real.name} *"] * len(program.results)
    if program.can_fail and not language.returns_status:
        parameters.append("int *")
    returned = "int" if program.can_fail and language.returns_status else "void"
    return f"{returned} {symbol}({', '.join(parameters)});"


class _Loop:
    """Calls a kernel state by state, on pointers into the arrays of a batch."""

    def __init__(self, ffi: Any, library: Any, symbol: str, program: Program, real: Real, language: Language) -> None:
        self._ffi = ffi
        self._library = library  # closed when nobody holds it
        self._function = getattr(library, symbol)
        self._inputs = [argument.shape for argument in program.inputs]
        self._outputs = [output.argument.shape for output in program.results]
        self._can_fail = program.can_fail
        self._real = real
        self._column_major = language.column_major
        self._returns_status = language.returns_status

    def __call__(self, inputs: Sequence[Array]) -> list[Array]:
        count = len(inputs[0])
        outputs = [np.empty((count, *self._in_memory(shape)), self._real.dtype) for shape in self._outputs]
        arrays = [*(self._turned(array) for array in inputs), *outputs]
        pointers = [self._ffi.from_buffer(f"{self._real.name}[]", array) for array in arrays]
        strides = [prod(shape) for shape in (*self._inputs, *self._outputs)]
        status = np.empty(count, np.intc)
        if self._can_fail and not self._returns_status:
            pointers.append(self._ffi.from_buffer("int[]", status))
            strides.append(1)
        returns_status = self._can_fail and self._returns_status
        function = self._function
        for state in range(count):
            returned = function(*(pointer + state * stride for pointer, stride in zip(pointers, strides, strict=True)))
            if returns_status:
                status[state] = returned
        results = [self._turned(array) for array in outputs]
        return [*results, status] if self._can_fail else results

    def _in_memory(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return shape[::-1] if self._column_major else shape

    def _turned(self, array: Array) -> Array:
        """Reverse the axes after the first one, if that is how the language stores them."""
        if not self._column_major or array.ndim < 3:
            return array
        return np.ascontiguousarray(array.transpose(0, *range(array.ndim - 1, 0, -1)))
