"""Arguments of kernels in joint space: positions, velocities, accelerations and forces, with the units of a robot's joints."""

from __future__ import annotations

from collections.abc import Callable

from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.program import Argument
from dynagen.model.model import RobotModel

Arguments = Callable[[RobotModel], tuple[Argument, ...]]

INERTIA_UNITS = ("kg", "kg m", "kg m^2")
"""Of an inertia between two joints, by how many of them rotate; of an inertial parameter, by the power of the length in it."""

_MOTION = {
    "q": ("", "joint positions"),
    "qd": ("/s", "joint velocities"),
    "qdd": ("/s^2", "joint accelerations"),
}


def joint_motion(*names: str) -> Arguments:
    """Inputs among q, qd and qdd, one entry a joint."""

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        made = []
        for name in names:
            per_time, meaning = _MOTION[name]
            units = tuple(body.joint.type.position_unit + per_time for body in model.coordinates)
            made.append(Argument(name, (len(units),), units, meaning))
        return tuple(made)

    return arguments


def joint_forces(name: str, meaning: str) -> Arguments:
    """A vector of generalised joint forces."""

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        units = tuple(body.joint.type.force_unit for body in model.coordinates)
        return (Argument(name, (len(units),), units, meaning),)

    return arguments


def inertia_matrix(name: str, per_time: str, meaning: str) -> Arguments:
    """A square matrix of inertias between joints (kg m^2, kg m or kg), or of inertias per time."""

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        angular = [body.joint.type.angular for body in model.coordinates]
        units = tuple(INERTIA_UNITS[row + column] + per_time for row in angular for column in angular)
        return (Argument(name, (len(angular), len(angular)), units, meaning),)

    return arguments


def elements(recorder: Recorder, model: RobotModel, name: str) -> tuple[Quantity, ...]:
    """All elements of a joint-space input."""
    return tuple(recorder.element(name, index) for index in range(model.nv))


def zeros(recorder: Recorder, model: RobotModel) -> tuple[Quantity, ...]:
    """A joint-space vector of zeros."""
    return (recorder.constant(0),) * model.nv
