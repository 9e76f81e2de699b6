"""Exact synthesis: the shortest programs that compute a few connected values (a window).

Resubstitution (`resubstitution`) changes how one value (node of a value graph) is computed, by a
formula of at most two operations. Resynthesis windows find savings that require changes of two or
three nodes, or definitions with three operations. A window has leaves, which are operands outside
the window, and outputs, which are needed outside. The search enumerates the programs, up to a
certain length, that compute the outputs from the leaves.

A helper is a computed value that is not an output. An output that one operation can compute is
computed at once, because no program that begins differently is shorter. Therefore the search only
enumerates helpers. The last helper is found by meeting in the middle, as the difference, sum or
ratio of a missing output and an existing value.

Values are identified by their residues modulo a 32-bit prime at one random point, up to their
signs. Residues replace the truth tables of logic synthesis (Riener, Mishchenko and Soeken, "Exact
DAG-Aware Rewriting", DATE 2020). Because different values may have equal residues at one point,
about one in millions of found programs is wrong; `resynthesize` compares residues at all points
before it accepts a program.

    p = x*y;  q = x*z;  r = y*u + z*v;  w = x*r     p, q and w are outputs; 6 operations
    ->  p = x*y;  q = x*z;  w = p*u + q*v           with leaves p, q, u, v; 5 operations
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
_DIFFERENCE = 1  # index of the difference in `_OPERATIONS`


class SynthesisStep(NamedTuple):
    """A sum, difference or product of two values.

    Attributes:
        operation: ADD or MULTIPLY.
        left, right: indices in `ShortProgram.values` of the two operands.
        is_difference: whether the right operand is subtracted.
    """

    operation: Operation
    left: int
    right: int
    is_difference: bool = False


class ShortProgram:
    """A short program under construction, in which residues at one random point identify values.

    Attributes:
        values: residues of leaves and computed values, in the order of computation.
        steps: mapping from the index of each computed value to its operation and operands.
    """

    def __init__(self, missing: Sequence[int]) -> None:
        """Create an empty program.

        Args:
            missing: outputs that the program has to compute, identified by their residues modulo a
                prime.
        """
        self.values: list[int] = []
        self.steps: dict[int, SynthesisStep] = {}
        self._reachable: dict[int, SynthesisStep] = {}  # values that one operation gives
        self._missing = list(missing)

    @property
    def is_complete(self) -> bool:
        """Whether the short program computes all outputs."""
        return not self._missing

    def list_helpers(self) -> list[int]:
        """Return residues of all new values that one operation computes from existing values."""
        return [value for value in self._reachable if value not in self.values]

    def find_last_helpers(self) -> dict[int, None]:
        """Return the possible helpers after which one more operation can compute an output.

        A helper is a new value that one operation computes from existing values.

        Returns:
            A dictionary that serves as an ordered set; its keys are residues of the helpers.
        """
        found: dict[int, None] = {}
        # A value may be zero, which has no inverse.
        inverses = [(value, pow(value, -1, _PRIME)) for value in self.values if value]
        for target in self._missing:
            # The target may be twice the helper, or its square. As -1 is not a square modulo the
            # prime, either the target or its opposite has this root.
            wanted = [target * _HALF, pow(target, (_PRIME + 1) // 4, _PRIME)]
            for value, inverse in inverses:
                wanted += (target - value, target + value, target * inverse)
            found |= dict.fromkeys(
                helper for helper in map(_drop_sign, wanted) if helper in self._reachable
            )
        return found

    def copy_with_helper(self, value: int) -> ShortProgram:
        """Return a copy of the program with one more computed value.

        Outputs that one operation can then compute are added too.

        Args:
            value: residue of the value, which one operation computes from existing values.
        """
        longer = ShortProgram(self._missing)
        longer.values, longer.steps = self.values.copy(), self.steps.copy()
        longer._reachable = self._reachable.copy()
        longer._compute([value])
        return longer

    def add_number(self, value: int) -> None:
        """Add the residue of a number as a leaf; operations on two numbers are not considered."""
        self.values.append(value)

    def add_leaf(self, value: int) -> None:
        """Add the residue of a leaf, and compute all outputs that are then one operation away."""
        self._compute(self._append(value))

    def _compute(self, values: list[int]) -> None:
        """Compute each of the given values by one operation.

        An output is computed too as soon as one operation can compute it from existing values.
        """
        while values:
            value = values.pop()
            self.steps[len(self.values)] = self._reachable[value]
            values += self._append(value)

    def _append(self, value: int) -> list[int]:
        """Append a value's residue; return the outputs that one operation can then compute.

        These outputs are no longer missing; the caller has to compute them.
        """
        place, outputs = len(self.values), []
        self.values.append(value)
        for other, operand in enumerate(self.values):
            for kind, residue in enumerate((operand + value, operand - value, operand * value)):
                result = _drop_sign(residue)
                if result and result not in self._reachable:
                    self._reachable[result] = SynthesisStep(
                        _OPERATIONS[kind], other, place, kind == _DIFFERENCE
                    )
                    if result in self._missing:
                        # The output is computed at once: no shorter program leaves it for later.
                        self._missing.remove(result)
                        outputs.append(result)
        return outputs


def enumerate_programs(
    numbers: Sequence[int], leaves: Sequence[int], outputs: Sequence[int], helpers: int
) -> Iterator[ShortProgram]:
    """Yield programs that compute outputs from leaves by sums, differences and products.

    Values are identified by residues at one random point.

    Args:
        numbers: residues of leaves that are constants; operations on two constants are not
            considered.
        leaves: residues of the other leaves.
        outputs: residues of the outputs.
        helpers: the largest number of computed values that are not outputs; all sets of such values
            are tried.
    """
    program = ShortProgram(outputs)
    for number in numbers:
        program.add_number(number)
    for leaf in leaves:
        program.add_leaf(leaf)
    yield from _complete(program, helpers)


def _complete(program: ShortProgram, helpers: int) -> Iterator[ShortProgram]:
    """Yield completions of `program` that compute all outputs.

    They compute at most `helpers` further values that are not outputs.
    """
    if program.is_complete:
        yield program
    elif helpers:
        # The last helper must complete the program, so only helpers near an uncomputed output are
        # tried.
        for helper in program.find_last_helpers() if helpers == 1 else program.list_helpers():
            yield from _complete(program.copy_with_helper(helper), helpers - 1)


def _drop_sign(residue: int) -> int:
    """Return the smaller of a residue and its opposite, modulo the 32-bit prime."""
    residue %= _PRIME
    return residue if residue < _HALF else _PRIME - residue


_WINDOW_NODES = (3, 6)  # least and most nodes of a window
_MOST_LEAVES = 5  # without numbers
# Leaves and nodes of a window with more than one helper; each more doubles the time.
_MOST_VALUES = 9
_MOST_DIVISORS = 2  # of a window, drawn at random
_MOST_HELPERS = 2  # a third one takes a hundred times as long
_MOST_PROGRAMS_TRIED = 3  # per window
_MOST_USERS = 5  # of a leaf, if its users are to be neighbours
_PRIVATE_WEIGHT = 3  # of a neighbour with a single use, which may disappear


class ResynthesisWindow(NamedTuple):
    """Connected nodes of a value graph that another program may replace.

    Attributes:
        nodes: indices of the sums and products in the window.
        outputs: nodes of the window that are needed outside it.
        leaves: operands that are neither in the window nor constants, and a few existing nodes that
            one operation computes from such operands and constants.
        numbers: operands that are constants.
        dependents: the nodes of the window and all nodes that depend on them; no leaf is among the
            dependents.
    """

    nodes: Set[int]
    outputs: Sequence[int]
    leaves: Sequence[int]
    numbers: Sequence[int]
    dependents: Set[int]


def draw_window(graph: ValueGraph, node: int, random: Random) -> ResynthesisWindow | None:
    """Draw a window of connected nodes that grows at random from a sum or product.

    Args:
        graph: the value graph.
        node: index of the node, which is a sum or product.
        random: the source of randomness.

    Returns:
        The window; None if a search for shorter programs is not possible or takes too long.
    """
    nodes = {node: None}
    for _ in range(random.randint(*_WINDOW_NODES) - 1):
        near = [
            neighbour
            for neighbour in _list_neighbours(graph, nodes)
            if neighbour not in nodes and not graph.definitions[neighbour].is_fixed
        ]
        if not near:
            return None
        nodes[random.choice(near)] = None
    outputs = [
        member
        for member in nodes
        if graph.uses[member] > sum(graph.find_users(member).get(user, 0) for user in nodes)
    ]
    operands = dict.fromkeys(
        operand >> 1 for member in nodes for operand in graph.definitions[member].operands
    )
    numbers = [operand for operand in operands if _is_number(graph, operand)]
    leaves = [operand for operand in operands if operand not in nodes and operand not in numbers]
    # Only inner nodes can be saved or exchanged; without them no search is possible.
    helpers = len(nodes) - len(outputs)
    if len(leaves) > _MOST_LEAVES or not 0 < helpers <= _MOST_HELPERS + 1:
        return None
    if helpers > 1 and len(leaves) + len(nodes) > _MOST_VALUES:
        return None
    dependents = graph.find_dependents(*nodes)
    # A leaf that depends on the window would make the graph circular.
    if not dependents.isdisjoint(leaves):
        return None
    divisors = [
        value for value in _find_divisors(graph, leaves, numbers) if value not in dependents
    ]
    leaves += random.sample(divisors, min(len(divisors), _MOST_DIVISORS))
    return ResynthesisWindow(nodes.keys(), outputs, leaves, numbers, dependents)


def resynthesize(graph: ValueGraph, window: ResynthesisWindow, random: Random) -> bool:
    """Replace the nodes of a window by another program if the cost does not rise.

    For a window with three inner nodes (nodes that are needed only inside the window), only shorter
    programs are searched.

    Args:
        graph: the value graph.
        window: the nodes to replace.
        random: the source of randomness; equally short programs are tried in random order.

    Returns:
        Whether the window has changed.
    """

    def residues(nodes: Iterable[int]) -> list[int]:
        return [int(graph.values.residues[node, 0]) for node in nodes]

    helpers = min(_MOST_HELPERS, len(window.nodes) - len(window.outputs))
    programs = enumerate_programs(
        residues(window.numbers), residues(window.leaves), residues(window.outputs), helpers
    )
    now = set(residues(window.nodes))
    # The present program computes the same values; all others are candidates.
    others = [
        program for program in programs if now != {program.values[place] for place in program.steps}
    ]
    # Shortest first; equally short ones in random order, so that plateaus are explored.
    random.shuffle(others)
    cost = graph.cost
    for program in sorted(others, key=lambda program: len(program.steps))[:_MOST_PROGRAMS_TRIED]:
        graph.begin()
        if _apply_program(graph, window, program) and graph.cost <= cost:
            return True
        graph.roll_back()
    return False


def _apply_program(graph: ValueGraph, window: ResynthesisWindow, program: ShortProgram) -> bool:
    """Redefine the nodes of a window by a short program; return whether that is allowed.

    The caller has to undo the changes if the result is False.
    """
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
        # A node of the window is redefined; any other value has to exist or be a new helper.
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
    """Return whether a sum or product of two literals may define a node that no result needs.

    A sum must not be much smaller than its terms.
    """
    return not graph.definitions[node].is_fixed and graph.is_well_conditioned(node, combination)


def _list_neighbours(graph: ValueGraph, nodes: Iterable[int]) -> list[int]:
    """Return operands and users of nodes, and other users of these operands.

    A node may occur several times in the list; it is then more likely to be drawn.
    """
    near: list[int] = []
    for node in nodes:
        for operand in graph.definitions[node].operands:
            other = operand >> 1
            # Private neighbours are likelier: they disappear if the window no longer needs them.
            near += [other] * (_PRIVATE_WEIGHT if graph.uses[other] == 1 else 1)
            if not _is_number(graph, other) and len(graph.find_users(other)) <= _MOST_USERS:
                near += graph.find_users(other)
        near += [*graph.find_users(node)] * (_PRIVATE_WEIGHT if graph.uses[node] == 1 else 1)
    return near


def _find_divisors(graph: ValueGraph, leaves: Iterable[int], numbers: Iterable[int]) -> list[int]:
    """Return existing nodes whose operands are all among some leaves and constants."""
    known = {*leaves, *numbers}
    users = dict.fromkeys(
        user for leaf in leaves for user in graph.find_users(leaf) if user not in known
    )
    return [
        user
        for user in users
        if known.issuperset(operand >> 1 for operand in graph.definitions[user].operands)
    ]


def _is_number(graph: ValueGraph, node: int) -> bool:
    """Return whether a node is a constant."""
    return isinstance(graph.definitions[node].payload, Exact)
