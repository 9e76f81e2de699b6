"""List scheduling: a free processor takes the most urgent task that is ready.

In Hu's method, the most urgent task is the task that begins the longest chain of dependent tasks
("Parallel sequencing and assembly line problems", Operations Research 9(6), 1961). If hand-offs
between processors cost time, each task is placed on the processor where it can begin first
(Topcuoglu, Hariri and Wu, "Performance-effective and low-complexity task scheduling for
heterogeneous computing", IEEE Transactions on Parallel and Distributed Systems 13(3), 2002). The
run time of list scheduling is proportional to (n + e) log n for n tasks and e dependences. If
hand-offs cost time, it is also proportional to the number of processors.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from dynagen.codegen.cores.schedule import Placement, Resources, compute_length
from dynagen.codegen.cores.tasks import TaskGraph


def assign_processors(
    graph: TaskGraph, resources: Resources, starts: Sequence[int]
) -> tuple[Placement, ...]:
    """Choose a processor or arithmetic unit for every task of a schedule with known start times.

    Tasks are placed in the order of their starts. Of the free processors, or free units of the
    required kind, the function chooses the one that became free last. Chains of tasks then stay on
    one processor.

    Args:
        graph: graph of n tasks.
        resources: processors or arithmetic units.
        starts: start of each of the n tasks in steps from 0, in the graph's order. At every time,
            there must be a free resource for each task that starts.

    Returns:
        A placement for each task, in the graph's order.
    """
    free: dict[str, list[tuple[int, int]]] = {kind: [] for kind, _ in resources.counts}
    for number, kind in enumerate(resources.kinds):
        free[kind].append((0, number))
    units = [0] * len(graph.tasks)
    for position in sorted(range(len(graph.tasks)), key=lambda each: (starts[each], each)):
        task = graph.tasks[position]
        # The latest time at which a resource became free, then the lowest number.
        pool = free[resources.find_kind(task)]
        since, number = max((since, -number) for since, number in pool if since <= starts[position])
        pool.remove((since, -number))
        pool.append((starts[position] + resources.count_occupied_steps(task), -number))
        units[position] = -number
    return tuple(Placement(task.name, units[i], starts[i]) for i, task in enumerate(graph.tasks))


_MOST_SWEEPS = 20
_NO_TASK = -1


def list_starts(
    graph: TaskGraph, resources: Resources, urgency: Sequence[tuple[int, ...]]
) -> list[int]:
    """Return the start of every task, in steps from 0, in a list schedule.

    Passing a value from one processor to another (a hand-off) costs no time in this schedule.

    A task is ready when all tasks whose values it needs have ended. Among the tasks that are ready,
    the task with the smallest urgency tuple begins first.

    Args:
        graph: tasks.
        resources: processors or arithmetic units.
        urgency: a tuple for each task. If tuples are equal, the task that is earlier in the graph
            begins first.
    """
    # Number of predecessors that have not ended.
    waiting = [len(task.predecessors) for task in graph.tasks]
    starts = [0] * len(graph.tasks)
    free = dict(resources.counts)
    ready: dict[str, list[tuple[tuple[int, ...], int]]] = {kind: [] for kind in free}
    for position, task in enumerate(graph.tasks):
        if not task.predecessors:
            ready[resources.find_kind(task)].append((urgency[position], position))
    for queue in ready.values():
        heapify(queue)
    # (time, kind of a processor that becomes free, task that ends then or _NO_TASK).
    events: list[tuple[int, str, int]] = []
    now = 0
    while True:
        for kind, queue in ready.items():
            while queue and free[kind]:
                _, position = heappop(queue)
                task = graph.tasks[position]
                starts[position] = now
                free[kind] -= 1
                # A pipelined unit is free again before the task's values exist.
                heappush(events, (now + resources.count_occupied_steps(task), kind, _NO_TASK))
                heappush(events, (now + task.duration, kind, position))
        if not events:
            return starts
        now = events[0][0]
        while events and events[0][0] == now:
            _, kind, finished = heappop(events)
            if finished == _NO_TASK:
                free[kind] += 1
                continue
            for successor in graph.successors[finished]:
                waiting[successor] -= 1
                if not waiting[successor]:
                    heappush(
                        ready[resources.find_kind(graph.tasks[successor])],
                        (urgency[successor], successor),
                    )


def rank_by_highest_level(graph: TaskGraph) -> list[tuple[int, ...]]:
    """Return for each task a tuple of two numbers, by which a list schedule orders ready tasks.

    The first is minus the length (steps) of the longest chain of tasks that begins with the task.
    The second is minus the number of tasks that need the task's values. The numbers are negated,
    because a task with a smaller tuple begins first.
    """
    return [(-tail, -len(graph.successors[position])) for position, tail in enumerate(graph.tails)]


def schedule_highest_level_first(graph: TaskGraph, resources: Resources) -> tuple[Placement, ...]:
    """Return the list schedule in which the ready task with the longest chain begins first.

    The chain consists of the task, a task that needs its value, and so on. If hand-offs of values
    between processors cost time, each task is placed on the processor where it can begin first.

    Args:
        graph: the tasks.
        resources: processors, or arithmetic units with at least one unit of each required kind.

    Returns:
        A placement for each task, in the graph's order.
    """
    if resources.handover:
        return _place_where_first(
            graph, resources, [(-level,) for level in _levels(graph, resources.handover)]
        )
    return assign_processors(
        graph, resources, list_starts(graph, resources, rank_by_highest_level(graph))
    )


def schedule_layer_by_layer(graph: TaskGraph, resources: Resources) -> tuple[Placement, ...]:
    """Return the schedule by the layered bin packing of Dhanaraj's thesis (section 4.3.3).

    Tasks start in the order of their layers, `TaskGraph.layers`; tasks of later layers fill idle
    steps.

    Args:
        graph: the tasks.
        resources: processors, or arithmetic units with at least one unit of each required kind.

    Returns:
        A placement for each task, in the graph's order.
    """
    urgency = [(layer,) for layer in graph.layers]
    if resources.handover:
        return _place_where_first(graph, resources, urgency)
    return assign_processors(graph, resources, list_starts(graph, resources, urgency))


def forward_and_backward(graph: TaskGraph, resources: Resources) -> tuple[Placement, ...]:
    """Return the shortest schedule among list schedules of the graph and of the reversed graph.

    The graph and the reversed graph are scheduled in turn, with the tasks ordered by their end
    times in the previous schedule. The search ends if three successive pairs of schedules are not
    shorter than the best schedule, or after 20 pairs. Alternating list schedules are a method of Li
    and Willis, "An iterative scheduling technique for resource-constrained project scheduling",
    European Journal of Operational Research 56(3), 1992. If hand-offs cost time, or if a pipelined
    unit begins a task before the previous task ends, the result is the schedule of
    `schedule_highest_level_first`.

    Args:
        graph: the tasks.
        resources: processors, or arithmetic units with at least one unit of each required kind.

    Returns:
        A placement for each task, in the graph's order.
    """
    if resources.handover:
        return schedule_highest_level_first(graph, resources)
    best = list_starts(graph, resources, rank_by_highest_level(graph))
    # In a pipeline an operation begins in one step and ends in a later one: its reverse would not
    # be a pipeline.
    if any(resources.count_occupied_steps(task) != task.duration for task in graph.tasks):
        return assign_processors(graph, resources, best)
    reverse = graph.reverse()
    # idle: sweeps since the last improvement.
    current, shortest, idle = best, compute_length(graph, best), 0
    for _ in range(_MOST_SWEEPS):
        ends = [start + task.duration for start, task in zip(current, graph.tasks, strict=True)]
        backward = list_starts(reverse, resources, [(-end,) for end in reversed(ends)])
        length = compute_length(reverse, backward)
        # Latest starts in forward time, from the reversed schedule.
        late = [
            length - start - task.duration
            for start, task in zip(backward, reverse.tasks, strict=True)
        ][::-1]
        current = list_starts(graph, resources, [(start,) for start in late])
        idle += 1
        for found in (late, current):
            if (length := compute_length(graph, found) - min(found, default=0)) < shortest:
                best, shortest, idle = [start - min(found) for start in found], length, 0
        if idle > 2:
            break
    return assign_processors(graph, resources, best)


def _levels(graph: TaskGraph, handover: int) -> list[int]:
    """Return the length, in steps, of the longest chain of tasks that begins with each task.

    The length includes `handover` steps between two tasks.
    """
    levels = [0] * len(graph.tasks)
    for position in reversed(range(len(graph.tasks))):
        # Positions are topological: successors have been visited already.
        behind = (levels[successor] + handover for successor in graph.successors[position])
        levels[position] = graph.tasks[position].duration + max(behind, default=0)
    return levels


def _place_where_first(
    graph: TaskGraph, resources: Resources, urgency: Sequence[tuple[int, ...]]
) -> tuple[Placement, ...]:
    """Place each task on the processor where it can begin first.

    Among equally early processors, one that computed an operand of the task is preferred. Tasks
    with smaller tuples in `urgency` are placed first. A task's tuple must be greater than the
    tuples of the tasks whose values it needs.
    """
    free = [0] * resources.total
    starts, units = [0] * len(graph.tasks), [0] * len(graph.tasks)
    for position in sorted(range(len(graph.tasks)), key=lambda each: (urgency[each], each)):
        task = graph.tasks[position]
        ends = [
            (starts[predecessor] + graph.tasks[predecessor].duration, units[predecessor])
            for predecessor in task.predecessors
        ]
        used = {before for _, before in ends}
        start, _, unit = min(
            (
                max(
                    [
                        free[unit],
                        *(end + resources.handover * (before != unit) for end, before in ends),
                    ]
                ),
                unit not in used,
                unit,
            )
            for unit in range(resources.total)
        )
        starts[position], units[position], free[unit] = start, unit, start + task.duration
    return tuple(Placement(task.name, units[i], starts[i]) for i, task in enumerate(graph.tasks))
