"""UfuncSource: what ufuncs are compiled from, which is all that another process needs to have the same."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from dynagen.ir.interface import PARAMS, PREPARE
from dynagen.ir.program import Signature
from dynagen.languages import find_language
from dynagen.languages.language import Extension
from dynagen.languages.loading import kernel_sources, load_kernels
from dynagen.languages.package import Package, SourceFile
from dynagen.languages.routine import Routine
from dynagen.real import Real
from dynagen.toolchain.extension import load_module, unavailable_because
from dynagen.toolchain.kernel import taking_values
from dynagen.ufuncs.broadcasting import Call, broadcasting, preparing

_MODULES = 256  # that a process keeps the functions of; it cannot unload them anyway


@dataclass(frozen=True)
class UfuncSource:
    """Generated kernels before they are compiled.

    Attributes:
        language: its name.
        files: path and text of those that kernels are in, and of what they include.
        routines: the kernels in them; the one that prepares run-time parameters is among them.
        real: type of their numbers.
    """

    language: str
    files: tuple[tuple[str, str], ...]
    routines: tuple[Routine, ...]
    real: Real

    @property
    def signatures(self) -> dict[str, Signature]:
        """The signatures of the ufuncs, by name: values of run-time parameters, not what is prepared of them."""
        kernels = {routine.signature.name: routine.signature for routine in self.routines if routine.loop is None}
        return {
            name: taking_values(each, kernels[PREPARE]) if each.inputs[-1].name == PARAMS else each
            for name, each in kernels.items()
        }

    @property
    def digest(self) -> str:
        """Tells sources apart."""
        return sha256(repr((self.language, self.files, self.routines, self.real.name)).encode()).hexdigest()

    def module_files(self, extension: Extension, help_lines: Mapping[str, Sequence[str]] | None = None) -> dict[str, str]:
        """The files that the compiled module is made of, path -> text.

        Args:
            extension: of the language.
            help_lines: what `help` shows, by function; its arguments alone if there is nothing else.
        """
        return extension.print_module(dict(self.files), self.routines, self.real, help_lines or {})


def source_of(language: str, package: Package, files: tuple[SourceFile, ...]) -> UfuncSource:
    """The kernels of a package, from all files that were made of it."""
    sources, routines = kernel_sources(find_language(language), package, files)
    return UfuncSource(language, tuple(sources.items()), tuple(routines), package.real)


@lru_cache(maxsize=_MODULES)
def load_calls(source: UfuncSource) -> Mapping[str, Call]:
    """The functions of a source, by name: from the cache of compiled modules, or compiled.

    Raises:
        ToolchainError: a compiler or interpreter is missing, or refuses the source.
    """
    language = find_language(source.language)
    if language.extension is not None:
        reason = unavailable_because(language.extension.compiler)
        if reason is None:
            module = load_module(language.extension.compiler, source.module_files(language.extension))
            return {name: getattr(module, name) for name in source.signatures}
        warnings.warn(f"{reason}. Until then calls go through cffi, and take longer for few states", stacklevel=2)
    kernels = load_kernels(language, dict(source.files), source.routines, source.real, optimise=True)
    return {
        name: broadcasting(preparing(kernel, kernels[PREPARE]) if kernel.signature.inputs[-1].name == PARAMS else kernel)
        for name, kernel in kernels.items()
    }
