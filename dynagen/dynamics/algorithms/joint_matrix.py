"""Matrices over pairs of joints, or of entries of v, in which only pairs on one branch have entries; all others are zero."""

from __future__ import annotations

from collections.abc import Mapping

from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.recording.formula import Quantity
from dynagen.robot.model.model import RobotModel

JointMatrix = Mapping[tuple[int, int], Quantity]
"""Scalars by row and column; absent where they move no body in common."""


def lower_pairs(model: RobotModel) -> tuple[tuple[int, int], ...]:
    """Return rows and columns of entries of v that move a body in common, on and below the diagonal, row by row."""
    moving = (
        [entry for each in model.path_to_base(index) for entry in model.bodies[each].entries]
        for index in range(len(model.bodies))
    )
    return tuple(
        sorted(
            {
                (row, column)
                for entries in moving
                for row in entries
                for column in entries
                if column <= row
            }
        )
    )


def flatten(recording: Recording, matrix: JointMatrix) -> tuple[Quantity, ...]:
    """Return all n x n elements of a matrix over entries of v, row-major."""
    zero, entries = recording.constant(0), range(recording.model.nv)
    return tuple(matrix.get((row, column), zero) for row in entries for column in entries)
