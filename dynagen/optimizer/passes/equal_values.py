"""Passes that compute equal values once, and compute values from others (resubstitution).

The passes of this module compare values by fingerprints (`ir.fingerprints`) instead of formulas.
Fingerprints show equalities that no other pass finds. For example, sums of hundreds of operations
are zero in the derivatives of the PUMA 560's forward dynamics, because the derivatives do not
depend on the robot's last joint.

Resubstitution comes from logic synthesis (Mishchenko and Brayton, "Scalable Logic Synthesis using a
Simple Circuit Structure", IWLS 2006); here, functions in a prime field replace truth tables. For a
value x and each other value c, the table of all values is searched for x - c, x + c and x/c, so
that x becomes a sum, difference or product. The table is also searched for values y with
x = k*y + m, where k and m are constants of the program. Each value is combined with the 2000 values
before and after it, so that the time grows linearly with the length of the program.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Set
from dataclasses import replace
from fractions import Fraction
from functools import cache
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from dynagen.ir.builder import Builder
from dynagen.ir.cost import FLOPS, compute_cost
from dynagen.ir.fingerprints import FIELD, NARROW_FIELD, Fingerprint, Fingerprints
from dynagen.ir.operation import NEGATE
from dynagen.ir.program import Operation, Program, make_instruction
from dynagen.numbers.exact import Exact
from dynagen.optimizer.node_values import (
    PRIME,
    Combination,
    Residues,
    compute_affine_keys,
    invert_residues,
    make_combination,
    reduce_products,
)
from dynagen.optimizer.passes.folding import remove_dead_code
from dynagen.optimizer.program_graph import read_program
from dynagen.optimizer.value_graph import NodeFormula, ValueGraph, apply_formula

_LARGEST = 12  # numerator or denominator of a number that is recognised
_COSTS = {"": 0, "neg": 0, "mul": 1, "add": 1, "div": 1}
_OTHER_COST = 8  # of square roots, sines and all other functions
_MOST_COUNTED = 10**9  # operations without sharing: squares of squares need any number

FACTORS = frozenset(Exact(factor) / 2 for factor in range(9))
"""Numeric factors that occur in the equations of motion: 0, 1/2, 1, ..., 4."""
_REACH = 2000  # values before and after a value that it is combined with
_MOST_BASES = 8  # bases per value: the value may be a multiple of each
_PAIRS_AT_ONCE = 1 << 20  # pairs with a common range of values
_ROWS = 16  # values that are combined in one array, which fits into the cache of a core
_MOST_NODE_SETS = 40_000  # nodes whose dependents are found at once, within 200 MB
_FILTER = 20  # bits of the index of a table that rules most values out, faster than a search
_MASK, _PRIME = np.uint32((1 << _FILTER) - 1), PRIME.astype(np.uint32)

_Places = NDArray[np.intp]


def unite_equal_values(program: Program) -> Program:
    """Compute equal and opposite values only once, in the simplest way.

    A value that equals a small fraction, such as 1 or -3/2, for all inputs becomes a constant.

    a = x*(y + z)        ->  a = x*(y + z)
    b = x*y + x*z        ->  b = a
    s = sin(q); c = cos(q)
    d = s*s + c*c        ->  d = 1
    """
    union = _ValueUnion(program)
    return remove_dead_code(union.run() if union.changes_values() else program)


class _ValueUnion:
    """Union of the equal and opposite values of a program.

    Of equal or opposite values, only the simplest is computed: the value that needs the fewest
    operations if nothing is shared. Its operands are simpler still, so that an order of computation
    exists. Equal and opposite values have the same key: the smaller one of the fingerprints of the
    value and its opposite.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._builder = Builder.for_program(program)
        self._prints: list[Fingerprint] = []
        self._keys: list[Fingerprint] = []
        # key -> operations of the simplest value, and its position
        self._simplest: dict[Fingerprint, tuple[int, int]] = {}
        self._emitted: dict[Fingerprint, int] = {}  # fingerprint -> position in the new program
        # Keys of small numbers, which are always available, and of values in the new program.
        self._available = set(_list_keys_of_small_numbers())
        keys, simplest, prints = self._keys, self._simplest, Fingerprints()
        for position, instruction in enumerate(program.instructions):
            value = prints.compute(instruction)
            prints.append(instruction, value)
            self._prints.append(value)
            key = FIELD.make_unsigned(value)  # x and -x get one key
            keys.append(key)
            operations = _COSTS.get(instruction.operation.kind, _OTHER_COST)
            for operand in instruction.operands:
                operations += simplest[keys[operand]][0]
            # Of values beyond the limit, the first one counts as the simplest.
            operations = min(operations, _MOST_COUNTED)
            known = simplest.get(key)
            if known is None or operations < known[0]:
                simplest[key] = operations, position

    def changes_values(self) -> bool:
        """Return whether `run`, which unites equal values, would change the program.

        It would if two values are equal, or if two values are opposite and neither is computed as
        the negation of the other. It also would if an operation computes, for all inputs, the same
        small fraction.
        """
        instructions, numbers = self._program.instructions, _list_small_numbers()
        negations = [
            key
            for key, instruction in zip(self._keys, instructions, strict=True)
            if instruction.operation is NEGATE
        ]
        # A negation has the key of its operand. All other keys must differ, so that each key has
        # one value and at most one negation of it.
        return (
            len(set(negations)) < len(negations)
            or len(self._simplest) < len(instructions) - len(negations)
            or any(
                numbers.get(self._prints[position], payload) != payload
                for position, (_, _, payload, _, _) in enumerate(instructions)
            )
        )

    def run(self) -> Program:
        """Return the program in which equal values are computed once."""
        for position, instruction in enumerate(self._program.instructions):
            self._builder.begin_section(self._program.sections[instruction.section])
            value = self._emit_value(position)
            if instruction.name is not None and self._builder.can_name(value):
                self._builder.give_name(value, instruction.name)
        outputs = self._program.outputs
        return self._builder.finish(
            replace(output, values=tuple(map(self._emit_value, output.values)))
            for output in outputs
        )

    def _emit_value(self, position: int) -> int:
        """Return the position in the new program of a value of the old one; emit it if needed."""
        fingerprint = self._prints[position]
        if fingerprint not in self._emitted:
            number = _list_small_numbers().get(fingerprint)
            if number is not None:
                self._emitted[fingerprint] = self._builder.add_constant(number)
            else:
                self._emit_simplest(self._keys[position])
        if fingerprint not in self._emitted:
            self._emitted[fingerprint] = self._builder.emit(
                Operation.NEGATE, self._emitted[FIELD.negate(fingerprint)]
            )
        return self._emitted[fingerprint]

    def _emit_simplest(self, key: Fingerprint) -> None:
        """Emit the simplest of the equal values with the fingerprint `key`, after its operands."""
        keys, available = self._keys, self._available
        # A stack in place of recursion: chains of values are thousands long.
        pending = [self._simplest[key][1]]
        while pending:
            position = pending[-1]
            operation, operands, payload, _, section = self._program.instructions[position]
            missing = [key for key in map(keys.__getitem__, operands) if key not in available]
            if missing:
                pending += [self._simplest[key][1] for key in missing]
                continue
            pending.pop()
            if keys[position] not in available:
                unnamed = make_instruction((operation, operands, payload, None, section))
                made = self._builder.repeat(unnamed, tuple(map(self._emit_value, operands)))
                self._emitted[self._prints[position]] = made
                available.add(keys[position])


