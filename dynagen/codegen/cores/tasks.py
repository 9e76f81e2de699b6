"""Task graphs for schedulers, made from the operations of a program that cost time.

`TaskGraph` is the input of schedulers: tasks of known duration, and for each task the tasks whose
values it needs. `list_timed_operations` finds the operations of a program that cost time. `Work`
adds the times of the operations on the target processor; `partitioning` divides the work among
cores.
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
        name: name of the task, unique in the graph.
        duration: steps until the task's values are available, at least one.
        predecessors: positions in `TaskGraph.tasks` of the tasks whose values the task needs; these
            tasks come earlier.
        values: number of values that the task needs from each predecessor.
        kind: kind of arithmetic unit that the task needs, such as "mul"; empty if it needs a
            processor.
        group: title of the group of tasks to which the task belongs, such as a section of the
            program.
        label: name of the computed value in reports.
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
    """Tasks and their dependences; each task comes after its predecessors.

    Attributes:
        name: name of the computation of which the tasks are part.
        tasks: tasks in an order in which each task comes after its predecessors.
        step: duration of one step in the unit `unit`; durations of tasks are numbers of steps.
        unit: name of the unit of time in reports, such as `flops`.
        arrangement: layer (number from 0) of every task, if the author of the graph prescribes
            layers; otherwise empty.
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
        """Number of values that tasks receive from other tasks, counted for every receiver."""
        return sum(sum(task.values) for task in self.tasks)

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """For every task, the positions of the tasks that need its values, ascending."""
        successors: list[list[int]] = [[] for _ in self.tasks]
        for position, task in enumerate(self.tasks):
            for predecessor in task.predecessors:
                successors[predecessor].append(position)
        return tuple(map(tuple, successors))

    @cached_property
    def heads(self) -> tuple[int, ...]:
        """Earliest possible start of each task, in steps from 0, with any number of processors."""
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
        """Length in steps of the longest chain of tasks that begins with each task.

        This length is the task's level in Hu's method (1961).
        """
        tails = [0] * len(self.tasks)
        for position in reversed(range(len(self.tasks))):
            longest = max((tails[successor] for successor in self.successors[position]), default=0)
            tails[position] = self.tasks[position].duration + longest
        return tuple(tails)

    @property
    def critical_path(self) -> int:
        """Length in steps of the longest chain of tasks; no schedule can be shorter."""
        return max(self.tails, default=0)

    @property
    def slacks(self) -> tuple[int, ...]:
        """Number of steps by which each task can be delayed without a longer critical path."""
        return tuple(
            self.critical_path - head - tail
            for head, tail in zip(self.heads, self.tails, strict=True)
        )

    @cached_property
    def earliest_layers(self) -> tuple[int, ...]:
        """Layer of each task, from 0, if every task is in the earliest possible layer.

        A task is in a later layer than the tasks whose values it needs. The number of the layer is
        the number of tasks in the longest chain of tasks before the task.
        """
        layers: list[int] = []
        for task in self.tasks:
            layers.append(
                1 + max((layers[predecessor] for predecessor in task.predecessors), default=-1)
            )
        return tuple(layers)

    @cached_property
    def latest_layers(self) -> tuple[int, ...]:
        """Layer of each task, from 0, if every task is in the latest possible layer.

        A task is in an earlier layer than the tasks that need its values.
        """
        layers = [self.layer_count - 1] * len(self.tasks)
        for position in reversed(range(len(self.tasks))):
            layers[position] = min(
                (layers[successor] - 1 for successor in self.successors[position]),
                default=layers[position],
            )
        return tuple(layers)

    @property
    def layer_count(self) -> int:
        """Number of layers: the largest number of tasks in a chain of dependent tasks."""
        return 1 + max(self.earliest_layers, default=-1)

    @property
    def layers(self) -> tuple[int, ...]:
        """Layer of each task, from 0: `arrangement` if it is not empty, else `latest_layers`."""
        return self.arrangement or self.latest_layers

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Number of tasks in each layer, in the order of the layers."""
        widths = [0] * self.layer_count
        for layer in self.layers:
            widths[layer] += 1
        return tuple(widths)

    @property
    def concurrency(self) -> int:
        """Largest number of tasks in one layer, which can run at the same time."""
        return max(self.widths, default=0)

    def reverse(self) -> TaskGraph:
        """Return the graph with time and dependences reversed; task i of n becomes task n-1-i."""
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
    """An operation that costs time: one instruction, a sine with its cosine, or a multiply-add.

    Attributes:
        kind: kind of arithmetic unit, such as "mul", or "fma" for a fused multiply-add.
        cost: cost of the operation in the unit of the cost model.
        takes: positions in the program of the instructions whose values the operation needs. An
            instruction without cost is replaced by the instructions on which it depends.
        gives: positions in the program of the instructions that the operation executes.
        name: name of the value in the program; for an unnamed value its position, such as `#17`.
        section: title of the operation's section in the program.
    """

    kind: str
    cost: Fraction
    takes: frozenset[int]
    gives: tuple[int, ...]
    name: str
    section: str


def list_timed_operations(program: Program, model: CostModel) -> tuple[TimedOperation, ...]:
    """Return the operations of a program that cost time, in the order of the program.

    An operation without cost, such as a change of sign in the cost model `flops`, is not listed.
    Operations that need the value of an unlisted operation depend on its operands instead.
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
"""Cost model of run times on present processors, in multiples of the time of an addition."""
PICOSECONDS = 1000
"""Picoseconds in a nanosecond; times are integers, which are the same on every machine."""


