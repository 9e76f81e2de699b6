"""Operation counts of a robot's functions, compared with published counts.

Published counts come from papers, general formulas, and programs of other generators. They are
stored with their sources in `published/counts.yaml`. Textbook recursions are recorded and counted
for each robot. `dynagen report` prints the comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal

from pydantic import Field

from dynagen.apps.literature.conventional import ALGORITHMS, FORWARD_ALGORITHMS, count_conventional
from dynagen.apps.literature.unbiased_acceleration import UNBIASED_ACCELERATION, compile_unbiased
from dynagen.errors import UsageError
from dynagen.ir.cost import count
from dynagen.optimizer.compile import CompiledFunction
from dynagen.pipeline.driver import generate
from dynagen.pipeline.generation import make_effort
from dynagen.pipeline.settings import Settings
from dynagen.resources import Polynomial, Record, read_records
from dynagen.robot.description import RobotDescription
from dynagen.robot.joints import REVOLUTE
from dynagen.robot.loading import is_bundled
from dynagen.robot.model.model import RobotModel, build_model
from dynagen.stages import Progress

Kind = Literal["paper", "formula", "program"]


class Source(Record):
    """Publication or program from which operation counts are taken.

    Attributes:
        authors: authors of a paper, or name and version of a program.
        title: title of a paper, with journal or publisher. For a program: how the operations were
            counted; the text begins with `measured`.
        year: year of publication.
    """

    authors: str
    title: str
    year: int

    @property
    def label(self) -> str:
        """Short name for tables: `Khalil 1986` for a paper; name and version for a program."""
        if self.title.startswith("measured"):
            return self.authors
        names = [
            author.split()[-1] for author in self.authors.removesuffix(" and others").split(", ")
        ]
        others = " et al." if len(names) > 2 or self.authors.endswith(" and others") else ""
        return f"{' and '.join(names) if not others else names[0] + others} {self.year}"


class Figure(Record):
    """Published operation count of one call, for one robot.

    Attributes:
        robot: name of the robot.
        function: dynagen's name of the function.
        source: key of the source in `PublishedCounts.sources`.
        mul: number of multiplications.
        add: number of additions and subtractions.
        div: number of divisions; zero if the source counts divisions as multiplications.
        note: how the counted function differs from dynagen's, for example by missing results; may
            be empty.
        erratum: known error of the printed count; may be empty.
        kind: source of the count: paper, formula (for any number of joints) or program (of another
            generator).
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
        """Total number of multiplications, additions and divisions of one call."""
        return self.mul + self.add + self.div


class GeneralFormula(Record):
    """Published operation count of one call, for any chain of n revolute joints.

    Attributes:
        function: dynagen's name of the function.
        source: key of the source in `PublishedCounts.sources`.
        mul: number of multiplications, as coefficients of 1, n, n^2 and so on.
        add: number of additions, as coefficients of 1, n, n^2 and so on.
        joints: the only number of joints for which the formula holds; None: any number.
        note: how the counted function differs from dynagen's; may be empty.
        erratum: known error of the formula; may be empty.
    """

    function: str
    source: str
    mul: Polynomial
    add: Polynomial
    joints: int | None = None
    note: str = ""
    erratum: str = ""

    def at(self, robot: str, joints: int) -> Figure | None:
        """Return the count for a robot with `joints` joints; None if the formula does not apply.

        A printed polynomial does not apply where its value is negative. Counts are rounded, because
        some polynomials do not yield whole numbers.

        Args:
            robot: name of the robot, for the returned count.
            joints: number of joints of a chain of revolute joints.
        """
        if self.joints not in (None, joints):
            return None
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
    """All operation counts from `published/counts.yaml`.

    Attributes:
        sources: publications and programs, by the keys in the counts.
        papers: counts that papers print for a robot.
        formulas: formulas that papers print for any number of joints.
        programs: counts of programs that other generators emit.
    """

    sources: dict[str, Source]
    papers: tuple[Figure, ...]
    formulas: tuple[GeneralFormula, ...]
    programs: tuple[Figure, ...]

    def figures(self, robot: str, revolute_joints: int | None) -> tuple[Figure, ...]:
        """Return the published counts that apply to a robot, sorted by function and by operations.

        Args:
            robot: name of the robot.
            revolute_joints: number of joints if the robot is a chain of revolute joints, to which
                the general formulas apply; else None.
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
    """Read all published operation counts and their sources from `published/counts.yaml`."""
    return read_records(PublishedCounts, "counts")


OURS = "dynagen"


@dataclass(frozen=True)
class Entry:
    """Operation count of one program or publication for a function.

    Attributes:
        label: short name of the source for tables.
        kind: dynagen, paper, formula (for any chain of revolute joints), program (of another
            generator) or recursion (of a textbook, counted by dynagen for this robot).
        mul, add, div: numbers of multiplications, additions (with subtractions) and divisions of
            one call. Operations for sines and cosines are not counted.
        note: how the counted function differs from dynagen's; may be empty.
        source: full reference; may be empty.
        erratum: known error of the printed count; may be empty.
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
        """Total number of multiplications, additions and divisions of one call."""
        return self.mul + self.add + self.div


@dataclass(frozen=True)
class Step:
    """Operation count after one pass (step) of the optimiser.

    Attributes:
        name: name of the pass.
        round: number of the round, since passes are repeated in rounds; 0 for the program before
            all passes, and for passes after the rounds.
        total: total number of multiplications, additions and divisions after the pass.
    """

    name: str
    round: int
    total: int


