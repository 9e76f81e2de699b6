"""Program -> network of functions -> program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from dynagen.ir.builder import Builder
from dynagen.ir.cost import CostModel
from dynagen.ir.evaluation import example
from dynagen.ir.fingerprints import Fingerprints, fingerprints_of
from dynagen.ir.operation import Operation
from dynagen.ir.program import Element, Program
from dynagen.ir.residues import NARROW_FIELD, Fingerprint
from dynagen.network.network import Definition, Network
from dynagen.network.node_values import WIDE_FIELD, Combination, Literal, Value
from dynagen.numbers.exact import Exact

_STATES = 32


def constant(network: Network, number: Exact) -> Literal:
    """The literal of a number; what is there of it is without a sign, if it is new."""
    if number.has_minus:
        return constant(network, -number) ^ 1
    residues = np.array(NARROW_FIELD.of_number(number), np.uint64)
    value = Value(residues, np.full(_STATES, example(number)), 0, partial(WIDE_FIELD.of_number, number))
    return network.leaf(Definition(Operation.CONSTANT, payload=number), value)


def _at(prints: Callable[[], Fingerprints], position: int) -> Fingerprint:
    return prints()[position]


@dataclass(frozen=True)
class ReadProgram:
    """A program as a network.

    Attributes:
        program: what was read.
        network: its nodes; those of the results are needed.
        origins: for nodes of the program, twice the position of the first value that they are, and one more if that is the
            opposite; helpers have none.
        names: of the values that are nodes or opposites of nodes.
        results: the literal of every element of every output.
    """

    program: Program
    network: Network
    origins: Mapping[int, int]
    names: Mapping[Literal, str]
    results: tuple[Literal, ...]

    def emitted(self) -> Program:
        """The program of the network as it is now; values keep their names, sections and order where they can."""
        return _Emitter(self).run()

    def restore(self, definitions: Sequence[Definition]) -> None:
        """Compute nodes as once before."""
        for literal in self.results:
            self.network.release(literal >> 1)
        self.network.definitions[: len(definitions)] = definitions
        for literal in self.results:
            self.network.need(literal >> 1)


def read(program: Program, model: CostModel) -> ReadProgram:
    """The network of a program: values that are equal or opposite are one node, computed as the first of them."""
    network = Network(model)
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
                literal = network.combined(Combination(operation, *taken))
            case Operation.SUBTRACT:
                literal = network.combined(Combination(Operation.ADD, taken[0], taken[1] ^ 1))
            case _:
                definition = Definition(operation, taken, payload=payload)
                residues = np.array(narrow[position], np.uint64)
                value = Value(residues, numbers[-1], 0, partial(_at, wide, position))
                literal = network.leaf(definition, value)
        literals.append(literal)
        if network.definitions[literal >> 1].operands:
            origins.setdefault(literal >> 1, 2 * position + (literal & 1))
            if name is not None:
                names.setdefault(literal, name)
    results = tuple(literals[position] for position in program.result_values())
    for literal in results:
        network.need(literal >> 1)
    return ReadProgram(program, network, origins, names, results)


class _Emitter:
    def __init__(self, read: ReadProgram) -> None:
        self._read = read
        self._builder = Builder.replacing(read.program)
        self._made: dict[int, Literal] = {}  # node -> twice the position of a value, and whether this is its opposite
        self._opposites: dict[int, int] = {}  # position -> that of its opposite

    def run(self) -> Program:
        network, program = self._read.network, self._read.program
        for node in sorted(self._read.origins, key=self._read.origins.__getitem__):
            if network.uses[node]:
                self._make(node, 0)
        results = iter(self._read.results)
        outputs = [replace(each, values=tuple(self._value(next(results)) for _ in each.values)) for each in program.outputs]
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
            definition = self._read.network.definitions[node]
            missing = [operand >> 1 for operand in definition.operands if operand >> 1 not in self._made]
            if missing:
                pending += reversed(missing)
                continue
            pending.pop()
            if node not in self._made:
                self._builder.begin_section(self._read.program.sections[self._section(node, section)])
                self._made[node] = self._compute(definition, self._read.origins.get(node, 0) & 1) ^ definition.is_opposite
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
