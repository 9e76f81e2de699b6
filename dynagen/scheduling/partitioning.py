"""Partitioning: a program divided among cores that run at once, where handing values over takes time.

A hand-over takes as long as hundreds of operations, so that list scheduling by itself only scatters what belongs together.
Instead

1. operations are assigned to cores such that few values cross (`assignment`), for several ideas of how much a crossing costs,
   and once by list scheduling, for processors on which a hand-over takes no longer than some operations;
2. what is cheap to compute is computed by every core that needs it (`duplication`), for several ideas of what is cheap;
3. each core's operations are arranged (`timeline`), first as if every value were a message of its own, then with values
   gathered into messages (`handover`), for several ideas of how long it pays to wait so that values go together.

The shortest timeline of all is taken. If one core alone takes no longer, it does all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from dynagen.ir.partition import Partition
from dynagen.ir.program import Program
from dynagen.scheduling.assignment import assign
from dynagen.scheduling.duplication import Shares, share
from dynagen.scheduling.handover import gather
from dynagen.scheduling.list_scheduling import highest_level_first
from dynagen.scheduling.phases import Plan, crossings_of, partition_of, plan
from dynagen.scheduling.schedule import processors
from dynagen.scheduling.work import Timing, Work, work_of

_BANDS = (1, 4, 16)
_CROSSINGS = (Fraction(4), Fraction(16))  # operations that a crossing value counts as
_REPEATED = (
    Fraction(0),
    Fraction(1, 4),
    Fraction(1),
)  # hand-overs that repeating a value may take instead of one
_PATIENCE = (0, 1, 2)  # hand-overs


def divide(program: Program, cores: int, timing: Timing) -> Partition:
    """Divide a program among cores; all of it is for the first one where more of them would not be faster.

    Args:
        program: what to compute.
        cores: how many there are.
        timing: of the target.
    """
    work = work_of(program, timing)
    best = plan(work, share(work, [0] * len(work.operations), cores, 0), (), cores)
    assert best is not None, "operations of one core wait for nobody"
    alone = best.length
    for found in _plans(work, cores):
        if found.length < best.length:
            best = found
    return partition_of(best, alone)


def _assignments(work: Work, cores: int) -> Iterator[Sequence[int]]:
    """Assignments that are tried: a core for every operation. The first is for cores that hand over fast."""
    listed = highest_level_first(work.graph, processors(cores, work.timing.latency))
    yield [placement.unit for placement in listed]
    for bands, crossing in product(_BANDS, _CROSSINGS):
        yield assign(work.graph, cores, bands, work.timing.picoseconds(crossing))


def _plans(work: Work, cores: int) -> Iterator[Plan]:
    """All plans that are tried: of every assignment, every idea of what is cheap to repeat, and of how long to wait."""
    if cores == 1 or not work.operations:
        return
    latency = work.timing.latency
    for places in _assignments(work, cores):
        known: set[Shares] = set()
        for part in _REPEATED:
            shares = share(work, places, cores, int(part * latency))
            if shares in known:
                continue
            known.add(shares)
            crossings = crossings_of(work, shares, cores)
            for parcels in dict.fromkeys(
                gather(crossings, latency, patience * latency) for patience in _PATIENCE
            ):
                found = plan(work, shares, parcels, cores)
                if found is not None:
                    yield found
