"""Figure of an exciting trajectory: used fractions of limits, and the progress of searches."""

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
    make_axes_logarithmic,
    make_panels,
    put_legend_below,
)

EXTRA = "identify"

_RATE = 50.0  # drawn moments per second
_SEARCHED = {"logdet": "log det(A^T A) / p", "condition": "condition number of A"}


def draw_excitation(excitation: Excitation, path: Path) -> bytes:
    """Draw an exciting motion, and the progress of all searches.

    Positions, velocities and torques are drawn over time, as fractions of the limits.

    Args:
        excitation: the result of `excite`.
        path: file for the drawing; its suffix (.svg, .png or .pdf) selects the format.

    Returns:
        Content of the file of the drawing, in the format of the suffix.

    Raises:
        ToolchainError: matplotlib is not installed.
        UsageError: `path` has a different suffix.
    """
    return draw_to(path, EXTRA, partial(_figure, excitation))


def _figure(excitation: Excitation) -> Any:
    t = excitation.trajectory.sample_times(_RATE)
    q, qd, qdd = excitation.trajectory.at(t)
    used = excitation.limits.compute_usage(
        q, qd, qdd, excitation.moving.compute_torques(q, qd, qdd)
    )
    figure, axes = make_panels(2, 2, 6.2)
    for panel, quantity in zip(axes.flat, ("position", "velocity", "effort"), strict=False):
        draw_joints(panel, t, used[quantity], f"{quantity} / limit", excitation.moving.joints)
        draw_limits(panel, -1, 1)
        panel.set_ylim(-1.1, 1.1)
    axes[1, 0].set_xlabel("t in s")
    axes[0, 1].set_xlabel("t in s")
    _draw_searches(axes[1, 1], excitation)
    figure.suptitle(excitation.robot)
    put_legend_below(figure, axes[0, 0], 8)
    return figure


def _draw_searches(axes: Any, excitation: Excitation) -> None:
    """Draw the best value of the criterion over the iterations of each search.

    The best search is in colour.
    """
    for number, search in enumerate(excitation.searches):
        value = search.measures if excitation.criterion == "logdet" else np.exp(-search.measures)
        is_best = number == excitation.best
        axes.plot(
            value,
            color=COLOURS[0] if is_best else GREY,
            alpha=1 if is_best else 0.6,
            zorder=2 + is_best,
        )
    axes.set_ylabel(_SEARCHED[excitation.criterion])
    axes.set_xlabel("iterations of each search")
    if excitation.criterion == "condition":
        make_axes_logarithmic(axes, "y")
