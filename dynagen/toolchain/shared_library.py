"""Source to shared library to CompiledKernel, for compiled languages.

Source -> a shared library that is kept in the cache, whose functions are called on arrays that stay where they are.

Source -> shared library -> CompiledKernel, for compiled languages whose functions can be called like C's.

What an operation and a hand-over between two threads take on this machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from dynagen.errors import ToolchainError
from dynagen.ir.program import Signature
from dynagen.numbers.real import Real
from dynagen.toolchain.commands import C_COMPILER, Tool, cached_file, run, source_folder
from dynagen.toolchain.extension import OPTIMISED, THIS_MACHINE, processor, version_of
from dynagen.toolchain.kernel import Array, CompiledKernel

_SECONDS = 3600  # for a large library of templates, on a machine that has other work
SHARED = ("-fPIC", "-fno-semantic-interposition", "-shared")
"""Of gcc and clang, for a shared library whose own calls are direct."""


def compiled(
    command: Sequence[str],
    files: Mapping[str, str],
    libraries: Sequence[str] = (),
    needed: Sequence[str] = (),
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
            run(
                [*command, *sources, "-o", str(path), *libraries],
                folder,
                f"{command[0]} refused the source",
                _SECONDS,
            )

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

    def bind(
        self, symbol: str, *arguments: int | Array | None, returns: str = "void"
    ) -> Callable[[], Any]:
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


SOURCES, LIBRARY, EXPORTS = "{sources}", "{library}", "{exports}"
"""Where a command line takes the names of the source files, of what it makes of them, and of the functions to be called."""
GNU_OPTIONS = ("-O0", "-ffp-contract=off", "-fPIC", "-shared")
"""Of gcc, gfortran and clang.

