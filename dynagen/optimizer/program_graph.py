"""Conversion of a program to a value graph, and of the changed value graph to a program.

In a value graph (`value_graph`), a node is a value up to its sign, and its definition can be
replaced. Values keep their names, sections and order where possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from dynagen.ir.builder import Builder
from dynagen.ir.cost import CostModel
from dynagen.ir.evaluation import evaluate_example
from dynagen.ir.fingerprints import NARROW_FIELD, Fingerprint, Fingerprints, compute_fingerprints
from dynagen.ir.operation import ADD, COPY, MULTIPLY, NEGATE, SUBTRACT
from dynagen.ir.program import Element, Instruction, Program
from dynagen.numbers.exact import Exact
from dynagen.optimizer.node_values import (
    SAMPLED_STATES,
    WIDE_FIELD,
    Combination,
    LeafValue,
    Literal,
)
from dynagen.optimizer.value_graph import Definition, ValueGraph


def _pick_fingerprint(prints: Callable[[], Fingerprints], position: int) -> Fingerprint:
    """Return the fingerprint of the value at a position; `prints` computes all fingerprints."""
    return prints()[position]


@dataclass(frozen=True)
class ProgramGraph:
    """A program as a value graph, with the data that are needed to emit it again.

    Attributes:
        program: the program from which the graph was made.
        graph: value graph of the program; the results and all nodes that they need are in use.
        origins: for each node of the program, its first value: twice the position of the value,
            plus one if the value is the opposite of the node.
        names: names of values, by literal: twice the index of the node, plus one for its opposite.
        results: literals of the output elements, output by output, row-major.
    """

    program: Program
    graph: ValueGraph
    origins: Mapping[int, int]
    names: Mapping[Literal, str]
    results: tuple[Literal, ...]

    def emit(self) -> Program:
        """Return the program that the current definitions of the graph describe."""
        return _GraphEmitter(self).run()

    def restore(self, definitions: Sequence[Definition]) -> None:
        """Restore saved definitions of nodes.

        Args:
            definitions: saved definitions of the nodes 0, 1, ...; nodes that have been added since
                are not changed.
        """
        for literal in self.results:
            self.graph.remove_use(literal >> 1)
        # Nothing is in use now, so definitions can be exchanged without counting.
        self.graph.definitions[: len(definitions)] = definitions
        for literal in self.results:
            self.graph.add_use(literal >> 1)


@np.errstate(all="ignore")  # a sampled state may be outside of the domain of a function
def read_program(program: Program, model: CostModel) -> ProgramGraph:
    """Read a program into a value graph.

    All equal and opposite values become one node, with the definition of the first such value.

    Args:
        program: the program, without dead code.
        model: the price of each operation.
    """
    graph = ValueGraph(model)
    # Narrow residues are computed for all values, since they identify the nodes.
    narrow = np.array(list(compute_fingerprints(program, NARROW_FIELD)), np.uint64)
    # Wide residues of leaves are rarely needed; one evaluation of the program then computes all.
    leaves: set[int] = set()
    wide = cache(lambda: compute_fingerprints(program, WIDE_FIELD, leaves))
    literals: list[Literal] = []
    inputs = _draw_inputs(program)
    origins: dict[int, int] = {}
    names: dict[Literal, str] = {}
    for position, (instruction, residues) in enumerate(
        zip(program.instructions, narrow, strict=True)
    ):
        operation, operands, payload, name, _ = instruction
        arguments = tuple([literals[operand] for operand in operands])
        # Copies and signs become literals of existing nodes; subtraction adds the opposite.
        if operation is MULTIPLY or operation is ADD:
            literal = graph.add_combination(Combination(operation, *arguments), residues)
        elif operation is SUBTRACT:
            combination = Combination(ADD, arguments[0], arguments[1] ^ 1)
            literal = graph.add_combination(combination, residues)
        elif operation is NEGATE:
            literal = arguments[0] ^ 1
        elif operation is COPY:
            literal = arguments[0]
        else:
            definition = Definition(operation, arguments, payload=payload)
            samples = _sample_leaf(instruction, inputs, map(graph.values.read_samples, arguments))
            value = LeafValue(residues, samples, 0, partial(_pick_fingerprint, wide, position))
            leaves.add(position)
            literal = graph.add_leaf(definition, value)
        literals.append(literal)
        # Only computed nodes have an origin. Equal values later in the program keep the first one.
        if graph.definitions[literal >> 1].operands:
            origins.setdefault(literal >> 1, 2 * position + (literal & 1))
            if name is not None:
                names.setdefault(literal, name)
    results = tuple(literals[position] for position in program.iterate_result_values())
    for literal in results:
        graph.add_use(literal >> 1)
    return ProgramGraph(program, graph, origins, names, results)


def _draw_inputs(program: Program) -> dict[str, NDArray[np.float64]]:
    """Return random values of each input argument, arrays of shape (size, SAMPLED_STATES)."""
    random = np.random.Generator(np.random.PCG64(0))
    return {
        argument.name: random.uniform(-2, 2, (argument.size, SAMPLED_STATES))
        for argument in program.inputs
    }


def _sample_leaf(
    instruction: Instruction,
    inputs: Mapping[str, NDArray[np.float64]],
    operands: Iterable[NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return the value of an instruction at random inputs, as an array of shape (SAMPLED_STATES,).

    The instruction is neither a sum nor a product; `operands` are the values of its operands.
    """
    operation, _, payload, _, _ = instruction
    if isinstance(payload, Exact):
        return np.full(SAMPLED_STATES, evaluate_example(payload))
    samples: NDArray[np.float64]
    if isinstance(payload, Element):
        samples = inputs[payload.argument][payload.index]
    else:
        assert operation.compute is not None
        samples = operation.compute(*operands)
    return samples


