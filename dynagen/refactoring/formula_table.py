"""Formulas of a few operations for a node, from others that are there: found by meeting in the middle.

A node x may be k p + m, c + k p + m or c (k p + m), with numbers k and m, a node c, and p a node or the sum, difference or
product of two (resubstitution, as in A. Mishchenko, R. Brayton, "Scalable Logic Synthesis using a Simple Circuit Structure",
IWLS 2006, with functions in a prime field in place of truth tables). With p_i for the residue of p at a point, the ratios
(p_2 - p_0) / (p_1 - p_0) and (p_3 - p_0) / (p_1 - p_0) are the same for all k p + m, whatever k and m. So all p are in a table
by these, and x, x - c, x + c and x / c are looked up there for all c. Most often k is one and m zero, and the formula has one
or two operations; a square that is completed has four.
"""

from __future__ import annotations

from collections.abc import Set
from random import Random

import numpy as np
from numpy.typing import NDArray

from dynagen.network.formula import Formula
from dynagen.network.network import Network
from dynagen.network.node_values import PRIME, Combination, Literal, combination_of
from dynagen.network.residue_arrays import affine_keys, reciprocals
from dynagen.numbers.exact import Exact

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
        self._guarded = [(place, node) for place, node in enumerate(nodes) if network.values.guards[node]]
        self._residues = residues = network.values.residues[self.nodes]
        self._reciprocals = reciprocals(residues)
        self._left, self._right = np.triu_indices(len(nodes))
        a, b = residues[self._left], residues[self._right]
        everything = np.concatenate([affine_keys(each) for each in (residues, a + b, a + (PRIME - b), a * b)])
        self._order = np.argsort(everything, kind="stable")
        self._keys = keys = everything[self._order]
        begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        ends = np.append(begins[1:], len(keys))
        self._first, self._last = np.empty_like(self._order), np.empty_like(self._order)  # of those with the key of an entry
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
        may[np.array([self._places[each] for each in without if each in self._places], np.intp)] = False
        may[np.array([place for place, each in self._guarded if not network.may_need(node, each)], np.intp)] = False
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
        first = np.concatenate([self._first[wanted], np.searchsorted(self._keys, quotients, "left")])
        last = np.concatenate([self._last[wanted], np.searchsorted(self._keys, quotients, "right")])
        times = last - first
        places = np.repeat(np.arange(len(times)), times)
        within = np.arange(len(places)) - np.repeat(np.cumsum(times) - times, times)
        entries = self._order[np.repeat(first, times) + within]
        pairs = (entries - count) % max(1, len(self._left))
        single = entries < count
        left, right = (np.where(single, entries % count, side[pairs]) for side in (self._left, self._right))
        taken = may[left] & may[right]
        return places[taken], entries[taken]

    def _base(self, entry: int) -> Literal | Combination:
        if entry < len(self.nodes):
            return 2 * int(self.nodes[entry])
        kind, pair = divmod(entry - len(self.nodes), len(self._left))
        left, right = 2 * int(self.nodes[self._left[pair]]), 2 * int(self.nodes[self._right[pair]])
        return combination_of(kind, left, right)
