"""Printer of Fortran: declarations and statements, in one piece, in segments, or as calls.

A segment is an internal subroutine of the kernel, which has access to the kernel's arguments and
shared values. A kernel that consists of calls calls another subroutine of its module, and adds
whole arrays between the calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from textwrap import wrap

from dynagen.codegen.naming import assigned_names
from dynagen.codegen.printing import (
    WIDTH,
    CallPrinter,
    Calls,
    Helper,
    Paragraph,
    Printer,
    break_line,
    heading,
)
from dynagen.codegen.routine import Routine
from dynagen.codegen.segments import Segmentation, runs
from dynagen.codegen.trigonometry import AT_ONCE, angles_first
from dynagen.errors import UsageError
from dynagen.ir.program import STATUS, Argument, Element, Operation
from dynagen.ir.statements import SineCosine, Store
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import DOUBLE, FLOAT, Real
from dynagen.robot.names import MAX_NAME

_INDENT = "    "
_FUNCTIONS = {
    Operation.SINE: "sin",
    Operation.COSINE: "cos",
    Operation.SQRT: "sqrt",
    Operation.ABSOLUTE: "abs",
    Operation.SIGN: "sign_of",
    Operation.HYPERBOLIC_TANGENT: "tanh",
    Operation.EXPONENTIAL: "exp",
    Operation.MINIMUM: "min_of",
    Operation.MAXIMUM: "max_of",
}
# Fortran reserves no words, but keywords as names are hard to read.
_WORDS = """
    allocatable allocate associate block call character common complex contains cycle data dimension
    elemental end endif enddo entry equivalence exit external format function implicit import
    integer intent interface intrinsic kind logical module none only optional parameter pointer
    procedure program pure read real recursive result save select stop subroutine target then type
    use where write
