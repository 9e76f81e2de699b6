"""Description of a target language, and loading of its source files as callable kernels.

`Language` contains all facts and functions of a target language that the rest of the program uses.
`load_package` and `load_kernels` compile source files. The kernels that they return compute many
states in one call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynagen.codegen.examples import Spelling
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


@dataclass(frozen=True)
class UfuncModule:
    """A compiled Python module in which each kernel is a NumPy generalized ufunc.

    Attributes:
        print_module: prints the files to compile, path -> text. The arguments are the files of the
            kernels, the kernels, the type of their numbers, and the help text of each function in
            lines.
        compiler: compiler of these files.
    """

    print_module: Callable[
        [Mapping[str, str], Sequence[Routine], Real, Mapping[str, Sequence[str]]], dict[str, str]
    ]
    compiler: Tool


@dataclass(frozen=True)
class StridedKernel:
    """A kernel of a GPU for arrays in any regular layout.

    Its arguments are the number of states; then, for each array, the array, the distance between
    elements of a state, and the distance between states. Results that cannot be computed are NaN.

    Attributes:
        signature: inputs and outputs of the function, with values of run-time parameters instead of
            prepared parameters. The status is not an array of the kernel.
        symbol: name of the kernel.
        parts: rows of blocks.
        bytes: shared memory of a block that its start requests.
        threads: threads of a block.
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
    """A target language.

    Attributes:
        name: name in `--lang`, in the manifest and of the folder of templates.
        aliases: other spellings of the name.
        layout: order of matrix elements in memory, as the manifest names it.
        first_index: index of the first element of an array.
        words: owner -> words in lower case that the prefix of public names must not be, for example
            the reserved words of C.
        symbol: (prefix, function) -> name of the kernel of a function.
        constant: (prefix, parameter) -> name of the constant that holds the index of a run-time
            parameter.
        kernel_path: path of the file that contains a kernel, relative to the output folder.
        print_kernels: prints the files that contain kernels and the files that these include. The
            same package always gives the same bytes.
        spelling: syntax of the language for the example and the golden test.
        readme_values: values that only the README template of this language uses.
        print_build: prints the files with which tools build or run kernels and programs. The
            argument lists the paths of the programs, the example first.
        toolchain: compiles and loads the source files.
        print_loops: prints files that declare routines without a loop and define routines with one,
            which call them. None if the toolchain itself runs a kernel on many states.
        ufunc_module: makes ufuncs of kernels in C. None if kernels are wrapped in Python.
        print_ffi_library: prints the files of a library whose functions XLA calls, path -> text.
            The arguments are the arguments of `UfuncModule.print_module` except the help texts.
            None if the language has no such library.
        print_torch_library: the same of a library with operators of PyTorch.
        print_strided: prints kernels of a GPU for arrays in any regular layout, as one text, and
            returns them. None if the language is not for GPUs.
        cores_path: path of the file with a kernel on several cores; may be empty.
            None if the language does not support cores.
        threads: toolchain that runs each core on a thread of its own.
        batch_path: path of the file with a batch kernel; may be empty. None if the
            language does not support batches.
        always: switches among the settings that the language always sets.
        trig: methods by which the language computes sines and cosines.
        headers: suffixes of files that kernels include.
        one_file: whether the language leaves no choice between one file for all kernels and a file
            for each.
        freestanding: whether kernels run without an operating system, so that their code and stack
            can be measured.
        is_sized: whether code size, stack and compile time of kernels are estimated.
    """

    name: str
    aliases: tuple[str, ...]
    layout: str
    first_index: int
    words: Mapping[str, frozenset[str]]
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
        """Return whether a path is one of `kernel_paths` or a header: the compiler needs it."""
        return path in kernel_paths or path.endswith(self.headers)


def load_package(
    language: Language, package: Package, files: Iterable[SourceFile]
) -> dict[str, CompiledKernel]:
    """Compile and load the kernels of a package.

    Args:
        language: language of the files.
        package: kernels to load.
        files: all files that were printed for the package.

    Returns:
        A mapping from function names to compiled kernels. A batch kernel has `_batch` appended to
            its name, a kernel on several cores `_cores`.

    Raises:
        ToolchainError: a compiler or interpreter is not installed, or rejects the source.
    """
    return load_kernels(language, *collect_kernel_sources(language, package, files), package.real)


def collect_kernel_sources(
    language: Language, package: Package, files: Iterable[SourceFile]
) -> tuple[dict[str, str], list[Routine]]:
    """Return the files to compile for a package, path -> text, and the kernels that they define.

    Args:
        language: language of the files.
        package: package whose kernels are to be compiled.
        files: all files that were printed for the package.
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

    Loops over states are printed and compiled too if the toolchain cannot run many states
    otherwise.

    Args:
        language: language of the files.
        files: path -> text of the files that contain kernels, and of the files that they include.
        routines: the kernels; their programs are not needed.
        real: type of their numbers.
        optimise: whether to compile for speed of many calls instead of a short compile time.

    Returns:
        Name of the function -> kernel. A batch kernel has `_batch` appended to its name, a kernel
            on several cores `_cores`.

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
