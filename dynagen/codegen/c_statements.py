"""Reserved names, number types and statements that C, C++ and CUDA share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from dynagen.codegen.naming import wrap_text
from dynagen.codegen.printing import (
    WIDTH,
    Helper,
    PrintedTable,
    break_line,
    print_tables,
)
from dynagen.codegen.reserved_words import C_WORDS, CPP_WORDS
from dynagen.codegen.tree import Call, ElementwiseLoop, Fill, Function, Segment, Vectors
from dynagen.codegen.writer import Writer
from dynagen.ir.program import Element, Operation
from dynagen.ir.statements import Expression
from dynagen.numbers.real import DOUBLE, FLOAT, Real

# Functions of <math.h>, which a local variable would hide, and macros of compilers and systems.
_FUNCTIONS = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs
    fdim floor fma fmax fmin fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma log log10 log1p log2
    logb lrint lround modf nan nearbyint nextafter pow remainder remquo rint round scalb scalbn
    signgam significand sin sinh sqrt tan tanh tgamma trunc y0 y1 yn
"""
_MACROS = "abs bit far huge interface linux max min near small unix"
# Functions of <math.h> that kernels call, with their names for double.
MATH_FUNCTIONS = {
    Operation.SQRT: "sqrt",
    Operation.ABSOLUTE: "fabs",
    Operation.HYPERBOLIC_TANGENT: "tanh",
    Operation.EXPONENTIAL: "exp",
}
TRIGONOMETRIC = (Operation.SINE, Operation.COSINE)


# <math.h> has no sign function; fmin and fmax return the other operand for a NaN.
HELPERS = {
    Operation.SIGN: Helper("sign_of", ("x",), "x > 0 ? 1 : x < 0 ? -1 : x"),
    Operation.MINIMUM: Helper("min_of", ("x", "y"), "x <= y ? x : y <= x ? y : x + y"),
    Operation.MAXIMUM: Helper("max_of", ("x", "y"), "x >= y ? x : y >= x ? y : x + y"),
}
RESERVED = C_WORDS.union(
    CPP_WORDS,
    f"typeof main {_FUNCTIONS} {_MACROS}".split(),
    (helper.name for helper in HELPERS.values()),
)


def print_c_tables(operations: Iterable[Operation], real: Real) -> list[PrintedTable]:
    """Return the tables of constants that some operations look up, as text for C templates.

    Args:
        operations: operations of a program; all except table lookups are ignored.
        real: number type of the literals.
    """
    return print_tables(operations, real, REAL_TYPES[real].literal_suffix)


class RealType(NamedTuple):
    """A floating-point type in C.

    Attributes:
        name: name of the type, such as `float`.
        literal_suffix: end of a literal of the type, such as `f`; may be empty.
        function_suffix: end of the names of <math.h> functions for the type, such as `f` of
            `sqrtf`; may be empty.
    """

    name: str
    literal_suffix: str
    function_suffix: str


REAL_TYPES: dict[Real, RealType] = {
    DOUBLE: RealType("double", "", ""),
    FLOAT: RealType("float", "f", "f"),
}