"""
WORDS = {"Fortran": frozenset(_WORDS.split())}
FOUR = "sines_and_cosines_of_four"
"""The subroutine of the module that computes sines and cosines of four angles in one step."""
RESERVED = frozenset({"wp", "unused", "merge", "c_int", FOUR, *_FUNCTIONS.values()})
"""Names that kernels use."""
# Fortran's own functions need not return NaN for NaN.
HELPERS = {
    Operation.SIGN: Helper("sign_of", ("x",), "merge(sign(1.0_wp, x), x, x < 0 .or. x > 0)"),
    Operation.MINIMUM: Helper("min_of", ("x", "y"), "merge(x, merge(y, x + y, y <= x), x <= y)"),
    Operation.MAXIMUM: Helper("max_of", ("x", "y"), "merge(x, merge(y, x + y, y >= x), x >= y)"),
}
# The kind of a real number in iso_c_binding.
KINDS = {DOUBLE: "c_double", FLOAT: "c_float"}


def check_name(name: str) -> str:
    """Return a name after checking its length.

    Raises:
        UsageError: the name is longer than Fortran allows.
    """
    if len(name) > MAX_NAME:
        raise UsageError(
            f"the Fortran name {name} is longer than {MAX_NAME} characters; choose a shorter "
            "--prefix"
        )
    return name


class FortranPrinter(Printer):
    """Printer of a routine as Fortran.

    Attributes:
        step_arrays: names of arrays of four angles, sines and cosines; empty if sines and cosines
            are computed one by one.
    """

    def __init__(self, routine: Routine, real: Real, *taken: str, in_fours: bool = False) -> None:
        """Claim all names of the routine.

        Args:
            routine: routine to print; without a program it can only be declared.
            real: type of its numbers.
            taken: names that it must not use.
            in_fours: whether the module's subroutine computes sines and cosines, four at a time.
        """
        super().__init__(routine, real, RESERVED.union(taken))
        for name in self.names.values():
            check_name(name)
        self.step_arrays: tuple[str, ...] = ()
        if in_fours and any(
            isinstance(statement, SineCosine)
            for block in self.listing.blocks
            for statement in block.statements
        ):
            # Angles together at the front fill the steps of four.
            self.listing = angles_first(self.listing)
            self.step_arrays = tuple(map(self.table.claim, ("angles", "sines", "cosines")))

    def literal(self, value: Exact) -> str:
        """Return a number of the kind wp."""
        return f"{self.decimal(value)}_wp"

    def element(self, element: Element) -> str:
        """Return an element by its subscripts."""
        return subscript(self.names[element.argument], self.subscripts(element, 1))

    def function(self, operation: Operation) -> str:
        """Return an intrinsic function, or a helper of the module."""
        return _FUNCTIONS[operation]

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Yield an assignment, continued over several lines if necessary."""
        yield from continue_lines(f"{_INDENT}{name} = {expression}")

    def store(self, store: Store) -> Iterator[str]:
        """Yield an assignment to an element of a result."""
        yield from self.assign(self.element(store.place), self.expression(store.value))

    def statuses(self) -> list[str]:
        """Return the line that computes the status; empty if the routine cannot fail."""
        status = self.status()
        return (
            []
            if status is None
            else list(self.assign(self.names[STATUS], f"merge(0_c_int, 1_c_int, {status} > 0)"))
        )

    def opening(self, is_bound: bool = True) -> list[str]:
        """Return the subroutine statement of a routine for one state."""
        return subroutine_statement(self.routine.symbol, self.argument_names(), is_bound)

    def argument_declarations(self) -> list[str]:
        """Return the arguments of a routine for one state, one per line."""
        return [
            self.declared_argument(argument, extents(argument))
            for argument in self.signature.arguments
        ]

    def declared_argument(
        self, argument: Argument, shape: Sequence[str], of_outputs: str = "out"
    ) -> str:
        """Return an argument's declaration with these extents.

        `of_outputs` is the intent of outputs.
        """
        intent = "in" if argument in self.signature.inputs else of_outputs
        name = subscript(self.names[argument.name], shape)
        return f"{_INDENT}{kind_of(argument)}, intent({intent}) :: {name}"

    def value_declarations(self, values: Iterable[str] | None = None) -> list[str]:
        """Return declarations of local values: of the whole listing by default."""
        values = assigned_names(self.listing) if values is None else values
        return declare_values("real(wp) ::", [self.names[name] for name in values])

    def step_declarations(self) -> list[str]:
        """Return declarations of the arrays of a step; empty if there are no steps."""
        return declare_values("real(wp) ::", [f"{name}({AT_ONCE})" for name in self.step_arrays])

    def declaration(self) -> str:
        """Return the interface of a routine for one state, for its callers."""
        lines = [
            *self.opening(),
            f"{_INDENT}import :: wp, c_int, c_size_t",
            *self.argument_declarations(),
            "  end subroutine",
        ]
        return "\n".join(lines)

    def argument_names(self) -> list[str]:
        """Return the legal names of all arguments."""
        return [self.names[argument.name] for argument in self.signature.arguments]

    def step(self, taken: Sequence[SineCosine]) -> Iterator[str]:
        """Yield one call for up to four angles; missing ones are zero."""
        if not self.step_arrays:
            yield from super().step(taken)
            return
        angles, sines, cosines = self.step_arrays
        numbers = [
            *(self.expression(argument.angle) for argument in taken),
            *["0.0_wp"] * (AT_ONCE - len(taken)),
        ]
        yield from self.assign(angles, f"[{', '.join(numbers)}]")
        yield f"{_INDENT}call {FOUR}({', '.join(self.step_arrays)})"
        for name, array, place in self.found_in(taken, sines, cosines):
            yield from self.assign(name, f"{array}({place + 1})")


def kind_of(argument: Argument) -> str:
    """Return the type of an argument."""
    return "integer(c_int)" if argument.is_status else "real(wp)"


def extents(argument: Argument) -> list[str]:
    """Return the extents of an argument for one state; empty for a number and for the status."""
    return [] if argument.is_status else list(map(str, argument.shape))


def subscript(name: str, subscripts: Sequence[str]) -> str:
    """Return a name with extents or subscripts, if any."""
    return f"{name}({', '.join(subscripts)})" if subscripts else name


def subroutine_statement(
    name: str, arguments: Sequence[str], is_bound: bool = True, prefix: str = ""
) -> list[str]:
    """Return a subroutine statement in lines."""
    binding = f'bind(c, name="{name}")'
    head, listed = f"  {prefix}subroutine {name}(", ", ".join(arguments)
    line = f"{head}{listed})" + (f" {binding}" if is_bound else "")
    if len(line) <= WIDTH:
        return [line]
    # Six columns of indentation, then a space and an ampersand at the end.
    broken = wrap(
        f"{listed})", WIDTH - len("       &"), break_long_words=False, break_on_hyphens=False
    )
    *lines, last = [
        head,
        *(f"      {each}" for each in broken),
        *([f"      {binding}"] if is_bound else []),
    ]
    return [*(f"{each} &" for each in lines), last]


