"""Compilation of source code to shared libraries, for languages with C-like functions.

`SharedLibrary` is the toolchain for the proof: it compiles in a temporary folder, and its kernels
copy their arrays. `compile_library` stores a library in the cache, and `NativeLibrary` calls
functions of such a library on arrays without copies. `measure_times` measures the time of an
arithmetic operation, and the time to pass a value from one thread to another (hand-off).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from dynagen.errors import ToolchainError
from dynagen.ir.program import Signature
from dynagen.numbers.real import Real
from dynagen.toolchain.cache import cache_file, describe_processor
from dynagen.toolchain.commands import C_COMPILER, Tool, make_source_folder, run
from dynagen.toolchain.extension import OPTIMISED, THIS_MACHINE, read_version
from dynagen.toolchain.kernel import Array, CompiledKernel

_SECONDS = 3600  # for a large library of templates, on a machine that has other work
SHARED = ("-fPIC", "-fno-semantic-interposition", "-shared")
"""Options of gcc and clang for a shared library, with direct calls between its functions."""


def compile_library(
    command: Sequence[str],
    files: Mapping[str, str],
    libraries: Sequence[str] = (),
    needed: Sequence[str] = (),
) -> Path:
    """Compile source files, and return the path of the shared library in the cache.

    Args:
        command: the compiler and its options.
        files: mapping from path to text, with paths relative to one common folder. Files whose
            names end in `.c` or `.cpp` are compiled, and may include the other files.
        libraries: compiler options after the source files, such as -lm.
        needed: texts that identify the versions of other libraries whose headers are included. If a
            text changes, the library is compiled again.

    Raises:
        ToolchainError: the compiler rejects the source.
    """
    sources = [path for path in files if path.endswith((".c", ".cpp"))]
    # Everything that determines the library: sources, command, compiler and processor.
    content = (
        json.dumps([sorted(files.items()), [*command], [*libraries], [*needed]]),
        read_version((command[0],)),
        describe_processor(),
    )

    def make(path: Path) -> None:
        with make_source_folder(files) as folder:
            run(
                [*command, *sources, "-o", str(path), *libraries],
                folder,
                f"{command[0]} rejected the source",
                _SECONDS,
            )

    return cache_file(content, ".so", make)


class NativeLibrary:
    """Shared library, which stays open while this object or one of its bound calls exists."""

    def __init__(self, path: Path) -> None:
        """Open a library.

        Raises:
            ToolchainError: the library cannot be loaded.
        """
        self._ffi = cffi.FFI()
        try:
            self._library = self._ffi.dlopen(str(path))
        except OSError as error:
            raise ToolchainError(f"cannot load {path}: {error}") from error

    def bind(
        self, symbol: str, *arguments: int | Array | None, returns: str = "void"
    ) -> Callable[[], Any]:
        """Return a function without arguments that calls a library function with fixed arguments.

        Args:
            symbol: symbol of the library function.
            arguments: arguments of the library function in order. An integer is passed as `size_t`,
                an array as the address of its data, and None as a null pointer.
            returns: C type of the library function's result.
        """
        types = ", ".join(
            "size_t" if isinstance(argument, int) else "void *" for argument in arguments
        )
        self._ffi.cdef(f"{returns} {symbol}({types});", override=True)
        library, converted = self._library, [self._convert(argument) for argument in arguments]
        return lambda: getattr(library, symbol)(*converted)  # this also keeps the library open

    def _convert(self, argument: int | Array | None) -> Any:
        """Return an argument in the form that cffi requires."""
        if isinstance(argument, np.ndarray):
            return self._ffi.from_buffer(argument)
        return self._ffi.NULL if argument is None else argument


SOURCES, LIBRARY, EXPORTS = "{sources}", "{library}", "{exports}"
"""Placeholders in a command line, for the source files, the library and the exported functions."""
GNU_OPTIONS = ("-O0", "-ffp-contract=off", "-fPIC", "-shared")
"""Options of gcc, gfortran and clang for kernels that are compiled only to prove them.

