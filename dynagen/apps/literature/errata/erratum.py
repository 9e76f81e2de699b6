"""Errata as data, and evaluation of their checks."""

from __future__ import annotations

from functools import cache
from typing import Any

from dynagen.apps.literature.errata.checks import CHECKS, Verdict
from dynagen.resources import Record, read_records


class Paper(Record):
    """Paper with a list of errata.

    Attributes:
        citation: authors, title, publisher and year.
        errata: the errata, in the order of the paper.
    """

    citation: str
    errata: tuple[Erratum, ...]


class Erratum(Record):
    """Error in a paper, with the corrected statement and a check of both.

    Attributes:
        place: equation, table or section.
        page: page, or pages of the section; empty if the source has no page numbers.
        printed: the statement as printed, in symbols or words.
        correct: the correct statement.
        found: how the error was found.
        check: mapping with one entry: kind of the check (a key of `CHECKS`) and its data.
    """

    place: str
    page: str = ""
    printed: str
    correct: str
    found: str
    check: dict[str, Any]

    def run_check(self) -> Verdict:
        """Check whether the printed statement is false and the corrected statement true."""
        ((kind, data),) = self.check.items()
        return CHECKS[kind](data)


class PublishedErrata(Record):
    """All errata of the file `published/errata.yaml`.

    Attributes:
        papers: the papers with errata, in the order of the file.
    """

    papers: tuple[Paper, ...]


@cache
def read_errata() -> tuple[Paper, ...]:
    """Read the errata of all papers from `published/errata.yaml`."""
    return read_records(PublishedErrata, "errata").papers
