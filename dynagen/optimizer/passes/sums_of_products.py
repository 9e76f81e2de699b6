"""Sums with any number of terms and products with any number of factors, for the passes.

Because each instruction adds or multiplies two operands, common terms of sums are hidden if the
sums add their terms in different orders. Here, a chain of additions is one sum with any number of
terms, and a chain of multiplications is one product. A chain ends at a value with several uses,
because such a value would otherwise be computed several times.

    t1 = x + y;  t2 = t1 - z;  r = t2*u*v
    ->  sum t2: +x +y -z;  product r: t2 u v

Passes change sums and products, and rebuild the program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial, reduce
from typing import NamedTuple

from dynagen.ir.builder import Builder, rewrite
from dynagen.ir.operation import ADD, MULTIPLY, NEGATE, SUBTRACT
from dynagen.ir.program import Instruction, Program
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.optimizer.passes.folding import remove_dead_code

_KINDS = {
    ADD: ADD,
    SUBTRACT: ADD,
    MULTIPLY: MULTIPLY,
}
"""Kind of chain, ADD or MULTIPLY, to which an operation belongs.

A chain is a sum or product of any number of values, computed by several instructions.
"""

_MOST_FACTORS = 64  # of a monomial: squares of squares double their number at each level

Term = tuple[bool, int]
"""Type of a term of a sum: whether the term is subtracted, and the position of its value."""


def remove_factor(factors: tuple[int, ...], factor: int) -> tuple[int, ...]:
    """Return the factors (positions of values) of a product without one occurrence of `factor`."""
    place = factors.index(factor)
    return factors[:place] + factors[place + 1 :]


class _SameProgram:
    """A program as a key of a cache, equal only to a key with the same program object."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SameProgram) and self.program is other.program

    def __hash__(self) -> int:
        return id(self.program)


class _Chains(NamedTuple):
    """The chains of additions and of multiplications in a program.

    Attributes:
        sums: mapping from the position of each sum to its terms.
        products: mapping from the position of each product to its factors in ascending order.
        constants: mapping from the position of each constant to its number.
        uses: how often each value is a term, a factor, another operand or a result.
    """

    sums: dict[int, tuple[Term, ...]]
    products: dict[int, tuple[int, ...]]
    constants: dict[int, Exact]
    uses: Counter[int]


@lru_cache(maxsize=1)  # four passes in succession read a program that they do not change
def _read_chains(key: _SameProgram) -> _Chains:
    """Return the sums and products of any length in a program, and how often each value is used.

    A sum or product is a chain of operations. Uses of a value inside its own chain do not count.
    """
    program = key.program
    instructions, counts = program.instructions, program.count_uses()
    # Uses inside of chains disappear, so uses are counted again from the ends of chains.
    chains, used = _Chains({}, {}, {}, Counter(program.iterate_result_values())), list[int]()
    kinds = [_KINDS.get(instruction.operation) for instruction in instructions]
    # Values inside of a chain: used once, by an operation of the same kind.
    inside = {
        operand
        for instruction, kind in zip(instructions, kinds, strict=True)
        if kind is not None
        for operand in instruction.operands
        if kinds[operand] is kind and counts[operand] == 1
    }
    for position, (instruction, kind) in enumerate(zip(instructions, kinds, strict=True)):
        # Inner values of a chain are not values of their own here.
        if position in inside:
            continue
        operation, operands, payload, _, _ = instruction
        if kind is None:
            used += operands
            if isinstance(payload, Exact):
                chains.constants[position] = payload
        elif not inside.isdisjoint(operands):
            terms = _list_leaves(instructions, position, inside)
            values = [value for _, value in terms]
            used += values
            if kind is ADD:
                chains.sums[position] = terms
            else:
                chains.products[position] = tuple(sorted(values))
        else:  # most chains are one operation
            used += operands
            left, right = operands
            if kind is ADD:
                chains.sums[position] = (False, left), (operation is SUBTRACT, right)
            else:
                chains.products[position] = operands if left <= right else (right, left)
    chains.uses.update(used)
    return chains


