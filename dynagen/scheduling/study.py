"""One task graph on several resources, beside what others have published for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dynagen.description.description import RobotDescription
from dynagen.ir.cost import FLOPS
from dynagen.scheduling.decomposition import OPERATIONS, UNIT, arm_of
from dynagen.scheduling.exact import DEFAULT_SECONDS
from dynagen.scheduling.methods import METHODS, Method, schedule
from dynagen.scheduling.printed import printed_tasks, published_schedules
from dynagen.scheduling.schedule import Resources, Schedule
from dynagen.scheduling.tasks import TaskGraph
from dynagen.stages import Progress

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
        milliseconds_per_step: on the processor of the references; None if there are none with times.
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
    return Study(description, function, graph, method.name, tuple(schedules), references, per_step, notes)


def _references(
    description: RobotDescription, function: str, graph: TaskGraph
) -> tuple[tuple[Reference, ...], Fraction | None]:
    """Published figures for a graph, and the time of its step where times were."""
    published = published_schedules()
    of_thesis = graph.unit == UNIT
    if of_thesis and {task.name for task in graph.tasks} == {task.name for task in printed_tasks("general").tasks}:
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
