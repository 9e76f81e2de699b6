"""The interval bound: a length below which no schedule can be.

E. B. Fernandez, B. Bussell, "Bounds on the number of processors and time for multiprocessor optimal schedules", IEEE Trans.
Computers C-22(8), 1973. Within any interval [a, b] of a schedule of length T every task that cannot be wholly before or behind
it has to be under way for some time; all of these together must not need more than the processors have. Here the test is made
for each T, with the windows that this T leaves, which is at least as sharp as their formula for the excess at the length of
the critical path (it is the energetic test of P. Baptiste, C. Le Pape, W. Nuijten, "Satisfiability tests and time-bound
adjustments for cumulative scheduling problems", Annals of Operations Research 92, 1999).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dynagen.scheduling.schedule import Resources
from dynagen.scheduling.tasks import TaskGraph

_Array = npt.NDArray[np.int64]

_MOST_ENDS = 400  # interval ends that are tried; leaving some out keeps the bound true


def interval_bound(graph: TaskGraph, resources: Resources) -> int:
    """Steps below which no schedule of a graph can be; the cost of handing values over is left out of account."""
    heads, tails = np.array(graph.heads, np.int64), np.array(graph.tails, np.int64)
    kinds = np.array([resources.kind_for(task) for task in graph.tasks])
    occupied = np.array([resources.occupied(task) for task in graph.tasks], np.int64)
    bound = graph.critical_path
    for kind, count in resources.counts:
        of_kind = kinds == kind
        if of_kind.any():
            bound = _shortest(heads[of_kind], tails[of_kind], occupied[of_kind], count, bound)
    return bound


def _shortest(heads: _Array, tails: _Array, occupied: _Array, count: int, least: int) -> int:
    """The shortest length, of at least `least`, that no interval rules out."""
    length = max(least, int(heads.min() + -(-int(occupied.sum()) // count) + (tails - occupied).min()))
    while excess := _excess(heads, length - tails, occupied, count):
        length += -(-excess // count)  # a longer schedule widens every interval, and every window in it, by as much
    return length


def _excess(earliest: _Array, latest: _Array, occupied: _Array, count: int) -> int:
    """The steps of work by which the worst interval is overloaded, with so many processors; 0 if none is."""
    worst = 0
    begins = _thinned(np.concatenate((earliest, latest)))
    ends = _thinned(np.concatenate((earliest + occupied, latest + occupied)))
    for begin in begins:
        stops = ends[ends > begin]
        # Between `begin` and a stop every task spends at least min(after, stop - latest, stop - begin), if that is above zero:
        # `after` is what even the earliest start leaves behind `begin`; the rest grows with the stop from `latest` on.
        after = np.minimum(occupied, earliest + occupied - begin)
        needing = after > 0
        needed = _ramps(np.maximum(latest[needing], begin), after[needing], stops)
        worst = max(worst, int((needed - count * (stops - begin)).max(initial=0)))
    return worst


def _ramps(since: _Array, limit: _Array, stops: _Array) -> _Array:
    """Sum over tasks of min(max(0, stop - since), limit), for every stop: ramps that begin and end."""
    return _positive_parts(since, stops) - _positive_parts(since + limit, stops)


def _positive_parts(since: _Array, stops: _Array) -> _Array:
    """Sum of max(0, stop - since) for every stop."""
    order = np.sort(since)
    sums = np.concatenate(([0], np.cumsum(order)))
    before = np.searchsorted(order, stops)
    result: _Array = before * stops - sums[before]
    return result


def _thinned(ends: _Array) -> _Array:
    different = np.unique(ends)
    if len(different) <= _MOST_ENDS:
        return different
    return different[np.linspace(0, len(different) - 1, _MOST_ENDS).astype(np.int64)]
