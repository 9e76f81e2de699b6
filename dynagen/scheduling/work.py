"""Work: a program as operations that take time, for whoever divides it among cores."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dynagen.errors import UsageError
from dynagen.ir.cost import find_cost
from dynagen.ir.program import Program
from dynagen.scheduling.operations import TimedOperation, timed_operations
from dynagen.scheduling.tasks import Task, TaskGraph

RUN_TIME = find_cost("mul=1,add=1,div=8,sqrt=8,sincos=60,other=4")
"""How long operations take beside an addition: on processors of today, and in libraries for those without a unit for them."""
PICOSECONDS = 1000
"""In a nanosecond: times are whole numbers, which are the same on every machine."""


_SHORTEST, _LONGEST = 0.01, 1e6


@dataclass(frozen=True)
class Timing:
    """Times of operations and messages on a target, in nanoseconds.

    Attributes:
        operation: an addition or a multiplication, in a long straight line of them.
        handover: from when one core stores a value until another one, which waits for it, has it.
    """

    operation: Fraction
    handover: Fraction

    @property
    def latency(self) -> int:
        """Picoseconds of a hand-over."""
        return round(PICOSECONDS * self.handover)

    def picoseconds(self, cost: Fraction) -> int:
        """The time that operations of a cost take."""
        return round(PICOSECONDS * self.operation * cost)


def find_timing(operation: float, handover: float) -> Timing:
    """The timing that a user gives in nanoseconds.

    Raises:
        UsageError: a number is no time.
    """
    if not _SHORTEST <= operation <= _LONGEST:
        raise UsageError(
            f"--operation-ns has to be a time from {_SHORTEST} to {_LONGEST:.0f} ns, found {operation}"
        )
    if not 0 <= handover <= _LONGEST:
        raise UsageError(
            f"--handover-ns has to be a time from 0 to {_LONGEST:.0f} ns, found {handover}"
        )
    return Timing(Fraction(str(operation)), Fraction(str(handover)))


@dataclass(frozen=True)
class Work:
    """A program's operations, timed.

    Attributes:
        operations: those that take time, in the program's order; all others are repeated where they are needed.
    """

    program: Program
    operations: tuple[TimedOperation, ...]
    timing: Timing

    @cached_property
    def giver(self) -> dict[int, int]:
        """Position of an instruction that takes time -> its operation."""
        return {
            value: number
            for number, operation in enumerate(self.operations)
            for value in operation.gives
        }

    @cached_property
    def takes(self) -> tuple[tuple[int, ...], ...]:
        """For every operation those whose values it needs, ascending."""
        return tuple(
            tuple(sorted({self.giver[value] for value in each.takes})) for each in self.operations
        )

    @cached_property
    def durations(self) -> tuple[int, ...]:
        """Picoseconds of every operation."""
        return tuple(self.timing.picoseconds(operation.cost) for operation in self.operations)

    @cached_property
    def graph(self) -> TaskGraph:
        """Every operation as a task of its own."""
        tasks = (
            Task(operation.name, duration, takes)
            for operation, duration, takes in zip(
                self.operations, self.durations, self.takes, strict=True
            )
        )
        return TaskGraph(self.program.name, tuple(tasks))

    @cached_property
    def results(self) -> tuple[tuple[int, ...], ...]:
        """For every element of the results the operations that it comes from, through operations that take no time."""
        sources: list[frozenset[int]] = []
        for position, instruction in enumerate(self.program.instructions):
            if position in self.giver:
                sources.append(frozenset((self.giver[position],)))
            else:
                sources.append(
                    frozenset().union(*(sources[operand] for operand in instruction.operands))
                )
        return tuple(tuple(sorted(sources[value])) for value in self.program.result_values())


def work_of(program: Program, timing: Timing) -> Work:
    """The work of a program on a target."""
    return Work(program, timed_operations(program, RUN_TIME), timing)
