"""What comes with a JavaScript module: package.json, an example, whose call the README shows, and a golden test."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from dynagen.languages.comments import plain_text
from dynagen.languages.documentation import origin
from dynagen.languages.javascript.printer import ARRAYS, RESERVED, JavaScriptPrinter
from dynagen.languages.naming import module_constant
from dynagen.languages.package import GoldenKernel, Package, Rows, SourceFile
from dynagen.languages.parameters import parameter_constants
from dynagen.languages.printing import decimal_of
from dynagen.languages.programs import Check, InputTable, golden_test, row_text, rows_text, start
from dynagen.languages.routine import Routine
from dynagen.languages.templating import fill
from dynagen.numbers.real import Real

# What the template of the golden test has already named.
_TAKEN = ("wrong", "states", "k", "table", "count_wrong")
_INDENT = "  "


@dataclass(frozen=True)
class _Check:
    """The check of a kernel as the template sees it.

    Attributes:
        tables: what it expects and allows: declarations.
        arrays: that it fills: name and size.
        call: its text.
        statuses: name of the statuses that it expects; empty if it cannot fail.
        outputs: names of what is computed, expected and allowed.
    """

    summary: str
    tables: list[str]
    arrays: list[tuple[str, int]]
    call: str
    statuses: str
    outputs: list[tuple[str, str, str]]


def print_programs(package: Package, golden: Iterable[GoldenKernel]) -> tuple[SourceFile, ...]:
    """package.json, an example, and a golden test if there are golden vectors.

    Args:
        package: what is generated.
        golden: what every kernel has to return.
    """
    kernels = list(golden)
    tests = [_golden_test(package, kernels)] if kernels else []
    return (_package_file(package, tests), _example(package), *tests)


def readme_values(package: Package) -> dict[str, Any]:
    """The call that the README shows."""
    return {
        "call": _call(package),
        "array": ARRAYS[package.real],
        "has_numbers": any(
            not argument.shape for each in package.kernels for argument in each.program.inputs
        ),
    }


def _package_file(package: Package, tests: Sequence[SourceFile]) -> SourceFile:
    """package.json, which makes the folder a package of npm's, and tells node that its files are ES modules."""
    name = f"{package.prefix}.js"
    content = {
        "name": package.prefix.lower(),
        "private": True,
        "type": "module",
        "exports": f"./{name}",
        "sideEffects": False,
    }
    scripts = (
        {"scripts": {"test": " && ".join(f"node {test.path}" for test in tests)}} if tests else {}
    )
    return SourceFile("package.json", json.dumps(content | scripts, indent=2) + "\n")


def _call(package: Package) -> list[str]:
    """A call of one function at rest; run-time parameters have been prepared before."""
    return _shown(package).example(package.prefix, partial(start, package))


def _shown(package: Package) -> JavaScriptPrinter:
    """The printer of the function that examples call, beside the module that has the prefix's name."""
    kernel = package.kernels[package.shown]
    return JavaScriptPrinter(
        Routine(kernel.function, kernel.program.signature), package.real, package.prefix
    )


def _example(package: Package) -> SourceFile:
    """A program that calls one function at rest; run-time parameters have their defaults."""
    kernel, printer = package.kernels[package.shown], _shown(package)
    text = fill(
        "javascript/example.mjs.j2",
        prefix=package.prefix,
        origin=origin(package),
        function=kernel.function,
        array=ARRAYS[package.real],
        parameters=parameter_constants(package, module_constant, 0),
        call=_call(package),
        can_fail=kernel.program.can_fail,
        outputs=[printer.names[output.argument.name] for output in kernel.program.results],
    )
    return SourceFile(f"example/{package.prefix}_example.mjs", text)


def _golden_test(package: Package, kernels: Sequence[GoldenKernel]) -> SourceFile:
    """A program whose exit status counts the values that are wrong."""
    test = golden_test(kernels, (*RESERVED, *_TAKEN, package.prefix))
    text = fill(
        "javascript/golden.mjs.j2",
        prefix=package.prefix,
        origin=origin(package),
        array=ARRAYS[package.real],
        states=test.states,
        total=test.total,
        inputs=[_input(table, package.real) for table in test.inputs],
        checks=[_check(package, check) for check in test.checks],
    )
    return SourceFile(f"test/{package.prefix}_golden.mjs", text)


def _input(table: InputTable, real: Real) -> str:
    if table.argument.shape:
        return _rows(table.name, table.rows, real)
    return f"const {table.name} = {row_text([decimal_of(value, real) for (value,) in table.rows], _INDENT)};"


def _check(package: Package, check: Check) -> _Check:
    tables = []
    for output in check.outputs:
        tables.append(_rows(output.expected, output.golden.expected, package.real))
        tables.append(
            f"const {output.allowed} = {row_text([f'{value:.1e}' for value in output.golden.allowed], _INDENT)};"
        )
    if check.expected_statuses:
        tables.append(
            f"const {check.statuses} = {row_text(list(map(str, check.expected_statuses)), _INDENT)};"
        )
    places = check.names | {table.argument.name: f"{table.name}[k]" for table in check.inputs}
    arguments = (
        places[argument.name]
        for argument in check.kernel.program.arguments
        if not argument.is_status
    )
    return _Check(
        summary=plain_text(check.kernel.summary),
        tables=tables,
        arrays=[(output.computed, output.size) for output in check.outputs],
        call=f"{package.prefix}.{check.kernel.function}({', '.join(arguments)})",
        statuses=check.statuses if check.expected_statuses else "",
        outputs=[(output.computed, output.expected, output.allowed) for output in check.outputs],
    )


def _rows(name: str, rows: Rows, real: Real) -> str:
    """The declaration of a table."""
    return f"const {name} = table({rows_text(rows, real, _INDENT)});"
