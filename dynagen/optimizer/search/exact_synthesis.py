"""Exact synthesis: windows of a few connected nodes computed by the shortest equivalent program.

Exact synthesis: the shortest programs that compute a few values from a few others, found by enumeration.

What is computed besides the values that are asked for are helpers. A value that is asked for and within reach of one operation
is computed at once: it has to be computed in any case, and no program that begins otherwise is shorter. So only helpers are
enumerated; and of these the last is found by meeting in the middle, as what is missing between a value that is asked for and
one that is there. With two helpers that is some hundred sets of values, of twenty look-ups each.

Values are residues at one point of the narrow field, up to their signs, as the functions of exact synthesis for logic networks
are truth tables (H. Riener, A. Mishchenko, M. Soeken, "Exact DAG-Aware Rewriting", DATE 2020). That two which differ are taken
for the same happens once in millions of programs: whoever takes a program compares its values at the other points.

Windows: a few connected nodes computed anew, all that is needed of them together, by a program that is no longer.

A formula for one node (`formula_table`) has two operations and changes nothing else. What two or three nodes gain together,
and what takes three operations, is found in windows: all programs of at most as many operations are enumerated that compute
the same from the same (`exact_synthesis`), or from values that others have computed from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from random import Random
from typing import NamedTuple

from dynagen.ir.fingerprints import NARROW_FIELD
from dynagen.ir.operation import Operation
from dynagen.numbers.exact import Exact
from dynagen.optimizer.node_values import Combination
from dynagen.optimizer.value_graph import ValueGraph

_PRIME = NARROW_FIELD.prime
_HALF = (_PRIME + 1) // 2
_OPERATIONS = (Operation.ADD, Operation.ADD, Operation.MULTIPLY)
_DIFFERENCE = 1  # the second of them


class SynthesisStep(NamedTuple):
    """A sum or product of two values, by their places; with the opposite of the second, a difference."""

    operation: Operation
    left: int
    right: int
    is_difference: bool = False


class ShortProgram:
    """A program that grows.

    Attributes:
        values: residues of what it begins with and of what its steps compute, in the order of computation.
        steps: of the values that are computed, by their places.
    """

    def __init__(self, missing: Sequence[int]) -> None:
        """An empty program.

        Args:
            missing: residues of what it is to compute.
        """
        self.values: list[int] = []
        self.steps: dict[int, SynthesisStep] = {}
        self._reachable: dict[int, SynthesisStep] = {}  # values that one operation gives
        self._missing = list(missing)

    @property
    def is_complete(self) -> bool:
        """Whether it computes all that it is to compute."""
        return not self._missing

    def list_helpers(self) -> list[int]:
        """Values that may be computed next."""
        return [value for value in self._reachable if value not in self.values]

    def find_last_helpers(self) -> dict[int, None]:
        """Those with which one of the missing values comes within reach."""
        found: dict[int, None] = {}
        inverses = [
            (value, pow(value, -1, _PRIME)) for value in self.values if value
        ]  # a result may be zero
        for target in self._missing:
            # Twice a helper, or its square: as -1 is no square, one of a target and its opposite has this root.
            wanted = [target * _HALF, pow(target, (_PRIME + 1) // 4, _PRIME)]
            for value, inverse in inverses:
                wanted += (target - value, target + value, target * inverse)
            found |= dict.fromkeys(
                helper for helper in map(_drop_sign, wanted) if helper in self._reachable
            )
        return found

    def copy_with_helper(self, value: int) -> ShortProgram:
        """A copy that computes one more value that is within reach."""
        longer = ShortProgram(self._missing)
        longer.values, longer.steps = self.values.copy(), self.steps.copy()
        longer._reachable = self._reachable.copy()
        longer._compute([value])
        return longer

    def add_number(self, value: int) -> None:
        """Begin with a number; operations on numbers alone are of no use."""
        self.values.append(value)

    def add_leaf(self, value: int) -> None:
        """Begin with a value, and compute all missing ones that come within reach by it."""
        self._compute(self._append(value))

    def _compute(self, values: list[int]) -> None:
        """Compute values that are within reach, and all missing ones that come within reach by them."""
        while values:
            value = values.pop()
            self.steps[len(self.values)] = self._reachable[value]
            values += self._append(value)

    def _append(self, value: int) -> list[int]:
        """Append a value; the missing ones that come within reach by it."""
        place, met = len(self.values), []
        self.values.append(value)
        for other, operand in enumerate(self.values):
            for kind, residue in enumerate((operand + value, operand - value, operand * value)):
                result = _drop_sign(residue)
                if result and result not in self._reachable:
                    self._reachable[result] = SynthesisStep(
                        _OPERATIONS[kind], other, place, kind == _DIFFERENCE
                    )
                    if result in self._missing:
                        self._missing.remove(result)
                        met.append(result)
        return met


def enumerate_programs(
    numbers: Sequence[int], leaves: Sequence[int], outputs: Sequence[int], helpers: int
) -> Iterator[ShortProgram]:
    """Programs that compute outputs, with that many helpers at most; all sets of helpers are looked at.

    Args:
        numbers: residues of numbers, which are not combined with each other.
        leaves: residues of other values that are there.
        outputs: residues of what is to be computed.
        helpers: how many values may be computed besides.
    """
    program = ShortProgram(outputs)
    for number in numbers:
        program.add_number(number)
    for leaf in leaves:
        program.add_leaf(leaf)
    yield from _complete(program, helpers)


def _complete(program: ShortProgram, helpers: int) -> Iterator[ShortProgram]:
    if program.is_complete:
        yield program
    elif helpers:
        for helper in program.find_last_helpers() if helpers == 1 else program.list_helpers():
            yield from _complete(program.copy_with_helper(helper), helpers - 1)


def _drop_sign(residue: int) -> int:
    """The smaller of a residue and its opposite."""
    residue %= _PRIME
    return residue if residue < _HALF else _PRIME - residue


_WINDOW_NODES = (3, 6)  # of a window, at least and at most
_MOST_LEAVES = 5  # that are no numbers
_MOST_VALUES = (
    9  # leaves and nodes, where more than one helper is sought: each more takes twice as long
)
_MOST_DIVISORS = 2
_MOST_HELPERS = 2  # a third takes a hundred times as long
_MOST_PROGRAMS_TRIED = 3  # programs for a window
_MOST_USERS = 5  # of a leaf that neighbours have in common
_PRIVATE = 3  # how much more often a neighbour is taken that nothing else needs


class ResynthesisWindow(NamedTuple):
    """Nodes of a graph that are to be computed anew.

    Attributes:
        nodes: sums and products.
        outputs: those that are needed elsewhere too.
        leaves: what nodes are computed from, numbers apart, and divisors: values that are there anyway, computed from these.
        numbers: that nodes are computed from.
        dependents: the nodes, and all that need them; no leaf is among these.
    """

    nodes: Set[int]
    outputs: Sequence[int]
    leaves: Sequence[int]
    numbers: Sequence[int]
    dependents: Set[int]


def draw_window(graph: ValueGraph, node: int, random: Random) -> ResynthesisWindow | None:
    """A window that has grown from a sum or product at random; None if it has become too wide to be searched."""
    nodes = {node: None}
    for _ in range(random.randint(*_WINDOW_NODES) - 1):
        near = [
            each
            for each in _list_neighbours(graph, nodes)
            if each not in nodes and not graph.definitions[each].is_fixed
        ]
        if not near:
            return None
        nodes[random.choice(near)] = None
    outputs = [
        each
        for each in nodes
        if graph.uses[each] > sum(graph.users(each).get(user, 0) for user in nodes)
    ]
    operands = dict.fromkeys(
        operand >> 1 for each in nodes for operand in graph.definitions[each].operands
    )
    numbers = [each for each in operands if _is_number(graph, each)]
    leaves = [each for each in operands if each not in nodes and each not in numbers]
    helpers = len(nodes) - len(outputs)
    if len(leaves) > _MOST_LEAVES or not 0 < helpers <= _MOST_HELPERS + 1:
        return None
    if helpers > 1 and len(leaves) + len(nodes) > _MOST_VALUES:
        return None
    dependents = graph.find_dependents(*nodes)
    if not dependents.isdisjoint(leaves):
        return None
    divisors = [each for each in _find_divisors(graph, leaves, numbers) if each not in dependents]
    leaves += random.sample(divisors, min(len(divisors), _MOST_DIVISORS))
    return ResynthesisWindow(nodes.keys(), outputs, leaves, numbers, dependents)


def resynthesize(graph: ValueGraph, window: ResynthesisWindow, random: Random) -> bool:
    """Compute a window by another program, if one is found with which the graph costs no more; with three helpers, less."""

    def residues(nodes: Iterable[int]) -> list[int]:
        return [int(graph.values.residues[node, 0]) for node in nodes]

    helpers = min(_MOST_HELPERS, len(window.nodes) - len(window.outputs))
    programs = enumerate_programs(
        residues(window.numbers), residues(window.leaves), residues(window.outputs), helpers
    )
    now = set(residues(window.nodes))
    others = [each for each in programs if now != {each.values[place] for place in each.steps}]
    random.shuffle(others)
    cost = graph.cost
    for program in sorted(others, key=lambda each: len(each.steps))[:_MOST_PROGRAMS_TRIED]:
        graph.begin()
        if _apply_program(graph, window, program) and graph.cost <= cost:
            return True
        graph.roll_back()
    return False


def _apply_program(graph: ValueGraph, window: ResynthesisWindow, program: ShortProgram) -> bool:
    """Compute the nodes of a window by a program, if all of it may be computed so."""
    known = {
        int(graph.values.residues[node, 0]): node for node in (*window.leaves, *window.numbers)
    }
    nodes: list[int] = []
    for place, value in enumerate(program.values):
        if place not in program.steps:
            nodes.append(known[value])
            continue
        operation, left, right, is_difference = program.steps[place]
        combination = Combination(operation, 2 * nodes[left], 2 * nodes[right] + is_difference)
        node = graph.add_helper(combination) >> 1
        nodes.append(node)
        if node in window.nodes:
            definition = graph.find_definition(node, combination)
            if definition is None or not all(
                graph.may_depend_on(node, nodes[operand]) for operand in (left, right)
            ):
                return False
            graph.define(node, definition)
        elif node in window.dependents or not (
            graph.uses[node] or _may_add_node(graph, node, combination)
        ):
            return False
    return True


def _may_add_node(graph: ValueGraph, node: int, combination: Combination) -> bool:
    return not graph.definitions[node].is_fixed and graph.is_well_conditioned(node, combination)


def _list_neighbours(graph: ValueGraph, nodes: Iterable[int]) -> list[int]:
    """What nodes are computed from, what needs them, and what else needs the same leaves."""
    near: list[int] = []
    for node in nodes:
        for operand in graph.definitions[node].operands:
            other = operand >> 1
            near += [other] * (_PRIVATE if graph.uses[other] == 1 else 1)
            if not _is_number(graph, other) and len(graph.users(other)) <= _MOST_USERS:
                near += graph.users(other)
        near += [*graph.users(node)] * (_PRIVATE if graph.uses[node] == 1 else 1)
    return near


def _find_divisors(graph: ValueGraph, leaves: Iterable[int], numbers: Iterable[int]) -> list[int]:
    """What is there that one operation computes from leaves and numbers."""
    known = {*leaves, *numbers}
    users = dict.fromkeys(
        user for leaf in leaves for user in graph.users(leaf) if user not in known
    )
    return [
        user
        for user in users
        if known.issuperset(operand >> 1 for operand in graph.definitions[user].operands)
    ]


def _is_number(graph: ValueGraph, node: int) -> bool:
    return isinstance(graph.definitions[node].payload, Exact)
