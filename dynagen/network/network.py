"""A network of functions: what a program computes, each with a definition that can be exchanged for another of equal value.

A node is a function of the inputs up to its sign, recognised by its fingerprint: there is one node for all values that are
equal or opposite, however they are computed (A. Mishchenko, S. Chatterjee, R. Brayton, "FRAIGs", 2005). A node refers to
others by literals, which say whether the opposite is meant, as the edges of an and-inverter graph do; so a sign costs nothing
and hides nothing. What a node is never changes, only how it is computed. Nodes that nobody needs cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import lcm
from typing import NamedTuple

import numpy as np

from dynagen.ir.cost import CostModel
from dynagen.ir.operation import Operation
from dynagen.ir.program import Element
from dynagen.network.node_values import PRIME, Combination, Literal, NodeValues, Value
from dynagen.numbers.exact import Exact

_MOST_CANCELLED = 30.0
"""The most that a term may be larger than a sum: its rounding shows in what is left of it."""


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
        values: what the nodes are.
        definitions: of every node, needed or not.
        uses: how many times each is needed.
        weights: of operations, in whole units of the cost model.
    """

    def __init__(self, model: CostModel) -> None:
        """An empty network.

        Args:
            model: what operations cost.
        """
        unit = lcm(*(model.of(operation).denominator for operation in Operation))
        self.weights = {operation: int(model.of(operation) * unit) for operation in Operation}
        self._users: list[dict[int, int]] = []
        self._before: list[tuple[int, Definition]] = []
        self.values = NodeValues()
        self.definitions: list[Definition] = []
        self.uses: list[int] = []
        self.cost = 0

    def needed(self) -> Iterator[int]:
        """Nodes that are needed."""
        return (node for node, uses in enumerate(self.uses) if uses)

    def leaf(self, definition: Definition, value: Value) -> Literal:
        """The literal of a value that is computed in one way only.

        A division, or a function that is not defined everywhere, guards what is computed from it: nodes that have not needed
        it do not come to depend on it, though the functions be equal wherever both are defined.
        """
        guards = 0
        for operand in definition.operands:
            guards |= self.values.guards[operand >> 1]
        if definition.operands and definition.operation.kind != "sincos":
            guards |= 1 << len(self.values)
        literal = self.values.literal(value._replace(guards=guards))
        definition = definition._replace(is_opposite=bool(literal & 1))
        node = literal >> 1
        if isinstance(definition.payload, Exact) and node < len(self.uses) and self.definitions[node].operands:
            self.define(node, definition)  # a number that has been computed, be it in vain, as s^2 + c^2
        return self._added(literal, definition)

    def combined(self, combination: Combination) -> Literal:
        """The literal of a sum or product; a node that is new is computed so."""
        literal = self.values.combined(combination)
        return literal if literal >> 1 < len(self.uses) else self._added(literal, _definition(literal, combination))

    def helper(self, combination: Combination) -> Literal:
        """The literal of a sum or product of nodes that are needed; if nobody needs it yet, it is computed so."""
        literal = self.combined(combination)
        node = literal >> 1
        if not self.uses[node] and not self.definitions[node].is_fixed:
            self._before.append((node, self.definitions[node]))
            self.definitions[node] = _definition(literal, combination)
            guards = self.values.guards
            guards[node] = guards[combination.left >> 1] | guards[combination.right >> 1]
        return literal

    def definition_by(self, node: int, combination: Combination) -> Definition | None:
        """The definition of a node as a sum or product of these, or of their opposites; None if it is none.

        A sum that is much smaller than its terms is none: it would have their rounding errors.
        """
        if not self.is_well_conditioned(node, combination):
            return None
        operation, left, right = combination
        residues = self.values.residues[node]
        for each in (combination, Combination(operation, left, right ^ 1)):
            computed = self.values.computed(each)
            for literal, same in ((2 * node, computed), (2 * node + 1, PRIME - computed)):
                if np.array_equal(same, residues):
                    return _definition(literal, each)
        return None

    def is_well_conditioned(self, node: int, combination: Combination) -> bool:
        """Whether a node is not much smaller than terms of which it is the sum."""
        if combination.operation is not Operation.ADD:
            return True
        largest = self.values.largest
        terms = max(largest[combination.left >> 1], largest[combination.right >> 1])
        return terms <= _MOST_CANCELLED * largest[node]

    def may_need(self, node: int, other: int) -> bool:
        """Whether a node may be computed from another one, as far as divisions are concerned."""
        return not self.values.guards[other] & ~self.values.guards[node]

    def define(self, node: int, definition: Definition) -> None:
        """Compute a node otherwise."""
        self._before.append((node, self.definitions[node]))
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
                definition = self.definitions[node]
                self.cost += self.weights[definition.operation]
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
                definition = self.definitions[node]
                self.cost -= self.weights[definition.operation]
                pending += [(operand >> 1, node) for operand in definition.operands]

    def users(self, node: int) -> Mapping[int, int]:
        """Nodes that need a node, and how many times."""
        return self._users[node]

    def dependent(self, *nodes: int) -> set[int]:
        """Nodes and all that need them, be it through others."""
        found, pending = set(nodes), list(nodes)
        while pending:
            for user in self._users[pending.pop()]:
                if user not in found:
                    found.add(user)
                    pending.append(user)
        return found

    def private_cost(self, node: int) -> int:
        """The cost of a node that is needed, and of all that it alone needs."""
        before, definition = self.cost, self.definitions[node]
        for operand in definition.operands:
            self.release(operand >> 1, node)
        private = before - self.cost + self.weights[definition.operation]
        for operand in definition.operands:
            self.need(operand >> 1, node)
        return private

    def _exchange(self, node: int, definition: Definition) -> None:
        before, self.definitions[node] = self.definitions[node], definition
        if self.uses[node]:
            for operand in definition.operands:
                self.need(operand >> 1, node)
            for operand in before.operands:
                self.release(operand >> 1, node)
            self.cost += self.weights[definition.operation] - self.weights[before.operation]

    def _added(self, literal: Literal, definition: Definition) -> Literal:
        if literal >> 1 == len(self.uses):
            self._users.append({})
            self.definitions.append(definition)
            self.uses.append(0)
        return literal


def _definition(literal: Literal, combination: Combination) -> Definition:
    """The definition of a node by a combination whose value is this literal of it."""
    operation, left, right = combination
    if operation is Operation.MULTIPLY:
        return Definition(operation, (left & ~1, right & ~1), bool((literal ^ left ^ right) & 1))
    return Definition(operation, (left ^ (literal & 1), right ^ (literal & 1)))
