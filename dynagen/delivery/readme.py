"""The README of a delivered folder, from the language's template."""

from __future__ import annotations

from textwrap import wrap

from dynagen.languages.comments import plain_text
from dynagen.languages.documentation import joint_rows, package_values, proof
from dynagen.languages.language import Language
from dynagen.languages.package import VECTOR, Package, SourceFile
from dynagen.languages.programs import example_call
from dynagen.languages.size import COMPILER, Size, kernel_size
from dynagen.languages.templating import fill

_WIDTH = 120


def readme(package: Package, language: Language) -> SourceFile:
    """The README of a folder: how to use what was generated, what it costs, how it was proved."""
    sizes, spelling = _sizes(package, language), language.spelling(package)
    text = fill(
        f"{language.name}/README.md.j2",
        robot=plain_text(package.robot),
        **package_values(package, language.constant, language.first_index),
        source=plain_text(package.source),
        gravity=plain_text(package.gravity),
        kernels=[
            (
                language.symbol(package.prefix, kernel.function),
                plain_text(kernel.summary),
                kernel.operations,
            )
            for kernel in package.kernels
        ],
        facts=[(label, plain_text(text)) for label, text in package.facts],
        proof=proof(package),
        references=_references(package),
        rule="\n".join(wrap(package.proof.rule, _WIDTH)) if package.proof else "",
        joints=joint_rows(package, language.first_index),
        base=[" ".join(map(plain_text, each.formula.split())) for each in package.base],
        sizes=sizes,
        segments=any(size.segments > 1 for _, size in sizes),
        in_steps=package.trig == VECTOR,
        compiler=COMPILER,
        longest=package.longest,
        call=example_call(package, spelling),
        **spelling.values,
        **language.readme_values(package),
    )
    return SourceFile("README.md", text)


def _sizes(package: Package, language: Language) -> list[tuple[str, Size]]:
    """The sizes of kernels, for a language that is compiled."""
    kernels = package.kernels if language.is_compiled else ()
    return [
        (language.symbol(package.prefix, kernel.function), kernel_size(package, kernel))
        for kernel in kernels
    ]


def _references(package: Package) -> str:
    """The references that the kernels are proved against, those of the same kind once."""
    if package.proof is None:
        return ""
    kinds = dict.fromkeys(kernel.references for kernel in package.kernels if kernel.references)
    return "; ".join(" and ".join(map(plain_text, kind)) for kind in kinds)
