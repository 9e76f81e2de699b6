"""Phases: what cores compute and hand over, put in order, and written down as a Partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from dynagen.ir.partition import Message, Partition, Phase
from dynagen.scheduling.duplication import Shares
from dynagen.scheduling.handover import Crossing, Parcel
from dynagen.scheduling.timeline import Step, Timeline, arrange
from dynagen.scheduling.work import PICOSECONDS, Work

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
