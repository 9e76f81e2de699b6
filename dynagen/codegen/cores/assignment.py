"""Assignment of tasks to cores: work is balanced all the time and few values cross; large graphs are coarsened first.

Coarsening: tasks that share values are joined in pairs, again and again, so that a large graph is searched as a small one.

B. Hendrickson, R. Leland, "A multilevel algorithm for partitioning graphs", Supercomputing 1995. Values that one task gives to
several others are one net, because whoever hands them on hands them on once (as in U. Catalyurek, C. Aykanat,
"Hypergraph-partitioning-based decomposition for parallel sparse-matrix vector multiplication", IEEE Trans. Parallel and
Distributed Systems 10(7), 1999).

Assignment: a core for every task, such that work is balanced all the time and few values cross.

What a schedule really takes is too slow to ask at every step of a search. Asked instead is what it takes at least if time is
cut into bands: in each the work of its busiest core, and something for every value that crosses. With a single band this is
graph partitioning; with many, cores have to be busy at the same time. What a move of one node changes of it is seen from its
neighbours alone.

The coarsest graph is assigned by threshold accepting (G. Dueck, T. Scheuer, "Threshold accepting: a general purpose
optimization algorithm appearing superior to simulated annealing", J. Computational Physics 90(1), 1990), which needs no
exponential function: its last bit differs between machines, and the same program is to be divided alike everywhere. On each
finer graph the nodes whose values cross are tried elsewhere, in a few passes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from dynagen.codegen.cores.tasks import TaskGraph

_SHARED = (
    1 << 20
)  # what a value counts that is shared by two nodes; whole numbers come out alike everywhere


@dataclass(frozen=True)
class Net:
    """Values that have the same giver and the same takers, all of them nodes."""

    giver: int
    takers: tuple[int, ...]
    values: int


@dataclass(frozen=True)
class Level:
    """A graph of nodes, each of which stands for one task or several.

    Attributes:
        loads: work of every node: (band of time, duration) in ascending order of bands.
        nets: values that pass between nodes.
        parents: of every node, the one that it is part of in the next coarser level; empty in the coarsest.
    """

    loads: tuple[tuple[tuple[int, int], ...], ...]
    nets: tuple[Net, ...]
    parents: tuple[int, ...] = ()


def levels_of(graph: TaskGraph, bands: int, fewest: int, most: int) -> list[Level]:
    """A graph of tasks, and ever coarser ones, the coarsest last.

    Args:
        graph: tasks, each of which is a node of the first level.
        bands: in how many parts of equal work time is cut.
        fewest: nodes below which it need not become coarser.
        most: work that a node may have that is made of others.
    """
    places = _bands(graph, bands)
    loads = tuple(((places[position], task.duration),) for position, task in enumerate(graph.tasks))
    nets = tuple(Net(giver, takers, 1) for giver, takers in enumerate(graph.successors) if takers)
    levels = [Level(loads, nets)]
    while len(levels[-1].loads) > fewest:
        parents = _pairs(levels[-1], most)
        if 10 * (1 + max(parents)) > 9 * len(parents):
            break
        finer = Level(levels[-1].loads, levels[-1].nets, parents)
        levels[-1:] = [finer, _joined(finer)]
    return levels


def _bands(graph: TaskGraph, count: int) -> list[int]:
    """Band of every task: halfway between its earliest and its latest start, bands of equal work."""
    middles = [2 * head + slack for head, slack in zip(graph.heads, graph.slacks, strict=True)]
    order: Sequence[int] = sorted(range(len(graph.tasks)), key=lambda task: (middles[task], task))
    before = accumulate((graph.tasks[task].duration for task in order), initial=0)
    bands, work = [0] * len(graph.tasks), max(1, graph.work)
    for task, done in zip(order, before, strict=False):
        bands[task] = done * count // work
    return bands


def _pairs(level: Level, most: int) -> tuple[int, ...]:
    """For every node a parent, which it shares with the node that it has most values in common with for that one's size."""
    sizes = [sum(duration for _, duration in loads) for loads in level.loads]
    common: list[Counter[int]] = [Counter() for _ in level.loads]
    for net in level.nets:
        share = _SHARED * net.values // len(net.takers)
        for taker in net.takers:
            common[net.giver][taker] += share
            common[taker][net.giver] += share
    partner: dict[int, int] = {}
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


