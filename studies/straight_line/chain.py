"""All steps of Fig. 1.1 of Dhanaraj (1990), from a line in space to a schedule of operations.

Joint angles, velocities and accelerations are computed from a straight line of the wrist. Generated
code computes the torques with friction, and its operations are scheduled on several processors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import dynagen
from dynagen.apps.scheduling.clustering import program_tasks
from dynagen.apps.scheduling.study import study
from dynagen.codegen.cores.schedule import make_processors
from dynagen.ir.cost import FLOPS
from studies.page import Table
from studies.straight_line.line import ARM, END, START, TIMES, Point, joint_motion

Array = NDArray[np.float64]

FUNCTION = "inverse_dynamics_with_friction"
JOINTS = ("waist", "shoulder", "elbow")
PROCESSORS = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Motion:
    """Motion along a line and torques of the motors; all arrays have the shape (times, 3).

    Attributes:
        q: joint angles (rad).
        qd: joint velocities (rad/s).
        qdd: joint accelerations (rad/s^2).
        tau: torques of the motors, with friction (N m).
    """

    q: Array
    qd: Array
    qdd: Array
    tau: Array


def compute_motion(start: Point = START, end: Point = END, branch: int | None = None) -> Motion:
    """Compute joint motion and torques for a straight line of the wrist, at `TIMES`.

    Args:
        start: first position of the wrist in the base frame (m).
        end: last position of the wrist (m).
        branch: number of the solution of inverse kinematics, from 0; None for the solution that the
            thesis chooses.

    Raises:
        ValueError: a point of the line is out of reach, or the arm is singular there.
    """
    q, qd, qdd = joint_motion(TIMES, start, end, branch)
    return Motion(q, qd, qdd, dynagen.compile(ARM, FUNCTION)(q, qd, qdd))


def list_extremes(motion: Motion) -> Table:
    """Tabulate the ranges of angles, and the greatest velocities, accelerations and torques."""
    rows = []
    for joint, name in enumerate(JOINTS):
        low, high = motion.q[:, joint].min(), motion.q[:, joint].max()
        peaks = (np.abs(each[:, joint]).max() for each in (motion.qd, motion.qdd, motion.tau))
        rows.append([name, f"{low:.3f} to {high:.3f}", *(f"{peak:.3f}" for peak in peaks)])
    return Table(
        (
            "joint",
            "angle, rad",
            "greatest velocity, rad/s",
            "greatest acceleration, rad/s^2",
            "greatest torque, N m",
        ),
        rows,
    )


def list_schedules(processors: Sequence[int] = PROCESSORS) -> Table:
    """Tabulate schedules, on equal processors, of the operations that compute the torques.

    Args:
        processors: numbers of processors, one schedule for each.
    """
    robot = dynagen.load_robot(ARM)
    (generated,) = dynagen.generate(robot, functions=(FUNCTION,), verify=False).functions
    graph = program_tasks(generated.program, FLOPS)
    found = study(robot, FUNCTION, graph, [make_processors(count) for count in processors])
    rows = []
    for count, schedule in zip(processors, found.schedules, strict=True):
        rows.append(
            [
                str(count),
                str(schedule.length),
                str(schedule.bound),
                f"{float(schedule.speedup):.2f}",
                f"{float(schedule.efficiency):.1%}",
            ]
        )
    return Table(("processors", "operations", "at least", "speed-up", "efficiency"), rows)
