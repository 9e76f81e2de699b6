"""Task graphs on several resources next to published schedules.

Schedules and times that others have published: data (`published/schedules.yaml`), read and looked
up here.

Two tables of Turney, Mudge and Lee (1980) computed from their own terms, which are data
(`published/turney.yaml`).

Table 5 counts inverse dynamics on as many processors as one likes; Table 2 counts the Lagrange
formulation on one.

One task graph on several resources, beside what others have published for it.
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
LOST = "?"

_LINKS = 6  # of every arm that is printed

_Levels = Annotated[
    tuple[tuple[str, ...], ...],
    BeforeValidator(lambda text: tuple(tuple(row.split()) for row in text.splitlines())),
]
_Decimal = Annotated[Fraction, BeforeValidator(lambda number: Fraction(str(number)))]


class PrintedSchedule(Record):
    """A table of levels.

    Attributes:
        table: its number.
        arm: general, or stanford.
        levels: for each processor the subtask, `IDLE`, or `LOST` to the scan.
    """

    table: str
    arm: Literal["general", "stanford"]
    levels: _Levels

    @property
    def processors(self) -> int:
        """Columns of the table."""
        return len(self.levels[0])

    @property
    def length(self) -> int:
        """Levels."""
        return len(self.levels)

    @property
    def lost(self) -> int:
        """Places that cannot be read."""
        return sum(row.count(LOST) for row in self.levels)

    @property
    def placements(self) -> tuple[Placement, ...]:
        """The places that can be read."""
        return tuple(
            Placement(task, unit, level)
            for level, row in enumerate(self.levels)
            for unit, task in enumerate(row)
            if task not in (IDLE, LOST)
        )


class PrintedTimes(Record):
    """The time that the Stanford arm takes by somebody's method, for numbers of processors."""

    source: str
    milliseconds: dict[int, float]


class PublishedSchedules(Record):
    """All published schedules and times.

    Attributes:
        layers: subtasks in layers, one processor for each task of the widest.
        schedules: of Appendix C.
        times: of Table 4.8.
        microseconds_per_operation: of the processor that they are for.
    """

    layers: tuple[PrintedSchedule, ...]
    schedules: tuple[PrintedSchedule, ...]
    times: tuple[PrintedTimes, ...]
    microseconds_per_operation: _Decimal

    def lengths(self, arm: str) -> dict[int, int]:
        """Printed levels by processors, for an arm."""
        return {
            each.processors: each.length
            for each in (*self.schedules, *self.layers)
            if each.arm == arm
        }


@cache
def published_schedules() -> PublishedSchedules:
    """The bundled figures."""
    return read_records(PublishedSchedules, "schedules")


def printed_tasks(arm: str) -> TaskGraph:
    """The subtasks that the printed schedules of an arm are for.

    Of the general arm 230 by the rules; of the Stanford arm the 156 of Table 4.7, in which 127
    takes the place of 129.
    """
    if arm == "general":
        return decompose([LinkShape()] * _LINKS)
    (layers,) = (each for each in published_schedules().layers if each.arm == arm)
    return graph_of({placement.task for placement in layers.placements}, _LINKS)


class Term(Record):
    """A term of the algorithm, and what one processor takes for it."""

    term: str
    mul: int
    add: int


class Simultaneous(Record):
    """Terms by stage, one stage for every link.

    The opening terms follow one another; the others are concurrent.
    """

    opening: tuple[Term, ...]
    outward: tuple[Term, ...]
    inward: tuple[Term, ...]


class LagrangeTerm(Record):
    """Multiplications of one term of the Lagrange formulation."""

    term: str
    mul: Polynomial


class Turney(Record):
    """The terms of both tables."""

    simultaneous: Simultaneous
    lagrange: tuple[LagrangeTerm, ...]


@cache
def turney() -> Turney:
    """The bundled data."""
    return read_records(Turney, "turney")


def simultaneous_steps() -> tuple[Polynomial, Polynomial]:
    """Return the sequential multiplications and additions of Table 5.

    Both are polynomials in the number of joints.
    """
    stages = turney().simultaneous

    def steps(counts: Sequence[Sequence[int]]) -> Polynomial:
        opening, outward, inward = counts
        return Fraction(sum(opening)), Fraction(max(outward) + max(inward))

    terms = (stages.opening, stages.outward, stages.inward)
    return steps([[each.mul for each in stage] for stage in terms]), steps(
        [[each.add for each in stage] for stage in terms]
    )


def lagrange_multiplications() -> Polynomial:
    """Multiplications of the Lagrange formulation (Table 2), as a polynomial in the joints."""
    terms = [term.mul for term in turney().lagrange]
    return tuple(
        sum((term[k] for term in terms if k < len(term)), Fraction(0))
        for k in range(max(map(len, terms)))
    )


THESIS = "Dhanaraj (1990)"


@dataclass(frozen=True)
class Reference:
    """Published speed-ups and lengths for a graph, by number of processors.

    Attributes:
        source: who.
        speedups: over one processor.
        lengths: in the unit of the graph; empty if it is of something else.
        milliseconds: on the processor that it was published for; empty if it was for none.
    """

    source: str
    speedups: Mapping[int, float]
    lengths: Mapping[int, int]
    milliseconds: Mapping[int, float]


@dataclass(frozen=True)
class Study:
    """Schedules of one graph.

    Attributes:
        description: of the robot.
        function: what is computed.
        method: name of the scheduler.
        schedules: one for each of the resources.
        references: others, for the same robot and function.
        milliseconds_per_step: on the processor of the references; None if there are none with
            times.
        notes: for the user.
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
    """Schedule a graph on each of several resources, and look up what others reach.

    Raises:
        UsageError, ToolchainError: as `methods.schedule`.
    """
    schedules = []
    for number, each in enumerate(resources):
        progress(f"scheduling on {each.label}", number / len(resources) if number else None)
        schedules.append(schedule(graph, each, method, seconds))
    references, per_step = _references(description, function, graph)
    return Study(
        description, function, graph, method.name, tuple(schedules), references, per_step, notes
    )


def _references(
    description: RobotDescription, function: str, graph: TaskGraph
) -> tuple[tuple[Reference, ...], Fraction | None]:
    """Published figures for a graph, and the time of its step where times were."""
    published = published_schedules()
    of_thesis = graph.unit == UNIT
    if of_thesis and {task.name for task in graph.tasks} == {
        task.name for task in printed_tasks("general").tasks
    }:
        lengths = published.lengths("general")
        return (Reference(THESIS, _speedups(graph.work, lengths), lengths, {}),), None
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
