"""Files of Fortran kernels: one module whose subroutines can also be called from C.

It also has the syntax of Fortran for the example and the golden test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import Any

import numpy as np

from dynagen.codegen import documentation
from dynagen.codegen.examples import Call, NumberTable, Spelling
from dynagen.codegen.languages.fortran.lanes import STATES_OF_BLOCK, batch_subroutines, steps
from dynagen.codegen.languages.fortran.printer import (
    HELPERS,
    KINDS,
    RESERVED,
    FortranCallPrinter,
    FortranPrinter,
    FortranSegment,
    check_name,
    continue_lines,
    internal_subroutines,
    segment_calls,
)
from dynagen.codegen.naming import prefixed_symbol
from dynagen.codegen.package import VECTOR, Kernel, Package, SourceFile
from dynagen.codegen.printing import WIDTH, Paragraph, helpers_of, shortest_decimal, subscripts
from dynagen.codegen.routine import Routine
from dynagen.codegen.segments import Segmentation, divide
from dynagen.codegen.templating import fill
from dynagen.robot.names import identifier

_INDENT = "    "


def constant(prefix: str, parameter: str) -> str:
    """Return `<prefix>_p_<parameter>`."""
    return check_name(f"{prefix}_p_{identifier(parameter)}")


def kernel_path(package: Package, kernel: Kernel) -> str:
    """Return the module, which contains all kernels."""
    return f"{package.prefix}_dynamics.f90"


def batch_path(package: Package, kernel: Kernel) -> str:
    """Return the module, which also contains the batch kernels; empty if there is none."""
    return kernel_path(package, kernel) if package.has_batch(kernel) else ""


def print_kernels(package: Package) -> tuple[SourceFile, ...]:
    """Print the module.

    Raises:
        UsageError: a name is longer than Fortran's 63 characters.
    """
    operations = {
        instruction.operation
        for kernel in package.kernels
        for instruction in kernel.printed.instructions
    }
    name = check_name(f"{package.prefix}_dynamics")
    module = fill(
        "fortran/module.f90.j2",
        module=name,
        **documentation.package_values(package, constant, 1, "! "),
        symbols=documentation.comment_block(documentation.symbol_lines(package.kernels), "! "),
        kind=KINDS[package.real],
        can_fail=any(kernel.program.can_fail for kernel in package.kernels),
        subroutines=[each for kernel in package.kernels for each in _subroutines(package, kernel)],
        defaults=_defaults(package),
        batches=list(batch_subroutines(package)),
        lanes=STATES_OF_BLOCK,
        steps=list(steps(package)),
        helpers=helpers_of(HELPERS, operations),
    )
    return (SourceFile(f"{name}.f90", module),)


@dataclass(frozen=True)
class _Subroutine:
    """A kernel for the templates."""

    symbol: str
    summary: str
    arguments: str
    opening: list[str]
    declarations: list[str]
    unread: list[str]
    paragraphs: list[Paragraph]
    segments: list[FortranSegment] = field(default_factory=list)
    is_public: bool = True


def _subroutines(package: Package, kernel: Kernel) -> list[_Subroutine]:
    """Return the subroutine of a kernel; the subroutine that it calls, if any, comes first."""
    if kernel.calls is None:
        return [_subroutine(package, kernel, printer_of(package, kernel))]
    called = replace(kernel, program=kernel.calls.program, calls=None)
    symbol = prefixed_symbol(package.prefix, kernel.function)
    routine = called.routine(check_name(f"{symbol}_stage"))
    inner = _routine_printer(package, routine)
    stage = replace(
        _subroutine(package, called, inner),
        summary=f"Subroutine that {symbol} calls at every stage.",
        opening=inner.opening(is_bound=False),
        is_public=False,
    )
    printer = FortranCallPrinter(
        Routine(symbol, kernel.program.signature), package.real, f"{package.prefix}_n"
    )
    paragraphs = printer.calls(kernel.calls, routine.symbol)
    whole = replace(
        stage,
        symbol=symbol,
        summary=documentation.explained(package, kernel, "  ! "),
        arguments=documentation.comment_block(
            documentation.argument_lines(kernel.program.signature), "  !   "
        ),
        opening=printer.opening(),
        declarations=[*printer.argument_declarations(), *printer.local_declarations(kernel.calls)],
        unread=[],
        paragraphs=paragraphs,
        segments=[],
        is_public=True,
    )
    return [stage, whole]


def _subroutine(package: Package, kernel: Kernel, printer: FortranPrinter) -> _Subroutine:
    """Return a kernel with all statements, in segments if it is long."""
    whole = _Subroutine(
        symbol=printer.routine.symbol,
        summary=documentation.explained(package, kernel, "  ! "),
        arguments=documentation.comment_block(
            documentation.argument_lines(kernel.program.signature), "  !   "
        ),
        opening=printer.opening(),
        declarations=[
            *printer.argument_declarations(),
            *printer.value_declarations(),
            *printer.step_declarations(),
        ],
        unread=printer.unread_inputs(),
        paragraphs=printer.whole(),
    )
    # gfortran's time, too, grows faster than a function's length.
    segmentation = divide(printer.listing, package.longest)
    return whole if segmentation.is_whole else _in_segments(whole, printer, segmentation)


def _in_segments(
    whole: _Subroutine, printer: FortranPrinter, segmentation: Segmentation
) -> _Subroutine:
    """Return the same kernel as a caller of internal subroutines."""
    return replace(
        whole,
        declarations=[
            *printer.argument_declarations(),
            *printer.value_declarations(segmentation.kept),
            *printer.step_declarations(),
        ],
        paragraphs=segment_calls(printer, segmentation),
        segments=list(internal_subroutines(printer, segmentation)),
    )


def printer_of(package: Package, kernel: Kernel) -> FortranPrinter:
    """Return the printer of a kernel for one state."""
    return _routine_printer(
        package, kernel.routine(check_name(prefixed_symbol(package.prefix, kernel.function)))
    )


def _routine_printer(package: Package, routine: Routine) -> FortranPrinter:
    """Return the printer of a routine for one state."""
    return FortranPrinter(
        routine, package.real, f"{package.prefix}_n", in_fours=package.trig == VECTOR
    )


def _defaults(package: Package) -> str:
    """Return default values of the run-time parameters, in the lines of an array constructor."""
    numbers = ", ".join(
        f"{shortest_decimal(parameter.value, package.real)}_wp" for parameter in package.parameters
    )
    return " &\n".join(
        _INDENT + line for line in wrap(numbers, WIDTH - 2 * len(_INDENT), break_on_hyphens=False)
    )


# Names that the templates use.
_TAKEN = ("wp", "c_int", "states", "wrong", "k", "count_wrong", "count", "abs")
_MOST = 500  # numbers in a statement; the standard allows at most 255 continuation lines
_STEP = "  "


def spelling(package: Package) -> Spelling:
    """Return the syntax of Fortran for the example and the golden test."""
    prefix = package.prefix
    symbols = [prefixed_symbol(prefix, kernel.function) for kernel in package.kernels]

    def called(call: Call, of_state: bool = False) -> Iterator[str]:
        """Write a call, or the call for state k of a test."""
        taken = [_of_state(table) for table in call.inputs] if of_state else call.taken
        symbol = prefixed_symbol(prefix, call.kernel.function)
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
            "subscripts": subscripts,
            "called": called,
            "continued": continue_lines,
            "data": _data,
        },
    )


def readme_values(package: Package) -> dict[str, Any]:
    """Return the call of the first batch kernel, and options."""
    return {
        "batch": next((each.call for each in batch_subroutines(package)), ""),
        "one_step": package.trig == VECTOR,
        "threads": package.threads,
    }


def _of_state(table: NumberTable) -> str:
    """Return the values of state k in a table."""
    return f"{table.name}(:, k)" if table.argument.shape else f"{table.name}(k)"


def _data(table: NumberTable, of_states: bool = True) -> Iterator[str]:
    """Yield statements that initialise a table, the elements of each state column-major.

    Args:
        table: table to initialise.
        of_states: whether the last subscript counts states; otherwise the table has one row.
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
    """Yield statements that initialise an array, or one state of a table."""
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
