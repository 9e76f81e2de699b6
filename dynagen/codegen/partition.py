"""Partition of a program among cores; the share of each core is a program of its own.

Cores send values to each other in messages. Each core computes straight-line code. The program of a
core has the messages from other cores as additional inputs.
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
    """Values that one core sends to another core in one message.

    Attributes:
        sender, receiver: numbers of the cores, counted from 0.
        values: positions of the instructions that compute the values, ascending.
    """

    sender: int
    receiver: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class Phase:
    """Work of a core between two waits: the core receives messages, computes, then sends.

    Attributes:
        receives, sends: indices in `Partition.messages` of the messages that the core receives and
            sends.
        instructions: positions in the program of the instructions that are computed, ascending.
    """

    receives: tuple[int, ...]
    instructions: tuple[int, ...]
    sends: tuple[int, ...]


@dataclass(frozen=True)
class Partition:
    """Division of a program among cores; several cores may compute the same cheap value.

    Attributes:
        program: program that the cores compute together.
        messages: all messages of one call.
        cores: phases of every core, in the order of execution; a core without phases is idle.
        owners: for each element of the results, the number from 0 of the core that stores it. The
            elements are in the order of `program.iterate_result_values()`.
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
        """Number of cores that compute something."""
        return sum(map(bool, self.cores))

    @property
    def speedup(self) -> Fraction:
        """Estimated time of a call on one core divided by the estimated time on all cores."""
        return self.alone / self.together if self.together else Fraction(1)

    @cached_property
    def pairs(self) -> frozenset[tuple[int, int]]:
        """Pairs (sender, receiver) of core numbers, from 0, between which there are messages."""
        return frozenset((message.sender, message.receiver) for message in self.messages)

    def find_unanswered(self, core: int) -> tuple[int, ...]:
        """Return the numbers of the cores that receive messages from `core` but send none back.

        The core learns nothing about the progress of a receiver that sends no message back.

        Returns:
            Core numbers, from 0, ascending.
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
    """A part of a core's computation, with the messages received before it and sent after it.

    Attributes:
        awaited: indices in `Partition.messages` of the messages for which the core waits.
        sent: indices of the messages that the core sends after it has computed.
        sections: indices of the sections of the core's program that are computed after receiving
            and before sending. The first of these sections reads the received values.
    """

    awaited: tuple[int, ...]
    sent: tuple[int, ...]
    sections: range


@dataclass(frozen=True)
class Share:
    """One core's part of a kernel.

    Attributes:
        partition: division of the whole kernel among cores.
        core: number of the core, from 0.
        program: program of the core. Inputs of the program are the kernel's inputs and messages;
            the only output is the vector of all values that the core stores.
        stores: for each element of the program's output, the element of a message or of a result in
            which the core stores it.
        exchanges: the core's exchanges in the order of execution.
        messages: mapping from the name of a message in the core's program to the index of the
            message in `Partition.messages`.
    """

    partition: Partition
    core: int
    program: Program
    stores: tuple[Element, ...]
    exchanges: tuple[Exchange, ...]
    messages: Mapping[str, int]


def find_share(partition: Partition, core: int) -> Share:
    """Return the part of a kernel that one core computes, as a program.

    In this program, messages from other cores are additional inputs.
    """
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
    """Yield each element of the results that a core stores, and the position of its value.

    The position refers to the program of the whole kernel.
    """
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
