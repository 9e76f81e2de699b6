"""Partition of a program among cores, and each core's share of it as a program.

Partition: a program divided among cores that hand each other values, each core with a straight line of its own.

Share: what one core does of a partition, as a program of its own, in which messages are arguments.
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
    """Values that one core hands to another at once.

    Attributes:
        sender, receiver: cores, counted from 0.
        values: positions of the instructions that compute them, ascending.
    """

    sender: int
    receiver: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class Phase:
    """The work of a core between two waits: it receives, computes, and sends.

    Attributes:
        receives, sends: messages, by their positions in the partition.
        instructions: positions in the program, ascending.
    """

    receives: tuple[int, ...]
    instructions: tuple[int, ...]
    sends: tuple[int, ...]


@dataclass(frozen=True)
class Partition:
    """Every core's part of a program. What is cheap to compute is computed by every core that needs it.

    Attributes:
        program: what the cores compute together.
        messages: what they hand each other in every call.
        cores: the phases of every core; one that has none has nothing to do.
        owners: which core stores each element of the results, in the order of `program.result_values()`.
        alone: nanoseconds that one core is estimated to take for a call.
        together: nanoseconds that all of them take.
    """

    program: Program
    messages: tuple[Message, ...]
    cores: tuple[tuple[Phase, ...], ...]
    owners: tuple[int, ...]
    alone: Fraction
    together: Fraction

    @property
    def busy(self) -> int:
        """The number of cores that have something to do."""
        return sum(map(bool, self.cores))

    @property
    def speedup(self) -> Fraction:
        """The ratio of the time that one core takes."""
        return self.alone / self.together if self.together else Fraction(1)

    @cached_property
    def pairs(self) -> frozenset[tuple[int, int]]:
        """Sender and receiver of every message."""
        return frozenset((message.sender, message.receiver) for message in self.messages)

    def unanswered(self, core: int) -> tuple[int, ...]:
        """The cores that take messages of a core and send it none: it cannot know how far they are."""
        return tuple(
            sorted(
                receiver
                for sender, receiver in self.pairs
                if sender == core and (receiver, core) not in self.pairs
            )
        )

    def is_waited_for(self, core: int) -> bool:
        """Whether some core cannot know from this one's messages how far it is."""
        return any(core in self.unanswered(other) for other in range(len(self.cores)))


_STORED = "stored"


@dataclass(frozen=True)
class Exchange:
    """The exchange of a core between computations.

    Attributes:
        awaited: messages that it waits for, before it goes on.
        sent: messages that it sends behind what comes next.
        sections: of the share's program, that come between the two; in the first lies what is received.
    """

    awaited: tuple[int, ...]
    sent: tuple[int, ...]
    sections: range


@dataclass(frozen=True)
class Share:
    """One core's part of a kernel.

    Attributes:
        program: takes the kernel's inputs and messages, and has one output: all values that it stores, one behind the other.
        stores: where each of them goes: an element of a message or of the kernel's results.
        exchanges: in order.
        messages: what the program calls the messages that it takes or fills -> their positions in the partition.
    """

    partition: Partition
    core: int
    program: Program
    stores: tuple[Element, ...]
    exchanges: tuple[Exchange, ...]
    messages: Mapping[str, int]


def share_of(partition: Partition, core: int) -> Share:
    """The part of a core."""
    program = partition.program
    table = NameTable(argument.name for argument in program.arguments)
    names = [table.claim(f"message{number}") for number in range(1, len(partition.messages) + 1)]
    instructions: list[Instruction] = []
    sections: list[str] = []
    exchanges = []
    place: dict[int, int] = {}  # of the program's values in the share
    stores: list[tuple[Element, int]] = []
    for phase in partition.cores[core]:
        first = len(sections)
        sections.append("")
        for message in phase.receives:
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
            if instruction.section != title:
                title = instruction.section
                sections.append(program.sections[title])
            operands = tuple(place[operand] for operand in instruction.operands)
            place[position] = len(instructions)
            instructions.append(instruction._replace(operands=operands, section=len(sections) - 1))
        for message in phase.sends:
            values = partition.messages[message].values
            stores += (
                (Element(names[message], index), place[value]) for index, value in enumerate(values)
            )
        exchanges.append(Exchange(phase.receives, phase.sends, range(first, len(sections))))
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
    """The elements of results that a core stores, the status as well, and the positions of their values."""
    elements = (
        Element(output.argument.name, index)
        for output in partition.program.outputs
        for index in range(output.argument.size)
    )
    for element, value, owner in zip(
        elements, partition.program.result_values(), partition.owners, strict=True
    ):
        if owner == core:
            yield element, value
