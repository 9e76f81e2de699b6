"""Cores that are simulated one step at a time, in any order: what a partition does whatever the
speed of its cores.

It knows the protocol and no code that writes it: two copies of a message, numbers of calls, and who
waits for whom.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from dynagen.codegen.partition import Partition
from dynagen.ir.operation import Operation
from dynagen.ir.program import Element

State = Mapping[str, Sequence[float]]


@dataclass
class _Memory:
    """What cores share."""

    messages: dict[tuple[int, int], tuple[int, dict[int, float]]] = field(
        default_factory=dict
    )  # (message, side) -> call
    finished: dict[int, int] = field(default_factory=dict)
    results: dict[tuple[int, int], float] = field(default_factory=dict)  # (call, place)


def run_cores(partition: Partition, states: Sequence[State], seed: int) -> list[list[float]]:
    """The results of every call, with cores that go on in random order, one of them much less often
    than the others.
    """
    random, memory = Random(seed), _Memory()
    running = {core: _core(partition, core, states, memory) for core in range(len(partition.cores))}
    weights = [random.choice([1, 1, 20]) for _ in partition.cores]
    idle = 0
    while running:
        core = random.choices(list(running), [weights[each] for each in running])[0]
        moved = next(running[core], None)
        if moved is None:
            del running[core]
        idle = 0 if moved is None or moved else idle + 1
        assert idle < 10_000, "every core waits for another"
    count = len(partition.owners)
    return [
        [memory.results[call, place] for place in range(count)]
        for call in range(1, len(states) + 1)
    ]


def _core(
    partition: Partition, core: int, states: Sequence[State], memory: _Memory
) -> Iterator[bool]:
    """What a core does; it says after every step whether it got on."""
    program = partition.program
    owned = [
        (place, value)
        for place, value in enumerate(program.iterate_result_values())
        if partition.owners[place] == core
    ]
    for call, state in enumerate(states, 1):
        side = call % 2
        for other in partition.find_unanswered(core):
            while memory.finished.get(other, 0) < call - 2:
                yield False
        values: dict[int, float] = {}
        for phase in partition.cores[core]:
            for number in phase.receives:
                while memory.messages.get((number, side), (0, {}))[0] != call:
                    yield False
                yield True
                there, received = memory.messages[number, side]
                assert there == call, "overwritten before it was read"
                values |= received
            for position in phase.instructions:
                instruction = program.instructions[position]
                if isinstance(instruction.payload, Element):
                    values[position] = state[instruction.payload.argument][
                        instruction.payload.index
                    ]
                elif instruction.operation is Operation.CONSTANT:
                    values[position] = float(instruction.payload)
                else:
                    values[position] = instruction.operation.compute(
                        *(values[each] for each in instruction.operands)
                    )
            yield True
            for number in phase.sends:
                message = partition.messages[number]
                memory.messages[number, side] = (
                    0,
                    {},
                )  # while it is being written nobody may read it
                yield True
                memory.messages[number, side] = (
                    call,
                    {value: values[value] for value in message.values},
                )
        for place, value in owned:
            memory.results[call, place] = values[value]
        memory.finished[core] = call
        yield True
