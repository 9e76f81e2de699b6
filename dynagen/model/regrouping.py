"""Regrouping: what a joint does not feel of its body's inertia is handed to the body before it. RobotModel -> RobotModel.

A change of a body's ten parameters and its motor's inertia that no motion lets the body's own joint feel has an energy that
does not depend on that joint: the energy is the one it has with the joint at rest in its zero position, where the body is a
part of its parent. So the change may be moved to the parent, and no joint force differs. Every change without any effect is
made of such steps (take away its last body, and so on), hence what is left are base parameters, the fewest possible. The cases
are those of M. Gautier and W. Khalil, "Direct calculation of minimum set of inertial parameters of serial robots", IEEE
Transactions on Robotics and Automation 6 (1990), and two more: motor inertias, and axes that meet in a point without gravity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import partial

from dynagen.description.description import Vector
from dynagen.model.axis_motion import AxisMotion
from dynagen.model.inertia import InertialParameters
from dynagen.model.model import BASE, RobotModel
from dynagen.model.placement import Placement
from dynagen.model.pose import Pose
from dynagen.numbers.exact import ONE, ZERO, Exact, is_zero

INERTIAL_PARAMETERS = ("m", "mx", "my", "mz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")
MOTOR_INERTIA = "Ia"
PARAMETERS = (*INERTIAL_PARAMETERS, MOTOR_INERTIA)
"""A body's parameters: mass, first moments and inertia about the origin in its own axes, and its motor's inertia."""

Combination = Mapping[str, Exact]
"""Coefficients of a body's parameters; those left out are zero."""

_HALF = Exact(Fraction(1, 2))
_FIRST_MOMENTS = ("mx", "my", "mz")


class Gauge(Enum):
    """What becomes zero by adding a multiple of diag(1, 1, 0) to the inertia of a body that turns."""

    JYY = "Jyy"
    JXX = "Jxx"
    PSEUDO_INERTIA = "entry zz of the second moments, (Jxx + Jyy - Jzz)/2"


_MEASURE: dict[Gauge, Combination] = {
    Gauge.JYY: {"Jyy": ONE},
    Gauge.JXX: {"Jxx": ONE},
    Gauge.PSEUDO_INERTIA: {"Jxx": _HALF, "Jyy": _HALF, "Jzz": -_HALF},
}


@dataclass(frozen=True)
class Unfelt:
    """A change of a body's parameters that its joint does not feel.

    Attributes:
        change: the parameters that change.
        amount: how much of the change there is in given parameters; one for the change itself.
    """

    change: Combination
    amount: Combination

    def in_parent(self, placement: Placement) -> Combination:
        """The change of the parent's parameters that has the same effect, for a body placed so in its parent's frame."""
        return seen_from(placement.pose, self.change)


Movable = Callable[[int, Gauge], tuple[tuple[Unfelt, Combination], ...]]


def regroup(model: RobotModel, gauges: Sequence[Gauge | None] | None = None, movable: Movable | None = None) -> RobotModel:
    """Hand over what joints do not feel, from the last body to the first.

    Args:
        model: the robot.
        gauges: one for every body; None leaves a body's parameters with it. By default `Gauge.JYY` for all.
        movable: `movable_changes` of this model, from whoever regroups it often and keeps them.

    Returns:
        A model with the same joint forces, and zeros among the bodies' inertial parameters and motor inertias.
    """
    parameters = [
        [[number] for number in (body.inertial.mass, *body.inertial.first_moment, *body.inertial.inertia, body.motor_inertia)]
        for body in model.bodies
    ]
    hand_over(model, parameters, gauges, movable)
    bodies = []
    for body, table in zip(model.bodies, parameters, strict=True):
        values = {name: number for name, (number,) in zip(PARAMETERS, table, strict=True)}
        bodies.append(replace(body, inertial=_inertial_parameters(values), motor_inertia=values[MOTOR_INERTIA]))
    return replace(model, bodies=tuple(bodies))


def has_known_geometry(model: RobotModel) -> bool:
    """Whether no run-time parameter places a joint or turns gravity, so that it is known what joints do not feel."""
    return all(number.is_known for number in model.geometry)


