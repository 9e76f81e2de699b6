"""Statements: a program as printed lines with nested expressions, and its live values.

A value has its own statement if it has a name, is used more than once or is a result. All other
values are written inside the expressions that use them. The printers of the text form and of all
languages print these statements.

A value is live from its assignment to its last use. A compiler keeps live values in registers and,
if there are too few registers, on the stack. The largest number of live values determines the stack
size of a straight-line kernel. A kernel is best split where few values are live.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, count, groupby
from operator import itemgetter
from typing import NamedTuple

from dynagen.errors import InvalidProgramError
from dynagen.ir.program import Element, Operation, Output, Program
from dynagen.ir.symbols import PART
from dynagen.numbers.exact import Exact

_DEEPEST_NESTING = 40  # a value that is nested deeper gets a statement of its own


@dataclass(frozen=True)
class Constant:
    """A number in an expression, printed as a literal; it may be negative."""

    value: Exact


@dataclass(frozen=True)
class Name:
    """The name of a value that an earlier statement assigned."""

    name: str


@dataclass(frozen=True)
class Application:
    """An operation on expressions: a minus sign, sum, product, quotient, or function call."""

    operation: Operation
    operands: tuple[Expression, ...]


Leaf = Constant | Name | Element
"""Type of expressions without arithmetic: a number, the name of a value, or an input element."""
Expression = Leaf | Application


@dataclass(frozen=True)
class Assignment:
    """The statement name = expression."""

    name: str
    expression: Expression

    @property
    def assigned(self) -> tuple[str, ...]:
        """The one name that the statement assigns, as a tuple."""
        return (self.name,)


@dataclass(frozen=True)
class SineCosine:
    """Statement that computes sine and cosine of one angle.

    Attributes:
        angle: the angle, in rad.
        sine: name for the sine; None if the sine is not used.
        cosine: name for the cosine; None if the cosine is not used.
    """

    angle: Expression
    sine: str | None
    cosine: str | None

    @property
    def expression(self) -> Expression:
        """The angle (rad), which is the only expression of the statement."""
        return self.angle

    @property
    def assigned(self) -> tuple[str, ...]:
        """The one or two names that the statement assigns: sine, then cosine."""
        return tuple(name for name in (self.sine, self.cosine) if name is not None)


class Store(NamedTuple):
    """Statement `place = value`, which stores one element of an output.

    Attributes:
        place: the element of the output.
        value: a literal, a name or an input element; never an operation.
    """

    place: Element
    value: Constant | Name | Element

    @property
    def expression(self) -> Expression:
        """The expression of the stored value."""
        return self.value

    @property
    def assigned(self) -> tuple[str, ...]:
        """The empty tuple, because a store assigns no name."""
        return ()


Statement = Assignment | SineCosine | Store


def iterate_nodes(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all expressions inside it, an operation before its operands."""
    pending = [expression]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, Application):
            pending.extend(node.operands)


def list_atoms(expression: Expression) -> Iterator[Name | Element]:
    """Return the names and input elements that occur in an expression, once for each occurrence."""
    return (node for node in iterate_nodes(expression) if isinstance(node, Name | Element))


def find_names_read(statement: Statement) -> set[str]:
    """Return the names in the statement's expression, which earlier statements assigned."""
    return {atom.name for atom in list_atoms(statement.expression) if isinstance(atom, Name)}


@dataclass(frozen=True)
class Block:
    """Consecutive statements of one section.

    Attributes:
        title: title of the section, printed as a comment.
        statements: statements in the order of execution.
        section: index of the section in `Program.sections`.
    """

    title: str
    statements: tuple[Statement, ...]
    section: int = 0


@dataclass(frozen=True)
class Listing:
    """A program as statements.

    Attributes:
        blocks: groups of statements, in the order of execution.
        results: each output, with the expression of each of its elements, row-major. The expression
            is a name, a constant or an input element, so that outputs can be stored at the end.
    """

    blocks: tuple[Block, ...]
    results: tuple[tuple[Output, tuple[Leaf, ...]], ...]

    @property
    def stores(self) -> Iterator[Store]:
        """The statements that store the elements of all outputs except the status, in order."""
        for output, values in self.results:
            if not output.argument.is_status:
                yield from (
                    Store(Element(output.argument.name, index), value)
                    for index, value in enumerate(values)
                )


@lru_cache(maxsize=64)  # printers and the table of names list each kernel
def write_statements(program: Program) -> Listing:
    """Return a program as statements in the order of execution, grouped by section.

    Values without a name are called t1, t2, ... if they have a statement of their own.
    """
    writer = _StatementWriter(program)
    numbered = (
        (instruction.section, writer.write_statement(position))
        for position, instruction in enumerate(program.instructions)
    )
    written = ((section, statement) for section, statement in numbered if statement is not None)
    blocks = (
        Block(program.sections[section], tuple(statement for _, statement in group), section)
        for section, group in groupby(written, key=itemgetter(0))
    )
    results = tuple(
        (output, tuple(writer.write_result(value) for value in output.values))
        for output in program.outputs
    )
    return Listing(tuple(blocks), results)


