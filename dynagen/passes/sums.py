"""Whole sums: all that a chain of additions and subtractions adds up, as long as nobody else needs a partial sum.

For passes that write a sum anew, with its terms in another order or with common factors taken out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import reduce

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.program import Instruction, Operation, Program
from dynagen.passes.dead_code import remove_dead_code

_SUM = (Operation.ADD, Operation.SUBTRACT)


@dataclass(frozen=True)
class Term:
    """A term of a sum: the product of its factors.

    Attributes:
        negative: whether it is subtracted.
        factors: positions in the program, as long as nobody else needs the product, and sums that a pass has made.
        position: of the product in the program; None if it is new.
    """

    negative: bool
    factors: tuple[int | Terms, ...]
    position: int | None = field(default=None, compare=False)


Terms = tuple[Term, ...]
"""Terms in order; the first is never negative, so that no sign change is ever needed."""


@dataclass(frozen=True)
class Sum:
    """A whole sum of a program.

    Attributes:
        additions: positions of all its additions and subtractions.
    """

    terms: Terms
    additions: tuple[int, ...]


def rewrite_sums(program: Program, change: Callable[[Sum], Terms | None]) -> Program:
    """Write sums anew; names of partial sums and products that disappear are lost, all others stay.

    Args:
        program: what to rewrite.
        change: what to write in place of a sum; None leaves it as it is.
    """
    changed = {root: terms for root, whole in _Sums(program) if (terms := change(whole)) is not None}
    if not changed:
        return program
    emitter = _Emitter({program.instructions[root]: terms for root, terms in changed.items()})
    return remove_dead_code(rewrite(program, emitter.rebuild))


class _Sums:
    """Finds the whole sums of a program, with the position of the last instruction of each."""

    def __init__(self, program: Program) -> None:
        self._instructions = program.instructions
        self._uses = Counter(operand for instruction in program.instructions for operand in instruction.operands)
        self._uses.update(program.result_values())

    def __iter__(self) -> Iterator[tuple[int, Sum]]:
        sums = {position: i for position, i in enumerate(self._instructions) if i.operation in _SUM}
        partial = {operand for i in sums.values() for operand in i.operands if self._uses[operand] == 1}
        yield from ((position, self._whole(position)) for position in sums if position not in partial)

    def _whole(self, root: int) -> Sum:
        terms, additions = [], []
        pending = [(root, False)]
        while pending:
            position, negative = pending.pop()
            instruction = self._instructions[position]
            if instruction.operation in _SUM and (position == root or self._uses[position] == 1):
                additions.append(position)
                left, right = instruction.operands
                pending += [(right, negative != (instruction.operation is Operation.SUBTRACT)), (left, negative)]
            else:
                terms.append(Term(negative, self._factors(position), position))
        return Sum(tuple(terms), tuple(additions))

    def _factors(self, root: int) -> tuple[int, ...]:
        """What the value at a position multiplies, in order."""
        factors = []
        pending = [root]
        while pending:
            position = pending.pop()
            instruction = self._instructions[position]
            if instruction.operation is Operation.MULTIPLY and self._uses[position] == 1:
                pending += reversed(instruction.operands)
            else:
                factors.append(position)
        return tuple(factors)


class _Emitter:
    """Emits sums in place of the last instructions of others."""

    def __init__(self, changed: dict[Instruction, Terms]) -> None:
        self._changed = changed
        self._moved: dict[int, int] = {}  # position in the program -> in the new one, of all that has been an operand

    def rebuild(self, builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int:
        """The rule for `rewrite`; all factors of a sum have been operands of something by the time it is complete."""
        self._moved.update(zip(instruction.operands, operands, strict=True))
        terms = self._changed.get(instruction)
        return builder.emit(instruction.operation, *operands) if terms is None else self._emit_sum(builder, terms)

    def _emit_sum(self, builder: Builder, terms: Terms) -> int:
        total = self._emit_product(builder, terms[0])
        for term in terms[1:]:
            operation = Operation.SUBTRACT if term.negative else Operation.ADD
            total = builder.emit(operation, total, self._emit_product(builder, term))
        return total

    def _emit_product(self, builder: Builder, term: Term) -> int:
        if term.position is not None:
            return self._moved[term.position]
        factors = (
            self._moved[factor] if isinstance(factor, int) else self._emit_sum(builder, factor) for factor in term.factors
        )
        return reduce(lambda left, right: builder.emit(Operation.MULTIPLY, left, right), factors)
