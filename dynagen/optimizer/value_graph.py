"""LeafValue graph: a program as functions of its inputs, each node with a definition that may be replaced by an equivalent one.

A graph of functions: what a program computes, each with a definition that can be exchanged for another of equal value.

A node is a function of the inputs up to its sign, recognised by its fingerprint: there is one node for all values that are
equal or opposite, however they are computed (A. Mishchenko, S. Chatterjee, R. Brayton, "FRAIGs", 2005). A node refers to
others by literals, which say whether the opposite is meant, as the edges of an and-inverter graph do; so a sign costs nothing
and hides nothing. What a node is never changes, only how it is computed. Nodes that nobody needs cost nothing.

A formula of a few operations for a node of a graph, numbers left open; and the node computed by it.

Program -> graph of functions -> program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache, partial
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynagen.ir.builder import Builder
from dynagen.ir.cost import CostModel
from dynagen.ir.evaluation import example
from dynagen.ir.fingerprints import NARROW_FIELD, Fingerprint, Fingerprints, fingerprints_of
from dynagen.ir.operation import Operation
from dynagen.ir.program import Element, Program
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.optimizer.node_values import (
    PRIME,
    WIDE_FIELD,
    Combination,
    LeafValue,
    Literal,
    NodeValues,
)

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


class ValueGraph:
    """Nodes, how they are computed, and what that costs.

    Attributes:
        cost: of all nodes that are needed, in whole units of the cost model.
        values: what the nodes are.
        definitions: of every node, needed or not.
        uses: how many times each is needed.
        weights: of operations, in whole units of the cost model.
    """

    def __init__(self, model: CostModel) -> None:
        """An empty graph.

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

    def needed_nodes(self) -> Iterator[int]:
        """Nodes that are needed."""
        return (node for node, uses in enumerate(self.uses) if uses)

    def add_leaf(self, definition: Definition, value: LeafValue) -> Literal:
        """The literal of a value that is computed in one way only.

        A division, or a function that is not defined everywhere, guards what is computed from it: nodes that have not needed
        it do not come to depend on it, though the functions be equal wherever both are defined.
        """
        guards = 0
        for operand in definition.operands:
            guards |= self.values.guards[operand >> 1]
        if definition.operands and definition.operation.kind != "sincos":
            guards |= 1 << len(self.values)
        literal = self.values.add_value(value._replace(guards=guards))
        definition = definition._replace(is_opposite=bool(literal & 1))
        node = literal >> 1
        if (
            isinstance(definition.payload, Exact)
            and node < len(self.uses)
            and self.definitions[node].operands
        ):
            self.define(
                node, definition
            )  # a number that has been computed, be it in vain, as s^2 + c^2
        return self._append_node(literal, definition)

    def add_combination(self, combination: Combination) -> Literal:
        """The literal of a sum or product; a node that is new is computed so."""
        literal = self.values.add_combination(combination)
        return (
            literal
            if literal >> 1 < len(self.uses)
            else self._append_node(literal, _make_definition(literal, combination))
        )

    def add_helper(self, combination: Combination) -> Literal:
        """The literal of a sum or product of nodes that are needed; if nobody needs it yet, it is computed so."""
        literal = self.add_combination(combination)
        node = literal >> 1
        if not self.uses[node] and not self.definitions[node].is_fixed:
            self._before.append((node, self.definitions[node]))
            self.definitions[node] = _make_definition(literal, combination)
            guards = self.values.guards
            guards[node] = guards[combination.left >> 1] | guards[combination.right >> 1]
        return literal

    def find_definition(self, node: int, combination: Combination) -> Definition | None:
        """The definition of a node as a sum or product of these, or of their opposites; None if it is none.

        A sum that is much smaller than its terms is none: it would have their rounding errors.
        """
        if not self.is_well_conditioned(node, combination):
            return None
        operation, left, right = combination
        residues = self.values.residues[node]
        for each in (combination, Combination(operation, left, right ^ 1)):
            computed = self.values.compute_residues(each)
            for literal, same in ((2 * node, computed), (2 * node + 1, PRIME - computed)):
                if np.array_equal(same, residues):
                    return _make_definition(literal, each)
        return None

    def is_well_conditioned(self, node: int, combination: Combination) -> bool:
        """Whether a node is not much smaller than terms of which it is the sum."""
        if combination.operation is not Operation.ADD:
            return True
        largest = self.values.largest
        terms = max(largest[combination.left >> 1], largest[combination.right >> 1])
        return terms <= _MOST_CANCELLED * largest[node]

    def may_depend_on(self, node: int, other: int) -> bool:
        """Whether a node may be computed from another one, as far as divisions are concerned."""
        return not self.values.guards[other] & ~self.values.guards[node]

    def define(self, node: int, definition: Definition) -> None:
        """Compute a node otherwise."""
        self._before.append((node, self.definitions[node]))
        self._replace_definition(node, definition)

    def begin(self) -> None:
        """Remember what is here now."""
        self._before = []

    def roll_back(self) -> None:
        """Go back to what was."""
        for node, definition in reversed(self._before):
            self._replace_definition(node, definition)
        self._before = []

    def add_use(self, node: int, user: int | None = None) -> None:
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

    def remove_use(self, node: int, user: int | None = None) -> None:
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

    def find_dependents(self, *nodes: int) -> set[int]:
        """Nodes and all that need them, be it through others."""
        found, pending = set(nodes), list(nodes)
        while pending:
            for user in self._users[pending.pop()]:
                if user not in found:
                    found.add(user)
                    pending.append(user)
        return found

    def measure_private_cost(self, node: int) -> int:
        """The cost of a node that is needed, and of all that it alone needs."""
        before, definition = self.cost, self.definitions[node]
        for operand in definition.operands:
            self.remove_use(operand >> 1, node)
        private = before - self.cost + self.weights[definition.operation]
        for operand in definition.operands:
            self.add_use(operand >> 1, node)
        return private

    def _replace_definition(self, node: int, definition: Definition) -> None:
        before, self.definitions[node] = self.definitions[node], definition
        if self.uses[node]:
            for operand in definition.operands:
                self.add_use(operand >> 1, node)
            for operand in before.operands:
                self.remove_use(operand >> 1, node)
            self.cost += self.weights[definition.operation] - self.weights[before.operation]

    def _append_node(self, literal: Literal, definition: Definition) -> Literal:
        if literal >> 1 == len(self.uses):
            self._users.append({})
            self.definitions.append(definition)
            self.uses.append(0)
        return literal


