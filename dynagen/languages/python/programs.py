"""The programs that come with a Python module: an example, whose call the README shows, and a golden test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from dynagen.languages.comments import plain_text
from dynagen.languages.documentation import origin
from dynagen.languages.naming import NameTable, module_constant
from dynagen.languages.package import GoldenKernel, Package, Rows, SourceFile
from dynagen.languages.parameters import parameter_constants
from dynagen.languages.printing import decimal_of
from dynagen.languages.programs import Check, InputTable, golden_test, row_text, rows_text, start
from dynagen.languages.python.printer import RESERVED, PythonPrinter
from dynagen.languages.routine import Routine
from dynagen.languages.templating import fill
from dynagen.numbers.real import Real

# What the templates have already named, and what they call.
_TAKEN = ("path", "sys", "table", "count_wrong", "wrong", "print", "int", "min", "sum", "str")
_INDENT = " " * 4


@dataclass(frozen=True)
class _Check:
    """The check of a kernel as the template sees it.

    Attributes:
        name: of the function that makes it.
        tables: what it expects and allows: assignments.
        call: the assignment of what is computed.
        counts: calls that count the values that are wrong.
    """

    name: str
    summary: str
    tables: list[str]
    call: str
    counts: list[str]


def print_programs(package: Package, golden: Iterable[GoldenKernel]) -> tuple[SourceFile, ...]:
    """An example, and a golden test if there are golden vectors.

    Args:
        package: what is generated.
        golden: what every kernel has to return.
    """
    kernels = list(golden)
    return (_example(package), *([_golden_test(package, kernels)] if kernels else []))


def readme_values(package: Package) -> dict[str, Any]:
    """The call that the README shows."""
    return {"call": _call(package)}


def _call(package: Package) -> list[str]:
    """A call of one function at rest; run-time parameters have been prepared before."""
    return _shown(package).example(package.prefix, partial(start, package))


def _shown(package: Package) -> PythonPrinter:
    """The printer of the function that examples call, beside the module that has the prefix's name."""
    kernel = package.kernels[package.shown]
    return PythonPrinter(
        Routine(kernel.function, kernel.program.signature), package.real, package.prefix, *_TAKEN
    )


def _example(package: Package) -> SourceFile:
    """A program that calls one function at rest; run-time parameters have their defaults."""
    kernel, printer = package.kernels[package.shown], _shown(package)
    text = fill(
        "python/example.py.j2",
        prefix=package.prefix,
        origin=origin(package),
        function=kernel.function,
        parameters=parameter_constants(package, module_constant, 0),
        call=_call(package),
        can_fail=kernel.program.can_fail,
        outputs=[printer.names[output.argument.name] for output in kernel.program.results],
    )
    return SourceFile(f"example/{package.prefix}_example.py", text)


def _golden_test(package: Package, kernels: Sequence[GoldenKernel]) -> SourceFile:
    """A program whose exit status counts the values that are wrong."""
    test = golden_test(kernels, (*RESERVED, *_TAKEN, package.prefix))
    table = NameTable((*_TAKEN, *(each.name for each in test.inputs)))
    text = fill(
        "python/golden.py.j2",
        prefix=package.prefix,
        origin=origin(package),
        total=test.total,
        inputs=[_input(each, package.real) for each in test.inputs],
        checks=[
            _check(package, check, table.claim(f"check_{check.kernel.function}"))
            for check in test.checks
        ],
    )
    return SourceFile(f"test/{package.prefix}_golden.py", text)


def _input(table: InputTable, real: Real) -> str:
    shape = table.argument.shape
    if not shape:
        return f"{table.name} = table({row_text([decimal_of(value, real) for (value,) in table.rows], _INDENT)})"
    return _rows(table.name, table.rows, real) + (
        f".reshape(-1, {', '.join(map(str, shape))})" if len(shape) > 1 else ""
    )


def _check(package: Package, check: Check, name: str) -> _Check:
    tables, counts = [], []
    for output in check.outputs:
        tables.append(_rows(output.expected, output.golden.expected, package.real))
        tables.append(
            f"{output.allowed} = {row_text([f'{value:.1e}' for value in output.golden.allowed], _INDENT)}"
        )
        counts.append(f"count_wrong({output.computed}, {output.expected}, {output.allowed})")
    computed = [output.computed for output in check.outputs]
    if check.expected_statuses:
        tables.append(
            f"{check.statuses} = {row_text(list(map(str, check.expected_statuses)), _INDENT)}"
        )
        counts.append(f"np.count_nonzero({check.status} != {check.statuses})")
        computed.append(check.status)
    inputs = ", ".join(table.name for table in check.inputs)
    call = f"{', '.join(computed)} = {package.prefix}.{check.kernel.function}({inputs})"
    return _Check(name, plain_text(check.kernel.summary), tables, call, counts)


def _rows(name: str, rows: Rows, real: Real) -> str:
    """The assignment of a table."""
    return f"{name} = table({rows_text(rows, real, _INDENT)})"
