"""TaskGraph: tasks of known duration, and which of them need which others' values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property


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
