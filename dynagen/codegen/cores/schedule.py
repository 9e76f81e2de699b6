"""Schedule: which task runs when, and where; and what it runs on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dynagen.codegen.cores.tasks import Task, TaskGraph
from dynagen.errors import UsageError, did_you_mean
from dynagen.ir.cost import FMA, KINDS

MOST_UNITS = 1024


@dataclass(frozen=True)
class Resources:
    """Equal processors, or arithmetic units of several kinds.

    Attributes:
        counts: how many there are of each kind, in order; of equal processors the kind is empty.
        handover: steps that a value takes to another processor; units share their registers.
    """

    counts: tuple[tuple[str, int], ...]
    handover: int = 0

    @property
    def are_processors(self) -> bool:
        """Whether every one of them can do everything, one task at a time; units are pipelines and begin one in each step."""
        return self.counts[0][0] == ""

    @property
    def total(self) -> int:
        """Processors, or units of all kinds."""
        return sum(count for _, count in self.counts)

    @property
    def label(self) -> str:
        """The resources as users write them: `4`, or `mul=2,add=2`."""
        return ",".join(f"{kind}={count}" if kind else str(count) for kind, count in self.counts)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kind of every processor or unit, as they are numbered."""
        return tuple(kind for kind, count in self.counts for _ in range(count))

    def kind_for(self, task: Task) -> str:
        """Kind of what a task runs on."""
        return "" if self.are_processors else task.kind

    def occupied(self, task: Task) -> int:
        """Steps before what a task runs on can begin another."""
        return task.duration if self.are_processors else 1


def processors(count: int, handover: int = 0) -> Resources:
    """Resources that are a number of equal processors.

    Raises:
        UsageError: there are none, or more than anybody has.
    """
    if not 1 <= count <= MOST_UNITS:
        raise UsageError(f"processors have to be 1 to {MOST_UNITS}, found {count}")
    return Resources((("", count),), handover)


def units(text: str) -> Resources:
    """Resources that are pipelined units of several kinds, as `mul=2,add=2`.

    Raises:
        UsageError: an unknown kind, one that is given twice, or a number below one.
    """
    counts: dict[str, int] = {}
    for part in text.split(","):
        kind, _, number = (piece.strip() for piece in part.partition("="))
        if kind not in (known := (*KINDS, FMA)):
            hint = (
                did_you_mean(kind, known) or f"; expected as `mul=2,add=2`, of {', '.join(known)}"
            )
            raise UsageError(f"--units: unknown kind of unit {kind!r}{hint}")
        if kind in counts:
            raise UsageError(f"--units: {kind} is given twice")
        if not re.fullmatch(r"\d{1,4}", number, re.ASCII) or not 1 <= int(number) <= MOST_UNITS:
            raise UsageError(
                f"--units: {kind} has to be a number from 1 to {MOST_UNITS}, found {number!r}"
            )
        counts[kind] = int(number)
    return Resources(tuple(counts.items()))


def require_units(graph: TaskGraph, resources: Resources) -> None:
    """Refuse resources that cannot do what a graph asks for.

    Raises:
        UsageError: an operation has no unit to run on.
    """
    if resources.are_processors:
        return
    missing = sorted({task.kind for task in graph.tasks} - set(resources.kinds))
    if missing:
        lacking = ", ".join(f"{kind}=1" for kind in missing)
        raise UsageError(
            f"{graph.name} needs units for {', '.join(missing)}, and --units {resources.label} has none; add {lacking}"
        )


@dataclass(frozen=True)
class Placement:
    """A task in its place.

    Attributes:
        task: its name.
        unit: number of the processor or unit, from 0.
        start: step in which it begins, from 0.
    """

    task: str
    unit: int
    start: int


@dataclass(frozen=True)
class Schedule:
    """A place for every task.

    Attributes:
        placements: in the order of the graph's tasks.
        bound: steps below which no schedule can be.
        method: name of the scheduler.
    """

    graph: TaskGraph
    resources: Resources
    placements: tuple[Placement, ...]
    bound: int
    method: str

    @property
    def length(self) -> int:
        """Steps from the first task's beginning to the last one's end."""
        return length_of(self.graph, [placement.start for placement in self.placements])

    @property
    def is_optimal(self) -> bool:
        """Whether the bound proves that there is none shorter."""
        return self.length == self.bound

    @property
    def speedup(self) -> Fraction:
        """The ratio of the time that a single processor takes (thesis, equation 4.1)."""
        return Fraction(self.graph.work, self.length) if self.length else Fraction(1)

    @property
    def efficiency(self) -> Fraction:
        """Speed-up for each processor (thesis, equation 4.2); of units the part of all steps in which one is begun."""
        if self.resources.are_processors:
            return self.speedup / self.resources.total
        return Fraction(len(self.graph.tasks), max(1, self.length) * self.resources.total)


def length_of(graph: TaskGraph, starts: Sequence[int]) -> int:
    """Steps until the last task is finished."""
    return max(
        (start + task.duration for start, task in zip(starts, graph.tasks, strict=True)), default=0
    )
