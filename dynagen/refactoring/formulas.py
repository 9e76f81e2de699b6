"""Formulas of one and two operations for a node, from others that are there: found by meeting in the middle.

All sums, differences and products of two nodes are in a table by their residues. A node x is a formula of one operation if x
is in the table, and one of two operations if x - c, x + c or x / c is, for some node c (resubstitution, as in A. Mishchenko,
R. Brayton, "Scalable Logic Synthesis using a Simple Circuit Structure", IWLS 2006, with functions in a prime field in place of
truth tables). Residues at two points are compared here, up to sign; the network compares all before it believes a formula.
"""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynagen.ir.operation import Operation
from dynagen.ir.residues import NARROW_FIELD
from dynagen.numbers.exact import Exact
from dynagen.refactoring.network import PRIME, Literal, Network, Residues

_Places = NDArray[np.intp]

_KINDS = ((Operation.ADD, 0), (Operation.ADD, 1), (Operation.MULTIPLY, 0))
"""Of pairs: the operation, and whether the second operand's opposite is meant."""


class Formula(NamedTuple):
    """A node as an operation on a pair, and on one more node where `outer` says which operation; all up to signs."""

    operation: Operation
    left: Literal
    right: Literal
    outer: Operation | None = None
    other: int = 0


class PairTable:
    """Pairs of some nodes of a network.

    Attributes:
        nodes: that are paired.
    """

    def __init__(self, network: Network, nodes: list[int]) -> None:
        """Make the table.

        Args:
            network: that formulas are for.
            nodes: that they are made of; its square is what the table takes.
        """
        self._network = network
        self.nodes = nodes
        self._nodes = np.array(nodes, np.intp)
        residues = network.residues[self._nodes, :2]
        self._first, self._second = residues[:, 0], residues[:, 1]
        self._reciprocals = _reciprocals(residues)
        left, right = np.triu_indices(len(nodes))
        numbers = np.array([isinstance(network.definition(node).payload, Exact) for node in nodes], bool)
        some = ~(numbers[left] & numbers[right])  # what becomes of numbers is a number
        self._left, self._right = left[some], right[some]
        a, b, c, d = (each[side] for side in (self._left, self._right) for each in (self._first, self._second))
        keys = np.concatenate([_keys(a + c, b + d), _keys(a + (PRIME - c), b + (PRIME - d)), _keys(a * c, b * d)])
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def formulas(self, node: int, without: Set[int]) -> list[Formula]:
        """All formulas of a node.

        Args:
            node: the node.
            without: nodes that it must not be computed from, because they need it.
        """
        network = self._network
        usable = [bool(network.uses[each]) and each not in without and network.may_need(node, each) for each in self._nodes]
        may = np.array(usable, bool)
        x, y = network.residues[node, :2]
        others = np.flatnonzero(may)
        a, b = self._first[others], self._second[others]
        sums = np.concatenate([_keys(x + (PRIME - a), y + (PRIME - b)), _keys(x + a, y + b)])
        quotients = _keys(x * self._reciprocals[others, 0], y * self._reciprocals[others, 1])
        found = [Formula(*pair) for _, pair in self._find(_keys(x[None], y[None]), may)]
        for keys, outer in ((sums, Operation.ADD), (quotients, Operation.MULTIPLY)):
            for place, pair in self._find(keys, may):
                found.append(Formula(*pair, outer, int(self._nodes[others[place % len(others)]])))
        return found

    def _find(self, keys: NDArray[np.uint64], may: NDArray[np.bool_]) -> list[tuple[int, tuple[Operation, Literal, Literal]]]:
        """Places of keys, and pairs with that key, of nodes that may be taken."""
        first, last = np.searchsorted(self._keys, keys, "left"), np.searchsorted(self._keys, keys, "right")
        times = last - first
        places = np.repeat(np.arange(len(keys)), times)
        within = np.arange(len(places)) - np.repeat(np.cumsum(times) - times, times)
        entries = self._order[np.repeat(first, times) + within]
        kinds, pairs = np.divmod(entries, len(self._left))
        left, right = self._left[pairs], self._right[pairs]
        taken = np.flatnonzero(may[left] & may[right])
        result = []
        for place, kind, a, b in zip(places[taken], kinds[taken], left[taken], right[taken], strict=True):
            operation, opposite = _KINDS[kind]
            result.append((int(place), (operation, 2 * int(self._nodes[a]), 2 * int(self._nodes[b]) + opposite)))
        return result


def _keys(first: Residues, second: Residues) -> NDArray[np.uint64]:
    """One number for residues at two points, the same for those of the opposite."""
    first, second = first % PRIME, second % PRIME
    is_opposite = first > PRIME - first
    first = np.where(is_opposite, PRIME - first, first)
    second = np.where(is_opposite, (PRIME - second) % PRIME, second)
    keys: NDArray[np.uint64] = (first << np.uint64(32)) | second
    return keys


def _reciprocals(residues: Residues) -> Residues:
    """One over residues, by Fermat's little theorem; zero of zero, which no node is."""
    result, power = np.ones_like(residues), residues
    exponent = NARROW_FIELD.prime - 2
    while exponent:
        if exponent & 1:
            result = result * power % PRIME
        power = power * power % PRIME
        exponent >>= 1
    return result