def _make_definition(literal: Literal, combination: Combination) -> Definition:
    """The definition of a node by a combination whose value is this literal of it."""
    operation, left, right = combination
    if operation is Operation.MULTIPLY:
        return Definition(operation, (left & ~1, right & ~1), bool((literal ^ left ^ right) & 1))
    return Definition(operation, (left ^ (literal & 1), right ^ (literal & 1)))


class NodeFormula(NamedTuple):
    """A node, but for numbers: a base, and what is to be added to a multiple of it, or multiplied by it, to give the node."""

    base: Literal | Combination
    outer: Combination | None = None


def price_formula(graph: ValueGraph, node: int, formula: NodeFormula) -> int:
    """What the operations of a formula cost, were none of them there."""
    base, outer = formula
    operations = [] if outer is None else [outer.operation]
    if isinstance(base, Combination):
        operations.append(base.operation)
        base = graph.add_combination(base)
    factor, term = graph.values.solve_affine_residues(2 * node, base, outer)
    if factor not in (1, NARROW_FIELD.prime - 1):
        operations.append(Operation.MULTIPLY)
    if term:
        operations.append(Operation.ADD)
    return sum(graph.weights[operation] for operation in operations)


def apply_formula(graph: ValueGraph, node: int, formula: NodeFormula, dependents: Set[int]) -> bool:
    """Compute a node by a formula, if it is one and another than before."""
    value, steps = _list_steps(graph, node, formula)
    # A number of the formula may be a node that is computed, from this one, or this one itself.
    if not steps or any(right >> 1 in dependents for _, right in steps):
        return False
    *inner, last = steps
    for operation, right in inner:
        combination = Combination(operation, value, right)
        value = graph.add_helper(combination)
        helper = value >> 1
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
    """The begin of a formula, and what is added to it, or multiplied by it, one after the other: a node, or its opposite."""
    base, outer = formula
    value, steps = (base.left, [base[0::2]]) if isinstance(base, Combination) else (base, [])
    base = graph.add_combination(base) if isinstance(base, Combination) else base
    factor, term = graph.values.solve_affine(2 * node, base, outer) or (ZERO, ZERO)
    if not factor:
        return value, []
    sign = 1
    if factor.unsigned != ONE:
        steps.append((Operation.MULTIPLY, add_constant(graph, factor)))
    elif factor.has_minus:  # all that follows with the opposite sign
        sign, term = -1, -term
    if term:
        steps.append((Operation.ADD, add_constant(graph, term)))
    if outer is not None:
        steps.append(
            (outer.operation, outer.right ^ (sign < 0 and outer.operation is Operation.ADD))
        )
    return value, steps


