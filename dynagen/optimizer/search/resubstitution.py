"""Resubstitution: redefine nodes by formulas of existing nodes as long as the cost does not rise.

Formulas of a few operations for a node, from others that are there: found by meeting in the middle.

A node x may be k p + m, c + k p + m or c (k p + m), with numbers k and m, a node c, and p a node or the sum, difference or
product of two (resubstitution, as in A. Mishchenko, R. Brayton, "Scalable Logic Synthesis using a Simple Circuit Structure",
IWLS 2006, with functions in a prime field in place of truth tables). With p_i for the residue of p at a point, the ratios
(p_2 - p_0) / (p_1 - p_0) and (p_3 - p_0) / (p_1 - p_0) are the same for all k p + m, whatever k and m. So all p are in a table
by these, and x, x - c, x + c and x / c are looked up there for all c. Most often k is one and m zero, and the formula has one
or two operations; a square that is completed has four.

Resubstitution: nodes are computed from others that are there anyway, over and over, as long as that costs no more.

A node is drawn, and one of its formulas of one or two operations is taken unless the network costs more with it; what only
the old definition needed is gone. Most often that costs the same, and the network only looks different: with other values
there, other nodes find formulas that are cheaper. So the search drifts over plateaus, as in functional hashing and rewriting
with zero gain (A. Mishchenko, S. Chatterjee, R. Brayton, "DAG-Aware AIG Rewriting", DAC 2006). Where that
is asked for, a window around the node is computed otherwise, too (`windows`), which changes several nodes at once.
"""

from __future__ import annotations

from collections.abc import Set
from random import Random

import numpy as np
from numpy.typing import NDArray

from dynagen.ir.cost import CostModel
from dynagen.ir.program import Program
from dynagen.numbers.exact import Exact
from dynagen.optimizer.node_values import (
    PRIME,
    Combination,
    Literal,
    affine_keys,
    combination_of,
    reciprocals,
)
from dynagen.optimizer.search.exact_synthesis import draw_window, rearrange
from dynagen.optimizer.value_graph import Formula, Network, apply, cost_of, read

_Places = NDArray[np.intp]


class FormulaTable:
    """Nodes of a network, and their sums, differences and products.

    Attributes:
        nodes: of which there are formulas.
    """

    def __init__(self, network: Network, nodes: list[int]) -> None:
        """Make the table.

        Args:
            network: that formulas are for.
            nodes: that they are made of; its square is what the table takes.
        """
        self._network = network
        nodes = [node for node in nodes if not isinstance(network.definitions[node].payload, Exact)]
        self.nodes = np.array(nodes, np.intp)
        self._numbers = nodes
        self._places = {node: place for place, node in enumerate(nodes)}
        self._guarded = [
            (place, node) for place, node in enumerate(nodes) if network.values.guards[node]
        ]
        self._residues = residues = network.values.residues[self.nodes]
        self._reciprocals = reciprocals(residues)
        self._left, self._right = np.triu_indices(len(nodes))
        a, b = residues[self._left], residues[self._right]
        everything = np.concatenate(
            [affine_keys(each) for each in (residues, a + b, a + (PRIME - b), a * b)]
        )
        self._order = np.argsort(everything, kind="stable")
        self._keys = keys = everything[self._order]
        begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        ends = np.append(begins[1:], len(keys))
        self._first, self._last = (
            np.empty_like(self._order),
            np.empty_like(self._order),
        )  # of those with the key of an entry
        self._first[self._order] = np.repeat(begins, ends - begins)
        self._last[self._order] = np.repeat(ends, ends - begins)

    def formulas(self, node: int, without: Set[int], most: int, random: Random) -> list[Formula]:
        """Some of the formulas of a node.

        Args:
            node: the node.
            without: nodes that it must not be computed from, because they need it.
            most: how many formulas.
            random: draws them.
        """
        network, nodes = self._network, self.nodes
        may = np.fromiter(map(network.uses.__getitem__, self._numbers), np.intp, len(nodes)) > 0
        may[np.array([self._places[each] for each in without if each in self._places], np.intp)] = (
            False
        )
        may[
            np.array(
                [place for place, each in self._guarded if not network.may_need(node, each)],
                np.intp,
            )
        ] = False
        others = np.flatnonzero(may)
        places, entries = self._find(self._places[node], others, may)
        found = []
        for each in random.sample(range(len(places)), min(len(places), most)):
            place, entry, outer = int(places[each]), int(entries[each]), None
            if place:
                kind, at = divmod(place - 1, len(others))
                other = 2 * int(nodes[others[at]])
                outer = combination_of(kind, 2 * node, other)
            found.append(Formula(self._base(entry), outer))
        return found

    def _find(self, at: int, others: _Places, may: NDArray[np.bool_]) -> tuple[_Places, _Places]:
        """What is wanted for a node, and entries that are that and made of nodes that may be taken.

        Wanted is the node x itself, x - c, x + c and x / c of all others, in this order; sums and differences are entries.
        """
        count = len(self.nodes)
        low, high = np.minimum(others, at), np.maximum(others, at)
        sums = count + low * (2 * count - low + 1) // 2 + high - low
        wanted = np.concatenate([[at], sums + len(self._left), sums])
        quotients = affine_keys(self._residues[at] * self._reciprocals[others])
        first = np.concatenate(
            [self._first[wanted], np.searchsorted(self._keys, quotients, "left")]
        )
        last = np.concatenate([self._last[wanted], np.searchsorted(self._keys, quotients, "right")])
        times = last - first
        places = np.repeat(np.arange(len(times)), times)
        within = np.arange(len(places)) - np.repeat(np.cumsum(times) - times, times)
        entries = self._order[np.repeat(first, times) + within]
        pairs = (entries - count) % max(1, len(self._left))
        single = entries < count
        left, right = (
            np.where(single, entries % count, side[pairs]) for side in (self._left, self._right)
        )
        taken = may[left] & may[right]
        return places[taken], entries[taken]

    def _base(self, entry: int) -> Literal | Combination:
        if entry < len(self.nodes):
            return 2 * int(self.nodes[entry])
        kind, pair = divmod(entry - len(self.nodes), len(self._left))
        left, right = 2 * int(self.nodes[self._left[pair]]), 2 * int(self.nodes[self._right[pair]])
        return combination_of(kind, left, right)


