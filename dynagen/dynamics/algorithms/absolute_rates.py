"""Absolute rates: those of parallel revolute joints in a row are added up, q -> y, so that each is a body's own turn.

With qd = T yd, M qdd = b becomes (T^T M T) ydd = T^T b. Entries of T^T M T are simpler than those of M: what the joints of a
plane feel alike is in one of them only. The tree's zeros stay, as the joints of a row are on one branch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dynagen.dynamics.algorithms.algebra import difference_of
from dynagen.dynamics.algorithms.joint_matrix import JointMatrix
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.model.model import RobotModel


def transform_matrix(recorder: Recorder, model: RobotModel, matrix: JointMatrix) -> JointMatrix:
    """Record T^T M T of a matrix over pairs of joints."""
    entries = dict(matrix)

    def subtract(place: tuple[int, int], other: tuple[int, int]) -> None:
        if place in entries and other in entries:
            entries[place] = recorder.apply(difference_of, entries[place], entries[other])

    pairs, joints = _parallel_pairs(model), range(model.nv)
    for joint, carrier in pairs:
        for row in joints:
            subtract((row, carrier), (row, joint))
    for joint, carrier in pairs:
        for column in joints:
            subtract((carrier, column), (joint, column))
    return entries


def transform_forces(recorder: Recorder, model: RobotModel, forces: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """Record T^T b, one scalar a joint."""
    result = list(forces)
    for joint, carrier in _parallel_pairs(model):
        result[carrier] = recorder.apply(difference_of, result[carrier], result[joint])
    return tuple(result)


def recover_accelerations(recorder: Recorder, model: RobotModel, absolute: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """Record qdd = T ydd."""
    result = list(absolute)
    for joint, carrier in _parallel_pairs(model):
        result[joint] = recorder.apply(difference_of, absolute[joint], absolute[carrier])
    return tuple(result)


def _parallel_pairs(model: RobotModel) -> list[tuple[int, int]]:
    """Entries of v of a revolute joint and of the parallel one that carries it, from the base to the tips.

    Those that mimic joints follow stay as they are: what follows them may be on other branches.
    """
    followed = Counter(body.joint.idx_v for body in model.bodies)
    alone = {index for index, body in enumerate(model.bodies) if body.angular and followed[body.joint.idx_v] == 1}
    return [
        (body.joint.idx_v, model.bodies[body.parent].joint.idx_v)
        for index, body in enumerate(model.bodies)
        if body.placement.is_parallel and {index, body.parent} <= alone
    ]
