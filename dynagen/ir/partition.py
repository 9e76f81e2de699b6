"""Partition: a program divided among cores that hand each other values, each core with a straight line of its own."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dynagen.ir.program import Program


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
