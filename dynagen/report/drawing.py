"""Figures in a common style, as files and inside HTML pages, and functions for charts.

Figures are drawn by matplotlib. Interactive pages embed plotly (`read_plotly_script`). matplotlib
and plotly are optional, and are imported only when they are used.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from dynagen.errors import UsageError
from dynagen.resources import require_extra

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#7F7F7F")
"""Colours that colour-blind readers can distinguish (Okabe and Ito, 2008; yellow is darker)."""
INK, GREY, LIGHT = "#1B1F24", "#5B6470", "#D9DDE2"
"""Colours of text, of axes and reference lines, and of grids."""
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
FORMATS = (".svg", ".png", ".pdf")
WIDTH, WIDE = 9.5, 11.5
"""Width of a figure in a text column and in a wide page, in inches."""

_METADATA: Mapping[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None},
}
_COORDINATES, _DECIMAL = re.compile(r'(?<= )(?:d|x|y|transform)="[^"]*"'), re.compile(r"-?\d+\.\d+")
_BUCKETS = 250  # parts of a long signal; the least and the greatest value of each are drawn
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Bar:
    """Bar of a horizontal bar chart.

    Attributes:
        label: name on the left.
        value: length, in units of the chart.
        text: text at the end of the bar.
        kind: name of the group to which the bar belongs; all bars of a group have one colour.
    """

    label: str
    value: float
    text: str
    kind: str


def require_drawing(extra: str, path: Path | None = None) -> None:
    """Check that figures can be drawn, before any work is done for them.

    Args:
        extra: extra of dynagen that installs matplotlib, for the error message.
        path: file of the figure; its suffix is one of FORMATS. None if the figure is part of an
            HTML page.

    Raises:
        ToolchainError: matplotlib is not installed.
        UsageError: the suffix is not one of FORMATS.
    """
    require_extra("matplotlib", extra, "to draw figures")
    if path is not None and path.suffix not in FORMATS:
        raise UsageError(f"{path}: expected a figure whose name ends in {', '.join(FORMATS)}")


def read_plotly_script() -> str:
    """Return the JavaScript of plotly, for a page that works without a network.

    Raises:
        ToolchainError: plotly is not installed.
    """
    require_extra("plotly", "view", "to draw the robot")
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def use_figure_style(**changes: Any) -> AbstractContextManager[None]:
    """Return a context in which figures have the common style.

    Args:
        changes: matplotlib settings (rcParams by name) that differ from the common style.
    """
    from matplotlib import style

    return style.context({**STYLE, **changes})


def draw_to(path: Path, extra: str, draw: Callable[[], Figure]) -> bytes:
    """Draw a figure, and return the content of its file; equal figures have equal bytes.

    Args:
        path: file of the figure; its suffix selects the format.
        extra: extra of dynagen that installs matplotlib, for the error message.
        draw: function that makes the figure.

    Raises:
        ToolchainError: matplotlib is not installed.
        UsageError: the suffix is not one of FORMATS.
    """
    require_drawing(extra, path)
    with use_figure_style():
        return render_figure(draw(), path.suffix)


def render_figure(figure: Figure, suffix: str) -> bytes:
    """Return the content of a figure's file with `suffix`; call inside `use_figure_style`.

    Coordinates in SVG are rounded to a hundredth of a point, so that rounding errors, which differ
    between machines, do not change the file.
    """
    drawn = BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # a reader of SVG may have the font
        figure.savefig(drawn, format=suffix[1:], metadata=_METADATA.get(suffix, {}))
    if suffix != ".svg":
        return drawn.getvalue()
    text = _COORDINATES.sub(
        lambda found: _DECIMAL.sub(_round_number, found[0]), drawn.getvalue().decode()
    )
    return ("\n".join(map(str.rstrip, text.splitlines())) + "\n").encode()


def _round_number(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 2) + 0:g}"


def draw_inline(title: str, extra: str, draw: Callable[[], Figure]) -> str:
    """Return a figure as an SVG element of an HTML page, with its text escaped.

    Args:
        title: text alternative for the figure, which must be unique in the page.
        extra: extra of dynagen that installs matplotlib, for the error message.
        draw: function that makes the figure.

    Raises:
        ToolchainError: matplotlib is not installed.
    """
    require_drawing(extra)
    with use_figure_style(**{"svg.hashsalt": title}):
        root = ElementTree.fromstring(render_figure(draw(), ".svg"))
    for element in list(root.iter()):
        element[:] = [
            child for child in element if child.tag.rpartition("}")[2] not in ("metadata", "style")
        ]
        element.tag = element.tag.rpartition("}")[2]
        element.text, element.tail = (
            (element.text or "").strip() and element.text,
            None,
        )  # no spaces between elements
        attributes = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
        if element.tag == "g" and (name := attributes.pop("id", "")).startswith("zoom-"):
            attributes["class"] = name  # scripts of pages find the element by it
        if element.tag == "a":  # matplotlib has links where pages have tooltips
            element.tag, tooltip = "g", ElementTree.Element("title")
            tooltip.text, attributes = attributes["href"], {}
            element.insert(0, tooltip)
        element.attrib = attributes
    root.attrib |= {"role": "img", "aria-label": title}
    return ElementTree.tostring(root, encoding="unicode")


def make_figure(width: float, height: float) -> Figure:
    """Return an empty figure (width and height in inches) whose panels will not overlap."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def make_panels(rows: int, columns: int, height: float, width: float = WIDTH) -> tuple[Figure, Any]:
    """Return a figure (size in inches) with rows and columns of panels, and matplotlib's axes."""
    figure = make_figure(width, height)
    return figure, figure.subplots(rows, columns)


