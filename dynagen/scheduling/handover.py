"""Hand-over: values that cross between cores, gathered into as few messages as the timeline bears."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Crossing:
    """A value that another core needs.

    Attributes:
        value: which one.
        sender, receiver: cores.
        there: when the sender has it.
        wanted: when the receiver first uses it.
    """

    value: int
    sender: int
    receiver: int
    there: int
    wanted: int


@dataclass(frozen=True)
class Parcel:
    """Values that go from one core to another together."""

    sender: int
    receiver: int
    values: tuple[int, ...]


def gather(crossings: Iterable[Crossing], latency: int, patience: int) -> tuple[Parcel, ...]:
    """The fewest messages that deliver every value in time, or at most so much later.

    A value can be sent from when it is there until the hand-over before it is wanted: an interval. A message is a point in
    time, and takes along all values whose intervals it stabs. Taking the end of the interval that ends first, again and again,
    gives the fewest points.

    Args:
        crossings: values with times of a schedule.
        latency: of a hand-over.
        patience: for how long a receiver may be made to wait so that values come together.
    """
    between: dict[tuple[int, int], list[Crossing]] = {}
    for each in crossings:
        between.setdefault((each.sender, each.receiver), []).append(each)
    parcels = []
    for (sender, receiver), waiting in sorted(between.items()):
        waiting.sort(key=lambda each: (each.wanted, each.value))
        while waiting:
            point = max(waiting[0].there, waiting[0].wanted - latency + patience)
            parcels.append(
                Parcel(sender, receiver, _values(each for each in waiting if each.there <= point))
            )
            waiting = [each for each in waiting if each.there > point]
    return tuple(parcels)


def _values(crossings: Iterable[Crossing]) -> tuple[int, ...]:
    return tuple(sorted(each.value for each in crossings))
