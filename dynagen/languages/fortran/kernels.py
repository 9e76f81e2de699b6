"""Fortran 2008, free form: one module whose subroutines can be called from C too."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from textwrap import wrap

from dynagen.ir.segments import Segmentation, divide
from dynagen.languages import documentation
from dynagen.languages.fortran.batch import STATES_OF_BLOCK, batch_subroutines
from dynagen.languages.fortran.calls import FortranCallPrinter
from dynagen.languages.fortran.printer import HELPERS, KINDS, FortranPrinter, checked_name
from dynagen.languages.fortran.segments import FortranSegment, internal_subroutines, segment_calls
from dynagen.languages.fortran.trigonometry import steps
from dynagen.languages.naming import prefixed_symbol
from dynagen.languages.package import VECTOR, Kernel, Package, SourceFile
from dynagen.languages.printing import WIDTH, Paragraph, helpers_of, shortest_decimal
from dynagen.languages.routine import Routine
from dynagen.languages.templating import fill
from dynagen.robot.names import identifier

_INDENT = "    "


def constant(prefix: str, parameter: str) -> str:
    """`<prefix>_p_<parameter>`."""
    return checked_name(f"{prefix}_p_{identifier(parameter)}")


def kernel_path(package: Package, kernel: Kernel) -> str:
    """All kernels are in one module."""
    return f"{package.prefix}_dynamics.f90"


def batch_path(package: Package, kernel: Kernel) -> str:
    """Return the same file for a kernel over lanes, empty if there is none."""
    return kernel_path(package, kernel) if package.has_batch(kernel) else ""


def print_kernels(package: Package) -> tuple[SourceFile, ...]:
    """The module.

    Raises:
        UsageError: a name is longer than Fortran's 63 characters.
    """
    operations = {
        each.operation for kernel in package.kernels for each in kernel.printed.instructions
    }
    name = checked_name(f"{package.prefix}_dynamics")
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
    """A kernel as the templates see it."""

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
    """The subroutine of a kernel; before it, what it calls."""
    if kernel.calls is None:
        return [_subroutine(package, kernel, printer_of(package, kernel))]
    called = replace(kernel, program=kernel.calls.program, calls=None)
    symbol = prefixed_symbol(package.prefix, kernel.function)
    routine = called.routine(checked_name(f"{symbol}_stage"))
    inner = _printed(package, routine)
    stage = replace(
        _subroutine(package, called, inner),
        summary=f"What {symbol} calls at every stage.",
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
    segmentation = divide(printer.listing, package.longest)
    return whole if segmentation.is_whole else _in_segments(whole, printer, segmentation)


def _in_segments(
    whole: _Subroutine, printer: FortranPrinter, segmentation: Segmentation
) -> _Subroutine:
    """The same kernel as a caller of internal subroutines."""
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
    """The printer of a kernel for one state."""
    return _printed(
        package, kernel.routine(checked_name(prefixed_symbol(package.prefix, kernel.function)))
    )


def _printed(package: Package, routine: Routine) -> FortranPrinter:
    return FortranPrinter(
        routine, package.real, f"{package.prefix}_n", in_fours=package.trig == VECTOR
    )


def _defaults(package: Package) -> str:
    """Default values of the run-time parameters, in the lines of an array constructor."""
    numbers = ", ".join(
        f"{shortest_decimal(parameter.value, package.real)}_wp" for parameter in package.parameters
    )
    return " &\n".join(
        _INDENT + line for line in wrap(numbers, WIDTH - 2 * len(_INDENT), break_on_hyphens=False)
    )
