"""Writer of C code: reserved words, real numbers, declarations and statements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from dynagen.codegen.c_statements import (
    HELPERS,
    MATH_FUNCTIONS,
    REAL_TYPES,
    RESERVED,
    TRIGONOMETRIC,
    CStatementWriter,
    declare_function,
)
from dynagen.codegen.layouts import APART, OWN, Conventions
from dynagen.codegen.printing import WIDTH, Paragraph
from dynagen.codegen.tree import (
    AngleStep,
    Function,
    Segment,
)
from dynagen.ir.program import Operation
from dynagen.ir.statements import SineCosine
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import DOUBLE, Real

_STEP_NAMES = ("four", "sincos_four", "sincos_vector", "sincos_beyond")


def make_conventions(
    type_name: str, steps: str = "", taken: Iterable[str] = (), aliasing: bool = True
) -> Conventions:
    """Return the rules for names and statements of a C function.

    Args:
        type_name: name of the number type in C.
        steps: prefix of functions that compute several sines and cosines in one step; empty: they
            are computed one by one.
        taken: names that the function must not use, because the file already uses these names.
        aliasing: whether an output may be the same array as an input.
    """
    # Local names must not hide macros, functions of <math.h>, or names of other kernels.
    used = (f"{steps}_{name}" for name in _STEP_NAMES if steps)
    reserved = RESERVED.union(taken, [type_name], used)
    return Conventions(reserved, aliasing, angles=OWN if steps else APART)


@dataclass(frozen=True)
class CSegment:
    """C texts of a static function that computes a part (segment) of a long kernel.

    Attributes:
        title: number and contents of the segment, as text of a comment.
        prototype: declaration of the function, without semicolon.
        paragraphs: statements of the function.
    """

    title: str
    prototype: str
    paragraphs: list[Paragraph]


class CWriter(CStatementWriter):
    """Writer of C.

    Attributes:
        macro: prefix of the names of macros for sine, cosine and segments (parts of long kernels).
        steps: prefix of the names of functions that compute several sines and cosines in one step.
    """

    member = "->"

    def __init__(
        self, function: Function, real: Real, type_name: str, macro: str = "", steps: str = ""
    ) -> None:
        super().__init__(function, real, type_name)
        self.macro, self.steps = macro, steps
        _, self._literal_suffix, self._function_suffix = REAL_TYPES[real]

    def print_literal(self, value: Exact) -> str:
        """Return a number as a C literal, with the suffix `f` for float."""
        return self.print_decimal(value) + self._literal_suffix

    def name_function(self, operation: Operation) -> str:
        """Return the name of the C function or macro that computes an operation.

        It is a function of <math.h>, or a function or macro that generated code defines. Sine and
        cosine are macros, which users may replace.
        """
        if operation in TRIGONOMETRIC:
            return f"{self.macro}_{'SIN' if operation is Operation.SINE else 'COS'}"
        helper = HELPERS.get(operation)
        return helper.name if helper else MATH_FUNCTIONS[operation] + self._function_suffix

    def write_sine_cosine(self, angle: SineCosine) -> Iterator[str]:
        """Yield a call of the C macro that computes the sine and cosine of an angle (rad)."""
        if not (angle.sine and angle.cosine):
            yield from super().write_sine_cosine(angle)
            return
        # Members of the structure are declared already.
        if local := [name for name in (angle.sine, angle.cosine) if name not in self._kept]:
            yield f"{self.indent}{self.local} {', '.join(local)};"
        results = f"{self.print_name(angle.sine)}, {self.print_name(angle.cosine)}"
        yield from self.write_statement(
            f"{self.macro}_SINCOS({self.print_expression(angle.angle)}, {results});"
        )

    def write_angle_step(self, step: AngleStep) -> Iterator[str]:
        """Yield one C call for sines and cosines of up to four angles (rad), computed in double."""
        if not step.arrays:
            yield from super().write_angle_step(step)
            return
        angles, sines, cosines = step.arrays
        # Steps compute in double for float kernels too.
        wide = self.real is not DOUBLE
        expressions = (self.print_expression(angle.angle) for angle in step.angles)
        values = ", ".join(f"(double)({each})" if wide else each for each in expressions)
        yield from self.write_statement(f"const {self.steps}_four {angles} = {{{values}}};")
        yield from self.write_statement(f"{self.steps}_four {sines}, {cosines};")
        yield from self.write_statement(
            f"{self.steps}_sincos_four({len(step.angles)}, &{angles}, &{sines}, &{cosines});"
        )
        for name, array, place in step.results:
            value = f"({self.type}){array}[{place}]" if wide else f"{array}[{place}]"
            yield from self.assign(self.print_name(name), value)

    def write_status_code(self, name: str, value: str) -> Iterator[str]:
        """Yield the C definition of the status `name`: 0 if `value` is positive, else 1."""
        yield f"{self.indent}const int {name} = {value} > 0 ? 0 : 1;"

    def write_structure(self) -> list[str]:
        """Return the lines of the C structure of values that segments of a long kernel share.

        Without such values, the list is empty.
        """
        if not self.tree.segments:
            return []
        first, *others = wrap(
            f"{self.local} {', '.join(self.tree.kept)};",
            WIDTH - 2 * len(self.indent),
            break_on_hyphens=False,
        )
        return [
            f"struct {self._tag} {{",
            self.indent + first,
            *(2 * self.indent + line for line in others),
            "};",
        ]

    def write_keeper(self) -> list[str]:
        """Return the C line that defines the variable with the values that segments share.

        Without such values, the list is empty.
        """
        return [f"{self.indent}struct {self._tag} {self.tree.keeper}[1];"]

    def write_segments(self) -> list[CSegment]:
        """Return the C texts of the segments (parts) of a long kernel; empty for other kernels."""
        return [
            CSegment(
                segment.title,
                self.write_segment_prototype(segment),
                self.write_paragraphs(segment.sections),
            )
            for segment in self.tree.segments
        ]

    def write_segment_prototype(self, segment: Segment) -> str:
        """Return the C declaration of the static function for a segment (part) of a kernel."""
        parameters = self._parameters(segment.arguments)
        if segment.uses_kept:
            constant = "" if segment.assigns_kept else "const "
            parameters.append(f"{constant}struct {self._tag} *{self.tree.keeper}")
        head = f"static {self.macro}_SEGMENT void"
        return declare_function(head, self.name_segment(segment), parameters)

    def write_prototype(self, linkage: str = "") -> str:
        """Return the C declaration of the function, without semicolon.

        `linkage` is `static ` for a function that only its file uses, or empty.
        """
        signature = self.tree.signature
        names = [argument.name for argument in (*signature.inputs, *signature.results)]
        returned = f"{linkage}{'int' if self.tree.status else 'void'}"
        return declare_function(returned, self.tree.symbol, self._parameters(names))

    def write_head(self, returned: str, symbol: str, sizes: Sequence[str]) -> str:
        """Return the C declaration, without semicolon, of a function on arrays of many states.

        Args:
            returned: storage class and return type.
            symbol: name of the function.
            sizes: names of the first parameters, which have the type `size_t`.
        """
        signature, status = self.tree.signature, self.tree.status
        parameters = [f"size_t {name}" for name in sizes]
        parameters += [f"const {self.type} *{argument.name}" for argument in signature.inputs]
        parameters += [f"{self.type} *{argument.name}" for argument in signature.results]
        parameters += [f"int *{status}"] if status else []
        return declare_function(returned, symbol, parameters)

    @property
    def _tag(self) -> str:
        return f"{self.tree.symbol}_kept"

    def name_segment(self, segment: Segment) -> str:
        """Return the name of the static C function for a segment (part) of a long kernel."""
        return f"{self.tree.symbol}_{segment.number}"

    def _parameters(self, names: Iterable[str]) -> list[str]:
        """Return the declarations of arguments; inputs come first and are const."""
        inputs = {argument.name for argument in self.tree.signature.inputs}
        return [
            f"{'const ' if name in inputs else ''}{self.type} {name}[{self.arguments[name].size}]"
            for name in names
        ]