def put_legend_above(axes: Any, columns: int = 3) -> None:
    """Put the legend of a panel above the panel, so that the legend covers no line.

    Args:
        axes: matplotlib's axes of the panel.
        columns: number of columns of the legend.
    """
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=columns,
        borderaxespad=0.0,
        handlelength=1.2,
        columnspacing=1.0,
    )


def put_legend_below(figure: Figure, axes: Any, columns: int) -> None:
    """Put the legend of one panel below all panels of the figure.

    Args:
        figure: the figure.
        axes: matplotlib's axes of the panel.
        columns: number of columns of the legend.
    """
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=columns)


def make_axes_logarithmic(axes: Any, which: str) -> None:
    """Make axes logarithmic; must be called after all lines are drawn.

    Args:
        axes: axes of a panel.
        which: names of the axes, `x`, `y` or `xy`.
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
        axes: axes of a panel.
        t: times, shape (samples,).
        values: value for each joint at each time, shape (samples, joints).
        label: label of the vertical axis, with the unit.
        names: names of the joints; if empty, joint numbers are used.

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
    """Draw a horizontal dashed line across a panel (`axes`) at each height in `limits`."""
    for limit in limits:
        axes.axhline(limit, color=GREY, linewidth=0.8, zorder=1)


def draw_signal(axes: Any, t: NDArray[Any], values: NDArray[Any], **style: Any) -> None:
    """Draw a signal over time in a panel.

    A long signal is divided into short parts, and only the extremes of each part are drawn. The
    file therefore stays small, and peaks remain visible.

    Args:
        axes: axes of a panel.
        t: times, shape (samples,).
        values: value of the signal at each time, shape (samples,).
        style: keywords of matplotlib's `plot`, such as color.
    """
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
    """Draw curves with a mark at every point, the first curve bold and in front.

    Args:
        axes: axes of a panel.
        series: mapping from the name of each curve to its points: a mapping from each horizontal
            position to the value there.
        number: format of values in tooltips.
    """
    for place, (name, values) in enumerate(series.items()):
        colour, order = COLOURS[place % len(COLOURS)], 3 - place / len(series)
        x, y = list(values), list(values.values())
        if len(x) > 2:
            axes.plot(x, y, color=colour, zorder=order, linewidth=1.3 if place else 2.0)
        marks = axes.scatter(x, y, s=12, color=colour, zorder=order, label=name)
        marks.set_urls(
            [f"{name}: {number.format(value)} at {position}" for position, value in values.items()]
        )


def draw_bars(bars: Sequence[Bar], colours: Mapping[str, str], longest: float) -> Figure:
    """Return a figure of horizontal bars, with the first bar on top.

    Args:
        bars: the bars from top to bottom.
        colours: colour of each kind, by its name in the legend. A single kind has no legend.
        longest: value at which a bar is cut off and marked with a break.
    """
    figure = make_figure(WIDTH, 0.24 * len(bars) + (0.3 if len(colours) > 1 else 0.05))
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
    name_rows(axes, [bar.label for bar in bars])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    if len(colours) > 1:
        put_legend_above(axes, len(colours))
    return figure


def name_rows(axes: Any, names: Sequence[str]) -> None:
    """Write the names of a panel's rows along its left side, with the first name on top."""
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.spines["left"].set_visible(False)
