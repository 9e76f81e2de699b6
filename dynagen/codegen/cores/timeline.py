"""Order of operations and messages on cores, such that the cores wait little for each other.

The method is Hu's list scheduling (1961), with a given core for each item. An item is an operation,
or the sending or receiving of a message. Among the items that can begin, a free core begins the
item on which the longest chain of items depends. The length of a chain includes the times in which
values pass from one core to another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush


@dataclass(frozen=True)
class CoreStep:
    """An operation, or the sending or receiving of a message, on a core.

    Attributes:
        core: number of the core, from 0.
        duration: time for which the core is busy, in picoseconds.
        needs: pairs (index of another step, delay in picoseconds). This step begins no earlier than
            the other step's end plus the delay.
    """

    core: int
    duration: int
    needs: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Timeline:
    """Order and times of the operations and messages of every core.

    Attributes:
        orders: for every core, the indices of its items (operations and messages) in the order of
            execution.
        starts: time at which every item begins, in picoseconds from 0.
        length: time in picoseconds from the start of the first item to the end of the last one.
    """

    orders: tuple[tuple[int, ...], ...]
    starts: tuple[int, ...]
    length: int


def arrange(steps: Sequence[CoreStep], cores: int) -> Timeline | None:
    """Return order and times of the items on all cores; None if items wait in a circle.

    Each core executes its items one after the other. Among the items that can begin, the item on
    which the longest chain of items depends comes first.

    Args:
        steps: the items: operations, and sending and receiving of messages. `needs` of an item
            refers to other items by their index in `steps`.
        cores: number of cores.
    """
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
    """Return for each item the duration of the longest chain of items that begins with it.

    An item is an operation, or the sending or receiving of a message. Durations are in picoseconds.
    The result is None if items wait for each other in a circle. `takers` holds for each item pairs
    of a waiting item and the delay in picoseconds.
    """
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
