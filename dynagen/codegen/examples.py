"""Example and golden test of a package, described once for all languages.

The example program calls one function for a robot at rest. The golden test is a program that
compares the results of every kernel with stored correct results. `Call` and `GoldenTest` contain
the names and values of the arrays in the example and the golden test. Each language has templates
of the two programs, with declarations, calls, comparisons and prints. The `Spelling` of a language
contains functions for text that a template cannot produce, such as a long row of numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynagen.codegen.naming import NameTable, make_plain_text, wrap_text
from dynagen.codegen.package import GoldenKernel, Kernel, Package, Rows
from dynagen.codegen.printing import WIDTH
from dynagen.ir.program import PARAMS, STATUS, Argument
from dynagen.numbers.real import Real


@dataclass(frozen=True)
class Array:
    """An array variable in the example program or in the test with stored correct results.

    Attributes:
        name: name of the variable.
        argument: argument of the kernel to which the array is passed.
    """

    name: str
    argument: Argument


@dataclass(frozen=True)
class NumberTable(Array):
    """An array variable with its initial numbers.

    Attributes:
        rows: one row for every state, with the elements of the array as decimal literals without a
            suffix. The elements of a matrix are row-major.
    """

    rows: tuple[tuple[str, ...], ...]

    @property
    def numbers(self) -> list[str]:
        """Numbers of all rows in one list, row after row."""
        return [number for row in self.rows for number in row]

    @property
    def is_zero(self) -> bool:
        """Whether all numbers are zero."""
        return not any(map(float, self.numbers))


@dataclass(frozen=True)
class CheckedOutput(Array):
    """An array variable that a kernel fills, with the expected values.

    Attributes:
        expected: one row of correct values for every state.
        allowed: largest allowed error of each element, the same for all states.
    """

    expected: NumberTable
    allowed: NumberTable


@dataclass(frozen=True)
class Call:
    """A call of a kernel in the example program or in the test with stored correct results.

    Attributes:
        kernel: kernel that is called.
        names: mapping from the name of each argument of the kernel to the name of the variable that
            is passed.
        inputs: arrays with the numbers of the inputs. In the example, the values that `prepare`
            computes from run-time parameters are left out, because the program calls `prepare`.
        outputs: arrays that the kernel fills, without the status code.
    """

    kernel: Kernel
    names: Mapping[str, str]
    inputs: tuple[NumberTable, ...]
    outputs: tuple[Array, ...]

    @property
    def status(self) -> str:
        """Name of the variable for the status code; empty if the kernel has no status code."""
        return self.names.get(STATUS, "")

    @property
    def summary(self) -> str:
        """Formula of the kernel, such as `tau = ID(q, qd, qdd)`, as text of a comment."""
        return make_plain_text(self.kernel.summary)

    @property
    def taken(self) -> list[str]:
        """Names of the variables for the inputs of the called kernel, in the kernel's order."""
        return [self.names[argument.name] for argument in self.kernel.program.inputs]

    @property
    def filled(self) -> list[str]:
        """Names of the variables that the kernel fills: arrays, and the status code if any."""
        return [*(output.name for output in self.outputs), *([self.status] if self.status else [])]

    def list_passed(self, of_state: str = "") -> list[str]:
        """Return the texts of the call's arguments in the kernel's order, without the status code.

        Args:
            of_state: text of an index, such as `[k]`, which is appended to the name of each input
                to select one state.
        """
        return [
            *(f"{name}{of_state}" for name in self.taken),
            *(output.name for output in self.outputs),
        ]


@dataclass(frozen=True)
class Check(Call):
    """Comparison of a kernel's results with stored correct results, in a golden test.

    Attributes:
        outputs: arrays that the kernel fills, with the expected values.
        statuses: correct status codes, 0 or 1 for every state; None if the kernel cannot fail.
    """

    outputs: tuple[CheckedOutput, ...]
    statuses: NumberTable | None


@dataclass(frozen=True)
class GoldenTest:
    """Golden test of a package: a program that compares its kernels' results with correct results.

    Attributes:
        states: number of states in the test.
        inputs: one table of numbers for each input name; if inputs of several kernels have the same
            name, the kernels share the table.
        checks: one check for each kernel, in the order of the kernels.
    """

    states: int
    inputs: tuple[NumberTable, ...]
    checks: tuple[Check, ...]

    @property
    def total(self) -> int:
        """Number of values that the test compares, including status codes."""
        sizes = (output.argument.size for check in self.checks for output in check.outputs)
        return self.states * (sum(sizes) + sum(check.statuses is not None for check in self.checks))


