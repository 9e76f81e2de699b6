"""The judge of schedules: it looks at tasks and places alone, and shares nothing with those who make schedules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from dynagen.scheduling.schedule import Placement, Resources
from dynagen.scheduling.tasks import TaskGraph

Fault = Literal["missing", "unknown", "twice", "precedence", "occupied", "wrong unit"]


@dataclass(frozen=True, order=True)
class Violation:
    """One rule that a schedule breaks.

    Attributes:
        fault: which rule.
        tasks: the task; of `precedence` the one that gives and the one that takes, of `occupied` the two in one place.
        start: step in which it shows; 0 for a task that is missing.
    """

    fault: Fault
    tasks: tuple[str, ...]
    start: int = 0

    def __str__(self) -> str:
        return (
            f"{' before '.join(reversed(self.tasks)) if self.fault == 'precedence' else ', '.join(self.tasks)}: {self.fault}"
        )


def violations(graph: TaskGraph, resources: Resources, placements: Iterable[Placement]) -> list[Violation]:
    """Every rule that a schedule breaks, in a fixed order; none if it is right.

    A task that stands in it twice is there from its earliest end on, and every time it stands there its predecessors have to
    be there.
    """
    tasks = {task.name: task for task in graph.tasks}
    places: dict[str, list[Placement]] = {}
    on_unit: dict[int, list[Placement]] = {}
    found = []
    for placement in placements:
        if placement.task not in tasks:
            found.append(Violation("unknown", (placement.task,), placement.start))
            continue
        places.setdefault(placement.task, []).append(placement)
        on_unit.setdefault(placement.unit, []).append(placement)
    for name, task in tasks.items():
        where = places.get(name, [])
        if not where:
            found.append(Violation("missing", (name,)))
        found += [Violation("twice", (name,), again.start) for again in where[1:]]
        for predecessor in (graph.tasks[each] for each in task.predecessors):
            for placement in where:
                there = [
                    before.start + predecessor.duration + (resources.handover if before.unit != placement.unit else 0)
                    for before in places.get(predecessor.name, [])
                ]
                if there and min(there) > placement.start:
                    found.append(Violation("precedence", (predecessor.name, name), placement.start))
    kinds = [kind for kind, count in resources.counts for _ in range(count)]
    for unit, held in on_unit.items():
        if not 0 <= unit < len(kinds):
            found += [Violation("wrong unit", (placement.task,), placement.start) for placement in held]
            continue
        if kinds[unit]:
            wrong = [placement for placement in held if tasks[placement.task].kind != kinds[unit]]
            found += [Violation("wrong unit", (placement.task,), placement.start) for placement in wrong]
        for first, second in pairwise(sorted(held, key=lambda placement: placement.start)):
            busy = 1 if kinds[unit] else tasks[first.task].duration
            if first.start + busy > second.start:
                found.append(Violation("occupied", (first.task, second.task), second.start))
        found += [Violation("occupied", (placement.task,), placement.start) for placement in held if placement.start < 0]
    return sorted(found)
