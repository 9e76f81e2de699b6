"""Output of errata with the results of their checks, to the console, as JSON and as a page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.markup import escape

from dynagen.apps.literature.errata.checks import Verdict
from dynagen.apps.literature.errata.erratum import Erratum, Paper, read_errata
from dynagen.errors import VerificationError

_Checked = tuple[Paper, list[tuple[Erratum, Verdict]]]


def check_errata() -> list[_Checked]:
    """Run the checks of all errata; return each paper with its errata and the checks' results."""
    return [(paper, [(each, each.run_check()) for each in paper.errata]) for paper in read_errata()]


def require_passed(checked: list[_Checked]) -> None:
    """Raise an error if the check of an erratum fails.

    Args:
        checked: each paper with its errata and verdicts, from `check_errata`.

    Raises:
        VerificationError: a printed statement is true, or a corrected statement is false.
    """
    failed = [each.place for _, errata in checked for each, verdict in errata if not verdict.passed]
    if failed:
        raise VerificationError(
            f"the checks of these errata fail: {', '.join(failed)}; expected a false printed "
            "statement and a true corrected statement"
        )


def print_errata(console: Console, checked: list[_Checked]) -> None:
    """Print all errata by paper, with the statements and the results of their checks.

    Args:
        console: console to print on.
        checked: each paper with its errata and verdicts, from `check_errata`.
    """
    for paper, errata in checked:
        console.print(f"[bold]{escape(paper.citation)}[/]", soft_wrap=True)
        for erratum, verdict in errata:
            page = f", p. {erratum.page}" if erratum.page else ""
            console.print(f"  {escape(erratum.place)}{page}", soft_wrap=True)
            for name, text in (
                ("printed", erratum.printed),
                ("correct", erratum.correct),
                ("found by", erratum.found),
                ("check", f"{'passed' if verdict.passed else 'FAILED'}: {verdict.detail}"),
            ):
                console.print(f"    {name:8}  {escape(text)}", soft_wrap=True)
    total = sum(len(errata) for _, errata in checked)
    passed = sum(verdict.passed for _, errata in checked for _, verdict in errata)
    console.print(f"{passed} of {total} checks passed")


def errata_json(checked: list[_Checked]) -> str:
    """Return the errata by paper, with the results of their checks, as a JSON object.

    Args:
        checked: each paper with its errata and verdicts, from `check_errata`.
    """

    def as_dict(erratum: Erratum, verdict: Verdict) -> dict[str, Any]:
        return {
            **erratum.model_dump(exclude={"check"}),
            "passed": verdict.passed,
            "detail": verdict.detail,
        }

    papers = [
        {"citation": paper.citation, "errata": [as_dict(*each) for each in errata]}
        for paper, errata in checked
    ]
    return json.dumps({"papers": papers}, indent=2)


def errata_page() -> list[str]:
    """Return the lines of `docs/errata.md`, after checking all errata.

    Raises:
        VerificationError: a printed statement is true, or a corrected statement is false.
    """
    checked = check_errata()
    require_passed(checked)
    total = sum(len(errata) for _, errata in checked)
    return ["# Errata of the papers", "", *_INTRODUCTION.format(total=total).splitlines(), ""] + [
        line for paper, errata in checked for line in _paper_lines(paper, errata)
    ]


_INTRODUCTION = """This page lists {total} errors in the papers whose results dynagen
reproduces. To check all errors, run

```sh
dynagen report --errata
```

The check of an error shows that the printed statement fails and that the corrected statement holds.
Symbols have the meaning that the paper gives them. The data are in
[published/errata.yaml](../published/errata.yaml). `make reference` writes this page."""


def _paper_lines(paper: Paper, errata: list[tuple[Erratum, Verdict]]) -> Iterator[str]:
    title = paper.citation.partition(",")[0]
    yield from (f"## {title}", "", f"This table lists errors in {paper.citation}.", "")
    yield "| place | page | printed | correct | found by | check |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for erratum, verdict in errata:
        cells = (
            erratum.place,
            erratum.page,
            erratum.printed,
            erratum.correct,
            erratum.found,
            verdict.detail,
        )
        yield f"| {' | '.join(_escape_cell(cell) for cell in cells)} |"
    yield ""


def _escape_cell(text: str) -> str:
    """Return text in which Markdown's special characters are escaped."""
    for character in ("|", "*", "_", "<"):
        text = text.replace(character, f"\\{character}")
    return text