def _list_leaves(
    instructions: Sequence[Instruction], root: int, inside: set[int]
) -> tuple[Term, ...]:
    """Return the terms or factors of the chain whose last operation is at `root`, in order.

    `inside` are the positions of operands with a single use, which belong to a longer chain.
    """
    leaves = []
    # A stack in place of recursion, with the left operand on top: leaves come out in order.
    pending = [(False, root)]
    while pending:
        negative, position = term = pending.pop()
        # A leaf: the end of another chain, or not a sum or product at all.
        if position != root and position not in inside:
            leaves.append(term)
            continue
        operation, (left, right), _, _, _ = instructions[position]
        pending.append((negative != (operation is SUBTRACT), right))
        pending.append((negative, left))
    return tuple(leaves)


class SumsOfProducts:
    """The sums and products of a program, keyed by the positions of their values.

    A value is identified by its position in the program; new values get positions after its end. A
    term of a sum is a pair: whether it is subtracted, and the position of its value.

    Attributes:
        sums: mapping from the position of each sum to its terms, in order.
        products: mapping from the position of each product to the positions of its factors in
            ascending order, so that equal products have equal factors.
        constants: mapping from the position of each constant to its exact number.
        uses: how often each value is a term, a factor, another operand or a result.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._instructions = program.instructions
        chains = _read_chains(_SameProgram(program))
        self.sums = chains.sums.copy()
        self.products = chains.products.copy()
        self.constants = chains.constants.copy()
        self.uses = chains.uses.copy()
        self._known = {factors: position for position, factors in self.products.items()}
        self._monomials: dict[int, tuple[Exact, tuple[int, ...]]] = {}
        self._changed: set[int] = set()
        self._next = len(program.instructions)
        # The rebuilding goes through the old instructions in order and needs two maps:
        # - positions here -> positions in the rebuilt program;
        # - the instruction at the end of a chain -> its position here. It is keyed by instruction,
        #   as the rule of `rewrite` receives that and no position. Equal instructions are equal
        #   values, so the first of them stands for all.
        self._emitted_at: dict[int, int] = {}
        self._roots: dict[Instruction, int] = {}

    def find_own_factors(self, value: int) -> tuple[int, ...]:
        """Return the factors of the value at a position if it is a product with a single use.

        For any other value, the result is the value alone.
        """
        # A product with other uses is computed anyway, so it is cheaper as one factor.
        return (
            self.products[value] if self.uses[value] == 1 and value in self.products else (value,)
        )

    def expand_monomial(self, value: int) -> tuple[Exact, tuple[int, ...]]:
        """Return the value at a position as a product: a number, and the positions of its factors.

        For example, the result is (2, (x,)) for t = 2*x, and (4, (x, x, y)) for v = t*t*y.

        No factor is a product itself, unless there would be more than 64 factors.
        """
        known = self._monomials.get(value)
        if known is None:
            if value in self.constants:
                known = self.constants[value], ()
            elif value in self.products:
                number, factors = ONE, list[int]()
                for factor in self.products[value]:
                    multiple, more = self.expand_monomial(factor)
                    if multiple is not ONE:  # most numbers are multiplied by one, without cost
                        number = multiple if number is ONE else number * multiple
                    factors += more
                known = (
                    (number, tuple(sorted(factors)))
                    if len(factors) <= _MOST_FACTORS
                    else (ONE, (value,))
                )
            else:
                known = ONE, (value,)
            self._monomials[value] = known
        return known

    def find_product(self, factors: tuple[int, ...]) -> int | None:
        """Return the position of the product of ascending factors; None without such a product."""
        return factors[0] if len(factors) == 1 else self._known.get(factors)

    def add_product(self, factors: tuple[int, ...]) -> int:
        """Return the position of the product of ascending factors; add the product if it is new."""
        position = self.find_product(factors)
        if position is None:
            position = self._new_position()
            self.products[position] = factors
            self._known[factors] = position
            self._add_uses(factors)
        return position

    def add_constant(self, value: Exact) -> int:
        """Add an exact number as a constant; return the constant's position among the values."""
        position = self._new_position()
        self.constants[position] = value
        return position

    def add_sum(self, terms: tuple[Term, ...]) -> int:
        """Add a sum; return its position among the values.

        Args:
            terms: for each term, whether it is subtracted, and the position of its value.
        """
        position = self._new_position()
        self.sums[position] = terms
        self._add_uses(value for _, value in terms)
        return position

    def change_sum(self, position: int, terms: tuple[Term, ...]) -> None:
        """Replace the terms of a sum by any number of other terms, including zero.

        Args:
            position: position of the sum among the values.
            terms: for each new term, whether it is subtracted, and the position of its value.
        """
        released = self.sums[position]
        self.sums[position] = terms
        self._changed.add(position)
        self._add_uses(value for _, value in terms)
        # New uses are counted first: parts in both sums never drop to zero uses.
        for _, value in released:
            self._remove_use(value)

    def change_product(self, position: int, factors: tuple[int, ...]) -> None:
        """Replace the factors of the product at `position` by factors in ascending order."""
        released = self.products[position]
        # Another product may have the same factors; only the one that is looked up is forgotten.
        if self._known.get(released) == position:
            del self._known[released]
        self.products[position] = factors
        # Of products with equal factors, the first one is found by `find_product`.
        self._known.setdefault(factors, position)
        self._changed.add(position)
        self._add_uses(factors)
        for factor in released:
            self._remove_use(factor)

    def _add_uses(self, values: Iterable[int]) -> None:
        """Count one more use of each value."""
        uses = self.uses
        for value in values:  # faster than `Counter.update` for a few values
            uses[value] += 1

    def _remove_use(self, position: int) -> None:
        """Remove one use of a value; remove a value without uses, and its uses of operands."""
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
        """Return an unused position for a new value."""
        self._next += 1
        return self._next - 1

    def rebuild(self) -> Program:
        """Return the program with all changes of sums and products.

        All names stay, except names of partial sums and products that have disappeared.
        """
        # The order of the old program keeps places, sections and names. A new value is emitted just
        # before the first value that needs it. This is safe: its parts were parts of that value
        # before, so they precede it in the old program, too.
        if not self._changed:
            return self._program
        for position in (*self.sums, *self.products):
            if position < len(self._instructions):
                self._roots.setdefault(self._instructions[position], position)
        return remove_dead_code(rewrite(self._program, self._rebuild))

    def _rebuild(
        self, builder: Builder, instruction: Instruction, operands: tuple[int, ...]
    ) -> int:
        """Emit an instruction of the old program, with changed sums and products.

        `operands` and the result are positions in the builder.
        """
        # All operands of instructions are mapped here, including leaves and unchanged values.
        for operand, value in zip(instruction.operands, operands, strict=True):
            self._emitted_at[operand] = value
        root = self._roots.get(instruction)
        # An unchanged chain is repeated. If it has been emitted early, for a changed
        # value, it is reused.
        if root is None or (root not in self._changed and root not in self._emitted_at):
            value = builder.repeat(instruction, operands)
            if root is not None:
                self._emitted_at[root] = value
            return value
        return self._emit(builder, root)

    def _emit(self, builder: Builder, position: int) -> int:
        """Return the position in the builder of a value; emit the value if needed."""
        # Recursion ends at values of the old program, which are all mapped already.
        if position not in self._emitted_at:
            if position in self.products:
                # Numbers come first, as in all products of a program.
                factors = sorted(
                    self.products[position], key=lambda each: each not in self.constants
                )
                value = reduce(
                    partial(builder.emit, MULTIPLY), [self._emit(builder, each) for each in factors]
                )
            elif position in self.sums:
                value = self._emit_sum(builder, self.sums[position])
            else:
                value = builder.add_constant(self.constants[position])
            self._emitted_at[position] = value
        return self._emitted_at[position]

    def _emit_sum(self, builder: Builder, terms: tuple[Term, ...]) -> int:
        """Emit a sum, beginning with a term that is not subtracted; return its position.

        If all terms are subtracted, the negation of their sum is emitted.
        """
        if not terms:
            return builder.add_constant(ZERO)
        if all(negative for negative, _ in terms):
            return builder.emit(
                NEGATE, self._emit_sum(builder, tuple((False, term) for _, term in terms))
            )
        # Starting with a term that is not subtracted avoids a negation; the others keep their
        # order.
        first = next(place for place, (negative, _) in enumerate(terms) if not negative)
        value = self._emit(builder, terms[first][1])
        for negative, term in terms[:first] + terms[first + 1 :]:
            value = builder.emit(SUBTRACT if negative else ADD, value, self._emit(builder, term))
        return value