_STATES = 32


def add_constant(graph: ValueGraph, number: Exact) -> Literal:
    """The literal of a number; what is there of it is without a sign, if it is new."""
    if number.has_minus:
        return add_constant(graph, -number) ^ 1
    residues = np.array(NARROW_FIELD.of_number(number), np.uint64)
    value = LeafValue(
        residues, np.full(_STATES, example(number)), 0, partial(WIDE_FIELD.of_number, number)
    )
    return graph.add_leaf(Definition(Operation.CONSTANT, payload=number), value)


def _pick_fingerprint(prints: Callable[[], Fingerprints], position: int) -> Fingerprint:
    return prints()[position]


@dataclass(frozen=True)
class ProgramGraph:
    """A program as a graph.

    Attributes:
        program: what was read.
        graph: its nodes; those of the results are needed.
        origins: for nodes of the program, twice the position of the first value that they are, and one more if that is the
            opposite; helpers have none.
        names: of the values that are nodes or opposites of nodes.
        results: the literal of every element of every output.
    """

    program: Program
    graph: ValueGraph
    origins: Mapping[int, int]
    names: Mapping[Literal, str]
    results: tuple[Literal, ...]

    def emit(self) -> Program:
        """The program of the graph as it is now; values keep their names, sections and order where they can."""
        return _GraphEmitter(self).run()

    def restore(self, definitions: Sequence[Definition]) -> None:
        """Compute nodes as once before."""
        for literal in self.results:
            self.graph.remove_use(literal >> 1)
        self.graph.definitions[: len(definitions)] = definitions
        for literal in self.results:
            self.graph.add_use(literal >> 1)


def read_program(program: Program, model: CostModel) -> ProgramGraph:
    """The graph of a program: values that are equal or opposite are one node, computed as the first of them."""
    graph = ValueGraph(model)
    random = np.random.Generator(np.random.PCG64(0))
    inputs = {each.name: random.uniform(-2, 2, (each.size, _STATES)) for each in program.inputs}
    narrow = Fingerprints(NARROW_FIELD)
    wide = cache(lambda: fingerprints_of(program, WIDE_FIELD))
    literals: list[Literal] = []
    numbers: list[NDArray[np.float64]] = []
    origins: dict[int, int] = {}
    names: dict[Literal, str] = {}
    for position, instruction in enumerate(program.instructions):
        narrow.append(instruction, narrow.of(instruction))
        operation, operands, payload, name, _ = instruction
        if isinstance(payload, Exact):
            numbers.append(np.full(_STATES, example(payload)))
        elif isinstance(payload, Element):
            numbers.append(inputs[payload.argument][payload.index])
        else:
            assert operation.compute is not None
            with np.errstate(all="ignore"):  # a program need not be defined in all of these states
                numbers.append(operation.compute(*(numbers[operand] for operand in operands)))
        taken = tuple(literals[operand] for operand in operands)
        match operation:
            case Operation.COPY:
                literal = taken[0]
            case Operation.NEGATE:
                literal = taken[0] ^ 1
            case Operation.ADD | Operation.MULTIPLY:
                literal = graph.add_combination(Combination(operation, *taken))
            case Operation.SUBTRACT:
                literal = graph.add_combination(Combination(Operation.ADD, taken[0], taken[1] ^ 1))
            case _:
                definition = Definition(operation, taken, payload=payload)
                residues = np.array(narrow[position], np.uint64)
                value = LeafValue(
                    residues, numbers[-1], 0, partial(_pick_fingerprint, wide, position)
                )
                literal = graph.add_leaf(definition, value)
        literals.append(literal)
        if graph.definitions[literal >> 1].operands:
            origins.setdefault(literal >> 1, 2 * position + (literal & 1))
            if name is not None:
                names.setdefault(literal, name)
    results = tuple(literals[position] for position in program.result_values())
    for literal in results:
        graph.add_use(literal >> 1)
    return ProgramGraph(program, graph, origins, names, results)


