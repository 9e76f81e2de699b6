"""Schedules and times that others have published: data (`published/schedules.yaml`), read and looked up here."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Annotated, Literal

from pydantic import BeforeValidator

from dynagen.records import Record, read_records
from dynagen.scheduling.decomposition import LinkShape, decompose, graph_of
from dynagen.scheduling.schedule import Placement
from dynagen.scheduling.tasks import TaskGraph

IDLE = "."
LOST = "?"

_LINKS = 6  # of every arm that is printed

_Levels = Annotated[
    tuple[tuple[str, ...], ...], BeforeValidator(lambda text: tuple(tuple(row.split()) for row in text.splitlines()))
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
        return {each.processors: each.length for each in (*self.schedules, *self.layers) if each.arm == arm}


@cache
def published_schedules() -> PublishedSchedules:
    """The bundled figures."""
    return read_records(PublishedSchedules, "schedules")


def printed_tasks(arm: str) -> TaskGraph:
    """The subtasks that the printed schedules of an arm are for.

    Of the general arm 230 by the rules; of the Stanford arm the 156 of Table 4.7, in which 127 takes the place of 129.
    """
    if arm == "general":
        return decompose([LinkShape()] * _LINKS)
    (layers,) = (each for each in published_schedules().layers if each.arm == arm)
    return graph_of({placement.task for placement in layers.placements}, _LINKS)
