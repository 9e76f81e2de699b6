"""Statements: instructions as printed lines, and the number of live values between them.

Program -> statements with nested expressions: the form in which people read a program.

A value gets a statement of its own if it has a name, is used more than once or is a result; all others are written where they
are used. Every printer (the text form, C, Fortran, Python) starts from here, so all of them show the same program.

Live values: how many assigned values are still to be read, at every point of a sequence of statements.

A compiler keeps live values in registers and, as these are few, on the stack: where they are most tells how much stack a
straight-line kernel needs, and where they are few it can be cut in two.
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

_DEEPEST = 40  # a value nested deeper gets a statement of its own, whoever uses it


@dataclass(frozen=True)
class Constant:
    """A literal; negative values are literals too."""

    value: Exact


@dataclass(frozen=True)
class Name:
    """A value assigned by an earlier statement."""

    name: str


@dataclass(frozen=True)
class Apply:
    """An operation on sub-expressions: NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE or one of `FUNCTIONS`."""

    operation: Operation
    operands: tuple[Expression, ...]


Expression = Constant | Name | Element | Apply


@dataclass(frozen=True)
class Assignment:
    """name = expression."""

    name: str
    expression: Expression

    @property
    def assigned(self) -> tuple[str, ...]:
        """The one name that it assigns."""
        return (self.name,)


@dataclass(frozen=True)
class SineCosine:
    """Sine and cosine of one angle; None for the one that nobody uses."""

    angle: Expression
    sine: str | None
    cosine: str | None

    @property
    def expression(self) -> Expression:
        """The expression that they are computed of."""
        return self.angle

    @property
    def assigned(self) -> tuple[str, ...]:
        """The names that it assigns, one or two."""
        return tuple(name for name in (self.sine, self.cosine) if name is not None)


class Store(NamedTuple):
    """A result that is stored: place = value.

    Attributes:
        place: an element of an output.
        value: never arithmetic.
    """

    place: Element
    value: Constant | Name | Element

    @property
    def expression(self) -> Expression:
        """What is stored."""
        return self.value

    @property
    def assigned(self) -> tuple[str, ...]:
        """No name."""
        return ()


Statement = Assignment | SineCosine | Store


def nodes(expression: Expression) -> Iterator[Expression]:
    """An expression and all that it is made of: an operation before its operands."""
    pending = [expression]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, Apply):
            pending.extend(node.operands)


def atoms(expression: Expression) -> Iterator[Name | Element]:
    """The values and input elements that an expression reads, in no particular order; repeated if they are read again."""
    return (node for node in nodes(expression) if isinstance(node, Name | Element))


def names_read(statement: Statement) -> set[str]:
    """The assigned values that a statement reads."""
    return {atom.name for atom in atoms(statement.expression) if isinstance(atom, Name)}


@dataclass(frozen=True)
class Block:
    """The statements of one section, in order.

    Attributes:
        section: its position in the program's list.
    """

    title: str
    statements: tuple[Statement, ...]
    section: int = 0


@dataclass(frozen=True)
class Listing:
    """A program as statements.

    Attributes:
        results: for every output, row-major, the expression of each element: a name, a constant, or an input element that is
            passed through; never arithmetic, so that outputs can be stored after everything has been computed.
    """

    blocks: tuple[Block, ...]
    results: tuple[tuple[Output, tuple[Constant | Name | Element, ...]], ...]

    @property
    def stores(self) -> Iterator[Store]:
        """The results as they are stored, in order; the status is not."""
        for output, values in self.results:
            if not output.argument.is_status:
                yield from (
                    Store(Element(output.argument.name, index), value)
                    for index, value in enumerate(values)
                )


@lru_cache(maxsize=64)  # a printer and the table of names ask for each kernel
def statements(program: Program) -> Listing:
    """Write a program as statements; unnamed values that need a name are called t1, t2, ... in order."""
    writer = _Writer(program)
    numbered = (
        (each.section, writer.statement(position))
        for position, each in enumerate(program.instructions)
    )
    written = ((section, statement) for section, statement in numbered if statement is not None)
    blocks = (
        Block(program.sections[section], tuple(statement for _, statement in group), section)
        for section, group in groupby(written, key=itemgetter(0))
    )
    results = tuple(
        (output, tuple(writer.result(value) for value in output.values))
        for output in program.outputs
    )
    return Listing(tuple(blocks), results)


class _Writer:
    """Decides which values get a statement, names them, and builds the expressions of the others."""

    def __init__(self, program: Program) -> None:
        self._instructions = program.instructions
        uses = Counter(
            operand for instruction in program.instructions for operand in instruction.operands
        )
        results = set(program.result_values())
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
                or depths[position] > _DEEPEST
            ):
                self._names[position] = instruction.name or next(self._fresh)
            if position in self._names:
                depths[position] = 0

    def _name_trigonometric(self, position: int) -> None:
        """Sine and cosine of one angle make one statement; a second sine of the same angle takes over the first one's name."""
        instruction = self._instructions[position]
        pair = self._pairs.setdefault(instruction.operands[0], {})
        if instruction.operation in pair:
            self._repeated.add(position)
            self._names[position] = instruction.name or pair[instruction.operation]
        else:
            self._names[position] = pair[instruction.operation] = instruction.name or next(
                self._fresh
            )

    def statement(self, position: int) -> Statement | None:
        """The statement that computes the value at a position; None if it is written elsewhere."""
        if position not in self._names:
            return None
        instruction = self._instructions[position]
        if instruction.operation not in (Operation.SINE, Operation.COSINE):
            return Assignment(self._names[position], self._compute(position))
        pair = self._pairs[instruction.operands[0]]
        if position in self._repeated:
            first = Name(pair[instruction.operation])
            return Assignment(instruction.name, first) if instruction.name else None
        names = (pair.get(Operation.SINE), pair.get(Operation.COSINE))
        if self._names[position] != next(iter(pair.values())):
            return None  # the other half of the pair came first
        return SineCosine(self._expression(instruction.operands[0]), *names)

    def result(self, position: int) -> Constant | Name | Element:
        """The expression to store for a result."""
        expression = self._expression(position)
        if isinstance(expression, Apply):
            raise InvalidProgramError(f"result {position} has no statement of its own")
        return expression

    def _expression(self, position: int) -> Expression:
        name = self._names.get(position)
        return Name(name) if name is not None else self._compute(position)

    def _compute(self, position: int) -> Expression:
        instruction = self._instructions[position]
        if isinstance(instruction.payload, Exact):
            if not instruction.payload.is_known:
                raise InvalidProgramError(
                    f"{instruction.payload} depends on run-time parameters, and is not prepared"
                )
            return Constant(instruction.payload)
        if isinstance(instruction.payload, Element):
            return instruction.payload
        operands = tuple(self._expression(operand) for operand in instruction.operands)
        return (
            operands[0]
            if instruction.operation is Operation.COPY
            else Apply(instruction.operation, operands)
        )


@dataclass(frozen=True)
class Access:
    """The names of the values that one step assigns, and of those that it reads."""

    assigned: Collection[str]
    read: Collection[str]


def live_counts(steps: Sequence[Access]) -> list[int]:
    """Numbers of values that are live before every step and after the last: assigned by an earlier step, read by a later.

    Args:
        steps: in order; every name is assigned once, before any step reads it.

    Returns:
        One number more than there are steps; the first and the last are zero.
    """
    ends = {name: position for position, step in enumerate(steps) for name in step.read}
    changes = [0] * (len(steps) + 1)
    for position, step in enumerate(steps):
        for name in step.assigned:
            if name in ends:
                changes[position + 1] += 1
                changes[ends[name] + 1] -= 1
    return list(accumulate(changes))


def most_live(listing: Listing) -> int:
    """The largest number of live values; results that no statement stores are stored after everything has been computed."""
    steps = [
        Access(statement.assigned, names_read(statement))
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
    return max(live_counts([*steps, stored]))
