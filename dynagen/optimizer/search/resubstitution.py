"""Resubstitution: redefine nodes by formulas of existing nodes as long as the cost does not rise.

Formulas of a few operations for a node, from others that are there: found by meeting in the middle.

A node x may be k p + m, c + k p + m or c (k p + m), with numbers k and m, a node c, and p a node or the sum, difference or
product of two (resubstitution, as in A. Mishchenko, R. Brayton, "Scalable Logic Synthesis using a Simple Circuit Structure",
IWLS 2006, with functions in a prime field in place of truth tables). With p_i for the residue of p at a point, the ratios
(p_2 - p_0) / (p_1 - p_0) and (p_3 - p_0) / (p_1 - p_0) are the same for all k p + m, whatever k and m. So all p are in a table
by these, and x, x - c, x + c and x / c are looked up there for all c. Most often k is one and m zero, and the formula has one
or two operations; a square that is completed has four.

Resubstitution: nodes are computed from others that are there anyway, over and over, as long as that costs no more.

A node is drawn, and one of its formulas of one or two operations is taken unless the graph costs more with it; what only
the old definition needed is gone. Most often that costs the same, and the graph only looks different: with other values
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
    compute_affine_keys,
    invert_residues,
    make_combination,
)
from dynagen.optimizer.search.exact_synthesis import draw_window, resynthesize
from dynagen.optimizer.value_graph import (
    NodeFormula,
    ValueGraph,
    apply_formula,
    price_formula,
    read_program,
)

_Places = NDArray[np.intp]


class FormulaTable:
    """Nodes of a graph, and their sums, differences and products.

    Attributes:
        nodes: of which there are formulas.
    """

    def __init__(self, graph: ValueGraph, nodes: list[int]) -> None:
        """Make the table.

        Args:
            graph: that formulas are for.
            nodes: that they are made of; its square is what the table takes.
        """
        self._graph = graph
        nodes = [node for node in nodes if not isinstance(graph.definitions[node].payload, Exact)]
        self.nodes = np.array(nodes, np.intp)
        self._numbers = nodes
        self._places = {node: place for place, node in enumerate(nodes)}
        self._guarded = [
            (place, node) for place, node in enumerate(nodes) if graph.values.guards[node]
        ]
        self._residues = residues = graph.values.residues[self.nodes]
        self._reciprocals = invert_residues(residues)
        self._left, self._right = np.triu_indices(len(nodes))
        a, b = residues[self._left], residues[self._right]
        everything = np.concatenate(
            [compute_affine_keys(each) for each in (residues, a + b, a + (PRIME - b), a * b)]
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

    def draw_formulas(
        self, node: int, without: Set[int], most: int, random: Random
    ) -> list[NodeFormula]:
        """Some of the formulas of a node.

        Args:
            node: the node.
            without: nodes that it must not be computed from, because they need it.
            most: how many formulas.
            random: draws them.
        """
        graph, nodes = self._graph, self.nodes
        may = np.fromiter(map(graph.uses.__getitem__, self._numbers), np.intp, len(nodes)) > 0
        may[np.array([self._places[each] for each in without if each in self._places], np.intp)] = (
            False
        )
        may[
            np.array(
                [place for place, each in self._guarded if not graph.may_depend_on(node, each)],
                np.intp,
            )
        ] = False
        others = np.flatnonzero(may)
        places, entries = self._find_entries(self._places[node], others, may)
        found = []
        for each in random.sample(range(len(places)), min(len(places), most)):
            place, entry, outer = int(places[each]), int(entries[each]), None
            if place:
                kind, at = divmod(place - 1, len(others))
                other = 2 * int(nodes[others[at]])
                outer = make_combination(kind, 2 * node, other)
            found.append(NodeFormula(self._decode_entry(entry), outer))
        return found

    def _find_entries(
        self, at: int, others: _Places, may: NDArray[np.bool_]
    ) -> tuple[_Places, _Places]:
        """What is wanted for a node, and entries that are that and made of nodes that may be taken.

        Wanted is the node x itself, x - c, x + c and x / c of all others, in this order; sums and differences are entries.
        """
        count = len(self.nodes)
        low, high = np.minimum(others, at), np.maximum(others, at)
        sums = count + low * (2 * count - low + 1) // 2 + high - low
        wanted = np.concatenate([[at], sums + len(self._left), sums])
        quotients = compute_affine_keys(self._residues[at] * self._reciprocals[others])
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

    def _decode_entry(self, entry: int) -> Literal | Combination:
        if entry < len(self.nodes):
            return 2 * int(self.nodes[entry])
        kind, pair = divmod(entry - len(self.nodes), len(self._left))
        left, right = 2 * int(self.nodes[self._left[pair]]), 2 * int(self.nodes[self._right[pair]])
        return make_combination(kind, left, right)


_MOST_FORMULAS_TRIED = 12  # formulas of one node
_MOST_EXTRA_COST = (
    1  # of what a formula costs; to find its numbers, which are most often new, takes longest
)
_MOST_CHANGES = 30  # before the table of pairs is made anew
_MOST_TABLE_NODES = (
    500  # in a table, which has 400 000 entries then; of larger programs a part at a time
)


def resubstitute_at_random(
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
    graph = (origin := read_program(program, model)).graph
    random = Random(seed)
    cheapest, best = graph.cost, list(graph.definitions)
    while steps > 0:
        table = FormulaTable(graph, _choose_nodes(graph, random))
        changes = 0
        nodes = [node for node in table.nodes.tolist() if not graph.definitions[node].is_fixed]
        random.shuffle(nodes)
        for node in nodes[:steps]:
            steps -= 1
            changed = graph.uses[node] > 0 and _redefine_node(graph, table, node, random)
            if windows and random.random() < windows and graph.uses[node]:
                changed |= _resynthesize_around(graph, node, random)
            if changed:
                changes += 1
                if graph.cost < cheapest:
                    cheapest, best = graph.cost, list(graph.definitions)
                if changes > _MOST_CHANGES:
                    break
        steps -= not nodes
    if graph.cost > cheapest:
        origin.restore(best)
    return origin.emit()


def _choose_nodes(graph: ValueGraph, random: Random) -> list[int]:
    """Nodes that are needed: all, or as many as a table takes that follow each other."""
    nodes = list(graph.needed_nodes())
    leaves = [node for node in nodes if not graph.definitions[node].operands]
    others = [node for node in nodes if graph.definitions[node].operands]
    most = max(_MOST_TABLE_NODES - len(leaves), _MOST_TABLE_NODES // 2)
    start = random.randrange(max(1, len(others) - most + 1))
    return leaves + others[start : start + most]


def _resynthesize_around(graph: ValueGraph, node: int, random: Random) -> bool:
    """Compute a window around a node otherwise, if a program is found with which the graph costs no more."""
    window = draw_window(graph, node, random)
    return window is not None and resynthesize(graph, window, random)


def _redefine_node(graph: ValueGraph, table: FormulaTable, node: int, random: Random) -> bool:
    """Compute a node by another formula, if one is found with which the graph costs no more."""
    dependents = graph.find_dependents(node)
    cost, private = graph.cost, graph.measure_private_cost(node)
    for formula in table.draw_formulas(node, dependents, _MOST_FORMULAS_TRIED, random):
        if price_formula(graph, node, formula) > private + _MOST_EXTRA_COST:
            continue
        graph.begin()
        if apply_formula(graph, node, formula, dependents) and graph.cost <= cost:
            return True
        graph.roll_back()
    return False
