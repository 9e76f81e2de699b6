"""Drawing: one style for all figures, the kinds of charts in use, and figures as files and inside pages.

matplotlib draws figures. Interactive pages embed plotly (`plotly_script`). Both libraries are extras, imported when needed.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import cycle, pairwise
from operator import itemgetter
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from dynagen.errors import UsageError
from dynagen.resources import require_extra

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#7F7F7F")
"""Distinct for colour-blind readers (Okabe and Ito 2008, with a darker yellow)."""
INK, GREY, LIGHT = "#1B1F24", "#5B6470", "#D9DDE2"
"""Colours of text; of axes and reference lines; of grids."""
DASHES = ("-", "--", ":", "-.")
STYLE: Mapping[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "grid.color": LIGHT,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "lines.markersize": 3.5,
    "savefig.dpi": 120,
    "svg.fonttype": "none",
    "svg.hashsalt": "dynagen",
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign in a joint's name is a dollar sign
    "xtick.color": GREY,
    "ytick.color": GREY,
}
"""Settings of matplotlib for every figure."""
FORMATS = (".svg", ".png", ".pdf")
WIDTH, WIDE = 9.5, 11.5
"""Width of a figure in a text column and in a wide page, in inches."""

_METADATA: Mapping[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None},
}
_COORDINATES = re.compile(r'(?<= )(?:d|x|y|transform)="[^"]*"')
_BUCKETS = 250  # of a long signal: the least and the greatest value of each are drawn
_ROW, _COLUMN = 0.21, 0.32  # inches: height of a row of boxes, least distance of layers in a graph
_SMALL, _CHARACTER = 6.5, 4.2  # points: size of a box's label, and width of a character in it
_SHADES = (0.45, 0.75, 0.2)  # parts of a colour; the rest is white
_SWEEPS = 6
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Box:
    """A task in a Gantt chart or a graph.

    Attributes:
        left, width: in units of the horizontal axis; a graph sets them itself.
        row: number of the row, from the top.
        colour: of the area.
        label: drawn inside where it fits.
        tooltip: shown in pages under the pointer.
        is_critical: whether to draw a frame.
    """

    left: float
    width: float
    row: float
    colour: str
    label: str
    tooltip: str
    is_critical: bool


@dataclass(frozen=True)
class Bar:
    """A bar of a chart: its label, its value, the text at its end, and its kind, which has a colour."""

    label: str
    value: float
    text: str
    kind: str


def require_drawing(extra: str, path: Path | None = None) -> None:
    """Check that figures can be drawn, before any work is done for them.

    Args:
        extra: name of the extra of dynagen that installs matplotlib for the caller.
        path: file that a figure is for; its ending is one of FORMATS. None: the figure is for a page.

    Raises:
        ToolchainError: matplotlib is missing.
        UsageError: another format.
    """
    require_extra("matplotlib", extra, "to draw figures")
    if path is not None and path.suffix not in FORMATS:
        raise UsageError(f"{path}: a figure's name ends in {', '.join(FORMATS)}")


def plotly_script() -> str:
    """Return the JavaScript of plotly, for a page that works without a network.

    Raises:
        ToolchainError: plotly is missing.
    """
    require_extra("plotly", "view", "to draw the robot")
    from plotly.offline import get_plotlyjs

    script: str = get_plotlyjs()
    return script


def figure_style(**changes: Any) -> AbstractContextManager[None]:
    """Apply the style of all figures, with changes of single settings, while a figure is made and written."""
    from matplotlib import style

    return style.context({**STYLE, **changes})


def draw_to(path: Path, extra: str, draw: Callable[[], Figure]) -> bytes:
    """Return the content of a figure's file, the same every time; arguments and errors as of `require_drawing`."""
    require_drawing(extra, path)
    with figure_style():
        return figure_content(draw(), path.suffix)


