"""Matrices over pairs of joints, in which only pairs on one branch have entries: all others are zero in every tree."""

from __future__ import annotations

from collections.abc import Mapping

from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.model.model import RobotModel

JointMatrix = Mapping[tuple[int, int], Quantity]
"""Scalars by row and column; none where neither joint carries the other."""


def lower_pairs(model: RobotModel) -> tuple[tuple[int, int], ...]:
    """Rows and columns of the entries on and below the diagonal, row by row: a joint, and those that carry it."""
    return tuple((row, column) for row in range(len(model.bodies)) for column in reversed(model.path_to_base(row)))


def elements_of(recorder: Recorder, model: RobotModel, matrix: JointMatrix) -> tuple[Quantity, ...]:
    """All n x n elements, row-major."""
    zero, joints = recorder.constant(0), range(len(model.bodies))
    return tuple(matrix.get((row, column), zero) for row in joints for column in joints)