class _GraphEmitter:
    def __init__(self, read: ProgramGraph) -> None:
        self._read = read
        self._builder = Builder.replacing(read.program)
        self._made: dict[
            int, Literal
        ] = {}  # node -> twice the position of a value, and whether this is its opposite
        self._opposites: dict[int, int] = {}  # position -> that of its opposite

    def run(self) -> Program:
        graph, program = self._read.graph, self._read.program
        for node in sorted(self._read.origins, key=self._read.origins.__getitem__):
            if graph.uses[node]:
                self._make(node, 0)
        results = iter(self._read.results)
        outputs = [
            replace(each, values=tuple(self._value(next(results)) for _ in each.values))
            for each in program.outputs
        ]
        return self._builder.finish(outputs)

    def _value(self, literal: Literal) -> int:
        """The position at which a literal is computed."""
        self._make(literal >> 1, 0)
        made = self._made[literal >> 1] ^ (literal & 1)
        if not made & 1:
            return made >> 1
        if made >> 1 not in self._opposites:
            self._opposites[made >> 1] = self._builder.emit(Operation.NEGATE, made >> 1)
            self._name(literal, self._opposites[made >> 1])
        return self._opposites[made >> 1]

    def _make(self, node: int, section: int) -> None:
        """Compute a node, and first what it needs; helpers in the section of what needs them first."""
        pending = [node]
        while pending:
            node = pending[-1]
            definition = self._read.graph.definitions[node]
            missing = [
                operand >> 1 for operand in definition.operands if operand >> 1 not in self._made
            ]
            if missing:
                pending += reversed(missing)
                continue
            pending.pop()
            if node not in self._made:
                self._builder.begin_section(
                    self._read.program.sections[self._section(node, section)]
                )
                self._made[node] = (
                    self._compute(definition, self._read.origins.get(node, 0) & 1)
                    ^ definition.is_opposite
                )
                self._name(2 * node + (self._made[node] & 1), self._made[node] >> 1)

    def _section(self, node: int, needed_in: int) -> int:
        origin = self._read.origins.get(node)
        return needed_in if origin is None else self._read.program.instructions[origin >> 1].section

    def _compute(self, definition: Definition, as_opposite: int) -> Literal:
        """Emit an operation; a sum of opposites is the opposite of a sum, and a difference is taken as asked."""
        operation, operands, _, payload = definition
        if isinstance(payload, Exact):
            return 2 * self._builder.constant(payload)
        if isinstance(payload, Element):
            return 2 * self._builder.element(payload.argument, payload.index)
        if definition.is_fixed:
            return 2 * self._builder.emit(operation, *map(self._value, operands))
        left, right = (self._made[operand >> 1] ^ (operand & 1) for operand in operands)
        if operation is Operation.MULTIPLY:
            return 2 * self._builder.emit(operation, left >> 1, right >> 1) + ((left ^ right) & 1)
        if (left ^ right) & 1:
            left, right = (right, left) if (left ^ as_opposite) & 1 else (left, right)
            return 2 * self._builder.emit(Operation.SUBTRACT, left >> 1, right >> 1) + as_opposite
        return 2 * self._builder.emit(operation, left >> 1, right >> 1) + (left & 1)

    def _name(self, literal: Literal, position: int) -> None:
        """Give a value the name that it had."""
        name = self._read.names.get(literal)
        if name is not None and self._builder.can_name(position):
            self._builder.give_name(position, name)
