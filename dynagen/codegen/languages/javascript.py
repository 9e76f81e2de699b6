"""JavaScript code: one ES module for browsers and Node.js, whose functions fill typed arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from dynagen.codegen import documentation
from dynagen.codegen.examples import Spelling, bracket, bracket_rows
from dynagen.codegen.language import Language
from dynagen.codegen.layouts import Conventions, lay_out_state
from dynagen.codegen.naming import name_constant_in_module, name_in_module, wrap_text
from dynagen.codegen.package import Kernel, Package, SourceFile
from dynagen.codegen.printing import (
    WIDTH,
    Paragraph,
    break_line,
    print_tables,
)
from dynagen.codegen.reserved_words import JAVASCRIPT_WORDS
from dynagen.codegen.templating import fill
from dynagen.codegen.tree import Fill, Function, Segment
from dynagen.codegen.writer import Writer
from dynagen.ir.program import Element, Operation
from dynagen.ir.statements import Expression
from dynagen.ir.symbols import Symbol
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import DOUBLE, FLOAT, Real
from dynagen.toolchain.commands import Tool
from dynagen.toolchain.interpreted import NodeModule

_INDENT = "  "
ARRAYS = {DOUBLE: "Float64Array", FLOAT: "Float32Array"}
"""Mapping from a number type to the name of JavaScript's class for arrays of this type."""
RESERVED = JAVASCRIPT_WORDS.union(["console", "process", "math", "fround"])
"""Names that arguments and values in generated JavaScript code must not have."""
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


CONVENTIONS = Conventions(RESERVED, aliasing=True)
LONGEST = 1500
"""Largest number of operations and stores in a function without segments.

V8 always interprets functions with over 60 kB of bytecode (`--max-optimized-bytecode-size`).
"""


class JavaScriptWriter(Writer):
    """Writer of JavaScript.

    JavaScript computes all numbers in double. For the type float, the result of every operation is
    rounded to float. A product, sum, quotient or square root of floats that is computed in double
    and then rounded equals the result of float arithmetic (Figueroa, "When is double rounding
    innocuous?", SIGNUM Newsletter 30(3), 1995).
    """

    indent = "  "

    def __init__(self, function: Function, real: Real) -> None:
        super().__init__(function, real)
        self.rounding = "fround" if real is FLOAT else ""
        self._kept = {name: place for place, name in enumerate(function.kept)}
        # Inputs of one number are numbers, not arrays.
        self.numbers = [each.name for each in function.signature.inputs if not each.shape]

    def print_literal(self, value: Exact) -> str:
        """Return a number as the shortest decimal that JavaScript reads as the same double.

        If the kernel computes in single precision (float), the number is first rounded to it.
        """
        # A float literal needs the digits of its value as double.
        return repr(float(self.real.round(value)))

    def print_element(self, element: Element) -> str:
        """Return the JavaScript text of an array element such as `q[2]`; a scalar has no index."""
        if element.argument in self.numbers:
            return element.argument
        return f"{element.argument}[{element.index}]"

    def name_function(self, operation: Operation) -> str:
        """Return the name of the JavaScript function (of `Math`) that computes an operation."""
        return _FUNCTIONS[operation]

    def print_name(self, name: str) -> str:
        """Return the JavaScript text of a value: a constant, or an element of an array.

        `name` is the value's name in the code tree, and the name of the constant. The array
        contains the values that one segment (part) of a long kernel assigns and another one reads.
        """
        place = self._kept.get(name)
        return name if place is None else f"{self.tree.keeper}[{place}]"

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Yield the JavaScript definition of a constant, or an assignment to an array element."""
        declared = "" if "[" in name else "const "
        yield from break_line(f"{self.indent}{declared}{name} = {expression};", 2 * self.indent)

    def store(self, place: Element, value: Expression) -> Iterator[str]:
        """Yield a JavaScript assignment of a value to an element of an output array."""
        yield from break_line(
            f"{self.indent}{self.print_element(place)} = {self.print_expression(value)};",
            2 * self.indent,
        )

    def fill(self, fill: Fill) -> Iterator[str]:
        """Yield a JavaScript call that stores one number in consecutive elements of an array."""
        value = self.print_expression(fill.value)
        yield f"{self.indent}{fill.array}.fill({value}, {fill.first}, {fill.last + 1});"

    def call_segment(self, segment: Segment) -> Iterator[str]:
        """Yield the JavaScript call of the function of a segment: a part of a long kernel."""
        passed = ", ".join(self.list_segment_parameters(segment))
        yield from break_line(
            f"{self.indent}{name_segment(self.tree, segment)}({passed});", 2 * self.indent
        )

    def list_segment_parameters(self, segment: Segment) -> list[str]:
        """Return the parameter names of the function of a segment (part of a kernel).

        The parameters are the arguments that the segment needs, and the array of values that
        segments share, if the segment needs this array.
        """
        return [*segment.arguments, *([self.tree.keeper] if segment.uses_kept else [])]

    def write_status_code(self, name: str, value: str) -> Iterator[str]:
        """Yield JavaScript lines that return the status: 0 if `value` is positive, else 1."""
        yield f"{self.indent}const {name} = {value} > 0 ? 0 : 1;"
        yield f"{self.indent}return {name};"

    def write_conversions(self) -> list[str]:
        """Return JavaScript lines that convert scalar inputs to numbers.

        Callers may pass a scalar input as an array of one number. For the type float, the lines
        also round the scalar inputs.
        """
        return [
            f"{self.indent}{name} = {f'{self.rounding}({name})' if self.rounding else f'+{name}'};"
            for name in self.numbers
        ]

    def list_parameters(self) -> list[str]:
        """Return the names of the JavaScript function's parameters: inputs, then results."""
        return [name for name in self.arguments if name != self.tree.status]


