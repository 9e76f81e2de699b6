"""Tables and figures of a study's page in docs/studies."""

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
    """Table of a page. Cells are texts, with as many digits as are significant.

    Attributes:
        columns: headings.
        rows: rows with one text for each column.
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
    page.write_text(
        _TABLE.sub(lambda match: f"{match[1]}{tables[match['name']]()}{match[4]}", text),
        encoding="utf-8",
    )


def write_figures(name: str, draw: Callable[[], Mapping[str, Figure]]) -> list[str]:
    """Draw a study's figures to docs/studies/NAME_FIGURE.svg; return the names of the files."""
    with use_figure_style():
        files = {
            FOLDER / f"{name}_{title}.svg": render_figure(figure, ".svg")
            for title, figure in draw().items()
        }
    for path, content in files.items():
        path.write_bytes(content)
    return [path.name for path in files]
