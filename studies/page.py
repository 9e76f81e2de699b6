"""Tables and figures of a study's page in docs/studies.

Processors and libraries round differently, and simulated motions amplify these differences. A table
or figure on the page that agrees within rounding errors is therefore not changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from dynagen.report.drawing import render_figure, use_figure_style

FOLDER = Path(__file__).parents[1] / "docs" / "studies"
STUDIES = (
    "saha",
    "straight_line",
    "gill",
    "strobing",
    "two_rate_control",
    "unknown_load",
    "izaguirre_identification",
)
"""Names of the studies, in the order of docs/studies/README.md."""
_TABLE = re.compile(r"(<!-- table: (?P<name>[\w-]+) -->\n)(?P<table>.*?)(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Table:
    """Table of a study's page; numbers in cells are texts with the significant digits.

    Attributes:
        columns: headings.
        rows: rows; each row has one text for each column.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def committed_tables(name: str) -> dict[str, str]:
    """Read the tables of a study's page, by name, as Markdown."""
    page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    return {match["name"]: match["table"] for match in _TABLE.finditer(page)}


def write_tables(name: str, tables: Mapping[str, Callable[[], Table]]) -> None:
    """Compute the tables of a study and write them between their marks on its page."""
    page = FOLDER / f"{name}.md"
    text = page.read_text(encoding="utf-8")

    def compute(match: re.Match[str]) -> str:
        found = str(tables[match["name"]]())
        return match[0] if tables_agree(found, match["table"]) else f"{match[1]}{found}{match[4]}"

    page.write_text(_TABLE.sub(compute, text), encoding="utf-8")


def tables_agree(found: str, expected: str) -> bool:
    """Decide whether two tables in Markdown differ by rounding only.

    Numbers may differ by one in the last digit. Rounding errors such as 2e-15 may differ by a
    factor of 3.
    """
    cells = found.split("|"), expected.split("|")
    return len(cells[0]) == len(cells[1]) and all(map(_cells_agree, *cells))


def _cells_agree(found: str, expected: str) -> bool:
    """Decide whether the texts of two table cells differ by rounding only."""
    for form in (r" -?\d+(?:\.\d*)? ", r" \d+(?:\.\d*)?e-\d+ "):
        if re.fullmatch(form, expected) and re.fullmatch(form, found):
            one, other = float(found), float(expected)
            if "e" in expected:
                return other / 3 < one < 3 * other
            _, _, decimals = expected.strip().partition(".")
            return abs(one - other) <= 1.01 * 10.0 ** -len(decimals)
    return found == expected


def write_figures(name: str, draw: Callable[[], Mapping[str, Figure]]) -> list[str]:
    """Draw a study's figures to docs/studies/NAME_FIGURE.svg; return the names of these files."""
    with use_figure_style():
        files = {
            FOLDER / f"{name}_{title}.svg": render_figure(figure, ".svg")
            for title, figure in draw().items()
        }
    for path, content in files.items():
        if not (path.exists() and figures_agree(content.decode(), path.read_text("utf-8"))):
            path.write_bytes(content)
    return [path.name for path in files]


_COORDINATES = re.compile(r'(?<= )(?:d|x|y|transform)="[^"]*"')
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_VISIBLE = 0.5  # points


def figures_agree(found: str, expected: str) -> bool:
    """Decide whether two figures in SVG have the same elements at nearly the same places."""
    if _COORDINATES.sub("", found) != _COORDINATES.sub("", expected):
        return False
    ours, theirs = (" ".join(_COORDINATES.findall(text)) for text in (found, expected))
    if _NUMBER.sub("", ours) != _NUMBER.sub("", theirs):
        return False
    pairs = zip(_NUMBER.findall(ours), _NUMBER.findall(theirs), strict=True)
    return all(abs(float(one) - float(other)) < _VISIBLE for one, other in pairs)