def declare_values(head: str, items: Sequence[str]) -> list[str]:
    """Return declarations of local values, as many per line as fit."""
    width = WIDTH - len(f"{_INDENT}{head} ") + len(",")  # the comma at the end is removed
    lines = wrap(
        "".join(f"{item}, " for item in items),
        width,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [f"{_INDENT}{head} {line.rstrip(',')}" for line in lines]


def continue_lines(statement: str) -> Iterator[str]:
    """Yield a statement in continued lines."""
    *lines, last = break_line(statement, 2 * _INDENT, WIDTH - len(" &"))
    yield from (f"{line} &" for line in lines)
    yield last


class FortranCallPrinter(CallPrinter, FortranPrinter):
    """Printer of a subroutine that consists of calls."""

    _failed = ""  # name of the status of one call

    def before(self, calls: Calls) -> Iterator[str]:
        """Yield the lines that compute the factors."""
        self._failed = self.table.claim("failed") if self.signature.can_fail else ""
        return super().before(calls)

    def local_declarations(self, calls: Calls) -> list[str]:
        """Return declarations of local values, after the statements have been printed."""
        return [
            *declare_values("real(wp) ::", [self.names[name] for name in calls.factors]),
            *declare_values(
                "real(wp) ::", [f"{self.names[name]}({calls.size})" for name in calls.vectors]
            ),
            *([f"{_INDENT}integer(c_int) :: {self._failed}"] if self._failed else []),
        ]

    def call(self, symbol: str, taken: Sequence[str], result: str, first: bool) -> Iterator[str]:
        """Yield a call, and the largest status so far."""
        status = [self.names[STATUS] if first else self._failed] if self.signature.can_fail else []
        yield from continue_lines(f"{_INDENT}call {symbol}({', '.join([*taken, result, *status])})")
        if status and not first:
            yield from self.assign(self.names[STATUS], f"max({self.names[STATUS]}, {self._failed})")


@dataclass(frozen=True)
class FortranSegment:
    """An internal subroutine: title, name, local values and statements."""

    title: str
    symbol: str
    declarations: list[str]
    paragraphs: list[Paragraph]


def internal_subroutines(
    printer: FortranPrinter, segmentation: Segmentation
) -> Iterator[FortranSegment]:
    """Yield the internal subroutines, in order."""
    for number, segment in enumerate(segmentation.segments, 1):
        local = [name for name in segment.assigned if name not in segmentation.kept]
        results = tuple(line for run in runs(segment.stores) for line in _store(printer, run))
        paragraphs = [printer.paragraph(block) for block in segment.blocks]
        yield FortranSegment(
            heading(segmentation, number),
            _symbol(number),
            printer.value_declarations(local),
            [*paragraphs, *([Paragraph("Results", results)] if results else [])],
        )


def segment_calls(printer: FortranPrinter, segmentation: Segmentation) -> list[Paragraph]:
    """Return the statements of the kernel, which calls the segments."""
    lines = [
        f"{_INDENT}call {_symbol(number)}()" for number in range(1, len(segmentation.segments) + 1)
    ]
    return [Paragraph("", (*lines, *printer.statuses()))]


def _symbol(number: int) -> str:
    return f"segment_{number}"


def _store(printer: FortranPrinter, run: Sequence[Store]) -> Iterator[str]:
    """Yield the store of one result, or of one number in consecutive places, row by row."""
    name, value = printer.names[run[0][0].argument], printer.expression(run[0][1])
    if len(run) == 1:
        yield from printer.assign(printer.element(run[0][0]), value)
        return
    subscripts = (printer.subscripts(place, 1) for place, _ in run)
    # An array section is contiguous in the last subscript only.
    for row, places in groupby(subscripts, lambda each: each[:-1]):
        columns = [each[-1] for each in places]
        extent = columns[0] if len(columns) == 1 else f"{columns[0]}:{columns[-1]}"
        yield from printer.assign(subscript(name, [*row, extent]), value)