_SHORTEST, _LONGEST = 0.01, 1e6  # nanoseconds


@dataclass(frozen=True)
class Timing:
    """Times of an operation, and of passing a value between cores, on the target processor, in ns.

    Attributes:
        operation: time of an addition or a multiplication in long straight-line code.
        handover: time of a hand-off, from the store of a value by one core until a waiting core has
            read it.
    """

    operation: Fraction
    handover: Fraction

    @property
    def latency(self) -> int:
        """Time of a hand-off of a value between cores, in picoseconds."""
        return round(PICOSECONDS * self.handover)

    def compute_picoseconds(self, cost: Fraction) -> int:
        """Return a time in picoseconds from a time in units of the time of an addition."""
        return round(PICOSECONDS * self.operation * cost)


def find_timing(operation: float, handover: float) -> Timing:
    """Return the timing of a target processor from two times that a user chooses.

    Args:
        operation: time of an addition or multiplication in ns, from 0.01 to 1e6.
        handover: time of a hand-off of a value to another core in ns, from 0 to 1e6.

    Raises:
        UsageError: a time is not a number, or is outside its limits.
    """
    if not _SHORTEST <= operation <= _LONGEST:
        raise UsageError(
            f"--operation-ns: expected a time from {_SHORTEST} to {_LONGEST:.0f} ns, found "
            f"{operation}"
        )
    if not 0 <= handover <= _LONGEST:
        raise UsageError(
            f"--handover-ns: expected a time from 0 to {_LONGEST:.0f} ns, found {handover}"
        )
    return Timing(Fraction(str(operation)), Fraction(str(handover)))


@dataclass(frozen=True)
class Work:
    """The operations of a program with their times on the target processor.

    Attributes:
        program: the program.
        operations: operations that cost time, in the program's order.
        timing: time of an operation, and of a hand-off between cores.
    """

    program: Program
    operations: tuple[TimedOperation, ...]
    timing: Timing

    @cached_property
    def operation_by_instruction(self) -> dict[int, int]:
        """Mapping from an instruction's position to the index of its operation in `operations`.

        The mapping lacks instructions that cost no time, such as constants and inputs.
        """
        return {
            value: number
            for number, operation in enumerate(self.operations)
            for value in operation.gives
        }

    @cached_property
    def predecessors(self) -> tuple[tuple[int, ...], ...]:
        """For every operation, the indices of the operations whose values it needs, ascending."""
        return tuple(
            tuple(sorted({self.operation_by_instruction[value] for value in operation.takes}))
            for operation in self.operations
        )

    @cached_property
    def durations(self) -> tuple[int, ...]:
        """Time of every operation in picoseconds."""
        return tuple(
            self.timing.compute_picoseconds(operation.cost) for operation in self.operations
        )

    @cached_property
    def graph(self) -> TaskGraph:
        """Task graph in which every operation is a task, with durations in picoseconds."""
        tasks = (
            Task(operation.name, duration, takes)
            for operation, duration, takes in zip(
                self.operations, self.durations, self.predecessors, strict=True
            )
        )
        return TaskGraph(self.program.name, tuple(tasks))

    @cached_property
    def results(self) -> tuple[tuple[int, ...], ...]:
        """For every element of the results, the indices of the operations that compute it.

        This is a single operation, unless the element's value is computed without cost. In that
        case, these are the operations on which the value depends directly.
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
    """Return the operations of a program that cost time, with times on the target processor."""
    return Work(program, list_timed_operations(program, RUN_TIME), timing)
