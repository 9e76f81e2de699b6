"""Task graphs for tests: random ones, and the shortest schedules of small ones, found by trying
everything.
"""

from __future__ import annotations

from itertools import permutations, product

from hypothesis import strategies as st

from dynagen.codegen.cores.schedule import Resources
from dynagen.codegen.cores.tasks import Task, TaskGraph


def graph_of(*tasks: tuple[int, tuple[int, ...]], kinds: str = "") -> TaskGraph:
    """A graph from durations and predecessors; kinds by the letters m and a."""
    names = {"m": "mul", "a": "add"}
    return TaskGraph(
        "test",
        tuple(
            Task(
                f"T{i}", duration, before, (1,) * len(before), kind=names[kinds[i]] if kinds else ""
            )
            for i, (duration, before) in enumerate(tasks)
        ),
    )


@st.composite
def task_graphs(
    draw: st.DrawFn, most: int = 30, longest: int = 3, kinds: tuple[str, ...] = ("",)
) -> TaskGraph:
    """Acyclic graphs of tasks of random durations and kinds."""
    tasks = []
    for position in range(draw(st.integers(1, most))):
        before = (
            tuple(sorted(draw(st.sets(st.integers(0, position - 1), max_size=3))))
            if position
            else ()
        )
        tasks.append(
            Task(
                f"T{position}",
                draw(st.integers(1, longest)),
                before,
                (1,) * len(before),
                draw(st.sampled_from(kinds)),
            )
        )
    return TaskGraph("random", tuple(tasks))


def shortest_by_trying(graph: TaskGraph, resources: Resources) -> int:
    """Length of the shortest schedule: in some order of its tasks, each comes as early as can be on
    its processor.
    """
    best = sum(task.duration for task in graph.tasks) + resources.handover * len(graph.tasks)
    for order in permutations(range(len(graph.tasks))):
        if any(
            order.index(before) > order.index(i)
            for i, task in enumerate(graph.tasks)
            for before in task.predecessors
        ):
            continue
        for units in product(range(resources.total), repeat=len(graph.tasks)):
            if any(
                resources.kinds[unit] not in ("", graph.tasks[i].kind)
                for i, unit in enumerate(units)
            ):
                continue
            best = min(best, _length(graph, resources, order, units))
    return best


def _length(
    graph: TaskGraph, resources: Resources, order: tuple[int, ...], units: tuple[int, ...]
) -> int:
    ends: dict[int, int] = {}
    free = dict.fromkeys(units, 0)
    for i in order:
        task, unit = graph.tasks[i], units[i]
        handed = [
            ends[each] + (resources.handover if units[each] != unit else 0)
            for each in task.predecessors
        ]
        start = max([free[unit], *handed])
        ends[i] = start + task.duration
        free[unit] = start + (1 if resources.kinds[unit] else task.duration)
    return max(ends.values())
