"""Schedulers, which place the tasks of a graph on processors, and a lower bound on the length.

The length of a schedule is the time at which its last task ends, in steps (the unit of time). The
interval bound follows Fernandez and Bussell, "Bounds on the number of processors and time for
multiprocessor optimal schedules", IEEE Transactions on Computers C-22(8), 1973. The length T of a
schedule limits each task to a time window. A task that cannot run wholly before or after an
interval [a, b] runs in the interval for some time. The sum of these times must not exceed (b - a)
times the number of processors. The shortest length T that passes this test for all tested intervals
is a bound, which is at least as large as the bound by the formula of Fernandez and Bussell. The
test of an interval is the energetic test of Baptiste, Le Pape and Nuijten, "Satisfiability tests
and time-bound adjustments for cumulative scheduling problems", Annals of Operations Research 92,
1999.

The exact search is constraint programming (OR-tools' CP-SAT). The solver decides whether a schedule
of a given length exists; the resulting time windows let the solver find overloaded intervals early.
The search tries lengths from the lower bound upwards. A length that the solver proves infeasible
raises the bound; the first feasible length is optimal. If the solver does not decide within the
time limit, the shortest schedule found is used. The solver runs on one thread with a fixed seed and
a fixed deterministic time, so that the schedule is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from dynagen.codegen.cores.list_scheduling import (
    assign_processors,
    forward_and_backward,
    schedule_highest_level_first,
    schedule_layer_by_layer,
)
from dynagen.codegen.cores.schedule import Placement, Resources, Schedule, require_units
from dynagen.codegen.cores.tasks import TaskGraph
from dynagen.resources import require_extra

_Array = npt.NDArray[np.int64]

_MOST_ENDS = 400  # interval ends that are tested; with fewer ends the bound is weaker, but valid


def interval_bound(graph: TaskGraph, resources: Resources) -> int:
    """Return a lower bound on the length of any schedule of a task graph, in steps.

    The bound ignores the time to pass values between processors.

    Args:
        graph: tasks with durations in steps.
        resources: numbers of processors or of arithmetic units of each kind.
    """
    heads, tails = np.array(graph.heads, np.int64), np.array(graph.tails, np.int64)
    kinds = np.array([resources.find_kind(task) for task in graph.tasks])
    occupied = np.array([resources.count_occupied_steps(task) for task in graph.tasks], np.int64)
    bound = graph.critical_path
    for kind, count in resources.counts:
        of_kind = kinds == kind
        if of_kind.any():
            bound = _find_shortest_length(
                heads[of_kind], tails[of_kind], occupied[of_kind], count, bound
            )
    return bound


def _find_shortest_length(
    heads: _Array, tails: _Array, occupied: _Array, count: int, least: int
) -> int:
    """Return the shortest schedule length, at least `least`, at which no interval is overloaded.

    An interval is overloaded if tasks must run in it for a longer total time than `count`
    processors or units provide. The arrays have an entry for each task, in steps. `heads` contains
    the earliest start, and `tails` the duration of the longest chain that begins with the task.
    `occupied` contains the time for which the task occupies a processor or unit.
    """
    # The least head passes before any work, and the least rest of a chain after all of it.
    length = max(
        least, int(heads.min() + -(-int(occupied.sum()) // count) + (tails - occupied).min())
    )
    while excess := _find_excess(heads, length - tails, occupied, count):
        # With d more steps, the interval that ends d steps later needs as much work as before and
        # has room for d count more. So the excess shrinks by at most d count.
        length += -(-excess // count)
    return length


def _find_excess(earliest: _Array, latest: _Array, occupied: _Array, count: int) -> int:
    """Return the overload (in steps) of the most overloaded interval; 0 without an overload.

    The overload is the total time that tasks must run in the interval, minus the length of the
    interval times the number of processors. The arrays have an entry for each task: earliest and
    latest start, and the time for which the task occupies a processor or unit.
    """
    worst = 0
    begins = _thin_out(np.concatenate((earliest, latest)))
    ends = _thin_out(np.concatenate((earliest + occupied, latest + occupied)))
    for begin in begins:
        stops = ends[ends > begin]
        # Between `begin` and a stop each task runs at least min(after, stop - latest, stop - begin)
        # steps, if that is above zero. `after` is its part behind `begin` at the earliest start;
        # the other two grow with the stop, from `latest` or `begin` on.
        after = np.minimum(occupied, earliest + occupied - begin)
        needing = after > 0
        needed = _sum_ramps(np.maximum(latest[needing], begin), after[needing], stops)
        worst = max(worst, int((needed - count * (stops - begin)).max(initial=0)))
    return worst


def _sum_ramps(since: _Array, limit: _Array, stops: _Array) -> _Array:
    """Sum min(max(0, stop - since), limit) over all tasks, for each entry of `stops`.

    `since` and `limit` have an entry for each task.
    """
    return _sum_positive_parts(since, stops) - _sum_positive_parts(since + limit, stops)


def _sum_positive_parts(since: _Array, stops: _Array) -> _Array:
    """Sum max(0, stop - since) over all tasks (entries of `since`), for each entry of `stops`."""
    order = np.sort(since)
    sums = np.concatenate(([0], np.cumsum(order)))
    before = np.searchsorted(order, stops)
    result: _Array = before * stops - sums[before]
    return result


def _thin_out(ends: _Array) -> _Array:
    """Return at most `_MOST_ENDS` distinct interval ends in ascending order.

    If there are more, evenly spaced ends are kept, including the first and the last.
    """
    different = np.unique(ends)
    if len(different) <= _MOST_ENDS:
        return different
    return different[np.linspace(0, len(different) - 1, _MOST_ENDS).astype(np.int64)]


DEFAULT_SECONDS = 5
"""Default time limit in s for the decision whether a schedule of a given length exists.

