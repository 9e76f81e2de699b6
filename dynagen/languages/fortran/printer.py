"""Routine -> Fortran: its declarations, its statements, and how it is called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap

from dynagen.description.names import MAX_NAME
from dynagen.errors import UsageError
from dynagen.ir.interface import PARAMS, STATUS
from dynagen.ir.program import Argument, Element, Operation
from dynagen.languages.naming import assigned_names
from dynagen.languages.printing import WIDTH, Helper, Paragraph, Printer, break_line, shape_text
from dynagen.languages.routine import Routine, StateLoop
from dynagen.numbers.exact import Exact
from dynagen.real import DOUBLE, FLOAT, Real

_INDENT = " " * 4
_FUNCTIONS = {
    Operation.SQRT: "sqrt",
    Operation.ABSOLUTE: "abs",
    Operation.SIGN: "sign_of",
    Operation.HYPERBOLIC_TANGENT: "tanh",
    Operation.EXPONENTIAL: "exp",
    Operation.MINIMUM: "min_of",
    Operation.MAXIMUM: "max_of",
}
# Fortran reserves no words, but reads badly where they are names.
_WORDS = """
    allocatable allocate associate block call character common complex contains cycle data dimension elemental end endif enddo
    entry equivalence exit external format function implicit import integer intent interface intrinsic kind logical module none
    only optional parameter pointer procedure program pure read real recursive result save select stop subroutine target then
    type use where write
