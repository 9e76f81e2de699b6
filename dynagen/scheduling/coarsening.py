"""Coarsening: tasks that share values are joined in pairs, again and again, so that a large graph is searched as a small one.

B. Hendrickson, R. Leland, "A multilevel algorithm for partitioning graphs", Supercomputing 1995. Values that one task gives to
several others are one net, because whoever hands them on hands them on once (as in U. Catalyurek, C. Aykanat,
"Hypergraph-partitioning-based decomposition for parallel sparse-matrix vector multiplication", IEEE Trans. Parallel and
Distributed Systems 10(7), 1999).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from dynagen.scheduling.tasks import TaskGraph

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
