"""JavaScript: one ES module."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dynagen.ir.symbols import Symbol
from dynagen.languages import documentation
from dynagen.languages.javascript.printer import ARRAYS, JavaScriptPrinter
from dynagen.languages.naming import module_constant
from dynagen.languages.package import Kernel, Package, SourceFile
from dynagen.languages.printing import Paragraph
from dynagen.languages.templating import fill
from dynagen.numbers.real import FLOAT


def kernel_path(package: Package, kernel: Kernel) -> str:
    """All kernels are in one module."""
    return f"{package.prefix}.js"


def print_kernels(package: Package) -> tuple[SourceFile, ...]:
    """The module; kernels that call others are printed in one, as vectors between calls would have to be allocated."""
    package = replace(package, kernels=tuple(kernel.in_one for kernel in package.kernels))
    functions = [_function(package, kernel) for kernel in package.kernels]
    copies = dict.fromkeys(symbol for function in functions for symbol in function.copies)
    module = fill(
        "javascript/module.js.j2",
        **documentation.package_values(package, module_constant, 0, " * "),
        symbols=documentation.comment_block(
            documentation.symbol_lines(package.kernels, *copies), " * "
        ),
        array=ARRAYS[package.real],
        rounds=package.real is FLOAT,
        functions=functions,
    )
    return (SourceFile(f"{package.prefix}.js", module),)


@dataclass(frozen=True)
class _JavaScriptFunction:
    """A kernel as the templates see it."""

    name: str
    summary: str
    arguments: str
    parameters: list[str]
    types: dict[str, str]
    conversions: list[str]
    can_fail: bool
    paragraphs: list[Paragraph]
    copies: tuple[Symbol, ...]


def _function(package: Package, kernel: Kernel) -> _JavaScriptFunction:
    printer = JavaScriptPrinter(kernel.routine(kernel.function), package.real)
    numbers = {printer.names[name] for name in printer.numbers}
    return _JavaScriptFunction(
        name=kernel.function,
        summary=documentation.explained(package, kernel, " * "),
        arguments=documentation.argument_block(
            kernel.program.signature, " *   ", "returns", "a number"
        ),
        parameters=printer.parameters(),
        types={
            name: "number" if name in numbers else ARRAYS[package.real]
            for name in printer.parameters()
        },
        conversions=printer.conversions(),
        can_fail=kernel.program.can_fail,
        paragraphs=printer.whole(),
        copies=tuple(printer.copies),
    )
