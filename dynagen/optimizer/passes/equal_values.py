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
    affine_keys,
    combination_of,
    reciprocals,
)
from dynagen.optimizer.passes.folding import remove_dead_code
from dynagen.optimizer.value_graph import Formula, Network, apply, read

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
    return remove_dead_code(_Union(program).run())


class _Union:
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
        self._made: dict[Fingerprint, int] = {}  # fingerprint -> position in the new program
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
            value = self._value(position)
            if instruction.name is not None and self._builder.can_name(value):
                self._builder.give_name(value, instruction.name)
        outputs = self._program.outputs
        return self._builder.finish(
            replace(each, values=tuple(map(self._value, each.values))) for each in outputs
        )

    def _value(self, position: int) -> int:
        """The position at which a value is computed: as a number, from the simplest that is equal, or as its negative."""
        fingerprint = self._prints[position]
        if fingerprint not in self._made:
            number = _small_numbers().get(fingerprint)
            if number is not None:
                self._made[fingerprint] = self._builder.constant(number)
            else:
                self._make(self._sizes[position])
        if fingerprint not in self._made:
            self._made[fingerprint] = self._builder.emit(
                Operation.NEGATE, self._made[FIELD.opposite(fingerprint)]
            )
        return self._made[fingerprint]

    def _make(self, size: Fingerprint) -> None:
        """Compute the simplest value of a size, and first what it needs."""
        pending = [self._simplest[size][1]]
        while pending:
            position = pending[-1]
            instruction = self._program.instructions[position]
            missing = [operand for operand in instruction.operands if not self._is_made(operand)]
            if missing:
                pending += [self._simplest[self._sizes[operand]][1] for operand in missing]
                continue
            pending.pop()
            if not self._is_made(position):
                operands = tuple(self._value(operand) for operand in instruction.operands)
                made = self._builder.repeat(instruction._replace(name=None), operands)
                self._made[self._prints[position]] = made

    def _is_made(self, position: int) -> bool:
        fingerprint = self._prints[position]
        return (
            fingerprint in self._made
            or FIELD.opposite(fingerprint) in self._made
            or fingerprint in _small_numbers()
        )


@cache
def _small_numbers() -> dict[Fingerprint, Exact]:
    """Small numbers by their fingerprints; a random value has one of these with a probability of 1e-52."""
    numbers = {
        Fraction(n, d) for n in range(-_LARGEST, _LARGEST + 1) for d in range(1, _LARGEST + 1)
    }
    return {FIELD.of_number(Exact(number)): Exact(number) for number in sorted(numbers)}


_WINDOW = 2000
FACTORS = frozenset(Exact(factor) / 2 for factor in range(9))
"""Numbers that equations have of their own: halves, doubles and their like. All others have formulas in the description."""
_MOST_BASES = 8  # of which one value is a multiple
_ASKED = 1 << 20  # at a time
_FILTER = (
    22  # bits of a table that says what cannot be there, which is much faster than to look it up
)
_MASK = np.uint64((1 << _FILTER) - 1)

_Places = NDArray[np.intp]


def resubstitute(program: Program) -> Program:
    """The program with values computed from others where that saves operations; itself, if that is nowhere."""
    network = (origin := read(program, FLOPS)).network
    formulas = _formulas(network)
    savings = {node: _best(network, node, formulas[node])[0] for node in formulas}
    for node in sorted(
        (node for node in savings if savings[node]), key=savings.__getitem__, reverse=True
    ):
        saving, formula = _best(network, node, formulas[node])  # of what the others have left
        if saving:
            apply(network, node, formula, network.dependent(node))
    return origin.emitted() if network.cost < cost_of(program, FLOPS)[0] else program


def _best(network: Network, node: int, formulas: list[Formula]) -> tuple[int, Formula]:
    """What the formula saves that saves most, and the formula."""
    best = 0, Formula(2 * node)
    if network.uses[node]:
        dependent, cost = network.dependent(node), network.cost
        for formula in formulas:
            network.begin()
            if _may_take(network, node, formula, dependent) and apply(
                network, node, formula, dependent
            ):
                best = max(best, (cost - network.cost, formula), key=itemgetter(0))
            network.undo()
    return best