-O0 is chosen because a proof compiles a kernel once and calls it only a thousand times. With -O1,
compilation takes three times as long, and calls save little time. -ffp-contract=off forbids fused
multiply-adds, so that every machine computes exactly the operations of the source code.
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
"""Options of Microsoft's cl that correspond to GNU_OPTIONS.

/fp:precise forbids fused multiply-adds. With cl, a library exports only the functions of
/EXPORT:name.
"""

CARGO_OPTIONS = ("--offline", "--quiet", "--config", "profile.dev.opt-level=0")
"""Options of cargo that correspond to GNU_OPTIONS; Rust never fuses a product and a sum."""

_JOINED = "joined_sources.c"
_FASTER = {
    "-O0": (*OPTIMISED, *THIS_MACHINE),
    "/Od": ("/O2",),
    CARGO_OPTIONS[-1]: (
        "profile.dev.opt-level=3",
        "--config",
        'build.rustflags=["-Ctarget-cpu=native"]',
    ),
}


@dataclass(frozen=True)
class SharedLibrary:
    """Toolchain of a language that is compiled to a library whose functions loop over states.

    The arguments of a library function are the number of states, the arrays of inputs and results,
    and an array for the status codes if the function can fail.

    Attributes:
        compiler: the compiler.
        command: arguments of the compiler. The constants SOURCES, LIBRARY and EXPORTS stand for the
            source files, the library and the exported functions.
        suffix: file name suffix of the files that are compiled; these may include other files.
        column_major: whether the language stores matrices by columns.
        library: file name of the compiled library.
        others: mapping from the name of a compiler to its arguments, for compilers that require
            other arguments than `command`.
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
        """Compile source files into a library, and load its kernels.

        The library stays open while one of its kernels exists.

        Args:
            files: mapping from path to text, for the source files and the files that they include.
            symbols: mapping from the name of each function in the source to its inputs and outputs.
            real: floating-point type of the kernels.
            optimise: whether to compile with optimisation, for code that is called often.

        Returns:
            Mapping from the name of each signature to its kernel, a function of numpy arrays.

        Raises:
            ToolchainError: the compiler is not installed, or rejects the source.
        """
        files, sources = _join_sources(files, self.suffix)
        with make_source_folder(files) as folder:
            hint = f" ({self.compiler.variable} chose it)" if self.compiler.chosen else ""
            refusal = f"the {self.compiler.title} rejected generated code{hint}"
            compiler = self.compiler.find()
            # CC may name a compiler with other options, such as cl.
            command = self.others.get(Path(compiler[0]).stem.lower(), self.command)
            arguments = self._arguments(command, sources, symbols, optimise)
            run([*compiler, *arguments], folder, refusal)
            ffi = cffi.FFI()
            for symbol, signature in symbols.items():
                ffi.cdef(_declaration(symbol, signature, real))
            try:
                library = ffi.dlopen(str(folder / self.library))
            except OSError as error:
                raise ToolchainError(
                    f"cannot load the output of the {self.compiler.title}: {error}. "
                    f"If {self.compiler.variable} names a cross compiler, set it to this machine's "
                    f"own compiler; if programs in {folder.parent} must not be executed, set "
                    "TMPDIR to a folder where they may"
                ) from error
        return {
            signature.name: CompiledKernel(
                signature,
                _LibraryFunction(ffi, library, symbol, signature, real, self.column_major),
                real,
            )
            for symbol, signature in symbols.items()
        }

    def _arguments(
        self,
        command: Sequence[str],
        sources: Sequence[str],
        symbols: Iterable[str],
        optimise: bool,
    ) -> Iterator[str]:
        """Yield the compiler's arguments, with file names and symbols in place of placeholders."""
        for argument in command:
            if optimise and argument in _FASTER:
                yield from _FASTER[argument]
            elif argument == SOURCES:
                yield from sources
            elif argument == EXPORTS:
                yield from (f"/EXPORT:{symbol}" for symbol in symbols)
            else:
                yield argument.replace(LIBRARY, self.library)