class _GraphEmitter:
    """Conversion of a value graph to a program that computes each needed node once."""

    def __init__(self, source: ProgramGraph) -> None:
        self._source = source
        self._builder = Builder.for_program(source.program)
        # node -> twice the position of a value, plus one if the value is the opposite of the node
        self._made: dict[int, Literal] = {}
        self._opposites: dict[int, int] = {}  # position of a value -> position of its negation

    def run(self) -> Program:
        """Return the emitted program, with the results in their original order."""
        graph, program = self._source.graph, self._source.program
        # In the order of the program, so that sections stay together.
        for node in sorted(self._source.origins, key=self._source.origins.__getitem__):
            if graph.uses[node]:
                self._emit_node(node, 0)
        results = iter(self._source.results)
        outputs = [
            replace(output, values=tuple(self._emit_value(next(results)) for _ in output.values))
            for output in program.outputs
        ]
        return self._builder.finish(outputs)

    def _emit_value(self, literal: Literal) -> int:
        """Return the position of the value of a literal (node or opposite); emit it if needed."""
        self._emit_node(literal >> 1, 0)
        made = self._made[literal >> 1] ^ (literal & 1)
        if not made & 1:
            return made >> 1
        # One negation serves all users of the opposite.
        if made >> 1 not in self._opposites:
            self._opposites[made >> 1] = self._builder.emit(NEGATE, made >> 1)
            self._give_name(literal, self._opposites[made >> 1])
        return self._opposites[made >> 1]

    def _emit_node(self, node: int, section: int) -> None:
        """Emit a node after the nodes on which it depends.

        A node that was not in the original program is emitted in the section `section`.
        """
        # A stack in place of recursion: chains of definitions are thousands of nodes long.
        pending = [node]
        while pending:
            node = pending[-1]
            definition = self._source.graph.definitions[node]
            missing = [
                operand >> 1 for operand in definition.operands if operand >> 1 not in self._made
            ]
            if missing:
                pending += reversed(missing)
                continue
            pending.pop()
            if node not in self._made:
                self._builder.begin_section(
                    self._source.program.sections[self._choose_section(node, section)]
                )
                self._made[node] = (
                    self._emit_operation(definition, self._source.origins.get(node, 0) & 1)
                    ^ definition.is_opposite
                )
                self._give_name(2 * node + (self._made[node] & 1), self._made[node] >> 1)

    def _choose_section(self, node: int, default: int) -> int:
        """Return the index of a node's section in the program; `default` for an added node."""
        origin = self._source.origins.get(node)
        return default if origin is None else self._source.program.instructions[origin >> 1].section

    def _emit_operation(self, definition: Definition, as_opposite: int) -> Literal:
        """Emit the operation that defines a value, or an operation with the opposite result.

        Return twice the position of the operation in the program, plus one if its result is the
        opposite of the value. The sum (-a) + (-b) is emitted as a + b, and a + (-b) as a - b or
        b - a. `as_opposite` is 1 if the opposite of the value is wanted, else 0.
        """
        operation, operands, _, payload = definition
        if isinstance(payload, Exact):
            return 2 * self._builder.add_constant(payload)
        if isinstance(payload, Element):
            return 2 * self._builder.add_element(payload.argument, payload.index)
        if definition.is_fixed:
            return 2 * self._builder.emit(operation, *map(self._emit_value, operands))
        left, right = (self._made[operand >> 1] ^ (operand & 1) for operand in operands)
        if operation is MULTIPLY:
            return 2 * self._builder.emit(operation, left >> 1, right >> 1) + ((left ^ right) & 1)
        if (left ^ right) & 1:
            # The minuend is the operand without a sign, or with one if the opposite is wanted.
            left, right = (right, left) if (left ^ as_opposite) & 1 else (left, right)
            return 2 * self._builder.emit(SUBTRACT, left >> 1, right >> 1) + as_opposite
        return 2 * self._builder.emit(operation, left >> 1, right >> 1) + (left & 1)

    def _give_name(self, literal: Literal, position: int) -> None:
        """Give an emitted value the name that the same literal had in the program."""
        name = self._source.names.get(literal)
        if name is not None and self._builder.can_name(position):
            self._builder.give_name(position, name)
