"""Resubstitution: nodes are computed from others that are there anyway, over and over, as long as that costs no more.

A node is drawn, and one of its formulas of one or two operations is taken unless the network costs more with it; what only
the old definition needed is gone. Most often that costs the same, and the network only looks different: with other values
there, other nodes find formulas that are cheaper. So the search drifts over plateaus, as in functional hashing and rewriting
with zero gain (A. Mishchenko, S. Chatterjee, R. Brayton, "DAG-Aware AIG Rewriting", DAC 2006). Where that
is asked for, a window around the node is computed otherwise, too (`windows`), which changes several nodes at once.
"""

from __future__ import annotations

from random import Random

from dynagen.ir.cost import CostModel
from dynagen.ir.program import Program
from dynagen.network.formula import apply, cost_of
from dynagen.network.network import Network
from dynagen.network.reading import read
from dynagen.refactoring.formula_table import FormulaTable
from dynagen.refactoring.windows import draw_window, rearrange

_MOST_TRIED = 12  # formulas of one node
_MOST_THERE = 1  # of what a formula costs; to find its numbers, which are most often new, takes longest
_MOST_CHANGES = 30  # before the table of pairs is made anew
_MOST_NODES = 500  # in a table, which has 400 000 entries then; of larger programs a part at a time


def drift(program: Program, model: CostModel, steps: int, seed: int = 0, windows: float = 0) -> Program:
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
