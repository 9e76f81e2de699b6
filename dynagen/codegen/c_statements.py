"""Statements that C and C++ spell alike, for the writers of both languages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence

from dynagen.codegen.naming import wrap_text
from dynagen.codegen.printing import WIDTH, break_line
from dynagen.codegen.tree import Call, ElementwiseLoop, Fill, Function, Segment, Vectors
from dynagen.codegen.writer import Writer
from dynagen.ir.program import Element
from dynagen.ir.statements import Expression
from dynagen.numbers.real import Real


class CStatementWriter(Writer):
    """Writer of statements of C and C++.

    Attributes:
        type: type of real numbers.
        local: type of local values.
        member: operator between the structure of kept values and one of them.
    """

    member = "."

    def __init__(self, function: Function, real: Real, type_name: str) -> None:
        super().__init__(function, real)
        self.type = self.local = type_name
        self._kept = frozenset(function.kept)

    @abstractmethod
    def name_segment(self, segment: Segment) -> str:
        """Return the name of the function that computes a segment."""

    def print_name(self, name: str) -> str:
        """Return a value: a local one, or a member of the structure of kept values."""
        kept = name in self._kept
        return f"{self.tree.keeper}{self.member}{name}" if kept else super().print_name(name)

    def print_vector(self, name: str) -> str:
        """Return the current element of a vector."""
        return f"{name}[{self._index}]"

    def print_element(self, element: Element) -> str:
        """Return an element of a flat array."""
        return f"{element.argument}[{element.index}]"

    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Yield the definition of a constant, or an assignment to a member or an element."""
        declared = self.member in name or "[" in name
        yield from self.write_statement(
            f"{'' if declared else f'const {self.local} '}{name} = {expression};"
        )

    def store(self, place: Element, value: Expression) -> Iterator[str]:
        """Yield an assignment to an element of a result."""
        yield from self.write_statement(
            f"{self.print_element(place)} = {self.print_expression(value)};"
        )

    def fill(self, fill: Fill) -> Iterator[str]:
        """Yield a loop that stores one number in consecutive elements."""
        index, value = fill.index, self.print_expression(fill.value)
        yield f"{self.indent}for (int {index} = {fill.first}; {index} <= {fill.last}; {index}++) {{"
        yield f"{2 * self.indent}{fill.array}[{index}] = {value};"
        yield f"{self.indent}}}"

    def call(self, call: Call) -> Iterator[str]:
        """Yield lines that call a function and combine the status codes of all calls."""
        text = f"{call.function}({', '.join([*call.inputs, call.result])});"
        if call.status:
            text = f"{call.status} |= {text}" if call.failed else f"int {call.status} = {text}"
        yield from self.write_statement(text)

    def declare_vectors(self, vectors: Vectors) -> Iterator[str]:
        """Yield the declaration of vectors."""
        names = ", ".join(f"{name}[{vectors.size}]" for name in vectors.names)
        first, *others = wrap_text(f"{self.type} {names};", WIDTH - 2 * len(self.indent))
        yield from (self.indent + first, *(2 * self.indent + line for line in others))

    def write_elementwise(self, node: ElementwiseLoop) -> Iterator[str]:
        """Yield a loop over elements."""
        index = node.index
        yield f"{self.indent}for (int {index} = 0; {index} < {node.size}; {index}++) {{"
        self.depth += 1
        yield from self.write_in_vectors(node)
        self.depth -= 1
        yield f"{self.indent}}}"

    def call_segment(self, segment: Segment) -> Iterator[str]:
        """Yield a call with the arguments that the segment needs."""
        passed = [*segment.arguments, *([self.tree.keeper] if segment.uses_kept else [])]
        yield from self.write_statement(f"{self.name_segment(segment)}({', '.join(passed)});")

    def write_statement(self, text: str) -> Iterator[str]:
        """Yield a statement, broken into several lines if it is long."""
        yield from break_line(self.depth * self.indent + text, (self.depth + 1) * self.indent)


def declare_function(returned: str, symbol: str, parameters: Sequence[str]) -> str:
    """Return a declaration without semicolon, with parameters aligned below each other."""
    lines = [f"{returned} {symbol}("]
    indent = " " * len(lines[0])
    for position, parameter in enumerate(parameters):
        text = parameter + (", " if position < len(parameters) - 1 else ")")
        if position and len(lines[-1]) + len(text) > WIDTH:
            lines[-1] = lines[-1].rstrip()
            lines.append(indent)
        lines[-1] += text
    return "\n".join(lines)
