"""Assignment of tasks to cores, with balanced work and few values that cross between cores.

The length of a schedule takes too long to compute in every step of a search. The search therefore
minimises another cost. Time is divided into bands, and in every band the work of the busiest core
is counted. The cost is the sum of this work, plus a fixed amount for every value that one core
sends to another. With a single band, the search solves a problem of graph partitioning. With many
bands, a low cost also requires that the cores are busy at the same time. If a task moves to another
core, the change of the cost depends only on the tasks that exchange values with it.

Large graphs are first coarsened by repeatedly merging pairs of tasks that share values (Hendrickson
and Leland, "A multilevel algorithm for partitioning graphs", Supercomputing 1995). A value that
several tasks need is one net of a hypergraph, because a core receives each value only once
(Catalyurek and Aykanat, "Hypergraph-partitioning-based decomposition for parallel sparse-matrix
vector multiplication", IEEE Transactions on Parallel and Distributed Systems 10(7), 1999).

The tasks of the coarsest graph are assigned by threshold accepting (Dueck and Scheuer, "Threshold
accepting: a general purpose optimization algorithm appearing superior to simulated annealing",
Journal of Computational Physics 90(1), 1990). Simulated annealing needs an exponential function,
whose last bit differs between machines; threshold accepting does not, and divides a program in the
same way on every machine. This assignment is then improved in every graph, from the coarsest to the
finest. Tasks move to cores with which they exchange values, if that lowers the cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from dynagen.codegen.cores.tasks import TaskGraph

# Weight of a value that two nodes share. Whole numbers give the same result on every machine.
_SHARED = 1 << 20


@dataclass(frozen=True)
class Net:
    """Values that one node of a task graph sends to a group of other nodes.

    Attributes:
        giver: index of the node that computes the values.
        takers: indices of the nodes that need the values.
        values: number of values.
    """

    giver: int
    takers: tuple[int, ...]
    values: int


@dataclass(frozen=True)
class Level:
    """Level of coarsening: a graph whose nodes are single tasks or groups of tasks.

    Attributes:
        loads: for every node, its work in each band of time (interval of the schedule): pairs
            (number of the band, steps), in the order of the bands.
        nets: values that nodes send to each other.
        parents: for every node, the number of the node in the next coarser graph that contains it;
            empty for the coarsest graph.
    """

    loads: tuple[tuple[tuple[int, int], ...], ...]
    nets: tuple[Net, ...]
    parents: tuple[int, ...] = ()


def build_levels(graph: TaskGraph, bands: int, fewest: int, most: int) -> list[Level]:
    """Return the graph of tasks, followed by ever coarser graphs of groups of tasks.

    Args:
        graph: task graph; each task is a node of the first returned graph.
        bands: number of bands of time, which contain equal amounts of work.
        fewest: number of nodes at which coarsening stops.
        most: largest total duration of the tasks in a group, in steps.
    """
    places = _band_tasks(graph, bands)
    loads = tuple(((places[position], task.duration),) for position, task in enumerate(graph.tasks))
    nets = tuple(Net(giver, takers, 1) for giver, takers in enumerate(graph.successors) if takers)
    # Every task's successors form one net: a value is sent once to each core.
    levels = [Level(loads, nets)]
    while len(levels[-1].loads) > fewest:
        parents = _pair_nodes(levels[-1], most)
        if 10 * (1 + max(parents)) > 9 * len(parents):  # hardly coarser any more
            break
        # The finer level keeps the parents, to pass the coarser assignment down.
        finer = Level(levels[-1].loads, levels[-1].nets, parents)
        levels[-1:] = [finer, _coarsen(finer)]
    return levels


def _band_tasks(graph: TaskGraph, count: int) -> list[int]:
    """Return, for every task, the number of its band of time, from 0 to `count` - 1.

    Tasks are ordered by the middle between their earliest and their latest start, and divided into
    bands of about equal work.
    """
    middles = [2 * head + slack for head, slack in zip(graph.heads, graph.slacks, strict=True)]
    order: Sequence[int] = sorted(range(len(graph.tasks)), key=lambda task: (middles[task], task))
    before = accumulate((graph.tasks[task].duration for task in order), initial=0)
    bands, work = [0] * len(graph.tasks), max(1, graph.work)
    for task, done in zip(order, before, strict=False):
        bands[task] = done * count // work
    return bands


def _pair_nodes(level: Level, most: int) -> tuple[int, ...]:
    """Return for every node the number of the node that contains it in the next coarser graph.

    A node is a task or a group of tasks; nodes are numbered from 0. Each node is paired with the
    neighbour that has the largest ratio of exchanged values to work. A node without a partner stays
    alone. The work of a group is at most `most` steps.
    """
    sizes = [sum(duration for _, duration in loads) for loads in level.loads]
    common: list[Counter[int]] = [Counter() for _ in level.loads]
    for net in level.nets:
        # A value with many receivers saves less if only one of them is merged.
        share = _SHARED * net.values // len(net.takers)
        for taker in net.takers:
            common[net.giver][taker] += share
            common[taker][net.giver] += share
    partner: dict[int, int] = {}
    # Small nodes first, so that sizes stay similar.
    for node in sorted(range(len(sizes)), key=lambda each: (sizes[each], each)):
        if node in partner:
            continue
        partner[node] = node
        fitting = (
            other
            for other in common[node]
            if other not in partner and sizes[node] + sizes[other] <= most
        )
        best = max(
            fitting,
            key=lambda other: (common[node][other] // max(1, sizes[other]), -other),
            default=node,
        )
        partner[node], partner[best] = best, node
    parents: list[int] = []
    count = 0
    for node in range(len(sizes)):
        is_first = partner[node] >= node
        parents.append(count if is_first else parents[partner[node]])
        count += is_first
    return tuple(parents)


def _coarsen(level: Level) -> Level:
    """Return the next coarser graph, in which some nodes of a graph are joined.

    Nodes with the same number in `level.parents` become one node.
    """
    count = 1 + max(level.parents)
    loads: list[Counter[int]] = [Counter() for _ in range(count)]
    for node, parent in enumerate(level.parents):
        for band, duration in level.loads[node]:
            loads[parent][band] += duration
    nets: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for net in level.nets:
        giver = level.parents[net.giver]
        if takers := tuple(sorted({level.parents[taker] for taker in net.takers} - {giver})):
            nets[giver, takers] += net.values
    return Level(
        tuple(tuple(sorted(each.items())) for each in loads),
        tuple(Net(giver, takers, values) for (giver, takers), values in nets.items()),
    )


_COARSEST = 64  # nodes of the coarsest level, about
_MOVES = 600  # moves for each node of the coarsest level
_WARM, _COLD = 16.0, 0.05  # first and last threshold there, in crossing values
_PASSES = (1.0, 0.5, 0.0, 0.0, 0.0)  # thresholds of the passes on finer levels
_PARTS = 4  # the largest node is a quarter of a core's share


def assign(graph: TaskGraph, cores: int, bands: int, crossing: int) -> tuple[int, ...]:
    """Return the core, from 0, that computes each task of a graph.

    The search reduces a cost. The cost is the work of the busiest core, summed over all bands of
    time, plus `crossing` for each value that a core needs from another core. The result need not be
    optimal, but it is the same on every machine.

    Args:
        graph: task graph with durations in steps.
        cores: number of cores, at least two.
        bands: number of parts of equal work into which the time of the schedule is divided.
        crossing: cost in steps of each value that a core needs from another core.
    """
    random = Random(1)  # only its random() is used: it is the same in all versions of Python
    *finer, coarsest = build_levels(graph, bands, _COARSEST, graph.work // (_PARTS * cores))
    search = _AssignmentSearch(
        coarsest, [int(random.random() * cores) for _ in coarsest.loads], cores, bands, crossing
    )
    # Only the coarsest graph is annealed; finer ones start from its assignment.
    search.anneal(random)
    for level in reversed(finer):
        search = _AssignmentSearch(
            level, [search.places[parent] for parent in level.parents], cores, bands, crossing
        )
        search.refine()
    return tuple(search.places)


class _AssignmentSearch:
    """An assignment of the nodes of a task graph to cores, and the search that improves it.

    `places` holds the number of the core of every node, from 0.
    """

    def __init__(
        self, level: Level, places: list[int], cores: int, bands: int, crossing: int
    ) -> None:
        self.places = places
        self._level, self._cores, self._crossing = level, cores, crossing
        self._loads = [[0] * cores for _ in range(bands)]
        self._given: list[list[int]] = [[] for _ in places]  # nets that begin at every node
        self._taken: list[list[int]] = [[] for _ in places]  # nets that end at every node
        self._takers = [[0] * cores for _ in level.nets]  # receivers of every net on each core
        for node, loads in enumerate(level.loads):
            for band, duration in loads:
                self._loads[band][places[node]] += duration
        for number, net in enumerate(level.nets):
            self._given[net.giver].append(number)
            for taker in net.takers:
                self._taken[taker].append(number)
                self._takers[number][places[taker]] += 1

    def anneal(self, random: Random) -> None:
        """Move random nodes (tasks or groups of tasks) to random cores.

        A move that raises the cost by more than a threshold is undone. The threshold falls during
        the search.
        """
        count = _MOVES * len(self.places)
        for number in range(count):
            node = int(random.random() * len(self.places))
            core = (self.places[node] + 1 + int(random.random() * (self._cores - 1))) % self._cores
            self._try(node, core, _WARM + (_COLD - _WARM) * number / count)

    def refine(self) -> None:
        """Move nodes (tasks or groups of tasks) to cores with which they exchange values.

        A move is kept if it lowers the cost of the assignment. In the first rounds over all nodes,
        small increases of the cost are accepted too.
        """
        for threshold in _PASSES:
            for node in range(len(self.places)):
                for core in self._neighbours(node):
                    self._try(node, core, threshold)

    def _neighbours(self, node: int) -> Sequence[int]:
        """Return the cores with which a node (task or group) exchanges values, except its core."""
        cores = {self.places[self._level.nets[number].giver] for number in self._taken[node]}
        for number in self._given[node]:
            cores |= {core for core, takers in enumerate(self._takers[number]) if takers}
        return sorted(cores - {self.places[node]})

    def _try(self, node: int, core: int, threshold: float) -> None:
        """Move a node (task or group of tasks) to a core.

        The move is undone if the cost of the assignment rises by more than `threshold` times the
        cost of a value that crosses between cores.
        """
        before = self.places[node]
        if self._move(node, core) > threshold * self._crossing:
            self._move(node, before)

    def _move(self, node: int, core: int) -> int:
        """Move a node (task or group of tasks) to a core; return the change of the cost, in steps.

        Cores are numbered from 0.
        """
        before, busiest, crossings = self.places[node], 0, 0
        # A band costs the work of its busiest core.
        for band, duration in self._level.loads[node]:
            load = self._loads[band]
            busiest -= max(load)
            load[before] -= duration
            load[core] += duration
            busiest += max(load)
        nets = self._level.nets
        # The node's own values: they cross to every other core with a receiver.
        for number in self._given[node]:
            takers = self._takers[number]
            crossings += nets[number].values * ((takers[before] > 0) - (takers[core] > 0))
        # Values that it receives: they cross to a core once, for all receivers there.
        for number in self._taken[node]:
            takers, home = self._takers[number], self.places[nets[number].giver]
            crossings -= nets[number].values * (takers[before] == 1 and before != home)
            crossings += nets[number].values * (takers[core] == 0 and core != home)
            takers[before] -= 1
            takers[core] += 1
        self.places[node] = core
        return busiest + self._crossing * crossings
