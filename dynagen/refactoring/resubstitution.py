"""Resubstitution: nodes are computed from others that are there anyway, over and over, as long as that costs no more.

A node is drawn, and one of its formulas of one or two operations is taken unless the network costs more with it; what only
the old definition needed is gone. Most often that costs the same, and the network only looks different: with other values
there, other nodes find formulas that are cheaper. So the search drifts over plateaus, as in functional hashing and rewriting
with zero gain (A. Mishchenko, S. Chatterjee, R. Brayton, "DAG-Aware AIG Rewriting", DAC 2006).
"""

from __future__ import annotations

from random import Random

from dynagen.ir.cost import CostModel
from dynagen.ir.operation import Operation
from dynagen.ir.program import Program
from dynagen.refactoring.formulas import Formula, PairTable
from dynagen.refactoring.network import Network
from dynagen.refactoring.network_program import read

_MOST_TRIED = 12  # formulas of one node
_MOST_CHANGES = 30  # before the table of pairs is made anew
_MOST_NODES = 1000  # in a table, which has a million and a half pairs then; of larger programs a part at a time


def resubstituted(program: Program, model: CostModel, steps: int, seed: int = 0) -> Program:
    """A program that costs at most as much.

    Args:
        program: to change.
        model: what operations cost; what fusing saves is not seen.
        steps: how many nodes are drawn.
        seed: of what is drawn at random.
    """
    network = (origin := read(program, model)).network
    random = Random(seed)
    cheapest, best = network.cost, list(network.definitions)
    while steps > 0:
        table = PairTable(network, _some_nodes(network, random))
        changes = 0
        nodes = [node for node in table.nodes if not network.definition(node).is_fixed]
        random.shuffle(nodes)
        for node in nodes[:steps]:
            steps -= 1
            if network.uses[node] and _change(network, table, node, random):
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
    leaves = [node for node in nodes if not network.definition(node).operands]
    others = [node for node in nodes if network.definition(node).operands]
    most = max(_MOST_NODES - len(leaves), _MOST_NODES // 2)
    start = random.randrange(max(1, len(others) - most + 1))
    return leaves + others[start : start + most]


def _change(network: Network, table: PairTable, node: int, random: Random) -> bool:
    """Compute a node by another formula, if one is found with which the network costs no more."""
    dependent = network.dependent(node)
    formulas = table.formulas(node, dependent)
    cost = network.cost
    for formula in random.sample(formulas, min(len(formulas), _MOST_TRIED)):
        network.begin()
        if _apply(network, node, formula, dependent) and network.cost <= cost:
            return True
        network.undo()
    return False


def _apply(network: Network, node: int, formula: Formula, dependent: set[int]) -> bool:
    """Compute a node by a formula, if it is one and another than before."""
    operation, left, right, outer, other = formula
    if outer is not None:
        helper = network.helper(operation, left, right)
        if helper >> 1 in dependent or not network.may_need(node, helper >> 1):
            return False
        if operation is Operation.ADD and not network.is_well_conditioned(helper >> 1, left, right):
            return False
        operation, left, right = outer, helper, 2 * other
    definition = network.definition_by(node, operation, left, right)
    if definition is None or definition == network.definition(node):
        return False
    network.define(node, definition)
    return True
