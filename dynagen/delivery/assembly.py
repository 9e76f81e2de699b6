"""Package -> every file that is delivered: kernels, the programs around them, README and manifest."""

from __future__ import annotations

from dynagen.delivery.golden import golden_kernels
from dynagen.delivery.manifest import with_manifest
from dynagen.delivery.readme import readme
from dynagen.languages.language import Language
from dynagen.languages.package import Package, SourceFile


def assemble(package: Package, language: Language) -> tuple[SourceFile, ...]:
    """All files, the manifest last; the same package always gives the same bytes.

    Raises:
        UsageError: a name or a number of the package is beyond what the language can write, or a kernel has no value at one of
            the golden states.
    """
    programs = language.print_programs(package, golden_kernels(package))
    return with_manifest(
        package, language, (*language.print_kernels(package), *programs, readme(package, language))
    )
