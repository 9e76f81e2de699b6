"""Package -> every file that is delivered: kernels, the programs around them, README and manifest."""

from __future__ import annotations

from collections.abc import Iterator

from dynagen.delivery.golden import golden_kernels
from dynagen.delivery.manifest import with_manifest
from dynagen.delivery.readme import readme
from dynagen.languages.documentation import package_values
from dynagen.languages.language import Language
from dynagen.languages.package import Package, SourceFile
from dynagen.languages.programs import example_call, golden_test
from dynagen.languages.templating import fill


def assemble(package: Package, language: Language) -> tuple[SourceFile, ...]:
    """Print all files, the manifest last; the same package always gives the same bytes.

    Raises:
        UsageError: a name or a number of the package is beyond what the language can write, or a kernel has no value at one of
            the golden states.
    """
    programs = tuple(_programs(package, language))
    build = language.print_build(package, [program.path for program in programs])
    files = (*language.print_kernels(package), *programs, *build, readme(package, language))
    return with_manifest(package, language, files)


def _programs(package: Package, language: Language) -> Iterator[SourceFile]:
    """Print the example, and the golden test if there are golden vectors."""
    spelling = language.spelling(package)
    values = package_values(package, language.constant, language.first_index) | dict(
        spelling.values
    )
    templates = {
        name: f"{language.name}/{name}.{spelling.suffix}.j2" for name in ("example", "golden")
    }
    text = fill(templates["example"], call=example_call(package, spelling), **values)
    yield SourceFile(f"example/{package.prefix}_example.{spelling.suffix}", text)
    if kernels := tuple(golden_kernels(package)):
        text = fill(
            templates["golden"], test=golden_test(kernels, spelling, package.real), **values
        )
        yield SourceFile(f"test/{package.prefix}_golden.{spelling.suffix}", text)
