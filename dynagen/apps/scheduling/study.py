"""Schedules of a task graph on processors or arithmetic units, and published schedules.

Published schedules and run times are in `published/schedules.yaml`, and the operation counts of
Turney, Mudge and Lee (1980) in `published/turney.yaml`. Their Table 5 counts inverse dynamics on an
unlimited number of processors, and Table 2 the Lagrange formulation on one processor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Annotated, Literal

from pydantic import BeforeValidator

from dynagen.apps.scheduling.decomposition import (
    OPERATIONS,
    UNIT,
    LinkShape,
    arm_of,
    decompose,
    graph_of,
)
from dynagen.apps.scheduling.methods import DEFAULT_SECONDS, METHODS, Method, schedule
from dynagen.codegen.cores.schedule import Placement, Resources, Schedule
from dynagen.codegen.cores.tasks import TaskGraph
from dynagen.ir.cost import FLOPS
from dynagen.resources import Polynomial, Record, read_records
from dynagen.robot.description import RobotDescription
from dynagen.stages import Progress

IDLE = "."
"""Mark of an idle processor in the tables of `PrintedSchedule`."""
LOST = "?"
"""Mark of a subtask that cannot be read in a schedule, in the scan of Dhanaraj's thesis."""

_LINKS = 6  # of both printed arms

_Levels = Annotated[
    tuple[tuple[str, ...], ...],
    BeforeValidator(lambda text: tuple(tuple(row.split()) for row in text.splitlines())),
]
_Decimal = Annotated[Fraction, BeforeValidator(lambda number: Fraction(str(number)))]


class PrintedSchedule(Record):
    """Printed schedule in the thesis of Dhanaraj (1990), as a table.

    A row of the table is a level, the time of three operations; a column is a processor.

    Attributes:
        table: number of the table.
        arm: name of the arm, general or stanford.
        levels: rows of the table. An entry is the name of the subtask that the processor executes,
            `IDLE`, or `LOST` for an entry that cannot be read.
    """

    table: str
    arm: Literal["general", "stanford"]
    levels: _Levels

    @property
    def processors(self) -> int:
        """Number of processors of the printed schedule: the columns of its table."""
        return len(self.levels[0])

    @property
    def length(self) -> int:
        """Length of the printed schedule in levels of three operations: the rows of its table."""
        return len(self.levels)

    @property
    def lost(self) -> int:
        """Number of subtasks in the table that cannot be read in the scan of Dhanaraj's thesis."""
        return sum(row.count(LOST) for row in self.levels)

    @property
    def placements(self) -> tuple[Placement, ...]:
        """Processor (column) and level (row), from 0, of each subtask legible in the scan."""
        return tuple(
            Placement(task, unit, level)
            for level, row in enumerate(self.levels)
            for unit, task in enumerate(row)
            if task not in (IDLE, LOST)
        )


class PrintedTimes(Record):
    """Published run times of the Stanford arm's inverse dynamics by one method.

    Attributes:
        source: authors and year of the method.
        milliseconds: time of one call (ms) by number of processors.
    """

    source: str
    milliseconds: dict[int, float]


class PublishedSchedules(Record):
    """All published schedules and run times of `published/schedules.yaml`.

    Tables and Appendix C are in the thesis of Dhanaraj (1990). A level is a row of a printed
    schedule: the subtasks that run at the same time.

    Attributes:
        layers: schedules of Tables 4.3 and 4.7, in which each subtask of a level has its own
            processor.
        schedules: schedules of Appendix C.
        times: run times of Table 4.8.
        microseconds_per_operation: time of one operation on the processor of Table 4.8.
    """

    layers: tuple[PrintedSchedule, ...]
    schedules: tuple[PrintedSchedule, ...]
    times: tuple[PrintedTimes, ...]
    microseconds_per_operation: _Decimal

    def lengths(self, arm: str) -> dict[int, int]:
        """Return the lengths in levels of an arm's printed schedules, by number of processors.

        A level is the time of three operations.

        Args:
            arm: `general` or `stanford`.
        """
        return {
            each.processors: each.length
            for each in (*self.schedules, *self.layers)
            if each.arm == arm
        }


