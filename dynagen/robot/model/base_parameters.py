"""Standard and base parameters of a robot: their names, and the exact matrix between them.

Each link of the description has ten or eleven standard parameters: mass, first moments and inertia
about the origin of the user's link frame, in its axes, and a motor inertia if the joint has an
axis.

The base parameters are the fewest combinations of standard parameters that determine the joint
forces. They result from regrouping. They refer to the joint frames, whose z axes are the joint
axes. In the modified Denavit-Hartenberg convention, these are the user's link frames.

Joints that are coupled by closed loops or by mimicking have fewer base parameters than independent
joints. The module `coupled_parameters` finds the additional relations numerically.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from dynagen.errors import UsageError
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.numbers.parametric import iterate_parameters
from dynagen.robot.model.coupled_parameters import find_relations
from dynagen.robot.model.model import RobotModel
from dynagen.robot.model.regrouping import (
    INERTIAL_PARAMETERS,
    MOTOR_INERTIA,
    PARAMETERS,
    Combination,
    find_unobservable_changes,
    move_inward,
    transform,
)


@dataclass(frozen=True)
class StandardParameter:
    """A standard parameter: an inertial parameter or the motor inertia of a described link.

    Attributes:
        link: name of the link.
        parameter: name of the parameter: m, mx, my, mz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz or Ia.
        body: index of the body that contains the link; BASE if the link does not move.
        in_body: change of the body's parameters if the standard parameter increases by one unit, in
            the body's frame.
    """

    link: str
    parameter: str
    body: int
    in_body: Combination

    @property
    def name(self) -> str:
        """Name of the link and of its parameter, e.g. `shoulder.Jxx`."""
        return f"{self.link}.{self.parameter}"


@dataclass(frozen=True)
class BaseParameter:
    """A base parameter: a combination of standard parameters on which joint forces depend.

    Attributes:
        body: index of the body.
        parameter: the parameter of the body from which `name` is formed, such as Jzz.
        name: body and parameter, e.g. `shoulder.JzzR`. The R (regrouped) is omitted if the
            combination is a single standard parameter.
        coefficients: factor of each standard parameter, in the order of `list_standard_parameters`.
        others: further terms for coupled joints. Each term is a base parameter of the tree with
            independent joints, given by the index of the body, the name of the parameter and the
            factor.
    """

    body: int
    parameter: str
    name: str
    coefficients: tuple[Exact, ...]
    others: tuple[tuple[int, str, Exact], ...] = ()


@dataclass(frozen=True)
class Grouping:
    """A base parameter as a sum of standard parameters with factors.

    Attributes:
        name: name of the base parameter, such as `shoulder.JzzR`.
        terms: pairs of the name of a standard parameter and its factor, which is not zero.
    """

    name: str
    terms: tuple[tuple[str, float], ...]

    @property
    def formula(self) -> str:
        """The base parameter as a sum, e.g. `shoulder.JzzR = shoulder.Jzz + 0.18645124*elbow.m`."""
        factors = {1.0: "", -1.0: "-"}
        terms = (factors.get(factor, f"{factor!r}*") + name for name, factor in self.terms)
        return f"{self.name} = {' + '.join(terms)}".replace("+ -", "- ")


@lru_cache(maxsize=16)
def list_standard_parameters(model: RobotModel) -> tuple[StandardParameter, ...]:
    """Return the standard parameters of all links, link by link in the order of the description."""
    moving = {body.name for body in model.bodies if body.joint.type.has_axis}
    standard = []
    for link, (body, pose) in model.attachments.items():
        standard += [
            StandardParameter(link, name, body, transform(pose, {name: ONE}))
            for name in INERTIAL_PARAMETERS
        ]
        if link in moving:
            # A mimicking motor moves ratio times as fast as the entry of v that its body counts.
            reflected = model.bodies[body].joint.ratio ** 2
            standard.append(
                StandardParameter(link, MOTOR_INERTIA, body, {MOTOR_INERTIA: reflected})
            )
    return tuple(standard)


def list_base_parameters(model: RobotModel) -> tuple[BaseParameter, ...]:
    """Return the base parameters, body by body, in the frames of the description.

    Regrouping makes Jyy of each rotating body zero, as by Gautier and Khalil (`Gauge.JYY`).

    Raises:
        UsageError: the base parameters cannot be determined (see `explain_unavailable_base`).
    """
    if reason := explain_unavailable_base(model):
        raise UsageError(f"{model.name}: {reason}")
    return _find_base_parameters(model.described or model)


@lru_cache(maxsize=16)  # models with moved frames share the result of their described model
def _find_base_parameters(model: RobotModel) -> tuple[BaseParameter, ...]:
    """Return the base parameters of a robot in the frames of the description."""
    standard = list_standard_parameters(model)
    # One table for each body: a row for each of its parameters, a column for each standard
    # parameter. Regrouping all columns at once turns the rows into coefficients of base parameters.
    tables = [
        [
            [
                source.in_body.get(name, ZERO) if source.body == index else ZERO
                for source in standard
            ]
            for name in PARAMETERS
        ]
        for index in range(len(model.bodies))
    ]
    move_inward(model, tables)
    base = []
    for index, (body, table) in enumerate(zip(model.bodies, tables, strict=True)):
        # Parameters that measure an unobservable change are zero after regrouping.
        eliminated = {
            name for change in find_unobservable_changes(model, index) for name in change.amount
        }
        if not body.joint.type.has_axis:
            eliminated.add(MOTOR_INERTIA)  # such a joint has no motor
        if index not in model.links:
            eliminated.update(PARAMETERS)  # the first bodies of a spherical joint have no inertia
        for parameter, row in zip(PARAMETERS, table, strict=True):
            if parameter not in eliminated:
                name = f"{body.name}.{parameter}"
                is_standard = all(
                    factor == int(source.name == name)
                    for source, factor in zip(standard, row, strict=True)
                )
                base.append(
                    BaseParameter(index, parameter, name + ("" if is_standard else "R"), tuple(row))
                )
    return _combine(model, base) if model.closure or model.has_mimics else tuple(base)


def _combine(model: RobotModel, base: Sequence[BaseParameter]) -> tuple[BaseParameter, ...]:
    """Return the base parameters of a robot with coupled joints.

    `base` contains the base parameters of the same tree with independent joints.
    """
    kept = []
    relations = find_relations(model, [(each.body, each.parameter) for each in base])
    for place, factors in relations.items():
        each, coefficients = base[place], list(base[place].coefficients)
        for other, factor in factors.items():
            for number, term in enumerate(base[other].coefficients):
                coefficients[number] = coefficients[number] + factor * term
        others = tuple(
            (base[other].body, base[other].parameter, factor) for other, factor in factors.items()
        )
        name = each.name if not others or each.name.endswith("R") else each.name + "R"
        kept.append(replace(each, name=name, coefficients=tuple(coefficients), others=others))
    return tuple(kept)


def list_groupings(model: RobotModel) -> tuple[Grouping, ...]:
    """Return each base parameter as a sum of standard parameters (Gautier and Khalil 1990)."""
    names = [parameter.name for parameter in list_standard_parameters(model)]
    return tuple(
        Grouping(
            parameter.name,
            tuple(
                (name, float(factor))
                for name, factor in zip(names, parameter.coefficients, strict=True)
                if factor
            ),
        )
        for parameter in list_base_parameters(model)
    )


def explain_unavailable_base(model: RobotModel) -> str:
    """Return the reason why the base parameters cannot be determined; empty if they can.

    The geometry must not depend on run-time parameters, because it determines which inertial
    parameters are observable. Coupled joints must have an axis.
    """
    if model.has_mimics and not all(body.joint.type.has_axis for body in model.bodies):
        following = ", ".join(body.name for body in model.bodies if body.joint.mimics)
        return (
            f"the joints of {following} follow other joints, and the robot has a floating base or "
            "a spherical joint; base parameters are not available for this combination. Request "
            "`regressor` instead, or remove `mimic`"
        )
    numbers = list(model.geometry)
    for _, pose in model.attachments.values():
        numbers += [number for vector in (*pose.rotation, pose.translation) for number in vector]
    names = dict.fromkeys(
        parameter.name for number in numbers for parameter in iterate_parameters(number)
    )
    if not names:
        return ""
    fold = f"Make {', '.join(names)} constant (remove `runtime`)"
    return f"the base parameters depend on the geometry, which has run-time parameters. {fold}"
