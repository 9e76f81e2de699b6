"""Source files of a language -> callable kernels, each of which takes many states in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dynagen.languages.language import Language
from dynagen.languages.package import Package, SourceFile
from dynagen.languages.routine import Routine, over_lanes, over_states
from dynagen.real import Real
from dynagen.toolchain.kernel import CompiledKernel


def load_package(language: Language, package: Package, files: Iterable[SourceFile]) -> dict[str, CompiledKernel]:
    """Compile and load the kernels of a package, from all files that were made of it.

    Returns:
        Name of the function -> kernel; what runs over lanes has `_batch` behind the name.

    Raises:
        ToolchainError: a compiler or interpreter is missing, or refuses the source.
    """
    return load_kernels(language, *kernel_sources(language, package, files), package.real)


def kernel_sources(language: Language, package: Package, files: Iterable[SourceFile]) -> tuple[dict[str, str], list[Routine]]:
    """Of all files of a package those that kernels are compiled from, path -> text, and the kernels that are in them."""
    routines, paths = [], set()
    for kernel in package.kernels:
        paths.add(language.kernel_path(package, kernel))
        one_state = Routine(language.symbol(package.prefix, kernel.function), kernel.program.signature)
        routines.append(one_state)
        if language.batch_path and (path := language.batch_path(package, kernel)):
            paths.add(path)
            routines.append(over_lanes(one_state))
    return {file.path: file.text for file in files if language.compiles(file.path, paths)}, routines


def load_kernels(
    language: Language, files: Mapping[str, str], routines: Sequence[Routine], real: Real, optimise: bool = False
) -> dict[str, CompiledKernel]:
    """Compile and load kernels, in loops over states where the language has no other way to run many.

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
    if language.print_loops is not None:
        loops = [over_states(kernel, f"states_of_kernel_{place}") for place, kernel in enumerate(routines)]
        file = language.print_loops([*routines, *loops], real)
        routines, files = loops, {**files, file.path: file.text}
    return language.toolchain.load(files, {routine.symbol: routine.signature for routine in routines}, real, optimise)
