"""Tasks, and the timed operations of a program, with their dependences.

`TaskGraph` is the input of schedulers: tasks of known duration, and the tasks whose values they
need. `list_timed_operations` finds the operations of a program that cost time. `Work` adds their
times on a target; `partitioning` divides it among cores.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dynagen.errors import UsageError
from dynagen.ir.cost import FMA, CostModel, find_cost, find_fused_products
from dynagen.ir.operation import Operation
from dynagen.ir.program import Program


@dataclass(frozen=True)
class Task:
    """Work that one processor does without interruption.

    Attributes:
        name: unique name in the graph.
        duration: steps until the task's values are available, at least one.
        predecessors: positions of the tasks whose values it needs; all are earlier in the graph.
        values: number of values that it needs from each predecessor.
        kind: kind of arithmetic unit that it needs, as in `ir.cost.KINDS`; empty if it needs a
            processor.
        group: title of tasks that belong together, such as a section of the program.
        label: the computed value, for reports.
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
        name: name of the computation.
        step: cost of one step, in the unit of the cost model.
        unit: meaning of a step, for reports.
        arrangement: layer of every task, if the source of the graph defines layers.
    """

    name: str
    tasks: tuple[Task, ...]
    step: Fraction = Fraction(1)
    unit: str = "steps"
    arrangement: tuple[int, ...] = ()

    @property
    def work(self) -> int:
        """Sum of the durations of all tasks: the number of steps on a single processor."""
        return sum(task.duration for task in self.tasks)

    @property
    def crossing_values(self) -> int:
        """Number of values that pass between tasks, counted once for every receiving task."""
        return sum(sum(task.values) for task in self.tasks)

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """Positions of the tasks that need values of each task, ascending."""
        successors: list[list[int]] = [[] for _ in self.tasks]
        for position, task in enumerate(self.tasks):
            for predecessor in task.predecessors:
                successors[predecessor].append(position)
        return tuple(map(tuple, successors))

    @cached_property
    def heads(self) -> tuple[int, ...]:
        """Earliest start of each task: the longest chain of tasks before it."""
        heads: list[int] = []
        for task in self.tasks:
            heads.append(
                max(
                    (
                        heads[predecessor] + self.tasks[predecessor].duration
                        for predecessor in task.predecessors
                    ),
                    default=0,
                )
            )
        return tuple(heads)

    @cached_property
    def tails(self) -> tuple[int, ...]:
        """Longest chain that begins with each task, including the task: its level (Hu, 1961)."""
        tails = [0] * len(self.tasks)
        for position in reversed(range(len(self.tasks))):
            longest = max((tails[successor] for successor in self.successors[position]), default=0)
            tails[position] = self.tasks[position].duration + longest
        return tuple(tails)

    @property
    def critical_path(self) -> int:
        """Longest chain: the steps with any number of processors."""
        return max(self.tails, default=0)

    @property
    def slacks(self) -> tuple[int, ...]:
        """Steps by which each task may start after its head without a longer critical path."""
        return tuple(
            self.critical_path - head - tail
            for head, tail in zip(self.heads, self.tails, strict=True)
        )

    @cached_property
    def earliest_layers(self) -> tuple[int, ...]:
        """Layer of each task, from 0, as early as possible; tasks of one layer are independent."""
        layers: list[int] = []
        for task in self.tasks:
            layers.append(
                1 + max((layers[predecessor] for predecessor in task.predecessors), default=-1)
            )
        return tuple(layers)

    @cached_property
    def latest_layers(self) -> tuple[int, ...]:
        """Layer of each task, as late as possible."""
        layers = [self.layer_count - 1] * len(self.tasks)
        for position in reversed(range(len(self.tasks))):
            layers[position] = min(
                (layers[successor] - 1 for successor in self.successors[position]),
                default=layers[position],
            )
        return tuple(layers)

    @property
    def layer_count(self) -> int:
        """Number of tasks of the longest chain."""
        return 1 + max(self.earliest_layers, default=-1)

    @property
    def layers(self) -> tuple[int, ...]:
        """The given arrangement into layers; without one the latest possible layers."""
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
        """Largest number of tasks in one layer."""
        return max(self.widths, default=0)

    def reverse(self) -> TaskGraph:
        """Return the graph with time reversed: task i is task n-1-i of this graph."""
        last = len(self.tasks) - 1
        tasks = tuple(
            Task(
                task.name,
                task.duration,
                tuple(last - successor for successor in reversed(self.successors[position])),
                kind=task.kind,
            )
            for position, task in reversed(list(enumerate(self.tasks)))
        )
        return TaskGraph(self.name, tasks, self.step, self.unit)


_TRIGONOMETRIC = (Operation.SINE, Operation.COSINE)
_NOTHING: frozenset[int] = frozenset()


@dataclass(frozen=True)
class TimedOperation:
    """An operation that costs time: an instruction, a sine with its cosine, or a fused product.

    Attributes:
        kind: kind of unit, as in `ir.cost.KINDS`, or `fma`.
        cost: cost in the unit of the cost model.
        takes: positions in the program of the instructions whose values the operation needs.
        gives: positions in the program of the instructions whose values the operation computes.
        name: name in the recursion, or its position, as `#17`.
        section: title of the program's section.
    """

    kind: str
    cost: Fraction
    takes: frozenset[int]
    gives: tuple[int, ...]
    name: str
    section: str


def list_timed_operations(program: Program, model: CostModel) -> tuple[TimedOperation, ...]:
    """Return the operations of a program that cost time, in its order.

    Operations that cost nothing take no time and cause no dependence: every user of such a value
    repeats the operation, and depends on its operands instead. With the costs `flops`, sines,
    cosines and changes of sign cost nothing.
    """
    fused = find_fused_products(program) if model.fusing_saves else {}
    taken_along = set(fused.values())
    # For every instruction: the timed values that it depends on, or itself if it costs time.
    sources: list[frozenset[int]] = []
    angles: dict[int, int] = {}  # angle -> position of its first sine or cosine
    operations: dict[int, TimedOperation] = {}
    for position, instruction in enumerate(program.instructions):
        # Timed values that this instruction depends on directly.
        takes = _NOTHING.union(*(sources[operand] for operand in instruction.operands))
        cost = model.weights[FMA] if position in fused else model.weigh(instruction.operation)
        # A free operation passes its sources on to its users.
        if not cost or position in taken_along:
            sources.append(takes)
            continue
        first = position
        if instruction.operation in _TRIGONOMETRIC:
            # Sine and cosine of one angle are one operation, at the place of the first.
            first = angles.setdefault(instruction.operands[0], position)
        kind = FMA if position in fused else instruction.operation.kind
        before = operations.get(first)
        gives = (*before.gives, position) if before else (position,)
        name, section = instruction.name or f"#{position}", program.sections[instruction.section]
        operations[first] = TimedOperation(kind, cost, takes, gives, name, section)
        sources.append(frozenset((position,)))
    return tuple(operations.values())


RUN_TIME = find_cost("mul=1,add=1,div=8,sqrt=8,sincos=60,other=4")
"""Times of operations relative to an addition, on present processors and in their libraries."""
PICOSECONDS = 1000
"""Picoseconds in a nanosecond. Times are whole numbers, to be the same on every machine."""


_SHORTEST, _LONGEST = 0.01, 1e6  # nanoseconds


@dataclass(frozen=True)
class Timing:
    """Times of operations and messages on a target, in nanoseconds.

    Attributes:
        operation: time of an addition or a multiplication in long straight-line code.
        handover: time from the store of a value by one core until another core, which waits for it,
            has it.
    """

    operation: Fraction
    handover: Fraction

    @property
    def latency(self) -> int:
        """Picoseconds of a hand-off."""
        return round(PICOSECONDS * self.handover)

    def compute_picoseconds(self, cost: Fraction) -> int:
        """Return the time in picoseconds of operations with a total cost, in operations."""
        return round(PICOSECONDS * self.operation * cost)


def find_timing(operation: float, handover: float) -> Timing:
    """Return the timing from a user's two times.

    Args:
        operation: time of an addition or multiplication in ns.
        handover: time of a hand-off of a value to another core in ns.

    Raises:
        UsageError: a number is not a valid time.
    """
    if not _SHORTEST <= operation <= _LONGEST:
        raise UsageError(
            f"--operation-ns has to be a time from {_SHORTEST} to {_LONGEST:.0f} ns, "
            f"found {operation}"
        )
    if not 0 <= handover <= _LONGEST:
        raise UsageError(
            f"--handover-ns has to be a time from 0 to {_LONGEST:.0f} ns, found {handover}"
        )
    return Timing(Fraction(str(operation)), Fraction(str(handover)))


@dataclass(frozen=True)
class Work:
    """Timed operations of a program.

    Attributes:
        operations: operations that cost time, in the program's order. Operations without a time are
            repeated where they are needed.
    """

    program: Program
    operations: tuple[TimedOperation, ...]
    timing: Timing

    @cached_property
    def operation_by_instruction(self) -> dict[int, int]:
        """Position of an instruction -> index in `operations` of the operation that contains it.

        Instructions that cost no time, such as constants and inputs, are missing.
        """
        return {
            value: number
            for number, operation in enumerate(self.operations)
            for value in operation.gives
        }

    @cached_property
    def predecessors(self) -> tuple[tuple[int, ...], ...]:
        """For every operation, the operations whose values it needs, ascending."""
        return tuple(
            tuple(sorted({self.operation_by_instruction[value] for value in operation.takes}))
            for operation in self.operations
        )

    @cached_property
    def durations(self) -> tuple[int, ...]:
        """Picoseconds of every operation."""
        return tuple(
            self.timing.compute_picoseconds(operation.cost) for operation in self.operations
        )

    @cached_property
    def graph(self) -> TaskGraph:
        """Graph in which every operation is a task."""
        tasks = (
            Task(operation.name, duration, takes)
            for operation, duration, takes in zip(
                self.operations, self.durations, self.predecessors, strict=True
            )
        )
        return TaskGraph(self.program.name, tuple(tasks))

    @cached_property
    def results(self) -> tuple[tuple[int, ...], ...]:
        """For every element of the results, the operations that it depends on directly.

        Operations that cost no time in between are passed over.
        """
        sources: list[frozenset[int]] = []
        for position, instruction in enumerate(self.program.instructions):
            if position in self.operation_by_instruction:
                sources.append(frozenset((self.operation_by_instruction[position],)))
            else:
                sources.append(
                    frozenset().union(*(sources[operand] for operand in instruction.operands))
                )
        return tuple(
            tuple(sorted(sources[value])) for value in self.program.iterate_result_values()
        )


def compute_work(program: Program, timing: Timing) -> Work:
    """Return the operations of a program with their times, in picoseconds, on a target."""
    return Work(program, list_timed_operations(program, RUN_TIME), timing)
