"""Equal values computed once, and values computed by one operation from existing ones (resubstitution).

Equal values: what is the same function of the inputs is computed once, however it is written (see `ir.fingerprints`).

A value that is a small number becomes that number, and of several that are equal or opposite the simplest is computed. This
finds what no pass finds that looks at texts: nothing in the derivatives of the PUMA 560's forward dynamics depends on its
last joint, and sums of hundreds of operations are zero.

Resubstitution: a value is computed by one operation from others that are there anyway, where that saves what only it needs.

Values are known by their fingerprints (`ir.fingerprints`), so a formula is found whatever the values look like: for a value x
and every other one c the table of all values is asked for x - c, x + c and x / c; and for multiples of x with a number added,
where these numbers are there too. This is the resubstitution of logic synthesis (A. Mishchenko, R. Brayton, "Scalable Logic
Synthesis using a Simple Circuit Structure", IWLS 2006) with functions in a prime field in place of truth tables. Of programs
with more values than a window, each is computed from those that come a window before or after it, so that the time grows with
the program alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from dynagen.ir.builder import Builder
from dynagen.ir.cost import FLOPS, cost_of
from dynagen.ir.fingerprints import FIELD, Fingerprint, Fingerprints
from dynagen.ir.program import Operation, Program
from dynagen.numbers.exact import Exact
from dynagen.optimizer.node_values import (
    PRIME,
    Combination,
    Residues,
    compute_affine_keys,
    invert_residues,
    make_combination,
)
from dynagen.optimizer.passes.folding import remove_dead_code
from dynagen.optimizer.value_graph import NodeFormula, ValueGraph, apply_formula, read_program

_LARGEST = 12  # numerator or denominator of a number that is recognised
_COSTS = {
    "": 0,
    "neg": 0,
    "mul": 1,
    "add": 1,
    "div": 1,
}  # of operations by themselves, if not all that others are
_OTHER = 8
_MANY = (
    10**9
)  # operations: squares of squares take any number; of values that take more the first is the simplest


def unite_equal_values(program: Program) -> Program:
    """Keep the simplest of several values that are equal or opposite, and know those that are numbers."""
    return remove_dead_code(_ValueUnion(program).run())


class _ValueUnion:
    """Values of a program by their size: the fingerprint or its opposite, whichever comes first.

    The simplest of a size is computed in place of all others: what takes the fewest operations, were none of them shared.
    That of its operands is simpler still, so that there is an order in which all can be computed.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._builder = Builder.replacing(program)
        self._prints = Fingerprints()
        self._sizes: list[Fingerprint] = []
        self._simplest: dict[
            Fingerprint, tuple[int, int]
        ] = {}  # operations of the simplest value, and its position
        self._emitted: dict[Fingerprint, int] = {}  # fingerprint -> position in the new program
        for position, instruction in enumerate(program.instructions):
            value = self._prints.of(instruction)
            self._prints.append(instruction, value)
            size = min(value, FIELD.opposite(value))
            self._sizes.append(size)
            operations = _COSTS.get(instruction.operation.kind, _OTHER)
            operations += sum(
                self._simplest[self._sizes[operand]][0] for operand in instruction.operands
            )
            operations = min(operations, _MANY)
            if size not in self._simplest or operations < self._simplest[size][0]:
                self._simplest[size] = operations, position

    def run(self) -> Program:
        for position, instruction in enumerate(self._program.instructions):
            self._builder.begin_section(self._program.sections[instruction.section])
            value = self._emit_value(position)
            if instruction.name is not None and self._builder.can_name(value):
                self._builder.give_name(value, instruction.name)
        outputs = self._program.outputs
        return self._builder.finish(
            replace(each, values=tuple(map(self._emit_value, each.values))) for each in outputs
        )

    def _emit_value(self, position: int) -> int:
        """The position at which a value is computed: as a number, from the simplest that is equal, or as its negative."""
        fingerprint = self._prints[position]
        if fingerprint not in self._emitted:
            number = _list_small_numbers().get(fingerprint)
            if number is not None:
                self._emitted[fingerprint] = self._builder.constant(number)
            else:
                self._emit_simplest(self._sizes[position])
        if fingerprint not in self._emitted:
            self._emitted[fingerprint] = self._builder.emit(
                Operation.NEGATE, self._emitted[FIELD.opposite(fingerprint)]
            )
        return self._emitted[fingerprint]

    def _emit_simplest(self, size: Fingerprint) -> None:
        """Compute the simplest value of a size, and first what it needs."""
        pending = [self._simplest[size][1]]
        while pending:
            position = pending[-1]
            instruction = self._program.instructions[position]
            missing = [operand for operand in instruction.operands if not self._is_emitted(operand)]
            if missing:
                pending += [self._simplest[self._sizes[operand]][1] for operand in missing]
                continue
            pending.pop()
            if not self._is_emitted(position):
                operands = tuple(self._emit_value(operand) for operand in instruction.operands)
                made = self._builder.repeat(instruction._replace(name=None), operands)
                self._emitted[self._prints[position]] = made

    def _is_emitted(self, position: int) -> bool:
        fingerprint = self._prints[position]
        return (
            fingerprint in self._emitted
            or FIELD.opposite(fingerprint) in self._emitted
            or fingerprint in _list_small_numbers()
        )


