"""Tasks and operations of a program that take time, and which of them need the values of others.

TaskGraph: tasks of known duration, and which of them need which others' values.

The operations of a program that take time, and which of them need which others' values.

Work: a program as operations that take time, for whoever divides it among cores.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dynagen.errors import UsageError
from dynagen.ir.cost import FMA, CostModel, find_cost, fused_products
from dynagen.ir.operation import Operation
from dynagen.ir.program import Program


@dataclass(frozen=True)
class Task:
    """Work that one processor does without a pause.

    Attributes:
        name: unique in its graph.
        duration: in steps of the graph, at least one: after it the task's values are there.
        predecessors: positions of the tasks whose values it takes; all come earlier in the graph.
        values: how many values it takes from each of them.
        kind: of the arithmetic unit that it needs, as in `ir.count.KINDS`; empty where only a processor will do.
        group: of tasks that belong together, as the section of the program, for people.
        label: what it computes, for people.
    """

    name: str
    duration: int
    predecessors: tuple[int, ...] = ()
    values: tuple[int, ...] = ()
    kind: str = ""
    group: str = ""
    label: str = ""


@dataclass(frozen=True)
class TaskGraph:
    """Tasks in an order in which predecessors come first.

    Attributes:
        name: what is computed.
        step: cost of one step, in the unit of the cost model.
        unit: of what a step counts, for people.
        arrangement: layer of every task where the graph's source has them in layers of its own.
    """

    name: str
    tasks: tuple[Task, ...]
    step: Fraction = Fraction(1)
    unit: str = "steps"
    arrangement: tuple[int, ...] = ()

    @property
    def work(self) -> int:
        """Steps that a single processor takes."""
        return sum(task.duration for task in self.tasks)

    @property
    def crossing_values(self) -> int:
        """Values that cross from one task into another, counted once for every task that takes them."""
        return sum(sum(task.values) for task in self.tasks)

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """Positions of the tasks that take values of each task, ascending."""
        successors: list[list[int]] = [[] for _ in self.tasks]
        for position, task in enumerate(self.tasks):
            for predecessor in task.predecessors:
                successors[predecessor].append(position)
        return tuple(map(tuple, successors))

    @cached_property
    def heads(self) -> tuple[int, ...]:
        """Earliest start of each task: the longest chain of tasks that has to be finished before."""
        heads: list[int] = []
        for task in self.tasks:
            heads.append(
                max(
                    (heads[each] + self.tasks[each].duration for each in task.predecessors),
                    default=0,
                )
            )
        return tuple(heads)

    @cached_property
    def tails(self) -> tuple[int, ...]:
        """The longest chain that begins with each task, itself included: its level, after Hu (1961)."""
        tails = [0] * len(self.tasks)
        for position in reversed(range(len(self.tasks))):
            longest = max((tails[each] for each in self.successors[position]), default=0)
            tails[position] = self.tasks[position].duration + longest
        return tuple(tails)

    @property
    def critical_path(self) -> int:
        """The longest chain: steps that any number of processors takes."""
        return max(self.tails, default=0)

    @property
    def slacks(self) -> tuple[int, ...]:
        """The steps by which each task may start later than its head without lengthening the critical path."""
        return tuple(
            self.critical_path - head - tail
            for head, tail in zip(self.heads, self.tails, strict=True)
        )

    @cached_property
    def earliest_layers(self) -> tuple[int, ...]:
        """Layer of each task, from 0: tasks of one layer need nothing of each other, each comes as early as it can."""
        layers: list[int] = []
        for task in self.tasks:
            layers.append(1 + max((layers[each] for each in task.predecessors), default=-1))
        return tuple(layers)

    @cached_property
    def latest_layers(self) -> tuple[int, ...]:
        """Layer of each task, as late as it can come."""
        layers = [self.layer_count - 1] * len(self.tasks)
        for position in reversed(range(len(self.tasks))):
            layers[position] = min(
                (layers[each] - 1 for each in self.successors[position]), default=layers[position]
            )
        return tuple(layers)

    @property
    def layer_count(self) -> int:
        """Tasks of the longest chain."""
        return 1 + max(self.earliest_layers, default=-1)

    @property
    def layers(self) -> tuple[int, ...]:
        """The arrangement, or else the latest layers."""
        return self.arrangement or self.latest_layers

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Number of tasks in each layer."""
        widths = [0] * self.layer_count
        for layer in self.layers:
            widths[layer] += 1
        return tuple(widths)

    @property
    def concurrency(self) -> int:
        """Most tasks of one layer."""
        return max(self.widths, default=0)

    def reversed(self) -> TaskGraph:
        """The graph with time running backwards: task i is task n-1-i of this one."""
        last = len(self.tasks) - 1
        tasks = tuple(
            Task(
                task.name,
                task.duration,
                tuple(last - each for each in reversed(self.successors[position])),
                kind=task.kind,
            )
            for position, task in reversed(list(enumerate(self.tasks)))
        )
        return TaskGraph(self.name, tasks, self.step, self.unit)


_TRIGONOMETRIC = (Operation.SINE, Operation.COSINE)
_NOTHING: frozenset[int] = frozenset()


@dataclass(frozen=True)
class TimedOperation:
    """An operation that costs something: an instruction, a sine with its cosine, or a product fused with an addition.

    Attributes:
        kind: of unit, as in `ir.count.KINDS`, or `fma`.
        takes: values that it needs: positions of the instructions that compute them.
        gives: positions of the instructions that it computes.
        name: what the recursion calls it, else its position, as `#17`.
        section: title of the program's section.
    """

    kind: str
    cost: Fraction
    takes: frozenset[int]
    gives: tuple[int, ...]
    name: str
    section: str


def timed_operations(program: Program, model: CostModel) -> tuple[TimedOperation, ...]:
    """The operations of a program that cost something, in its order.

    Operations that cost nothing (with `flops` sines, cosines and changes of sign) take no time and are no hindrance: whoever
    needs such a value repeats the operation, so that it depends on what this one depends on.
    """
    fused = fused_products(program) if model.fusing_saves else {}
    taken_along = set(fused.values())
    sources: list[
        frozenset[int]
    ] = []  # by instruction: the values that take time on which it depends, itself if it is one
    angles: dict[int, int] = {}  # angle -> position of its first sine or cosine
    operations: dict[int, TimedOperation] = {}
    for position, instruction in enumerate(program.instructions):
        takes = _NOTHING.union(*(sources[operand] for operand in instruction.operands))
        cost = model.weights[FMA] if position in fused else model.of(instruction.operation)
        if not cost or position in taken_along:
            sources.append(takes)
            continue
        first = position
        if instruction.operation in _TRIGONOMETRIC:
            first = angles.setdefault(instruction.operands[0], position)
        kind = FMA if position in fused else instruction.operation.kind
        before = operations.get(first)
        gives = (*before.gives, position) if before else (position,)
        name, section = instruction.name or f"#{position}", program.sections[instruction.section]
        operations[first] = TimedOperation(kind, cost, takes, gives, name, section)
        sources.append(frozenset((position,)))
    return tuple(operations.values())


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