def name_segment(function: Function, segment: Segment) -> str:
    """Return the name of the JavaScript function for a segment (part) of a long kernel."""
    return f"{function.symbol}_segment_{segment.number}"


def choose_kernel_path(package: Package, kernel: Kernel) -> str:
    """Return the path, in the output folder, of the ES module, which contains all kernels."""
    return f"{package.prefix}.js"


def print_kernels(package: Package) -> tuple[SourceFile, ...]:
    """Return the file of the JavaScript (ES) module with all kernels of a package.

    A kernel that calls another function several times is printed as one function with all
    statements, because vectors between calls would have to be allocated.
    """
    # Inlined, so that no function allocates memory.
    package = replace(package, kernels=tuple(kernel.in_one for kernel in package.kernels))
    functions = [_function(package, kernel) for kernel in package.kernels]
    copies = dict.fromkeys(symbol for function in functions for symbol in function.copies)
    module = fill(
        "javascript/module.js.j2",
        **documentation.collect_package_values(package, name_constant_in_module, 0, " * "),
        symbols=documentation.format_comment(
            documentation.describe_symbols(package.kernels, *copies), " * "
        ),
        array=ARRAYS[package.real],
        rounds=package.real is FLOAT,
        functions=functions,
        tables=print_tables(package.operations, package.real),
    )
    return (SourceFile(f"{package.prefix}.js", module),)


@dataclass(frozen=True)
class _Segment:
    """JavaScript texts of a function that computes a part (segment) of a long kernel."""

    title: str
    name: str
    parameters: list[str]
    paragraphs: list[Paragraph]


@dataclass(frozen=True)
class _JavaScriptFunction:
    """JavaScript texts of a kernel, for the jinja2 template.

    `types` maps parameters to types, as documentation. `conversions` convert scalar inputs to
    numbers. `copies` explains the names of copies of input elements. The array `keeper` holds the
    `kept` values that segments share; `kept_lines` names them in the order of the array.
    """

    name: str
    summary: str
    arguments: str
    parameters: list[str]
    types: dict[str, str]
    conversions: list[str]
    can_fail: bool
    paragraphs: list[Paragraph]
    copies: tuple[Symbol, ...]
    segments: list[_Segment]
    keeper: str
    kept: int
    kept_lines: list[str]


def _function(package: Package, kernel: Kernel) -> _JavaScriptFunction:
    """Return the JavaScript texts of a kernel, for the jinja2 template."""
    function = lay_out_state(
        kernel.make_routine(kernel.function), CONVENTIONS, min(package.longest, LONGEST)
    )
    writer = JavaScriptWriter(function, package.real)
    return _JavaScriptFunction(
        name=kernel.function,
        summary=documentation.explain_kernel(package, kernel, " * "),
        arguments=documentation.comment_arguments(
            kernel.program.signature, " *   ", "returns", "a number"
        ),
        parameters=writer.list_parameters(),
        types={
            name: "number" if name in writer.numbers else ARRAYS[package.real]
            for name in writer.list_parameters()
        },
        conversions=writer.write_conversions(),
        can_fail=kernel.program.can_fail,
        paragraphs=writer.write_paragraphs(),
        copies=function.symbols,
        segments=[
            _Segment(
                segment.title,
                name_segment(function, segment),
                writer.list_segment_parameters(segment),
                writer.write_paragraphs(segment.sections),
            )
            for segment in function.segments
        ],
        keeper=function.keeper,
        kept=len(function.kept),
        kept_lines=wrap_text(", ".join(function.kept), WIDTH - len("//   ")),
    )


# Names that the template of the golden test uses.
_TAKEN = ("wrong", "states", "k", "table", "count_wrong")


def make_spelling(package: Package) -> Spelling:
    """Return the syntax of JavaScript for the templates of the example and of the golden test.

    The golden test is a program that compares results with stored correct results.
    """
    return Spelling(
        "mjs",
        reserved=(*RESERVED, *_TAKEN, package.prefix),
        values={
            "array": ARRAYS[package.real],
            "row": partial(bracket, indent=_INDENT),
            "rows": partial(bracket_rows, indent=_INDENT),
        },
    )


def collect_readme_values(package: Package) -> dict[str, Any]:
    """Return a named value for JavaScript's README template: whether any input is a scalar."""
    return {
        "has_numbers": any(
            not argument.shape for kernel in package.kernels for argument in kernel.program.inputs
        )
    }


def print_build(package: Package, programs: Sequence[str]) -> tuple[SourceFile, ...]:
    """Return package.json, which makes the folder an npm package of ES modules.

    `programs` are the paths of the example and the golden test; `npm test` runs the golden test.
    """
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
    symbol=name_in_module,
    constant=name_constant_in_module,
    kernel_path=choose_kernel_path,
    print_kernels=print_kernels,
    spelling=make_spelling,
    readme_values=collect_readme_values,
    print_build=print_build,
    toolchain=NodeModule(Tool("JavaScript interpreter", "NODE", ("node", "nodejs"), "nodejs")),
)