def _join_sources(files: Mapping[str, str], suffix: str) -> tuple[Mapping[str, str], Sequence[str]]:
    """Return all files of a library, and the paths of the files to compile.

    A C compiler takes twice as long for many small files. Therefore one additional file, which
    includes the small files, is compiled in their place. Files that may define equal private names
    are compiled one by one.
    """
    sources = [path for path in files if path.endswith(suffix)]
    joined = [path for path in sources if not re.search(r"\bstatic\b|#define", files[path])]
    if suffix != ".c" or len(joined) < 2:
        return files, sources
    text = "".join(f'#include "{path}"\n' for path in joined)
    separate = [path for path in sources if path not in joined]
    return {**files, _JOINED: text}, [_JOINED, *separate]


def _declaration(symbol: str, signature: Signature, real: Real) -> str:
    """Return the declaration of a function in C."""
    parameters = [
        "size_t",
        *[f"const {real.name} *"] * len(signature.inputs),
        *[f"{real.name} *"] * len(signature.results),
    ]
    return f"void {symbol}({', '.join([*parameters, *['int *'] * signature.can_fail])});"


class _LibraryFunction:
    """Call of a function in a shared library, for the arrays of a batch."""

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
        self._library = library  # cffi closes it with its last reference
        self._function = getattr(library, symbol)
        self._outputs = [result.shape for result in signature.results]
        self._can_fail = signature.can_fail
        self._real = real
        self._column_major = column_major

    def __call__(self, inputs: Sequence[Array]) -> list[Array]:
        count = len(inputs[0])
        # A language that stores by columns fills arrays with reversed axes.
        shapes = (shape[::-1] if self._column_major else shape for shape in self._outputs)
        outputs = [np.empty((count, *shape), self._real.dtype) for shape in shapes]
        arrays = [*map(self._transpose, inputs), *outputs]
        pointers = [self._ffi.from_buffer(f"{self._real.name}[]", array) for array in arrays]
        status = np.empty(count, np.intc)
        statuses = [self._ffi.from_buffer("int[]", status)] if self._can_fail else []
        self._function(count, *pointers, *statuses)
        results = [self._transpose(array) for array in outputs]
        return [*results, status] if self._can_fail else results

    def _transpose(self, array: Array) -> Array:
        """Reverse all axes except the states' axis, if the language stores matrices by columns."""
        if not self._column_major or array.ndim < 3:
            return array
        return np.ascontiguousarray(array.transpose(0, *range(array.ndim - 1, 0, -1)))


_PROGRAM = Path(__file__).with_name("handover.c")
_OPTIONS = ("-std=c11", "-D_POSIX_C_SOURCE=199309L", "-O2", "-ffp-contract=off", "-pthread")


def measure_times() -> tuple[float, float]:
    """Measure the times of an arithmetic operation and of a hand-off, in ns with two digits.

    A hand-off passes a value from one processor core to another. The first returned time belongs to
    an operation, the second one to a hand-off.

    Raises:
        ToolchainError: there is no C compiler or no POSIX threads, or a thread cannot be started.
    """
    with make_source_folder({_PROGRAM.name: _PROGRAM.read_text(encoding="utf-8")}) as folder:
        refusal = (
            "the times of an operation and a hand-off cannot be measured here; "
            "set them in ns instead"
        )
        run([*C_COMPILER.find(), *_OPTIONS, _PROGRAM.name, "-o", "handover"], folder, refusal)
        operation, handover = (
            float(f"{float(word):.2g}")
            for word in run([str(folder / "handover")], folder, refusal).split()
        )
    if min(operation, handover) <= 0:
        raise ToolchainError(refusal)
    return operation, handover
