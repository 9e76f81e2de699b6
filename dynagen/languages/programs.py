"""The example and the golden test that come with kernels: which arrays they have, with what values, in any language.

A language prints them with its own numbers and brackets. The golden test has a table of every input, which all kernels take
their states from, and a scope for the check of each kernel.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from dynagen.ir.program import STATUS, Argument
from dynagen.languages.comments import wrap_text
from dynagen.languages.naming import NameTable
from dynagen.languages.package import GoldenKernel, GoldenOutput, Kernel, Package, Rows
from dynagen.languages.printing import WIDTH, decimal_of
from dynagen.numbers.real import Real


@dataclass(frozen=True)
class InputTable:
    """The values of an input.

    Attributes:
        name: in the language.
        rows: its elements, for every state.
    """

    name: str
    argument: Argument
    rows: Rows


@dataclass(frozen=True)
class CheckedOutput:
    """An output of a kernel, and what the names of its arrays are.

    Attributes:
        golden: its values.
        computed: name of what the kernel computes.
        expected: name of the table of expected values.
        allowed: name of the errors that are allowed.
    """

    golden: GoldenOutput
    computed: str
    expected: str
    allowed: str

    @property
    def size(self) -> int:
        """Number of its elements."""
        return self.golden.argument.size


@dataclass(frozen=True)
class Check:
    """The check of one kernel on all states.

    Attributes:
        inputs: the tables that it is called with.
        status: name of what the kernel says of each call, if it can fail.
        statuses: name of what it has to say, for every state.
        expected_statuses: 0 or 1 for every state, if it can fail.
    """

    kernel: Kernel
    inputs: tuple[InputTable, ...]
    outputs: tuple[CheckedOutput, ...]
    status: str
    statuses: str
    expected_statuses: tuple[int, ...]

    @property
    def names(self) -> dict[str, str]:
        """The name of the array that goes into the call for each argument."""
        outputs = {output.golden.argument.name: output.computed for output in self.outputs}
        return (
            {table.argument.name: table.name for table in self.inputs}
            | outputs
            | {STATUS: self.status}
        )

    @property
    def values(self) -> int:
        """The number of values that it compares in a state, the status included."""
        return bool(self.expected_statuses) + sum(output.size for output in self.outputs)


@dataclass(frozen=True)
class GoldenTest:
    """The golden test of a package.

    Attributes:
        states: number of states.
        inputs: every input of any kernel, once.
        checks: of the kernels, in their order.
    """

    states: int
    inputs: tuple[InputTable, ...]
    checks: tuple[Check, ...]

    @property
    def total(self) -> int:
        """The number of values that it compares."""
        return self.states * sum(check.values for check in self.checks)


def golden_test(kernels: Sequence[GoldenKernel], reserved: Collection[str]) -> GoldenTest:
    """The golden test of a package's kernels.

    Args:
        kernels: all kernels with their golden vectors; there is one at least.
        reserved: names that are taken in the whole program.
    """
    table = NameTable(reserved)
    inputs: dict[str, InputTable] = {}
    for golden in kernels:
        for argument in golden.kernel.program.inputs:
            if argument.name not in inputs:
                inputs[argument.name] = InputTable(
                    table.claim(argument.name), argument, golden.inputs[argument.name]
                )
    checks = (_check(golden, inputs, reserved) for golden in kernels)
    return GoldenTest(len(kernels[0].outputs[0].expected), tuple(inputs.values()), tuple(checks))


def _check(
    golden: GoldenKernel, inputs: Mapping[str, InputTable], reserved: Collection[str]
) -> Check:
    """The check of a kernel, whose names hide tables that it does not take."""
    tables = tuple(inputs[argument.name] for argument in golden.kernel.program.inputs)
    scope = NameTable((*reserved, *(table.name for table in tables)))
    outputs = tuple(
        CheckedOutput(
            output,
            *(
                scope.claim(f"{output.argument.name}{suffix}")
                for suffix in ("", "_expected", "_allowed")
            ),
        )
        for output in golden.outputs
    )
    return Check(
        golden.kernel,
        tables,
        outputs,
        scope.claim(STATUS),
        scope.claim("statuses"),
        golden.statuses,
    )


def start(package: Package, argument: Argument) -> tuple[float, ...]:
    """The elements of an input that examples call a kernel with: those of the first golden state.

    It is at rest, with the defaults of run-time parameters. A package without golden vectors has zeros instead, and the
    quaternion of a floating base that is not rotated.
    """
    if argument.name in package.vectors:
        return package.vectors[argument.name][0]
    return tuple(float(index in argument.ones) for index in range(argument.size))


def row_text(numbers: Sequence[str], indent: str, steps: int = 0) -> str:
    """Numbers in brackets; where they have to be broken, their lines are so many steps from the left, and one more."""
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


def rows_text(rows: Rows, real: Real, indent: str) -> str:
    """A row of numbers a line, in brackets."""
    lines = (
        f"{indent}{row_text([decimal_of(value, real) for value in row], indent, 1)},\n"
        for row in rows
    )
    return f"[\n{''.join(lines)}]"
