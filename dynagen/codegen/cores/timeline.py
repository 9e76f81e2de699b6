"""Timeline: operations and messages with known cores, each core's in an order with short waits.

List scheduling by highest level (T. C. Hu, 1961) with a given processor for every item: a free core
takes, of the items that can begin, the one with the longest chain of successors. Hand-off times
count in the chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush


@dataclass(frozen=True)
class CoreStep:
    """An operation, or the sending or receiving of a message, on a core.

    Attributes:
        duration: time for which the core is busy.
        needs: (item, delay) for every item that must end before this one begins, at least the delay
            earlier.
    """

    core: int
    duration: int
    needs: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Timeline:
    """Order and times of the work of every core.

    Attributes:
        orders: items of every core in order, by position.
        starts: start of every item.
        length: time from the start of the first item to the end of the last one.
    """

    orders: tuple[tuple[int, ...], ...]
    starts: tuple[int, ...]
    length: int


def arrange(steps: Sequence[CoreStep], cores: int) -> Timeline | None:
    """Arrange items on their cores; return None if some wait for each other in a circle."""
    # For every item, the items that need it, with their delays.
    takers: list[list[tuple[int, int]]] = [[] for _ in steps]
    for position, step in enumerate(steps):
        for needed, latency in step.needs:
            takers[needed].append((position, latency))
    levels = _levels(steps, takers)
    if levels is None:
        return None
    missing = [len(step.needs) for step in steps]
    earliest = [0] * len(steps)  # from the items that are finished so far
    starts = [0] * len(steps)
    clocks = [0] * cores
    orders: list[list[int]] = [[] for _ in range(cores)]
    coming: list[list[tuple[int, int]]] = [[] for _ in range(cores)]  # by their earliest starts
    ready: list[list[tuple[int, int]]] = [[] for _ in range(cores)]  # by level
    for position, step in enumerate(steps):
        if not step.needs:
            ready[step.core].append((-levels[position], position))
    for queue in ready:
        heapify(queue)
    for _ in steps:
        # The core that can continue first: later work of other cores cannot change its choice.
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


def _levels(
    steps: Sequence[CoreStep], takers: Sequence[Sequence[tuple[int, int]]]
) -> list[int] | None:
    """Return the longest chain that begins with each item; None if items wait in a circle."""
    # Kahn's algorithm from the last items back: an item in a circle never becomes finished.
    waiting = [len(each) for each in takers]
    levels = [step.duration for step in steps]
    finished = [position for position, count in enumerate(waiting) if not count]
    for position in finished:  # the list grows in the loop
        for needed, latency in steps[position].needs:
            levels[needed] = max(
                levels[needed], steps[needed].duration + latency + levels[position]
            )
            waiting[needed] -= 1
            if not waiting[needed]:
                finished.append(needed)
    return levels if len(finished) == len(steps) else None
