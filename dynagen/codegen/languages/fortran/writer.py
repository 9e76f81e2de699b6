"""Writer of Fortran code: reserved names, kinds of real numbers, declarations and statements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from textwrap import wrap

from dynagen.codegen.layouts import APART, SHARED, Conventions
from dynagen.codegen.printing import WIDTH, Helper, break_line, list_subscripts
from dynagen.codegen.tree import AngleStep, Call, Fill, Segment, Vectors
from dynagen.codegen.trigonometry import AT_ONCE
from dynagen.codegen.writer import Writer
from dynagen.errors import UsageError
from dynagen.ir.program import Argument, Element, Operation
from dynagen.ir.statements import Expression
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import DOUBLE, FLOAT
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
FOUR = "sines_and_cosines_of_four"
"""Name of the Fortran subroutine that computes sines and cosines of four angles in one step."""
RESERVED = frozenset({"wp", "unused", "merge", "c_int", FOUR, *_FUNCTIONS.values()})
"""Names that arguments and values in Fortran kernels must not have, because they are in use."""
# Fortran's own functions need not return NaN for NaN.
HELPERS = {
    Operation.SIGN: Helper("sign_of", ("x",), "merge(sign(1.0_wp, x), x, x < 0 .or. x > 0)"),
    Operation.MINIMUM: Helper("min_of", ("x", "y"), "merge(x, merge(y, x + y, y <= x), x <= y)"),
    Operation.MAXIMUM: Helper("max_of", ("x", "y"), "merge(x, merge(y, x + y, y >= x), x >= y)"),
}
# The kind of a real number in iso_c_binding.
KINDS = {DOUBLE: "c_double", FLOAT: "c_float"}


def check_name(name: str) -> str:
    """Return a Fortran name unchanged after checking that it has at most 63 characters.

    Raises:
        UsageError: the name is longer than Fortran allows.
    """
    if len(name) > MAX_NAME:
        raise UsageError(
            f"the Fortran name {name} is longer than {MAX_NAME} characters; choose a shorter "
            "--prefix"
        )
    return name


def make_conventions(*taken: str, in_fours: bool = False) -> Conventions:
    """Return the rules for names and statements of a Fortran subroutine.

    Args:
        taken: names that the subroutine must not use.
        in_fours: whether a subroutine of the module computes sines and cosines of four angles at a
            time.
    """
    return Conventions(
        RESERVED.union(taken), angles=SHARED if in_fours else APART, check=check_name
    )


class FortranWriter(Writer):
    """Writer of Fortran subroutines for one state."""

    def print_literal(self, value: Exact) -> str:
        """Return a number as a Fortran literal of the kind `wp`, such as `1.0_wp`."""
        return f"{self.print_decimal(value)}_wp"

    def print_element(self, element: Element) -> str:
        """Return the Fortran text of an argument's element, such as `m(1, 2)`."""
        return subscript(element.argument, self.list_subscripts(element))

    def list_subscripts(self, element: Element) -> list[str]:
        """Return the Fortran subscripts of an argument's element, one for each axis, from 1."""
        return list_subscripts(self.arguments[element.argument], element.index, 1)

    def name_function(self, operation: Operation) -> str:
        """Return the name of the Fortran function that computes an operation.

        It is an intrinsic function, or a function that the generated module defines.
        """
        return _FUNCTIONS[operation]

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Yield a Fortran assignment of the text `expression` to the text `name`, in lines."""
        yield from continue_lines(f"{self.indent}{name} = {expression}")

    def store(self, place: Element, value: Expression) -> Iterator[str]:
        """Yield a Fortran assignment of a value to an element of an output array."""
        yield from self.assign(self.print_element(place), self.print_expression(value))

    def fill(self, fill: Fill) -> Iterator[str]:
        """Yield Fortran assignments of one number to consecutive elements, by rows of an array."""
        places = range(fill.first, fill.last + 1)
        found = (self.list_subscripts(Element(fill.array, index)) for index in places)
        # An array section is contiguous in the last subscript only.
        for row, section in groupby(found, lambda each: each[:-1]):
            columns = [each[-1] for each in section]
            extent = columns[0] if len(columns) == 1 else f"{columns[0]}:{columns[-1]}"
            yield from self.assign(
                subscript(fill.array, [*row, extent]), self.print_expression(fill.value)
            )

    def write_status_code(self, name: str, value: str) -> Iterator[str]:
        """Yield the Fortran line that sets the status `name`: 0 if `value` is positive, else 1."""
        yield from self.assign(self.print_name(name), f"merge(0_c_int, 1_c_int, {value} > 0)")

    def write_angle_step(self, step: AngleStep) -> Iterator[str]:
        """Yield a Fortran call for sines and cosines of up to four angles (rad)."""
        if not step.arrays:
            yield from super().write_angle_step(step)
            return
        angles, sines, cosines = step.arrays
        numbers = [self.print_expression(angle.angle) for angle in step.angles]
        numbers += ["0.0_wp"] * (AT_ONCE - len(numbers))
        yield from self.assign(angles, f"[{', '.join(numbers)}]")
        yield f"{self.indent}call {FOUR}({angles}, {sines}, {cosines})"
        for name, array, place in step.results:
            yield from self.assign(self.print_name(name), f"{array}({place + 1})")

    def call(self, call: Call) -> Iterator[str]:
        """Yield a Fortran call, and keep the largest status code (0 or 1) of all calls so far."""
        status = [call.failed or call.status] if call.status else []
        passed = ", ".join([*call.inputs, call.result, *status])
        yield from continue_lines(f"{self.indent}call {call.function}({passed})")
        if call.failed:
            yield from self.assign(call.status, f"max({call.status}, {call.failed})")

    def call_segment(self, segment: Segment) -> Iterator[str]:
        """Yield the Fortran call of a segment (part of a long kernel), an internal subroutine."""
        yield f"{self.indent}call {name_segment(segment)}()"

    def write_opening(self, is_bound: bool = True) -> list[str]:
        """Return the `subroutine` statement of the function, in lines.

        `is_bound` is whether to add `bind(c)`, which lets C call the subroutine.
        """
        return write_subroutine_statement(self.tree.symbol, list(self.arguments), is_bound)

    def write_declarations(self) -> list[str]:
        """Return the Fortran declarations of arguments and local values, in lines."""
        nodes = [node for section in self.tree.sections for node in section.nodes]
        vectors = [node for node in nodes if isinstance(node, Vectors)]
        failed = {node.failed: None for node in nodes if isinstance(node, Call) and node.failed}
        return [
            *self.declare_arguments(),
            *declare_values("real(wp) ::", self.tree.values or self.tree.kept),
            *declare_values(
                "real(wp) ::", [f"{name}({each.size})" for each in vectors for name in each.names]
            ),
            *(f"{self.indent}integer(c_int) :: {name}" for name in failed),
            *declare_values("real(wp) ::", [f"{name}({AT_ONCE})" for name in self.tree.arrays]),
        ]

    def declare_arguments(self) -> list[str]:
        """Return the Fortran declarations of the arguments for one state, one per line."""
        return [
            self.declare(argument, list_extents(argument)) for argument in self.arguments.values()
        ]

    def declare(self, argument: Argument, shape: Sequence[str], of_outputs: str = "out") -> str:
        """Return the Fortran declaration of an argument; `shape` lists its extents as texts.

        `of_outputs` is the intent of outputs: `out` or `inout`.
        """
        intent = "in" if argument in self.tree.signature.inputs else of_outputs
        name = subscript(argument.name, shape)
        return f"{self.indent}{format_type(argument)}, intent({intent}) :: {name}"

    def write_interface(self) -> str:
        """Return the Fortran interface block with which a caller declares the subroutine."""
        lines = [
            *self.write_opening(),
            f"{self.indent}import :: wp, c_int, c_size_t",
            *self.declare_arguments(),
            "  end subroutine",
        ]
        return "\n".join(lines)


def name_segment(segment: Segment) -> str:
    """Return `segment_<number>`, the internal subroutine for a segment (part) of a kernel."""
    return f"segment_{segment.number}"


def format_type(argument: Argument) -> str:
    """Return the Fortran type of an argument: `real(wp)`, or `integer(c_int)` for the status."""
    return "integer(c_int)" if argument.is_status else "real(wp)"


def list_extents(argument: Argument) -> list[str]:
    """Return an argument's extents for one state, as texts; empty for a scalar and the status."""
    return [] if argument.is_status else list(map(str, argument.shape))