def hand_over(
    model: RobotModel,
    parameters: list[list[list[Exact]]],
    gauges: Sequence[Gauge | None] | None = None,
    movable: Movable | None = None,
) -> None:
    """Regroup any number of parameter sets at once, in place.

    Args:
        model: the robot; its own inertial data do not count.
        parameters: for every body a table with a row for each of `PARAMETERS` and a column for each set.
        gauges: as for `regroup`.
        movable: as for `regroup`.
    """
    movable = movable or partial(movable_changes, model)
    for index, body in model.inward():
        gauge = Gauge.JYY if gauges is None else gauges[index]
        for unfelt, in_parent in () if gauge is None else movable(index, gauge):
            table = parameters[index]
            measured = [(table[PARAMETERS.index(name)], weight) for name, weight in unfelt.amount.items()]
            amounts = [
                sum((weight * row[column] for row, weight in measured if row[column]), ZERO) for column in range(len(table[0]))
            ]
            _add_multiples(table, unfelt.change, [-amount for amount in amounts])
            if body.parent != BASE:
                _add_multiples(parameters[body.parent], in_parent, amounts)


def movable_changes(model: RobotModel, index: int, gauge: Gauge) -> tuple[tuple[Unfelt, Combination], ...]:
    """What a body's joint does not feel, and what it is for the parent; depends on the geometry alone."""
    placement = model.bodies[index].placement
    return tuple((unfelt, unfelt.in_parent(placement)) for unfelt in unfelt_changes(model, index, gauge))


def unfelt_changes(model: RobotModel, index: int, gauge: Gauge = Gauge.JYY) -> tuple[Unfelt, ...]:
    """A basis of the changes that the joint of a body does not feel, each without any amount of those before it.

    With G the generator of the joint's motion, these are always the pseudo-inertias P with G P = 0; others only where the
    bodies before it move so little that not every motion exists.
    """
    joint = model.bodies[index].joint
    if joint.angular and joint.linear:
        return ()
    axis = AxisMotion(model, index)
    if joint.angular:
        unfelt = [_motor_as("Jzz")] if axis.is_turned_across else []
        unfelt += [_only("m"), _only("mz")]
        if axis.keeps_direction:
            unfelt += [_only(name) for name in ("Jxx", "Jyy", "Jxy", "Jxz", "Jyz")]
            unfelt += [_only("mx"), _only("my")] if axis.keeps_line and axis.is_gravity_along else []
        else:
            unfelt.append(Unfelt({"Jxx": ONE, "Jyy": ONE}, _MEASURE[gauge]))
            if (height := axis.unaccelerated_point) is not None:
                unfelt.append(Unfelt({"mx": ONE, "Jxz": -height}, {"mx": ONE}))
                unfelt.append(Unfelt({"my": ONE, "Jyz": -height}, {"my": ONE}))
        return tuple(unfelt)
    unfelt = [_motor_as("m")] if axis.keeps_direction and axis.is_unaccelerated_along else []
    unfelt += [_only(name) for name in ("Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")]
    if axis.keeps_direction:
        unfelt += [_only(name) for name in _FIRST_MOMENTS]
    elif (direction := axis.turning_direction) is not None:
        unfelt.append(_first_moment_along(direction))
    return tuple(unfelt)


def seen_from(pose: Pose, parameters: Combination) -> Combination:
    """Inertial parameters in frame A, where `pose` is their own frame in A; a motor's inertia is not among them."""
    moved = _inertial_parameters(parameters).seen_from(pose)
    numbers = zip(INERTIAL_PARAMETERS, (moved.mass, *moved.first_moment, *moved.inertia), strict=True)
    return {name: number for name, number in numbers if number}


def _inertial_parameters(values: Combination) -> InertialParameters:
    m, mx, my, mz, *inertia = (values.get(name, ZERO) for name in INERTIAL_PARAMETERS)
    jxx, jyy, jzz, jxy, jxz, jyz = inertia
    return InertialParameters(m, (mx, my, mz), (jxx, jyy, jzz, jxy, jxz, jyz))


def _only(name: str) -> Unfelt:
    return Unfelt({name: ONE}, {name: ONE})


def _motor_as(name: str) -> Unfelt:
    """The joint feels its motor's inertia as it feels another parameter."""
    return Unfelt({MOTOR_INERTIA: ONE, name: -ONE}, {MOTOR_INERTIA: ONE})


def _first_moment_along(direction: Vector) -> Unfelt:
    """Measured by its last component that is not zero."""
    components = {name: x for name, x in zip(_FIRST_MOMENTS, direction, strict=True) if not is_zero(x)}
    last = list(components)[-1]
    return Unfelt({name: x / components[last] for name, x in components.items()} | {last: ONE}, {last: ONE})


def _add_multiples(table: list[list[Exact]], combination: Combination, amounts: Sequence[Exact]) -> None:
    for name, coefficient in combination.items():
        row = table[PARAMETERS.index(name)]
        row[:] = [number + coefficient * amount if amount else number for number, amount in zip(row, amounts, strict=True)]
