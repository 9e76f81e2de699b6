"""Our operation counts for a robot beside everybody else's: what `dynagen report` shows, whatever the form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from dynagen.description.description import RobotDescription
from dynagen.description.joints import REVOLUTE
from dynagen.description.loading import is_bundled
from dynagen.errors import UsageError
from dynagen.generation import Settings
from dynagen.ir.count import count
from dynagen.literature.conventional import ALGORITHMS, FORWARD_ALGORITHMS, count_conventional
from dynagen.literature.published import published_counts
from dynagen.model.model import RobotModel, build_model
from dynagen.optimize.compilation import CompiledFunction
from dynagen.pipeline import generate
from dynagen.stages import Progress

OURS = "dynagen"


@dataclass(frozen=True)
class Entry:
    """A program for a function, ours or another's, or what is known of it.

    Attributes:
        label: who made it, and how.
        kind: dynagen, paper, formula (for any chain of revolute joints), program (of another generator) or recursion (of a
            textbook, counted here for this robot).
        mul, add, div: operations of one call, sines and cosines given.
        note: how it is for less, or for something else, than ours.
        source: in full.
        erratum: what is known to be wrong with the figure, as a clause.
    """

    label: str
    kind: str
    mul: int
    add: int
    div: int
    note: str = ""
    source: str = ""
    erratum: str = ""

    @property
    def total(self) -> int:
        """All operations."""
        return self.mul + self.add + self.div


@dataclass(frozen=True)
class Step:
    """The operations left after a pass that has changed their number.

    Attributes:
        round: of the passes; 0 for those that run once, at the end, or none.
    """

    name: str
    round: int
    total: int


@dataclass(frozen=True)
class Comparison:
    """A function for a robot.

    Attributes:
        ours: one entry for every effort, the least first.
        others: the cheapest first.
        descent: from the general recursion to the emitted program, of the last of ours.
        formulation: how that one departs from the robot as described, in sentences.
    """

    function: str
    ours: tuple[Entry, ...]
    others: tuple[Entry, ...]
    descent: tuple[Step, ...]
    formulation: tuple[str, ...]

    @property
    def changes(self) -> tuple[str, ...]:
        """By how many operations every step of the descent changes the total, as text; empty where it does not."""
        totals = [step.total for step in self.descent]
        return tuple(f"{after - before:+d}" if after != before else "" for before, after in pairwise([totals[0], *totals]))

    @property
    def best_other(self) -> Entry | None:
        """The cheapest of the others."""
        return min(self.others, key=lambda entry: entry.total, default=None)


def compared_functions(description: RobotDescription) -> tuple[str, ...]:
    """The functions that others have counts of, for this robot."""
    return tuple(dict.fromkeys(function for function, _ in _others(description)))


def compare(
    description: RobotDescription,
    functions: Sequence[str],
    efforts: Sequence[str],
    settings: Settings,
    rivals: bool,
    progress: Progress = lambda stage, done: None,
    workers: int = 1,
) -> tuple[Comparison, ...]:
    """Count what is emitted for a robot, and look up what others need.

    Args:
        description: the robot.
        functions: requests, as on the command line.
        efforts: of `optimize.effort.OPTIMIZE`, the least first.
        settings: of the runs, but for functions and effort.
        rivals: whether to look at others at all.
        progress: as for the pipeline.
        workers: as for the pipeline.
    """
    made: dict[str, list[CompiledFunction]] = {}
    for effort in efforts:
        run = replace(settings, functions=tuple(functions), optimize=effort, verify=False)
        for function in generate(description, run, progress, workers=workers).functions:
            made.setdefault(function.definition.request, []).append(function)
    others = _others(description) if rivals else ()
    return tuple(
        Comparison(
            request,
            tuple(_our_entry(each, effort) for each, effort in zip(by_effort, efforts, strict=True)),
            tuple(entry for function, entry in others if function == request),
            _descent(by_effort[-1]),
            by_effort[-1].formulation,
        )
        for request, by_effort in made.items()
    )


def _our_entry(function: CompiledFunction, effort: str) -> Entry:
    operations = function.operations
    label = f"{OURS}, {effort}" + (f", {function.method}" if function.method else "")
    return Entry(label, OURS, operations.mul, operations.add, operations.div)


def _descent(function: CompiledFunction) -> tuple[Step, ...]:
    steps = [Step("as recorded", 0, count(function.recorded).total)]
    for record in function.passes:
        if record.after.total != steps[-1].total:
            steps.append(Step(record.name, record.round, record.after.total))
    return tuple(steps)


@lru_cache(maxsize=4)
def _others(description: RobotDescription) -> tuple[tuple[str, Entry], ...]:
    known = published_counts()
    entries = []
    name = description.name if is_bundled(description) else ""  # the figures are for these numbers only
    for figure in known.figures(name, _revolute_joints(build_model(description))):
        source = known.sources[figure.source]
        citation = f"{source.authors}: {source.title}, {source.year}"
        counts = figure.mul, figure.add, figure.div
        entry = Entry(source.label, figure.kind, *counts, figure.note, citation, figure.erratum)
        entries.append((figure.function, entry))
    entries += _recursions(description)
    return tuple(sorted(entries, key=lambda each: each[1].total))


def _recursions(description: RobotDescription) -> Iterator[tuple[str, Entry]]:
    """Conventional algorithms without what zeros and ones of this robot make superfluous; those that cover it."""
    joints = sum(link.joint.moves for link in description.links)
    for algorithm in (*ALGORITHMS, *FORWARD_ALGORITHMS):
        if algorithm.largest is not None and joints > algorithm.largest:
            continue
        try:
            counts = count_conventional(algorithm, description)
        except UsageError:
            continue
        operations, general = counts.customised, counts.general
        note = f"zeros and ones left out; {general.total} with them" if general else "zeros and ones left out"
        source = f"{algorithm.source}: counted by dynagen for this robot"
        yield (
            algorithm.function,
            Entry(algorithm.title, "recursion", operations.mul, operations.add, operations.div, note, source),
        )


def _revolute_joints(model: RobotModel) -> int | None:
    """The number of them, if the robot is a chain of revolute joints and nothing else."""
    is_chain = all(body.parent == index - 1 for index, body in enumerate(model.bodies))
    return len(model.bodies) if is_chain and all(body.joint.type is REVOLUTE for body in model.bodies) else None
