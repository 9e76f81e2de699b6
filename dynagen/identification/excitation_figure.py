"""Figure of an excitation: what the motion uses of every limit over time, and how the search came to it."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from dynagen.errors import UsageError
from dynagen.extras import require_extra
from dynagen.identification.excitation import Excitation
from dynagen.identification.samples import Array
from dynagen.simulation.figure import COLOURS, DASHES, FORMATS, STYLE

__all__ = ["FORMATS", "draw_excitation"]

_GREY = "#808080"
_RATE = 50.0  # moments a second of a period that are drawn
_SEARCHED = {"logdet": "log det(A^T A) / p", "condition": "condition number of A"}


def draw_excitation(excitation: Excitation, path: Path) -> bytes:
    """Draw positions, rates and torques in parts of their limits, and the measure over the iterations of every search.

    Args:
        excitation: to be drawn.
        path: of the file that the drawing is for; its ending says the format, one of FORMATS.

    Returns:
        The content of that file.

    Raises:
        ToolchainError: matplotlib is missing.
        UsageError: another format.
    """
    require_extra("matplotlib", "identify", "to draw the motion")
    if path.suffix not in FORMATS:
        raise UsageError(f"{path}: a figure's name ends in {', '.join(FORMATS)}")
    from matplotlib import style
    from matplotlib.figure import Figure

    t = excitation.trajectory.times(_RATE)
    q, qd, qdd = excitation.trajectory.at(t)
    used = excitation.limits.used(q, qd, qdd, excitation.moving.torques(q, qd, qdd))
    with style.context(STYLE):
        figure = Figure(figsize=(10.0, 6.5), layout="constrained")
        axes = figure.subplots(2, 2)
        for each, quantity in zip(axes.flat, ("position", "velocity", "effort"), strict=False):
            _joints(each, t, used[quantity], f"{quantity} / limit")
        axes[1, 0].set_xlabel("t in s")
        axes[0, 1].set_xlabel("t in s")
        _searches(axes[1, 1], excitation)
        figure.suptitle(excitation.robot)
        lines, _ = axes[0, 0].get_legend_handles_labels()
        figure.legend(lines, excitation.moving.joints, loc="outside lower center", ncols=8)
        drawn = BytesIO()
        figure.savefig(drawn, format=path.suffix[1:], metadata={"Date": None} if path.suffix == ".svg" else {})
    return drawn.getvalue()


def _joints(axes: Any, t: Array, values: Array, label: str) -> None:
    """A line for every joint, between the limits."""
    for joint, column in enumerate(values.T):
        axes.plot(
            t, column, color=COLOURS[joint % len(COLOURS)], linestyle=DASHES[joint // len(COLOURS) % len(DASHES)], label=joint
        )
    for limit in (-1, 1):
        axes.axhline(limit, color=_GREY, linewidth=0.8)
    axes.set_ylim(-1.1, 1.1)
    axes.set_ylabel(label)


def _searches(axes: Any, excitation: Excitation) -> None:
    """The best that each search has found up to every iteration; the one that was taken stands out."""
    for number, search in enumerate(excitation.searches):
        value = search.measures if excitation.criterion == "logdet" else np.exp(-search.measures)
        taken = number == excitation.best
        axes.plot(value, color=COLOURS[0] if taken else _GREY, alpha=1 if taken else 0.6, zorder=2 + taken)
    if excitation.criterion == "condition":
        axes.set_yscale("log")
    axes.set_ylabel(_SEARCHED[excitation.criterion])
    axes.set_xlabel("iterations of each search")