@cache
def _list_small_numbers() -> dict[Fingerprint, Exact]:
    """Small numbers by their fingerprints; a random value has one of these with a probability of 1e-52."""
    numbers = {
        Fraction(n, d) for n in range(-_LARGEST, _LARGEST + 1) for d in range(1, _LARGEST + 1)
    }
    return {FIELD.of_number(Exact(number)): Exact(number) for number in sorted(numbers)}


_REACH = 2000
FACTORS = frozenset(Exact(factor) / 2 for factor in range(9))
"""Numbers that equations have of their own: halves, doubles and their like. All others have formulas in the description."""
_MOST_BASES = 8  # of which one value is a multiple
_PAIRS_AT_ONCE = 1 << 20  # at a time
_FILTER = (
    22  # bits of a table that says what cannot be there, which is much faster than to look it up
)
_MASK = np.uint64((1 << _FILTER) - 1)

_Places = NDArray[np.intp]


def resubstitute(program: Program) -> Program:
    """The program with values computed from others where that saves operations; itself, if that is nowhere."""
    graph = (origin := read_program(program, FLOPS)).graph
    formulas = _find_formulas(graph)
    savings = {node: _find_best_formula(graph, node, formulas[node])[0] for node in formulas}
    for node in sorted(
        (node for node in savings if savings[node]), key=savings.__getitem__, reverse=True
    ):
        saving, formula = _find_best_formula(
            graph, node, formulas[node]
        )  # of what the others have left
        if saving:
            apply_formula(graph, node, formula, graph.find_dependents(node))
    return origin.emit() if graph.cost < cost_of(program, FLOPS)[0] else program


def _find_best_formula(
    graph: ValueGraph, node: int, formulas: list[NodeFormula]
) -> tuple[int, NodeFormula]:
    """What the formula saves that saves most, and the formula."""
    best = 0, NodeFormula(2 * node)
    if graph.uses[node]:
        dependents, cost = graph.find_dependents(node), graph.cost
        for formula in formulas:
            graph.begin()
            if _is_available(graph, node, formula, dependents) and apply_formula(
                graph, node, formula, dependents
            ):
                best = max(best, (cost - graph.cost, formula), key=itemgetter(0))
            graph.roll_back()
    return best


def _is_available(graph: ValueGraph, node: int, formula: NodeFormula, dependents: Set[int]) -> bool:
    """Whether all that a formula takes is there, and does not depend on the node."""
    literals = (formula.base,) if formula.outer is None else (formula.base, formula.outer.right)
    others = [literal >> 1 for literal in literals if not isinstance(literal, Combination)]
    return all(
        graph.uses[other] and other not in dependents and graph.may_depend_on(node, other)
        for other in others
    )