"""
WORDS = {"Fortran": frozenset(_WORDS.split())}
# The names that a kernel uses.
_RESERVED = frozenset({"wp", "unused", "sin", "cos", "merge", "c_int", *_FUNCTIONS.values()})


# Fortran's own may lose NaN.
HELPERS = {
    Operation.SIGN: Helper("sign_of", ("x",), "merge(sign(1.0_wp, x), x, x < 0 .or. x > 0)"),
    Operation.MINIMUM: Helper("min_of", ("x", "y"), "merge(x, merge(y, x + y, y <= x), x <= y)"),
    Operation.MAXIMUM: Helper("max_of", ("x", "y"), "merge(x, merge(y, x + y, y >= x), x >= y)"),
}
# The kind of a real number in iso_c_binding.
KINDS = {DOUBLE: "c_double", FLOAT: "c_float"}


def checked_name(name: str) -> str:
    """A name, if Fortran takes it.

    Raises:
        UsageError: it is too long.
    """
    if len(name) > MAX_NAME:
        raise UsageError(f"the Fortran name {name} is longer than {MAX_NAME} characters; choose a shorter --prefix")
    return name


class FortranPrinter(Printer):
    """Prints a routine as Fortran; names that it must leave to others are `taken`."""

    def __init__(self, routine: Routine, real: Real, *taken: str) -> None:
        super().__init__(routine, real, _RESERVED.union(taken))
        for name in self.names.values():
            checked_name(name)

    def literal(self, value: Exact) -> str:
        """A number of the kind wp."""
        return f"{self.decimal(value)}_wp"

    def element(self, element: Element) -> str:
        """An element by its subscripts."""
        subscripts = self.subscripts(element, 1)
        return f"{self.names[element.argument]}({subscripts})" if subscripts else self.names[element.argument]

    def function(self, operation: Operation) -> str:
        """An intrinsic function, or a helper of the module."""
        return _FUNCTIONS[operation]

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """An assignment, continued over lines if need be."""
        yield from continued(f"{_INDENT}{name} = {expression}")

    def assign_sine_cosine(self, angle: str, sine: str | None, cosine: str | None) -> Iterator[str]:
        """Call the intrinsic functions."""
        if sine:
            yield from self.assign(sine, f"sin({angle})")
        if cosine:
            yield from self.assign(cosine, f"cos({angle})")

    def stores(self) -> Paragraph:
        """Store the results."""
        stores = (self.assign(self.element(target), self.expression(value)) for target, value in self.results())
        return Paragraph("Results", (*(line for lines in stores for line in lines), *self.statuses()))

    def statuses(self) -> list[str]:
        """The line that says whether all went well; none if nothing can fail."""
        status = self.status()
        return [] if status is None else [f"{_INDENT}{self.names[STATUS]} = merge(0_c_int, 1_c_int, {status} > 0)"]

    def opening(self, is_bound: bool = True) -> list[str]:
        """The subroutine statement of a routine for one state, with a C binding or without."""
        return _opening(self.routine.symbol, self._argument_list(), is_bound)

    def argument_declarations(self, *states: str) -> list[str]:
        """Arguments one a line; arrays over states where their number is named."""
        declarations = [f"real(wp), intent(in) :: {self._dimensioned(each, *states)}" for each in self.signature.inputs]
        declarations += [f"real(wp), intent(out) :: {self._dimensioned(each, *states)}" for each in self.signature.results]
        if self.signature.can_fail:
            declarations.append(
                f"integer(c_int), intent(out) :: {self.names[STATUS]}{''.join(f'({each})' for each in states)}"
            )
        return [_INDENT + declaration for declaration in declarations]

    def value_declarations(self, values: Iterable[str] | None = None) -> list[str]:
        """The local values: those of the whole listing, or some of them."""
        head = f"{_INDENT}real(wp) ::"
        lines = [head]
        for name in assigned_names(self.listing) if values is None else values:
            item = f" {self.names[name]}"
            if lines[-1] != head and len(lines[-1]) + len(item) + 1 > WIDTH:
                lines.append(head)
            lines[-1] += item if lines[-1] == head else f",{item}"
        return lines if lines != [head] else []

    def declaration(self) -> str:
        """The interface of a routine for one state, as those who call it see it."""
        lines = [*self.opening(), f"{_INDENT}import :: wp, c_int", *self.argument_declarations(), "  end subroutine"]
        return "\n".join(lines)

    def loop(self, loop: StateLoop) -> str:
        """The subroutine that calls a kernel for every state."""
        count, state = checked_name(self.table.claim("count")), self.table.claim("state")
        arguments = self.signature.arguments
        slices = [":, " * len(each.shape) if not each.is_status else "" for each in arguments]
        passed = [f"{self.names[each.name]}({colons}{state})" for each, colons in zip(arguments, slices, strict=True)]
        lines = [
            *_opening(self.routine.symbol, f"{count}, {self._argument_list()}"),
            f"{_INDENT}integer(c_size_t), value :: {count}",
            *self.argument_declarations(count),
            f"{_INDENT}integer(c_size_t) :: {state}",
            f"{_INDENT}do {state} = 1, {count}",
            f"{_INDENT}  call {loop.kernel}( &",
            ", &\n".join(f"{_INDENT}    {each}" for each in passed) + ")",
            f"{_INDENT}end do",
            "  end subroutine",
        ]
        return "\n".join(lines)

    def example(self) -> tuple[str, str]:
        """The arrays of a call, and the call; run-time parameters have been prepared before."""
        new = [argument for argument in self.signature.arguments if argument.name != PARAMS and not argument.is_status]
        declarations = [f"real({KINDS[self.real]}) :: {self._dimensioned(argument)}" for argument in new]
        given = [argument for argument in new if argument in self.signature.inputs]
        zeros = [f"{self.names[argument.name]} = 0" for argument in given]
        zeros += [f"{self.names[argument.name]}({one + 1}) = 1" for argument in given for one in argument.ones]
        return "\n".join(declarations), "\n".join([*zeros, f"call {self.routine.symbol}({self._argument_list()})"])

    def _argument_list(self) -> str:
        return ", ".join(self.names[argument.name] for argument in self.signature.arguments)

    def _dimensioned(self, argument: Argument, *states: str) -> str:
        extents = ", ".join(filter(None, (shape_text(argument), *states)))
        return f"{self.names[argument.name]}({extents})" if extents else self.names[argument.name]


def _opening(name: str, arguments: str, is_bound: bool = True) -> list[str]:
    """A subroutine statement."""
    binding = f'bind(c, name="{name}")'
    line = f"  subroutine {name}({arguments})" + (f" {binding}" if is_bound else "")
    if len(line) <= WIDTH:
        return [line]
    listed = wrap(f"{arguments})", WIDTH - len("       &"), break_long_words=False, break_on_hyphens=False)
    *lines, last = [
        f"  subroutine {name}(",
        *(f"      {each}" for each in listed),
        *([f"      {binding}"] if is_bound else []),
    ]
    return [*(f"{each} &" for each in lines), last]


def continued(statement: str) -> Iterator[str]:
    """A statement in lines that are continued."""
    *lines, last = break_line(statement, 2 * _INDENT, WIDTH - len(" &"))
    yield from (f"{line} &" for line in lines)
    yield last
