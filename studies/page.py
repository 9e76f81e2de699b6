"""Page: where a study's tables and figures go, and what they look like."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from matplotlib import style
from matplotlib.figure import Figure

from dynagen.report.figure import COLOURS, STYLE

__all__ = [
    "COLOURS",
    "STUDIES",
    "Table",
    "committed_tables",
    "legend_above",
    "panels",
    "write_figures",
    "write_tables",
]

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
_COORDINATES = re.compile(r'(?<= )(?:d|x|y)="[^"]*"')


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


def panels(rows: int, columns: int, height: float) -> tuple[Figure, Any]:
    """A figure as wide as a page, and the axes of its panels; height in inches."""
    figure = Figure(figsize=(9.0, height), layout="constrained")
    return figure, figure.subplots(rows, columns)


def legend_above(axes: Any, columns: int = 3) -> None:
    """The legend of a panel, above it, where no line is."""
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=columns,
        borderaxespad=0.0,
        handlelength=1.2,
        columnspacing=1.0,
    )


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
    """Draw a study's figures in the style of all, as docs/studies/NAME_FIGURE.svg, and give the names of the files.

    Coordinates are rounded to a hundredth of a point, which nobody sees: rounding errors of the machine do not show either.
    """
    written = []
    with style.context(STYLE):
        for title, figure in draw().items():
            drawn = StringIO()
            figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
            text = _COORDINATES.sub(
                lambda match: re.sub(r"-?\d+\.\d+", _rounded, match[0]), drawn.getvalue()
            )
            path = FOLDER / f"{name}_{title}.svg"
            path.write_text(
                "\n".join(line.rstrip() for line in text.splitlines()) + "\n", encoding="utf-8"
            )
            written.append(path.name)
    return written


def _rounded(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 2) + 0:g}"
