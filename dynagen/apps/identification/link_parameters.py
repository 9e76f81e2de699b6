"""Standard parameters of a robot's links, and their relation to base parameters.

The pseudo-inertia P of a body is a symmetric matrix of its ten inertial parameters about an origin,

    P = integral of (x, 1) (x, 1)^T dm = [[S, h], [h^T, m]],

with second moments S, first moment h and mass m (Wensing, Kim and Slotine, "Linear Matrix
Inequalities for Physically Consistent Inertial Parameter Identification", IEEE Robotics and
Automation Letters 3(1), 2018). The body is physically consistent if and only if P is positive
definite. Then the mass and the principal moments of inertia are positive, and each principal moment
about the centre of mass is less than the sum of the other two.

Standard parameters are the ten inertial parameters of each link, and motor inertias. Base
parameters are the fewest combinations of standard parameters that determine the joint forces. The
vector of base parameters is K times the vector of standard parameters, with a constant matrix K.
`LinkParameters` contains K, and computes standard parameters from base parameters in exact
arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.robot.description import LinkDescription, OriginInertia, RobotDescription
from dynagen.robot.edits import substitute
from dynagen.robot.model.base_parameters import (
    BaseParameter,
    StandardParameter,
    list_base_parameters,
    list_standard_parameters,
)
from dynagen.robot.model.inertial import InertialParameters
from dynagen.robot.model.model import BASE, RobotModel, build_model
from dynagen.robot.model.regrouping import INERTIAL_PARAMETERS, MOTOR_INERTIA, transform

_SQUARES = ((0, 0), (1, 1), (2, 2))
_PRODUCTS = ((0, 1), (0, 2), (1, 2))
# Eigenvalue relative to the largest, below which a body is too flat to be a reference. In the units
# used here the four eigenvalues of a ball are of order one.
_LEAST = 1e-6
_REPAIRED = 1e-2  # replacement of such an eigenvalue, relative to the largest


def make_pseudo_inertia(parameters: Array) -> Array:
    """Return the pseudo-inertia of a body, a 4 x 4 matrix, from its ten inertial parameters.

    Args:
        parameters: m, mx, my, mz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz about the origin of the link frame,
            shape (10,), in kg, kg m and kg m^2.

    Returns:
        The pseudo-inertia, shape (4, 4).
    """
    mass, moments, squares, products = (
        parameters[0],
        parameters[1:4],
        parameters[4:7],
        parameters[7:10],
    )
    # S = tr(J)/2 1 - J: second moments from moments of inertia.
    matrix = np.diag([*(squares.sum() / 2 - squares), mass])
    matrix[:3, 3] = matrix[3, :3] = moments
    for (row, column), product in zip(_PRODUCTS, products, strict=True):
        matrix[row, column] = matrix[column, row] = -product
    return matrix


def extract_parameters(matrix: Array) -> Array:
    """Return the ten inertial parameters of a body from its pseudo-inertia.

    Args:
        matrix: pseudo-inertia [[S, h], [h^T, m]] with second moments S, first moment h and mass m
            about the origin of the link frame, shape (4, 4).

    Returns:
        m, mx, my, mz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz about the same origin, shape (10,), in kg, kg m
        and kg m^2.
    """
    second = matrix[:3, :3]
    squares = [np.trace(second) - second[place] for place in _SQUARES]
    products = [-second[place] for place in _PRODUCTS]
    return np.array([matrix[3, 3], *matrix[:3, 3], *squares, *products])


def make_parameter_map(factor: Array) -> Array:
    """Return the matrix that maps X to the ten parameters of the pseudo-inertia C X C^T.

    Args:
        factor: the matrix C, shape (4, 4); the symmetric matrix X has the same shape.

    Returns:
        Matrix of shape (10, 16). Its rows belong to m, mx, my, mz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz,
        and its columns to the entries of X in row-major order.
    """
    units = np.eye(16).reshape(16, 4, 4)
    return np.stack(
        [extract_parameters(factor @ (unit + unit.T) / 2 @ factor.T) for unit in units], axis=-1
    )


def factor_nearest_body(parameters: Array, mass: float, length: float) -> Array:
    """Return the Cholesky factor C of a body's pseudo-inertia P = C C^T, shape (4, 4).

    If P is not positive definite, C is the factor of a positive definite matrix near P.

    Args:
        parameters: described m, mx, my, mz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz about the origin of the
            link frame, shape (10,), in kg, kg m and kg m^2.
        mass: mass in kg, used if the described mass is not positive.
        length: extent of the body in m, used if the trace of the described second moments is not
            positive.
    """
    matrix = make_pseudo_inertia(parameters)
    if matrix[3, 3] <= 0:
        matrix[3, 3] = mass
    spread = np.trace(matrix[:3, :3]) / matrix[3, 3]
    extent = np.sqrt(spread) if spread > 0 else length
    # Dimensionless P: mass one and extent one, so that eigenvalues are comparable.
    scale = np.sqrt(matrix[3, 3]) * np.array([extent, extent, extent, 1.0])
    values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    if values[0] <= _LEAST * values[-1]:
        values = np.where(values <= _LEAST * values[-1], _REPAIRED * values[-1], values)
        matrix = (vectors * values) @ vectors.T * np.outer(scale, scale)
    return np.asarray(np.linalg.cholesky(matrix), dtype=float)


_DIGITS = 12  # significant digits of written base parameters


@dataclass(frozen=True)
class LinkParameters:
    """Standard parameters of a robot in exact numbers, and their relation to base parameters.

    Standard parameters are the ten inertial parameters of each link about the origin of its frame,
    and the motor inertia of each moving link.

    Attributes:
        description: the robot, with run-time parameters replaced by their defaults.
        model: the robot's bodies, in the frames of the description.
        described: the described value of every standard parameter in SI units, in the order of
            `standard`.
    """

    description: RobotDescription
    model: RobotModel
    described: tuple[Exact, ...]

    @cached_property
    def standard(self) -> tuple[StandardParameter, ...]:
        """Standard parameters: ten of each link, and the motor inertia of each moving link."""
        return list_standard_parameters(self.model)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the standard parameters in their order, such as `forearm.Jzz`."""
        return tuple(parameter.name for parameter in self.standard)

    @cached_property
    def base(self) -> tuple[BaseParameter, ...]:
        """Base parameters, in the order of the columns of the generated base regressor."""
        return list_base_parameters(self.model)

    @cached_property
    def grouping(self) -> Array:
        """Matrix K: the base parameters are K times the standard parameters.

        The shape is (number of base parameters, number of standard parameters).
        """
        return np.array([[float(x) for x in base.coefficients] for base in self.base])

    @property
    def described_base(self) -> Array:
        """Base parameters computed from the description, SI units, shape (base parameters,)."""
        return np.array([float(value) for value in self.compute_base_values(self.described)])

    @cached_property
    def places(self) -> dict[str, int]:
        """Index in `standard` of each link's first inertial parameter, by link name."""
        return {
            parameter.link: place
            for place, parameter in enumerate(self.standard)
            if parameter.parameter == INERTIAL_PARAMETERS[0]
        }

    @cached_property
    def motors(self) -> dict[str, int]:
        """Index of the motor inertia among the standard parameters, by name of the moving link."""
        return {
            parameter.link: place
            for place, parameter in enumerate(self.standard)
            if parameter.parameter == MOTOR_INERTIA
        }

    @cached_property
    def free_links(self) -> tuple[str, ...]:
        """Names of links whose inertia the identification may change.

        These are the links of moving bodies that have inertia in the description. If no link of a
        body has inertia, the link with the joint may be changed.
        """
        described = dict(zip(self.names, self.described, strict=True))
        by_body: dict[int, list[str]] = {}
        for link, (body, _) in self.model.attachments.items():
            if body != BASE and any(described[f"{link}.{name}"] for name in INERTIAL_PARAMETERS):
                by_body.setdefault(body, []).append(link)
        free = {link for links in by_body.values() for link in links}
        free |= {body.name for index, body in enumerate(self.model.bodies) if index not in by_body}
        return tuple(link for link in self.model.attachments if link in free)

    def compute_base_values(self, values: Sequence[Exact]) -> tuple[Exact, ...]:
        """Compute the base parameters K pi exactly from all standard parameters pi (`values`).

        The matrix K is the property `grouping`. Values are in SI units, in the orders of `standard`
        and `base`.
        """
        return tuple(
            sum(
                (
                    factor * value
                    for factor, value in zip(base.coefficients, values, strict=True)
                    if factor
                ),
                ZERO,
            )
            for base in self.base
        )

    def reproduce(self, near: Sequence[Exact], values: Sequence[Exact]) -> tuple[Exact, ...]:
        """Change standard parameters so that the base parameters are exactly `values`.

        Each base parameter belongs to one link, and is corrected by changes of this link's
        parameters.

        Args:
            near: values of all standard parameters before the change, in the order of `standard`.
            values: values of all base parameters, in the order of `base`.

        Returns:
            The changed standard parameters. All values are in SI units.
        """
        reached = list(near)
        for unit, value, found in zip(
            self._units, values, self.compute_base_values(near), strict=True
        ):
            for place, factor in unit.items():
                reached[place] += factor * (value - found)
        return tuple(reached)

    @cached_property
    def units(self) -> Array:
        """Right inverse of the matrix K (`grouping`), shape (standard parameters, base parameters).

        Each column contains changes of standard parameters that increase one base parameter by one,
        and leave all other base parameters unchanged. The changed parameters all belong to the link
        of this base parameter.
        """
        matrix = np.zeros((len(self.standard), len(self.base)))
        for column, unit in enumerate(self._units):
            matrix[[*unit], column] = [float(factor) for factor in unit.values()]
        return matrix

    @cached_property
    def _units(self) -> tuple[dict[int, Exact], ...]:
        """Columns of the matrix `units` in exact numbers, one for each base parameter.

        A column contains changes of standard parameters that increase one base parameter by one, as
        a map from the index of a standard parameter to the change. All other changes are zero.
        """
        places = {name: place for place, name in enumerate(self.names)}
        units = []
        for base in self.base:
            body = self.model.bodies[base.body]
            _, pose = self.model.attachments[body.name]
            own = {base.parameter: ONE}
            # Base parameters refer to the joint frame of the body; links have their own frames.
            unit = own if base.parameter == MOTOR_INERTIA else transform(pose.inverse, own)
            units.append({places[f"{body.name}.{name}"]: factor for name, factor in unit.items()})
        return tuple(units)

    def to_description(self, values: Sequence[Exact]) -> RobotDescription:
        """Return the description with other values of the standard parameters.

        The inertia is replaced only for the links in `free_links`; the motor inertia is replaced
        for all links.

        Args:
            values: value of every standard parameter in SI units, in the order of `standard`.
        """
        numbers = dict(zip(self.names, values, strict=True))
        links = tuple(self._set_numbers(link, numbers) for link in self.description.links)
        return replace(self.description, links=links)

    def _set_numbers(self, link: LinkDescription, numbers: dict[str, Exact]) -> LinkDescription:
        """Return a link with the inertia and motor inertia in `numbers` (by parameter name)."""
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


def make_link_parameters(description: RobotDescription) -> LinkParameters:
    """Return the standard parameters of a robot in exact numbers, with its described values.

    Standard parameters are ten inertial parameters for each link and a motor inertia for each
    moving link. The run-time parameters of the robot are replaced by their default values.

    Raises:
        UsageError: the robot has no base parameters.
    """
    known = replace(substitute(description, {}), parameters=(), payload=())
    model = build_model(known)
    list_base_parameters(model)
    inertias = {link.name: InertialParameters.convert(link.inertial) for link in known.links}
    described = {
        f"{name}.{parameter}": value
        for name, inertia in inertias.items()
        for parameter, value in zip(
            INERTIAL_PARAMETERS,
            (inertia.mass, *inertia.first_moment, *inertia.inertia),
            strict=True,
        )
    }
    described |= {f"{link.name}.{MOTOR_INERTIA}": link.motor_inertia for link in known.links}
    values = tuple(described[parameter.name] for parameter in list_standard_parameters(model))
    return LinkParameters(known, model, values)


def round_to_decimal(value: float, digits: int = _DIGITS) -> Exact:
    """Round `value` to `digits` significant decimal digits, and return an exact number."""
    return Exact(Fraction(f"{value:.{digits}g}"))
