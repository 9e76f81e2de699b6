"""Merging of a program's operations into tasks of limited duration.

A task runs on one processor without a pause, so the graph of merged tasks must stay acyclic. The
successors of a task are the tasks that need its values. Three kinds of merges never close a cycle,
and require only the neighbours of a task:

- All successors of a task lie in one other task. Repeated merges of this kind form a cone without
  fan-out (Cong and Ding, "FlowMap", IEEE Transactions on CAD 13(1), 1994). Every path out of the
  merged task begins in the task of the successors, and can return only if there was a cycle before.
- All predecessors of a task lie in one other task. The proof is the same with all arrows reversed.
- Two tasks lie in the same layer: the longest chains of predecessors have equal numbers of tasks,
  so no path connects the two tasks. Merging within layers keeps the order of the layers (Herrmann
  and others, "Multilevel algorithms for acyclic partitioning of directed acyclic graphs", SIAM
  Journal on Scientific Computing 41(4), 2019).

Rounds of merges are repeated until a round merges no tasks. Merges with predecessors or successors
reduce the number of values that pass between tasks. Merges within a layer reduce the number of
tasks, and are made only if the tasks share values. A merge is rejected if it would lengthen the
program's critical path.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import lcm

from dynagen.codegen.cores.tasks import Task, TaskGraph, TimedOperation, list_timed_operations
from dynagen.errors import UsageError
from dynagen.ir.cost import FLOPS, CostModel
from dynagen.ir.program import Program

_Groups = list[list[int]]
"""Groups of operations or tasks, as lists of their indices."""


def program_tasks(program: Program, model: CostModel, grain: Fraction | None = None) -> TaskGraph:
    """Group the arithmetic operations of a program into a graph of tasks.

    Args:
        program: the program.
        model: cost of each kind of operation; the duration of a task is the total cost of its
            operations.
        grain: largest total cost of the operations in one task; None: each operation is a task.

    Returns:
        Graph with a task for each group of operations. The predecessors of a task compute its
        operands.

    Raises:
        UsageError: a single operation costs more than the grain.
    """
    operations = list_timed_operations(program, model)
    # All costs are whole multiples of this step.
    step = Fraction(1, lcm(*(operation.cost.denominator for operation in operations)))
    giver = {
        value: position
        for position, operation in enumerate(operations)
        for value in operation.gives
    }
    single = TaskGraph(
        program.name,
        tuple(
            Task(
                "",
                int(operation.cost / step),
                tuple(sorted({giver[value] for value in operation.takes})),
            )
            for operation in operations
        ),
    )
    groups = [[position] for position in range(len(operations))]
    if grain is not None:
        _require_fitting(operations, grain, model)
        groups = _merge_tasks(single, int(grain / step))
    return TaskGraph(
        program.name, tuple(_make_tasks(single, operations, giver, groups)), step, _name_unit(model)
    )


def _name_unit(model: CostModel) -> str:
    """Return the name of the unit in which a cost model counts, for reports."""
    return model.name if model.name == FLOPS.name else f"units of {model.name}"


def _require_fitting(
    operations: Sequence[TimedOperation], grain: Fraction, model: CostModel
) -> None:
    largest = max(operations, key=lambda operation: operation.cost, default=None)
    if largest is not None and largest.cost > grain:
        raise UsageError(
            f"expected a grain of at least {largest.cost}, the cost of one {largest.kind} in the "
            f"cost model {model.name}, found {grain}"
        )


def _make_tasks(
    single: TaskGraph,
    operations: Sequence[TimedOperation],
    giver: Mapping[int, int],
    groups: _Groups,
) -> Iterator[Task]:
    """Yield one task for each group of operations.

    `single` is the graph in which each operation is a task. `giver` maps the number of a value to
    the index of the operation that computes the value. A group comes after the groups whose values
    it needs.
    """
    place = {position: number for number, group in enumerate(groups) for position in group}
    for number, group in enumerate(groups):
        members = [operations[position] for position in group]
        values = {value for operation in members for value in operation.takes}
        taken = Counter(place[giver[value]] for value in values)
        del taken[number]  # values that stay within the task do not cross
        kinds = {operation.kind for operation in members}
        yield Task(
            name=members[-1].name,
            duration=sum(single.tasks[position].duration for position in group),
            predecessors=tuple(sorted(taken)),
            values=tuple(taken[each] for each in sorted(taken)),
            kind=kinds.pop() if len(kinds) == 1 else "",
            group=members[-1].section,
            label=", ".join(operation.name for operation in members),
        )


def _merge_tasks(graph: TaskGraph, most: int) -> _Groups:
    """Merge tasks into groups that last at most `most` steps; return each group's task indices.

    A group comes after the groups whose values it needs.
    """
    groups = [[position] for position in range(len(graph.tasks))]
    # unchanged: merges in a row that changed nothing.
    longest, unchanged = graph.critical_path, 0
    while unchanged < len(_MERGES):
        for merge in _MERGES:
            leaders = merge(graph, most, longest)
            unchanged = (
                unchanged + 1
                if all(leader == position for position, leader in enumerate(leaders))
                else 0
            )
            if not unchanged:
                graph, groups = _contract(graph, groups, leaders)
    return groups


def _contract(
    graph: TaskGraph, groups: _Groups, leaders: Sequence[int]
) -> tuple[TaskGraph, _Groups]:
    """Merge all tasks with the same leader to one task.

    For each task, `groups` contains the indices of its operations, and `leaders` the index of the
    task that identifies its group. The results are the graph of the merged tasks and the operations
    of each merged task.
    """
    members: dict[int, list[int]] = {}
    for position, leader in enumerate(leaders):
        members.setdefault(leader, []).append(position)
    merged = {
        leader: sorted(i for each in merging for i in groups[each])
        for leader, merging in members.items()
    }
    taken = {
        leader: {
            leaders[each] for position in merging for each in graph.tasks[position].predecessors
        }
        - {leader}
        for leader, merging in members.items()
    }
    order = _sort_topologically(merged, taken)
    place = {leader: position for position, leader in enumerate(order)}
    tasks = (
        Task(
            "",
            sum(graph.tasks[each].duration for each in members[leader]),
            tuple(sorted(place[each] for each in taken[leader])),
        )
        for leader in order
    )
    return TaskGraph(graph.name, tuple(tasks)), [merged[leader] for leader in order]


def _sort_topologically(
    groups: Mapping[int, Sequence[int]], taken: Mapping[int, Collection[int]]
) -> list[int]:
    """Sort groups so that each group comes after the groups whose values it needs.

    If several groups can come next, their last operations are compared, and the group is chosen
    that ends first in the program. The keys are the leaders of the groups (one task of each group).
    `groups` contains the operations of each group, and `taken` the groups whose values the group
    needs.
    """
    waiting = {leader: len(givers) for leader, givers in taken.items()}
    takers: dict[int, list[int]] = {leader: [] for leader in taken}
    for leader, givers in taken.items():
        for giver in givers:
            takers[giver].append(leader)
    ready = [(groups[leader][-1], leader) for leader, count in waiting.items() if not count]
    heapify(ready)
    order = []
    while ready:
        _, leader = heappop(ready)
        order.append(leader)
        for taker in takers[leader]:
            waiting[taker] -= 1
            if not waiting[taker]:
                heappush(ready, (groups[taker][-1], taker))
    return order


class _Merging:
    """Groups of tasks that are merged in one round over a task graph.

    The leader of a group is one of its tasks. A task that is not merged is its own leader. The
    total duration of a group is at most `most` steps (units of time). The longest path through the
    graph that contains the group lasts at most `longest` steps.
    """

    def __init__(self, graph: TaskGraph, most: int, longest: int) -> None:
        self._graph, self._most, self._longest = graph, most, longest
        self.leaders = list(range(len(graph.tasks)))
        self._members: dict[int, list[int]] = {}
        self._durations = [task.duration for task in graph.tasks]

    def merge(self, task: int, leader: int) -> None:
        """Merge a single task into the group of the task `leader`, if the limits permit it.

        The limits are the largest duration of a group, and of the longest path through a group.
        """
        duration = self._durations[leader] + self._durations[task]
        if duration > self._most:
            return
        members = [*self._members.get(leader, [leader]), task]
        if self._measure_path(members, duration) > self._longest:
            return
        self.leaders[task], self._members[leader], self._durations[leader] = (
            leader,
            members,
            duration,
        )

    def _measure_path(self, members: Sequence[int], duration: int) -> int:
        """Return the duration in steps of the longest path in the graph that contains a group.

        `members` are the tasks of the group, and `duration` is their total duration. Merges of
        tasks outside the group are ignored.
        """
        tasks, heads, tails = self._graph.tasks, self._graph.heads, self._graph.tails
        before = (
            heads[i] + tasks[i].duration
            for each in members
            for i in tasks[each].predecessors
            if i not in members
        )
        behind = (
            tails[i] for each in members for i in self._graph.successors[each] if i not in members
        )
        return max(before, default=0) + duration + max(behind, default=0)


def _merge_cones(graph: TaskGraph, most: int, longest: int) -> list[int]:
    """Merge each task into the group that needs the task's values, if there is only one such group.

    A group lasts at most `most` steps (units of time), and the longest path through it at most
    `longest` steps. The result contains, for each task, the index of the task that identifies its
    group.
    """
    merging = _Merging(graph, most, longest)
    # Backwards, so that consumers already have their leaders.
    for task in reversed(range(len(graph.tasks))):
        takers = {merging.leaders[each] for each in graph.successors[task]}
        if len(takers) == 1:
            merging.merge(task, takers.pop())
    return merging.leaders


def _merge_fans(graph: TaskGraph, most: int, longest: int) -> list[int]:
    """Merge each task into the group whose values the task needs, if there is only one such group.

    A group lasts at most `most` steps (units of time), and the longest path through it at most
    `longest` steps. The result contains, for each task, the index of the task that identifies its
    group.
    """
    merging = _Merging(graph, most, longest)
    for task in range(len(graph.tasks)):
        givers = {merging.leaders[each] for each in graph.tasks[task].predecessors}
        if len(givers) == 1:
            merging.merge(task, givers.pop())
    return merging.leaders


def _merge_siblings(graph: TaskGraph, most: int, longest: int) -> list[int]:
    """Merge pairs of tasks in the same layer that have a predecessor or successor in common.

    A group lasts at most `most` steps (units of time), and the longest path through it at most
    `longest` steps. The result contains, for each task, the index of the task that identifies its
    group.
    """
    merging = _Merging(graph, most, longest)
    alone = [True] * len(graph.tasks)
    for task in range(len(graph.tasks)):
        if not alone[task]:
            continue
        near = (i for each in graph.tasks[task].predecessors for i in graph.successors[each])
        far = (i for each in graph.successors[task] for i in graph.tasks[each].predecessors)
        for other in sorted({*near, *far}):
            if (
                other > task
                and alone[other]
                and graph.earliest_layers[other] == graph.earliest_layers[task]
            ):
                merging.merge(other, task)
                if merging.leaders[other] == task:
                    alone[task] = alone[other] = False
    return merging.leaders


_MERGES = (_merge_cones, _merge_fans, _merge_siblings)