def subscript(name: str, subscripts: Sequence[str]) -> str:
    """Return `name(s1, s2)` with subscripts or extents, or `name` if the list is empty."""
    return f"{name}({', '.join(subscripts)})" if subscripts else name


def write_subroutine_statement(
    name: str, arguments: Sequence[str], is_bound: bool = True, prefix: str = ""
) -> list[str]:
    """Return a Fortran `subroutine` statement, in as many lines as needed.

    Args:
        name: name of the subroutine.
        arguments: names of the arguments.
        is_bound: whether to add `bind(c)`, which lets C call the subroutine.
        prefix: words before `subroutine`, such as `recursive `.
    """
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


def declare_values(head: str, items: Iterable[str]) -> list[str]:
    """Return Fortran declarations of local values, as many per line as fit.

    Args:
        head: type with `::`, such as `real(wp) ::`.
        items: names, with extents in parentheses for arrays.
    """
    width = WIDTH - len(f"{_INDENT}{head} ") + len(",")  # the comma at the end is removed
    lines = wrap(
        "".join(f"{item}, " for item in items),
        width,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [f"{_INDENT}{head} {line.rstrip(',')}" for line in lines]


def continue_lines(statement: str) -> Iterator[str]:
    """Yield a Fortran statement in lines of at most 100 characters; all but the last end in `&`."""
    *lines, last = break_line(statement, 2 * _INDENT, WIDTH - len(" &"))
    yield from (f"{line} &" for line in lines)
    yield last
