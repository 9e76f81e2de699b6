"""Source files of a language -> callable kernels, each of which takes many states in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dynagen.languages.language import Language
from dynagen.languages.package import Package, SourceFile
from dynagen.languages.routine import Cores, Routine, over_cores, over_lanes, over_states
from dynagen.numbers.real import Real
from dynagen.toolchain.kernel import CompiledKernel


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
