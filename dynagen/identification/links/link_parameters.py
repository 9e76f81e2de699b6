"""Link parameters: the standard parameters of a robot's links, and the exact way from them to base parameters and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from dynagen.description.description import LinkDescription, OriginInertia, RobotDescription
from dynagen.description.substitution import substitute
from dynagen.identification.links.pseudo_inertia import Array
from dynagen.model.base_parameters import BaseParameter, StandardParameter, base_parameters, standard_parameters
from dynagen.model.inertia import InertialParameters
from dynagen.model.model import BASE, RobotModel, build_model
from dynagen.model.regrouping import INERTIAL_PARAMETERS, MOTOR_INERTIA, seen_from
from dynagen.numbers.exact import ONE, ZERO, Exact

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
        return {each.link: place for place, each in enumerate(self.standard) if each.parameter == INERTIAL_PARAMETERS[0]}

    @cached_property
    def motors(self) -> dict[str, int]:
        """Where the motor inertias of links with joints that move are."""
        return {each.link: place for place, each in enumerate(self.standard) if each.parameter == MOTOR_INERTIA}

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
            sum((factor * value for factor, value in zip(each.coefficients, values, strict=True) if factor), ZERO)
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
        return replace(link, inertial=OriginInertia(m, (mx, my, mz), (jxx, jyy, jzz, jxy, jxz, jyz)), motor_inertia=motor)


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
        for parameter, value in zip(INERTIAL_PARAMETERS, (each.mass, *each.first_moment, *each.inertia), strict=True)
    }
    described |= {f"{link.name}.{MOTOR_INERTIA}": link.motor_inertia for link in known.links}
    return LinkParameters(known, model, tuple(described[each.name] for each in standard_parameters(model)))


def decimal_of(value: float, digits: int = _DIGITS) -> Exact:
    """A number, exactly as it is written with so many digits."""
    return Exact(Fraction(f"{value:.{digits}g}"))
