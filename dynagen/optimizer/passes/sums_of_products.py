"""Sums of products: additions and multiplications as sums of any number of terms and products of any number of factors.

A chain of additions is one sum, as long as nobody else needs a partial sum of it, and a chain of multiplications one product.
They can be changed here, and the program rebuilt from what they have become.

Additions of two operands, as instructions have them, hide what terms have in common behind the order in which a recursion
happened to add them. A partial sum that others need is a value of its own, though: to see through it would compute it twice.
So passes that extract look at whole chains, and stop where values are shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial, reduce
from math import prod

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.program import Instruction, Operation, Program
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.optimizer.passes.folding import remove_dead_code

_KINDS = {
    Operation.ADD: Operation.ADD,
    Operation.SUBTRACT: Operation.ADD,
    Operation.MULTIPLY: Operation.MULTIPLY,
}
"""ADD for all that adds, MULTIPLY for products."""

_MOST_FACTORS = 64  # of a monomial: squares of squares would have any number

Term = tuple[bool, int]
"""Whether a value is subtracted, and its position."""


def remove_factor(factors: tuple[int, ...], factor: int) -> tuple[int, ...]:
    """The factors of a product that has one factor less."""
    place = factors.index(factor)
    return factors[:place] + factors[place + 1 :]


class SumsOfProducts:
    """The sums and products of a program, by the position of their values.

    Attributes:
        sums: terms in order.
        products: factors in ascending order.
        constants: numbers.
        uses: how many terms, factors, other operands and results a value is.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._instructions = program.instructions
        self._operands = Counter(
            operand for instruction in program.instructions for operand in instruction.operands
        )
        self._operands.update(program.result_values())
        self.sums: dict[int, tuple[Term, ...]] = {}
        self.products: dict[int, tuple[int, ...]] = {}
        self.constants: dict[int, Exact] = {}
        self.uses: Counter[int] = Counter(program.result_values())
        self._read()
        self._known = {factors: position for position, factors in self.products.items()}
        self._monomials: dict[int, tuple[Exact, tuple[int, ...]]] = {}
        self._changed: set[int] = set()
        self._next = len(program.instructions)
        self._emitted_at: dict[int, int] = {}  # position here -> in the rebuilt program
        self._roots: dict[Instruction, int] = {}

    def _read(self) -> None:
        kinds = [_KINDS.get(instruction.operation) for instruction in self._instructions]
        inside = {
            operand
            for instruction, kind in zip(self._instructions, kinds, strict=True)
            if kind is not None
            for operand in instruction.operands
            if kinds[operand] is kind and self._operands[operand] == 1
        }
        for position, (instruction, kind) in enumerate(zip(self._instructions, kinds, strict=True)):
            if position in inside:
                continue
            if kind is Operation.ADD:
                self.sums[position] = terms = tuple(self._list_leaves(position, inside))
                self.uses.update(value for _, value in terms)
            elif kind is Operation.MULTIPLY:
                self.products[position] = factors = tuple(
                    sorted(value for _, value in self._list_leaves(position, inside))
                )
                self.uses.update(factors)
            elif isinstance(instruction.payload, Exact):
                self.constants[position] = instruction.payload
            else:
                self.uses.update(instruction.operands)

    def _list_leaves(self, root: int, inside: set[int]) -> Iterator[Term]:
        """The terms or factors of the chain that ends at a position, in order."""
        pending = [(False, root)]
        while pending:
            negative, position = pending.pop()
            if position != root and position not in inside:
                yield negative, position
                continue
            instruction = self._instructions[position]
            left, right = instruction.operands
            pending += [
                (negative != (instruction.operation is Operation.SUBTRACT), right),
                (negative, left),
            ]

    def own_factors(self, value: int) -> tuple[int, ...]:
        """The factors of a value that nobody else needs; it alone, if it is no such product."""
        return (
            self.products[value] if self.uses[value] == 1 and value in self.products else (value,)
        )

    def monomial(self, value: int) -> tuple[Exact, tuple[int, ...]]:
        """A number and factors, ascending, that multiply to a value; none is a product, unless there would be too many."""
        known = self._monomials.get(value)
        if known is None:
            parts = [self.monomial(factor) for factor in self.products.get(value, ())]
            factors = sorted(factor for _, more in parts for factor in more)
            if value in self.constants:
                known = self.constants[value], ()
            elif parts and len(factors) <= _MOST_FACTORS:
                known = prod((number for number, _ in parts), start=ONE), tuple(factors)
            else:
                known = ONE, (value,)
            self._monomials[value] = known
        return known

    def find_product(self, factors: tuple[int, ...]) -> int | None:
        """The value that is a product of these factors, if there is one; a product of one factor is that factor."""
        return factors[0] if len(factors) == 1 else self._known.get(factors)

    def add_product(self, factors: tuple[int, ...]) -> int:
        """The value that is a product of these factors, in ascending order, found or new."""
        position = self.find_product(factors)
        if position is None:
            position = self._new_position()
            self.products[position] = factors
            self._known[factors] = position
            self.uses.update(factors)
        return position

    def add_constant(self, value: Exact) -> int:
        """A new value that is a number."""
        position = self._new_position()
        self.constants[position] = value
        return position

    def add_sum(self, terms: tuple[Term, ...]) -> int:
        """A new value that is a sum of these terms."""
        position = self._new_position()
        self.sums[position] = terms
        self.uses.update(value for _, value in terms)
        return position

    def change_sum(self, position: int, terms: tuple[Term, ...]) -> None:
        """Make a value the sum of other terms, of any number."""
        released = self.sums[position]
        self.sums[position] = terms
        self._changed.add(position)
        self.uses.update(value for _, value in terms)
        for _, value in released:
            self._remove_use(value)

    def change_product(self, position: int, factors: tuple[int, ...]) -> None:
        """Make a value the product of other factors, in ascending order."""
        released = self.products[position]
        if self._known.get(released) == position:
            del self._known[released]
        self.products[position] = factors
        self._known.setdefault(factors, position)
        self._changed.add(position)
        self.uses.update(factors)
        for factor in released:
            self._remove_use(factor)

    def _remove_use(self, position: int) -> None:
        """One use less; what nobody uses any more disappears with all that only it used."""
        self.uses[position] -= 1
        if self.uses[position] == 0:
            if position in self.products:
                factors = self.products.pop(position)
                if self._known.get(factors) == position:
                    del self._known[factors]
                for factor in factors:
                    self._remove_use(factor)
            for _, value in self.sums.pop(position, ()):
                self._remove_use(value)

    def _new_position(self) -> int:
        self._next += 1
        return self._next - 1

    def rebuild(self) -> Program:
        """The program as it is now; names of partial sums and products that disappear are lost, all others stay."""
        # The old program is gone through in order, so that values keep their places, sections and names. What is new is
        # emitted right before the first value that needs it: all that it is made of has been there already, because it was a
        # part of that value before.
        if not self._changed:
            return self._program
        for position in (*self.sums, *self.products):
            if position < len(self._instructions):
                self._roots.setdefault(self._instructions[position], position)
        return remove_dead_code(rewrite(self._program, self._rebuild))

    def _rebuild(
        self, builder: Builder, instruction: Instruction, operands: tuple[int, ...]
    ) -> int:
        """The rule for `rewrite`; whatever a sum needs has been an operand of something by the time it is complete."""
        self._emitted_at.update(zip(instruction.operands, operands, strict=True))
        root = self._roots.get(instruction)
        if root is None or (root not in self._changed and root not in self._emitted_at):
            value = builder.emit(instruction.operation, *operands)
            if root is not None:
                self._emitted_at[root] = value
            return value
        return self._emit(builder, root)

    def _emit(self, builder: Builder, position: int) -> int:
        """The value at a position, emitted or found."""
        if position not in self._emitted_at:
            if position in self.products:
                factors = (self._emit(builder, factor) for factor in self.products[position])
                value = reduce(partial(builder.emit, Operation.MULTIPLY), factors)
            elif position in self.sums:
                value = self._emit_sum(builder, self.sums[position])
            else:
                value = builder.constant(self.constants[position])
            self._emitted_at[position] = value
        return self._emitted_at[position]

    def _emit_sum(self, builder: Builder, terms: tuple[Term, ...]) -> int:
        """A sum that begins with a term that is not subtracted, or the opposite of one."""
        if not terms:
            return builder.constant(ZERO)
        if all(negative for negative, _ in terms):
            return builder.emit(
                Operation.NEGATE, self._emit_sum(builder, tuple((False, term) for _, term in terms))
            )
        first = next(place for place, (negative, _) in enumerate(terms) if not negative)
        value = self._emit(builder, terms[first][1])
        for negative, term in terms[:first] + terms[first + 1 :]:
            value = builder.emit(
                Operation.SUBTRACT if negative else Operation.ADD, value, self._emit(builder, term)
            )
        return value
