"""Figures for people: one style, and the file that a figure is drawn to.

The background is transparent and lines, axes and words have colours that can be read on white and on black.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from dynagen.errors import UsageError
from dynagen.resources import require_extra

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#56B4E9", "#7F7F7F")
"""Apart for colour-blind eyes (after Okabe and Ito 2008, with a darker yellow), on white and on black."""
DASHES = ("-", "--", ":", "-.")
STYLE = {
    "axes.edgecolor": "#808080",
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": "#808080",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "none",
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "legend.labelcolor": "#808080",
    "lines.linewidth": 1.3,
    "savefig.facecolor": "none",
    "svg.hashsalt": "dynagen",
    "text.color": "#808080",
    "xtick.color": "#808080",
    "ytick.color": "#808080",
}
"""Of every figure, for matplotlib."""
FORMATS = (".svg", ".png", ".pdf")


def draw_to(path: Path, extra: str, draw: Callable[[], Any]) -> bytes:
    """Draw a figure of matplotlib in the style of all.

    Args:
        path: of the file that the drawing is for; its ending says the format, one of FORMATS.
        extra: of dynagen, that brings matplotlib.
        draw: makes the figure.

    Returns:
        The content of that file, the same every time.

    Raises:
        ToolchainError: matplotlib is missing.
        UsageError: another format.
    """
    require_extra("matplotlib", extra, "to draw the motion")
    if path.suffix not in FORMATS:
        raise UsageError(f"{path}: a figure's name ends in {', '.join(FORMATS)}")
    from matplotlib import style

    drawn = BytesIO()
    with style.context(STYLE):
        draw().savefig(
            drawn, format=path.suffix[1:], metadata={"Date": None} if path.suffix == ".svg" else {}
        )
    return drawn.getvalue()


def draw_joints(axes: Any, t: NDArray[Any], values: NDArray[Any], label: str) -> Any:
    """A line over time for every joint, the columns of values; returns the axes."""
    for joint, column in enumerate(values.T):
        dashes = DASHES[joint // len(COLOURS) % len(DASHES)]
        axes.plot(
            t,
            column,
            color=COLOURS[joint % len(COLOURS)],
            linestyle=dashes,
            label=f"joint {joint + 1}",
        )
    axes.set_ylabel(label)
    return axes
