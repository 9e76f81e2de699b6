"""The state of inverse dynamics at two rates: the output of `background` and the input of `synchronous`.

A. Izaguirre, M. Hashimoto, R. P. Paul, V. Hayward, "A New Computational Structure for Real-Time Dynamics", Int. J. Robotics
Research 11(4), 1992, section 3: inertia coefficients and torques change slowly, so a background task computes them, and what
is left for every sampling period is their product with the accelerations.
"""

from __future__ import annotations

from dynagen.dynamics.algorithms.joint_matrix import lower_pairs
from dynagen.dynamics.arguments import INERTIA_UNITS, Arguments, entries_that_rotate
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel

STATE = "state"


def state_argument(forces: str = "forces") -> Arguments:
    """The state: inertia coefficients in the order of `joint_matrix.lower_pairs`, then one torque (or force) a joint, h.

    An array, whose elements the generated code names by constants, is the same to all languages; a struct would not be.

    Args:
        forces: what the torques are.
    """

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        rotates, pairs = entries_that_rotate(model), lower_pairs(model)
        inertias = (INERTIA_UNITS[rotates[row] + rotates[column]] for row, column in pairs)
        units = (
            *inertias,
            *(unit for body in model.coordinates for unit in body.joint.type.force_units),
        )
        names = (
            *(f"m_{row + 1}_{column + 1}" for row, column in pairs),
            *(f"h_{row + 1}" for row in range(model.nv)),
        )
        meaning = f"lower triangle of the mass matrix, row by row, then {forces}"
        return (Argument(STATE, (len(units),), units, meaning, names),)

    return arguments
