"""Division of a program among cores that run at the same time and exchange slow messages.

A hand-off of a value between cores takes as long as hundreds of operations. List scheduling alone
would separate operations that exchange values. The division therefore has four steps.

1. Operations are assigned to cores so that few values cross between cores (`assignment`). Several
   costs of a crossing value are tried. In addition, list scheduling assigns the operations once;
   this is good for processors with very fast hand-offs.
2. A core computes a value of another core itself if that takes less time than a limit
   (`share_values`). Several limits are tried (Kruatrachue and Lewis, "Grain size determination for
   parallel processing", IEEE Software 5(1), 1988).
3. The operations of each core are put in order (`timeline`), first with one message for every
   value, then with several values in a message (`gather`). Several limits are tried for the time
   that a core may wait for a message with several values.
4. Of all these divisions, the one with the shortest estimated time of a call is the result.

If several cores are not faster than one core, one core computes the whole program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from dynagen.codegen.cores.assignment import assign
from dynagen.codegen.cores.list_scheduling import schedule_highest_level_first
from dynagen.codegen.cores.schedule import make_processors
from dynagen.codegen.cores.tasks import PICOSECONDS, Timing, Work, compute_work
from dynagen.codegen.cores.timeline import CoreStep, Timeline, arrange
from dynagen.codegen.partition import Message, Partition, Phase
from dynagen.ir.program import Program


@dataclass(frozen=True)
class Crossing:
    """A value that one core computes and another core needs.

    Attributes:
        value: index in `Work.operations` of the operation that computes the value.
        sender, receiver: numbers, from 0, of the sending and of the receiving core.
        there: time in picoseconds, from the start of the call, at which the sending core has
            computed the value.
        wanted: time in picoseconds at which the receiving core first uses the value.
    """

    value: int
    sender: int
    receiver: int
    there: int
    wanted: int


@dataclass(frozen=True)
class Parcel:
    """Values that one core sends to another in one message.

    Attributes:
        sender, receiver: numbers of the cores, from 0.
        values: indices in `Work.operations` of the operations that compute the values, ascending.
    """

    sender: int
    receiver: int
    values: tuple[int, ...]


def gather(crossings: Iterable[Crossing], latency: int, patience: int) -> tuple[Parcel, ...]:
    """Return the fewest messages that deliver every value in time, or at most `patience` late.

    Each value can be sent in an interval of time. The interval begins when the value is computed.
    It ends `patience` after the last moment at which the value could be sent to arrive in time. A
    message between two cores carries all values that can be sent at the time of the message. The
    fewest messages result if each message is sent when the first interval of the remaining values
    ends. A value that is computed too late is sent at once.

    Args:
        crossings: values that cross between cores, with the times of a schedule in which each value
            has its own message.
        latency: time of a hand-off in picoseconds.
        patience: longest time, in picoseconds, by which a message may arrive too late.
    """
    between: dict[tuple[int, int], list[Crossing]] = {}
    for crossing in crossings:
        between.setdefault((crossing.sender, crossing.receiver), []).append(crossing)
    parcels = []
    for (sender, receiver), waiting in sorted(between.items()):
        waiting.sort(key=lambda each: (each.wanted, each.value))
        while waiting:
            # The interval that ends first; a value that exists too late is sent at once.
            point = max(waiting[0].there, waiting[0].wanted - latency + patience)
            parcels.append(
                Parcel(
                    sender,
                    receiver,
                    _values(crossing for crossing in waiting if crossing.there <= point),
                )
            )
            waiting = [crossing for crossing in waiting if crossing.there > point]
    return tuple(parcels)


def _values(crossings: Iterable[Crossing]) -> tuple[int, ...]:
    """Return the indices, ascending, of the operations whose values cross between cores."""
    return tuple(sorted(crossing.value for crossing in crossings))


@dataclass(frozen=True)
class Shares:
    """Cores that compute each value, and the core that stores each element of the results.

    Attributes:
        owners: for each element of the results, the number from 0 of the core that stores it. The
            elements are in the order of `Program.iterate_result_values`.
        cores: for each operation the numbers from 0 of the cores that compute it, ascending; empty
            if its value is unused.
        crossings: triples (index of an operation, sending core, receiving core), ascending, for
            each value that the receiving core needs but does not compute.
    """

    owners: tuple[int, ...]
    cores: tuple[tuple[int, ...], ...]
    crossings: tuple[tuple[int, int, int], ...]


def share_values(work: Work, places: Sequence[int], count: int, limit: int) -> Shares:
    """Decide which cores compute each value.

    A core that needs a value of another core computes the value itself, if that takes at most
    `limit`. Otherwise the core receives the value.

    Args:
        work: operations of the program.
        places: number (from 0) of the core to which every operation is assigned.
        count: number of cores.
        limit: longest time in picoseconds for computing a value instead of receiving it. The time
            includes all operations of other cores on which the value depends. An operation on which
            two of these operations depend is counted twice.
    """
    repeat_times = _times_to_repeat(work, places, count, limit)
    # The core of the last operation stores a result; constants are stored by core 0.
    owners = tuple(places[sources[-1]] if sources else 0 for sources in work.results)
    wanted: list[set[int]] = [set() for _ in places]  # cores that need each operation's value
    for owner, sources in zip(owners, work.results, strict=True):
        for source in sources:
            wanted[source].add(owner)
    computed: list[tuple[int, ...]] = [()] * len(places)
    crossings = []
    # From the results back: users of a value come before its own operation.
    for operation in reversed(range(len(places))):
        home = places[operation]
        received = {
            core
            for core in wanted[operation]
            if core != home and repeat_times[operation][core] > limit
        }
        crossings += [(operation, home, core) for core in received]
        # The home core must compute a value that any core receives.
        cores = (wanted[operation] - received) | ({home} if received else set())
        computed[operation] = tuple(sorted(cores))
        for taken in work.predecessors[operation]:
            wanted[taken] |= cores
    return Shares(owners, tuple(computed), tuple(sorted(crossings)))


def _times_to_repeat(work: Work, places: Sequence[int], count: int, limit: int) -> list[list[int]]:
    """Return for each operation the time to compute its value on each of `count` cores.

    `places` holds the core to which each operation is assigned; on this core, the time is 0. On
    another core, the time includes all operations on which the value depends and which are not
    assigned to that core. Times are in picoseconds; a time above `limit` is replaced by limit + 1.
    """
    times: list[list[int]] = []
    for operation, place in enumerate(places):
        time = [
            min(
                limit + 1,
                work.durations[operation]
                + sum(times[each][core] for each in work.predecessors[operation]),
            )
            for core in range(count)
        ]
        time[place] = 0
        times.append(time)
    return times


_LINE = 7  # values that share a cache line with the number of their call
_NO_OPERATION = -1
# For every cache line of a message, the sender is busy for 1/16 of a hand-off, the receiver for
# 1/4 if the line has arrived.
_SENDING = 16
_RECEIVING = 4
# A value is stored or loaded in at most 1/32 of a hand-off, even if operations are slower.
_VALUES = 32


@dataclass(frozen=True)
class Plan:
    """A division of a program among cores: the cores and times of all operations and messages.

    Attributes:
        work: operations of the program, with their durations.
        shares: cores that compute each operation and store each result.
        parcels: messages between cores.
        copies: pairs (index of an operation, core that computes it). Item k of the timeline is the
            computation `copies[k]`. After these items, the timeline has two items for each message:
            sending and receiving.
        timeline: order and times of these items on every core.
    """

    work: Work
    shares: Shares
    parcels: tuple[Parcel, ...]
    copies: tuple[tuple[int, int], ...]
    timeline: Timeline

    @property
    def length(self) -> int:
        """Estimated time of one call of the divided program, in picoseconds."""
        return self.timeline.length


def plan(work: Work, shares: Shares, parcels: Sequence[Parcel], cores: int) -> Plan | None:
    """Return the order and times of the work of all cores.

    The result is None if messages wait for each other in a circle.

    Args:
        work: operations of the program.
        shares: cores that compute each operation and store each result.
        parcels: messages between the cores.
        cores: number of cores.
    """
    copies = tuple((operation, core) for operation, on in enumerate(shares.cores) for core in on)
    # Positions in the timeline: operations first, then a sending and a receiving for each message.
    step_of = {copy: step for step, copy in enumerate(copies)}
    first = len(copies)
    received = {
        (value, parcel.receiver): first + 2 * place + 1
        for place, parcel in enumerate(parcels)
        for value in parcel.values
    }
    steps = []
    for operation, core in copies:
        needs = {
            step_of[taken, core] if (taken, core) in step_of else received[taken, core]
            for taken in work.predecessors[operation]
        }
        steps.append(
            CoreStep(core, work.durations[operation], tuple((need, 0) for need in sorted(needs)))
        )
    latency = work.timing.latency
    value = min(work.timing.compute_picoseconds(Fraction(1)), latency // _VALUES)
    for place, parcel in enumerate(parcels):
        count = len(parcel.values)
        lines = -(-count // _LINE)
        needs_of_sending = tuple((step_of[each, parcel.sender], 0) for each in parcel.values)
        steps.append(
            CoreStep(parcel.sender, count * value + lines * latency // _SENDING, needs_of_sending)
        )
        steps.append(
            CoreStep(
                parcel.receiver,
                count * value + lines * latency // _RECEIVING,
                ((first + 2 * place, latency),),
            )
        )
    timeline = arrange(steps, cores)
    return None if timeline is None else Plan(work, shares, tuple(parcels), copies, timeline)


def find_crossings(work: Work, shares: Shares, cores: int) -> tuple[Crossing, ...]:
    """Return the values that cross between cores, with times of computation and of first use.

    The times belong to the schedule in which every value has its own message.
    """
    found = plan(
        work,
        shares,
        [Parcel(sender, receiver, (value,)) for value, sender, receiver in shares.crossings],
        cores,
    )
    assert found is not None, (
        "without combined messages, every operation waits for earlier operations only"
    )
    starts = {copy: found.timeline.starts[step] for step, copy in enumerate(found.copies)}
    wanted: dict[tuple[int, int], int] = {}
    for (operation, core), start in starts.items():
        for taken in work.predecessors[operation]:
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


def make_partition(found: Plan, alone: int) -> Partition:
    """Return a plan as a partition, which assigns single instructions to cores.

    An operation of the plan may consist of several instructions, such as a multiply-add.

    Args:
        found: plan that assigns the program's operations to cores.
        alone: time of a call on one core in picoseconds.
    """
    work, shares, parcels = found.work, found.shares, found.parcels
    wanted = _find_wanted(work, shares)
    messages = []
    for parcel in parcels:
        given = sorted(
            value for operation in parcel.values for value in work.operations[operation].gives
        )
        messages.append(
            Message(
                parcel.sender,
                parcel.receiver,
                tuple(value for value in given if parcel.receiver in wanted[value]),
            )
        )
    cores = (
        _phases(found, core, order, wanted) for core, order in enumerate(found.timeline.orders)
    )
    times = (Fraction(time, PICOSECONDS) for time in (alone, found.length))
    return Partition(work.program, tuple(messages), tuple(cores), shares.owners, *times)


def _find_wanted(work: Work, shares: Shares) -> list[set[int]]:
    """Return for each instruction the numbers of the cores that compute or receive its value."""
    senders = {(operation, receiver): sender for operation, sender, receiver in shares.crossings}
    wanted: list[set[int]] = [set() for _ in work.program.instructions]
    for value, owner in zip(work.program.iterate_result_values(), shares.owners, strict=True):
        wanted[value].add(owner)
    for position, instruction in reversed(list(enumerate(work.program.instructions))):
        operation = work.operation_by_instruction.get(position, _NO_OPERATION)
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
    """Return the phases of a core's work: in each, it receives messages, computes, then sends.

    `order` lists the indices of the core's items in the plan's timeline, as executed. `wanted`
    holds for each instruction the cores that compute or receive its value.
    """
    phases, phase_of = _empty_phases(found, order)
    there: dict[int, int] = {}  # first phase in which a value exists
    for position, instruction in enumerate(found.work.program.instructions):
        if core not in wanted[position]:
            continue
        operation = found.work.operation_by_instruction.get(position)
        # Operations that cost no time are repeated as early as their operands exist.
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


def _empty_phases(found: Plan, order: Sequence[int]) -> tuple[list[_OpenPhase], dict[int, int]]:
    """Return a core's phases, still without instructions, and the phase of each operation.

    A phase first receives messages, then computes, then sends. `order` lists the core's operations
    and messages as executed. For example, a message that is received after a computation begins the
    next phase. The mapping is from an operation to the index of the phase in which the core
    computes the operation or receives its value.
    """
    phases = [_OpenPhase()]
    phase_of: dict[int, int] = {}
    for step in order:
        now = phases[-1]
        if step < len(found.copies):
            # After a sending, a computation belongs to the next phase.
            if now.sends:
                phases.append(_OpenPhase())
            phase_of[found.copies[step][0]] = len(phases) - 1
            phases[-1].is_busy = True
            continue
        message, is_receiving = divmod(step - len(found.copies), 2)
        if not is_receiving:
            now.sends.append(message)
            continue
        # A receiving after computation or sending begins the next phase.
        if now.is_busy or now.sends:
            phases.append(_OpenPhase())
        phases[-1].receives.append(message)
        phase_of |= dict.fromkeys(found.parcels[message].values, len(phases) - 1)
    return phases, phase_of


@dataclass
class _OpenPhase:
    """A `Phase` under construction; `is_busy` is whether the core computes an operation in it."""

    receives: list[int] = field(default_factory=list)
    instructions: list[int] = field(default_factory=list)
    sends: list[int] = field(default_factory=list)
    is_busy: bool = False


_BANDS = (1, 4, 16)
_CROSSINGS = (Fraction(4), Fraction(16))  # cost of a crossing value, in operations
# Longest times for repeating a value instead of receiving it, in hand-offs.
_REPEATED = (Fraction(0), Fraction(1, 4), Fraction(1))
_PATIENCE = (0, 1, 2)  # additional waits of a receiver, in hand-offs


def divide(program: Program, cores: int, timing: Timing) -> Partition:
    """Divide a program among cores, so that the estimated time of one call is short.

    The shortest of several tried divisions is returned; it need not be optimal. If no division is
    faster than one core, the first core computes the whole program.

    Args:
        program: program to divide.
        cores: number of cores.
        timing: time of an operation, and time to hand a value from one core to another.
    """
    work = compute_work(program, timing)
    best = plan(work, share_values(work, [0] * len(work.operations), cores, 0), (), cores)
    assert best is not None, "operations on one core never wait for each other in a cycle"
    # All operations on one core, without messages.
    alone = best.length
    for found in _plans(work, cores):
        if found.length < best.length:
            # The first of equal plans is kept, for identical output on every machine.
            best = found
    return make_partition(best, alone)


def _assignments(work: Work, cores: int) -> Iterator[Sequence[int]]:
    """Yield assignments to try; an assignment holds the number of a core for every operation.

    List scheduling makes the first assignment, which is good if hand-offs are fast. `assign` makes
    the others, in which fewer values cross between cores.
    """
    listed = schedule_highest_level_first(work.graph, make_processors(cores, work.timing.latency))
    yield [placement.unit for placement in listed]
    for bands, crossing in product(_BANDS, _CROSSINGS):
        yield assign(work.graph, cores, bands, work.timing.compute_picoseconds(crossing))


def _plans(work: Work, cores: int) -> Iterator[Plan]:
    """Yield the divisions of a program among cores that are tried.

    Each is made from an assignment of operations to cores and two limits. One limits the time in
    which a core computes a value of another core itself. The other limits the time by which a
    message may arrive too late.
    """
    if cores == 1 or not work.operations:
        return
    latency = work.timing.latency
    for places in _assignments(work, cores):
        known: set[Shares] = set()
        for part in _REPEATED:
            shares = share_values(work, places, cores, int(part * latency))
            # Different limits often lead to the same shares.
            if shares in known:
                continue
            known.add(shares)
            crossings = find_crossings(work, shares, cores)
            for parcels in dict.fromkeys(
                gather(crossings, latency, patience * latency) for patience in _PATIENCE
            ):
                found = plan(work, shares, parcels, cores)
                if found is not None:
                    yield found
