"""A program as tasks of limited size.

Tasks are what runs without a pause on one processor, so that merging operations must never make two
tasks wait for each other: the graph of tasks has to stay acyclic. Three kinds of merges never close
a cycle, and each is found by looking at neighbours alone:

- all successors of a task lie in one other task (what grows is a cone without fan-out, as in J.
  Cong, Y. Ding, "FlowMap", IEEE Trans. CAD 13(1), 1994): a path that leaves the pair leaves it from
  the latter, and does not come back but through a cycle that was there;
- all predecessors of a task lie in one other: the same with the arrows reversed;
- tasks of the same layer, which no path connects. Layers keep their order whatever is merged within
  them (J. Herrmann and others, "Multilevel algorithms for acyclic partitioning of directed acyclic
  graphs", SIAM J. Scientific Computing 41(4), 2019).

Rounds of these go on until none changes anything; each takes time linear in operations and
dependences, but for a sort. Merges along a path keep values from crossing; merges across a layer
save tasks, and are made where values are shared. None is made where the longest path through the
merged task would be longer than the program's critical path.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import lcm

from dynagen.codegen.cores.tasks import Task, TaskGraph, TimedOperation, timed_operations
from dynagen.errors import UsageError
from dynagen.ir.cost import FLOPS, CostModel
from dynagen.ir.program import Program

_Groups = list[list[int]]


def program_tasks(program: Program, model: CostModel, grain: Fraction | None = None) -> TaskGraph:
    """A program as tasks.

    Args:
        program: straight-line.
        model: what operations cost; a task takes as long as its operations cost.
        grain: most that the operations of a task may cost together; None makes every operation a
            task.

    Raises:
        UsageError: an operation costs more than the grain.
    """
    operations = timed_operations(program, model)
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
        groups = _clusters(single, int(grain / step))
    return TaskGraph(
        program.name, tuple(_tasks(single, operations, giver, groups)), step, _unit(model)
    )


def _unit(model: CostModel) -> str:
    """The unit that costs are counted in, for people."""
    return model.name if model.name == FLOPS.name else f"units of {model.name}"


def _require_fitting(
    operations: Sequence[TimedOperation], grain: Fraction, model: CostModel
) -> None:
    largest = max(operations, key=lambda operation: operation.cost, default=None)
    if largest is not None and largest.cost > grain:
        raise UsageError(
            f"no task of grain {grain} can hold a {largest.kind}, which costs {largest.cost} "
            f"by {model.name}; "
            f"the smallest grain that does is {largest.cost}"
        )


def _tasks(
    single: TaskGraph,
    operations: Sequence[TimedOperation],
    giver: Mapping[int, int],
    groups: _Groups,
) -> Iterator[Task]:
    """The tasks that groups of operations make, in the order of the groups."""
    place = {position: number for number, group in enumerate(groups) for position in group}
    for number, group in enumerate(groups):
        members = [operations[position] for position in group]
        values = {value for operation in members for value in operation.takes}
        taken = Counter(place[giver[value]] for value in values)
        del taken[number]  # what a task gives itself does not cross
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


def _clusters(graph: TaskGraph, most: int) -> _Groups:
    """Merge a graph's tasks into groups and return them, producers before consumers."""
    groups = [[position] for position in range(len(graph.tasks))]
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
                graph, groups = _contracted(graph, groups, leaders)
    return groups


def _contracted(
    graph: TaskGraph, groups: _Groups, leaders: Sequence[int]
) -> tuple[TaskGraph, _Groups]:
    """A graph with the tasks of each leader made one, and the groups in its order."""
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
    order = _topological(merged, taken)
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


def _topological(
    groups: Mapping[int, Sequence[int]], taken: Mapping[int, Collection[int]]
) -> list[int]:
    """Sort groups so that producers come before consumers, then in program order."""
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
    """Tasks of a graph, some of them merged: each has a leader.

    Attributes:
        leaders: of every task; its own until it is merged into another.
    """

    def __init__(self, graph: TaskGraph, most: int, longest: int) -> None:
        self._graph, self._most, self._longest = graph, most, longest
        self.leaders = list(range(len(graph.tasks)))
        self._members: dict[int, list[int]] = {}
        self._durations = [task.duration for task in graph.tasks]

    def merge(self, task: int, leader: int) -> None:
        """Merge a single task into another group.

        The groups stay separate if the result is too large or lies on a path that is too long.
        """
        duration = self._durations[leader] + self._durations[task]
        if duration > self._most:
            return
        members = [*self._members.get(leader, [leader]), task]
        if self._path_through(members, duration) > self._longest:
            return
        self.leaders[task], self._members[leader], self._durations[leader] = (
            leader,
            members,
            duration,
        )

    def _path_through(self, members: Sequence[int], duration: int) -> int:
        """The longest path through a merged task, all others as they are."""
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


def _cones(graph: TaskGraph, most: int, longest: int) -> list[int]:
    """Merge tasks into the one that alone takes their values."""
    merging = _Merging(graph, most, longest)
    for task in reversed(range(len(graph.tasks))):
        takers = {merging.leaders[each] for each in graph.successors[task]}
        if len(takers) == 1:
            merging.merge(task, takers.pop())
    return merging.leaders


def _fans(graph: TaskGraph, most: int, longest: int) -> list[int]:
    """Merge tasks into the one that alone gives them values."""
    merging = _Merging(graph, most, longest)
    for task in range(len(graph.tasks)):
        givers = {merging.leaders[each] for each in graph.tasks[task].predecessors}
        if len(givers) == 1:
            merging.merge(task, givers.pop())
    return merging.leaders


def _siblings(graph: TaskGraph, most: int, longest: int) -> list[int]:
    """Merge tasks of one layer that take values of the same task, or give values to the same."""
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


_MERGES = (_cones, _fans, _siblings)
