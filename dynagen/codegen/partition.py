"""Partition of a program among cores, and each core's share as a program.

The cores exchange values in messages. Each core computes straight-line code; in the program of its
share, messages are arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from dynagen.codegen.naming import NameTable
from dynagen.ir.program import Argument, Element, Instruction, Operation, Output, Program


@dataclass(frozen=True)
class Message:
    """Values that one core sends to another together.

    Attributes:
        sender, receiver: cores, counted from 0.
        values: positions of the instructions that compute the values, ascending.
    """

    sender: int
    receiver: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class Phase:
    """Work of a core between two waits: it receives, computes, then sends.

    Attributes:
        receives, sends: messages, by their positions in the partition.
        instructions: positions in the program, ascending.
    """

    receives: tuple[int, ...]
    instructions: tuple[int, ...]
    sends: tuple[int, ...]


@dataclass(frozen=True)
class Partition:
    """Division of a program among cores. Cheap values are computed by every core that needs them.

    Attributes:
        program: program that the cores compute together.
        messages: messages of every call.
        cores: phases of every core; a core without phases is idle.
        owners: core that stores each element of the results, in the order of
            `program.iterate_result_values()`.
        alone: estimated time of a call on one core, in nanoseconds.
        together: estimated time of a call on all cores, in nanoseconds.
    """

    program: Program
    messages: tuple[Message, ...]
    cores: tuple[tuple[Phase, ...], ...]
    owners: tuple[int, ...]
    alone: Fraction
    together: Fraction

    @property
    def busy(self) -> int:
        """Number of cores that are not idle."""
        return sum(map(bool, self.cores))

    @property
    def speedup(self) -> Fraction:
        """Time on one core divided by the time on all."""
        return self.alone / self.together if self.together else Fraction(1)

    @cached_property
    def pairs(self) -> frozenset[tuple[int, int]]:
        """Sender and receiver of every message."""
        return frozenset((message.sender, message.receiver) for message in self.messages)

    def find_unanswered(self, core: int) -> tuple[int, ...]:
        """Return the cores that receive messages from a core but send none back.

        Because these cores send nothing back, the core cannot know how far their work has come.
        """
        return tuple(
            sorted(
                receiver
                for sender, receiver in self.pairs
                if sender == core and (receiver, core) not in self.pairs
            )
        )

    def is_waited_for(self, core: int) -> bool:
        """Return whether another core has to wait for the end of this core's calls."""
        return any(core in self.find_unanswered(other) for other in range(len(self.cores)))


_STORED = "stored"


@dataclass(frozen=True)
class Exchange:
    """Messages of a core around one stretch of computation.

    Attributes:
        awaited: messages that the core waits for before it computes.
        sent: messages that the core sends afterwards.
        sections: sections of the share's program in between; the first one holds the received
            values.
    """

    awaited: tuple[int, ...]
    sent: tuple[int, ...]
    sections: range


@dataclass(frozen=True)
class Share:
    """One core's part of a kernel.

    Attributes:
        program: its inputs are the kernel's inputs and messages; its only output is the vector of
            all values that it stores.
        stores: target of each of these values: an element of a message or of the kernel's results.
        exchanges: exchanges in order.
        messages: name of a message in the program -> its position in the partition.
    """

    partition: Partition
    core: int
    program: Program
    stores: tuple[Element, ...]
    exchanges: tuple[Exchange, ...]
    messages: Mapping[str, int]


def find_share(partition: Partition, core: int) -> Share:
    """Return the part of a kernel that one core (number from 0) computes, as a program."""
    program = partition.program
    # In the share's program, messages are arguments with names that no other argument has.
    table = NameTable(argument.name for argument in program.arguments)
    names = [table.claim(f"message{number}") for number in range(1, len(partition.messages) + 1)]
    instructions: list[Instruction] = []
    sections: list[str] = []
    exchanges = []
    place: dict[int, int] = {}  # value's position in the program -> position in the share
    stores: list[tuple[Element, int]] = []
    for phase in partition.cores[core]:
        first = len(sections)
        sections.append("")
        for message in phase.receives:
            # Read each received value once, into a copy with the value's own name.
            for index, value in enumerate(partition.messages[message].values):
                instructions.append(
                    Instruction(
                        Operation.INPUT, payload=Element(names[message], index), section=first
                    )
                )
                name = program.instructions[value].name
                instructions.append(
                    Instruction(Operation.COPY, (len(instructions) - 1,), name=name, section=first)
                )
                place[value] = len(instructions) - 1
        title = None
        for position in phase.instructions:
            instruction = program.instructions[position]
            # Sections of the program stay sections of the share.
            if instruction.section != title:
                title = instruction.section
                sections.append(program.sections[title])
            operands = tuple(place[operand] for operand in instruction.operands)
            place[position] = len(instructions)
            instructions.append(instruction._replace(operands=operands, section=len(sections) - 1))
        # Sent values are stored in the order of their message; `CoreWriter.write_work` relies on
        # it.
        for message in phase.sends:
            values = partition.messages[message].values
            stores += (
                (Element(names[message], index), place[value]) for index, value in enumerate(values)
            )
        exchanges.append(Exchange(phase.receives, phase.sends, range(first, len(sections))))
    # Results follow all messages.
    stores += ((element, place[value]) for element, value in _results(partition, core))
    stored = Argument(_STORED, (len(stores),), ("",) * len(stores), "")
    return Share(
        partition,
        core,
        replace(
            program,
            outputs=(Output(stored, tuple(value for _, value in stores)),),
            instructions=tuple(instructions),
            sections=tuple(sections) or ("",),
        ),
        tuple(element for element, _ in stores),
        tuple(exchanges),
        dict(zip(names, range(len(names)), strict=True)),
    )


def _results(partition: Partition, core: int) -> Iterator[tuple[Element, int]]:
    """Yield the elements of results and status that a core stores, with their values' positions."""
    elements = (
        Element(output.argument.name, index)
        for output in partition.program.outputs
        for index in range(output.argument.size)
    )
    for element, value, owner in zip(
        elements, partition.program.iterate_result_values(), partition.owners, strict=True
    ):
        if owner == core:
            yield element, value
