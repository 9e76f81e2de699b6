"""Two tables of Turney, Mudge and Lee (1980) computed from their own terms, which are data (`published/turney.yaml`).

Table 5 counts inverse dynamics on as many processors as one likes; Table 2 counts the Lagrange formulation on one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict
from ruamel.yaml import YAML

from dynagen.resources import published_folder

Polynomial = Annotated[tuple[Fraction, ...], BeforeValidator(lambda given: tuple(Fraction(each) for each in given))]
"""Coefficients of 1, n, n^2, ..., for n joints."""


class Term(BaseModel):
    """A term of the algorithm, and what one processor takes for it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    term: str
    mul: int
    add: int


class Simultaneous(BaseModel):
    """Terms by stage: the opening one after the other, the others at once, a stage for every link."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    opening: tuple[Term, ...]
    outward: tuple[Term, ...]
    inward: tuple[Term, ...]


class LagrangeTerm(BaseModel):
    """Multiplications of one term of the Lagrange formulation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    term: str
    mul: Polynomial


class Turney(BaseModel):
    """The terms of both tables."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    simultaneous: Simultaneous
    lagrange: tuple[LagrangeTerm, ...]


@cache
def turney() -> Turney:
    """The bundled data."""
    text = (published_folder() / "turney.yaml").read_text(encoding="utf-8")
    return Turney.model_validate(YAML(typ="safe", pure=True).load(text))


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