_MOST_TRIED = 12  # formulas of one node
_MOST_THERE = (
    1  # of what a formula costs; to find its numbers, which are most often new, takes longest
)
_MOST_CHANGES = 30  # before the table of pairs is made anew
_MOST_NODES = 500  # in a table, which has 400 000 entries then; of larger programs a part at a time


def drift(
    program: Program, model: CostModel, steps: int, seed: int = 0, windows: float = 0
) -> Program:
    """A program that costs at most as much.

    Args:
        program: to change, without dead code.
        model: what operations cost; what fusing saves is not seen.
        steps: how many nodes are drawn.
        seed: of what is drawn at random.
        windows: for which part of these nodes a window is computed otherwise, too.
    """
    network = (origin := read(program, model)).network
    random = Random(seed)
    cheapest, best = network.cost, list(network.definitions)
    while steps > 0:
        table = FormulaTable(network, _some_nodes(network, random))
        changes = 0
        nodes = [node for node in table.nodes.tolist() if not network.definitions[node].is_fixed]
        random.shuffle(nodes)
        for node in nodes[:steps]:
            steps -= 1
            changed = network.uses[node] > 0 and _change(network, table, node, random)
            if windows and random.random() < windows and network.uses[node]:
                changed |= _rearrange(network, node, random)
            if changed:
                changes += 1
                if network.cost < cheapest:
                    cheapest, best = network.cost, list(network.definitions)
                if changes > _MOST_CHANGES:
                    break
        steps -= not nodes
    if network.cost > cheapest:
        origin.restore(best)
    return origin.emitted()


def _some_nodes(network: Network, random: Random) -> list[int]:
    """Nodes that are needed: all, or as many as a table takes that follow each other."""
    nodes = list(network.needed())
    leaves = [node for node in nodes if not network.definitions[node].operands]
    others = [node for node in nodes if network.definitions[node].operands]
    most = max(_MOST_NODES - len(leaves), _MOST_NODES // 2)
    start = random.randrange(max(1, len(others) - most + 1))
    return leaves + others[start : start + most]


def _rearrange(network: Network, node: int, random: Random) -> bool:
    """Compute a window around a node otherwise, if a program is found with which the network costs no more."""
    window = draw_window(network, node, random)
    return window is not None and rearrange(network, window, random)


def _change(network: Network, table: FormulaTable, node: int, random: Random) -> bool:
    """Compute a node by another formula, if one is found with which the network costs no more."""
    dependent = network.dependent(node)
    cost, private = network.cost, network.private_cost(node)
    for formula in table.formulas(node, dependent, _MOST_TRIED, random):
        if cost_of(network, node, formula) > private + _MOST_THERE:
            continue
        network.begin()
        if apply(network, node, formula, dependent) and network.cost <= cost:
            return True
        network.undo()
    return False
