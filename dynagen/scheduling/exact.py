"""Shortest schedules by constraint programming (OR-tools' CP-SAT), with the bound that proves them.

The question put to the solver is not "how short?" but "is there one of this length?": then every task has a window between
head and tail, and constraints that overload an interval show at once. Lengths are asked from the bound upwards; one that is
refuted raises the bound, one that is found is the optimum. Where no answer comes in time, the shortest that turns up is taken.
The solver runs on one thread from a fixed seed for a fixed amount of deterministic time, so that the same schedule comes out
on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from dynagen.extras import require_extra
from dynagen.scheduling.schedule import Placement, Resources, Schedule
from dynagen.scheduling.seating import seat
from dynagen.scheduling.tasks import TaskGraph

DEFAULT_SECONDS = 5


def improve(found: Schedule, seconds: int) -> Schedule:
    """Shorten a schedule and raise its bound until they meet or time is over.

    Args:
        found: any schedule, with a bound.
        seconds: of the solver's own deterministic clock, for each length that is asked for.

    Raises:
        ToolchainError: OR-tools is not installed, and there is something to improve.
    """
    if not found.is_optimal:
        purpose = "for a shorter schedule, or a proof that there is none"
        require_extra("ortools", "schedule", purpose, instead="take --method sweeps")
    while not found.is_optimal:
        answer = _ask(found, found.bound, seconds)
        if answer.placements:
            return replace(found, placements=answer.placements)
        if not answer.is_refuted and found.length == found.bound + 1:
            return found
        if not answer.is_refuted:
            shorter = _ask(found, found.length - 1, seconds)
            bound = found.length if shorter.is_refuted else max(found.bound, shorter.bound)
            return replace(found, placements=shorter.placements or found.placements, bound=bound)
        found = replace(found, bound=found.bound + 1)
    return found


@dataclass(frozen=True)
class _Answer:
    """The answer of the solver.

    Attributes:
        placements: of a schedule that is short enough; empty if none was found.
        is_refuted: whether it is proved that there is none.
        bound: steps below which there is none.
    """

    placements: tuple[Placement, ...]
    is_refuted: bool
    bound: int


def _ask(found: Schedule, length: int, seconds: int) -> _Answer:
    """Look for a schedule of at most a length, the shortest that is found in the time."""
    from ortools.sat.python import cp_model

    graph, resources = found.graph, found.resources
    model = cp_model.CpModel()
    starts = [
        model.new_int_var(head, length - tail, task.name)
        for head, tail, task in zip(graph.heads, graph.tails, graph.tasks, strict=True)
    ]
    seats = _assign(model, graph, resources, starts) if resources.handover else _share(model, graph, resources, starts)
    for start, placement in zip(starts, found.placements, strict=True):
        model.add_hint(start, placement.start)
    if length > found.bound:
        end = model.new_int_var(found.bound, length, "end")
        for start, task in zip(starts, graph.tasks, strict=True):
            model.add(start + task.duration <= end)
        model.minimize(end)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = seconds
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return _Answer((), status == cp_model.INFEASIBLE, found.bound)
    times = [int(solver.value(start)) for start in starts]
    if seats:
        units = [next(unit for unit, here in enumerate(each) if solver.value(here)) for each in seats]
        placements = tuple(Placement(task.name, units[i], times[i]) for i, task in enumerate(graph.tasks))
    else:
        placements = seat(graph, resources, times)
    return _Answer(placements, is_refuted=False, bound=ceil(solver.best_objective_bound) if length > found.bound else length)


def _share(model: Any, graph: TaskGraph, resources: Resources, starts: Sequence[Any]) -> list[list[Any]]:
    """Demand that every kind of processor has room for what runs at once; `seating` finds afterwards which takes what."""
    for position, task in enumerate(graph.tasks):
        for each in task.predecessors:
            model.add(starts[each] + graph.tasks[each].duration <= starts[position])
    for kind, count in resources.counts:
        intervals = [
            model.new_fixed_size_interval_var(start, resources.occupied(task), task.name)
            for start, task in zip(starts, graph.tasks, strict=True)
            if resources.kind_for(task) == kind
        ]
        model.add_cumulative(intervals, [1] * len(intervals), count)
    return []


def _assign(model: Any, graph: TaskGraph, resources: Resources, starts: Sequence[Any]) -> list[list[Any]]:
    """Demand a processor for every task, and time for values that change it; returns, by task, whether it is on each."""
    seats = [[model.new_bool_var("") for _ in range(resources.total)] for _ in graph.tasks]
    for unit in range(resources.total):
        model.add_no_overlap(
            model.new_optional_fixed_size_interval_var(starts[position], task.duration, seats[position][unit], task.name)
            for position, task in enumerate(graph.tasks)
        )
    for position, task in enumerate(graph.tasks):
        model.add_exactly_one(seats[position])
        for unit in range(position + 1, resources.total):  # processors are equal: the first tasks take the first ones
            model.add(seats[position][unit] == 0)
        for each in task.predecessors:
            elsewhere = model.new_bool_var("")
            for unit in range(resources.total):
                model.add_implication(seats[position][unit], seats[each][unit]).only_enforce_if(elsewhere.negated())
            model.add(starts[each] + graph.tasks[each].duration + resources.handover * elsewhere <= starts[position])
    return seats
