"""Grouping: the numbers by which base parameters follow from standard ones, and the standard ones of a description."""

from __future__ import annotations

import numpy as np

from dynagen.description.description import RobotDescription
from dynagen.identification.samples import Array
from dynagen.model.base_parameters import base_parameters, standard_parameters
from dynagen.model.inertia import InertialParameters
from dynagen.model.model import RobotModel
from dynagen.model.regrouping import INERTIAL_PARAMETERS, MOTOR_INERTIA


def grouping_matrix(model: RobotModel) -> Array:
    """K in base parameters = K standard parameters, shape (base, standard)."""
    return np.array([[float(factor) for factor in each.coefficients] for each in base_parameters(model)])


def described_standard_parameters(robot: RobotDescription, model: RobotModel) -> Array:
    """The standard parameters of a description, SI, in the order of `standard_parameters`.

    Args:
        robot: without run-time parameters.
        model: of the robot.
    """
    values = {}
    for link in robot.links:
        inertial = InertialParameters.of(link.inertial)
        numbers = (inertial.mass, *inertial.first_moment, *inertial.inertia, link.motor_inertia)
        for name, number in zip((*INERTIAL_PARAMETERS, MOTOR_INERTIA), numbers, strict=True):
            values[f"{link.name}.{name}"] = float(number)
    return np.array([values[each.name] for each in standard_parameters(model)])
