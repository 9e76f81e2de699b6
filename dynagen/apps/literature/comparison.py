"""Comparison of operation counts with published ones, as data, tables and JSON.

Published operation counts: of papers, of general formulas, and of the programs that other
generators emit.

The figures are data (`published/counts.yaml`), each with its source; this module checks and looks
them up.

Our operation counts for a robot beside everybody else's: what `dynagen report` shows, whatever the
form.

Comparisons as tables on a console, and as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, Literal

from pydantic import Field
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dynagen.apps.literature.conventional import ALGORITHMS, FORWARD_ALGORITHMS, count_conventional
from dynagen.errors import UsageError
from dynagen.ir.cost import count
from dynagen.optimizer.compile import CompiledFunction
from dynagen.pipeline.driver import generate
from dynagen.pipeline.settings import Settings
from dynagen.report.console import new_table
from dynagen.resources import Polynomial, Record, read_records
from dynagen.robot.description import RobotDescription
from dynagen.robot.joints import REVOLUTE
from dynagen.robot.loading import is_bundled
from dynagen.robot.model.model import RobotModel, build_model
from dynagen.stages import Progress

Kind = Literal["paper", "formula", "program"]


class Source(Record):
    """The publication that figures come from.

    Attributes:
        authors: of a paper; name and version of a program.
        title: of a paper, and where it appeared; how a program's figure was measured.
    """

    authors: str
    title: str
    year: int

    @property
    def label(self) -> str:
        """As `Khalil 1986`; of a program its name and version."""
        if self.title.startswith("measured"):
            return self.authors
        names = [
            author.split()[-1] for author in self.authors.removesuffix(" and others").split(", ")
        ]
        others = " et al." if len(names) > 2 or self.authors.endswith(" and others") else ""
        return f"{' and '.join(names) if not others else names[0] + others} {self.year}"


class Figure(Record):
    """The published operations of one call, for one robot.

    Attributes:
        source: key of its source.
        note: how it is for less, or for something else, than what dynagen emits.
        erratum: what is known to be wrong with it, as a clause.
    """

    robot: str
    function: str
    source: str
    mul: int = Field(ge=0)
    add: int = Field(ge=0)
    div: int = Field(default=0, ge=0)
    note: str = ""
    erratum: str = ""
    kind: Kind = "paper"

    @property
    def total(self) -> int:
        """Multiplications, additions and divisions."""
        return self.mul + self.add + self.div


class GeneralFormula(Record):
    """Published operations of one call for any chain of n revolute joints.

    Counts are polynomials in n; the constant comes first.
    """

    function: str
    source: str
    mul: Polynomial
    add: Polynomial
    note: str = ""
    erratum: str = ""

    def at(self, robot: str, joints: int) -> Figure | None:
        """Return the rounded figure for a robot with this number of joints.

        Some printed polynomials do not give whole numbers.

        None where the formula goes below zero, as some do for a single joint: they are not meant
        for so few.
        """
        mul, add = (
            round(sum(c * joints**k for k, c in enumerate(each))) for each in (self.mul, self.add)
        )
        if mul < 0 or add < 0:
            return None
        return Figure(
            robot=robot,
            function=self.function,
            source=self.source,
            mul=mul,
            add=add,
            note=self.note,
            erratum=self.erratum,
            kind="formula",
        )


class PublishedCounts(Record):
    """All published operation counts."""

    sources: dict[str, Source]
    papers: tuple[Figure, ...]
    formulas: tuple[GeneralFormula, ...]
    programs: tuple[Figure, ...]

    def figures(self, robot: str, revolute_joints: int | None) -> tuple[Figure, ...]:
        """The figures that apply to a robot, the cheapest of each function first.

        Args:
            robot: its name.
            revolute_joints: how many joints it has, if it is a chain of revolute ones: then the
                formulas apply.
        """
        applying = [figure for figure in self.papers if figure.robot == robot]
        applying += [
            figure.model_copy(update={"kind": "program"})
            for figure in self.programs
            if figure.robot == robot
        ]
        if revolute_joints is not None:
            applying += filter(
                None, (formula.at(robot, revolute_joints) for formula in self.formulas)
            )
        return tuple(sorted(applying, key=lambda figure: (figure.function, figure.total)))


@cache
def published_counts() -> PublishedCounts:
    """The bundled figures."""
    return read_records(PublishedCounts, "counts")


OURS = "dynagen"


@dataclass(frozen=True)
class Entry:
    """A program for a function, ours or another's, or what is known of it.

    Attributes:
        label: who made it, and how.
        kind: dynagen, paper, formula (for any chain of revolute joints), program (of another
            generator) or recursion (of a textbook, counted here for this robot).
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
        """Return the change of the total by each step of the descent, as text.

        The text is empty where the total does not change.
        """
        totals = [step.total for step in self.descent]
        return tuple(
            f"{after - before:+d}" if after != before else ""
            for before, after in pairwise([totals[0], *totals])
        )

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
            tuple(
                _our_entry(each, effort) for each, effort in zip(by_effort, efforts, strict=True)
            ),
            tuple(entry for function, entry in others if function == request),
            _pass_steps(by_effort[-1]),
            by_effort[-1].formulation,
        )
        for request, by_effort in made.items()
    )


def _our_entry(function: CompiledFunction, effort: str) -> Entry:
    operations = function.operations
    label = f"{OURS}, {effort}" + (f", {function.method}" if function.method else "")
    return Entry(label, OURS, operations.mul, operations.add, operations.div)