@cache
def _list_small_numbers() -> dict[Fingerprint, Exact]:
    """Return fractions with numerator and denominator up to 12, by their fingerprints.

    A value that is no such fraction has one of these fingerprints with a probability of 1e-52.
    """
    numbers = {
        Fraction(n, d) for n in range(-_LARGEST, _LARGEST + 1) for d in range(1, _LARGEST + 1)
    }
    return {FIELD.of_number(Exact(number)): Exact(number) for number in sorted(numbers)}


@cache
def _list_keys_of_small_numbers() -> frozenset[Fingerprint]:
    """Return the keys of the numbers of `_list_small_numbers`; opposite numbers have one key."""
    return frozenset(map(FIELD.make_unsigned, _list_small_numbers()))


def resubstitute(program: Program) -> Program:
    """Compute values by one operation from existing values, where this saves operations.

        u = x + y            ->  u = x + y
        v = x - y            ->  v = x - y
        w = x*x - y*y        ->  w = u*v

    Returns:
        The program; the same object if nothing is saved.
    """
    graph = (origin := read_program(program, FLOPS)).graph
    formulas = _find_formulas(graph)
    # Measure all nodes first: the largest savings are taken first.
    few = len(graph.uses) <= _MOST_NODE_SETS
    dependents: Mapping[int, Container[int]] = graph.find_all_dependents() if few else {}
    # Each formula is rolled back, so these sets remain valid until the first saving is taken.
    savings = {
        node: _find_best_formula(graph, node, formulas[node], dependents.get(node))[0]
        for node in formulas
    }
    for node in sorted(
        (node for node in savings if savings[node]), key=savings.__getitem__, reverse=True
    ):
        # Formulas applied before have changed the graph, so the saving is measured again.
        saving, formula = _find_best_formula(graph, node, formulas[node])
        if saving:
            apply_formula(graph, node, formula, graph.find_dependents(node))
    return origin.emit() if graph.cost < compute_cost(program, FLOPS)[0] else program


