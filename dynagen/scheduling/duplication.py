"""Duplication: which core computes what, where cheap values are computed by every core that needs them.

B. Kruatrachue, T. Lewis, "Grain size determination for parallel processing", IEEE Software 5(1), 1988.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynagen.scheduling.work import Work


@dataclass(frozen=True)
class Shares:
    """Shares of cores in the computation of values.

    Attributes:
        owners: core of every element of the results, in their order.
        cores: for every operation the cores that compute it, ascending; none if nobody needs it.
        crossings: values that a core needs and does not compute: (operation, sender, receiver), ascending.
    """

    owners: tuple[int, ...]
    cores: tuple[tuple[int, ...], ...]
    crossings: tuple[tuple[int, int, int], ...]


def share(work: Work, places: Sequence[int], count: int, limit: int) -> Shares:
    """Let cores compute what they need of others, where that takes no more than a limit.

    Args:
        work: operations.
        places: core of every operation.
        count: how many cores there are.
        limit: time that a core may spend on what would be handed to it else. What it needs for that in turn is counted as
            often as it is needed, so that it rather takes less.
    """
    again = _times_to_repeat(work, places, count, limit)
    owners = tuple(places[sources[-1]] if sources else 0 for sources in work.results)
    wanted: list[set[int]] = [set() for _ in places]  # by the cores that take the value
    for owner, sources in zip(owners, work.results, strict=True):
        for source in sources:
            wanted[source].add(owner)
    computed: list[tuple[int, ...]] = [()] * len(places)
    crossings = []
    for operation in reversed(range(len(places))):
        home = places[operation]
        received = {
            core for core in wanted[operation] if core != home and again[operation][core] > limit
        }
        crossings += [(operation, home, core) for core in received]
        cores = (wanted[operation] - received) | ({home} if received else set())
        computed[operation] = tuple(sorted(cores))
        for taken in work.takes[operation]:
            wanted[taken] |= cores
    return Shares(owners, tuple(computed), tuple(sorted(crossings)))


def _times_to_repeat(work: Work, places: Sequence[int], count: int, limit: int) -> list[list[int]]:
    """For every operation and core the time to compute it there too, with all that it takes; above the limit only that."""
    times: list[list[int]] = []
    for operation, place in enumerate(places):
        time = [
            min(
                limit + 1,
                work.durations[operation]
                + sum(times[each][core] for each in work.takes[operation]),
            )
            for core in range(count)
        ]
        time[place] = 0
        times.append(time)
    return times
