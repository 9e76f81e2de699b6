"""Standard and base parameters of a robot: their names, and the exact matrix from the ones to the others.

The standard parameters are the user's: for every link of the description mass, first moments and inertia about the origin of
the user's link frame, in its axes, and the motor's inertia where the link has a joint that moves. The base parameters are what
regrouping leaves of them: the fewest numbers on which joint forces depend, each a fixed combination of standard parameters.
They belong to the frames of the joints, whose z axes are the joint axes; in the modified convention these are the user's link
frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from dynagen.errors import UsageError
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.numbers.parametric import parameters_of
from dynagen.robot.model.model import RobotModel
from dynagen.robot.model.regrouping import (
    INERTIAL_PARAMETERS,
    MOTOR_INERTIA,
    PARAMETERS,
    Combination,
    move_inward,
    seen_from,
    unobservable_changes,
)


@dataclass(frozen=True)
class StandardParameter:
    """A parameter of a link of the description.

    Attributes:
        link: name of the link.
        parameter: one of `PARAMETERS`.
        body: position of the body that the link is a part of; BASE if it does not move.
        in_body: what a unit of it adds to the body's parameters, in the body's axes.
    """

    link: str
    parameter: str
    body: int
    in_body: Combination

    @property
    def name(self) -> str:
        """As `shoulder.Jxx`."""
        return f"{self.link}.{self.parameter}"


@dataclass(frozen=True)
class BaseParameter:
    """A number that joint forces depend on.

    Attributes:
        body: position in the model.
        parameter: one of `PARAMETERS`, in the axes of the body: what the number adds to.
        name: as `shoulder.JzzR`; without R (regrouped) if it is that standard parameter itself.
        coefficients: of all standard parameters, in the order of `standard_parameters`.
    """

    body: int
    parameter: str
    name: str
    coefficients: tuple[Exact, ...]


@dataclass(frozen=True)
class Grouping:
    """A base parameter as a sum of standard ones: a row of the matrix K in pi_base = K pi, without its zeros.

    Attributes:
        terms: names of standard parameters, and their factors.
    """

    name: str
    terms: tuple[tuple[str, float], ...]

    @property
    def formula(self) -> str:
        """As `shoulder.JzzR = shoulder.Jzz + shoulder.Ia + 0.18645124*elbow.m`."""
        factors = {1.0: "", -1.0: "-"}
        terms = (factors.get(factor, f"{factor!r}*") + name for name, factor in self.terms)
        return f"{self.name} = {' + '.join(terms)}".replace("+ -", "- ")


@lru_cache(maxsize=16)
def standard_parameters(model: RobotModel) -> tuple[StandardParameter, ...]:
    """The parameters of all links in the order of the description, ten a link and the motor's inertia of moving ones."""
    moving = {body.name for body in model.bodies if not body.is_free}
    standard = []
    for link, (body, pose) in model.attachments.items():
        standard += [
            StandardParameter(link, name, body, seen_from(pose, {name: ONE}))
            for name in INERTIAL_PARAMETERS
        ]
        if link in moving:
            reflected = model.bodies[body].joint.ratio ** 2
            standard.append(
                StandardParameter(link, MOTOR_INERTIA, body, {MOTOR_INERTIA: reflected})
            )
    return tuple(standard)


@lru_cache(maxsize=16)
def base_parameters(model: RobotModel) -> tuple[BaseParameter, ...]:
    """The base parameters, body by body, with `Gauge.JYY`, in the frames of the description.

    Raises:
        UsageError: the robot has none (`base_unavailable_because`).
    """
    if reason := base_unavailable_because(model):
        raise UsageError(f"{model.name}: {reason}")
    model = model.described or model
    standard = standard_parameters(model)
    tables = [
        [
            [each.in_body.get(name, ZERO) if each.body == index else ZERO for each in standard]
            for name in PARAMETERS
        ]
        for index in range(len(model.bodies))
    ]
    move_inward(model, tables)
    base = []
    for index, (body, table) in enumerate(zip(model.bodies, tables, strict=True)):
        handed_over = {name for each in unobservable_changes(model, index) for name in each.amount}
        if body.is_free:
            handed_over.add(MOTOR_INERTIA)  # it has no motor
        for parameter, row in zip(PARAMETERS, table, strict=True):
            if parameter not in handed_over:
                name = f"{body.name}.{parameter}"
                is_itself = all(
                    x == int(each.name == name) for each, x in zip(standard, row, strict=True)
                )
                base.append(
                    BaseParameter(index, parameter, name + ("" if is_itself else "R"), tuple(row))
                )
    return tuple(base)


def groupings(model: RobotModel) -> tuple[Grouping, ...]:
    """The relations of M. Gautier and W. Khalil (1990), one for every base parameter."""
    names = [each.name for each in standard_parameters(model)]
    return tuple(
        Grouping(
            each.name,
            tuple((name, float(x)) for name, x in zip(names, each.coefficients, strict=True) if x),
        )
        for each in base_parameters(model)
    )


def base_unavailable_because(model: RobotModel) -> str:
    """The reason for which there are no base parameters: an unknown geometry, which decides what they are, or mimic joints."""
    if model.has_mimics:
        following = ", ".join(body.name for body in model.bodies if body.joint.mimics)
        return (
            f"the joints of {following} follow others, so that fewer parameters may be observable than the relations for "
            "free joints leave. Take the regressor, or remove `mimic`"
        )
    numbers = list(model.geometry)
    for _, pose in model.attachments.values():
        numbers += [number for vector in (*pose.rotation, pose.translation) for number in vector]
    names = dict.fromkeys(
        parameter.name for number in numbers for parameter in parameters_of(number)
    )
    if not names:
        return ""
    fold = f"Fold {', '.join(names)} (remove `runtime`)"
    return f"run-time parameters enter the geometry, which decides what the base parameters are. {fold}"