class _StatementWriter:
    """Writer of a program's statements.

    Named values, results, values with several uses and deeply nested values get a statement. All
    other values are written inside the expression that uses them.
    """

    def __init__(self, program: Program) -> None:
        self._instructions = program.instructions
        uses = Counter(
            operand for instruction in program.instructions for operand in instruction.operands
        )
        results = set(program.iterate_result_values())
        # Names t1, t2, ... skip names that the program or its arguments already have.
        taken = {instruction.name for instruction in program.instructions}
        taken |= {argument.name for argument in program.arguments}
        self._fresh = (
            name for name in (PART(number).text for number in count(1)) if name not in taken
        )
        self._names: dict[int, str] = {}
        self._pairs: dict[int, dict[Operation, str]] = {}
        self._repeated: set[int] = set()
        depths: list[int] = []
        for position, instruction in enumerate(program.instructions):
            depths.append(1 + max((depths[operand] for operand in instruction.operands), default=0))
            if instruction.operation in (Operation.CONSTANT, Operation.INPUT):
                continue
            if instruction.operation in (Operation.SINE, Operation.COSINE):
                if instruction.name or uses[position] or position in results:
                    self._name_trigonometric(position)
            elif (
                instruction.name
                or uses[position] > 1
                or position in results
                or depths[position] > _DEEPEST_NESTING
            ):
                self._names[position] = instruction.name or next(self._fresh)
            if position in self._names:
                depths[position] = 0  # expressions refer to it by name

    def _name_trigonometric(self, position: int) -> None:
        """Choose the name of the sine or cosine at a position.

        If the program computes the sine of an angle twice and the second sine has no name, it
        receives the name of the first; the same holds for cosines.
        """
        instruction = self._instructions[position]
        pair = self._pairs.setdefault(instruction.operands[0], {})
        if instruction.operation in pair:
            self._repeated.add(position)
            self._names[position] = instruction.name or pair[instruction.operation]
        else:
            self._names[position] = pair[instruction.operation] = instruction.name or next(
                self._fresh
            )

    def write_statement(self, position: int) -> Statement | None:
        """Return the statement that computes the value at a position, or None.

        The result is None if the value is written inside another expression, or if another
        statement assigns it, as for sine and cosine of the same angle.
        """
        if position not in self._names:
            return None
        instruction = self._instructions[position]
        if instruction.operation not in (Operation.SINE, Operation.COSINE):
            return Assignment(self._names[position], self._compute(position))
        pair = self._pairs[instruction.operands[0]]
        if position in self._repeated:
            first = Name(pair[instruction.operation])
            return Assignment(instruction.name, first) if instruction.name else None
        # The pair is one statement, written at the first of its two instructions.
        names = (pair.get(Operation.SINE), pair.get(Operation.COSINE))
        if self._names[position] != next(iter(pair.values())):
            return None  # the other half of the pair came first
        return SineCosine(self._expression(instruction.operands[0]), *names)

    def write_result(self, position: int) -> Constant | Name | Element:
        """Return the name, constant or input element that is stored for an output element.

        Raises:
            InvalidProgramError: the value has no statement, so it has no name.
        """
        expression = self._expression(position)
        if isinstance(expression, Application):
            raise InvalidProgramError(
                f"the result at position {position} has no statement, and therefore no name"
            )
        return expression

    def _expression(self, position: int) -> Expression:
        """Return the name of the value at a position, or its expression if it has no statement."""
        name = self._names.get(position)
        return Name(name) if name is not None else self._compute(position)

    def _compute(self, position: int) -> Expression:
        """Return the expression that computes the value at a position.

        Raises:
            InvalidProgramError: the value is a constant that depends on run-time parameters.
        """
        instruction = self._instructions[position]
        if isinstance(instruction.payload, Exact):
            if not instruction.payload.is_known:
                raise InvalidProgramError(
                    f"{instruction.payload} depends on run-time parameters and is not prepared"
                )
            return Constant(instruction.payload)
        if isinstance(instruction.payload, Element):
            return instruction.payload
        operands = tuple(self._expression(operand) for operand in instruction.operands)
        return (
            operands[0]
            if instruction.operation is Operation.COPY
            else Application(instruction.operation, operands)
        )


@dataclass(frozen=True)
class Access:
    """Names that one step of a kernel (such as a statement) assigns, and names that it reads."""

    assigned: Collection[str]
    read: Collection[str]


def count_live_values(steps: Sequence[Access]) -> list[int]:
    """Return the number of live values before each step, and 0 after the last step.

    A value is live from the step that assigns it to the last step that reads it. No value is live
    before the first step, so that the first number is 0.

    Args:
        steps: names read and assigned in the order of execution; each name is assigned once, before
            any step reads it.
    """
    # The last step that reads a name remains in the dictionary.
    ends = {name: position for position, step in enumerate(steps) for name in step.read}
    changes = [0] * (len(steps) + 1)
    for position, step in enumerate(steps):
        for name in step.assigned:
            if name in ends:  # a name that is never read is never live
                changes[position + 1] += 1
                changes[ends[name] + 1] -= 1
    return list(accumulate(changes))


def count_most_live(listing: Listing) -> int:
    """Return the largest number of values that are live at once in a listing.

    Outputs are assumed to be stored at the end, so their values stay live until the end.
    """
    steps = [
        Access(statement.assigned, find_names_read(statement))
        for block in listing.blocks
        for statement in block.statements
    ]
    stored = Access(
        (),
        [
            value.name
            for _, values in listing.results
            for value in values
            if isinstance(value, Name)
        ],
    )
    return max(count_live_values([*steps, stored]))
