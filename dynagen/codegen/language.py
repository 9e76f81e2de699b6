"""Description of a target language, and functions that compile and load its source files.

`Language` contains all facts and functions of a target language that the rest of the program uses.
`load_package` and `load_kernels` compile source files, and return kernels that compute many states
in one call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dynagen.codegen.package import LIBM, Kernel, Package, SourceFile
from dynagen.codegen.routine import (
    Cores,
    Routine,
    make_cores_routine,
    make_lane_routine,
    make_state_routine,
)
from dynagen.ir.program import Signature
from dynagen.numbers.real import Real
from dynagen.toolchain.commands import Tool
from dynagen.toolchain.kernel import CompiledKernel, Toolchain

if TYPE_CHECKING:
    from dynagen.codegen.examples import Spelling


@dataclass(frozen=True)
class UfuncModule:
    """A compiled Python module in which each kernel is a NumPy generalized ufunc.

    Attributes:
        print_module: function that returns the files to compile, as a mapping from paths to texts.
            The function's arguments are the files of the kernels, the kernels, their number type,
            and the lines of each function's help text.
        print_calls: function of a number type; returns the files of the module that are the same
            for all robots.
        compiler: compiler of the module's files.
    """

    print_module: Callable[
        [Mapping[str, str], Sequence[Routine], Real, Mapping[str, Sequence[str]]], dict[str, str]
    ]
    print_calls: Callable[[Real], dict[str, str]]
    compiler: Tool


@dataclass(frozen=True)
class StridedKernel:
    """A GPU kernel for arrays with any distances (strides) between elements and states.

    The first argument of the GPU kernel is the number of states. Three arguments follow for each
    array: the array, the distance between elements of a state, and the distance between states. If
    the computation of a state fails, its results are NaN.

    Attributes:
        signature: inputs and outputs of the function. The run-time parameters themselves are an
            input, instead of the values that `prepare` computes from them. The GPU kernel has no
            array for the status.
        symbol: name of the kernel.
        parts: number of rows of the grid; each row of thread blocks computes a part of the results.
        bytes: shared memory of a thread block, in bytes, that the launch requests.
        threads: number of threads of a thread block.
    """

    signature: Signature
    symbol: str
    parts: int
    bytes: int
    threads: int


PrintLibrary = Callable[
    [Mapping[str, str], Sequence[Routine], Real, Sequence[StridedKernel]], dict[str, str]
]


@dataclass(frozen=True)
class Language:
    """A target language with the functions that print and compile its source files.

    Attributes:
        name: name of the language in `--lang` and in manifests; its folder of templates has the
            same name.
        aliases: other spellings of the name.
        layout: order of matrix elements in memory, such as `row-major`, as text for manifests.
        first_index: index of the first element of an array, 0 or 1.
        symbol: function of the package's prefix and a function's name; returns the name of the
            kernel.
        constant: function of the package's prefix and a run-time parameter's name; returns the name
            of the constant for the parameter's index.
        kernel_path: function that returns the path of the file with a kernel, relative to the
            output folder.
        print_kernels: function that returns the files with kernels and the files that these
            include; the files of equal packages are equal to the last byte.
        spelling: function that returns the language's syntax for the example program and the golden
            test.
        readme_values: function that returns the values, by name, for this language's README
            template.
        print_build: function that returns files for building or running kernels and programs; its
            second argument lists the paths of the programs, the example first.
        toolchain: compiler or interpreter that compiles and loads the source files.
        print_loops: function that returns files with loops over states, which call kernels for one
            state; None if the toolchain itself runs a kernel on many states.
        ufunc_module: Python module in which the kernels are NumPy ufuncs; None if the language has
            no such module.
        print_ffi_library: function that returns the source files of a library for XLA, as a mapping
            from paths to texts; None if the language has no such library. The function's arguments
            are the files of the kernels, the kernels, their number type, and GPU kernels.
        print_torch_library: function that returns the source files of a library with operators of
            PyTorch; None if the language has no such library. The function has the same arguments
            as `print_ffi_library`, and also returns a mapping from paths to texts.
        print_strided: function that returns the source text of GPU kernels for arrays with any
            strides, and a description of each kernel; None if the language is not for GPUs.
        batch_path: function that returns the path of the file with a batch kernel (empty without a
            batch kernel); None if the language does not support batches.
        cores_path: function that returns the path of the file with a kernel on several cores (empty
            for one core); None if the language does not support several cores.
        threads: toolchain that runs each core in its own thread; None without such a toolchain.
        always: names of the settings that the language always switches on.
        trig: names of the methods by which the language can compute sines and cosines.
        headers: file name suffixes of files that kernels include.
        one_file: whether the set of files is fixed. Otherwise, the user chooses between one file
            for all kernels and one file for each kernel.
        freestanding: whether kernels run without an operating system, so that their code size and
            stack can be measured.
        is_sized: whether dynagen estimates code size, stack and compile time of kernels.
    """

    name: str
    aliases: tuple[str, ...]
    layout: str
    first_index: int
    symbol: Callable[[str, str], str]
    constant: Callable[[str, str], str]
    kernel_path: Callable[[Package, Kernel], str]
    print_kernels: Callable[[Package], tuple[SourceFile, ...]]
    spelling: Callable[[Package], Spelling]
    toolchain: Toolchain
    readme_values: Callable[[Package], Mapping[str, Any]] = lambda package: {}
    print_build: Callable[[Package, Sequence[str]], tuple[SourceFile, ...]] = (
        lambda package, programs: ()
    )
    print_loops: Callable[[Sequence[Routine], Real], tuple[SourceFile, ...]] | None = None
    ufunc_module: UfuncModule | None = None
    print_ffi_library: PrintLibrary | None = None
    print_torch_library: PrintLibrary | None = None
    print_strided: Callable[[Package], tuple[str, tuple[StridedKernel, ...]]] | None = None
    batch_path: Callable[[Package, Kernel], str] | None = None
    cores_path: Callable[[Package, Kernel], str] | None = None
    threads: Toolchain | None = None
    always: tuple[str, ...] = ()
    trig: tuple[str, ...] = (LIBM,)
    headers: tuple[str, ...] = ()
    one_file: bool = True
    freestanding: bool = False
    is_sized: bool = False

    def compiles(self, path: str, kernel_paths: Collection[str]) -> bool:
        """Return whether the compiler needs a file, because it contains a kernel or is a header."""
        return path in kernel_paths or path.endswith(self.headers)


def load_package(
    language: Language, package: Package, files: Iterable[SourceFile]
) -> dict[str, CompiledKernel]:
    """Compile and load the kernels of a package.

    Returns:
        A mapping from function names to compiled kernels. The names of batch kernels end with
            `_batch`, the names of kernels on several cores with `_cores`.

    Raises:
        ToolchainError: a compiler or interpreter is not installed, or rejects the source.
    """
    return load_kernels(language, *collect_kernel_sources(language, package, files), package.real)


def collect_kernel_sources(
    language: Language, package: Package, files: Iterable[SourceFile]
) -> tuple[dict[str, str], list[Routine]]:
    """Return the files to compile, and the kernels that they define.

    The first result maps the path of each file to its text. The second lists the kernels for one
    state, batch kernels, and kernels on several cores, without their programs.
    """
    routines, paths = [], set()
    for kernel in package.kernels:
        paths.add(language.kernel_path(package, kernel))
        one_state = Routine(
            language.symbol(package.prefix, kernel.function), kernel.program.signature
        )
        routines.append(one_state)
        if language.batch_path and (path := language.batch_path(package, kernel)):
            paths.add(path)
            routines.append(make_lane_routine(one_state))
        if (
            kernel.partition
            and language.cores_path
            and (path := language.cores_path(package, kernel))
        ):
            paths.add(path)
            routines.append(
                make_cores_routine(one_state, Cores(len(kernel.partition.cores), package.prefix))
            )
    return {file.path: file.text for file in files if language.compiles(file.path, paths)}, routines


def load_kernels(
    language: Language,
    files: Mapping[str, str],
    routines: Sequence[Routine],
    real: Real,
    optimise: bool = False,
) -> dict[str, CompiledKernel]:
    """Compile and load kernels.

    If the toolchain cannot run a kernel on many states by itself, source code of loops over states
    is added and compiled too.

    Args:
        language: language of the files.
        files: texts of the files with kernels and of the included files, by path.
        routines: the kernels; their programs are not needed.
        real: number type of the kernels.
        optimise: whether to compile for speed of many calls instead of a short compile time.

    Returns:
        A mapping from function names to compiled kernels. The names of batch kernels end with
            `_batch`, the names of kernels on several cores with `_cores`.

    Raises:
        ToolchainError: a compiler or interpreter is not installed, or rejects the source.
    """
    # Cores need threads; all other kernels are compiled without.
    toolchain = language.toolchain
    if language.threads and any(isinstance(routine.loop, Cores) for routine in routines):
        toolchain = language.threads
    # The loops are compiled with the kernels into one library; only loops are called from here.
    if language.print_loops is not None:
        loops = [
            make_state_routine(kernel, f"states_of_kernel_{place}")
            for place, kernel in enumerate(routines)
        ]
        more = {file.path: file.text for file in language.print_loops([*routines, *loops], real)}
        routines, files = loops, {**files, **more}
    return toolchain.load(
        files, {routine.symbol: routine.signature for routine in routines}, real, optimise
    )
