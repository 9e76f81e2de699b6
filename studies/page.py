"""Page: where a study's tables and figures go, and what they look like."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from dynagen.report.drawing import figure_content, figure_style

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
"""In the order of docs/studies/README.md."""
_TABLE = re.compile(r"(<!-- table: (?P<name>[\w-]+) -->\n)(?P<table>.*?)(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Table:
    """A table of a page, of texts: numbers have as many digits as they are good for.

    Attributes:
        columns: their names.
        rows: as many texts each.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def committed_tables(name: str) -> dict[str, str]:
    """The tables of a study's page, by name."""
    page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    return {match["name"]: match["table"] for match in _TABLE.finditer(page)}


def write_tables(name: str, tables: Mapping[str, Callable[[], Table]]) -> None:
    """Compute tables, and put them where a study's page has marks for them."""
    page = FOLDER / f"{name}.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(
        _TABLE.sub(lambda match: f"{match[1]}{tables[match['name']]()}{match[4]}", text),
        encoding="utf-8",
    )


def write_figures(name: str, draw: Callable[[], Mapping[str, Figure]]) -> list[str]:
    """Draw a study's figures as docs/studies/NAME_FIGURE.svg, and return the names of the files."""
    with figure_style():
        files = {
            FOLDER / f"{name}_{title}.svg": figure_content(figure, ".svg")
            for title, figure in draw().items()
        }
    for path, content in files.items():
        path.write_bytes(content)
    return [path.name for path in files]
