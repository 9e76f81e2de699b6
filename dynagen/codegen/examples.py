"""The example and the golden test that come with kernels, described once for all languages.

The example calls one function at rest. The golden test compares every kernel with its golden vectors. The description has the
arrays of both programs, their names and their numbers. A language has a template for each program, in which it writes
declarations, calls, comparisons and prints; its `Spelling` has what templates cannot write, such as a long row of numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynagen.codegen.naming import NameTable, plain_text, wrap_text
from dynagen.codegen.package import GoldenKernel, Kernel, Package, Rows
from dynagen.codegen.printing import WIDTH
from dynagen.ir.program import PARAMS, STATUS, Argument
from dynagen.numbers.real import Real


@dataclass(frozen=True)
class Array:
    """An array of a program.

    Attributes:
        name: in the program.
        argument: of the kernel, for which the array is passed.
    """

    name: str
    argument: Argument


@dataclass(frozen=True)
class Table(Array):
    """An array with its numbers.

    Attributes:
        rows: decimals without a suffix: for every state the elements, row-major.
    """

    rows: tuple[tuple[str, ...], ...]

    @property
    def numbers(self) -> list[str]:
        """The numbers of all states, one after the other."""
        return [number for row in self.rows for number in row]

    @property
    def is_zero(self) -> bool:
        """Whether all numbers are zero."""
        return not any(map(float, self.numbers))


@dataclass(frozen=True)
class CheckedOutput(Array):
    """An array that a kernel fills, and what it is compared with.

    Attributes:
        expected: the correct values, for every state.
        allowed: the largest errors, the same for all states.
    """

    expected: Table
    allowed: Table


@dataclass(frozen=True)
class Call:
    """A call of a kernel.

    Attributes:
        names: argument of the kernel -> name of its array.
        inputs: the arrays that the program has numbers for; an example lets `prepare` fill that of run-time parameters.
        outputs: the arrays that the kernel fills, without the status.
    """

    kernel: Kernel
    names: Mapping[str, str]
    inputs: tuple[Table, ...]
    outputs: tuple[Array, ...]

    @property
    def status(self) -> str:
        """Name of the status; empty if the kernel cannot fail."""
        return self.names.get(STATUS, "")

    @property
    def summary(self) -> str:
        """What the kernel computes, for a comment."""
        return plain_text(self.kernel.summary)

    @property
    def taken(self) -> list[str]:
        """Names of all arrays that the kernel takes."""
        return [self.names[argument.name] for argument in self.kernel.program.inputs]

    @property
    def filled(self) -> list[str]:
        """Names of the arrays that the kernel fills, and of the status if there is one."""
        return [*(output.name for output in self.outputs), *([self.status] if self.status else [])]

    def passed(self, of_state: str = "") -> list[str]:
        """What is passed for each argument except the status; `of_state` selects one state of an input."""
        return [
            *(f"{name}{of_state}" for name in self.taken),
            *(output.name for output in self.outputs),
        ]


@dataclass(frozen=True)
class Check(Call):
    """The comparison of a kernel with its golden vectors.

    Attributes:
        statuses: the correct statuses, 0 or 1 for every state; None if the kernel cannot fail.
    """

    outputs: tuple[CheckedOutput, ...]
    statuses: Table | None


@dataclass(frozen=True)
class GoldenTest:
    """The golden test of a package.

    Attributes:
        states: number of states.
        inputs: every input of any kernel, once.
        checks: of the kernels, in their order.
    """

    states: int
    inputs: tuple[Table, ...]
    checks: tuple[Check, ...]

    @property
    def total(self) -> int:
        """The number of values that it compares, statuses included."""
        sizes = (output.argument.size for check in self.checks for output in check.outputs)
        return self.states * (sum(sizes) + sum(check.statuses is not None for check in self.checks))


@dataclass(frozen=True)
class Spelling:
    """How a language writes the programs of a package, with templates `example.<suffix>.j2` and `golden.<suffix>.j2`.

    Attributes:
        suffix: of the programs' file names, without a dot.
        reserved: names that no array may have.
        values: what these templates, and that of the README, need besides: types, and functions that write numbers and calls.
        one_scope: whether all checks share one scope, where names begin with that of the function.
    """

    suffix: str
    reserved: Collection[str]
    values: Mapping[str, Any]
    one_scope: bool = False


def example_call(package: Package, spelling: Spelling) -> Call:
    """Return the call of the example: of one function, on the first golden state, which is at rest.

    Run-time parameters have their defaults. A package without golden vectors has zeros instead, and the quaternion of a
    floating base that is not rotated.
    """
    kernel = package.kernels[package.shown]
    table = NameTable(spelling.reserved)
    names = {argument.name: table.claim(argument.name) for argument in kernel.program.arguments}
    inputs = []
    for argument in kernel.program.inputs:
        if argument.name != PARAMS:
            at_rest = tuple(float(index in argument.ones) for index in range(argument.size))
            start = (
                package.vectors[argument.name][0] if argument.name in package.vectors else at_rest
            )
            inputs.append(Table(names[argument.name], argument, _decimals((start,), package.real)))
    outputs = tuple(
        Array(names[output.argument.name], output.argument) for output in kernel.program.results
    )
    return Call(kernel, names, tuple(inputs), outputs)


def golden_test(kernels: Sequence[GoldenKernel], spelling: Spelling, real: Real) -> GoldenTest:
    """Return the golden test of kernels, of which there is at least one."""
    scope = NameTable(spelling.reserved)
    inputs: dict[str, Table] = {}
    for golden in kernels:
        for argument in golden.kernel.program.inputs:
            if argument.name not in inputs:
                rows = _decimals(golden.inputs[argument.name], real)
                inputs[argument.name] = Table(scope.claim(argument.name), argument, rows)
    checks = []
    for golden in kernels:
        tables = tuple(inputs[argument.name] for argument in golden.kernel.program.inputs)
        if not spelling.one_scope:  # the names of a check may hide tables that it does not read
            scope = NameTable((*spelling.reserved, *(table.name for table in tables)))
        checks.append(
            _check(
                golden,
                tables,
                scope,
                f"{golden.kernel.function}_" if spelling.one_scope else "",
                real,
            )
        )
    return GoldenTest(len(kernels[0].outputs[0].expected), tuple(inputs.values()), tuple(checks))


def _check(
    golden: GoldenKernel, inputs: tuple[Table, ...], scope: NameTable, start: str, real: Real
) -> Check:
    """Return the check of a kernel, the names of which are claimed in a scope and begin with `start`."""
    outputs = []
    for output in golden.outputs:
        argument = output.argument
        name, expected, allowed = (
            scope.claim(f"{start}{argument.name}{suffix}")
            for suffix in ("", "_expected", "_allowed")
        )
        errors = (tuple(f"{error:.1e}" for error in output.allowed),)
        tables = (
            Table(expected, argument, _decimals(output.expected, real)),
            Table(allowed, argument, errors),
        )
        outputs.append(CheckedOutput(name, argument, *tables))
    names = {array.argument.name: array.name for array in (*inputs, *outputs)}
    statuses = None
    if golden.statuses:
        names[STATUS] = scope.claim(f"{start}{STATUS}")
        rows = tuple((str(status),) for status in golden.statuses)
        statuses = Table(scope.claim(f"{start}statuses"), golden.kernel.program.arguments[-1], rows)
    return Check(golden.kernel, names, inputs, tuple(outputs), statuses)


def _decimals(rows: Rows, real: Real) -> tuple[tuple[str, ...], ...]:
    """Return the shortest decimals that read back as the numbers, which are numbers of the type."""
    return tuple(tuple(str(real.dtype(value)) for value in row) for row in rows)


def bracketed(numbers: Sequence[str], indent: str, steps: int = 0) -> str:
    """Write numbers in brackets; where they need several lines, these are indented by one step more than `steps`."""
    text, width = f"[{', '.join(numbers)}]", WIDTH - 2 * len(indent)
    if len(text) <= width:
        return text
    return "\n".join(
        [
            "[",
            *(f"{indent * (steps + 1)}{line}" for line in wrap_text(text[1:-1], width)),
            f"{indent * steps}]",
        ]
    )


def bracketed_rows(rows: Iterable[Sequence[str]], indent: str) -> str:
    """Write rows of numbers in brackets, a row a line."""
    lines = (f"{indent}{bracketed(row, indent, 1)},\n" for row in rows)
    return f"[\n{''.join(lines)}]"