def figure_content(figure: Figure, suffix: str) -> bytes:
    """Return a figure as the content of a file, inside `figure_style`.

    Coordinates in SVG are rounded to a hundredth of a point, so that rounding errors of a machine do not show.
    """
    drawn = BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # a reader of SVG may have the font
        figure.savefig(drawn, format=suffix[1:], metadata=_METADATA.get(suffix, {}))
    if suffix != ".svg":
        return drawn.getvalue()
    text = _COORDINATES.sub(
        lambda match: re.sub(r"-?\d+\.\d+", _rounded, match[0]), drawn.getvalue().decode()
    )
    return ("\n".join(line.rstrip() for line in text.splitlines()) + "\n").encode()


def _rounded(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 2) + 0:g}"


def draw_inline(title: str, extra: str, draw: Callable[[], Figure]) -> str:
    """Return a figure as an SVG element of an HTML page, its text escaped. Its title is unique in the page."""
    require_drawing(extra)
    with figure_style(**{"svg.hashsalt": title}):
        root = ElementTree.fromstring(figure_content(draw(), ".svg"))
    for element in list(root.iter()):
        element[:] = [
            each for each in element if each.tag.rpartition("}")[2] not in ("metadata", "style")
        ]
        element.tag = element.tag.rpartition("}")[2]
        element.text, element.tail = (
            (element.text or "").strip() and element.text,
            None,
        )  # no spaces between elements
        attributes = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
        if element.tag == "g":
            attributes.pop("id", None)
        if element.tag == "a":  # matplotlib has links where pages have tooltips
            element.tag = "g"
            tooltip = ElementTree.Element("title")
            tooltip.text = attributes["href"]
            element.insert(0, tooltip)
            attributes = {}
        element.attrib = attributes
    root.attrib |= {"role": "img", "aria-label": title}
    return ElementTree.tostring(root, encoding="unicode")


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure whose panels share its area without overlaps; sizes in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def panels(rows: int, columns: int, height: float, width: float = WIDTH) -> tuple[Figure, Any]:
    """Return a figure and the axes of its panels; sizes in inches."""
    figure = new_figure(width, height)
    return figure, figure.subplots(rows, columns)


def legend_above(axes: Any, columns: int = 3) -> None:
    """Put the legend of a panel above it, where no line is."""
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=columns,
        borderaxespad=0.0,
        handlelength=1.2,
        columnspacing=1.0,
    )


def legend_below(figure: Figure, axes: Any, columns: int) -> None:
    """Put the legend of one panel below all panels of the figure."""
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=columns)


def log_axes(axes: Any, which: str) -> None:
    """Make axes logarithmic, after everything is drawn.

    Args:
        axes: of a panel.
        which: `x`, `y` or `xy`.
    """
    from matplotlib.ticker import NullFormatter

    for name in which:
        axes.set(**{f"{name}scale": "log"})
        axis = getattr(axes, f"{name}axis")
        low, high = axis.get_view_interval()
        axis.set_major_formatter("{x:,g}" if low > 5e-4 and high < 2e5 else _power_of_ten)
        axis.set_minor_formatter(NullFormatter() if high > 10 * low else "{x:,g}")


def _power_of_ten(value: float, place: int) -> str:
    return "10" + str(round(np.log10(value))).translate(_SUPERSCRIPTS)