The solver's deterministic clock measures the time.
"""


def improve(found: Schedule, seconds: int) -> Schedule:
    """Search for a shorter schedule and a higher lower bound, until length and bound are equal.

    The search also ends if the solver cannot decide within the time limit whether a schedule of
    some length exists.

    Args:
        found: any valid schedule, with a lower bound on its length.
        seconds: time limit in s for each length, by the solver's deterministic clock.

    Returns:
        The shortest schedule found, with the highest proved bound.

    Raises:
        ToolchainError: the schedule is not proved optimal yet, and OR-tools is not installed.
    """
    if not found.is_optimal:
        purpose = "for a shorter schedule, or a proof that it does not exist"
        require_extra("ortools", "schedule", purpose, instead="use --method sweeps")
    while not found.is_optimal:
        answer = _search(found, found.bound, seconds)
        if answer.placements:
            return replace(found, placements=answer.placements)
        if not answer.is_refuted and found.length == found.bound + 1:
            return found  # no length lies between bound and schedule
        if not answer.is_refuted:
            # Undecided: no longer length can be proved optimal, so look for any shorter schedule.
            shorter = _search(found, found.length - 1, seconds)
            bound = found.length if shorter.is_refuted else max(found.bound, shorter.bound)
            return replace(found, placements=shorter.placements or found.placements, bound=bound)
        found = replace(found, bound=found.bound + 1)
    return found


@dataclass(frozen=True)
class _Answer:
    """Result of the solver for one length of the schedule.

    The placements form a schedule of at most this length, if the solver found one. `is_refuted` is
    true if the solver proved that no such schedule exists. `bound` is a lower bound on the length
    of all schedules.
    """

    placements: tuple[Placement, ...]
    is_refuted: bool
    bound: int


def _search(found: Schedule, length: int, seconds: int) -> _Answer:
    """Let the solver search for a schedule of at most `length` steps.

    The starts in the schedule `found` are hints for the solver. The time limit `seconds` is by the
    solver's deterministic clock.
    """
    from ortools.sat.python import cp_model

    graph, resources = found.graph, found.resources
    model = cp_model.CpModel()
    starts = [
        model.new_int_var(head, length - tail, task.name)
        for head, tail, task in zip(graph.heads, graph.tails, graph.tasks, strict=True)
    ]
    seats = (
        _assign_processors(model, graph, resources, starts)
        if resources.handover
        else _limit_concurrency(model, graph, resources, starts)
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
        placements = assign_processors(graph, resources, times)
    return _Answer(
        placements,
        is_refuted=False,
        bound=ceil(solver.best_objective_bound) if length > found.bound else length,
    )


def _limit_concurrency(
    model: Any, graph: TaskGraph, resources: Resources, starts: Sequence[Any]
) -> list[list[Any]]:
    """Add the constraint that tasks at the same time do not outnumber processors or units.

    This suffices if values pass between processors without delay: then the processor of each task
    can be chosen later. The returned list of variables for processors is therefore empty. `starts`
    contains the variable for the start of each task.
    """
    for position, task in enumerate(graph.tasks):
        for each in task.predecessors:
            model.add(starts[each] + graph.tasks[each].duration <= starts[position])
    for kind, count in resources.counts:
        intervals = [
            model.new_fixed_size_interval_var(
                start, resources.count_occupied_steps(task), task.name
            )
            for start, task in zip(starts, graph.tasks, strict=True)
            if resources.find_kind(task) == kind
        ]
        model.add_cumulative(intervals, [1] * len(intervals), count)
    return []


def _assign_processors(
    model: Any, graph: TaskGraph, resources: Resources, starts: Sequence[Any]
) -> list[list[Any]]:
    """Add constraints to `model`: each task runs on one processor, and passing values takes time.

    `starts` contains the solver's variable for the start of each task. For each task and each
    processor, the result contains a variable that is true if the task runs on the processor.
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
        # Processors are equal and can be renumbered: task i uses one of the first i + 1. This
        # excludes schedules that differ in the numbers only.
        for unit in range(position + 1, resources.total):
            model.add(seats[position][unit] == 0)
        for each in task.predecessors:
            elsewhere = model.new_bool_var("")  # may be false only if both are on one processor
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
    """Method of scheduling.

    Attributes:
        name: name on the command line.
        meaning: description for help texts.
        place: function from tasks and resources to the processor (or unit) and start of each task.
        is_exact: whether a search for a provably shortest schedule follows.
    """

    name: str
    meaning: str
    place: Callable[[TaskGraph, Resources], tuple[Placement, ...]]
    is_exact: bool = False


