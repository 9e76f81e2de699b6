"""Writers: base class for the classes that print a code tree in one language.

`Writer` visits the nodes of a code tree. Each language in `codegen/languages` defines a subclass,
which prints literals, elements and statements.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator

from dynagen.codegen.printing import Paragraph, format_shortest_decimal
from dynagen.codegen.tree import (
    AngleStep,
    Call,
    ElementwiseLoop,
    Fill,
    Function,
    Load,
    Node,
    Section,
    Segment,
    SegmentCall,
    StatusCode,
    Vectors,
)
from dynagen.ir.program import Element, Operation
from dynagen.ir.statements import Assignment, Expression, SineCosine, Store
from dynagen.ir.text import ExpressionPrinter
from dynagen.numbers.exact import Exact
from dynagen.numbers.real import Real


class Writer(ExpressionPrinter):
    """Writer of one generated function.

    Attributes:
        tree: code tree of the function to write.
        real: number type of the function.
        arguments: mapping from the name of each argument of the function to the argument.
        indent: text of one level of indentation.
        depth: number of indentation levels of the next statement.
    """

    indent = "    "

    def __init__(self, function: Function, real: Real) -> None:
        self.tree = function
        self.real = real
        self.arguments = {argument.name: argument for argument in function.signature.arguments}
        self.depth = 1
        self._vectors: frozenset[str] = frozenset()
        self._index = ""

    def write_paragraphs(self, sections: Iterable[Section] | None = None) -> list[Paragraph]:
        """Return the title and the printed lines of every given section of the function.

        Args:
            sections: the sections; None for all sections of the function outside its segments.
        """
        return [
            self.write_paragraph(section)
            for section in (self.tree.sections if sections is None else sections)
        ]

    def write_paragraph(self, section: Section) -> Paragraph:
        """Return the title and the printed lines of one section of the function."""
        lines = (line for node in section.nodes for line in self.write(node))
        return Paragraph(section.title, tuple(lines))

    def write(self, node: Node) -> Iterator[str]:
        """Yield the printed lines of one node of the code tree, such as an assignment or a call."""
        match node:
            case Assignment(name, expression):
                return self.assign(self.print_name(name), self.print_expression(expression))
            case AngleStep():
                return self.write_angle_step(node)
            case Store(place, value):
                return self.store(place, value)
            case Fill():
                return self.fill(node)
            case StatusCode(name, value):
                return self.write_status_code(name, self.print_expression(value))
            case Call():
                return self.call(node)
            case SegmentCall(segment):
                return self.call_segment(segment)
            case Vectors():
                return self.declare_vectors(node)
            case ElementwiseLoop():
                return self.write_elementwise(node)
            case Load(name, element):
                return self.load(name, element)
        raise self._refuse(type(node).__name__)

    def _refuse(self, node: str) -> NotImplementedError:
        """Return the error for a type of node that this writer cannot print; `node` is its name."""
        return NotImplementedError(f"{type(self).__name__} cannot write {node}")

    # Atoms of expressions

    def print_name(self, name: str) -> str:
        """Return the text of a value: its name, or `print_vector(name)` for a vector in a loop."""
        return self.print_vector(name) if name in self._vectors else name

    def print_vector(self, name: str) -> str:
        """Return the text of a vector in a statement that computes vectors element by element.

        The text is the vector's element at the loop's index; in languages with array expressions,
        it is the name of the vector.
        """
        return name

    def print_decimal(self, value: Exact) -> str:
        """Return a number as the shortest decimal that the function's number type reads exactly.

        The number is first rounded to the number type. The text has no suffix of a type.
        """
        return format_shortest_decimal(value, self.real)

    # Statements

    @abstractmethod
    def assign(self, name: str, expression: str) -> Iterator[str]:
        """Yield the lines of an assignment; `name` and `expression` are texts in the language."""

    @abstractmethod
    def store(self, place: Element, value: Expression) -> Iterator[str]:
        """Yield the lines that store a value in an element of an output array.

        Args:
            place: name of the output, and row-major index of the element from 0.
            value: number, name of a value or input element; never an operation.
        """

    @abstractmethod
    def write_status_code(self, name: str, value: str) -> Iterator[str]:
        """Yield lines that set the status `name`: 0 if the number `value` is positive, else 1.

        Both `name` and `value` are texts in the language.
        """

    def write_angle_step(self, step: AngleStep) -> Iterator[str]:
        """Yield lines that compute sines and cosines of several angles; by default one by one."""
        for angle in step.angles:
            yield from self.write_sine_cosine(angle)

    def write_sine_cosine(self, angle: SineCosine) -> Iterator[str]:
        """Yield lines that compute the sine and cosine of an angle (rad), with one call for each.

        If the program does not use the sine, the name of the sine in `angle` is None, and no line
        computes the sine. The same holds for the cosine.
        """
        text = self.print_expression(angle.angle)
        for name, operation in ((angle.sine, Operation.SINE), (angle.cosine, Operation.COSINE)):
            if name:
                call = f"{self.name_function(operation)}({text})"
                value = f"{self.rounding}({call})" if self.rounding else call
                yield from self.assign(self.print_name(name), value)

    def fill(self, fill: Fill) -> Iterator[str]:
        """Yield lines that store one number in consecutive elements of an array.

        By default, one line stores one element.
        """
        for index in range(fill.first, fill.last + 1):
            yield from self.store(Element(fill.array, index), fill.value)

    def call(self, call: Call) -> Iterator[str]:
        """Yield lines that call another function, and combine its status code with earlier ones."""
        raise self._refuse(Call.__name__)

    def call_segment(self, segment: Segment) -> Iterator[str]:
        """Yield the lines that call a segment: a part of a long function, printed as a function."""
        raise self._refuse(SegmentCall.__name__)

    def declare_vectors(self, vectors: Vectors) -> Iterator[str]:
        """Yield the lines that declare local vectors; by default none."""
        yield from ()

    def write_elementwise(self, node: ElementwiseLoop) -> Iterator[str]:
        """Yield lines that compute vectors element by element; by default, assign whole vectors."""
        yield from self.write_in_vectors(node)

    def write_in_vectors(self, node: ElementwiseLoop) -> Iterator[str]:
        """Yield the assignments in a loop over vector elements, without the lines of the loop.

        `print_vector` prints the vectors in the assignments.
        """
        self._vectors, self._index = node.vectors, node.index
        for statement in node.statements:
            yield from self.write(statement)
        self._vectors = frozenset()

    def load(self, name: str, element: Element) -> Iterator[str]:
        """Yield lines that load an input element in several states into a vector register.

        Args:
            name: name of the vector, which has one number for each state.
            element: name of the input, and row-major index of the element in the input.
        """
        raise self._refuse(Load.__name__)
