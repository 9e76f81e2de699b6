"""Figure: a motion drawn: positions, velocities and torques of the joints, energies, the tool's path."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from dynagen.apps.simulation.simulation import Motion
from dynagen.report.drawing import (
    COLOURS,
    INK,
    WIDTH,
    draw_joints,
    draw_to,
    legend_above,
    legend_below,
    new_figure,
)

EXTRA = "simulate"

_MOST = 12  # joints in one figure's legend


def draw_motion(motion: Motion, path: Path) -> bytes:
    """Draw a motion.

    Args:
        motion: one, not several at once.
        path: of the file that the drawing is for; its ending says the format, one of FORMATS.

    Returns:
        The content of that file.

    Raises:
        ToolchainError: matplotlib is missing.
        UsageError: another format.
    """
    return draw_to(path, EXTRA, partial(_figure, motion))


def _figure(motion: Motion) -> Any:
    figure = new_figure(WIDTH, 7.0)
    grid = figure.add_gridspec(3, 2)
    first = draw_joints(figure.add_subplot(grid[0, 0]), motion.t, motion.q, "position in rad, m")
    draw_joints(
        figure.add_subplot(grid[1, 0], sharex=first), motion.t, motion.qd, "velocity in rad/s, m/s"
    )
    last = draw_joints(
        figure.add_subplot(grid[2, 0], sharex=first),
        motion.t,
        motion.tau,
        "torque, force in N m, N",
    )
    last.set_xlabel("t in s")
    _energies(figure.add_subplot(grid[0, 1]), motion)
    _path(figure.add_subplot(grid[1:, 1]), motion)
    figure.suptitle(motion.robot)
    if motion.q.shape[1] <= _MOST:
        legend_below(figure, first, _MOST)
    return figure


def _energies(axes: Any, motion: Motion) -> None:
    """Kinetic and potential energy, and what work explains of their sum; the two last lie on each other."""
    total = motion.kinetic + motion.potential
    axes.plot(motion.t, motion.kinetic, color=COLOURS[0], label="kinetic")
    axes.plot(motion.t, motion.potential, color=COLOURS[1], label="potential")
    axes.plot(motion.t, total, color=COLOURS[2], label="sum")
    axes.plot(motion.t, total[0] + motion.work, color=INK, linestyle=":", label="start + work")
    axes.set_ylabel("energy in J")
    axes.set_xlabel("t in s")
    legend_above(axes, 4)


def _path(axes: Any, motion: Motion) -> None:
    """The tool's path along the two axes on which it moves most."""
    extent = motion.tool.max(axis=0) - motion.tool.min(axis=0)
    across, up = sorted(extent.argsort()[1:])
    axes.plot(motion.tool[:, across], motion.tool[:, up], color=COLOURS[0])
    axes.plot(*motion.tool[0, [across, up]], marker="o", color=COLOURS[0])
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel(f"tool's {'xyz'[across]} in m (starts at the dot)")
    axes.set_ylabel(f"tool's {'xyz'[up]} in m")