def _find_best_formula(
    graph: ValueGraph,
    node: int,
    formulas: list[NodeFormula],
    dependents: Container[int] | None = None,
) -> tuple[int, NodeFormula]:
    """Return the largest saving by a formula for a node, and the formula; 0 if nothing is saved.

    `dependents` are the node and all nodes that depend on it; they are computed if None.
    """
    best = 0, NodeFormula(2 * node)
    if graph.uses[node]:
        cost = graph.cost
        if dependents is None:
            dependents = graph.find_dependents(node)
        for formula in formulas:
            graph.begin()
            if _is_available(graph, node, formula, dependents) and apply_formula(
                graph, node, formula, dependents
            ):
                best = max(best, (cost - graph.cost, formula), key=itemgetter(0))
            graph.roll_back()
    return best


def _is_available(
    graph: ValueGraph, node: int, formula: NodeFormula, dependents: Container[int]
) -> bool:
    """Return whether a formula may define a node.

    All operands must be in use, and none may be among `dependents`, the node and all nodes that
    depend on it.
    """
    literals = (formula.base,) if formula.outer is None else (formula.base, formula.outer.right)
    others = [literal >> 1 for literal in literals if not isinstance(literal, Combination)]
    return all(
        graph.uses[other] and other not in dependents and graph.may_depend_on(node, other)
        for other in others
    )


def _find_formulas(graph: ValueGraph) -> dict[int, list[NodeFormula]]:
    """Return alternatives to the present definitions of nodes: formulas by node.

    Only sums and products with an operand that nothing else uses are examined. A formula computes
    the node x from other nodes as x = y + c, y - c or y*c, or with constants k and m as
    x = k*y + m. Nodes without formulas are left out.
    """
    nodes = np.array(list(graph.iterate_needed_nodes()), np.intp)
    targets = np.array(
        [place for place, node in enumerate(nodes.tolist()) if _has_private_parts(graph, node)],
        np.intp,
    )
    found: dict[int, list[NodeFormula]] = {int(nodes[target]): [] for target in targets}
    own = {node: {operand >> 1 for operand in graph.definitions[node].operands} for node in found}
    for kind, *places in _find_pairs(graph.values.residues[nodes], targets):
        for node, other, base in nodes[places].T.tolist():
            # The present definition is not a new formula.
            if node not in (other, base) and {other, base} != own[node]:
                outer = make_combination(kind, 2 * node, 2 * other)
                found[node].append(NodeFormula(2 * base, outer))
    numbers = FACTORS | {
        payload.unsigned
        for node in nodes
        if isinstance(payload := graph.definitions[node].payload, Exact)
    }
    residues = {NARROW_FIELD.of_number(number)[0] for number in numbers}
    residues |= {NARROW_FIELD.prime - residue for residue in residues}
    for node, base in _find_multiples(graph, nodes):
        # Residues rule most pairs out, and take less time than exact numbers.
        if (
            node in found
            and residues.issuperset(graph.values.solve_affine_residues(2 * node, 2 * base))
            and _has_known_numbers(graph, node, base, numbers)
        ):
            found[node].append(NodeFormula(2 * base))
    return {node: formulas for node, formulas in found.items() if formulas}


