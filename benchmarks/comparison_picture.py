"""Picture of docs/comparison.md: operations of other sources divided by dynagen's operations.

The program reads the tables of the page and writes docs/comparison.png in a second, without
counting operations again (`pip install 'dynagen[bench]'`). `comparison.py` counts the operations,
writes docs/comparison.md and draws the picture.

    python benchmarks/comparison_picture.py
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from matplotlib.figure import Figure

from dynagen.apps.literature.comparison_page import KIND_COLOURS
from dynagen.report.drawing import (
    GREY,
    LIGHT,
    WIDTH,
    draw_to,
    make_axes_logarithmic,
    make_figure,
    put_legend_above,
)

DOCS = Path(__file__).parents[1] / "docs"
KINDS = {  # kind of entries -> heading of their column, colour
    "published": ("published", KIND_COLOURS["paper"]),
    "program": ("other generators", KIND_COLOURS["program"]),
    "recursion": ("textbook recursion, counted by us", KIND_COLOURS["recursion"]),
}
_TICKS = (1, 1.5, 2, 3, 4, 5, 6, 8)


@dataclass(frozen=True)
class Point:
    """The source with the fewest operations, apart from dynagen, for one function of one robot.

    Attributes:
        function: name of the function.
        robot: name of the robot.
        kind: kind of the source, a key of KINDS.
        factor: operations of the source divided by dynagen's operations.
    """

    function: str
    robot: str
    kind: str
    factor: float


def read_points(page: str) -> list[Point]:
    """Return, for each table row of docs/comparison.md, the best source apart from dynagen.

    The best source has the lowest operation count of the row.
    """
    points, function = [], ""
    for line in page.splitlines():
        if line.startswith("## "):
            function = line[3:].strip()
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if function and len(cells) == 4 + len(KINDS) and cells[1].isdecimal():
            ours = min(int(cell) for cell in cells[1:3] if cell)
            others = {
                kind: int(re.findall(r"^\d+", cell)[0])
                for kind, cell in zip(KINDS, cells[3:-1], strict=True)
                if cell
            }
            kind = min(others, key=others.__getitem__)
            points.append(Point(function, cells[0], kind, others[kind] / ours))
    return points


def plot(points: Sequence[Point]) -> Figure:
    """Draw a line for each function, with a point at the factor of each robot.

    A factor is the number of operations of the best other source, divided by dynagen's number. The
    function with the largest median factor comes first.
    """
    factors: dict[str, list[float]] = {}
    for point in points:
        factors.setdefault(point.function, []).append(point.factor)
    ordered = sorted(factors, key=lambda function: -median(factors[function]))
    figure = make_figure(WIDTH, 0.36 * len(ordered) + 1.2)
    axes = figure.subplots()
    for place, function in enumerate(ordered):
        reach = min(factors[function]), max(factors[function])
        axes.plot((1, reach[1]), (place, place), color=LIGHT, linewidth=7, solid_capstyle="butt")
        count = len(factors[function])
        robots = f"{count} robot{'s' if count > 1 else ''}"
        spread = f"{reach[0]:.1f} to {reach[1]:.1f}" if count > 1 else f"{reach[0]:.1f}"
        text = f"{spread} times, {robots}"
        axes.text(1.02, place, text, transform=axes.get_yaxis_transform(), va="center", color=GREY)
    for kind, (heading, colour) in KINDS.items():
        chosen = [point for point in points if point.kind == kind]
        axes.plot(
            [point.factor for point in chosen],
            [ordered.index(point.function) for point in chosen],
            "o",
            color=colour,
            markersize=6,
            markeredgecolor="white",
            markeredgewidth=0.6,
            label=heading,
        )
    axes.axvline(1, color=KIND_COLOURS["dynagen"], linewidth=3, label="dynagen")
    make_axes_logarithmic(axes, "x")
    axes.set(
        xlabel="operations of the best other source for each robot, as a multiple of dynagen's",
        xlim=(0.97, 9.2),
        ylim=(len(ordered) - 0.5, -0.5),
    )
    axes.set_xticks(_TICKS, map(str, _TICKS))
    axes.minorticks_off()
    names = [function.replace("+", " + ").replace("_", " ") for function in ordered]
    axes.set_yticks(range(len(ordered)), names)
    axes.grid(visible=False, axis="y")
    put_legend_above(axes, 4)
    return figure


def draw() -> None:
    """Write docs/comparison.png from the tables of docs/comparison.md."""
    points = read_points((DOCS / "comparison.md").read_text(encoding="utf-8"))
    picture = DOCS / "comparison.png"
    picture.write_bytes(draw_to(picture, "bench", partial(plot, points)))


if __name__ == "__main__":
    draw()