def draw_joints(
    axes: Any, t: NDArray[Any], values: NDArray[Any], label: str, names: Sequence[str] = ()
) -> Any:
    """Draw one line for each joint over time.

    Args:
        axes: of a panel.
        t: times, shape (samples,).
        values: shape (samples, joints).
        label: of the vertical axis, with the unit.
        names: of the joints; empty: their numbers.

    Returns:
        The axes.
    """
    for joint, column in enumerate(values.T):
        dashes = DASHES[joint // len(COLOURS) % len(DASHES)]
        name = names[joint] if names else f"joint {joint + 1}"
        draw_signal(
            axes, t, column, color=COLOURS[joint % len(COLOURS)], linestyle=dashes, label=name
        )
    axes.set_ylabel(label)
    return axes


def draw_limits(axes: Any, *limits: float) -> None:
    """Draw horizontal lines at limits."""
    for limit in limits:
        axes.axhline(limit, color=GREY, linewidth=0.8, zorder=1)


def draw_signal(axes: Any, t: NDArray[Any], values: NDArray[Any], **style: Any) -> None:
    """Draw a signal over time, shapes (samples,): of a long one only the extremes of short stretches, so no peak is lost."""
    places = np.arange(len(values))
    if len(values) > 4 * _BUCKETS:
        stretches = pairwise(np.linspace(0, len(values), _BUCKETS + 1).astype(int))
        extremes = [
            first + which(values[first:last])
            for first, last in stretches
            for which in (np.argmin, np.argmax)
        ]
        places = np.unique([0, *extremes, len(values) - 1])
    axes.plot(t[places], values[places], **style)


def draw_series(axes: Any, series: Mapping[str, Mapping[Any, float]], number: str = "{:g}") -> None:
    """Draw curves with a mark at every point. The first one is drawn bold and in front.

    Args:
        axes: of a panel.
        series: value at each place, by name of the curve.
        number: form of values in tooltips.
    """
    for place, (name, values) in enumerate(series.items()):
        colour, order = COLOURS[place % len(COLOURS)], 3 - place / len(series)
        x, y = list(values), list(values.values())
        if len(x) > 2:
            axes.plot(x, y, color=colour, zorder=order, linewidth=1.3 if place else 2.0)
        marks = axes.scatter(x, y, s=12, color=colour, zorder=order, label=name)
        marks.set_urls(
            [f"{name}: {number.format(value)} at {each}" for each, value in values.items()]
        )


def draw_bars(bars: Sequence[Bar], colours: Mapping[str, str], longest: float) -> Figure:
    """Return a figure of horizontal bars, the first on top.

    Args:
        bars: any number.
        colours: colour of every kind, by its name in the legend. A single kind has no legend.
        longest: value at which a bar is cut off and marked with a break.
    """
    figure = new_figure(WIDTH, 0.24 * len(bars) + (0.3 if len(colours) > 1 else 0.05))
    axes = figure.subplots()
    for kind, colour in colours.items():
        lengths = {
            place: min(bar.value, longest) for place, bar in enumerate(bars) if bar.kind == kind
        }
        axes.barh(list(lengths), list(lengths.values()), color=colour, height=0.66, label=kind)
    for place, bar in enumerate(bars):
        axes.text(min(bar.value, longest) + 0.01 * longest, place, bar.text, va="center")
        if bar.value > longest:
            axes.text(
                0.97 * longest,
                place,
                "//",
                va="center",
                ha="center",
                color="white",
                weight="bold",
                size=12,
            )
    axes.set(xlim=(0, 1.15 * longest), xticks=[])
    _name_rows(axes, [bar.label for bar in bars])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    if len(colours) > 1:
        legend_above(axes, len(colours))
    return figure


def _name_rows(axes: Any, names: Sequence[str]) -> None:
    """Write names of rows along the left side, the first on top."""
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.spines["left"].set_visible(False)


def group_colours(groups: Sequence[str]) -> dict[str, str]:
    """Return a colour for each group on which a label can be read: COLOURS in three shades, by turns."""
    from matplotlib.colors import to_hex, to_rgb

    shades = [
        [1 - shade * (1 - part) for part in to_rgb(colour)]
        for shade in _SHADES
        for colour in COLOURS
    ]
    return {
        group: to_hex((red, green, blue))
        for group, (red, green, blue) in zip(groups, cycle(shades), strict=False)
    }


def draw_gantt(boxes: Sequence[Box], rows: Sequence[str], end: float, label: str) -> Figure:
    """Return a Gantt chart.

    Args:
        boxes: tasks, with their times and rows.
        rows: names of the rows from the top.
        end: time at which the chart ends.
        label: of the time axis, with the unit.
    """
    figure = new_figure(WIDTH, _ROW * len(rows) + 0.5)
    axes = figure.subplots()
    end = end or 1.0
    axes.set(xlim=(0, end), xlabel=label)
    _name_rows(axes, rows)
    axes.grid(visible=False, axis="y")
    _draw_boxes(axes, boxes, 0.78, 0.9 * 72 * WIDTH / end)
    return figure


def _draw_boxes(axes: Any, boxes: Sequence[Box], height: float, points: float) -> None:
    """Draw boxes, with their labels where they fit; `points` is the size of a unit of the horizontal axis."""
    from matplotlib.collections import PolyCollection

    corners = []
    for box in boxes:
        left, right = (
            box.left + 0.4 / points,
            box.left + max(box.width - 0.4 / points, 0.5 * box.width),
        )
        low, high = box.row - height / 2, box.row + height / 2
        corners.append([(left, low), (right, low), (right, high), (left, high)])
    drawn = PolyCollection(
        corners,
        facecolors=[box.colour for box in boxes],
        edgecolors=[INK if box.is_critical else "none" for box in boxes],
        linewidths=[0.9 if box.is_critical else 0.0 for box in boxes],
        clip_on=False,
        zorder=2,
    )
    drawn.set_urls([box.tooltip for box in boxes])
    axes.add_collection(drawn, autolim=False)
    for box in boxes:
        if _CHARACTER * len(box.label) < box.width * points - 2:
            text = axes.text(
                box.left + box.width / 2,
                box.row,
                box.label,
                size=_SMALL,
                ha="center",
                va="center_baseline",
            )
            text.set_in_layout(False)


def draw_graph(
    nodes: Sequence[Box], layers: Sequence[int], links: Sequence[tuple[int, int, bool]]
) -> Figure:
    """Return a layered graph: layers from left to right, each node near those that it is linked to.

    Args:
        nodes: boxes, without places.
        layers: number of every node's layer, from 0.
        links: numbers of two nodes, and whether the link between them is critical.
    """
    from matplotlib.collections import LineCollection

    rows, (count, most) = (
        _place_rows(layers, links),
        (max(layers) + 1, max(map(layers.count, layers))),
    )
    column = max(WIDTH / count, _COLUMN)
    named = max(len(node.label) for node in nodes) * _CHARACTER < 0.72 * 72 * column
    size = min(0.72, 0.5 / column) if named else min(0.5, 0.15 / column)
    figure = new_figure(column * count, _ROW * most + 0.45)
    axes = figure.subplots()
    axes.set(xlim=(-0.5, count - 0.5), ylim=(most - 0.5, -0.5), yticks=[])
    axes.set_xticks(range(count), [str(layer + 1) for layer in range(count)])
    axes.tick_params(axis="x", length=0, labeltop=True, labelbottom=False)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    links = sorted(links, key=itemgetter(2))  # critical ones in front
    lines = LineCollection(
        [
            [(layers[first] + size / 2, rows[first]), (layers[last] - size / 2, rows[last])]
            for first, last, _ in links
        ],
        colors=[INK if critical else LIGHT for *_, critical in links],
        linewidths=[1.0 if critical else 0.6 for *_, critical in links],
    )
    axes.add_collection(lines, autolim=False)
    placed = [
        replace(node, left=layer - size / 2, width=size, row=row, label=node.label if named else "")
        for node, layer, row in zip(nodes, layers, rows, strict=True)
    ]
    _draw_boxes(axes, placed, 0.7, 72 * column)
    return figure


def _place_rows(layers: Sequence[int], links: Sequence[tuple[int, int, bool]]) -> list[float]:
    """Return the row of every node. Nodes of a layer are sorted by the mean row of their neighbours: few links cross."""
    columns: list[list[int]] = [[] for _ in range(max(layers) + 1)]
    for node, layer in enumerate(layers):
        columns[layer].append(node)
    before: list[list[int]] = [[] for _ in layers]
    after: list[list[int]] = [[] for _ in layers]
    for first, last, _ in links:
        before[last].append(first)
        after[first].append(last)
    rows, most = [0.0] * len(layers), max(map(len, columns))

    def place(column: list[int]) -> None:
        for number, node in enumerate(column):
            rows[node] = number + (most - len(column)) / 2

    for column in columns:
        place(column)
    for sweep in range(_SWEEPS):
        neighbours = before if sweep % 2 == 0 else after
        for column in columns if sweep % 2 == 0 else reversed(columns):
            near = {
                node: [rows[each] for each in neighbours[node]] or [rows[node]] for node in column
            }
            column.sort(key={node: fmean(places) for node, places in near.items()}.__getitem__)
            place(column)
    return rows
