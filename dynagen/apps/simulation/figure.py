"""Figure of a simulated motion: positions, velocities, torques, energies and the tool's path."""

from __future__ import annotations

from collections.abc import Sequence
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
    make_figure,
    put_legend_above,
    put_legend_below,
)
from dynagen.robot.description import RobotDescription

EXTRA = "simulate"

_MOST = 12  # joints in a legend; with more joints the figure has no legend


def draw_motion(motion: Motion, robot: RobotDescription, path: Path) -> bytes:
    """Draw a motion's positions, velocities, torques, energies and the tool's path.

    Args:
        motion: result of a simulation with a single start.
        robot: the simulated robot, for the names and units of its joints.
        path: file for the drawing; its suffix (.svg, .png or .pdf) selects the format.

    Returns:
        Content of the file of the drawing, in the format of the suffix.

    Raises:
        ToolchainError: matplotlib is not installed.
        UsageError: `path` has a different suffix.
    """
    return draw_to(path, EXTRA, partial(_figure, motion, robot))


def _figure(motion: Motion, robot: RobotDescription) -> Any:
    moving = [link for link in robot.links if link.joint.nv]
    joints = [link.joint.type for link in moving]
    signals = {
        _label("position", [unit for joint in joints for unit in joint.position_units]): motion.q,
        _label("velocity", [unit for joint in joints for unit in joint.velocity_units]): motion.qd,
    }
    if motion.tau.any():  # a panel of zeros shows nothing
        units = [unit for joint in joints for unit in joint.force_units]
        signals[_label("force" if "N" in units else "torque", units)] = motion.tau
    # A joint with several entries of q has several lines, which have numbers.
    names = [link.joint_name for link in moving] if motion.q.shape[1] == len(moving) else []
    figure = make_figure(WIDTH, 7.0 if len(signals) > 2 else 5.6)
    grid = figure.add_gridspec(len(signals), 2)
    first: Any = None
    last: Any = None
    for row, (label, values) in enumerate(signals.items()):
        axes = figure.add_subplot(grid[row, 0], sharex=first)
        last = draw_joints(axes, motion.t, values, label, names)
        first = first or last
    last.set_xlabel("t in s")
    _draw_energies(figure.add_subplot(grid[0, 1]), motion)
    _draw_path(figure.add_subplot(grid[1:, 1]), motion)
    figure.suptitle(motion.robot)
    if motion.q.shape[1] <= _MOST:
        put_legend_below(figure, first, _MOST)
    return figure


def _label(quantity: str, units: Sequence[str]) -> str:
    """Return the label of an axis: the quantity, and the units of all joints without repetition."""
    return f"{quantity} in {', '.join(dict.fromkeys(filter(None, units)))}"


def _draw_energies(axes: Any, motion: Motion) -> None:
    """Draw kinetic and potential energy, the total energy, and the initial energy plus work.

    With exact integration, the total energy equals the initial energy plus work.
    """
    total = motion.kinetic + motion.potential
    axes.plot(motion.t, motion.kinetic, color=COLOURS[0], label="kinetic")
    axes.plot(motion.t, motion.potential, color=COLOURS[1], label="potential")
    axes.plot(motion.t, total, color=COLOURS[2], label="sum")
    axes.plot(motion.t, total[0] + motion.work, color=INK, linestyle=":", label="start + work")
    axes.set_ylabel("energy in J")
    axes.set_xlabel("t in s")
    put_legend_above(axes, 4)


def _draw_path(axes: Any, motion: Motion) -> None:
    """Draw the tool's path along the two axes with the greatest movement."""
    extent = motion.tool.max(axis=0) - motion.tool.min(axis=0)
    across, up = sorted(extent.argsort()[1:])
    axes.plot(motion.tool[:, across], motion.tool[:, up], color=COLOURS[0])
    axes.plot(*motion.tool[0, [across, up]], marker="o", color=COLOURS[0])
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel(f"tool's {'xyz'[across]} in m (starts at the dot)")
    axes.set_ylabel(f"tool's {'xyz'[up]} in m")