@cache
def published_schedules() -> PublishedSchedules:
    """Read Dhanaraj's schedules and published run times from `published/schedules.yaml`."""
    return read_records(PublishedSchedules, "schedules")


def printed_tasks(arm: str) -> TaskGraph:
    """Return the task graph of the subtasks in an arm's printed schedules.

    The general arm has 230 subtasks by the rules of Dhanaraj's thesis. The Stanford arm has the 156
    subtasks of Table 4.7, in which subtask 129 is misprinted as 127.

    Args:
        arm: `general` or `stanford`.
    """
    if arm == "general":
        return decompose([LinkShape()] * _LINKS)
    (layers,) = (each for each in published_schedules().layers if each.arm == arm)
    return graph_of({placement.task for placement in layers.placements}, _LINKS)


class Term(Record):
    """Intermediate result of inverse dynamics, with the numbers of operations that it requires.

    Attributes:
        term: name of the term in Table 5 of Turney, Mudge and Lee (1980).
        mul: number of multiplications.
        add: number of additions.
    """

    term: str
    mul: int
    add: int


class Simultaneous(Record):
    """Operation counts of inverse dynamics on many processors, by Turney, Mudge and Lee (1980).

    A term is an intermediate result in their Table 5. Independent terms are computed at the same
    time, each on its own processor.

    Attributes:
        opening: terms that are computed in sequence, once for each call.
        outward: terms that are computed at the same time, for each link from the base to the tip.
        inward: terms that are computed at the same time, for each link from the tip to the base.
    """

    opening: tuple[Term, ...]
    outward: tuple[Term, ...]
    inward: tuple[Term, ...]


class LagrangeTerm(Record):
    """Intermediate result of the Lagrange formulation, with its operation counts for n joints.

    Attributes:
        term: name of the term in Table 2 of Turney, Mudge and Lee (1980).
        mul: number of multiplications for n joints, as coefficients of 1, n, n^2 and so on.
        add: number of additions for n joints, as coefficients of 1, n, n^2 and so on.
    """

    term: str
    mul: Polynomial
    add: Polynomial


class Turney(Record):
    """Operation counts of inverse dynamics in Tables 2 and 5 of Turney, Mudge and Lee (1980).

    Attributes:
        simultaneous: counts of Table 5: Newton-Euler equations on an unlimited number of
            processors.
        lagrange: counts of Table 2: the Lagrange formulation on one processor.
    """

    simultaneous: Simultaneous
    lagrange: tuple[LagrangeTerm, ...]


@cache
def turney() -> Turney:
    """Read the operation counts of Turney, Mudge and Lee (1980) from `published/turney.yaml`."""
    return read_records(Turney, "turney")


def simultaneous_steps() -> tuple[Polynomial, Polynomial]:
    """Count successive multiplications and additions of inverse dynamics on many processors.

    The counts are from Table 5 of Turney, Mudge and Lee (1980). Each intermediate result (term) is
    computed on its own processor. Terms that are computed at the same time take as long as the
    longest term.

    Returns:
        Multiplications and additions for n joints, each as coefficients of 1 and n.
    """
    stages = turney().simultaneous

    def steps(counts: Sequence[Sequence[int]]) -> Polynomial:
        opening, outward, inward = counts
        return Fraction(sum(opening)), Fraction(max(outward) + max(inward))

    terms = (stages.opening, stages.outward, stages.inward)
    return steps([[each.mul for each in stage] for stage in terms]), steps(
        [[each.add for each in stage] for stage in terms]
    )


def lagrange_operations() -> tuple[Polynomial, Polynomial]:
    """Count the operations of the Lagrange formulation, Table 2 of Turney et al. (1980).

    Returns:
        Multiplications and additions for n joints, each as coefficients of 1, n, n^2 and so on.
    """

    def total(terms: Sequence[Polynomial]) -> Polynomial:
        return tuple(
            sum((term[k] for term in terms if k < len(term)), Fraction(0))
            for k in range(max(map(len, terms)))
        )

    terms = turney().lagrange
    return total([term.mul for term in terms]), total([term.add for term in terms])


THESIS = "Dhanaraj (1990)"