def _joined(level: Level) -> Level:
    """The next coarser level."""
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


_COARSEST = 64
_MOVES = 600  # for each node of the coarsest level
_WARM, _COLD = 16.0, 0.05  # thresholds there, in crossing values
_PASSES = (1.0, 0.5, 0.0, 0.0, 0.0)  # thresholds on finer levels
_PARTS = 4  # of a core's share: the largest node


def assign(graph: TaskGraph, cores: int, bands: int, crossing: int) -> tuple[int, ...]:
    """A core for every task.

    Args:
        graph: tasks.
        cores: how many there are, at least two.
        bands: in how many parts of equal work time is cut.
        crossing: what it costs that another core needs a value, in steps of the graph.
    """
    random = Random(1)  # only its random(), which is the same in all versions
    *finer, coarsest = levels_of(graph, bands, _COARSEST, graph.work // (_PARTS * cores))
    search = _Search(
        coarsest, [int(random.random() * cores) for _ in coarsest.loads], cores, bands, crossing
    )
    search.anneal(random)
    for level in reversed(finer):
        search = _Search(
            level, [search.places[parent] for parent in level.parents], cores, bands, crossing
        )
        search.refine()
    return tuple(search.places)


class _Search:
    """An assignment that is being improved.

    Attributes:
        places: core of every node.
    """

    def __init__(
        self, level: Level, places: list[int], cores: int, bands: int, crossing: int
    ) -> None:
        self.places = places
        self._level, self._cores, self._crossing = level, cores, crossing
        self._loads = [[0] * cores for _ in range(bands)]
        self._given: list[list[int]] = [[] for _ in places]  # nets of every node
        self._taken: list[list[int]] = [[] for _ in places]
        self._takers = [
            [0] * cores for _ in level.nets
        ]  # of every net: how many of its takers are on each core
        for node, loads in enumerate(level.loads):
            for band, duration in loads:
                self._loads[band][places[node]] += duration
        for number, net in enumerate(level.nets):
            self._given[net.giver].append(number)
            for taker in net.takers:
                self._taken[taker].append(number)
                self._takers[number][places[taker]] += 1

    def anneal(self, random: Random) -> None:
        """Move random nodes, first also if that costs something, in the end only if it costs next to nothing."""
        count = _MOVES * len(self.places)
        for number in range(count):
            node = int(random.random() * len(self.places))
            core = (self.places[node] + 1 + int(random.random() * (self._cores - 1))) % self._cores
            self._try(node, core, _WARM + (_COLD - _WARM) * number / count)

    def refine(self) -> None:
        """Try every node at a border on the other cores that it shares values with, in a few passes."""
        for threshold in _PASSES:
            for node in range(len(self.places)):
                for core in self._neighbours(node):
                    self._try(node, core, threshold)

    def _neighbours(self, node: int) -> Sequence[int]:
        """The other cores with which a node shares values."""
        cores = {self.places[self._level.nets[number].giver] for number in self._taken[node]}
        for number in self._given[node]:
            cores |= {core for core, takers in enumerate(self._takers[number]) if takers}
        return sorted(cores - {self.places[node]})

    def _try(self, node: int, core: int, threshold: float) -> None:
        before = self.places[node]
        if self._move(node, core) > threshold * self._crossing:
            self._move(node, before)

    def _move(self, node: int, core: int) -> int:
        """Move a node; returns what it costs more."""
        before, busiest, crossings = self.places[node], 0, 0
        for band, duration in self._level.loads[node]:
            load = self._loads[band]
            busiest -= max(load)
            load[before] -= duration
            load[core] += duration
            busiest += max(load)
        nets = self._level.nets
        for number in self._given[node]:
            takers = self._takers[number]
            crossings += nets[number].values * ((takers[before] > 0) - (takers[core] > 0))
        for number in self._taken[node]:
            takers, home = self._takers[number], self.places[nets[number].giver]
            crossings -= nets[number].values * (takers[before] == 1 and before != home)
            crossings += nets[number].values * (takers[core] == 0 and core != home)
            takers[before] -= 1
            takers[core] += 1
        self.places[node] = core
        return busiest + self._crossing * crossings
