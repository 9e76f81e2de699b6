"""Windows: a few connected nodes computed anew, all that is needed of them together, by a program that is no longer.

A formula for one node (`formula_table`) has two operations and changes nothing else. What two or three nodes gain together,
and what takes three operations, is found in windows: all programs of at most as many operations are enumerated that compute
the same from the same (`exact_synthesis`), or from values that others have computed from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from random import Random
from typing import NamedTuple

from dynagen.network.network import Network
from dynagen.network.node_values import Combination
from dynagen.numbers.exact import Exact
from dynagen.refactoring.exact_synthesis import ShortProgram, short_programs

_NODES = (3, 6)  # of a window, at least and at most
_MOST_LEAVES = 5  # that are no numbers
_MOST_VALUES = 9  # leaves and nodes, where more than one helper is sought: each more takes twice as long
_MOST_DIVISORS = 2
_MOST_HELPERS = 2  # a third takes a hundred times as long
_MOST_TRIED = 3  # programs for a window
_MOST_USERS = 5  # of a leaf that neighbours have in common
_PRIVATE = 3  # how much more often a neighbour is taken that nothing else needs


class Window(NamedTuple):
    """Nodes of a network that are to be computed anew.

    Attributes:
        nodes: sums and products.
        outputs: those that are needed elsewhere too.
        leaves: what nodes are computed from, numbers apart, and divisors: values that are there anyway, computed from these.
        numbers: that nodes are computed from.
        dependent: the nodes, and all that need them; no leaf is among these.
    """

    nodes: Set[int]
    outputs: Sequence[int]
    leaves: Sequence[int]
    numbers: Sequence[int]
    dependent: Set[int]


def draw_window(network: Network, node: int, random: Random) -> Window | None:
    """A window that has grown from a sum or product at random; None if it has become too wide to be searched."""
    nodes = {node: None}
    for _ in range(random.randint(*_NODES) - 1):
        near = [each for each in _neighbours(network, nodes) if each not in nodes and not network.definitions[each].is_fixed]
        if not near:
            return None
        nodes[random.choice(near)] = None
    outputs = [each for each in nodes if network.uses[each] > sum(network.users(each).get(user, 0) for user in nodes)]
    operands = dict.fromkeys(operand >> 1 for each in nodes for operand in network.definitions[each].operands)
    numbers = [each for each in operands if _is_number(network, each)]
    leaves = [each for each in operands if each not in nodes and each not in numbers]
    helpers = len(nodes) - len(outputs)
    if len(leaves) > _MOST_LEAVES or not 0 < helpers <= _MOST_HELPERS + 1:
        return None
    if helpers > 1 and len(leaves) + len(nodes) > _MOST_VALUES:
        return None
    dependent = network.dependent(*nodes)
    if not dependent.isdisjoint(leaves):
        return None
    divisors = [each for each in _computed_from(network, leaves, numbers) if each not in dependent]
    leaves += random.sample(divisors, min(len(divisors), _MOST_DIVISORS))
    return Window(nodes.keys(), outputs, leaves, numbers, dependent)


def rearrange(network: Network, window: Window, random: Random) -> bool:
    """Compute a window by another program, if one is found with which the network costs no more; with three helpers, less."""

    def residues(nodes: Iterable[int]) -> list[int]:
        return [int(network.values.residues[node, 0]) for node in nodes]

    helpers = min(_MOST_HELPERS, len(window.nodes) - len(window.outputs))
    programs = short_programs(residues(window.numbers), residues(window.leaves), residues(window.outputs), helpers)
    now = set(residues(window.nodes))
    others = [each for each in programs if now != {each.values[place] for place in each.steps}]
    random.shuffle(others)
    cost = network.cost
    for program in sorted(others, key=lambda each: len(each.steps))[:_MOST_TRIED]:
        network.begin()
        if _apply(network, window, program) and network.cost <= cost:
            return True
        network.undo()
    return False


def _apply(network: Network, window: Window, program: ShortProgram) -> bool:
    """Compute the nodes of a window by a program, if all of it may be computed so."""
    known = {int(network.values.residues[node, 0]): node for node in (*window.leaves, *window.numbers)}
    nodes: list[int] = []
    for place, value in enumerate(program.values):
        if place not in program.steps:
            nodes.append(known[value])
            continue
        operation, left, right, is_difference = program.steps[place]
        combination = Combination(operation, 2 * nodes[left], 2 * nodes[right] + is_difference)
        node = network.helper(combination) >> 1
        nodes.append(node)
        if node in window.nodes:
            definition = network.definition_by(node, combination)
            if definition is None or not all(network.may_need(node, nodes[operand]) for operand in (left, right)):
                return False
            network.define(node, definition)
        elif node in window.dependent or not (network.uses[node] or _may_compute(network, node, combination)):
            return False
    return True


def _may_compute(network: Network, node: int, combination: Combination) -> bool:
    return not network.definitions[node].is_fixed and network.is_well_conditioned(node, combination)


def _neighbours(network: Network, nodes: Iterable[int]) -> list[int]:
    """What nodes are computed from, what needs them, and what else needs the same leaves."""
    near: list[int] = []
    for node in nodes:
        for operand in network.definitions[node].operands:
            other = operand >> 1
            near += [other] * (_PRIVATE if network.uses[other] == 1 else 1)
            if not _is_number(network, other) and len(network.users(other)) <= _MOST_USERS:
                near += network.users(other)
        near += [*network.users(node)] * (_PRIVATE if network.uses[node] == 1 else 1)
    return near


def _computed_from(network: Network, leaves: Iterable[int], numbers: Iterable[int]) -> list[int]:
    """What is there that one operation computes from leaves and numbers."""
    known = {*leaves, *numbers}
    users = dict.fromkeys(user for leaf in leaves for user in network.users(leaf) if user not in known)
    return [user for user in users if known.issuperset(operand >> 1 for operand in network.definitions[user].operands)]


def _is_number(network: Network, node: int) -> bool:
    return isinstance(network.definitions[node].payload, Exact)