@dataclass(frozen=True)
class Reference:
    """Published speed-ups, lengths and times of schedules for a task graph.

    Attributes:
        source: authors and year.
        speedups: speed-up over one processor, by number of processors.
        lengths: length of the schedule in steps of the graph, by number of processors; empty if the
            published lengths have another unit.
        milliseconds: run time in ms on the processor of the publication, by number of processors;
            empty if not published.
    """

    source: str
    speedups: Mapping[int, float]
    lengths: Mapping[int, int]
    milliseconds: Mapping[int, float]


@dataclass(frozen=True)
class Study:
    """Schedules of one task graph on several sets of processors or arithmetic units.

    Attributes:
        description: description of the robot.
        function: name of the dynamics function.
        graph: tasks that compute the function.
        method: name of the scheduler.
        schedules: one schedule for each set of processors or arithmetic units.
        references: published speed-ups, schedule lengths and run times for the same robot and
            function.
        milliseconds_per_step: time of one step (the unit of time of the schedules) in ms, on the
            processor of the published times; None without published times.
        notes: remarks for the user.
    """

    description: RobotDescription
    function: str
    graph: TaskGraph
    method: str
    schedules: tuple[Schedule, ...]
    references: tuple[Reference, ...] = ()
    milliseconds_per_step: Fraction | None = None
    notes: tuple[str, ...] = ()


def study(
    description: RobotDescription,
    function: str,
    graph: TaskGraph,
    resources: Sequence[Resources],
    method: Method = METHODS[0],
    seconds: int = DEFAULT_SECONDS,
    progress: Progress = lambda stage, done: None,
    notes: tuple[str, ...] = (),
) -> Study:
    """Schedule a task graph on several sets of processors or arithmetic units.

    Published speed-ups, schedule lengths and run times for the robot are added to the result.

    Args:
        description: the robot.
        function: name of the dynamics function.
        graph: tasks that compute the function.
        resources: processors or arithmetic units of each schedule, and the time to pass a value to
            another processor.
        method: scheduler, one of `methods.METHODS`.
        seconds: time limit in s of the exact search for each length, by the solver's deterministic
            clock.
        progress: called before each schedule with its name and the completed fraction, 0 to 1.
        notes: remarks for the user.

    Raises:
        UsageError: a task has no unit to run on.
        ToolchainError: the exact search is needed, and OR-tools is not installed.
    """
    schedules = []
    for number, each in enumerate(resources):
        progress(f"scheduling on {each.label}", number / len(resources) if number else None)
        schedules.append(schedule(graph, each, method, seconds))
    references, per_step = _find_references(description, function, graph)
    return Study(
        description, function, graph, method.name, tuple(schedules), references, per_step, notes
    )


def _find_references(
    description: RobotDescription, function: str, graph: TaskGraph
) -> tuple[tuple[Reference, ...], Fraction | None]:
    """Return published numbers on schedules of a task graph, and the time (ms) of one step.

    The numbers are speed-ups, schedule lengths and run times. They are published for the subtasks
    of the general arm in the thesis of Dhanaraj (1990), and for inverse dynamics of the example
    arms in the thesis. A step is the unit of time of the task graph. Its time is None if no run
    times are published.
    """
    published = published_schedules()
    of_thesis = graph.unit == UNIT
    if of_thesis and {task.name for task in graph.tasks} == {
        task.name for task in printed_tasks("general").tasks
    }:
        lengths = published.lengths("general")
        return (Reference(THESIS, _speedups(graph.work, lengths), lengths, {}),), None
    # Only these units convert to operations, on which the published times depend.
    counted = of_thesis or graph.unit == FLOPS.name
    arm = arm_of(description) if counted and function == "inverse_dynamics" else None
    if arm is None:
        return (), None
    lengths = published.lengths(arm[0])
    milliseconds = published.microseconds_per_operation / 1000
    references = tuple(
        Reference(
            times.source,
            {count: times.milliseconds[1] / each for count, each in times.milliseconds.items()},
            lengths if times.source == THESIS and of_thesis else {},
            times.milliseconds,
        )
        for times in published.times
    )
    return references, milliseconds * (OPERATIONS if of_thesis else 1)


def _speedups(work: int, lengths: Mapping[int, int]) -> dict[int, float]:
    return {count: work / length for count, length in lengths.items()}
