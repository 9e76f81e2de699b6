"""The programs that come with Fortran kernels: an example, whose call the README shows, and a golden test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from textwrap import wrap
from typing import Any

import numpy as np

from dynagen.ir.program import Argument
from dynagen.languages.comments import plain_text
from dynagen.languages.documentation import origin
from dynagen.languages.fortran.batch import batch_subroutines
from dynagen.languages.fortran.kernels import constant, printer_of
from dynagen.languages.fortran.printer import KINDS, continued
from dynagen.languages.naming import prefixed_symbol
from dynagen.languages.package import VECTOR, GoldenKernel, Package, Rows, SourceFile
from dynagen.languages.parameters import parameter_constants
from dynagen.languages.printing import WIDTH, decimal_of
from dynagen.languages.programs import Check, InputTable, golden_test, start
from dynagen.languages.templating import fill
from dynagen.numbers.real import Real

# What the template of the golden test has already named.
_TAKEN = ("wp", "c_int", "states", "wrong", "k", "count_wrong", "count", "abs")
_MOST = 500  # numbers of a statement, which a standard compiler takes on 256 lines
_INDENT = "  "


@dataclass(frozen=True)
class _Check:
    """The check of a kernel as the template sees it.

    Attributes:
        declarations: of what it computes and expects.
        data: statements with the expected values, and with what is allowed.
        call: the lines of the call on state k.
        comparisons: expressions that count the values that are wrong.
    """

    summary: str
    declarations: list[str]
    data: list[str]
    call: list[str]
    comparisons: list[str]


def print_programs(package: Package, golden: Iterable[GoldenKernel]) -> tuple[SourceFile, ...]:
    """An example, and a golden test if there are golden vectors.

    Args:
        package: what is generated.
        golden: what every kernel has to return.
    """
    kernels = list(golden)
    return (_example(package), *([_golden_test(package, kernels)] if kernels else []))


def readme_values(package: Package) -> dict[str, Any]:
    """The call that the README shows, and that of the first kernel over lanes."""
    return {
        **_call(package),
        "batch": next((each.call for each in batch_subroutines(package)), ""),
        "one_step": package.trig == VECTOR,
        "threads": package.threads,
    }


def _call(package: Package) -> dict[str, Any]:
    """A call of one subroutine at rest; run-time parameters have been prepared before."""
    declarations, statements = printer_of(package, package.kernels[package.shown]).example(
        partial(start, package)
    )
    return {"kind": KINDS[package.real], "declarations": declarations, "statements": statements}


def _example(package: Package) -> SourceFile:
    """A program that calls one subroutine at rest; run-time parameters have their defaults."""
    kernel = package.kernels[package.shown]
    printer = printer_of(package, kernel)
    text = fill(
        "fortran/example.f90.j2",
        prefix=package.prefix,
        origin=origin(package),
        symbol=printer.routine.symbol,
        parameters=parameter_constants(package, constant, 1),
        can_fail=kernel.program.can_fail,
        vectors=[
            printer.names[output.argument.name]
            for output in kernel.program.results
            if len(output.argument.shape) < 2
        ],
        matrices=[
            printer.names[output.argument.name]
            for output in kernel.program.results
            if len(output.argument.shape) > 1
        ],
        **_call(package),
    )
    return SourceFile(f"example/{package.prefix}_example.f90", text)


def _golden_test(package: Package, kernels: Sequence[GoldenKernel]) -> SourceFile:
    """A program that ends with status 1 if a value is wrong."""
    symbols = [prefixed_symbol(package.prefix, kernel.function) for kernel in package.kernels]
    test = golden_test(
        kernels, (*_TAKEN, *symbols, f"{package.prefix}_golden", f"{package.prefix}_dynamics")
    )
    text = fill(
        "fortran/golden.f90.j2",
        prefix=package.prefix,
        origin=origin(package),
        kind=KINDS[package.real],
        uses=list(continued(f"use {package.prefix}_dynamics, only: {', '.join(symbols)}")),
        states=test.states,
        total=test.total,
        can_fail=any(check.expected_statuses for check in test.checks),
        inputs=[_declared(table) for table in test.inputs],
        data=[line for table in test.inputs for line in _input_data(table, package.real)],
        checks=[_check(package, check) for check in test.checks],
    )
    return SourceFile(f"test/{package.prefix}_golden.f90", text)


def _declared(table: InputTable) -> str:
    """The extents of an input's table: elements, unless it is one number, and states."""
    return (
        f"{table.name}({table.argument.size}, states)"
        if table.argument.shape
        else f"{table.name}(states)"
    )


def _input_data(table: InputTable, real: Real) -> Iterator[str]:
    if table.argument.shape:
        yield from _rows(table.name, table.argument, table.rows, real)
    else:
        yield from _data(table.name, [_literal(value, real) for (value,) in table.rows])


def _check(package: Package, check: Check) -> _Check:
    declarations: list[str] = []
    data: list[str] = []
    comparisons = []
    for each in check.outputs:
        arrays = f"{each.computed}({each.size}), {each.expected}({each.size}, states), {each.allowed}({each.size})"
        declarations.extend(continued(f"real(wp), save :: {arrays}"))
        data.extend(_rows(each.expected, each.golden.argument, each.golden.expected, package.real))
        allowed = _natural(each.golden.argument, each.golden.allowed)
        data.extend(_data(each.allowed, [f"{value:.1e}_wp" for value in allowed]))
        comparisons.append(f"count_wrong({each.computed}, {each.expected}(:, k), {each.allowed})")
    if check.expected_statuses:
        declarations.append(f"integer(c_int) :: {check.status}, {check.statuses}(states)")
        data.extend(
            _data(check.statuses, [f"{status}_c_int" for status in check.expected_statuses])
        )
        comparisons.append(f"merge(1, 0, {check.status} /= {check.statuses}(k))")
    places = check.names | {
        table.argument.name: f"{table.name}(:, k)" if table.argument.shape else f"{table.name}(k)"
        for table in check.inputs
    }
    arguments = ", ".join(places[argument.name] for argument in check.kernel.program.arguments)
    call = continued(f"call {prefixed_symbol(package.prefix, check.kernel.function)}({arguments})")
    return _Check(plain_text(check.kernel.summary), declarations, data, list(call), comparisons)


def _rows(name: str, argument: Argument, rows: Rows, real: Real) -> Iterator[str]:
    """Statements that give a table its values, state by state."""
    for state, row in enumerate(rows, 1):
        yield from _data(
            name, [_literal(value, real) for value in _natural(argument, row)], f", {state}"
        )


def _data(name: str, numbers: Sequence[str], state: str = "") -> Iterator[str]:
    """Statements that give an array its values, or a table those of one state."""
    for first in range(0, len(numbers), _MOST):
        part = numbers[first : first + _MOST]
        section = ":" if len(part) == len(numbers) else f"{first + 1}:{first + len(part)}"
        head, listed = f"data {name}({section}{state}) /", ", ".join(part)
        if len(f"{head} {listed} /") <= WIDTH:
            yield f"{head} {listed} /"
        else:
            yield f"{head} &"
            *lines, last = wrap(listed, WIDTH, break_long_words=False, break_on_hyphens=False)
            yield from (f"{_INDENT}{line} &" for line in lines)
            yield f"{_INDENT}{last} /"


def _natural(argument: Argument, values: Sequence[float]) -> list[float]:
    """Row-major values in the order of Fortran's, a matrix column by column."""
    return [float(value) for value in np.reshape(values, argument.shape).ravel("F")]


def _literal(value: float, real: Real) -> str:
    return f"{decimal_of(value, real)}_wp"
