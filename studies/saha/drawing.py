"""Figures of the motions of Saha (2003), section 4."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

import dynagen
from dynagen.apps.simulation.simulation import Motion
from dynagen.report.drawing import (
    COLOURS,
    GREY,
    INK,
    make_axes_logarithmic,
    make_panels,
    put_legend_above,
    put_legend_below,
)
from studies.saha.motions import (
    RUNS,
    TIME,
    Array,
    carried_on,
    deviation,
    fall,
    forced,
    largest,
    plant,
    robot,
    wanted,
)


def figures() -> dict[str, Figure]:
    """Draw free falls, motions under the torques of trajectories, and their deviations.

    A deviation is the difference of a motion from its trajectory.
    """
    return {
        "free_fall": _draw_falls(),
        "forced": _draw_forced(),
        "torques": _draw_torques(),
        "joints": _draw_joints(),
        "drift": _draw_drift(),
    }


def _draw_falls() -> Figure:
    figure, axes = make_panels(2, 2, 5.6)
    stanford, printed, removed = fall("stanford"), fall("puma_as_printed"), fall("puma")
    _lines(axes[0, 0], stanford, [0, 1, 3, 4, 5])
    axes[0, 0].set(ylabel="Stanford, angles in rad (Fig. 4)")
    _lines(axes[0, 1], stanford, [2])
    axes[0, 1].set(ylabel="Stanford, b3 in m (Fig. 4)")
    for side, joints in zip(axes[1], ([0, 1, 2], [3, 4, 5]), strict=True):
        _lines(side, removed, joints)
        side.plot(printed.t, printed.q[:, joints], color=GREY, linewidth=2.6, alpha=0.5, zorder=1)
        side.axvline(1.8185, color=GREY, linestyle=":")
        side.set(ylabel="PUMA, angles in rad", xlabel="t in s")
    axes[1, 0].annotate(
        "as printed (grey): ends", (1.95, 0.03), xycoords=("data", "axes fraction"), color=GREY
    )
    return figure


def _lines(axes: Any, motion: Motion, joints: list[int]) -> None:
    for joint in joints:
        axes.plot(motion.t, motion.q[:, joint], color=COLOURS[joint], label=f"q{joint + 1}")
    put_legend_above(axes, 5)


_ARMS = (("stanford", "Stanford"), ("puma", "PUMA"))


def _draw_torques() -> Figure:
    """Draw the joint torques of the Stanford arm and the PUMA along trajectories (Fig. 5)."""
    figure, axes = make_panels(2, 2, 5.6)
    times = np.linspace(0, TIME, 501)
    for row, (name, title) in zip(axes, _ARMS, strict=True):
        tau = dynagen.compile(robot(name), "inverse_dynamics")(*wanted(name, times))
        for side, joints in zip(row, ((0, 1, 2), (3, 4, 5)), strict=True):
            for joint in joints:
                unit = "N" if (name, joint) == ("stanford", 2) else "N m"
                label = f"joint {joint + 1} in {unit}"
                side.plot(times, tau[:, joint], color=COLOURS[joint], label=label)
            side.set(ylabel=f"{title}, torques or force (Fig. 5)", xlabel="t in s")
            put_legend_above(side)
    return figure


def _draw_joints() -> Figure:
    """Draw trajectories of the Stanford arm and the PUMA, and motions under their torques (Fig. 6).

    Each torque is computed in advance by inverse dynamics of the trajectory.
    """
    figure, axes = make_panels(2, 2, 5.6)
    for row, (name, title) in zip(axes, _ARMS, strict=True):
        motion = forced(name, *RUNS[0])
        left = largest(deviation(motion, name)) > 1
        end = int(np.argmax(left)) if left.any() else len(motion.t)
        for side, joints in zip(row, ((0, 1, 2), (3, 4, 5)), strict=True):
            for joint in joints:
                colour, aim = COLOURS[joint], wanted(name, motion.t)[0][:, joint]
                pale = f"q{joint + 1} wanted" if joint in (0, 3) else None
                side.plot(motion.t, aim, color=colour, linewidth=3, alpha=0.3, label=pale)
                label = f"q{joint + 1}"
                side.plot(motion.t[:end], motion.q[:end, joint], color=colour, label=label)
            side.set(ylabel=f"{title}, rad or m (Fig. 6)", xlabel="t in s")
            put_legend_above(side, 4)
    return figure


def _draw_forced() -> Figure:
    figure, axes = make_panels(1, 1, 3.6)
    motion = forced("stanford", "RK45", 1e-6)
    path = plant("stanford").compute_tool_position(wanted("stanford", motion.t)[0])
    shown = motion.t <= 4.5
    for axis in range(3):
        axes.plot(
            motion.t,
            path[:, axis],
            color=COLOURS[axis],
            linestyle="--",
            label=f"{'xyz'[axis]} wanted",
        )
        axes.plot(motion.t[shown], motion.tool[shown, axis], color=COLOURS[axis], label="xyz"[axis])
    axes.set(ylabel="Stanford, tool in m", ylim=(-1, 0.5), xlabel="t in s")
    put_legend_above(axes)
    return figure


_EVERY = 10  # samples of 0.01 s from one point of a line to the next


def _draw_drift() -> Figure:
    """Draw the largest deviation of a motion from its trajectory up to each time, if less than 1.

    The curve for the tolerance 1e-12 is omitted, because its rounding errors differ between
    machines.
    """
    figure, axes = make_panels(1, 2, 3.8)
    for side, name, title in zip(axes, ("stanford", "puma"), ("Stanford", "PUMA"), strict=True):
        for colour, (method, tolerance) in zip(COLOURS, RUNS[:3], strict=False):
            motion = forced(name, method, tolerance)
            off = deviation(motion, name)
            label = f"{method}, {tolerance:.0e}"
            _draw_growth(side, motion.t[1:], largest(off)[1:], color=colour, label=label)
            if name == "stanford":
                predicted = carried_on(name, off[100], 1.0)
                last = tolerance == RUNS[2][1]
                dotted = "predicted from the deviation at 1 s" if last else None
                _draw_growth(
                    side,
                    predicted[0],
                    largest(predicted[1]),
                    color=INK,
                    linestyle=":",
                    linewidth=1.8,
                    zorder=3,
                    label=dotted,
                )
        side.set(xlabel="t in s", title=title, ylim=(1e-13, 10), xlim=(0, 10))
        make_axes_logarithmic(side, "y")
    axes[0].set(ylabel="largest deviation so far, rad or m")
    axes[1].tick_params(labelleft=False)
    put_legend_below(figure, axes[0], 4)
    return figure


def _draw_growth(axes: Any, t: Array, off: Array, **style: Any) -> None:
    """Draw for each time t (s) the largest deviation up to this time, if it is less than 1.

    `off` contains, for each time, the largest deviation of any joint from the trajectory.
    """
    so_far = np.maximum.accumulate(off)
    shown = np.arange(_EVERY - 1, np.count_nonzero(so_far < 1), _EVERY)
    axes.plot(t[shown], so_far[shown], **style)
