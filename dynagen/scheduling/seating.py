"""Seating: a processor or unit for every task whose start is known."""

from __future__ import annotations

from collections.abc import Sequence

from dynagen.scheduling.schedule import Placement, Resources
from dynagen.scheduling.tasks import TaskGraph


def seat(graph: TaskGraph, resources: Resources, starts: Sequence[int]) -> tuple[Placement, ...]:
    """Find a processor or unit for every task of known start; there is one if no kind is overloaded at any time.

    In the order of their starts each task takes the one of its kind that has been free for the shortest time, so that chains
    stay where they are.
    """
    free: dict[str, list[tuple[int, int]]] = {kind: [] for kind, _ in resources.counts}
    for number, kind in enumerate(resources.kinds):
        free[kind].append((0, number))
    seats = [0] * len(graph.tasks)
    for position in sorted(range(len(graph.tasks)), key=lambda each: (starts[each], each)):
        task = graph.tasks[position]
        pool = free[resources.kind_for(task)]
        since, number = max((since, -number) for since, number in pool if since <= starts[position])
        pool.remove((since, -number))
        pool.append((starts[position] + resources.occupied(task), -number))
        seats[position] = -number
    return tuple(Placement(task.name, seats[i], starts[i]) for i, task in enumerate(graph.tasks))