@dataclass(frozen=True)
class Comparison:
    """Operation counts of one function of a robot, by dynagen and by other sources.

    Attributes:
        function: the user's request for the function.
        ours: dynagen's counts, one for each search effort of the optimiser, the least effort first.
        others: counts of other sources, the fewest operations first.
        descent: for the greatest effort, the operation count after each pass, from the general
            recursion to the emitted program.
        formulation: for the greatest effort, sentences on the chosen frames and parameters.
    """

    function: str
    ours: tuple[Entry, ...]
    others: tuple[Entry, ...]
    descent: tuple[Step, ...]
    formulation: tuple[str, ...]

    @property
    def changes(self) -> tuple[str, ...]:
        """Change of the operation count by each pass of the optimiser, as a text such as `-12`.

        There is one text for each entry of `descent`. The text is empty for the first entry (the
        program before all passes), and for a pass that does not change the count.
        """
        totals = [step.total for step in self.descent]
        return tuple(
            f"{after - before:+d}" if after != before else ""
            for before, after in pairwise([totals[0], *totals])
        )

    @property
    def best_other(self) -> Entry | None:
        """Count of the other source with the fewest operations; None without other sources."""
        return min(self.others, key=lambda entry: entry.total, default=None)


def compared_functions(description: RobotDescription) -> tuple[str, ...]:
    """Return the names of the functions for which other sources have counts for this robot."""
    return tuple(dict.fromkeys(function for function, _ in _find_others(description)))


def compare(
    description: RobotDescription,
    functions: Sequence[str],
    efforts: Sequence[str],
    settings: Settings,
    rivals: bool,
    progress: Progress = lambda stage, done: None,
    workers: int = 1,
) -> tuple[Comparison, ...]:
    """Count the operations of a robot's generated functions, and look up other sources' counts.

    Args:
        description: the robot.
        functions: function requests, as on the command line, such as `mass_matrix`.
        efforts: search efforts of the optimiser, such as `default` and `max`, the least first.
        settings: options of the generation, except functions and effort.
        rivals: whether to include counts of other sources.
        progress: called with the name of the stage that begins, and the completed fraction, 0 to 1,
            or None.
        workers: number of processes that generate code.
    """
    made: dict[str, list[CompiledFunction]] = {}
    generated = tuple(name for name in functions if name != UNBIASED_ACCELERATION.name)
    for effort in efforts:
        run = replace(settings, functions=generated, optimize=effort, verify=False)
        compiled = (
            list(generate(description, run, progress, workers=workers).functions)
            if generated
            else []
        )
        if len(generated) < len(functions):
            compiled.append(compile_unbiased(description, make_effort(run)))
        for function in compiled:
            made.setdefault(function.definition.request, []).append(function)
    others = _find_others(description) if rivals else ()
    return tuple(
        Comparison(
            request,
            tuple(
                _make_our_entry(each, effort)
                for each, effort in zip(by_effort, efforts, strict=True)
            ),
            tuple(entry for function, entry in others if function == request),
            _list_steps(by_effort[-1]),
            by_effort[-1].formulation,
        )
        for request, by_effort in made.items()
    )


def _make_our_entry(function: CompiledFunction, effort: str) -> Entry:
    operations = function.operations
    label = f"{OURS}, {effort}" + (f", {function.method}" if function.method else "")
    return Entry(label, OURS, operations.mul, operations.add, operations.div)


def _list_steps(function: CompiledFunction) -> tuple[Step, ...]:
    steps = [Step("as recorded", 0, count(function.recorded).total)]
    for record in function.passes:
        if record.after.total != steps[-1].total:
            steps.append(Step(record.name, record.round, record.after.total))
    return tuple(steps)


@lru_cache(maxsize=4)
def _find_others(description: RobotDescription) -> tuple[tuple[str, Entry], ...]:
    known = published_counts()
    entries = []
    # Published counts apply to the bundled numbers only; a robot of the user may have the same
    # name.
    name = description.name if is_bundled(description) else ""
    for figure in known.figures(name, _count_revolute_joints(build_model(description))):
        source = known.sources[figure.source]
        citation = f"{source.authors}: {source.title}, {source.year}"
        counts = figure.mul, figure.add, figure.div
        entry = Entry(source.label, figure.kind, *counts, figure.note, citation, figure.erratum)
        entries.append((figure.function, entry))
    entries += _count_recursions(description)
    return tuple(sorted(entries, key=lambda each: each[1].total))


def _count_recursions(description: RobotDescription) -> Iterator[tuple[str, Entry]]:
    """Yield the name of the function and the operation count of each textbook algorithm.

    Algorithms that do not cover the robot are omitted. Operations with zeros and ones are not
    counted.
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
            f"without operations on zeros and ones; {general.total} with them"
            if general
            else "without operations on zeros and ones"
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


def _count_revolute_joints(model: RobotModel) -> int | None:
    """Return the number of joints of a chain of revolute joints; None for other robots."""
    is_chain = all(body.parent == index - 1 for index, body in enumerate(model.bodies))
    return (
        len(model.bodies)
        if is_chain and all(body.joint.type is REVOLUTE for body in model.bodies)
        else None
    )
