"""Absolute velocities: a row of parallel revolute joints, described by the velocities of its bodies about the common axis.

With yd_i the velocity of body i about the common axis, relative to the body that carries the row, qd_i = yd_i - yd_parent(i),
or qd = T yd with a unit lower-triangular T. Then M qdd = b becomes (T^T M T) ydd = T^T b. A unit of yd_i rotates body i and
only translates the bodies that it carries in the row. So their moments of inertia, which all entries of M for the row have in
common, are in the entry of one joint only. T^T M T has zeros where M has, because the joints of a row lie on one branch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dynagen.dynamics.algorithms.joint_matrix import JointMatrix
from dynagen.dynamics.recording.formula import Quantity
from dynagen.robot.model.model import RobotModel


def transform_matrix(model: RobotModel, matrix: JointMatrix) -> JointMatrix:
    """Record T^T M T of a matrix over pairs of joints."""
    entries = dict(matrix)

    # T has 1 on its diagonal and -1 below it for every parallel pair: the column (row) of the carried joint is
    # subtracted from that of its carrier. From the base outward, each is subtracted while it is still that of M.

    def subtract(place: tuple[int, int], other: tuple[int, int]) -> None:
        if place in entries and other in entries:
            entries[place] -= entries[other]

    pairs, joints = _parallel_pairs(model), range(model.nv)
    for joint, carrier in pairs:
        for row in joints:
            subtract((row, carrier), (row, joint))
    for joint, carrier in pairs:
        for column in joints:
            subtract((carrier, column), (joint, column))
    return entries


def transform_forces(model: RobotModel, forces: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """Record T^T b, one scalar a joint."""
    result = list(forces)
    for joint, carrier in _parallel_pairs(model):
        result[carrier] -= result[joint]
    return tuple(result)


def recover_accelerations(model: RobotModel, absolute: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """Record qdd = T ydd."""
    result = list(absolute)
    for joint, carrier in _parallel_pairs(model):
        result[joint] = absolute[joint] - absolute[carrier]
    return tuple(result)


def _parallel_pairs(model: RobotModel) -> list[tuple[int, int]]:
    """Return the entries of v of a revolute joint and of the parallel one that carries it, from the base to the tips.

    Joints that mimic joints follow are left out: the mimic joints may be on other branches.
    """
    followed = Counter(body.joint.idx_v for body in model.bodies)
    alone = {
        index
        for index, body in enumerate(model.bodies)
        if body.angular and followed[body.joint.idx_v] == 1
    }
    return [
        (body.joint.idx_v, model.bodies[body.parent].joint.idx_v)
        for index, body in enumerate(model.bodies)
        if body.placement.is_parallel and {index, body.parent} <= alone
    ]
