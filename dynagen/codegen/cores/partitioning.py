"""Partitioning: a program divided among cores, its cheap values duplicated, and messages between the cores put in order.

Hand-over: values that cross between cores, gathered into as few messages as the timeline bears.

Duplication: which core computes what, where cheap values are computed by every core that needs them.

B. Kruatrachue, T. Lewis, "Grain size determination for parallel processing", IEEE Software 5(1), 1988.

Timeline: steps that have their cores already, each core's in an order in which nobody waits longer than need be.

List scheduling by highest level (Hu 1961) where every step's processor is given: whenever a core is free it takes, of the
steps that can begin, the one with the longest chain behind it, hand-overs counted along the chain.

Phases: what cores compute and hand over, put in order, and written down as a Partition.

Partitioning: a program divided among cores that run at once, where handing values over takes time.

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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from dynagen.codegen.cores.assignment import assign
from dynagen.codegen.cores.list_scheduling import highest_level_first
from dynagen.codegen.cores.schedule import processors
from dynagen.codegen.cores.tasks import PICOSECONDS, Timing, Work, work_of
from dynagen.codegen.cores.timeline import Step, Timeline, arrange
from dynagen.codegen.partition import Message, Partition, Phase
from dynagen.ir.program import Program


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


_LINE = 7  # values that lie in one cache line with the number of their call
_NO_OPERATION = -1
_SENDING = 16  # parts of a hand-over for which the sender is busy, and the receiver with each line that has come already
_RECEIVING = 4
_VALUES = 32  # that are stored or loaded in the time of a hand-over, on processors that take longer for operations


@dataclass(frozen=True)
class Plan:
    """A plan: which core computes what, and when.

    Attributes:
        parcels: messages; of operations' values.
        copies: (operation, core) of the first steps of the timeline; then follow, for each message, its sending and receiving.
    """

    work: Work
    shares: Shares
    parcels: tuple[Parcel, ...]
    copies: tuple[tuple[int, int], ...]
    timeline: Timeline

    @property
    def length(self) -> int:
        """Picoseconds of one call."""
        return self.timeline.length


def plan(work: Work, shares: Shares, parcels: Sequence[Parcel], cores: int) -> Plan | None:
    """Arrange shares of work; None if messages wait for each other in a circle."""
    copies = tuple((operation, core) for operation, on in enumerate(shares.cores) for core in on)
    step_of = {copy: step for step, copy in enumerate(copies)}
    first = len(copies)
    received = {
        (value, each.receiver): first + 2 * place + 1
        for place, each in enumerate(parcels)
        for value in each.values
    }
    steps = []
    for operation, core in copies:
        needs = {
            step_of[taken, core] if (taken, core) in step_of else received[taken, core]
            for taken in work.takes[operation]
        }
        steps.append(
            Step(core, work.durations[operation], tuple((need, 0) for need in sorted(needs)))
        )
    latency = work.timing.latency
    value = min(work.timing.picoseconds(Fraction(1)), latency // _VALUES)
    for place, parcel in enumerate(parcels):
        count = len(parcel.values)
        lines = -(-count // _LINE)
        needs_of_sending = tuple((step_of[each, parcel.sender], 0) for each in parcel.values)
        steps.append(
            Step(parcel.sender, count * value + lines * latency // _SENDING, needs_of_sending)
        )
        steps.append(
            Step(
                parcel.receiver,
                count * value + lines * latency // _RECEIVING,
                ((first + 2 * place, latency),),
            )
        )
    timeline = arrange(steps, cores)
    return None if timeline is None else Plan(work, shares, tuple(parcels), copies, timeline)


def crossings_of(work: Work, shares: Shares, cores: int) -> tuple[Crossing, ...]:
    """The values that cross, with their times in the plan in which each of them is a message of its own."""
    found = plan(
        work,
        shares,
        [Parcel(sender, receiver, (value,)) for value, sender, receiver in shares.crossings],
        cores,
    )
    assert found is not None, "operations wait for earlier ones alone"
    starts = {copy: found.timeline.starts[step] for step, copy in enumerate(found.copies)}
    wanted: dict[tuple[int, int], int] = {}
    for (operation, core), start in starts.items():
        for taken in work.takes[operation]:
            wanted[taken, core] = min(start, wanted.get((taken, core), start))
    end = found.length
    return tuple(
        Crossing(
            value,
            sender,
            receiver,
            starts[value, sender] + work.durations[value],
            wanted.get((value, receiver), end),
        )
        for value, sender, receiver in shares.crossings
    )


def partition_of(found: Plan, alone: int) -> Partition:
    """The partition that a plan describes, instruction by instruction.

    Args:
        found: the plan.
        alone: picoseconds that one core takes by itself.
    """
    work, shares, parcels = found.work, found.shares, found.parcels
    wanted = _wanted(work, shares)
    messages = []
    for each in parcels:
        given = sorted(
            value for operation in each.values for value in work.operations[operation].gives
        )
        messages.append(
            Message(
                each.sender,
                each.receiver,
                tuple(value for value in given if each.receiver in wanted[value]),
            )
        )
    cores = (
        _phases(found, core, order, wanted) for core, order in enumerate(found.timeline.orders)
    )
    times = (Fraction(time, PICOSECONDS) for time in (alone, found.length))
    return Partition(work.program, tuple(messages), tuple(cores), shares.owners, *times)


def _wanted(work: Work, shares: Shares) -> list[set[int]]:
    """For every instruction the cores on which its value is needed, computed there or received."""
    senders = {(operation, receiver): sender for operation, sender, receiver in shares.crossings}
    wanted: list[set[int]] = [set() for _ in work.program.instructions]
    for value, owner in zip(work.program.result_values(), shares.owners, strict=True):
        wanted[value].add(owner)
    for position, instruction in reversed(list(enumerate(work.program.instructions))):
        operation = work.giver.get(position, _NO_OPERATION)
        wanted[position] |= {
            senders[operation, core] for core in wanted[position] if (operation, core) in senders
        }
        computing = {core for core in wanted[position] if (operation, core) not in senders}
        for operand in instruction.operands:
            wanted[operand] |= computing
    return wanted


def _phases(
    found: Plan, core: int, order: Sequence[int], wanted: Sequence[set[int]]
) -> tuple[Phase, ...]:
    """The steps of a core between its waits, instruction by instruction."""
    phases, phase_of = _empty_phases(found, order)
    there: dict[int, int] = {}  # phase from which on a value is there
    for position, instruction in enumerate(found.work.program.instructions):
        if core not in wanted[position]:
            continue
        operation = found.work.giver.get(position)
        # What takes no time comes as soon as it can.
        there[position] = (
            max((there[operand] for operand in instruction.operands), default=0)
            if operation is None
            else phase_of[operation]
        )
        if operation is None or core in found.shares.cores[operation]:
            phases[there[position]].instructions.append(position)
    written = (
        Phase(tuple(each.receives), tuple(each.instructions), tuple(each.sends)) for each in phases
    )
    return tuple(phase for phase in written if phase.receives or phase.instructions or phase.sends)


def _empty_phases(found: Plan, order: Sequence[int]) -> tuple[list[_Phase], dict[int, int]]:
    """The phases of a core with their messages alone; and in which of them it has each operation, computed or received.

    A phase receives, then computes, then sends: a step that comes too late for its phase begins the next one.
    """
    phases = [_Phase()]
    phase_of: dict[int, int] = {}
    for step in order:
        now = phases[-1]
        if step < len(found.copies):
            if now.sends:
                phases.append(_Phase())
            phase_of[found.copies[step][0]] = len(phases) - 1
            phases[-1].is_busy = True
            continue
        message, is_receiving = divmod(step - len(found.copies), 2)
        if not is_receiving:
            now.sends.append(message)
            continue
        if now.is_busy or now.sends:
            phases.append(_Phase())
        phases[-1].receives.append(message)
        phase_of |= dict.fromkeys(found.parcels[message].values, len(phases) - 1)
    return phases, phase_of


@dataclass
class _Phase:
    """A phase that is being filled."""

    receives: list[int] = field(default_factory=list)
    instructions: list[int] = field(default_factory=list)
    sends: list[int] = field(default_factory=list)
    is_busy: bool = False


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
