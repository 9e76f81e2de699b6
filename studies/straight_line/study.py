"""Dhanaraj (1990), section 3.5: torques of the PUMA 560 along a straight line.

The torques include friction in bearings and transmissions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import dynagen
from dynagen.dynamics.algorithms.efficiency import Points
from dynagen.numbers.exact import ZERO, Exact
from dynagen.report.drawing import COLOURS, GREY, make_figure, make_panels, put_legend_above
from dynagen.robot.description import Friction, RobotDescription, Transmission
from studies.page import Table
from studies.straight_line.chain import JOINTS, compute_motion, list_extremes, list_schedules
from studies.straight_line.line import (
    ARM,
    Q_OF_THESIS,
    THESIS,
    TIMES,
    joint_angles,
    joint_motion,
    path,
)
from studies.straight_line.losses import TEN_POINTS, UNEVEN_POINTS, table_3_3

Array = NDArray[np.float64]

TABLE_3_5 = Path(__file__).with_name("table_3_5.yaml")


@cache
def torques() -> tuple[Array, Array, Array]:
    """Compute joint torques along the line (N m), shape (times, 3) each.

    The three arrays are torques without friction, with friction of bearings, and with friction of
    bearings and transmissions.
    """
    motion = joint_motion(TIMES)
    text = Path(ARM).read_text(encoding="utf-8")
    bearings_only = re.sub(r" {6}transmission:\n( {8}.*\n)+", "", text)
    dynamic = dynagen.compile(ARM)(*motion)
    of_bearings, all_friction = (
        dynagen.compile(arm, "friction_forces")(*motion) for arm in (bearings_only, ARM)
    )
    return dynamic, dynamic + of_bearings, dynamic + all_friction


def start() -> Table:
    """Compare the start of the line in the thesis's kinematics and in the thesis's dynamics.

    The table contains joint angles of the point by inverse kinematics, and the first joint angles
    of listing D.4. It also contains the wrist's position at the angles of the listing, with the
    geometry of the thesis's Table 2.1.
    """
    point = np.array([0.4, 0.1, 0.1])
    rows = [
        [
            "joint angles for the wrist at (0.4, 0.1, 0.1) m, in rad",
            *(f"{angle:.4f}" for angle in joint_angles(THESIS, point, Q_OF_THESIS)),
        ]
    ]
    rows.append(["joint angles in listing D.4, in rad", *(f"{angle:.4f}" for angle in Q_OF_THESIS)])
    there = dynagen.compile(ARM, "forward_kinematics")(Q_OF_THESIS)[1]
    rows.append(
        [
            "position of the wrist at the angles of listing D.4 with Table 2.1, in m",
            *(f"{each:.3f}" for each in there),
        ]
    )
    return Table(("", "1 or x", "2 or y", "3 or z"), rows)


def transmissions() -> Table:
    """Compare the torques that are lost in the transmissions with the thesis's Table 3.5."""
    dynamic, directions = np.array([1.2140, -15.6364, -0.8042]), np.array([1.0, -1.0, 1.0])
    qdd = dynagen.compile(TABLE_3_5, "forward_dynamics")(np.zeros(3), directions, dynamic)
    friction = dynagen.compile(TABLE_3_5, "friction_forces")(np.zeros(3), directions, qdd)
    bearings = directions * [1.7803, 0.3281, 0.1241]
    printed = ((9.8968, 12.8911), (-17.9472, -33.9117), (3.0449, 2.3648))
    rows = []
    for joint, (transmission, total) in enumerate(printed):
        ours = (friction[joint] - bearings[joint], dynamic[joint] + friction[joint])
        given = (f"{each[joint]:.4f}" for each in (dynamic, bearings))
        rows.append(
            [
                JOINTS[joint],
                *given,
                f"{ours[0]:.3f}",
                f"{transmission:.3f}",
                f"{ours[1]:.3f}",
                f"{total:.3f}",
            ]
        )
    return Table(
        ("joint", "dynamic", "bearings", "transmission, ours", "thesis", "input, ours", "thesis"),
        rows,
    )


