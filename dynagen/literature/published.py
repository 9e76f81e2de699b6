"""Published operation counts: of papers, of general formulas, and of the programs that other generators emit.

The figures are data (`published/counts.yaml`), each with its source; this module checks and looks them up.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from pydantic import Field

from dynagen.records import Polynomial, Record, read_records

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
        names = [author.split()[-1] for author in self.authors.removesuffix(" and others").split(", ")]
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
    """The published operations of one call for any chain of n revolute joints: polynomials in n, the constant first."""

    function: str
    source: str
    mul: Polynomial
    add: Polynomial
    note: str = ""
    erratum: str = ""

    def at(self, robot: str, joints: int) -> Figure | None:
        """The figure for a robot of so many joints; rounded, because not every printed polynomial is whole.

        None where the formula goes below zero, as some do for a single joint: they are not meant for so few.
        """
        mul, add = (round(sum(c * joints**k for k, c in enumerate(each))) for each in (self.mul, self.add))
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
            revolute_joints: how many joints it has, if it is a chain of revolute ones: then the formulas apply.
        """
        applying = [figure for figure in self.papers if figure.robot == robot]
        applying += [figure.model_copy(update={"kind": "program"}) for figure in self.programs if figure.robot == robot]
        if revolute_joints is not None:
            applying += filter(None, (formula.at(robot, revolute_joints) for formula in self.formulas))
        return tuple(sorted(applying, key=lambda figure: (figure.function, figure.total)))


@cache
def published_counts() -> PublishedCounts:
    """The bundled figures."""
    return read_records(PublishedCounts, "counts")