def _find_formulas(graph: ValueGraph) -> dict[int, list[NodeFormula]]:
    """Formulas of nodes of which parts are computed for them alone."""
    nodes = np.array(list(graph.needed_nodes()), np.intp)
    targets = np.array(
        [place for place, node in enumerate(nodes.tolist()) if _has_private_parts(graph, node)],
        np.intp,
    )
    found: dict[int, list[NodeFormula]] = {int(nodes[target]): [] for target in targets}
    own = {node: {operand >> 1 for operand in graph.definitions[node].operands} for node in found}
    for kind, *places in _find_pairs(graph.values.residues[nodes], targets):
        for node, other, base in nodes[places].T.tolist():
            if node not in (other, base) and {other, base} != own[node]:
                outer = make_combination(kind, 2 * node, 2 * other)
                found[node].append(NodeFormula(2 * base, outer))
    numbers = FACTORS | {
        payload.unsigned
        for node in nodes
        if isinstance(payload := graph.definitions[node].payload, Exact)
    }
    for node, base in _find_multiples(graph, nodes):
        if node in found and _has_known_numbers(graph, node, base, numbers):
            found[node].append(NodeFormula(2 * base))
    return {node: formulas for node, formulas in found.items() if formulas}


def _has_known_numbers(graph: ValueGraph, node: int, base: int, numbers: Set[Exact]) -> bool:
    """Whether a node is a multiple of another with a number added, both of them, or their opposites, among these."""
    return all(
        number.unsigned in numbers for number in graph.values.solve_affine(2 * node, 2 * base) or ()
    )


def _has_private_parts(graph: ValueGraph, node: int) -> bool:
    definitions, uses = graph.definitions, graph.uses
    operands = (operand >> 1 for operand in definitions[node].operands)
    return not definitions[node].is_fixed and any(
        uses[each] == 1 and definitions[each].operands for each in operands
    )


def _find_pairs(
    residues: Residues, targets: _Places
) -> Iterator[tuple[int, _Places, _Places, _Places]]:
    """Places of targets x, of other values c and of what x - c, x + c or x / c is, or its opposite; and which of the three."""
    if not len(targets):
        return
    first = residues[:, 0]  # at one point: the few that are equal there by chance are no formulas
    inverse = invert_residues(first)
    order = np.argsort(first)
    known, is_there = first[order], np.zeros(1 << _FILTER, np.bool_)
    is_there[first & _MASK] = True
    for some in np.array_split(
        targets, -(-len(targets) * min(len(first), 2 * _REACH) // _PAIRS_AT_ONCE)
    ):
        start = max(0, int(some[0]) - _REACH)
        near = slice(start, int(some[-1]) + _REACH)
        x, c = first[some, None], first[near]
        for kind, values in enumerate((x + (PRIME - c), x + c, x * inverse[near])):
            wanted = values % PRIME
            wanted = np.minimum(wanted, PRIME - wanted)
            rows, columns = np.nonzero(is_there[wanted & _MASK])
            asked = wanted[rows, columns]
            places = np.minimum(np.searchsorted(known, asked), len(known) - 1)
            met = np.flatnonzero(known[places] == asked)
            yield kind, some[rows[met]], start + columns[met], order[places[met]]


def _find_multiples(graph: ValueGraph, nodes: _Places) -> Iterator[tuple[int, int]]:
    """Nodes, and others of which they are a multiple with a number added; but none that is computed so."""
    values = [
        node for node in nodes.tolist() if not isinstance(graph.definitions[node].payload, Exact)
    ]
    groups = defaultdict(list)
    for node, key in zip(
        values, compute_affine_keys(graph.values.residues[values]).tolist(), strict=True
    ):
        groups[key].append(node)
    for group in groups.values():
        for node, base in product(group, group[:_MOST_BASES]):
            if base not in [
                node,
                *(operand >> 1 for operand in graph.definitions[node].operands),
            ]:
                yield node, base
