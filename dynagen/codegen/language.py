"""Language: the description of a target language; source files -> callable kernels.

Language: all that the program knows of a target language, as one object.

Source files of a language -> callable kernels, each of which takes many states in one call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynagen.codegen.examples import Spelling
from dynagen.codegen.package import LIBM, Kernel, Package, SourceFile
from dynagen.codegen.routine import Cores, Routine, over_cores, over_lanes, over_states
from dynagen.numbers.real import Real
from dynagen.toolchain.commands import Tool
from dynagen.toolchain.kernel import CompiledKernel, Toolchain
from dynagen.toolchain.shared_library import SharedLibrary


@dataclass(frozen=True)
class Extension:
    """How a language makes of its kernels NumPy generalized ufuncs in a compiled Python module.

    Attributes:
        print_module: all files that it is compiled from, path -> text, given those of the kernels, the kernels, the type of
            their numbers, and the lines that help shows of each function.
        compiler: of these files.
    """

    print_module: Callable[
        [Mapping[str, str], Sequence[Routine], Real, Mapping[str, Sequence[str]]], dict[str, str]
    ]
    compiler: Tool


@dataclass(frozen=True)
class Language:
    """A target language.

    Attributes:
        name: as in `--lang`, the manifest and the folder of templates.
        aliases: other spellings of the name.
        layout: how matrices lie in memory, as the manifest says it.
        first_index: of the language's arrays.
        words: whose words the prefix of public names must not be -> those words, in lower case.
        symbol: (prefix, function) -> what the kernel of a function is called.
        constant: (prefix, parameter) -> name of the constant that tells the index of a run-time parameter.
        kernel_path: the file that a kernel is in, relative to the output folder.
        print_kernels: the files that kernels are in, and those that they include; the same package gives the same bytes.
        spelling: how it writes the example and the golden test of a package.
        readme_values: what only the language's README template places.
        print_build: files by which tools build or run kernels and programs, given the paths of the programs, example first.
        toolchain: what makes its source callable here.
        print_loops: files that declare routines without a loop and define those with one, which call them; None if the
            toolchain runs kernels on many states as they are.
        extension: how its kernels become ufuncs; None if they are wrapped in Python.
        cores_path: the file that a kernel on several cores is in, empty if there is none; None where there never are.
        threads: what makes those callable here, each core on a thread of its own.
        batch_path: the file that a kernel over lanes is in, empty if the package has none of it; None where there never are.
        trig: the methods by which it can compute sines and cosines of one state; over lanes all languages have all of them.
        headers: suffixes of files that kernels include.
        one_file: whether all kernels are in one file anyway, so that nobody need ask for it.
        freestanding: whether kernels run on a bare machine, so that their footprint there can be measured.
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
    extension: Extension | None = None
    batch_path: Callable[[Package, Kernel], str] | None = None
    cores_path: Callable[[Package, Kernel], str] | None = None
    threads: Toolchain | None = None
    trig: tuple[str, ...] = (LIBM,)
    headers: tuple[str, ...] = ()
    one_file: bool = True
    freestanding: bool = False

    @property
    def is_compiled(self) -> bool:
        """Whether a compiler makes machine code of kernels, so that one can say what to expect of it."""
        return isinstance(self.toolchain, SharedLibrary)

    def compiles(self, path: str, kernel_paths: Collection[str]) -> bool:
        """Whether a delivered file is one of those that these kernels are compiled from."""
        return path in kernel_paths or path.endswith(self.headers)


def load_package(
    language: Language, package: Package, files: Iterable[SourceFile]
) -> dict[str, CompiledKernel]:
    """Compile and load the kernels of a package, from all files that were made of it.

    Returns:
        Name of the function -> kernel; what runs over lanes has `_batch` behind the name, what runs on several cores `_cores`.

    Raises:
        ToolchainError: a compiler or interpreter is missing, or refuses the source.
    """
    return load_kernels(language, *kernel_sources(language, package, files), package.real)


def kernel_sources(
    language: Language, package: Package, files: Iterable[SourceFile]
) -> tuple[dict[str, str], list[Routine]]:
    """The files of a package that kernels are compiled from, path -> text, and the kernels that are in them."""
    routines, paths = [], set()
    for kernel in package.kernels:
        paths.add(language.kernel_path(package, kernel))
        one_state = Routine(
            language.symbol(package.prefix, kernel.function), kernel.program.signature
        )
        routines.append(one_state)
        if language.batch_path and (path := language.batch_path(package, kernel)):
            paths.add(path)
            routines.append(over_lanes(one_state))
        if (
            kernel.partition
            and language.cores_path
            and (path := language.cores_path(package, kernel))
        ):
            paths.add(path)
            routines.append(
                over_cores(one_state, Cores(len(kernel.partition.cores), package.prefix))
            )
    return {file.path: file.text for file in files if language.compiles(file.path, paths)}, routines


def load_kernels(
    language: Language,
    files: Mapping[str, str],
    routines: Sequence[Routine],
    real: Real,
    optimise: bool = False,
) -> dict[str, CompiledKernel]:
    """Compile and load kernels, in loops over states where the language cannot run many otherwise.

    Args:
        language: of the files.
        files: path -> text of the files that kernels are in, and of what they include.
        routines: the kernels, without what they compute.
        real: type of its numbers.
        optimise: whether to compile for many calls, rather than in a short time.

    Returns:
        As `load_package`.

    Raises:
        ToolchainError: a compiler or interpreter is missing, or refuses the source.
    """
    toolchain = language.toolchain
    if language.threads and any(isinstance(each.loop, Cores) for each in routines):
        toolchain = language.threads
    if language.print_loops is not None:
        loops = [
            over_states(kernel, f"states_of_kernel_{place}")
            for place, kernel in enumerate(routines)
        ]
        more = {file.path: file.text for file in language.print_loops([*routines, *loops], real)}
        routines, files = loops, {**files, **more}
    return toolchain.load(
        files, {routine.symbol: routine.signature for routine in routines}, real, optimise
    )
