"""Saha (2003), section 4: a planar arm, the Stanford arm and a PUMA fall, and are driven along a trajectory by its torques."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import dynagen
from dynagen.simulation.motion import Motion
from studies.page import COLOURS, Table, legend_above, panels
from studies.saha.motions import carried_on, deviation, explicit_fall, fall, forced, largest, plant, wanted

RUNS = (("RK45", 1e-6), ("DOP853", 1e-6), ("DOP853", 1e-9), ("DOP853", 1e-12))


def free_fall() -> Table:
    """The Stanford arm's free fall: the second angle and the length of the boom."""
    motion = fall("stanford")
    rows = [[f"{motion.t[row]:g}", f"{motion.q[row, 1]:.3f}", f"{motion.q[row, 2]:.2f}"] for row in (50, 100, 200, 1000)]
    return Table(("t in s", "q2 in rad", "b3 in m"), rows)


def torques() -> Table:
    """Torques that move the Stanford arm along the trajectory, and where its tool is."""
    path = wanted("stanford", np.array([0.0, 5.0, 10.0]))
    tau = dynagen.compile("stanford_saha", "inverse_dynamics")(*path)[:, :3]
    values = np.round(np.hstack([tau, plant("stanford").tool_position(path[0])]), 3) + 0.0
    rows = [[time, *(f"{value:.3f}" for value in row)] for time, row in zip(("0", "5", "10"), values, strict=True)]
    return Table(("t in s", "tau1 in N m", "tau2 in N m", "tau3 in N", "x in m", "y in m", "z in m"), rows)


def drift() -> Table:
    """How the Stanford arm leaves the trajectory under its torques, and what the linearised equations make of that."""
    rows = []
    for method, tolerance in RUNS:
        motion = forced("stanford", method, tolerance)
        off = deviation(motion, "stanford")
        predicted = largest(carried_on("stanford", off[100], 1.0)[1])[200]
        found = (largest(off)[100], largest(off)[300], predicted)
        rows.append([method, f"{tolerance:.0e}", *(f"{each:.1e}" for each in found), f"{_leaves(off, motion, 0.01):.2f}"])
    return Table(("method", "tolerance", "off at 1 s", "off at 3 s", "predicted from 1 s", "off by 0.01 at, s"), rows)


def planar() -> Table:
    """The planar arm's free fall beside equations that are written by hand, and the balance of its energy."""
    motion = fall("planar", 1e-12)
    apart = np.abs(explicit_fall() - motion.q).max()
    return Table(("q apart, rad", "energy, relative"), [[f"{apart:.0e}", f"{motion.energy_error:.0e}"]])


def puma() -> Table:
    """The PUMA of Table II(ii) as printed, and without the minus signs of its inertias."""
    rows = []
    for name, title in (("puma_as_printed", "as printed"), ("puma", "minus signs removed")):
        pivot = plant(name).smallest_pivot(np.zeros(6))[1]
        free, driven = fall(name), forced(name, "RK45" if name == "puma" else "DOP853", 1e-6)
        ends = (f"{_end(free):.4g}", f"{_end(driven):.4g}")
        off = _leaves(deviation(driven, name), driven, 0.01)
        rows.append([title, f"{pivot:.2f}", *ends, f"{off:.2f}" if off < np.inf else "not before"])
    columns = ("inertias", "least pivot of M at q = 0, relative", "free fall ends at, s", "forced motion ends at, s")
    return Table((*columns, "off by 0.01 at, s"), rows)


TABLES: dict[str, Callable[[], Table]] = {
    "free-fall": free_fall,
    "torques": torques,
    "drift": drift,
    "planar": planar,
    "puma": puma,
}


def _leaves(off: np.ndarray, motion: Motion, bound: float) -> float:
    """The time at which a motion is off its trajectory by more than a bound, in s."""
    beyond = np.flatnonzero(largest(off) > bound)
    return float(motion.t[beyond[0]]) if len(beyond) else np.inf


def _end(motion: Motion) -> float:
    """The time at which a motion ends, in s: that of its message if it ends early."""
    return float(motion.stopped.split(" at ")[1].split(" s")[0]) if motion.stopped else motion.t[-1]


def figures() -> dict[str, Figure]:
    """Free falls; motions under the torques of a trajectory; how they leave it."""
    return {"free_fall": _draw_falls(), "forced": _draw_forced(), "drift": _draw_drift()}


def _draw_falls() -> Figure:
    figure, axes = panels(2, 2, 5.6)
    stanford, printed, removed = fall("stanford"), fall("puma_as_printed"), fall("puma")
    _lines(axes[0, 0], stanford, [0, 1, 3, 4, 5])
    axes[0, 0].set(ylabel="Stanford, angles in rad")
    _lines(axes[0, 1], stanford, [2])
    axes[0, 1].set(ylabel="Stanford, b3 in m")
    for side, joints in zip(axes[1], ([0, 1, 2], [3, 4, 5]), strict=True):
        _lines(side, removed, joints)
        side.plot(printed.t, printed.q[:, joints], color="#808080", linewidth=2.6, alpha=0.5, zorder=1)
        side.axvline(1.8185, color="#808080", linestyle=":")
        side.set(ylabel="PUMA, angles in rad", xlabel="t in s")
    axes[1, 0].annotate("as printed (grey): ends", (1.95, 0.03), xycoords=("data", "axes fraction"), color="#808080")
    return figure


def _lines(axes: Any, motion: Motion, joints: list[int]) -> None:
    for joint in joints:
        axes.plot(motion.t, motion.q[:, joint], color=COLOURS[joint], label=f"q{joint + 1}")
    legend_above(axes, 5)


def _draw_forced() -> Figure:
    figure, axes = panels(1, 2, 3.2)
    motion = forced("stanford", "RK45", 1e-6)
    for joint, unit in enumerate(("N m", "N m", "N")):
        axes[0].plot(motion.t, motion.tau[:, joint], color=COLOURS[joint], label=f"joint {joint + 1} in {unit}")
    path = plant("stanford").tool_position(wanted("stanford", motion.t)[0])
    shown = motion.t <= 4.5
    for axis in range(3):
        axes[1].plot(motion.t, path[:, axis], color=COLOURS[axis], linestyle="--", label=f"{'xyz'[axis]} wanted")
        axes[1].plot(motion.t[shown], motion.tool[shown, axis], color=COLOURS[axis], label="xyz"[axis])
    axes[1].set(ylabel="Stanford, tool in m", ylim=(-1, 0.5), xlabel="t in s")
    axes[0].set(ylabel="Stanford, torques and force", xlabel="t in s")
    for each in axes:
        legend_above(each)
    return figure


def _draw_drift() -> Figure:
    figure, axes = panels(1, 2, 3.4)
    for side, name, title in zip(axes, ("stanford", "puma"), ("Stanford", "PUMA"), strict=True):
        for colour, (method, tolerance) in zip(COLOURS, RUNS, strict=False):
            motion = forced(name, method, tolerance)
            off = deviation(motion, name)
            side.semilogy(motion.t[1:], largest(off)[1:], color=colour, label=f"{method}, {tolerance:.0e}")
            if name == "stanford":
                times, predicted = carried_on(name, off[100], 1.0)
                small = largest(predicted) < 1
                side.semilogy(times[small], largest(predicted)[small], color=colour, linestyle=":", linewidth=2)
        side.set(xlabel="t in s", ylabel=f"{title}, off by, rad or m", ylim=(1e-13, 1e3), xlim=(0, 10))
        legend_above(side, 2)
    return figure
