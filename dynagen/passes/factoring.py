"""Factoring: k*x - k*y is k*(x - y), and x*y + x*z is x*(y + z), wherever in a sum the terms stand.

Whole sums are looked at: all that a chain of additions and subtractions adds up, as long as nobody else needs a partial sum,
and all factors of its terms, as long as nobody else needs the product. The factor that most terms share goes first, as in a
multivariate Horner scheme; every term that joins another saves a multiplication. Signs must have been propagated before: then
equal constants are one value, and none of them hides a sign.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import reduce

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.program import Instruction, Operation, Program
from dynagen.passes.dead_code import remove_dead_code

_SUM = (Operation.ADD, Operation.SUBTRACT)


@dataclass(frozen=True)
class _Term:
    """A term of a sum: the product of its factors.

    Attributes:
        negative: whether it is subtracted.
        factors: positions in the program, and sums that factoring has made.
        position: of the product in the program; None if it is new.
    """

    negative: bool
    factors: tuple[int | tuple[_Term, ...], ...]
    position: int | None = field(default=None, compare=False)

    def without(self, factor: int) -> _Term:
        """The term with a factor taken out."""
        at = self.factors.index(factor)
        return _Term(self.negative, self.factors[:at] + self.factors[at + 1 :])


_Sum = tuple[_Term, ...]
"""Terms in order; the first is never negative, so that no sign change is ever needed."""


def factor_sums(program: Program) -> Program:
    """Take common factors out of sums; names of partial sums and products that disappear are lost, all others stay."""
    factoring = _Factoring(program)
    return remove_dead_code(rewrite(program, factoring.rebuild)) if factoring.found else program


class _Factoring:
    """Finds the sums that are worth rebuilding, and emits them.

    Attributes:
        found: what to emit in place of the last instruction of a sum.
    """

    def __init__(self, program: Program) -> None:
        self._instructions = program.instructions
        self._uses = Counter(operand for instruction in program.instructions for operand in instruction.operands)
        self._uses.update(program.result_values())
        sums = {position: i for position, i in enumerate(program.instructions) if i.operation in _SUM}
        partial = {operand for i in sums.values() for operand in i.operands if self._uses[operand] == 1}
        self.found: dict[Instruction, _Sum] = {}
        for position, instruction in sums.items():
            if position not in partial:
                terms = self._terms(position)
                factored = _factor(terms)
                if factored != terms:
                    self.found[instruction] = factored
        self._moved: dict[int, int] = {}  # position in the program -> in the new one, of all that has been an operand

    def rebuild(self, builder: Builder, instruction: Instruction, operands: tuple[int, ...]) -> int:
        """The rule for `rewrite`; all factors of a sum have been operands of something by the time it is complete."""
        self._moved.update(zip(instruction.operands, operands, strict=True))
        terms = self.found.get(instruction)
        return builder.emit(instruction.operation, *operands) if terms is None else self._emit_sum(builder, terms)

    def _terms(self, root: int) -> _Sum:
        """What the sum at a position adds up, in order."""
        terms = []
        pending = [(root, False)]
        while pending:
            position, negative = pending.pop()
            instruction = self._instructions[position]
            if instruction.operation in _SUM and (position == root or self._uses[position] == 1):
                left, right = instruction.operands
                pending += [(right, negative != (instruction.operation is Operation.SUBTRACT)), (left, negative)]
            else:
                terms.append(_Term(negative, self._factors(position), position))
        return tuple(terms)

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

    def _emit_sum(self, builder: Builder, terms: _Sum) -> int:
        total = self._emit_product(builder, terms[0])
        for term in terms[1:]:
            operation = Operation.SUBTRACT if term.negative else Operation.ADD
            total = builder.emit(operation, total, self._emit_product(builder, term))
        return total

    def _emit_product(self, builder: Builder, term: _Term) -> int:
        if term.position is not None:
            return self._moved[term.position]
        factors = (
            self._moved[factor] if isinstance(factor, int) else self._emit_sum(builder, factor) for factor in term.factors
        )
        return reduce(lambda left, right: builder.emit(Operation.MULTIPLY, left, right), factors)


def _factor(terms: _Sum) -> _Sum:
    """The same sum after the factor that most products share has been taken out of them, and so on until no two share one."""
    while True:
        sharing: dict[int, list[int]] = {}
        for index, term in enumerate(terms):
            if len(term.factors) > 1:
                for factor in dict.fromkeys(term.factors):
                    if isinstance(factor, int):
                        sharing.setdefault(factor, []).append(index)
        common = max(sharing, key=lambda factor: len(sharing[factor]), default=None)
        if common is None or len(sharing[common]) < 2:
            return terms
        first, *others = sharing[common]
        rest = _as_term(_factor(tuple(terms[index].without(common) for index in sharing[common])))
        product = _Term(rest.negative, (common, *rest.factors))
        joined = set(others)
        terms = (*terms[:first], product, *(term for index, term in enumerate(terms) if index > first and index not in joined))


def _as_term(terms: _Sum) -> _Term:
    """A sum as a single term, negative if the sum begins with a negative one."""
    if len(terms) == 1:
        return terms[0]
    if terms[0].negative:
        return _Term(True, (tuple(replace(term, negative=not term.negative) for term in terms),))
    return _Term(False, (terms,))