@dataclass(frozen=True)
class Spelling:
    """Syntax of a language for the templates `example.<suffix>.j2` and `golden.<suffix>.j2`.

    Attributes:
        suffix: file name suffix of both programs, without a dot.
        reserved: names that array variables must not have.
        values: further values, by name, for the templates of the example, golden test and README,
            such as types, and functions that print numbers and calls.
        one_scope: whether all variables of the golden test are in one scope of the language. The
            names of the variables for a kernel then begin with the name of the kernel's function.
        folders: name of the folder of the example, and name of the folder of the golden test.
    """

    suffix: str
    reserved: Collection[str]
    values: Mapping[str, Any]
    one_scope: bool = False
    folders: tuple[str, str] = ("example", "test")


def make_example_call(package: Package, spelling: Spelling) -> Call:
    """Return the call in the example: one function at the first state of the golden test.

    The golden test compares results with stored correct results. In its first state, the robot is
    at rest and run-time parameters have their defaults. Without a golden test, inputs are zero and
    the quaternion of a floating base is the identity.

    Args:
        package: package whose kernel is called.
        spelling: syntax of the language, with the names that array variables must not have.
    """
    kernel = package.kernels[package.example_index]
    table = NameTable(spelling.reserved)
    names = {argument.name: table.claim(argument.name) for argument in kernel.program.arguments}
    inputs = []
    for argument in kernel.program.inputs:
        if argument.name != PARAMS:
            # `ones` are the places of the quaternion's w: zero would not be a rotation.
            at_rest = tuple(float(index in argument.ones) for index in range(argument.size))
            start = (
                package.vectors[argument.name][0] if argument.name in package.vectors else at_rest
            )
            inputs.append(
                NumberTable(names[argument.name], argument, _decimals((start,), package.real))
            )
    outputs = tuple(
        Array(names[output.argument.name], output.argument) for output in kernel.program.results
    )
    return Call(kernel, names, tuple(inputs), outputs)


def make_golden_test(kernels: Sequence[GoldenKernel], spelling: Spelling, real: Real) -> GoldenTest:
    """Return the golden test of one or more kernels, with names that are legal in a language.

    The golden test compares results with stored correct results.

    Args:
        kernels: kernels with their inputs and expected outputs, for the same states in all kernels.
        spelling: syntax of the language.
        real: number type of the kernels.
    """
    # Every input is one table that all checks share.
    scope = NameTable(spelling.reserved)
    inputs: dict[str, NumberTable] = {}
    for golden in kernels:
        for argument in golden.kernel.program.inputs:
            if argument.name not in inputs:
                rows = _decimals(golden.inputs[argument.name], real)
                inputs[argument.name] = NumberTable(scope.claim(argument.name), argument, rows)
    checks = []
    for golden in kernels:
        tables = tuple(inputs[argument.name] for argument in golden.kernel.program.inputs)
        if not spelling.one_scope:  # names of a check may hide tables that it does not read
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
    golden: GoldenKernel, inputs: tuple[NumberTable, ...], scope: NameTable, start: str, real: Real
) -> Check:
    """Return the comparison of a kernel's results with stored correct results.

    `inputs` are in the order of the kernel's arguments. The names of the comparison's variables
    begin with `start` and are added to the used names in `scope`.
    """
    outputs = []
    for output in golden.outputs:
        argument = output.argument
        name, expected, allowed = (
            scope.claim(f"{start}{argument.name}{suffix}")
            for suffix in ("", "_expected", "_allowed")
        )
        # Two digits suffice for a bound, and keep the file small.
        errors = (tuple(f"{error:.1e}" for error in output.allowed),)
        tables = (
            NumberTable(expected, argument, _decimals(output.expected, real)),
            NumberTable(allowed, argument, errors),
        )
        outputs.append(CheckedOutput(name, argument, *tables))
    names = {array.argument.name: array.name for array in (*inputs, *outputs)}
    statuses = None
    if golden.statuses:
        # A wrong status fails the test even if all numbers agree.
        names[STATUS] = scope.claim(f"{start}{STATUS}")
        rows = tuple((str(status),) for status in golden.statuses)
        statuses = NumberTable(
            scope.claim(f"{start}statuses"), golden.kernel.program.arguments[-1], rows
        )
    return Check(golden.kernel, names, inputs, tuple(outputs), statuses)


def _decimals(rows: Rows, real: Real) -> tuple[tuple[str, ...], ...]:
    """Return numbers as the shortest decimals that are read as the same numbers of type `real`."""
    return tuple(tuple(str(real.dtype(value)) for value in row) for row in rows)


def bracket(numbers: Sequence[str], indent: str, steps: int = 0) -> str:
    """Return numbers (texts) in square brackets, separated by commas, in one line or several.

    Args:
        numbers: the numbers as texts.
        indent: text of one level of indentation.
        steps: number of levels by which the last line is indented; numbers are one level deeper.
    """
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


def bracket_rows(rows: Iterable[Sequence[str]], indent: str) -> str:
    """Return rows of numbers (texts) in nested square brackets; each row begins a line.

    `indent` is the text of one level of indentation.
    """
    lines = (f"{indent}{bracket(row, indent, 1)},\n" for row in rows)
    return f"[\n{''.join(lines)}]"
