"""Charts of tasks: Gantt charts and layered graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from dynagen.report.drawing import COLOURS, INK, LIGHT, WIDTH, make_figure, name_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROW, _COLUMN = 0.21, 0.32  # inches: height of a row of boxes, least distance of layers in a graph
_SMALL, _CHARACTER = 6.5, 4.2  # points: size of a box's label, and width of a character in it
_SHADES = (0.1, 0.75)  # parts of a hue, lightest and darkest; labels are readable on both
_SWEEPS = 6  # over the layers of a graph; more sweeps hardly remove crossings


@dataclass(frozen=True)
class Box:
    """Task in a Gantt chart or a graph.

    Attributes:
        left: left edge in units of the horizontal axis; `draw_graph` ignores it.
        width: width in units of the horizontal axis; `draw_graph` ignores it.
        row: number of the row, from 0 at the top; `draw_graph` ignores it.
        colour: colour of the area.
        label: text inside the box, if it fits.
        tooltip: text that HTML pages show when the pointer is on the box.
        is_critical: whether the task is on a critical path; its box is then drawn with a frame.
    """

    left: float
    width: float
    row: float
    colour: str
    label: str
    tooltip: str
    is_critical: bool


def choose_group_colours(groups: Sequence[str]) -> dict[str, str]:
    """Return a mapping from each group to a colour, such as `#1f77b4`.

    Each phase, which may have several groups, has a hue. Each group of a phase has a shade of this
    hue.

    Args:
        groups: names of groups; the text in front of a comma is the phase, as in `Outward, body 2
            (forearm)`.
    """
    from matplotlib.colors import to_hex, to_rgb

    phases = list(dict.fromkeys(map(_find_phase, groups)))
    colours = {}
    for number, colour in enumerate(COLOURS):
        # Phases beyond the number of hues share one, and its shades.
        shared = set(phases[number :: len(COLOURS)])
        members = [group for group in groups if _find_phase(group) in shared]
        for shade, group in zip(np.linspace(*_SHADES, len(members) + 1)[1:], members, strict=True):
            red, green, blue = (1 - shade * (1 - part) for part in to_rgb(colour))
            colours[group] = to_hex((red, green, blue))
    return {group: colours[group] for group in groups}


def _find_phase(group: str) -> str:
    return group.partition(",")[0]


def draw_gantt(boxes: Sequence[Box], rows: Sequence[str], end: float, label: str) -> Figure:
    """Return a Gantt chart.

    Args:
        boxes: tasks, with their times and rows.
        rows: names of the rows from the top.
        end: time at which the chart ends.
        label: label of the time axis, with the unit.
    """
    figure = make_figure(WIDTH, _ROW * len(rows) + 0.5)
    axes = figure.subplots()
    end = end or 1.0
    axes.set(xlim=(0, end), xlabel=label)
    name_rows(axes, rows)
    axes.grid(visible=False, axis="y")
    _draw_boxes(axes, boxes, 0.78, 0.9 * 72 * WIDTH / end)
    return figure


def _draw_boxes(axes: Any, boxes: Sequence[Box], height: float, points: float) -> None:
    """Draw boxes, with labels where they fit.

    Heights are in rows; `points` is the size of a unit of the horizontal axis, in points.
    """
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
    """Return a drawing of a layered graph, with layers from left to right.

    Args:
        nodes: boxes without positions.
        layers: number of each node's layer, from 0 on the left.
        links: for each link, the indices of its two nodes, and whether the link is critical.
    """
    from matplotlib.collections import LineCollection

    rows, (count, most) = (
        _place_rows(layers, links),
        (max(layers) + 1, max(map(layers.count, layers))),
    )
    column = max(WIDTH / count, _COLUMN)
    named = max(len(node.label) for node in nodes) * _CHARACTER < 0.72 * 72 * column
    size = min(0.72, 0.5 / column) if named else min(0.5, 0.15 / column)
    figure = make_figure(column * count, _ROW * most + 0.45)
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
    """Return the row of each node, chosen so that few links cross.

    Nodes of a layer are sorted by the mean row of their neighbours (barycentre method), in sweeps
    over the layers, alternately forwards and backwards.
    """
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
                node: [rows[other] for other in neighbours[node]] or [rows[node]] for node in column
            }
            column.sort(key={node: fmean(places) for node, places in near.items()}.__getitem__)
            place(column)
    return rows
