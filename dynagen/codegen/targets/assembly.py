"""Delivered files of a package: kernels, example, golden test, build files, README and manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any

from dynagen.codegen.documentation import collect_package_values, describe_proof, list_joint_rows
from dynagen.codegen.examples import make_example_call, make_golden_test
from dynagen.codegen.language import Language
from dynagen.codegen.naming import make_plain_text
from dynagen.codegen.package import VECTOR, Package, SourceFile
from dynagen.codegen.size import COMPILER, Size, measure_kernel_size
from dynagen.codegen.targets.golden import make_golden_kernels
from dynagen.codegen.targets.manifest import add_manifest
from dynagen.codegen.templating import fill

_WIDTH = 120


def print_readme(
    package: Package,
    language: Language,
    template: str = "",
    more: Mapping[str, Any] | None = None,
) -> SourceFile:
    """Return the README of a delivered folder: use, operation counts and verification of kernels.

    Args:
        package: delivered kernels.
        language: language of the kernels.
        template: path of the README's template; if empty, the language's README template.
        more: further values for the template, by name.
    """
    sizes, spelling = _sizes(package, language), language.spelling(package)
    text = fill(
        template or f"{language.name}/README.md.j2",
        robot=make_plain_text(package.robot),
        **collect_package_values(package, language.constant, language.first_index),
        source=make_plain_text(package.source),
        gravity=make_plain_text(package.gravity),
        kernels=[
            (
                language.symbol(package.prefix, kernel.function),
                make_plain_text(kernel.summary),
                kernel.operations,
            )
            for kernel in package.kernels
        ],
        facts=[(label, make_plain_text(text)) for label, text in package.facts],
        proof=describe_proof(package),
        references=_references(package),
        rule="\n".join(wrap(package.proof.rule, _WIDTH)) if package.proof else "",
        joints=list_joint_rows(package, language.first_index),
        base=[" ".join(map(make_plain_text, each.formula.split())) for each in package.base],
        sizes=sizes,
        segments=any(size.segments > 1 for _, size in sizes),
        in_steps=package.trig == VECTOR,
        compiler=COMPILER,
        longest=package.longest,
        call=make_example_call(package, spelling),
        **spelling.values,
        **language.readme_values(package),
        **(more or {}),
    )
    return SourceFile("README.md", text)


def _sizes(package: Package, language: Language) -> list[tuple[str, Size]]:
    """Return the symbol and size of every kernel; empty if the language has no size estimates."""
    kernels = package.kernels if language.is_sized else ()
    return [
        (language.symbol(package.prefix, kernel.function), measure_kernel_size(package, kernel))
        for kernel in kernels
    ]


def _references(package: Package) -> str:
    """Return the names of the references (independent computations) of the proof, as text.

    Kernels with the same references are not listed separately. Without a proof, the text is empty.
    """
    if package.proof is None:
        return ""
    kinds = dict.fromkeys(kernel.references for kernel in package.kernels if kernel.references)
    return "; ".join(" and ".join(map(make_plain_text, kind)) for kind in kinds)


def assemble(package: Package, language: Language) -> tuple[SourceFile, ...]:
    """Return all files of a delivered folder, the manifest last.

    The files are kernels, example program, golden test (with stored correct results), build files,
    README and manifest. The files of equal packages are equal to the last byte.

    Raises:
        UsageError: the language does not allow a name or number of the package, or a kernel has no
            finite value in any state of the golden test.
    """
    # Build files list the programs, hence these come first.
    programs = tuple(_programs(package, language))
    build = language.print_build(package, [program.path for program in programs])
    files = (*language.print_kernels(package), *programs, *build, print_readme(package, language))
    return add_manifest(package, language, files)


def print_example(
    package: Package, language: Language, path: str, template: str = ""
) -> SourceFile:
    """Return the file of an example program that calls one function.

    Args:
        package: delivered kernels.
        language: language of the kernels.
        path: path of the file in the output folder.
        template: path of the example's template; if empty, the language's example template.
    """
    spelling = language.spelling(package)
    text = fill(
        template or f"{language.name}/example.{spelling.suffix}.j2",
        call=make_example_call(package, spelling),
        **collect_package_values(package, language.constant, language.first_index),
        **spelling.values,
    )
    return SourceFile(path, text)


def _programs(package: Package, language: Language) -> Iterator[SourceFile]:
    """Yield the example program and, if the package has states for it, the golden test."""
    spelling = language.spelling(package)
    example, test = spelling.folders
    yield print_example(package, language, f"{example}/{package.prefix}_example.{spelling.suffix}")
    if kernels := make_golden_kernels(package):
        text = fill(
            f"{language.name}/golden.{spelling.suffix}.j2",
            test=make_golden_test(kernels, spelling, package.real),
            **collect_package_values(package, language.constant, language.first_index),
            **spelling.values,
        )
        yield SourceFile(f"{test}/{package.prefix}_golden.{spelling.suffix}", text)
