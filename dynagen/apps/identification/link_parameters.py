"""Link parameters: the standard parameters of links, the exact way from them to base parameters, and pseudo-inertias.

Links: inertial parameters of bodies, and which of them are those of a robot that can be built.

Pseudo-inertia: a body's ten inertial parameters as one symmetric matrix, which is positive definite for what can be built.

P = integral of (x, 1) (x, 1)^T dm = [[S, h], [h^T, m]], with S the second moments, h the first and m the mass about one origin
(P. Wensing, S. Kim, J.-J. Slotine, "Linear Matrix Inequalities for Physically Consistent Inertial Parameter Identification",
IEEE Robotics and Automation Letters 3(1), 2018). Mass above zero, positive principal moments and the triangle inequality about
the centre of mass are together the one condition P > 0.

Link parameters: the standard parameters of a robot's links, and the exact way from them to base parameters and back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.robot.description import LinkDescription, OriginInertia, RobotDescription
from dynagen.robot.edits import substitute
from dynagen.robot.model.base_parameters import (
    BaseParameter,
    StandardParameter,
    base_parameters,
    standard_parameters,
)
from dynagen.robot.model.model import BASE, InertialParameters, RobotModel, build_model
from dynagen.robot.model.regrouping import INERTIAL_PARAMETERS, MOTOR_INERTIA, seen_from

Array = NDArray[np.float64]

_SQUARES = ((0, 0), (1, 1), (2, 2))
_PRODUCTS = ((0, 1), (0, 2), (1, 2))
_LEAST = 1e-6  # eigenvalue by the largest, in units in which both would be one for a ball, below which a body is too flat
_REPAIRED = 1e-2  # what such an eigenvalue is replaced with


def pseudo_inertia(parameters: Array) -> Array:
    """The matrix P of m, mx, my, mz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz; shape (10,) -> (4, 4)."""
    mass, moments, squares, products = (
        parameters[0],
        parameters[1:4],
        parameters[4:7],
        parameters[7:10],
    )
    matrix = np.diag([*(squares.sum() / 2 - squares), mass])
    matrix[:3, 3] = matrix[3, :3] = moments
    for (row, column), product in zip(_PRODUCTS, products, strict=True):
        matrix[row, column] = matrix[column, row] = -product
    return matrix


def parameters_of(matrix: Array) -> Array:
    """The ten parameters of a matrix P; shape (4, 4) -> (10,)."""
    second = matrix[:3, :3]
    squares = [np.trace(second) - second[place] for place in _SQUARES]
    products = [-second[place] for place in _PRODUCTS]
    return np.array([matrix[3, 3], *matrix[:3, 3], *squares, *products])


def parameters_in(factor: Array) -> Array:
    """The linear map from X to the parameters of P = C X C^T; shape (4, 4) -> (10, 16), for the entries of X row by row."""
    units = np.eye(16).reshape(16, 4, 4)
    return np.stack(
        [parameters_of(factor @ (unit + unit.T) / 2 @ factor.T) for unit in units], axis=-1
    )


def factor_of_nearest_body(parameters: Array, mass: float, length: float) -> Array:
    """A triangular C with C C^T = P, of the described body or, if no body is like that, of one near it.

    Args:
        parameters: the ten.
        mass: that a link of this robot may have, in kg; used where the described one is not positive.
        length: extent of such a link in m, likewise.
    """
    matrix = pseudo_inertia(parameters)
    if matrix[3, 3] <= 0:
        matrix[3, 3] = mass
    spread = np.trace(matrix[:3, :3]) / matrix[3, 3]
    extent = np.sqrt(spread) if spread > 0 else length
    scale = np.sqrt(matrix[3, 3]) * np.array([extent, extent, extent, 1.0])
    values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    if values[0] <= _LEAST * values[-1]:
        values = np.where(values <= _LEAST * values[-1], _REPAIRED * values[-1], values)
        matrix = (vectors * values) @ vectors.T * np.outer(scale, scale)
    return np.asarray(np.linalg.cholesky(matrix), dtype=float)


_DIGITS = 12  # that base parameters are written with


@dataclass(frozen=True)
class LinkParameters:
    """The standard parameters of a robot, exact, in the order of `standard_parameters`.

    Attributes:
        description: the robot, without run-time parameters.
        model: its bodies, in the frames of the description.
        described: what the description says of every standard parameter.
    """

    description: RobotDescription
    model: RobotModel
    described: tuple[Exact, ...]

    @cached_property
    def standard(self) -> tuple[StandardParameter, ...]:
        """All standard parameters."""
        return standard_parameters(self.model)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(each.name for each in self.standard)

    @cached_property
    def base(self) -> tuple[BaseParameter, ...]:
        """All base parameters."""
        return base_parameters(self.model)

    @cached_property
    def grouping(self) -> Array:
        """K in base = K standard, shape (base parameters, standard parameters)."""
        return np.array([[float(x) for x in each.coefficients] for each in self.base])

    @property
    def described_base(self) -> Array:
        """The base parameters of the description, shape (base parameters,)."""
        return np.array([float(each) for each in self.base_values(self.described)])

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each link's ten parameters begin."""
        return {
            each.link: place
            for place, each in enumerate(self.standard)
            if each.parameter == INERTIAL_PARAMETERS[0]
        }

    @cached_property
    def motors(self) -> dict[str, int]:
        """Where the motor inertias of links with joints that move are."""
        return {
            each.link: place
            for place, each in enumerate(self.standard)
            if each.parameter == MOTOR_INERTIA
        }

    @cached_property
    def free_links(self) -> tuple[str, ...]:
        """Links that a set may change: all that move and have inertia, and those with joints whose whole body has none."""
        described = dict(zip(self.names, self.described, strict=True))
        by_body: dict[int, list[str]] = {}
        for link, (body, _) in self.model.attachments.items():
            if body != BASE and any(described[f"{link}.{name}"] for name in INERTIAL_PARAMETERS):
                by_body.setdefault(body, []).append(link)
        free = {link for links in by_body.values() for link in links}
        free |= {body.name for index, body in enumerate(self.model.bodies) if index not in by_body}
        return tuple(link for link in self.model.attachments if link in free)

    def base_values(self, values: Sequence[Exact]) -> tuple[Exact, ...]:
        """K times a set of standard parameters, exactly."""
        return tuple(
            sum(
                (
                    factor * value
                    for factor, value in zip(each.coefficients, values, strict=True)
                    if factor
                ),
                ZERO,
            )
            for each in self.base
        )

    def reproducing(self, near: Sequence[Exact], values: Sequence[Exact]) -> tuple[Exact, ...]:
        """A set near another one whose base parameters are exactly these: what is missing goes to the bodies that own them."""
        reached = list(near)
        for unit, value, found in zip(self._units, values, self.base_values(near), strict=True):
            for place, factor in unit.items():
                reached[place] += factor * (value - found)
        return tuple(reached)

    @cached_property
    def units(self) -> Array:
        """Standard parameters of the links with joints for base parameters of one, K units = 1; shape (standard, base)."""
        matrix = np.zeros((len(self.standard), len(self.base)))
        for column, unit in enumerate(self._units):
            matrix[[*unit], column] = [float(factor) for factor in unit.values()]
        return matrix

    @cached_property
    def _units(self) -> tuple[dict[int, Exact], ...]:
        """A base parameter of one as standard parameters of the link whose joint's frame it belongs to, by their places."""
        places = {name: place for place, name in enumerate(self.names)}
        units = []
        for each in self.base:
            body = self.model.bodies[each.body]
            _, pose = self.model.attachments[body.name]
            own = {each.parameter: ONE}
            unit = own if each.parameter == MOTOR_INERTIA else seen_from(pose.inverse, own)
            units.append({places[f"{body.name}.{name}"]: factor for name, factor in unit.items()})
        return tuple(units)

    def written(self, values: Sequence[Exact]) -> RobotDescription:
        """The description with a set of standard parameters in place of its own; links without inertia stay as they are."""
        numbers = dict(zip(self.names, values, strict=True))
        links = tuple(self._with_numbers(link, numbers) for link in self.description.links)
        return replace(self.description, links=links)

    def _with_numbers(self, link: LinkDescription, numbers: dict[str, Exact]) -> LinkDescription:
        m, mx, my, mz, *inertia = (numbers[f"{link.name}.{name}"] for name in INERTIAL_PARAMETERS)
        jxx, jyy, jzz, jxy, jxz, jyz = inertia
        motor = numbers.get(f"{link.name}.{MOTOR_INERTIA}", ZERO)
        if link.name not in self.free_links:
            return replace(link, motor_inertia=motor)
        return replace(
            link,
            inertial=OriginInertia(m, (mx, my, mz), (jxx, jyy, jzz, jxy, jxz, jyz)),
            motor_inertia=motor,
        )


def link_parameters(description: RobotDescription) -> LinkParameters:
    """The standard parameters of a robot; run-time parameters have their defaults.

    Raises:
        UsageError: the robot has no base parameters (`base_unavailable_because`).
    """
    known = replace(substitute(description, {}), parameters=(), payload=())
    model = build_model(known)
    base_parameters(model)
    inertias = {link.name: InertialParameters.of(link.inertial) for link in known.links}
    described = {
        f"{name}.{parameter}": value
        for name, each in inertias.items()
        for parameter, value in zip(
            INERTIAL_PARAMETERS, (each.mass, *each.first_moment, *each.inertia), strict=True
        )
    }
    described |= {f"{link.name}.{MOTOR_INERTIA}": link.motor_inertia for link in known.links}
    return LinkParameters(
        known, model, tuple(described[each.name] for each in standard_parameters(model))
    )


def decimal_of(value: float, digits: int = _DIGITS) -> Exact:
    """A number, exactly as it is written with so many digits."""
    return Exact(Fraction(f"{value:.{digits}g}"))
