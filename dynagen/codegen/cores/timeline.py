"""Timeline"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush


@dataclass(frozen=True)
class Step:
    """An operation, or the sending or receiving of a message, on the core that does it.

    Attributes:
        duration: for which the core is busy.
        needs: steps that have to be finished, and the time that passes from their end until this one can begin.
    """

    core: int
    duration: int
    needs: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Timeline:
    """The work of every core, one thing after the other.

    Attributes:
        orders: for every core its steps, by position.
        starts: of every step.
        length: from the first step's start to the last one's end.
    """

    orders: tuple[tuple[int, ...], ...]
    starts: tuple[int, ...]
    length: int


def arrange(steps: Sequence[Step], cores: int) -> Timeline | None:
    """Arrange steps; None if some wait for each other in a circle."""
    takers: list[list[tuple[int, int]]] = [[] for _ in steps]
    for position, step in enumerate(steps):
        for needed, latency in step.needs:
            takers[needed].append((position, latency))
    levels = _levels(steps, takers)
    if levels is None:
        return None
    missing = [len(step.needs) for step in steps]
    earliest = [0] * len(steps)  # as far as the steps that are finished say
    starts = [0] * len(steps)
    clocks = [0] * cores
    orders: list[list[int]] = [[] for _ in range(cores)]
    coming: list[list[tuple[int, int]]] = [[] for _ in range(cores)]  # when each can begin
    ready: list[list[tuple[int, int]]] = [[] for _ in range(cores)]  # by level
    for position, step in enumerate(steps):
        if not step.needs:
            ready[step.core].append((-levels[position], position))
    for queue in ready:
        heapify(queue)
    for _ in steps:
        # The core that can go on first: whatever others do after that cannot come in between.
        now, core = min(
            (clocks[each] if ready[each] else max(clocks[each], coming[each][0][0]), each)
            for each in range(cores)
            if ready[each] or coming[each]
        )
        while coming[core] and coming[core][0][0] <= now:
            _, position = heappop(coming[core])
            heappush(ready[core], (-levels[position], position))
        _, position = heappop(ready[core])
        starts[position] = now
        end = clocks[core] = now + steps[position].duration
        orders[core].append(position)
        for taker, latency in takers[position]:
            missing[taker] -= 1
            earliest[taker] = max(earliest[taker], end + latency)
            if not missing[taker]:
                heappush(coming[steps[taker].core], (earliest[taker], taker))
    return Timeline(tuple(map(tuple, orders)), tuple(starts), max(clocks))


def _levels(steps: Sequence[Step], takers: Sequence[Sequence[tuple[int, int]]]) -> list[int] | None:
    """The longest chain that begins with each step; None if some wait for each other in a circle."""
    waiting = [len(each) for each in takers]
    levels = [step.duration for step in steps]
    finished = [position for position, count in enumerate(waiting) if not count]
    for position in finished:  # grows on the way
        for needed, latency in steps[position].needs:
            levels[needed] = max(
                levels[needed], steps[needed].duration + latency + levels[position]
            )
            waiting[needed] -= 1
            if not waiting[needed]:
                finished.append(needed)
    return levels if len(finished) == len(steps) else None
