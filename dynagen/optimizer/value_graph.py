"""Value graph: the values of a program, each with a definition that can be replaced.

A node represents a function of the inputs, up to its sign, and is recognised by its fingerprint.
All values that are equal or opposite share one node, even if they are computed differently
(Mishchenko, Chatterjee and Brayton, "FRAIGs: A Unifying Representation for Logic Synthesis and
Verification", 2005). Operands of nodes are literals: a literal is a node or its opposite, like an
edge of an and-inverter graph. Because a literal includes the sign, a change of sign costs nothing
and hides no equality.

A node always represents the same function; only the definition of the node can be replaced. The
cost of the graph is the cost of all nodes that the results need.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from functools import partial
from math import lcm
from typing import NamedTuple

import numpy as np

from dynagen.ir.cost import CostModel
from dynagen.ir.evaluation import evaluate_example
from dynagen.ir.fingerprints import NARROW_FIELD
from dynagen.ir.operation import ADD, CONSTANT, MULTIPLY, Operation
from dynagen.ir.program import Element
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.optimizer.node_values import (
    PRIME,
    SAMPLED_STATES,
    WIDE_FIELD,
    Combination,
    LeafValue,
    Literal,
    NodeValues,
    Residues,
)

_MOST_CANCELLED = 30.0
"""Largest allowed ratio of a term to its sum; at this ratio, the sum loses 1.5 decimal digits."""


class Definition(NamedTuple):
    """Definition of a node: the operation and operands that compute it.

    Attributes:
        operation: ADD, MULTIPLY, or an operation that is never replaced.
        operands: literals of the operands: twice the index of a node, plus one for its opposite.
            The operands of a product are nodes, not opposites of nodes.
        is_opposite: whether the operation computes the opposite of the node.
        payload: payload of a constant or an input.
    """

    operation: Operation
    operands: tuple[Literal, ...] = ()
    is_opposite: bool = False
    payload: Exact | Element | None = None

    @property
    def is_fixed(self) -> bool:
        """Whether the operation is neither a sum nor a product, so that it is never replaced."""
        return self.operation not in (ADD, MULTIPLY)


class NodeSet(NamedTuple):
    """Set of nodes, stored as the bits of an integer so that unions are fast.

    Attributes:
        bits: bit n is set if node n belongs to the set.
    """

    bits: int

    def __contains__(self, node: object) -> bool:
        return isinstance(node, int) and bool(self.bits >> node & 1)


class ValueGraph:
    """Nodes, their definitions, and the cost of the nodes that results need.

    A node is a value up to its sign. It is in use if a result depends on it. A literal is a node or
    its opposite: twice the index of the node, plus one for the opposite.

    Attributes:
        cost: cost of all nodes in use, in a unit in which the price of each operation is a whole
            number.
        values: residues and magnitudes of the nodes.
        definitions: definition of each node, including unused nodes.
        uses: for each node the number of results that equal it, plus the number of times that it is
            an operand of a node in use.
        weights: mapping from a kind of operation, such as "mul", to its price in the unit of
            `cost`.
    """

    def __init__(self, model: CostModel) -> None:
        """Create an empty graph.

        Args:
            model: the price of each operation.
        """
        # Whole units make costs exact, so that equal costs compare equal.
        unit = lcm(*(model.weigh(operation).denominator for operation in Operation))
        self.weights = {
            operation.kind: int(model.weigh(operation) * unit) for operation in Operation
        }
        self._users: list[dict[int, int]] = []
        self._before: list[tuple[int, Definition]] = []
        self.values = NodeValues()
        self.definitions: list[Definition] = []
        self.uses: list[int] = []
        self.cost = 0

    def iterate_needed_nodes(self) -> Iterator[int]:
        """Yield the indices of all nodes in use, in the order of their creation."""
        return (node for node, uses in enumerate(self.uses) if uses)

    def add_leaf(self, definition: Definition, value: LeafValue) -> Literal:
        """Return the literal (node or opposite) of a value whose definition is never replaced.

        An operation that is not defined for all operands, such as a division or a square root, is a
        guard of the values that depend on it. A node without a guard must not be redefined by a
        value with this guard, even if both functions are equal where both are defined.

        Args:
            definition: the operation and its operands.
            value: residues and samples of the value, which identify its node.
        """
        guards = 0
        for operand in definition.operands:
            guards |= self.values.guards[operand >> 1]
        if definition.operands and definition.operation.kind != "sincos":
            # A division or partial function gets a guard bit of its own; sine and cosine are total.
            guards |= 1 << len(self.values)
        # Guards are not part of the identity of a value: equal functions stay one node.
        literal = self.values.add_value(value._replace(guards=guards))
        definition = definition._replace(is_opposite=bool(literal & 1))
        node = literal >> 1
        if (
            isinstance(definition.payload, Exact)
            and node < len(self.uses)
            and self.definitions[node].operands
        ):
            # The number has been computed before, perhaps by a node without use: s^2 + c^2 is 1.
            self.define(node, definition)
        return self._append_node(literal, definition)

    def add_combination(
        self, combination: Combination, residues: Residues | None = None
    ) -> Literal:
        """Return the literal (node or opposite) of a sum or product; add a node if it is new.

        A new node has the combination as its definition.

        Args:
            combination: the sum or product.
            residues: its residues modulo the 32-bit prime, shape (points,); None to compute them.
        """
        literal = self.values.add_combination(combination, residues)
        return (
            literal
            if literal >> 1 < len(self.uses)
            else self._append_node(literal, _make_definition(literal, combination))
        )

    def add_helper(self, combination: Combination) -> Literal:
        """Return the literal (node or opposite) of a sum or product of nodes that results need.

        If the graph has the node but does not use it, the combination becomes its definition.
        """
        literal = self.add_combination(combination)
        node = literal >> 1
        # An unused node may have an old definition from operands that are no longer in use.
        if not self.uses[node] and not self.definitions[node].is_fixed:
            self._before.append((node, self.definitions[node]))
            self.definitions[node] = _make_definition(literal, combination)
            guards = self.values.guards
            # The helper inherits the guards of its new operands.
            guards[node] = guards[combination.left >> 1] | guards[combination.right >> 1]
        return literal

    def find_definition(self, node: int, combination: Combination) -> Definition | None:
        """Return the definition of a node as a sum or product of two literals or their opposites.

        Returns:
            The definition; None if no choice of signs yields the node, or if it is ill-conditioned.
        """
        # A small difference of large terms is equal in exact arithmetic, but loses digits.
        if not self.is_well_conditioned(node, combination):
            return None
        operation, left, right = combination
        residues = self.values.residues[node]
        # Formulas leave signs open: try left + right and left - right, each as node and opposite.
        for candidate in (combination, Combination(operation, left, right ^ 1)):
            computed = self.values.compute_residues(candidate)
            for literal, same in ((2 * node, computed), (2 * node + 1, PRIME - computed)):
                if np.array_equal(same, residues):
                    return _make_definition(literal, candidate)
        return None

    def is_well_conditioned(self, node: int, combination: Combination) -> bool:
        """Return whether the terms of a sum are at most 30 times as large as the node.

        Products are always well-conditioned. Sizes are the largest magnitudes at sampled inputs.
        """
        if combination.operation is not ADD:
            return True
        find_largest = self.values.find_largest
        terms = max(find_largest(combination.left >> 1), find_largest(combination.right >> 1))
        return terms <= _MOST_CANCELLED * find_largest(node)

    def may_depend_on(self, node: int, other: int) -> bool:
        """Return whether a node may be computed from another node (`other`).

        This is allowed if all guards of `other` are guards of the node too. A guard is an
        operation, such as a division or a square root, that is undefined for some operands and on
        which a node depends.
        """
        return not self.values.guards[other] & ~self.values.guards[node]

    def define(self, node: int, definition: Definition) -> None:
        """Replace the definition of a node, and update the uses of its old and new operands."""
        self._before.append((node, self.definitions[node]))
        self._replace_definition(node, definition)

    def begin(self) -> None:
        """Accept all changes of definitions so far; `roll_back` then undoes only later changes."""
        self._before = []

    def roll_back(self) -> None:
        """Undo all changes of definitions since the call of `begin`."""
        # In reverse, as a node may have changed several times.
        for node, definition in reversed(self._before):
            self._replace_definition(node, definition)
        self._before = []

    def add_use(self, node: int, user: int | None = None) -> None:
        """Count one more use of a node; for the first use, also count uses of its operands.

        Args:
            node: the node.
            user: the node that uses it; None for a result.
        """
        pending = [(node, user)]
        while pending:
            node, user = pending.pop()
            self.uses[node] += 1
            if user is not None:
                self._users[node][user] = self._users[node].get(user, 0) + 1
            # The node comes into use: count its cost and, in turn, its operands.
            if self.uses[node] == 1:
                definition = self.definitions[node]
                self.cost += self.weights[definition.operation.kind]
                pending += [(operand >> 1, node) for operand in definition.operands]

    def remove_use(self, node: int, user: int | None = None) -> None:
        """Remove one use of a node; if no use remains, also remove one use of each operand.

        Args:
            node: the node.
            user: the node that used it; None for a result.
        """
        pending = [(node, user)]
        while pending:
            node, user = pending.pop()
            self.uses[node] -= 1
            if user is not None:
                users = self._users[node]
                users[user] -= 1
                if not users[user]:
                    del users[user]
            # The node falls out of use: its cost and the uses of its operands go with it.
            if not self.uses[node]:
                definition = self.definitions[node]
                self.cost -= self.weights[definition.operation.kind]
                pending += [(operand >> 1, node) for operand in definition.operands]

    def find_users(self, node: int) -> Mapping[int, int]:
        """Return a mapping from each node in use with the operand `node` to its number of uses."""
        return self._users[node]

    def find_dependents(self, *nodes: int) -> set[int]:
        """Return the given nodes and all nodes in use that depend on them, also indirectly."""
        found, pending = set(nodes), list(nodes)
        while pending:
            for user in self._users[pending.pop()]:
                if user not in found:
                    found.add(user)
                    pending.append(user)
        return found

    def find_all_dependents(self) -> dict[int, NodeSet]:
        """Return a mapping from each node in use to this node and all nodes that depend on it.

        For many nodes this function is faster than `find_dependents`, but it requires one bit of
        memory for each pair of nodes.
        """
        bits: dict[int, int] = {}
        # From the end, as most users come after their operands: few nodes wait for others.
        for root in reversed(list(self.iterate_needed_nodes())):
            pending = [root]
            while pending:
                node = pending[-1]
                users = self._users[node]
                if missing := [user for user in users if user not in bits]:
                    pending += missing
                    continue
                total = 1 << node
                for user in users:
                    total |= bits[user]
                bits[node] = total
                pending.pop()
        return {node: NodeSet(total) for node, total in bits.items()}

    def measure_private_cost(self, node: int) -> int:
        """Return the cost of a node in use plus the cost of all nodes that only this node needs."""
        # Release the operands, read how much cheaper the graph becomes, and take them back.
        before, definition = self.cost, self.definitions[node]
        for operand in definition.operands:
            self.remove_use(operand >> 1, node)
        private = before - self.cost + self.weights[definition.operation.kind]
        for operand in definition.operands:
            self.add_use(operand >> 1, node)
        return private

    def _replace_definition(self, node: int, definition: Definition) -> None:
        """Replace a definition and adjust uses and cost, without a record for a rollback."""
        # New operands come into use before the old ones fall out of it, so that shared operands
        # stay counted.
        before, self.definitions[node] = self.definitions[node], definition
        if self.uses[node]:
            for operand in definition.operands:
                self.add_use(operand >> 1, node)
            for operand in before.operands:
                self.remove_use(operand >> 1, node)
            self.cost += (
                self.weights[definition.operation.kind] - self.weights[before.operation.kind]
            )

    def _append_node(self, literal: Literal, definition: Definition) -> Literal:
        """Append a node if the literal is new; return the literal."""
        if literal >> 1 == len(self.uses):
            self._users.append({})
            self.definitions.append(definition)
            self.uses.append(0)
        return literal


def _make_definition(literal: Literal, combination: Combination) -> Definition:
    """Return a definition for the node of a literal from a combination that equals the literal.

    The literal is the node or its opposite. The definition therefore includes the sign.
    """
    operation, left, right = combination
    if operation is MULTIPLY:
        # The signs of factors move to the product.
        return Definition(operation, (left & ~1, right & ~1), bool((literal ^ left ^ right) & 1))
    # The opposite of a sum is the sum of the opposites: terms carry the sign.
    return Definition(operation, (left ^ (literal & 1), right ^ (literal & 1)))


class NodeFormula(NamedTuple):
    """A formula k*p + m, c + (k*p + m) or c*(k*p + m) for a node, with unknown numbers k and m.

    Attributes:
        base: the value p: a literal (node or its opposite), or a sum or product of two literals.
        outer: the last operation, a sum or product whose right operand is c; its left operand is
            ignored. None for the formula k*p + m.
    """

    base: Literal | Combination
    outer: Combination | None = None


def price_formula(graph: ValueGraph, node: int, formula: NodeFormula) -> int:
    """Return the cost of all operations of a formula, including those already in the graph.

    Args:
        graph: the value graph.
        node: index of the node that the formula computes.
        formula: formula for the node, such as k*p + m with unknown numbers k and m.

    Returns:
        The cost in the units of `ValueGraph.weights`.
    """
    base, outer = formula
    # The operations: the outer one, the one between the two nodes of the base, and those with k and
    # m.
    operations = [] if outer is None else [outer.operation]
    if isinstance(base, Combination):
        operations.append(base.operation)
        base = graph.add_combination(base)
    # Residues instead of exact fractions: this is a filter for many formulas.
    factor, term = graph.values.solve_affine_residues(2 * node, base, outer)
    if factor not in (1, NARROW_FIELD.prime - 1):
        operations.append(MULTIPLY)
    if term:
        operations.append(ADD)
    return sum(graph.weights[operation.kind] for operation in operations)


def apply_formula(
    graph: ValueGraph, node: int, formula: NodeFormula, dependents: Container[int]
) -> bool:
    """Redefine a node by a formula, whose numbers k and m are computed exactly.

    The node keeps its definition if no numbers k and m satisfy the formula, or if the new
    definition is unchanged, circular, ill-conditioned, or depends on a guard, such as a division,
    on which the node does not depend. Call `graph.begin` before, and `graph.roll_back` if the
    result is False, because nodes that no result needs may have been redefined.

    Args:
        graph: the value graph.
        node: index of the node.
        formula: formula for the node, such as k*p + m with unknown numbers k and m.
        dependents: the node and all nodes that depend on it.

    Returns:
        Whether the node has a new definition.
    """
    value, steps = _list_steps(graph, node, formula)
    # k or m may itself be a node: this one, or one computed from it. That would be circular.
    if not steps or any(right >> 1 in dependents for _, right in steps):
        return False
    *inner, last = steps
    for operation, right in inner:
        combination = Combination(operation, value, right)
        value = graph.add_helper(combination)
        helper = value >> 1
        # A helper without use that has a fixed operation would bring a function evaluation with it.
        is_there = graph.uses[helper] or not graph.definitions[helper].is_fixed
        if helper in dependents or not is_there or not graph.may_depend_on(node, helper):
            return False
        if not graph.is_well_conditioned(helper, combination):
            return False
    definition = graph.find_definition(node, Combination(last[0], value, last[1]))
    if definition is None or definition == graph.definitions[node]:
        return False
    graph.define(node, definition)
    return True


def _list_steps(
    graph: ValueGraph, node: int, formula: NodeFormula
) -> tuple[Literal, list[tuple[Operation, Literal]]]:
    """Return a formula as a first literal and a list of operations with their right operands.

    The first operation is applied to the first literal, and each further operation to the result of
    the previous one. The last result is the node or its opposite. The list is empty if no numbers
    k and m, the unknowns of the formula, satisfy it.
    """
    base, outer = formula
    value, steps = (base.left, [base[0::2]]) if isinstance(base, Combination) else (base, [])
    base = graph.add_combination(base) if isinstance(base, Combination) else base
    factor, term = graph.values.solve_affine(2 * node, base, outer) or (ZERO, ZERO)
    if not factor:
        return value, []
    sign = 1
    if factor.unsigned != ONE:
        steps.append((MULTIPLY, add_constant(graph, factor)))
    elif factor.has_minus:
        sign, term = -1, -term
    if term:
        # With k = -1 the steps compute the opposite of the node: m and c change their signs.
        steps.append((ADD, add_constant(graph, term)))
    if outer is not None:
        steps.append((outer.operation, outer.right ^ (sign < 0 and outer.operation is ADD)))
    return value, steps


def add_constant(graph: ValueGraph, number: Exact) -> Literal:
    """Return the literal of an exact number; the graph stores the magnitude as a node."""
    if number.has_minus:
        return add_constant(graph, -number) ^ 1
    residues = np.array(NARROW_FIELD.of_number(number), np.uint64)
    value = LeafValue(
        residues,
        np.full(SAMPLED_STATES, evaluate_example(number)),
        0,
        partial(WIDE_FIELD.of_number, number),
    )
    return graph.add_leaf(Definition(CONSTANT, payload=number), value)
