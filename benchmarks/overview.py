"""Picture of the README: a URDF, its generated C code, and time and operations of the code.

python benchmarks/overview.py # writes docs/overview.svg

Times come from the tables of docs/benchmarks.md, which `make speed` measures. Operations come from
the generator and from published/counts.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import dynagen
from dynagen.apps.literature.comparison import published_counts
from dynagen.report.drawing import COLOURS, GREY, INK, LIGHT, draw_to, make_figure
from dynagen.robot.loading import load_robot, write_robot

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
PICTURE = PAGE.with_name("overview.svg")
ROBOT, FUNCTION = "panda", "inverse_dynamics"
_TITLE, _CODE = 9.0, 6.4  # sizes of text in points


def read_times() -> dict[str, float]:
    """Return each program's time for one state (ns), from the tables of docs/benchmarks.md."""
    faster, bounds = (_read_row(ROBOT), _read_row(f"{ROBOT}-bounds"))
    pinocchio = faster["Pinocchio: ns"]
    return {
        "Pinocchio, C++": pinocchio,
        "CasADi's C": pinocchio / faster["CasADi's C"],
        "dynagen": bounds["one state per call: ns"],
        "dynagen, batch": bounds["batch: ns"],
    }


def _read_row(table: str) -> dict[str, float]:
    """Return the row of FUNCTION in a table of docs/benchmarks.md: mapping heading -> number."""
    text = PAGE.read_text(encoding="utf-8").partition(f"<!-- table: {table} -->")[2]
    heads, _, *rows = text.partition("<!-- end -->")[0].strip().splitlines()
    (row,) = (row for row in rows if row.startswith(f"| `{FUNCTION}` |"))
    cells = zip(_split(heads)[1:], _split(row)[1:], strict=True)
    return {head: float(cell.replace(",", "")) for head, cell in cells}


def _split(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("| ").split("|")]


def count_operations() -> dict[str, int]:
    """Return the number of arithmetic operations of one call, for dynagen's code and CasADi's."""
    (casadi,) = (
        figure
        for figure in published_counts().programs
        if (figure.robot, figure.function, figure.source) == (ROBOT, FUNCTION, "pinocchio_casadi")
    )
    (ours,) = dynagen.generate(ROBOT, FUNCTION, verify=False).functions
    return {
        "CasADi's C": casadi.total,
        "dynagen": ours.operations.total,
    }


def read_excerpts() -> tuple[list[str], list[str]]:
    """Return lines of the robot's URDF and of the generated C, cut off to fit the picture."""
    urdf = write_robot(load_robot(ROBOT), Path(f"{ROBOT}.urdf")).text.splitlines()
    begin = next(i for i, line in enumerate(urdf) if '<link name="link2"' in line)
    (source,) = (
        file.text
        for file in dynagen.generate(ROBOT, FUNCTION, verify=False).files
        if file.path.endswith(f"{FUNCTION}.c")
    )
    code = re.sub(rf"const {ROBOT}_real ", "", source).splitlines()
    first = next(i for i, line in enumerate(code) if "Outward, body 3" in line)
    return urdf[begin : begin + 10], code[first : first + 10]


def draw(times: Mapping[str, float], operations: Mapping[str, int]) -> Figure:
    """Draw three panels: an excerpt of the URDF, one of the C code, and bars of their costs.

    Args:
        times: time for one state (ns) by name of the program.
        operations: number of operations by name of the program.
    """
    figure = make_figure(9.5, 2.7)
    figure.get_layout_engine().set(wspace=0.06)
    panels = figure.subplots(1, 3, width_ratios=(1.0, 1.0, 1.25))
    urdf, code = read_excerpts()
    _write(panels[0], f"{ROBOT}.urdf", urdf)
    _write(panels[1], f"{ROBOT}_{FUNCTION}.c", code)
    panels[1].annotate(
        "",
        xy=(0.0, 0.5),
        xytext=(-0.11, 0.5),
        xycoords="axes fraction",
        arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 1.5},
    )
    _draw_bars(panels[2], times, operations)
    return figure


def _write(axes: Axes, title: str, lines: Sequence[str]) -> None:
    axes.set_title(title, loc="left", fontsize=_TITLE, fontweight="bold")
    axes.set(xticks=[], yticks=[], xlim=(0, 1), ylim=(0, 1), facecolor="#F6F7F9")
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set(visible=True, color=LIGHT)
    indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    for number, line in enumerate(lines):
        line = line.replace(" ", "\N{NO-BREAK SPACE}")  # SVG drops other spaces at a line's start
        cut = line[indent:] if len(line) - indent <= 43 else line[indent : indent + 42] + "…"
        axes.text(
            0.03,
            0.95 - number * 0.09,
            cut,
            family="DejaVu Sans Mono",
            fontsize=_CODE,
            va="top",
            parse_math=False,
        )


def _draw_bars(axes: Axes, times: Mapping[str, float], operations: Mapping[str, int]) -> None:
    """Draw bars of times above and of operations below, each with its own scale."""
    axes.set_title("inverse dynamics of one state", loc="left", fontsize=_TITLE, fontweight="bold")
    rows = [
        (
            "nanoseconds",
            {name: f"{time:.2g}" if time < 10 else f"{time:.0f}" for name, time in times.items()},
            times,
        ),
        ("operations", {name: str(count) for name, count in operations.items()}, operations),
    ]
    place = 0.0
    for label, texts, values in rows:
        axes.text(0, place, label, va="center", color=GREY, fontsize=8)
        for name, value in values.items():
            place -= 1
            length = value / max(values.values())
            colour = COLOURS[0] if name.startswith("dynagen") else COLOURS[6]
            axes.barh(place, length, height=0.72, color=colour)
            axes.text(-0.03, place, name, ha="right", va="center", fontsize=8)
            axes.text(length + 0.02, place, texts[name], va="center", fontsize=8)
        place -= 1.2
    axes.set(xlim=(-0.62, 1.15), ylim=(place + 0.4, 0.7))
    axes.axis("off")


def main() -> None:
    """Write docs/overview.svg."""
    PICTURE.write_bytes(draw_to(PICTURE, "bench", partial(draw, read_times(), count_operations())))
    print(PICTURE)


if __name__ == "__main__":
    main()