def _pass_steps(function: CompiledFunction) -> tuple[Step, ...]:
    steps = [Step("as recorded", 0, count(function.recorded).total)]
    for record in function.passes:
        if record.after.total != steps[-1].total:
            steps.append(Step(record.name, record.round, record.after.total))
    return tuple(steps)


@lru_cache(maxsize=4)
def _others(description: RobotDescription) -> tuple[tuple[str, Entry], ...]:
    known = published_counts()
    entries = []
    name = (
        description.name if is_bundled(description) else ""
    )  # the figures are for these numbers only
    for figure in known.figures(name, _revolute_joints(build_model(description))):
        source = known.sources[figure.source]
        citation = f"{source.authors}: {source.title}, {source.year}"
        counts = figure.mul, figure.add, figure.div
        entry = Entry(source.label, figure.kind, *counts, figure.note, citation, figure.erratum)
        entries.append((figure.function, entry))
    entries += _recursions(description)
    return tuple(sorted(entries, key=lambda each: each[1].total))


def _recursions(description: RobotDescription) -> Iterator[tuple[str, Entry]]:
    """Return entries of the conventional algorithms that support the robot.

    Operations with this robot's zeros and ones are not counted.
    """
    joints = sum(link.joint.moves for link in description.links)
    for algorithm in (*ALGORITHMS, *FORWARD_ALGORITHMS):
        if algorithm.largest is not None and joints > algorithm.largest:
            continue
        try:
            counts = count_conventional(algorithm, description)
        except UsageError:
            continue
        operations, general = counts.customised, counts.general
        note = (
            f"zeros and ones left out; {general.total} with them"
            if general
            else "zeros and ones left out"
        )
        source = f"{algorithm.source}: counted by dynagen for this robot"
        yield (
            algorithm.function,
            Entry(
                algorithm.title,
                "recursion",
                operations.mul,
                operations.add,
                operations.div,
                note,
                source,
            ),
        )


def _revolute_joints(model: RobotModel) -> int | None:
    """The number of them, if the robot is a chain of revolute joints and nothing else."""
    is_chain = all(body.parent == index - 1 for index, body in enumerate(model.bodies))
    return (
        len(model.bodies)
        if is_chain and all(body.joint.type is REVOLUTE for body in model.bodies)
        else None
    )


KINDS = {
    "paper": "paper",
    "program": "generator",
    "recursion": "textbook recursion",
    "formula": "general formula",
}
"""What a figure of others is, for readers."""


def print_comparisons(
    console: Console, description: RobotDescription, comparisons: Sequence[Comparison]
) -> None:
    """Print a table of counts and one of passes for every function."""
    console.print(
        f"[bold]{escape(description.name)}[/]: operations of one call, sines and cosines of "
        f"the joint angles given"
    )
    for comparison in comparisons:
        console.print(_counts(console, comparison))
        for entry in comparison.others:
            if entry.erratum:
                console.print(
                    f"  Erratum, {escape(entry.label)}: {escape(entry.erratum)}.", soft_wrap=True
                )
        for sentence in comparison.formulation:
            console.print(f"  {escape(sentence)}")
        console.print(_pass_table(console, comparison))
    sources = dict.fromkeys(
        entry.source for comparison in comparisons for entry in comparison.others
    )
    if sources:
        console.print("[bold]Sources[/]")
        for source in sources:
            console.print(f"  {escape(source)}", soft_wrap=True)


def comparisons_json(description: RobotDescription, comparisons: Sequence[Comparison]) -> str:
    """Return an object with `robot` and, by name of function, `functions`.

    A function contains `ours`, `others`, `descent` and `formulation`.
    """
    functions = {comparison.function: _as_dict(comparison) for comparison in comparisons}
    return json.dumps({"robot": description.name, "functions": functions}, indent=2)


def ratio(entry: Entry, ours: Entry) -> str:
    """The operations that somebody needs, as a multiple of ours."""
    return f"{entry.total / ours.total:.2f}" if ours.total else "-"


def _counts(console: Console, comparison: Comparison) -> Table:
    table = new_table(
        console, comparison.function, "program", "mul", "add", "div", "total", "ratio", "what it is"
    )
    table.columns[-1].justify = "left"
    best = comparison.ours[-1]
    for entry in (*comparison.ours, *comparison.others):
        remark = ", ".join(filter(None, (KINDS.get(entry.kind, ""), entry.note)))
        style = "bold" if entry.kind == OURS else ""
        numbers = (str(number) for number in (entry.mul, entry.add, entry.div, entry.total))
        table.add_row(
            escape(entry.label), *numbers, ratio(entry, best), escape(remark), style=style
        )
    return table


def _pass_table(console: Console, comparison: Comparison) -> Table:
    table = new_table(
        console, f"Pass by pass: {comparison.function}", "pass", "round", "total", "change"
    )
    for step, change in zip(comparison.descent, comparison.changes, strict=True):
        table.add_row(step.name, str(step.round or ""), str(step.total), change)
    return table


def _as_dict(comparison: Comparison) -> dict[str, Any]:
    return {
        "ours": [{**asdict(entry), "total": entry.total} for entry in comparison.ours],
        "others": [{**asdict(entry), "total": entry.total} for entry in comparison.others],
        "descent": [asdict(step) for step in comparison.descent],
        "formulation": list(comparison.formulation),
    }
