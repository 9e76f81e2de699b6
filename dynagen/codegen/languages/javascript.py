"""JavaScript: one ES module for browsers and node, whose functions fill typed arrays.

Routine -> JavaScript: its statements, and how it is called.

JavaScript: one ES module.

The files that come with a JavaScript module: package.json, an example, and a golden test.

JavaScript: one ES module for browsers and node, whose functions fill typed arrays.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from dynagen.codegen import documentation
from dynagen.codegen.examples import Spelling, bracketed, bracketed_rows
from dynagen.codegen.language import Language
from dynagen.codegen.naming import module_constant, module_symbol
from dynagen.codegen.package import Kernel, Package, SourceFile
from dynagen.codegen.printing import Paragraph, Printer, break_line
from dynagen.codegen.routine import Routine
from dynagen.codegen.templating import fill
from dynagen.ir.program import STATUS, Element, Operation
from dynagen.ir.statements import Store
from dynagen.ir.symbols import Symbol
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import DOUBLE, FLOAT, Real
from dynagen.toolchain.commands import Tool
from dynagen.toolchain.interpreted import NodeModule

_INDENT = "  "
ARRAYS = {DOUBLE: "Float64Array", FLOAT: "Float32Array"}
"""The typed array of a real type."""
# ECMAScript 2024, section 12.7.2, in strict mode as modules are, and what global names a kernel would hide.
_WORDS = """
    arguments as async await break case catch class const continue debugger default delete do else enum eval export extends
    false finally for from function get if implements import in infinity instanceof interface let meta nan new null of package
    private protected public return set static super switch target this throw true try typeof undefined var void while with
    yield
"""
# A prefix is the name of a module too, beside which programs call these.
WORDS = {"JavaScript": frozenset({*_WORDS.split(), "console", "process"})}
RESERVED = frozenset({*WORDS["JavaScript"], "math", "fround"})
"""Names that nothing else may have."""
_FUNCTIONS = {
    Operation.SINE: "Math.sin",
    Operation.COSINE: "Math.cos",
    Operation.SQRT: "Math.sqrt",
    Operation.ABSOLUTE: "Math.abs",
    Operation.SIGN: "Math.sign",
    Operation.HYPERBOLIC_TANGENT: "Math.tanh",
    Operation.EXPONENTIAL: "Math.exp",
    Operation.MINIMUM: "Math.min",
    Operation.MAXIMUM: "Math.max",
}


class JavaScriptPrinter(Printer):
    """Prints a routine as JavaScript, which computes in double: float is every result rounded to it; names may be `taken`.

    The product, sum, quotient or square root of floats, computed in double and then rounded, is what float arithmetic gives
    (S. A. Figueroa, "When is double rounding innocuous?", SIGNUM Newsletter 30(3), 1995).
    """

    aliasing = True

    def __init__(self, routine: Routine, real: Real, *taken: str) -> None:
        super().__init__(routine, real, RESERVED.union(taken))
        self.rounding = "fround" if real is FLOAT else ""
        self.numbers = frozenset(
            argument.name for argument in self.signature.inputs if not argument.shape
        )

    def literal(self, value: Exact) -> str:
        """The shortest decimal that reads back, as double, as the number of the routine's type."""
        return repr(float(self.real.nearest(value)))

    def element(self, element: Element) -> str:
        """An element of a flat array, or an input that is a number."""
        if element.argument in self.numbers:
            return self.names[element.argument]
        return f"{self.names[element.argument]}[{element.index}]"

    def function(self, operation: Operation) -> str:
        """A function of Math; its sign, minimum and maximum keep NaN."""
        return _FUNCTIONS[operation]

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """A constant of its own."""
        yield from break_line(f"{_INDENT}const {name} = {expression};", 2 * _INDENT)

    def statuses(self) -> list[str]:
        """The lines that say whether all went well, and return that; none if nothing can fail."""
        status, name = self.status(), self.names.get(STATUS)
        return (
            []
            if status is None
            else [f"{_INDENT}const {name} = {status} > 0 ? 0 : 1;", f"{_INDENT}return {name};"]
        )

    def store(self, store: Store) -> Iterator[str]:
        """An assignment to an element of a result."""
        yield from break_line(
            f"{_INDENT}{self.element(store.place)} = {self.expression(store.value)};", 2 * _INDENT
        )

    def conversions(self) -> list[str]:
        """Lines that make numbers of the inputs that are numbers, which callers may have in arrays of one, or rounds them."""
        names = [
            self.names[argument.name]
            for argument in self.signature.inputs
            if argument.name in self.numbers
        ]
        return [
            f"{_INDENT}{name} = {f'{self.rounding}({name})' if self.rounding else f'+{name}'};"
            for name in names
        ]

    def parameters(self) -> list[str]:
        """Legal names of what the function takes."""
        return [
            self.names[argument.name]
            for argument in self.signature.arguments
            if not argument.is_status
        ]


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


# The names that the template of the golden test uses.
_TAKEN = ("wrong", "states", "k", "table", "count_wrong")


def spelling(package: Package) -> Spelling:
    """Return how JavaScript writes the programs of a package."""
    return Spelling(
        "mjs",
        reserved=(*RESERVED, *_TAKEN, package.prefix),
        values={
            "array": ARRAYS[package.real],
            "row": partial(bracketed, indent=_INDENT),
            "rows": partial(bracketed_rows, indent=_INDENT),
        },
    )


def readme_values(package: Package) -> dict[str, Any]:
    """Return whether a function has an input that is one number."""
    return {
        "has_numbers": any(
            not argument.shape for each in package.kernels for argument in each.program.inputs
        )
    }


def print_build(package: Package, programs: Sequence[str]) -> tuple[SourceFile, ...]:
    """Print package.json, by which the folder is a package for npm and its files are ES modules for node."""
    content = {
        "name": package.prefix.lower(),
        "private": True,
        "type": "module",
        "exports": f"./{package.prefix}.js",
        "sideEffects": False,
    }
    _, *tests = programs
    scripts = {"scripts": {"test": " && ".join(f"node {test}" for test in tests)}} if tests else {}
    return (SourceFile("package.json", json.dumps(content | scripts, indent=2) + "\n"),)


JAVASCRIPT = Language(
    name="javascript",
    aliases=("js", "es"),
    layout="row-major",
    first_index=0,
    words=WORDS,
    symbol=module_symbol,
    constant=module_constant,
    kernel_path=kernel_path,
    print_kernels=print_kernels,
    spelling=spelling,
    readme_values=readme_values,
    print_build=print_build,
    toolchain=NodeModule(Tool("JavaScript interpreter", "NODE", ("node", "nodejs"), "nodejs")),
)
