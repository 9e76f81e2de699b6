"""Schedulers: list scheduling and exact search by constraint programming, with the interval bound.

The interval bound: a length below which no schedule can be.

E. B. Fernandez, B. Bussell, "Bounds on the number of processors and time for multiprocessor optimal
schedules", IEEE Trans. Computers C-22(8), 1973. Within any interval [a, b] of a schedule of length
T every task that cannot be wholly before or behind it has to be under way for some time; all of
these together must not need more than the processors have. Here the test is made for each T, with
the windows that this T leaves, which is at least as sharp as their formula for the excess at the
length of the critical path (it is the energetic test of P. Baptiste, C. Le Pape, W. Nuijten,
"Satisfiability tests and time-bound adjustments for cumulative scheduling problems", Annals of
Operations Research 92, 1999).

Shortest schedules by constraint programming (OR-tools' CP-SAT), with the bound that proves them.

The question put to the solver is not "how short?" but "is there one of this length?": then every
task has a window between head and tail, and constraints that overload an interval show at once.
Lengths are asked from the bound upwards; one that is refuted raises the bound, one that is found is
the optimum. Where no answer comes in time, the shortest that turns up is taken. The solver runs on
one thread from a fixed seed for a fixed amount of deterministic time, so that the same schedule
comes out on every machine.

The schedulers, and how one is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from dynagen.codegen.cores.list_scheduling import (
    forward_and_backward,
    highest_level_first,
    layer_by_layer,
    seat,
)
from dynagen.codegen.cores.schedule import Placement, Resources, Schedule, require_units
from dynagen.codegen.cores.tasks import TaskGraph
from dynagen.resources import require_extra

_Array = npt.NDArray[np.int64]

_MOST_ENDS = 400  # interval ends that are tried; leaving some out keeps the bound true


def interval_bound(graph: TaskGraph, resources: Resources) -> int:
    """Return the minimum number of steps of any schedule of a graph.

    The cost of transfers is not counted.
    """
    heads, tails = np.array(graph.heads, np.int64), np.array(graph.tails, np.int64)
    kinds = np.array([resources.kind_for(task) for task in graph.tasks])
    occupied = np.array([resources.occupied(task) for task in graph.tasks], np.int64)
    bound = graph.critical_path
    for kind, count in resources.counts:
        of_kind = kinds == kind
        if of_kind.any():
            bound = _shortest(heads[of_kind], tails[of_kind], occupied[of_kind], count, bound)
    return bound


def _shortest(heads: _Array, tails: _Array, occupied: _Array, count: int, least: int) -> int:
    """The shortest length, of at least `least`, that no interval rules out."""
    length = max(
        least, int(heads.min() + -(-int(occupied.sum()) // count) + (tails - occupied).min())
    )
    while excess := _excess(heads, length - tails, occupied, count):
        length += -(
            -excess // count
        )  # a longer schedule widens every interval, and every window in it, by as much
    return length


def _excess(earliest: _Array, latest: _Array, occupied: _Array, count: int) -> int:
    """Return the steps by which the most overloaded interval exceeds the processors.

    The result is 0 if no interval is overloaded.
    """
    worst = 0
    begins = _thinned(np.concatenate((earliest, latest)))
    ends = _thinned(np.concatenate((earliest + occupied, latest + occupied)))
    for begin in begins:
        stops = ends[ends > begin]
        # Between `begin` and a stop every task spends at least min(after, stop - latest, stop -
        # begin), if that is above zero: `after` is what even the earliest start leaves behind
        # `begin`; the rest grows with the stop from `latest` on.
        after = np.minimum(occupied, earliest + occupied - begin)
        needing = after > 0
        needed = _ramps(np.maximum(latest[needing], begin), after[needing], stops)
        worst = max(worst, int((needed - count * (stops - begin)).max(initial=0)))
    return worst


def _ramps(since: _Array, limit: _Array, stops: _Array) -> _Array:
    """Sum min(max(0, stop - since), limit) over tasks, for every stop.

    Each term is a ramp that begins and ends.
    """
    return _positive_parts(since, stops) - _positive_parts(since + limit, stops)


def _positive_parts(since: _Array, stops: _Array) -> _Array:
    """Sum of max(0, stop - since) for every stop."""
    order = np.sort(since)
    sums = np.concatenate(([0], np.cumsum(order)))
    before = np.searchsorted(order, stops)
    result: _Array = before * stops - sums[before]
    return result


def _thinned(ends: _Array) -> _Array:
    different = np.unique(ends)
    if len(different) <= _MOST_ENDS:
        return different
    return different[np.linspace(0, len(different) - 1, _MOST_ENDS).astype(np.int64)]


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
    seats = (
        _assign(model, graph, resources, starts)
        if resources.handover
        else _share(model, graph, resources, starts)
    )
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
        units = [
            next(unit for unit, here in enumerate(each) if solver.value(here)) for each in seats
        ]
        placements = tuple(
            Placement(task.name, units[i], times[i]) for i, task in enumerate(graph.tasks)
        )
    else:
        placements = seat(graph, resources, times)
    return _Answer(
        placements,
        is_refuted=False,
        bound=ceil(solver.best_objective_bound) if length > found.bound else length,
    )


def _share(
    model: Any, graph: TaskGraph, resources: Resources, starts: Sequence[Any]
) -> list[list[Any]]:
    """Require that every kind of processor has room for its concurrent tasks.

    `seating` later chooses the processor of each task.
    """
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


def _assign(
    model: Any, graph: TaskGraph, resources: Resources, starts: Sequence[Any]
) -> list[list[Any]]:
    """Require a processor for every task, and time for transfers between processors.

    Returns, by task, whether it is on each processor.
    """
    seats = [[model.new_bool_var("") for _ in range(resources.total)] for _ in graph.tasks]
    for unit in range(resources.total):
        model.add_no_overlap(
            model.new_optional_fixed_size_interval_var(
                starts[position], task.duration, seats[position][unit], task.name
            )
            for position, task in enumerate(graph.tasks)
        )
    for position, task in enumerate(graph.tasks):
        model.add_exactly_one(seats[position])
        for unit in range(
            position + 1, resources.total
        ):  # processors are equal: the first tasks take the first ones
            model.add(seats[position][unit] == 0)
        for each in task.predecessors:
            elsewhere = model.new_bool_var("")
            for unit in range(resources.total):
                model.add_implication(seats[position][unit], seats[each][unit]).only_enforce_if(
                    elsewhere.negated()
                )
            model.add(
                starts[each] + graph.tasks[each].duration + resources.handover * elsewhere
                <= starts[position]
            )
    return seats


@dataclass(frozen=True)
class Method:
    """A scheduler.

    Attributes:
        name: as users write it.
        meaning: for users.
        place: a place for every task.
        is_exact: whether what it gives is then improved until the bound proves it.
    """

    name: str
    meaning: str
    place: Callable[[TaskGraph, Resources], tuple[Placement, ...]]
    is_exact: bool = False


METHODS = (
    Method(
        "exact",
        "list schedules, then a search that proves the shortest",
        forward_and_backward,
        is_exact=True,
    ),
    Method(
        "sweeps",
        "list schedules forwards and backwards in turn (Li and Willis 1992)",
        forward_and_backward,
    ),
    Method("list", "highest level first (Hu 1961)", highest_level_first),
    Method(
        "layered", "layer by layer, gaps filled from the next ones (Dhanaraj 1990)", layer_by_layer
    ),
)


def schedule(
    graph: TaskGraph,
    resources: Resources,
    method: Method = METHODS[0],
    seconds: int = DEFAULT_SECONDS,
) -> Schedule:
    """Give every task a place.

    Args:
        graph: what to do.
        resources: what it runs on.
        method: one of `METHODS`.
        seconds: of an exact search, for each length that it asks for, by the solver's deterministic
            clock.

    Raises:
        UsageError: a task has no unit to run on.
        ToolchainError: an exact search is needed, and there is no solver.
    """
    require_units(graph, resources)
    found = Schedule(
        graph,
        resources,
        method.place(graph, resources),
        interval_bound(graph, resources),
        method.name,
    )
    return improve(found, seconds) if method.is_exact else found
