"""Files of Fortran kernels: one module whose subroutines can also be called from C.

This Python module also defines the Fortran syntax for the example and the golden test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any

import numpy as np

from dynagen.codegen import documentation
from dynagen.codegen.examples import Call, NumberTable, Spelling
from dynagen.codegen.languages.fortran.lanes import (
    STATES_OF_BLOCK,
    collect_step_values,
    write_batch_subroutines,
)
from dynagen.codegen.languages.fortran.writer import (
    HELPERS,
    KINDS,
    RESERVED,
    FortranWriter,
    check_name,
    continue_lines,
    declare_values,
    make_conventions,
    name_segment,
)
from dynagen.codegen.layouts import lay_out_calls, lay_out_state
from dynagen.codegen.naming import prefix_symbol
from dynagen.codegen.package import VECTOR, Kernel, Package, SourceFile
from dynagen.codegen.printing import (
    WIDTH,
    Paragraph,
    find_helpers,
    format_shortest_decimal,
    list_subscripts,
    print_tables,
)
from dynagen.codegen.templating import fill
from dynagen.codegen.tree import Function
from dynagen.robot.names import make_identifier

_INDENT = "    "


def name_constant(prefix: str, parameter: str) -> str:
    """Return `<prefix>_p_<parameter>`, the Fortran constant for a run-time parameter's index.

    Raises:
        UsageError: the name is longer than Fortran's 63 characters.
    """
    return check_name(f"{prefix}_p_{make_identifier(parameter)}")


def choose_kernel_path(package: Package, kernel: Kernel) -> str:
    """Return the path, in the output folder, of the Fortran module, which contains all kernels."""
    return f"{package.prefix}_dynamics.f90"


def find_batch_path(package: Package, kernel: Kernel) -> str:
    """Return the path of the Fortran module; empty if `kernel` has no version for many states."""
    return choose_kernel_path(package, kernel) if package.has_batch(kernel) else ""


def print_kernels(package: Package) -> tuple[SourceFile, ...]:
    """Return the file of the Fortran module with all kernels and batch kernels of a package.

    Raises:
        UsageError: a name is longer than Fortran's 63 characters.
    """
    operations = {
        instruction.operation
        for kernel in package.kernels
        for instruction in kernel.printed.instructions
    }
    name = check_name(f"{package.prefix}_dynamics")
    # One file: a module whose kernels share kinds, helpers and constants.
    module = fill(
        "fortran/module.f90.j2",
        module=name,
        **documentation.collect_package_values(package, name_constant, 1, "! "),
        symbols=documentation.format_comment(documentation.describe_symbols(package.kernels), "! "),
        kind=KINDS[package.real],
        can_fail=any(kernel.program.can_fail for kernel in package.kernels),
        subroutines=[each for kernel in package.kernels for each in _subroutines(package, kernel)],
        defaults=_defaults(package),
        batches=list(write_batch_subroutines(package)),
        lanes=STATES_OF_BLOCK,
        steps=list(collect_step_values(package)),
        helpers=find_helpers(HELPERS, operations),
        tables=print_tables(operations, package.real, "_wp"),
    )
    return (SourceFile(f"{name}.f90", module),)


@dataclass(frozen=True)
class _Segment:
    """Texts of a Fortran internal subroutine that computes a part (segment) of a long kernel."""

    title: str
    symbol: str
    declarations: list[str]
    paragraphs: list[Paragraph]


@dataclass(frozen=True)
class _Subroutine:
    """Fortran texts of the subroutine of a kernel, for the jinja2 template.

    `opening` is the `subroutine` statement. `declarations` include arguments and local values.
    `unread` names the inputs that the subroutine does not read. `segments` are internal subroutines
    for the parts of a long kernel. Other modules can call a public subroutine.
    """

    symbol: str
    summary: str
    arguments: str
    opening: list[str]
    declarations: list[str]
    unread: tuple[str, ...]
    paragraphs: list[Paragraph]
    segments: list[_Segment]
    is_public: bool


def _subroutines(package: Package, kernel: Kernel) -> list[_Subroutine]:
    """Return the Fortran subroutines of a kernel: the kernel itself is the last one.

    Before it comes the subroutine that the kernel calls several times, if there is one.
    """
    symbol = check_name(prefix_symbol(package.prefix, kernel.function))
    if kernel.calls is None:
        return [_in_full(package, kernel, symbol)]
    # The called subroutine is private: it is not part of the interface.
    called = replace(kernel, program=kernel.calls.program, calls=None)
    stage = replace(
        _in_full(package, called, check_name(f"{symbol}_stage"), is_public=False),
        summary=f"Subroutine that {symbol} calls at every stage.",
    )
    function = lay_out_calls(
        kernel.make_routine(symbol),
        make_conventions(f"{package.prefix}_n"),
        kernel.calls,
        stage.symbol,
    )
    return [stage, _describe(package, kernel, function)]


def _in_full(package: Package, kernel: Kernel, symbol: str, is_public: bool = True) -> _Subroutine:
    """Return the Fortran texts of a subroutine named `symbol` with all statements of a kernel.

    A long subroutine calls internal subroutines.
    """
    rules = make_conventions(f"{package.prefix}_n", in_fours=package.trig == VECTOR)
    # gfortran's time, too, grows faster than a function's length.
    function = lay_out_state(kernel.make_routine(symbol), rules, package.longest)
    return _describe(package, kernel, function, is_public)


def _describe(
    package: Package, kernel: Kernel, function: Function, is_public: bool = True
) -> _Subroutine:
    """Return the Fortran texts of a subroutine from its code tree, for the jinja2 template."""
    writer = FortranWriter(function, package.real)
    return _Subroutine(
        symbol=function.symbol,
        summary=documentation.explain_kernel(package, kernel, "  ! "),
        arguments=documentation.format_comment(
            documentation.describe_arguments(kernel.program.signature), "  !   "
        ),
        opening=writer.write_opening(is_public),
        declarations=writer.write_declarations(),
        unread=function.unread,
        paragraphs=writer.write_paragraphs(),
        segments=[
            _Segment(
                segment.title,
                name_segment(segment),
                declare_values("real(wp) ::", segment.assigned),
                writer.write_paragraphs(segment.sections),
            )
            for segment in function.segments
        ],
        is_public=is_public,
    )


def _defaults(package: Package) -> str:
    """Return the default values of the run-time parameters as lines of an array constructor."""
    numbers = ", ".join(
        f"{format_shortest_decimal(parameter.value, package.real)}_wp"
        for parameter in package.parameters
    )
    return " &\n".join(
        _INDENT + line for line in wrap(numbers, WIDTH - 2 * len(_INDENT), break_on_hyphens=False)
    )


# Names that the templates use.
_TAKEN = ("wp", "c_int", "states", "wrong", "k", "count_wrong", "count", "abs")
_MOST = 500  # numbers in a statement; the standard allows at most 255 continuation lines
_STEP = "  "


def make_spelling(package: Package) -> Spelling:
    """Return the syntax of Fortran for the templates of the example and of the golden test.

    The golden test is a program that compares results with stored correct results.
    """
    prefix = package.prefix
    symbols = [prefix_symbol(prefix, kernel.function) for kernel in package.kernels]

    def called(call: Call, of_state: bool = False) -> Iterator[str]:
        """Yield the lines of the Fortran call of a kernel.

        With `of_state`, the inputs are those of state k of the test with stored results.
        """
        # Tables of a test have the states as last subscript, which keeps a state contiguous.
        taken = [_select_state(table) for table in call.inputs] if of_state else call.taken
        symbol = prefix_symbol(prefix, call.kernel.function)
        yield from continue_lines(f"call {symbol}({', '.join([*taken, *call.filled])})")

    return Spelling(
        "f90",
        reserved=(
            *RESERVED,
            *_TAKEN,
            *symbols,
            f"{prefix}_golden",
            f"{prefix}_dynamics",
            f"{prefix}_n",
        ),
        values={
            "kind": KINDS[package.real],
            "uses": list(continue_lines(f"use {prefix}_dynamics, only: {', '.join(symbols)}")),
            "subscripts": list_subscripts,
            "called": called,
            "continued": continue_lines,
            "data": _data,
        },
    )


def collect_readme_values(package: Package) -> dict[str, Any]:
    """Return values, by name, for Fortran's README template.

    They are the call of a batch kernel, and the values of options that change the text.
    """
    return {
        "batch": next((each.call for each in write_batch_subroutines(package)), ""),
        "one_step": package.trig == VECTOR,
        "threads": package.threads,
    }


def _select_state(table: NumberTable) -> str:
    """Return the Fortran text for the values of state k in a table of inputs."""
    return f"{table.name}(:, k)" if table.argument.shape else f"{table.name}(k)"


def _data(table: NumberTable, of_states: bool = True) -> Iterator[str]:
    """Yield the lines of Fortran statements that initialise an array with the numbers of a table.

    The elements of each state are in column-major order. With `of_states`, the last subscript of
    the array is the number of a state.
    """
    shape, suffix = table.argument.shape, "_c_int" if table.argument.is_status else "_wp"
    if table.argument.is_status or not shape:
        yield from _statements(table.name, "", [number + suffix for number in table.numbers])
        return
    for state, row in enumerate(table.rows, 1):
        # Tables are row-major; Fortran's arrays are column-major.
        numbers = [number + suffix for number in np.reshape(row, shape).ravel("F")]
        yield from _statements(table.name, f", {state}" if of_states else "", numbers)


def _statements(name: str, state: str, numbers: Sequence[str]) -> Iterator[str]:
    """Yield the lines of Fortran `data` statements that initialise an array.

    `state` is the last subscript, such as `, 2` for state 2; empty for the whole array.
    """
    for first in range(0, len(numbers), _MOST):
        part = numbers[first : first + _MOST]
        section = ":" if len(part) == len(numbers) else f"{first + 1}:{first + len(part)}"
        head, listed = f"data {name}({section}{state}) /", ", ".join(part)
        if len(f"{head} {listed} /") <= WIDTH:
            yield f"{head} {listed} /"
        else:
            yield f"{head} &"
            *lines, last = wrap(listed, WIDTH, break_long_words=False, break_on_hyphens=False)
            yield from (f"{_STEP}{line} &" for line in lines)
            yield f"{_STEP}{last} /"
