"""Physical estimator: weighted least squares among the robots that can be built (`dynagen.identification.links.physical`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynagen.description.description import RobotDescription
from dynagen.identification.estimate import Estimate
from dynagen.identification.estimators.least_squares import estimate_weighted
from dynagen.identification.links.link_parameters import link_parameters
from dynagen.identification.links.physical import fit_physical
from dynagen.identification.regression import Parameter
from dynagen.identification.triangular import JointFactors

if TYPE_CHECKING:
    from dynagen.identification.links.possible_links import Prior

_BOUND = 1e-6  # standard deviations from zero
_MAY_BE_NEGATIVE = ("offset",)  # of friction: what it gives on one side it takes on the other


def estimate_physical(
    factors: JointFactors,
    parameters: tuple[Parameter, ...],
    robot: RobotDescription,
    prior: Prior = "entropic",
) -> Estimate:
    """The parameters of a robot that can be built, with joints weighted as `estimate_weighted` does.

    Every link's pseudo-inertia is positive definite, motors have no negative inertia, friction brakes. The covariance is that
    without these conditions, which only take from it. Inertial parameters that the samples do not tell follow from links near
    the description; friction that they do not tell keeps its values.

    Args:
        factors: of the samples.
        parameters: what is estimated; base parameters that are not among them are zero.
        robot: its links are those that the prior keeps to.
        prior: the distance from them.

    Raises:
        ToolchainError: cvxpy is missing.
        UsageError: no possible links have zeros where they are asked for.
    """
    free = estimate_weighted(factors, parameters)
    links = link_parameters(robot)
    places = {each.name: place for place, each in enumerate(links.base)}
    inertial = [places[each.name] for each in parameters if each.kind == "inertial"]
    friction = [index for index, each in enumerate(parameters) if each.kind == "friction"]
    braking = [index for index in friction if not parameters[index].name.endswith(_MAY_BE_NEGATIVE)]
    known = {index: parameters[index].described for index in friction if index in free.held}
    values = fit_physical(links, factors.weighted(1 / free.joint_deviation), inertial, braking, prior, known)
    bound = values[braking] <= _BOUND * free.deviations[braking]
    values[braking] = np.where(bound, 0.0, values[braking])  # where a solver comes to within its own precision
    return Estimate("physical", parameters, values, free.covariance, free.joint_deviation, free.held)
