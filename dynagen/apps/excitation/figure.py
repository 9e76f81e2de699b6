"""Figure of an excitation: what the motion uses of every limit over time, and how the search came to it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dynagen.apps.excitation.excitation import Excitation
from dynagen.report.drawing import (
    COLOURS,
    GREY,
    draw_joints,
    draw_limits,
    draw_to,
    legend_below,
    log_axes,
    panels,
)

EXTRA = "identify"

_RATE = 50.0  # moments a second of a period that are drawn
_SEARCHED = {"logdet": "log det(A^T A) / p", "condition": "condition number of A"}


def draw_excitation(excitation: Excitation, path: Path) -> bytes:
    """Draw positions, velocities and torques in parts of their limits, and the measure over the iterations of every search.

    Args:
        excitation: to be drawn.
        path: of the file that the drawing is for; its ending says the format, one of FORMATS.

    Returns:
        The content of that file.

    Raises:
        ToolchainError: matplotlib is missing.
        UsageError: another format.
    """
    return draw_to(path, EXTRA, partial(_figure, excitation))


def _figure(excitation: Excitation) -> Any:
    t = excitation.trajectory.times(_RATE)
    q, qd, qdd = excitation.trajectory.at(t)
    used = excitation.limits.used(q, qd, qdd, excitation.moving.torques(q, qd, qdd))
    figure, axes = panels(2, 2, 6.2)
    for each, quantity in zip(axes.flat, ("position", "velocity", "effort"), strict=False):
        draw_joints(each, t, used[quantity], f"{quantity} / limit", excitation.moving.joints)
        draw_limits(each, -1, 1)
        each.set_ylim(-1.1, 1.1)
    axes[1, 0].set_xlabel("t in s")
    axes[0, 1].set_xlabel("t in s")
    _searches(axes[1, 1], excitation)
    figure.suptitle(excitation.robot)
    legend_below(figure, axes[0, 0], 8)
    return figure


def _searches(axes: Any, excitation: Excitation) -> None:
    """The best that each search has found up to every iteration; the one that was taken stands out."""
    for number, search in enumerate(excitation.searches):
        value = search.measures if excitation.criterion == "logdet" else np.exp(-search.measures)
        taken = number == excitation.best
        axes.plot(
            value, color=COLOURS[0] if taken else GREY, alpha=1 if taken else 0.6, zorder=2 + taken
        )
    axes.set_ylabel(_SEARCHED[excitation.criterion])
    axes.set_xlabel("iterations of each search")
    if excitation.criterion == "condition":
        log_axes(axes, "y")
