"""Validity check of schedules.

The check uses only tasks and placements, and shares no code with the scheduling methods.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from dynagen.codegen.cores.schedule import Placement, Resources
from dynagen.codegen.cores.tasks import Task, TaskGraph

Fault = Literal["missing", "unknown", "twice", "precedence", "occupied", "wrong unit"]


@dataclass(frozen=True, order=True)
class Violation:
    """Violation of one rule by a schedule.

    Attributes:
        fault: kind of violation: `missing` (a task is absent), `twice`, `unknown` (a task is not in
            the graph), `precedence` (a task begins before a predecessor's value is available),
            `wrong unit`, or `occupied` (two tasks overlap on a unit, or a task begins before step
            0).
        tasks: names of the tasks: for `precedence` the predecessor and the task, for an overlap
            both tasks, otherwise one task.
        start: start of the task in steps (units of time); 0 for a missing task.
    """

    fault: Fault
    tasks: tuple[str, ...]
    start: int = 0

    def __str__(self) -> str:
        tasks = (
            " before ".join(reversed(self.tasks))
            if self.fault == "precedence"
            else ", ".join(self.tasks)
        )
        return f"{tasks}: {self.fault}"


def violations(
    graph: TaskGraph, resources: Resources, placements: Iterable[Placement]
) -> list[Violation]:
    """Return all violations of rules by a schedule, sorted; empty for a valid schedule.

    If a task is placed twice, its values are available when the first placement ends.

    Args:
        graph: tasks with their durations and predecessors.
        resources: processors or arithmetic units, and the time to pass a value between processors.
        placements: the schedule to check: processor or unit of each task, and its start in steps.
    """
    tasks = {task.name: task for task in graph.tasks}
    placements = list(placements)
    known = [placement for placement in placements if placement.task in tasks]
    unknown = (
        Violation("unknown", (each.task,), each.start)
        for each in placements
        if each.task not in tasks
    )
    return sorted(
        [*unknown, *_check_order(graph, resources, known), *_check_units(tasks, resources, known)]
    )


def _check_order(
    graph: TaskGraph, resources: Resources, placements: Iterable[Placement]
) -> Iterator[Violation]:
    """Find tasks that are absent, repeated, or begin before their inputs are available."""
    places: dict[str, list[Placement]] = {task.name: [] for task in graph.tasks}
    for placement in placements:
        places[placement.task].append(placement)
    for task in graph.tasks:
        where = places[task.name]
        if not where:
            yield Violation("missing", (task.name,))
        for again in where[1:]:
            yield Violation("twice", (task.name,), again.start)
        for predecessor in (graph.tasks[each] for each in task.predecessors):
            for placement in where:
                there = [
                    before.start
                    + predecessor.duration
                    + (resources.handover if before.unit != placement.unit else 0)
                    for before in places[predecessor.name]
                ]
                if there and min(there) > placement.start:
                    yield Violation("precedence", (predecessor.name, task.name), placement.start)


def _check_units(
    tasks: Mapping[str, Task], resources: Resources, placements: Iterable[Placement]
) -> Iterator[Violation]:
    """Find tasks on invalid or occupied units, and tasks that begin before the first step.

    A unit (processor or arithmetic unit) is invalid if it does not exist or cannot execute the
    task.
    """
    on_unit: dict[int, list[Placement]] = {}
    for placement in placements:
        on_unit.setdefault(placement.unit, []).append(placement)
    kinds = [kind for kind, count in resources.counts for _ in range(count)]
    for unit, held in on_unit.items():
        is_there = 0 <= unit < len(kinds)
        for placement in held:
            if not is_there or (kinds[unit] and tasks[placement.task].kind != kinds[unit]):
                yield Violation("wrong unit", (placement.task,), placement.start)
            if is_there and placement.start < 0:
                yield Violation("occupied", (placement.task,), placement.start)
        for first, second in (
            pairwise(sorted(held, key=lambda placement: placement.start)) if is_there else ()
        ):
            busy = 1 if kinds[unit] else tasks[first.task].duration
            if first.start + busy > second.start:
                yield Violation("occupied", (first.task, second.task), second.start)
