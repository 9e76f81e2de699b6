"""Random resubstitution: nodes are redefined by existing nodes if the cost does not rise.

A node of the value graph is a value of the program, up to its sign. In each step, a node is drawn
at random. A formula of one or two operations on other nodes and numbers replaces the definition of
the node, unless the graph then costs more. Values that only the replaced definition needed are
removed. Most replacements of definitions do not change the cost, but the new values may allow
cheaper formulas for other nodes. Thus the search crosses plateaus, like rewriting with zero gain
(Mishchenko, Chatterjee and Brayton, "DAG-Aware AIG Rewriting", DAC 2006). Optionally, a few
connected nodes around the node are also replaced by a shorter program for them (resynthesis window,
`exact_synthesis`).

A formula of a node x is k*p + m, c + (k*p + m) or c*(k*p + m), where k and m are numbers, c is a
node, and p is a node or the sum, difference or product of two nodes. The method is resubstitution
(Mishchenko and Brayton, "Scalable Logic Synthesis using a Simple Circuit Structure", IWLS 2006),
with functions in a prime field in place of truth tables. With the residue p_i of p at a random
point i, the ratios (p_2 - p_0)/(p_1 - p_0) and (p_3 - p_0)/(p_1 - p_0) are the same for all k*p +
m. A table lists all candidates for p by these ratios. For all nodes c, the values x, x - c, x + c
and x/c are looked up in the table. In the following example, completing the square saves two
operations.

    u = x - 5            ->  u = x - 5
    v = 3*x*x - 30*x + 77    v = 3*(u*u) + 2        (p = u*u, k = 3, m = 2)
    6 operations         ->  4 operations
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
from dynagen.optimizer.program_graph import read_program
from dynagen.optimizer.search.exact_synthesis import draw_window, resynthesize
from dynagen.optimizer.value_graph import (
    NodeFormula,
    ValueGraph,
    apply_formula,
    price_formula,
)

_Places = NDArray[np.intp]


class FormulaTable:
    """Table of nodes of a value graph, and of their sums, differences and products.

    Entries are found by keys that are equal for a value p and all k*p + m with numbers k and m.
    Entries are numbered: first the nodes, then the sums, the differences and the products of all
    pairs of nodes.

    Attributes:
        nodes: indices of the nodes in the table, without constants.
    """

    def __init__(self, graph: ValueGraph, nodes: list[int]) -> None:
        """Build the table of all values p for formulas k*p + m with numbers k and m.

        Args:
            graph: the value graph.
            nodes: nodes that formulas may contain as operands. For n nodes, the table has about 1.5
                n^2 entries.
        """
        self._graph = graph
        nodes = [node for node in nodes if not isinstance(graph.definitions[node].payload, Exact)]
        self.nodes = np.array(nodes, np.intp)
        self._node_list = nodes
        self._places = {node: place for place, node in enumerate(nodes)}
        self._guarded = [
            (place, node) for place, node in enumerate(nodes) if graph.values.guards[node]
        ]
        self._residues = residues = graph.values.residues[self.nodes]
        self._reciprocals = invert_residues(residues)
        self._left, self._right = np.triu_indices(len(nodes))
        a, b = residues[self._left], residues[self._right]
        entry_keys = np.concatenate(
            [compute_affine_keys(values) for values in (residues, a + b, a + (PRIME - b), a * b)]
        )
        self._order = np.argsort(entry_keys, kind="stable")
        self._keys = keys = entry_keys[self._order]
        # Ranges of equal keys in the sorted array: where a new key begins, and where the next
        # begins.
        begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        ends = np.append(begins[1:], len(keys))
        # For each entry the range of entries with the same key, in the sorted order.
        self._first, self._last = np.empty_like(self._order), np.empty_like(self._order)
        self._first[self._order] = np.repeat(begins, ends - begins)
        self._last[self._order] = np.repeat(ends, ends - begins)

    def draw_formulas(
        self, node: int, without: Set[int], most: int, random: Random
    ) -> list[NodeFormula]:
        """Return some formulas that compute a node from other nodes of the table, drawn at random.

        Args:
            node: the node, which is in the table.
            without: nodes that must not be operands, because they depend on the node.
            most: the largest number of formulas.
            random: the source of randomness.
        """
        graph, nodes = self._graph, self.nodes
        # Nodes may have fallen out of use since the table was built.
        allowed = np.fromiter(map(graph.uses.__getitem__, self._node_list), np.intp, len(nodes)) > 0
        allowed[
            np.array([self._places[other] for other in without if other in self._places], np.intp)
        ] = False
        allowed[
            np.array(
                [place for place, other in self._guarded if not graph.may_depend_on(node, other)],
                np.intp,
            )
        ] = False
        others = np.flatnonzero(allowed)
        # Constants are not in the table; they are found as k and m.
        places, entries = self._find_entries(self._places[node], others, allowed)
        found = []
        for choice in random.sample(range(len(places)), min(len(places), most)):
            place, entry, outer = int(places[choice]), int(entries[choice]), None
            if place:
                kind, at = divmod(place - 1, len(others))
                other = 2 * int(nodes[others[at]])
                outer = make_combination(kind, 2 * node, other)
            found.append(NodeFormula(self._decode_entry(entry), outer))
        return found

    def _find_entries(
        self, at: int, others: _Places, allowed: NDArray[np.bool_]
    ) -> tuple[_Places, _Places]:
        """Find the table entries p for which k*p + m, with numbers k and m, equals a wanted value.

        The wanted values are, in this order: x itself (the node with the index `at` in the table);
        x - c for all nodes c of `others`; x + c for all c; x/c for all c. `allowed` marks the nodes
        that p may contain.

        Returns:
            For each match, the index of the wanted value in this order, and the index of the entry
            p in the table, both of shape (found,).
        """
        count = len(self.nodes)
        low, high = np.minimum(others, at), np.maximum(others, at)
        # Number of the entry x + c: the pairs are the upper triangle, row by row, after the nodes.
        sums = count + low * (2 * count - low + 1) // 2 + high - low
        # x itself; x - c and x + c are entries of the table, so their keys are known; x/c is
        # computed.
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
        # A single node counts as its own pair; otherwise both nodes of the pair must be allowed.
        single = entries < count
        left, right = (
            np.where(single, entries % count, side[pairs]) for side in (self._left, self._right)
        )
        valid = allowed[left] & allowed[right]
        return places[valid], entries[valid]

    def _decode_entry(self, entry: int) -> Literal | Combination:
        """Return the node, or the sum, difference or product of two nodes, of a table entry.

        `entry` is the index of the entry in the table.
        """
        if entry < len(self.nodes):
            return 2 * int(self.nodes[entry])
        kind, pair = divmod(entry - len(self.nodes), len(self._left))
        left, right = 2 * int(self.nodes[self._left[pair]]), 2 * int(self.nodes[self._right[pair]])
        return make_combination(kind, left, right)


_MOST_FORMULAS_TRIED = 12  # per node
# Numbers are computed only for formulas that cost at most this much more than the private parts of
# the node: exact fractions take longest.
_MOST_EXTRA_COST = 1
_MOST_CHANGES = 30  # before the table is built again
_MOST_TABLE_NODES = 500  # about 400 000 entries; larger programs are changed part by part


def resubstitute_at_random(
    program: Program, model: CostModel, steps: int, seed: int = 0, windows: float = 0
) -> Program:
    """Return a program after many random resubstitutions, which do not raise its cost.

    Args:
        program: the program, without dead code.
        model: cost model; savings by fused multiply-adds are not considered.
        steps: number of nodes that are drawn.
        seed: seed of the random choices.
        windows: fraction of drawn nodes, from 0 to 1, around which a resynthesis window is drawn
            too.
    """
    graph = (origin := read_program(program, model)).graph
    random = Random(seed)
    cheapest, best = graph.cost, list(graph.definitions)
    while steps > 0:
        # Building the table takes longer than many steps, so it serves until enough nodes have
        # changed.
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
                # Plateaus may lead away from the cheapest program, so its definitions are kept.
                if graph.cost < cheapest:
                    cheapest, best = graph.cost, list(graph.definitions)
                if changes > _MOST_CHANGES:
                    break
        # A program of leaves only has nothing to draw; the loop has to end.
        steps -= not nodes
    if graph.cost > cheapest:
        origin.restore(best)
    return origin.emit()


def _choose_nodes(graph: ValueGraph, random: Random) -> list[int]:
    """Return the nodes for a formula table: all leaves and computed nodes that results need.

    If there are too many computed nodes, only some successive ones are returned, beginning at a
    random node.
    """
    nodes = list(graph.iterate_needed_nodes())
    leaves = [node for node in nodes if not graph.definitions[node].operands]
    others = [node for node in nodes if graph.definitions[node].operands]
    most = max(_MOST_TABLE_NODES - len(leaves), _MOST_TABLE_NODES // 2)
    # Leaves are always included: most formulas need them.
    start = random.randrange(max(1, len(others) - most + 1))
    return leaves + others[start : start + most]


def _resynthesize_around(graph: ValueGraph, node: int, random: Random) -> bool:
    """Replace nodes around a node by another program that does not cost more, if one is found.

    Return whether the graph has changed.
    """
    window = draw_window(graph, node, random)
    return window is not None and resynthesize(graph, window, random)


def _redefine_node(graph: ValueGraph, table: FormulaTable, node: int, random: Random) -> bool:
    """Redefine a node by a formula that does not raise the cost; return whether it has changed."""
    dependents = graph.find_dependents(node)
    cost, private = graph.cost, graph.measure_private_cost(node)
    for formula in table.draw_formulas(node, dependents, _MOST_FORMULAS_TRIED, random):
        # The residues give the cost before exact numbers are computed.
        if price_formula(graph, node, formula) > private + _MOST_EXTRA_COST:
            continue
        graph.begin()
        if apply_formula(graph, node, formula, dependents) and graph.cost <= cost:
            return True
        graph.roll_back()
    return False
