"""Resubstitution: a value is computed by one operation from others that are there anyway, where that saves what only it needs.

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
from itertools import product
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from dynagen.ir.cost import FLOPS, cost_of
from dynagen.ir.program import Program
from dynagen.network.formula import Formula, apply
from dynagen.network.network import Network
from dynagen.network.node_values import PRIME, Combination, Residues, combination_of
from dynagen.network.reading import read
from dynagen.network.residue_arrays import affine_keys, reciprocals
from dynagen.numbers.exact import Exact

_WINDOW = 2000
FACTORS = frozenset(Exact(factor) / 2 for factor in range(9))
"""Numbers that equations have of their own: halves, doubles and their like. All others have formulas in the description."""
_MOST_BASES = 8  # of which one value is a multiple
_ASKED = 1 << 20  # at a time
_FILTER = 22  # bits of a table that says what cannot be there, which is much faster than to look it up
_MASK = np.uint64((1 << _FILTER) - 1)

_Places = NDArray[np.intp]


def resubstitute(program: Program) -> Program:
    """The program with values computed from others where that saves operations; itself, if that is nowhere."""
    network = (origin := read(program, FLOPS)).network
    formulas = _formulas(network)
    savings = {node: _best(network, node, formulas[node])[0] for node in formulas}
    for node in sorted((node for node in savings if savings[node]), key=savings.__getitem__, reverse=True):
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
            if _may_take(network, node, formula, dependent) and apply(network, node, formula, dependent):
                best = max(best, (cost - network.cost, formula), key=itemgetter(0))
            network.undo()
    return best


def _may_take(network: Network, node: int, formula: Formula, dependent: Set[int]) -> bool:
    """Whether all that a formula takes is there, and does not depend on the node."""
    literals = (formula.base,) if formula.outer is None else (formula.base, formula.outer.right)
    others = [literal >> 1 for literal in literals if not isinstance(literal, Combination)]
    return all(network.uses[other] and other not in dependent and network.may_need(node, other) for other in others)


def _formulas(network: Network) -> dict[int, list[Formula]]:
    """Formulas of nodes of which parts are computed for them alone."""
    nodes = np.array(list(network.needed()), np.intp)
    targets = np.array([place for place, node in enumerate(nodes.tolist()) if _has_private_parts(network, node)], np.intp)
    found: dict[int, list[Formula]] = {int(nodes[target]): [] for target in targets}
    own = {node: {operand >> 1 for operand in network.definitions[node].operands} for node in found}
    for kind, *places in _meetings(network.values.residues[nodes], targets):
        for node, other, base in nodes[places].T.tolist():
            if node not in (other, base) and {other, base} != own[node]:
                outer = combination_of(kind, 2 * node, 2 * other)
                found[node].append(Formula(2 * base, outer))
    numbers = FACTORS | {payload.unsigned for node in nodes if isinstance(payload := network.definitions[node].payload, Exact)}
    for node, base in _multiples(network, nodes):
        if node in found and _takes(network, node, base, numbers):
            found[node].append(Formula(2 * base))
    return {node: formulas for node, formulas in found.items() if formulas}


def _takes(network: Network, node: int, base: int, numbers: Set[Exact]) -> bool:
    """Whether a node is a multiple of another with a number added, both of them, or their opposites, among these."""
    return all(number.unsigned in numbers for number in network.values.affine(2 * node, 2 * base) or ())


def _has_private_parts(network: Network, node: int) -> bool:
    definitions, uses = network.definitions, network.uses
    operands = (operand >> 1 for operand in definitions[node].operands)
    return not definitions[node].is_fixed and any(uses[each] == 1 and definitions[each].operands for each in operands)


def _meetings(residues: Residues, targets: _Places) -> Iterator[tuple[int, _Places, _Places, _Places]]:
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
    values = [node for node in nodes.tolist() if not isinstance(network.definitions[node].payload, Exact)]
    groups = defaultdict(list)
    for node, key in zip(values, affine_keys(network.values.residues[values]).tolist(), strict=True):
        groups[key].append(node)
    for group in groups.values():
        for node, base in product(group, group[:_MOST_BASES]):
            if base not in [node, *(operand >> 1 for operand in network.definitions[node].operands)]:
                yield node, base