def _may_take(network: Network, node: int, formula: Formula, dependent: Set[int]) -> bool:
    """Whether all that a formula takes is there, and does not depend on the node."""
    literals = (formula.base,) if formula.outer is None else (formula.base, formula.outer.right)
    others = [literal >> 1 for literal in literals if not isinstance(literal, Combination)]
    return all(
        network.uses[other] and other not in dependent and network.may_need(node, other)
        for other in others
    )


def _formulas(network: Network) -> dict[int, list[Formula]]:
    """Formulas of nodes of which parts are computed for them alone."""
    nodes = np.array(list(network.needed()), np.intp)
    targets = np.array(
        [place for place, node in enumerate(nodes.tolist()) if _has_private_parts(network, node)],
        np.intp,
    )
    found: dict[int, list[Formula]] = {int(nodes[target]): [] for target in targets}
    own = {node: {operand >> 1 for operand in network.definitions[node].operands} for node in found}
    for kind, *places in _meetings(network.values.residues[nodes], targets):
        for node, other, base in nodes[places].T.tolist():
            if node not in (other, base) and {other, base} != own[node]:
                outer = combination_of(kind, 2 * node, 2 * other)
                found[node].append(Formula(2 * base, outer))
    numbers = FACTORS | {
        payload.unsigned
        for node in nodes
        if isinstance(payload := network.definitions[node].payload, Exact)
    }
    for node, base in _multiples(network, nodes):
        if node in found and _takes(network, node, base, numbers):
            found[node].append(Formula(2 * base))
    return {node: formulas for node, formulas in found.items() if formulas}


def _takes(network: Network, node: int, base: int, numbers: Set[Exact]) -> bool:
    """Whether a node is a multiple of another with a number added, both of them, or their opposites, among these."""
    return all(
        number.unsigned in numbers for number in network.values.affine(2 * node, 2 * base) or ()
    )


def _has_private_parts(network: Network, node: int) -> bool:
    definitions, uses = network.definitions, network.uses
    operands = (operand >> 1 for operand in definitions[node].operands)
    return not definitions[node].is_fixed and any(
        uses[each] == 1 and definitions[each].operands for each in operands
    )


def _meetings(
    residues: Residues, targets: _Places
) -> Iterator[tuple[int, _Places, _Places, _Places]]:
    """Places of targets x, of other values c and of what x - c, x + c or x / c is, or its opposite; and which of the three."""
    if not len(targets):
        return
    first = residues[:, 0]  # at one point: the few that are equal there by chance are no formulas
    inverse = reciprocals(first)
    order = np.argsort(first)
    known, is_there = first[order], np.zeros(1 << _FILTER, np.bool_)
    is_there[first & _MASK] = True
    for some in np.array_split(targets, -(-len(targets) * min(len(first), 2 * _WINDOW) // _ASKED)):
        start = max(0, int(some[0]) - _WINDOW)
        near = slice(start, int(some[-1]) + _WINDOW)
        x, c = first[some, None], first[near]
        for kind, values in enumerate((x + (PRIME - c), x + c, x * inverse[near])):
            wanted = values % PRIME
            wanted = np.minimum(wanted, PRIME - wanted)
            rows, columns = np.nonzero(is_there[wanted & _MASK])
            asked = wanted[rows, columns]
            places = np.minimum(np.searchsorted(known, asked), len(known) - 1)
            met = np.flatnonzero(known[places] == asked)
            yield kind, some[rows[met]], start + columns[met], order[places[met]]


def _multiples(network: Network, nodes: _Places) -> Iterator[tuple[int, int]]:
    """Nodes, and others of which they are a multiple with a number added; but none that is computed so."""
    values = [
        node for node in nodes.tolist() if not isinstance(network.definitions[node].payload, Exact)
    ]
    groups = defaultdict(list)
    for node, key in zip(
        values, affine_keys(network.values.residues[values]).tolist(), strict=True
    ):
        groups[key].append(node)
    for group in groups.values():
        for node, base in product(group, group[:_MOST_BASES]):
            if base not in [
                node,
                *(operand >> 1 for operand in network.definitions[node].operands),
            ]:
                yield node, base
