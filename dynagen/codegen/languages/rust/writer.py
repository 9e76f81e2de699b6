"""Writer of Rust code: reserved words, declarations and statements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dynagen.codegen.layouts import SHARED, Conventions
from dynagen.codegen.printing import WIDTH, break_line
from dynagen.codegen.reserved_words import RUST_WORDS
from dynagen.codegen.tree import (
    AngleStep,
    Call,
    ElementwiseLoop,
    Fill,
    Function,
    Segment,
    Vectors,
)
from dynagen.codegen.writer import Writer
from dynagen.ir.program import Argument, Element, Operation
from dynagen.ir.statements import Expression
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import DOUBLE, FLOAT, Real

_INDENT = "    "
TYPES = {DOUBLE: "f64", FLOAT: "f32"}
"""Rust names of the number types."""
FUNCTIONS = {
    Operation.SQRT: "sqrt",
    Operation.ABSOLUTE: "abs",
    Operation.SIGN: "sign",
    Operation.HYPERBOLIC_TANGENT: "tanh",
    Operation.EXPONENTIAL: "exp",
    Operation.MINIMUM: "min",
    Operation.MAXIMUM: "max",
}
"""Names of the functions in the generated Rust module `numbers`."""
SIN_COS = "sin_cos"
LANES = "Lanes"
INVALID = "Invalid"
"""Rust type of the error that functions return."""
_TAKEN = (SIN_COS, *FUNCTIONS.values(), *TYPES.values(), LANES, INVALID, "usize", "i32", "bool")
RESERVED = RUST_WORDS.union(_TAKEN, ["ok", "err", "some", "none", "default", "numbers"])
# Outputs are exclusive references, so they are never the same array as an input.
CONVENTIONS = Conventions(RESERVED, angles=SHARED)


class RustWriter(Writer):
    """Writer of a Rust function for one state.

    Attributes:
        type: name of the number type in Rust.
        numbers: names of arguments that are a single number instead of an array.
    """

    def __init__(self, function: Function, real: Real) -> None:
        super().__init__(function, real)
        self.type = TYPES[real]
        self._kept = frozenset(function.kept)
        self.numbers = {each.name for each in self.arguments.values() if not each.shape}

    def print_literal(self, value: Exact) -> str:
        """Return a number as a decimal literal, whose type the Rust compiler infers."""
        return self.print_decimal(value)

    def print_name(self, name: str) -> str:
        """Return the Rust text of a value: a variable, or a field of a structure.

        A value is a field of the structure if one segment (part) of a long kernel assigns it and
        another segment reads it.
        """
        return f"{self.tree.keeper}.{name}" if name in self._kept else super().print_name(name)

    def print_vector(self, name: str) -> str:
        """Return the Rust text of a vector's element in a loop over elements, such as `v1[i]`."""
        return f"{name}[{self._index}]"

    def print_element(self, element: Element) -> str:
        """Return the Rust text of an array element such as `q[2]`, or of a scalar argument."""
        if element.argument in self.numbers:
            is_output = element.argument in {each.name for each in self.tree.signature.results}
            return f"*{element.argument}" if is_output else element.argument
        return f"{element.argument}[{element.index}]"

    def name_function(self, operation: Operation) -> str:
        """Return the name of the function of the Rust module `numbers` for an operation."""
        return FUNCTIONS[operation]

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Yield the Rust definition of a variable, or an assignment to a field or an element."""
        declared = "." in name or "[" in name
        yield from self.write_statement(f"{'' if declared else 'let '}{name} = {expression};")

    def write_angle_step(self, step: AngleStep) -> Iterator[str]:
        """Yield one Rust call for sines and cosines of up to four angles (rad)."""
        angles = ", ".join(self.print_expression(each.angle) for each in step.angles)
        call = f"{SIN_COS}([{angles}])"
        if self._kept.isdisjoint(name for name, _, _ in step.results):
            sines = ", ".join(each.sine or "_" for each in step.angles)
            cosines = ", ".join(each.cosine or "_" for each in step.angles)
            yield from self.write_statement(f"let ([{sines}], [{cosines}]) = {call};")
            return
        # Fields of the structure exist already, and cannot be in a pattern with new names.
        _, sine_array, cosine_array = step.arrays
        yield from self.write_statement(f"let ({sine_array}, {cosine_array}) = {call};")
        for name, array, place in step.results:
            yield from self.assign(self.print_name(name), f"{array}[{place}]")

    def store(self, place: Element, value: Expression) -> Iterator[str]:
        """Yield a Rust assignment of a value to an element of a result."""
        yield from self.write_statement(
            f"{self.print_element(place)} = {self.print_expression(value)};"
        )

    def fill(self, fill: Fill) -> Iterator[str]:
        """Yield a Rust call that stores one number in consecutive elements of an array."""
        places = f"{fill.array}[{fill.first}..{fill.last + 1}]"
        yield f"{self.indent}{places}.fill({self.print_expression(fill.value)});"

    def write_status_code(self, name: str, value: str) -> Iterator[str]:
        """Yield lines that return `Ok(())` if the number `value` is positive, else an error.

        The error is `Err(Invalid)`.
        """
        yield f"{self.indent}if {value} > 0.0 {{"
        yield f"{2 * self.indent}Ok(())"
        yield f"{self.indent}}} else {{"
        yield f"{2 * self.indent}Err({INVALID})"
        yield f"{self.indent}}}"

    def call(self, call: Call) -> Iterator[str]:
        """Yield a Rust call, and combine its `Result` with the results of earlier calls."""
        passed = ", ".join([*map(self._pass_on, call.inputs), f"&mut {call.result}"])
        text = f"{call.function}({passed});"
        if call.failed:
            text = f"let {call.status} = {call.status}.and({text[:-1]});"
        elif call.status:
            text = f"let {call.status} = {text}"
        yield from self.write_statement(text)

    def _pass_on(self, name: str) -> str:
        """Return the Rust text that passes the array `name` to a called function.

        An argument is a reference already; a local vector needs the sign `&`.
        """
        return name if name in self.arguments else f"&{name}"

    def declare_vectors(self, vectors: Vectors) -> Iterator[str]:
        """Yield the Rust declarations of local vectors, which are filled with zeros."""
        for name in vectors.names:
            yield f"{self.indent}let mut {name} = [0.0; {vectors.size}];"

    def write_elementwise(self, node: ElementwiseLoop) -> Iterator[str]:
        """Yield a Rust loop over an index that computes vectors element by element."""
        yield f"{self.indent}for {node.index} in 0..{node.size} {{"
        self.depth += 1
        yield from self.write_in_vectors(node)
        self.depth -= 1
        yield f"{self.indent}}}"

    def call_segment(self, segment: Segment) -> Iterator[str]:
        """Yield the Rust call of the function of a segment: a part of a long kernel."""
        passed = list(segment.arguments)
        if segment.uses_kept:
            passed.append(f"{'&mut ' if segment.assigns_kept else '&'}{self.tree.keeper}")
        yield from self.write_statement(f"{name_segment(self.tree, segment)}({', '.join(passed)});")

    @property
    def structure(self) -> str:
        """Name of the Rust structure of the values that segments share."""
        words = self.tree.symbol.split("_")
        return f"{''.join(word.capitalize() for word in words)}Kept"

    def write_segment_head(self, segment: Segment) -> list[str]:
        """Return the first lines of the Rust function for a segment (part) of a long kernel."""
        parameters = [self._declare(self.arguments[name]) for name in segment.arguments]
        if segment.uses_kept:
            reference = "&mut " if segment.assigns_kept else "&"
            parameters.append(f"{self.tree.keeper}: {reference}{self.structure}")
        return declare_function(name_segment(self.tree, segment), parameters)

    def write_head(self, public: str = "") -> list[str]:
        """Return the first lines of the Rust function; `public` is `pub ` or an empty text.

        With `pub `, other crates can call the function.
        """
        signature = self.tree.signature
        parameters = map(self._declare, (*signature.inputs, *signature.results))
        returned = f" -> Result<(), {INVALID}>" if self.tree.status else ""
        return declare_function(self.tree.symbol, list(parameters), returned, public)

    def write_opening(self) -> list[str]:
        """Return Rust statements that mark unread inputs as used.

        For a long kernel, the statements also define the structure of the values that segments
        share.
        """
        unread = [f"let _ = {name};" for name in self.tree.unread]
        if self.tree.segments:
            unread.append(f"let mut {self.tree.keeper} = {self.structure}::default();")
        return [f"{self.indent}{line}" for line in unread]

    def _declare(self, argument: Argument) -> str:
        """Return the Rust declaration of an argument."""
        is_input = argument in self.tree.signature.inputs
        if not argument.shape:
            return f"{argument.name}: {'' if is_input else '&mut '}{self.type}"
        reference = "&" if is_input else "&mut "
        return f"{argument.name}: {reference}[{self.type}; {argument.size}]"

    def write_statement(self, text: str) -> Iterator[str]:
        """Yield the indented lines of a Rust statement.

        A statement is broken into several lines if its line would exceed 100 characters.
        """
        start = self.indent * self.depth
        yield from break_line(start + text, start + self.indent)


def comment_summary(summary: str) -> str:
    """Return the lines of a Rust comment with a backslash before signs that begin a Markdown list.

    `summary` consists of lines that begin with `/// `.
    """
    return re.sub(r"^/// ([-+*]) ", r"/// \\\1 ", summary, flags=re.MULTILINE)


def name_segment(function: Function, segment: Segment) -> str:
    """Return the name of the Rust function for a segment (part) of a long kernel."""
    return f"{function.symbol}_segment_{segment.number}"


def declare_function(
    name: str, parameters: Sequence[str], returned: str = "", public: str = ""
) -> list[str]:
    """Return a Rust function's head as rustfmt writes it: one line, or a line for each parameter.

    Args:
        name: name of the function.
        parameters: declaration of each parameter.
        returned: empty, or ` -> ` and the type of the returned value.
        public: `pub ` to export the function, or empty.
    """
    line = f"{public}fn {name}({', '.join(parameters)}){returned} {{"
    if len(line) <= WIDTH:
        return [line]
    return [
        f"{public}fn {name}(",
        *(f"{_INDENT}{parameter}," for parameter in parameters),
        f"){returned} {{",
    ]
