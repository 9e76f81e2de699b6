"""Schedules: tasks with their start times on processors or arithmetic units."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dynagen.codegen.cores.tasks import Task, TaskGraph
from dynagen.errors import UsageError, suggest_word
from dynagen.ir.cost import FMA, KINDS

MOST_UNITS = 1024


@dataclass(frozen=True)
class Resources:
    """Equal processors, or pipelined arithmetic units of several kinds.

    Attributes:
        counts: pairs of a kind, such as "mul", and the number of units of this kind. For
            processors, there is one pair, whose kind is an empty text.
        handover: number of steps that a hand-off of a value to another processor takes; 0 for
            arithmetic units, which share their registers.
    """

    counts: tuple[tuple[str, int], ...]
    handover: int = 0

    @property
    def are_processors(self) -> bool:
        """Whether the resources are processors, which run every task, one at a time.

        Otherwise they are arithmetic units: pipelines, which can begin an operation in every step.
        """
        return self.counts[0][0] == ""

    @property
    def total(self) -> int:
        """Number of processors, or total number of arithmetic units of all kinds."""
        return sum(count for _, count in self.counts)

    @property
    def label(self) -> str:
        """Text for the resources as users write it: `4` processors, or the units `mul=2,add=2`."""
        return ",".join(f"{kind}={count}" if kind else str(count) for kind, count in self.counts)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kind of each arithmetic unit, such as `mul`; an empty text for each processor."""
        return tuple(kind for kind, count in self.counts for _ in range(count))

    def find_kind(self, task: Task) -> str:
        """Return the kind of unit that runs a task, such as `mul`; empty for processors."""
        return "" if self.are_processors else task.kind

    def count_occupied_steps(self, task: Task) -> int:
        """Return the number of steps for which a task occupies its processor or unit.

        The number is the task's duration on a processor, and 1 on a pipelined arithmetic unit.
        """
        # A pipelined unit begins an operation in every step.
        return task.duration if self.are_processors else 1


def make_processors(count: int, handover: int = 0) -> Resources:
    """Return resources that consist of `count` equal processors.

    `handover` is the number of steps that a hand-off of a value to another processor takes.

    Raises:
        UsageError: `count` is not from 1 to 1024.
    """
    if not 1 <= count <= MOST_UNITS:
        raise UsageError(f"expected 1 to {MOST_UNITS} processors, found {count}")
    return Resources((("", count),), handover)


def parse_units(text: str) -> Resources:
    """Return pipelined units of several kinds as resources, from text such as `mul=2,add=2`.

    Raises:
        UsageError: a kind of unit is unknown or occurs twice, or its number is not from 1 to 1024.
    """
    counts: dict[str, int] = {}
    for part in text.split(","):
        kind, _, number = (piece.strip() for piece in part.partition("="))
        if kind not in (known := (*KINDS, FMA)):
            hint = (
                suggest_word(kind, known)
                or f"; expected for example `mul=2,add=2`, with kinds from {', '.join(known)}"
            )
            raise UsageError(f"--units: unknown kind of unit {kind!r}{hint}")
        if kind in counts:
            raise UsageError(f"--units: the kind {kind} occurs twice; write each kind once")
        if not re.fullmatch(r"\d{1,4}", number, re.ASCII) or not 1 <= int(number) <= MOST_UNITS:
            raise UsageError(
                f"--units: expected 1 to {MOST_UNITS} units of kind {kind}, found {number!r}"
            )
        counts[kind] = int(number)
    return Resources(tuple(counts.items()))


def require_units(graph: TaskGraph, resources: Resources) -> None:
    """Check that there is a processor or an arithmetic unit for every task of a graph.

    Raises:
        UsageError: there is no unit for a kind of operation in the graph.
    """
    if resources.are_processors:
        return
    missing = sorted({task.kind for task in graph.tasks} - set(resources.kinds))
    if missing:
        lacking = ", ".join(f"{kind}=1" for kind in missing)
        raise UsageError(
            f"{graph.name} contains operations without a unit: {', '.join(missing)}; add {lacking} "
            "to "
            f"--units {resources.label}"
        )


@dataclass(frozen=True)
class Placement:
    """The start of a task, and the processor or arithmetic unit that runs it.

    Attributes:
        task: name of the task.
        unit: number of the processor or unit, from 0.
        start: step in which the task begins, from 0.
    """

    task: str
    unit: int
    start: int


@dataclass(frozen=True)
class Schedule:
    """Placements of all tasks of a graph.

    Attributes:
        graph: the tasks.
        resources: the processors or arithmetic units.
        placements: placements in the order of the graph's tasks.
        bound: lower bound on the number of steps of any schedule of the graph.
        method: name of the scheduler that placed the tasks.
    """

    graph: TaskGraph
    resources: Resources
    placements: tuple[Placement, ...]
    bound: int
    method: str

    @property
    def length(self) -> int:
        """Steps from the start of the first task to the end of the last one."""
        return compute_length(self.graph, [placement.start for placement in self.placements])

    @property
    def is_optimal(self) -> bool:
        """Whether the length equals the lower bound; if false, a shorter schedule may exist."""
        return self.length == self.bound

    @property
    def speedup(self) -> Fraction:
        """Sum of all durations divided by this schedule's length (Dhanaraj, 1990, equation 4.1)."""
        return Fraction(self.graph.work, self.length) if self.length else Fraction(1)

    @property
    def efficiency(self) -> Fraction:
        """Speed-up divided by the number of processors (Dhanaraj, 1990, equation 4.2).

        An arithmetic unit can begin one operation in each step. For arithmetic units, the
        efficiency is the number of operations, divided by the number of units and by the number of
        steps.
        """
        if self.resources.are_processors:
            return self.speedup / self.resources.total
        return Fraction(len(self.graph.tasks), max(1, self.length) * self.resources.total)


def compute_length(graph: TaskGraph, starts: Sequence[int]) -> int:
    """Return the number of steps until the last task ends; 0 without tasks.

    `starts` contains the start of each task in steps, in the graph's order.
    """
    return max(
        (start + task.duration for start, task in zip(starts, graph.tasks, strict=True)), default=0
    )
