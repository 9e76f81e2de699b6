"""Two tables of Turney, Mudge and Lee (1980) computed from their own terms, which are data (`published/turney.yaml`).

Table 5 counts inverse dynamics on as many processors as one likes; Table 2 counts the Lagrange formulation on one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from dynagen.records import Polynomial, Record, read_records


class Term(Record):
    """A term of the algorithm, and what one processor takes for it."""

    term: str
    mul: int
    add: int


class Simultaneous(Record):
    """Terms by stage: the opening one after the other, the others at once, a stage for every link."""

    opening: tuple[Term, ...]
    outward: tuple[Term, ...]
    inward: tuple[Term, ...]


class LagrangeTerm(Record):
    """Multiplications of one term of the Lagrange formulation."""

    term: str
    mul: Polynomial


class Turney(Record):
    """The terms of both tables."""

    simultaneous: Simultaneous
    lagrange: tuple[LagrangeTerm, ...]


@cache
def turney() -> Turney:
    """The bundled data."""
    return read_records(Turney, "turney")


def simultaneous_steps() -> tuple[Polynomial, Polynomial]:
    """Multiplications and additions that come one after the other (Table 5), as polynomials in the joints."""
    stages = turney().simultaneous

    def steps(counts: Sequence[Sequence[int]]) -> Polynomial:
        opening, outward, inward = counts
        return Fraction(sum(opening)), Fraction(max(outward) + max(inward))

    terms = (stages.opening, stages.outward, stages.inward)
    return steps([[each.mul for each in stage] for stage in terms]), steps([[each.add for each in stage] for stage in terms])


def lagrange_multiplications() -> Polynomial:
    """Multiplications of the Lagrange formulation (Table 2), as a polynomial in the joints."""
    terms = [term.mul for term in turney().lagrange]
    return tuple(sum((term[k] for term in terms if k < len(term)), Fraction(0)) for k in range(max(map(len, terms))))
