"""Loads and robot apart: RobotModel -> the robot without its payload and external wrench, and these alone.

Joint forces are linear in inertial parameters and in wrenches, so those of a loaded robot are the sum of the two.
"""

from __future__ import annotations

from dataclasses import replace

from dynagen.description.substitution import substitute
from dynagen.model.model import RobotModel
from dynagen.numbers.exact import ZERO
from dynagen.numbers.parametric import Parametric


def without_loads(model: RobotModel) -> RobotModel:
    """The robot with nothing in its hand, and none of the arguments that say what is there."""
    kept = tuple(parameter for parameter in model.parameters if parameter.name not in model.payload)
    values = {**{each.name: Parametric(each) for each in kept}, **dict.fromkeys(model.payload, ZERO)}
    bodies = tuple(replace(body, inertial=substitute(body.inertial, values)) for body in model.bodies)
    return replace(model, bodies=bodies, parameters=kept, payload=(), external_wrench=None)


def loads_alone(model: RobotModel) -> RobotModel:
    """A massless robot of the same geometry, without motors, that meets the same loads."""
    bodies = (
        replace(body, inertial=body.inertial - empty.inertial, motor_inertia=ZERO)
        for body, empty in zip(model.bodies, without_loads(model).bodies, strict=True)
    )
    return replace(model, bodies=tuple(bodies))