-O0: a kernel is called a thousand times and compiled once; -O1 would save little of that time and takes three times as long.
-ffp-contract=off: no fused multiply-adds, so that every machine computes what the source says, to the last bit.
"""
MICROSOFT_COMMAND = (
    "/nologo",
    "/Od",
    "/fp:precise",
    "/LD",
    "/Iinclude",
    SOURCES,
    f"/Fe:{LIBRARY}",
    "/link",
    EXPORTS,
)
"""Of cl, with the same meaning: /fp:precise contracts nothing, and a library shows only what it is told to (/EXPORT:name)."""

_FASTER = {"-O0": (*OPTIMISED, *THIS_MACHINE), "/Od": ("/O2",)}


@dataclass(frozen=True)
class SharedLibrary:
    """How a language is compiled into a shared library whose functions loop over states.

    Such a function takes the number of states, the arrays of inputs and results, and an array for the status if it can fail.

    Attributes:
        compiler: that is used.
        command: its arguments, SOURCES and LIBRARY among them.
        others: those of compilers that take others, by the compiler's name.
        suffix: of source files; others are there to be included.
        column_major: whether the first subscript of a matrix runs fastest in memory.
        library: file name of what it makes.
    """

    compiler: Tool
    command: tuple[str, ...]
    suffix: str
    column_major: bool = False
    library: str = "kernels.so"
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def load(
        self,
        files: Mapping[str, str],
        symbols: Mapping[str, Signature],
        real: Real,
        optimise: bool = False,
    ) -> dict[str, CompiledKernel]:
        """Load the kernels, as `Toolchain.load`; the library stays open as long as a kernel lives."""
        with source_folder(files) as folder:
            hint = f" ({self.compiler.variable} chose it)" if self.compiler.chosen else ""
            refusal = f"the {self.compiler.title} refused generated code{hint}"
            compiler = self.compiler.find()
            command = self.others.get(Path(compiler[0]).stem.lower(), self.command)
            run([*compiler, *self._arguments(command, files, symbols, optimise)], folder, refusal)
            ffi = cffi.FFI()
            for symbol, signature in symbols.items():
                ffi.cdef(_declaration(symbol, signature, real))
            try:
                library = ffi.dlopen(str(folder / self.library))
            except OSError as error:
                raise ToolchainError(
                    f"cannot load what the {self.compiler.title} made: {error}. If {self.compiler.variable} names a cross "
                    f"compiler, set it to this machine's own; if {folder.parent} must not hold programs, set TMPDIR to a "
                    "folder that may"
                ) from error
        return {
            signature.name: CompiledKernel(
                signature, _Function(ffi, library, symbol, signature, real, self.column_major), real
            )
            for symbol, signature in symbols.items()
        }

    def _arguments(
        self,
        command: Sequence[str],
        files: Mapping[str, str],
        symbols: Iterable[str],
        optimise: bool,
    ) -> Iterator[str]:
        for argument in command:
            if optimise and argument in _FASTER:
                yield from _FASTER[argument]
            elif argument == SOURCES:
                yield from (path for path in files if path.endswith(self.suffix))
            elif argument == EXPORTS:
                yield from (f"/EXPORT:{symbol}" for symbol in symbols)
            else:
                yield argument.replace(LIBRARY, self.library)


def _declaration(symbol: str, signature: Signature, real: Real) -> str:
    """The declaration of a function in C."""
    parameters = [
        "size_t",
        *[f"const {real.name} *"] * len(signature.inputs),
        *[f"{real.name} *"] * len(signature.results),
    ]
    return f"void {symbol}({', '.join([*parameters, *['int *'] * signature.can_fail])});"


class _Function:
    """Calls a function of the library on the arrays of a batch."""

    def __init__(
        self,
        ffi: Any,
        library: Any,
        symbol: str,
        signature: Signature,
        real: Real,
        column_major: bool,
    ) -> None:
        self._ffi = ffi
        self._library = library  # closed when nobody holds it
        self._function = getattr(library, symbol)
        self._outputs = [result.shape for result in signature.results]
        self._can_fail = signature.can_fail
        self._real = real
        self._column_major = column_major

    def __call__(self, inputs: Sequence[Array]) -> list[Array]:
        count = len(inputs[0])
        shapes = (shape[::-1] if self._column_major else shape for shape in self._outputs)
        outputs = [np.empty((count, *shape), self._real.dtype) for shape in shapes]
        arrays = [*map(self._transposed, inputs), *outputs]
        pointers = [self._ffi.from_buffer(f"{self._real.name}[]", array) for array in arrays]
        status = np.empty(count, np.intc)
        statuses = [self._ffi.from_buffer("int[]", status)] if self._can_fail else []
        self._function(count, *pointers, *statuses)
        results = [self._transposed(array) for array in outputs]
        return [*results, status] if self._can_fail else results

    def _transposed(self, array: Array) -> Array:
        """Reverse the axes after the first one, if that is how the language stores them."""
        if not self._column_major or array.ndim < 3:
            return array
        return np.ascontiguousarray(array.transpose(0, *range(array.ndim - 1, 0, -1)))


_PROGRAM = Path(__file__).with_name("handover.c")
_OPTIONS = ("-std=c11", "-D_POSIX_C_SOURCE=199309L", "-O2", "-ffp-contract=off", "-pthread")


def measure_times() -> tuple[float, float]:
    """Nanoseconds of an operation and of a hand-over, with two digits.

    Raises:
        ToolchainError: there is no C compiler, or none for threads of POSIX, or no thread can be started.
    """
    with source_folder({_PROGRAM.name: _PROGRAM.read_text(encoding="utf-8")}) as folder:
        refusal = "the times of an operation and a hand-over cannot be measured here; give them as numbers of ns"
        run([*C_COMPILER.find(), *_OPTIONS, _PROGRAM.name, "-o", "handover"], folder, refusal)
        operation, handover = (
            float(f"{float(word):.2g}")
            for word in run([str(folder / "handover")], folder, refusal).split()
        )
    if min(operation, handover) <= 0:
        raise ToolchainError(refusal)
    return operation, handover
