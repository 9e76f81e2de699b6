"""Source files of a language -> callable kernels, each of which takes many states in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dynagen.ir.program import Signature
from dynagen.languages.language import Language
from dynagen.languages.package import Package, SourceFile
from dynagen.languages.routine import Routine, over_states
from dynagen.real import Real
from dynagen.toolchain.kernel import CompiledKernel


def load_package(language: Language, package: Package, files: Iterable[SourceFile]) -> dict[str, CompiledKernel]:
    """Compile and load the kernels of a package, by name of their function, from all files that were made of it.

    Raises:
        ToolchainError: a compiler or interpreter is missing, or refuses the source.
    """
    return load_kernels(language, *kernel_sources(language, package, files), package.real)


def kernel_sources(
    language: Language, package: Package, files: Iterable[SourceFile]
) -> tuple[dict[str, str], dict[str, Signature]]:
    """Of all files of a package those that kernels are compiled from, path -> text, and the kernels' arguments by symbol."""
    paths = {language.kernel_path(package, kernel) for kernel in package.kernels}
    sources = {file.path: file.text for file in files if language.compiles(file.path, paths)}
    symbols = {language.symbol(package.prefix, kernel.function): kernel.program.signature for kernel in package.kernels}
    return sources, symbols


def load_kernels(
    language: Language, files: Mapping[str, str], signatures: Mapping[str, Signature], real: Real, optimise: bool = False
) -> dict[str, CompiledKernel]:
    """Compile and load kernels, in loops over states where the language has no other way to run many.

    Args:
        language: of the files.
        files: path -> text of the files that kernels are in, and of what they include.
        signatures: by symbol.
        real: type of its numbers.
        optimise: whether to compile for many calls, rather than in a short time.

    Returns:
        Name of the function -> kernel.

    Raises:
        ToolchainError: a compiler or interpreter is missing, or refuses the source.
    """
    routines = [Routine(symbol, signature) for symbol, signature in signatures.items()]
    if language.print_loops is not None:
        loops = [over_states(kernel, f"states_of_kernel_{place}") for place, kernel in enumerate(routines)]
        file = language.print_loops([*routines, *loops], real)
        routines, files = loops, {**files, file.path: file.text}
    return language.toolchain.load(files, {routine.symbol: routine.signature for routine in routines}, real, optimise)