class CStatementWriter(Writer):
    """Writer of statements of C, C++ and CUDA.

    A long kernel is divided into segments: functions of their own, which share values through a
    structure.

    Attributes:
        type: name of the floating-point type of arguments.
        local: name of the type of local variables.
        member: operator (`.` or `->`) that selects a member of the structure of shared values.
    """

    member = "."

    def __init__(self, function: Function, real: Real, type_name: str) -> None:
        super().__init__(function, real)
        self.type = self.local = type_name
        self._kept = frozenset(function.kept)

    @abstractmethod
    def name_segment(self, segment: Segment) -> str:
        """Return the name of the function that computes a segment (part) of a long kernel."""

    def print_name(self, name: str) -> str:
        """Return the C text of a value: a variable, or a member of a structure.

        A value is a member of the structure if one segment (part) of a long kernel assigns it and
        another segment reads it.
        """
        kept = name in self._kept
        return f"{self.tree.keeper}{self.member}{name}" if kept else super().print_name(name)

    def print_vector(self, name: str) -> str:
        """Return the C text of a vector's element in a loop over elements, such as `v1[i]`."""
        return f"{name}[{self._index}]"

    def print_element(self, element: Element) -> str:
        """Return the C text of an element of an argument (a flat array), such as `q[2]`."""
        return f"{element.argument}[{element.index}]"

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Yield the lines of a C statement that defines a constant or assigns a declared variable.

        Args:
            name: C text of the assigned variable. If the text contains `[` or the operator
                `member`, the variable is declared already; otherwise a constant is defined.
            expression: C text of the new value.
        """
        declared = self.member in name or "[" in name
        yield from self.write_statement(
            f"{'' if declared else f'const {self.local} '}{name} = {expression};"
        )

    def store(self, place: Element, value: Expression) -> Iterator[str]:
        """Yield the lines of the C statement that assigns a value to an element of an output."""
        yield from self.write_statement(
            f"{self.print_element(place)} = {self.print_expression(value)};"
        )

    def fill(self, fill: Fill) -> Iterator[str]:
        """Yield the lines of a C loop that stores one number in consecutive elements."""
        index, value = fill.index, self.print_expression(fill.value)
        yield f"{self.indent}for (int {index} = {fill.first}; {index} <= {fill.last}; {index}++) {{"
        yield f"{2 * self.indent}{fill.array}[{index}] = {value};"
        yield f"{self.indent}}}"

    def call(self, call: Call) -> Iterator[str]:
        """Yield the lines of a C call that also assigns the status code (0 or 1).

        From the second call on, the status code is combined with earlier ones by `|=`.
        """
        text = f"{call.function}({', '.join([*call.inputs, call.result])});"
        if call.status:
            text = f"{call.status} |= {text}" if call.failed else f"int {call.status} = {text}"
        yield from self.write_statement(text)

    def declare_vectors(self, vectors: Vectors) -> Iterator[str]:
        """Yield the lines of the C declaration of uninitialised local arrays of equal size."""
        names = ", ".join(f"{name}[{vectors.size}]" for name in vectors.names)
        first, *others = wrap_text(f"{self.type} {names};", WIDTH - 2 * len(self.indent))
        yield from (self.indent + first, *(2 * self.indent + line for line in others))

    def write_elementwise(self, node: ElementwiseLoop) -> Iterator[str]:
        """Yield the lines of a C loop over an index that computes vectors element by element."""
        index = node.index
        yield f"{self.indent}for (int {index} = 0; {index} < {node.size}; {index}++) {{"
        self.depth += 1
        yield from self.write_in_vectors(node)
        self.depth -= 1
        yield f"{self.indent}}}"

    def call_segment(self, segment: Segment) -> Iterator[str]:
        """Yield the lines of the C call of a segment's function.

        A segment is a part of a long kernel; only the arguments that it needs are passed.
        """
        passed = [*segment.arguments, *([self.tree.keeper] if segment.uses_kept else [])]
        yield from self.write_statement(f"{self.name_segment(segment)}({', '.join(passed)});")

    def write_statement(self, text: str) -> Iterator[str]:
        """Yield the indented lines of a C statement.

        A statement is broken into several lines if its line would exceed 100 characters.
        """
        yield from break_line(self.depth * self.indent + text, (self.depth + 1) * self.indent)


def declare_function(returned: str, symbol: str, parameters: Sequence[str]) -> str:
    """Return the declaration of a C function, without semicolon, in one line or several.

    Args:
        returned: storage class and return type, such as `static int`.
        symbol: name of the function.
        parameters: declaration of each parameter, at least one.
    """
    lines = [f"{returned} {symbol}("]
    indent = " " * len(lines[0])
    for position, parameter in enumerate(parameters):
        text = parameter + (", " if position < len(parameters) - 1 else ")")
        if position and len(lines[-1]) + len(text) > WIDTH:
            lines[-1] = lines[-1].rstrip()
            lines.append(indent)
        lines[-1] += text
    return "\n".join(lines)