def _has_known_numbers(graph: ValueGraph, node: int, base: int, numbers: Set[Exact]) -> bool:
    """Return whether node = k*base + m for numbers k and m whose magnitudes are in `numbers`."""
    return all(
        number.unsigned in numbers for number in graph.values.solve_affine(2 * node, 2 * base) or ()
    )


def _has_private_parts(graph: ValueGraph, node: int) -> bool:
    """Return whether a node is a sum or product with a computed operand that nothing else uses."""
    definitions, uses = graph.definitions, graph.uses
    operands = (operand >> 1 for operand in definitions[node].operands)
    return not definitions[node].is_fixed and any(
        uses[operand] == 1 and definitions[operand].operands for operand in operands
    )


def _find_pairs(
    residues: Residues, targets: _Places
) -> Iterator[tuple[int, _Places, _Places, _Places]]:
    """Find triples of values x, c, y with y = x - c, x + c or x/c, up to the sign of y.

    `targets` are the indices of the nodes x; residues have the shape (nodes, points). Yield the
    kind (0 for x - c, 1 for x + c, 2 for x/c) and the indices of x, c and y, each of shape
    (found,).
    """
    if not len(targets):
        return
    # Residues at one point are enough here. Matches by chance are rejected when the formula is
    # applied, where all points are compared. Nodes store the smaller of r and p - r.
    first, inverse = residues[:, 0].astype(np.uint32), invert_residues(residues[:, 0])
    order = np.argsort(first)
    known, is_there = first[order], np.zeros(1 << _FILTER, np.bool_)
    is_there[first & _MASK] = True
    for batch in np.array_split(
        targets, -(-len(targets) * min(len(first), 2 * _REACH) // _PAIRS_AT_ONCE)
    ):
        # Targets are ascending, so one range of values covers the reach of all targets of the
        # batch.
        start = max(0, int(batch[0]) - _REACH)
        near = slice(start, int(batch[-1]) + _REACH)
        c = first[near]
        for some in np.array_split(batch, -(-len(batch) // _ROWS)):
            x = first[some, None]
            # Both signs are looked up at once, by the smaller of r and p - r. That is |x - c| for
            # a difference. The reciprocal of zero is zero here; a quotient by it matches the node
            # zero at most, which is rejected later.
            total, quotient = x + c, reduce_products(x * inverse[near])
            for kind, wanted in enumerate(
                (
                    np.maximum(x, c) - np.minimum(x, c),
                    np.minimum(total, _PRIME - total),
                    np.minimum(quotient, _PRIME - quotient),
                )
            ):
                # The table of low bits rules most pairs out; the rest is searched in the sorted
                # residues.
                pairs = np.flatnonzero(is_there.take(wanted & _MASK))
                asked = wanted.ravel()[pairs]
                places = np.minimum(np.searchsorted(known, asked), len(known) - 1)
                met = np.flatnonzero(known[places] == asked)
                rows, columns = np.divmod(pairs[met], len(c))
                yield kind, some[rows], start + columns, order[places[met]]


def _find_multiples(graph: ValueGraph, nodes: _Places) -> Iterator[tuple[int, int]]:
    """Yield nodes x and y with x = k*y + m for numbers k and m, unless y is an operand of x."""
    values = [
        node for node in nodes.tolist() if not isinstance(graph.definitions[node].payload, Exact)
    ]
    groups = defaultdict(list)
    for node, key in zip(
        values, compute_affine_keys(graph.values.residues[values]).tolist(), strict=True
    ):
        groups[key].append(node)
    for group in groups.values():
        # All values of a group are multiples of each other, up to numbers added.
        for node in group if len(group) > 1 else ():
            own = [node, *[operand >> 1 for operand in graph.definitions[node].operands]]
            for base in group[:_MOST_BASES]:
                if base not in own:
                    yield node, base
