"""Arguments of kernels in joint space: positions, velocities, accelerations and forces, with the units of a robot's joints."""

from __future__ import annotations

from collections.abc import Callable

from dynagen.ir.program import Argument
from dynagen.robot.joints import FLOATING, JointType
from dynagen.robot.model.model import RobotModel

Arguments = Callable[[RobotModel], tuple[Argument, ...]]

INERTIA_UNITS = ("kg", "kg m", "kg m^2")
"""Of an inertia between two joints, by how many of them rotate; of an inertial parameter, by the power of the length in it."""

_MOTION = {
    "q": "joint positions",
    "qd": "joint velocities",
    "qdd": "joint accelerations",
}

_OF_BASE = {
    "q": "position and unit quaternion x y z w",
    "qd": "linear and angular velocity, in its axes,",
    "qdd": "rates of change of these velocities",
}


def joint_motion(*names: str) -> Arguments:
    """Inputs among q, qd and qdd: one entry a joint; of a floating joint seven of q, and six of qd and qdd."""

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        made = []
        for name in names:
            units = tuple(
                unit for body in model.coordinates for unit in _units(name, body.joint.type)
            )
            meaning = (
                f"{_OF_BASE[name]} of {model.bodies[0].name}, then {_MOTION[name]}"
                if model.floats
                else _MOTION[name]
            )
            ones = (FLOATING.position_names.index("qw"),) if name == "q" and model.floats else ()
            made.append(Argument(name, (len(units),), units, meaning, ones=ones))
        return tuple(made)

    return arguments


def joint_forces(name: str, meaning: str) -> Arguments:
    """A vector of generalised joint forces."""

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        units = tuple(unit for body in model.coordinates for unit in body.joint.type.force_units)
        return (Argument(name, (len(units),), units, meaning),)

    return arguments


def inertia_matrix(name: str, per_time: str, meaning: str) -> Arguments:
    """A square matrix of inertias between joints (kg m^2, kg m or kg), or of inertias per time."""

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        rotates = entries_that_rotate(model)
        units = tuple(
            INERTIA_UNITS[row + column] + per_time for row in rotates for column in rotates
        )
        return (Argument(name, (len(rotates), len(rotates)), units, meaning),)

    return arguments


def entries_that_rotate(model: RobotModel) -> tuple[bool, ...]:
    """For every entry of v whether it is a rate of rotation."""
    return tuple(rotates for body in model.coordinates for rotates in body.joint.type.rotates)


def _units(name: str, joint: JointType) -> tuple[str, ...]:
    """Units of a joint's entries of q, qd or qdd."""
    if name == "q":
        return joint.position_units
    return tuple(unit if name == "qd" else f"{unit}^2" for unit in joint.velocity_units)