def ours_at_0_6_s() -> Table:
    """Tabulate the computed torques at 0.6 s, with the columns of the thesis's Table 3.5."""
    dynamic, at_joint, at_motor = (each[60] for each in torques())
    columns = (dynamic, at_joint - dynamic, at_joint, at_motor - at_joint, at_motor)
    rows = [
        [name, *(f"{column[joint]:.3f}" for column in columns)] for joint, name in enumerate(JOINTS)
    ]
    return Table(
        (
            "joint (torques in N m)",
            "dynamic",
            "bearings",
            "at the joint",
            "transmission",
            "at the motor",
        ),
        rows,
    )


def braking() -> Table:
    """Tabulate when a torque acts against the motion of its joint.

    The thesis uses the torque without friction to decide whether a torque acts against the motion.
    In fact, the torque at the gear includes the friction of bearings.
    """
    rows = []
    for joint, name in enumerate(JOINTS):
        regions = (_list_spans(_brakes(torque)[:, joint]) for torque in torques()[:2])
        rows.append([name, *regions])
    return Table(
        (
            "joint",
            "times at which the dynamic torque brakes, s",
            "times at which the torque at the joint brakes, s",
        ),
        rows,
    )


def _list_spans(found: NDArray[np.bool_]) -> str:
    """Return the time spans (s) in which a condition holds, as text."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], found, [False]])))
    spans = (f"{TIMES[first]:.2f} to {TIMES[last - 1]:.2f}" for first, last in edges.reshape(-1, 2))
    return ", ".join(spans) or "never"


def cost() -> Table:
    """Tabulate operation counts of friction forces for robots with a transmission at each joint."""
    curves: tuple[tuple[str, Points, Literal["linear", "spline"]], ...] = (
        ("constant efficiency", ((ZERO, Exact("0.8")),), "linear"),
        ("ten points, interpolated linearly", TEN_POINTS, "linear"),
        ("ten points, interpolated by a spline", TEN_POINTS, "spline"),
        ("ten unequally spaced points, interpolated linearly", UNEVEN_POINTS, "linear"),
        ("ten unequally spaced points, interpolated by a spline", UNEVEN_POINTS, "spline"),
    )
    arm = dynagen.load_robot(ARM)
    robots = {"the arm of this page": arm, "the same without bearings": _remove_bearings(arm)}
    for title, name in (
        ("PUMA 560, three joints", "puma560_listing_3dof"),
        ("PUMA 560", "puma560"),
        ("Panda", "panda"),
    ):
        for kind, points, interpolation in curves:
            transmission = Transmission(Exact(5), Exact(100), points, interpolation)
            friction = Friction(ZERO, ZERO, transmission=transmission)
            robots[f"{title}, {kind}"] = _put_friction(dynagen.load_robot(name), friction)
    rows = []
    for title, robot in robots.items():
        functions = ("inverse_dynamics", "friction_forces", "inverse_dynamics+friction_forces")
        generation = dynagen.generate(robot, functions=functions, verify=False)
        operations = [function.operations.total for function in generation.functions]
        rows.append([title, *map(str, operations), str(operations[2] - operations[0])])
    return Table(
        (
            "robot, operations",
            "`inverse_dynamics`",
            "`friction_forces`",
            "both in one call",
            "friction adds",
        ),
        rows,
    )


def _put_friction(robot: RobotDescription, friction: Friction) -> RobotDescription:
    """Return a robot with the same friction at each moving joint."""
    links = (replace(link, friction=friction) if link.joint.moves else link for link in robot.links)
    return replace(robot, links=tuple(links))


def _remove_bearings(robot: RobotDescription) -> RobotDescription:
    links = (
        replace(link, friction=link.friction and replace(link.friction, bearings=()))
        for link in robot.links
    )
    return replace(robot, links=tuple(links))


TABLES: dict[str, Callable[[], Table]] = {
    "start": start,
    "transmissions": transmissions,
    "ours": ours_at_0_6_s,
    "braking": braking,
    "cost": cost,
    "table-3-3": table_3_3,
    "extremes": lambda: list_extremes(compute_motion()),
    "schedules": list_schedules,
}


def _brakes(torque: Array) -> NDArray[np.bool_]:
    brakes: NDArray[np.bool_] = torque * joint_motion(TIMES)[1] < 0
    return brakes


def figures() -> dict[str, Figure]:
    """Draw the path of the wrist, the motion along the path, and the torques."""
    return {"path": _draw_path(), "motion": _draw_motion(), "torques": _draw_torques()}


def _draw_path() -> Figure:
    """Draw the path of the wrist in space, and the arm at both ends of it (Fig. 3.6)."""
    figure = make_figure(5.0, 4.2)
    axes = figure.add_subplot(projection="3d")
    points = path(TIMES)[0]
    axes.plot(*points.T, color=COLOURS[0], linewidth=2.5, label="path of the wrist")
    q = joint_motion(TIMES)[0]
    for place, end, dash in ((0, "at 0 s", "-"), (1, "at 2 s", "--")):
        arm = np.array([[0.0, 0.0, 0.0], *_find_elbow(q[[0, -1]][place]), points[[0, -1]][place]])
        axes.plot(*arm.T, dash, color=GREY, marker="o", markersize=3, label=f"arm {end}")
    axes.set(xlabel="x in m", ylabel="y in m", zlabel="z in m")
    axes.set_aspect("equal")
    axes.set_xticks([0, 0.2, 0.4])
    axes.view_init(elev=22, azim=-125)
    figure.legend(loc="outside upper center", ncols=3)
    return figure


def _find_elbow(q: Array) -> list[Array]:
    """Return the positions of shoulder and elbow for joint angles (m)."""
    across = 0.2435 * np.array([-np.sin(q[0]), np.cos(q[0]), 0.0])
    along = 0.4318 * np.array(
        [np.cos(q[1]) * np.cos(q[0]), np.cos(q[1]) * np.sin(q[0]), -np.sin(q[1])]
    )
    return [across, across + along]


def _draw_motion() -> Figure:
    figure, axes = make_panels(2, 2, 4.8)
    points, velocities, _ = path(TIMES)
    for axis, label in ((0, "x"), (1, "y = z")):
        axes[0, 0].plot(TIMES, points[:, axis], color=COLOURS[axis], label=label)
    axes[0, 0].set(ylabel="wrist in m (Fig. 3.6)")
    axes[0, 1].plot(TIMES, np.linalg.norm(velocities, axis=1), color=COLOURS[2])
    axes[0, 1].set(ylabel="speed in m/s (Fig. 3.7)")
    q, qd, _ = joint_motion(TIMES)
    for joint in range(3):
        axes[1, 0].plot(TIMES, q[:, joint], color=COLOURS[joint], label=f"q{joint + 1}")
        axes[1, 1].plot(TIMES, qd[:, joint], color=COLOURS[joint])
    axes[1, 0].set(ylabel="angles in rad (Fig. 3.8)", xlabel="t in s")
    axes[1, 1].set(ylabel="velocities in rad/s (Fig. 3.9)", xlabel="t in s")
    put_legend_above(axes[0, 0])
    put_legend_above(axes[1, 0])
    return figure


def _draw_torques() -> Figure:
    figure, axes = make_panels(3, 1, 7.0)
    labels = ("without friction", "with bearings", "with transmissions: at the motor")
    moving = slice(1, -1)  # at rest friction is not determined by the motion
    for joint, side in enumerate(axes):
        for torque, label, colour in zip(torques(), labels, COLOURS, strict=False):
            side.plot(TIMES[moving], torque[moving, joint], color=colour, label=label)
        side.fill_between(
            TIMES,
            0,
            1,
            _brakes(torques()[0])[:, joint],
            transform=side.get_xaxis_transform(),
            color=GREY,
            alpha=0.15,
        )
        side.set(ylabel=f"{JOINTS[joint]}, N m (Fig. 3.{11 + joint})", xlim=(0, TIMES[-1]))
    axes[2].set(xlabel="t in s (shaded: the dynamic torque brakes)")
    put_legend_above(axes[0])
    return figure
