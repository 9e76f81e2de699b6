"""A network of functions: what a program computes, each with a definition that can be exchanged for another of equal value.

A node is a function of the inputs up to its sign, recognised by its fingerprint: there is one node for all values that are
equal or opposite, however they are computed (A. Mishchenko, S. Chatterjee, R. Brayton, "FRAIGs", 2005). A node refers to
others by literals, which say whether the opposite is meant, as the edges of an and-inverter graph do; so a sign costs nothing
and hides nothing. What a node is never changes, only how it is computed. Nodes that nobody needs cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynagen.ir.cost import CostModel
from dynagen.ir.operation import Operation
from dynagen.ir.program import Element
from dynagen.ir.residues import NARROW_FIELD
from dynagen.numbers.exact import Exact

Residues = NDArray[np.uint64]
Literal = int
"""Twice the number of a node, and one more if its opposite is meant."""

PRIME = np.uint64(NARROW_FIELD.prime)
_MOST_CANCELLED = 30.0
"""How much larger a term may be than a sum: its rounding is felt in what is left of it."""


class Definition(NamedTuple):
    """The definition of a node: how it is computed.

    Attributes:
        operation: ADD, MULTIPLY, or one that is never exchanged.
        operands: literals; of a product, plain nodes.
        is_opposite: whether this computes the opposite of the node.
        payload: of a constant or an input.
    """

    operation: Operation
    operands: tuple[Literal, ...] = ()
    is_opposite: bool = False
    payload: Exact | Element | None = None

    @property
    def is_fixed(self) -> bool:
        """Whether it is neither a sum nor a product."""
        return self.operation not in (Operation.ADD, Operation.MULTIPLY)


class Network:
    """Nodes, how they are computed, and what that costs.

    Attributes:
        cost: of all nodes that are needed, in whole units of the cost model.
        size: how many nodes there are.
        residues: of every node, shape (at least size, points).
        definitions: of every node that is needed, or has been.
        uses: how many times each is needed.
    """

    def __init__(self, model: CostModel, states: int) -> None:
        """An empty network.

        Args:
            model: what operations cost.
            states: for how many states there are numbers, that say how large nodes are.
        """
        unit = lcm(*(model.of(operation).denominator for operation in Operation))
        self._weights = {operation: int(Fraction(model.of(operation) * unit)) for operation in Operation}
        self._nodes: dict[bytes, int] = {}
        self._numbers: list[NDArray[np.float64]] = []
        self._largest: list[float] = []
        self._guards: list[int] = []  # bits of the divisions and functions that a node is behind
        self._users: list[dict[int, int]] = []
        self._before: list[tuple[int, Definition]] = []
        self._states = states
        self.residues: Residues = np.zeros((64, NARROW_FIELD.points), np.uint64)
        self.definitions: list[Definition | None] = []
        self.uses: list[int] = []
        self.cost = 0

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.definitions)

    def needed(self) -> Iterator[int]:
        """Nodes that are needed."""
        return (node for node, uses in enumerate(self.uses) if uses)

    def definition(self, node: int) -> Definition:
        """The definition of a node: how it is computed."""
        definition = self.definitions[node]
        assert definition is not None
        return definition

    def literal(self, residues: Residues, numbers: NDArray[np.float64], guards: int) -> Literal:
        """The literal of a value, found or new.

        Args:
            residues: of the value.
            numbers: it, in a few states.
            guards: bits of what it is behind.
        """
        negative = int(residues[0] > PRIME - residues[0])
        if negative:
            residues = (PRIME - residues) % PRIME
        key = residues.tobytes()
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = self.size
            if node == len(self.residues):
                self.residues = np.concatenate([self.residues, np.zeros_like(self.residues)])
            self.residues[node] = residues
            self._numbers.append(-numbers if negative else numbers)
            self._largest.append(float(np.nan_to_num(np.abs(numbers), nan=np.inf).max()))
            self._guards.append(guards)
            self._users.append({})
            self.definitions.append(None)
            self.uses.append(0)
        return 2 * node + negative

    def leaf(self, definition: Definition, residues: Residues, numbers: NDArray[np.float64]) -> Literal:
        """The literal of a value that is computed in one way only.

        A division, or a function that is not defined everywhere, guards what is computed from it: nodes that have not needed
        it do not come to depend on it, though the functions be equal wherever both are defined.
        """
        guards = 0
        for operand in definition.operands:
            guards |= self._guards[operand >> 1]
        if definition.operands and definition.operation.kind != "sincos":
            guards |= 1 << self.size
        literal = self.literal(residues, numbers, guards)
        if self.definitions[literal >> 1] is None:
            self.definitions[literal >> 1] = definition._replace(is_opposite=bool(literal & 1))
        return literal

    def combined(self, operation: Operation, left: Literal, right: Literal) -> Literal:
        """The literal of a sum or product; a node that has no definition yet is computed so."""
        a, b = self._numbers[left >> 1], self._numbers[right >> 1]
        if operation is Operation.ADD:
            numbers = (-a if left & 1 else a) + (-b if right & 1 else b)
        else:
            numbers = -a * b if (left ^ right) & 1 else a * b
        guards = self._guards[left >> 1] | self._guards[right >> 1]
        literal = self.literal(self._computed(operation, left, right), numbers, guards)
        if self.definitions[literal >> 1] is None:
            self.definitions[literal >> 1] = self._signed(literal >> 1, operation, left, right)
        return literal

    def helper(self, operation: Operation, left: Literal, right: Literal) -> Literal:
        """The literal of a sum or product of nodes that are needed; if nobody needs it yet, it is computed so."""
        literal = self.combined(operation, left, right)
        node = literal >> 1
        if not self.uses[node] and not self.definition(node).is_fixed:
            self._before.append((node, self.definition(node)))
            self.definitions[node] = self._signed(node, operation, left, right)
            self._guards[node] = self._guards[left >> 1] | self._guards[right >> 1]
        return literal

    def definition_by(self, node: int, operation: Operation, left: Literal, right: Literal) -> Definition | None:
        """The definition of a node as a sum or product of these, or of their opposites; None if it is none.

        A sum that is much smaller than its terms is none: it would have their rounding errors.
        """
        if operation is Operation.ADD and not self.is_well_conditioned(node, left, right):
            return None
        for other in (right, right ^ 1) if operation is Operation.ADD else (right,):
            computed = self._computed(operation, left, other)
            if np.array_equal(computed, self.residues[node]) or np.array_equal(PRIME - computed, self.residues[node]):
                return self._signed(node, operation, left, other)
        return None

    def is_well_conditioned(self, node: int, *terms: Literal) -> bool:
        """Whether a sum is not much smaller than its terms."""
        return max(self._largest[term >> 1] for term in terms) <= _MOST_CANCELLED * self._largest[node]

    def may_need(self, node: int, other: int) -> bool:
        """Whether a node may be computed from another one, as far as divisions are concerned."""
        return not self._guards[other] & ~self._guards[node]

    def define(self, node: int, definition: Definition) -> None:
        """Compute a node otherwise."""
        self._before.append((node, self.definition(node)))
        self._exchange(node, definition)

    def begin(self) -> None:
        """Remember what is here now."""
        self._before = []

    def undo(self) -> None:
        """Go back to what was."""
        for node, definition in reversed(self._before):
            self._exchange(node, definition)
        self._before = []

    def need(self, node: int, user: int | None = None) -> None:
        """Count a use in, and all that it needs."""
        pending = [(node, user)]
        while pending:
            node, user = pending.pop()
            self.uses[node] += 1
            if user is not None:
                self._users[node][user] = self._users[node].get(user, 0) + 1
            if self.uses[node] == 1:
                definition = self.definition(node)
                self.cost += self._weights[definition.operation]
                pending += [(operand >> 1, node) for operand in definition.operands]

    def release(self, node: int, user: int | None = None) -> None:
        """Count a use out, and all that nobody needs then."""
        pending = [(node, user)]
        while pending:
            node, user = pending.pop()
            self.uses[node] -= 1
            if user is not None:
                users = self._users[node]
                users[user] -= 1
                if not users[user]:
                    del users[user]
            if not self.uses[node]:
                definition = self.definition(node)
                self.cost -= self._weights[definition.operation]
                pending += [(operand >> 1, node) for operand in definition.operands]

    def dependent(self, node: int) -> set[int]:
        """A node and all that need it, be it through others."""
        found, pending = {node}, [node]
        while pending:
            for user in self._users[pending.pop()]:
                if user not in found:
                    found.add(user)
                    pending.append(user)
        return found

    def _exchange(self, node: int, definition: Definition) -> None:
        before, self.definitions[node] = self.definition(node), definition
        if self.uses[node]:
            for operand in definition.operands:
                self.need(operand >> 1, node)
            for operand in before.operands:
                self.release(operand >> 1, node)
            self.cost += self._weights[definition.operation] - self._weights[before.operation]

    def _computed(self, operation: Operation, left: Literal, right: Literal) -> Residues:
        a, b = self.residues[left >> 1], self.residues[right >> 1]
        if operation is Operation.ADD:
            result: Residues = ((PRIME - a if left & 1 else a) + (PRIME - b if right & 1 else b)) % PRIME
            return result
        product: Residues = a * b % PRIME
        return (PRIME - product) % PRIME if (left ^ right) & 1 else product

    def _signed(self, node: int, operation: Operation, left: Literal, right: Literal) -> Definition:
        """The definition of a node as what is it up to its sign."""
        if operation is Operation.MULTIPLY:
            left, right = left & ~1, right & ~1
        is_opposite = not np.array_equal(self._computed(operation, left, right), self.residues[node])
        if operation is Operation.ADD and is_opposite:
            return Definition(operation, (left ^ 1, right ^ 1))
        return Definition(operation, (left, right), is_opposite)