METHODS = (
    Method(
        "exact",
        "list scheduling, then a search for a provably shortest schedule",
        forward_and_backward,
        is_exact=True,
    ),
    Method(
        "sweeps",
        "alternately forward and backward list schedules (Li and Willis 1992)",
        forward_and_backward,
    ),
    Method("list", "highest level first (Hu 1961)", schedule_highest_level_first),
    Method(
        "layered",
        "layer by layer, with gaps filled from later layers (Dhanaraj 1990)",
        schedule_layer_by_layer,
    ),
)


def schedule(
    graph: TaskGraph,
    resources: Resources,
    method: Method = METHODS[0],
    seconds: int = DEFAULT_SECONDS,
) -> Schedule:
    """Place all tasks of a graph on processors or units, and bound the length of schedules.

    Args:
        graph: the tasks with durations and predecessors.
        resources: number of processors, or numbers of arithmetic units of each kind, and the time
            to pass a value to another processor.
        method: scheduler, one of `METHODS`.
        seconds: time limit in s of the exact search for each length, by the solver's deterministic
            clock.

    Returns:
        Processor or unit, and start, of each task, with a lower bound on the length of all
        schedules.

    Raises:
        UsageError: a task has no unit to run on.
        ToolchainError: the exact search is required, and OR-tools is not installed.
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
