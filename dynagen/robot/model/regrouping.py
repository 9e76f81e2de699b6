"""Regrouping: inertia that a joint cannot observe is moved to the parent body.

The force of joint j is d/dt dL/dqd_j - dL/dq_j. The Lagrangian L is linear in the inertial
parameters. A change of the parameters of body j changes L by dL. Joint j cannot observe the change
if dL depends neither on q_j nor on qd_j, for all motions of the earlier bodies, between body j and
the base. Then dL is the same as for joint j at rest in its zero position, where body j is a part of
its parent. Therefore no joint force changes if an unobservable change is moved to the parent.

After regrouping, the remaining parameters are base parameters, the fewest possible: every change of
parameters that changes no joint force consists of such transfers from a body to its parent.

For example, the waist of a PUMA 560 is the first joint and turns about a vertical axis. Its force
depends only on the sum of Jzz and the motor inertia Ia. The eleven parameters of the waist become
one parameter JzzR, the sum of Jzz, Ia and the inertia that was moved from the outer bodies to the
waist.

If the earlier bodies can move in any way, the unobservable parameters follow from the body's
pseudo-inertia P, the integral of x x^T dm with x = (position, 1). The body's pose is T = A exp(G
q), with its pose A for the joint at zero and the generator G of the joint's motion. The kinetic
energy is tr(T' P T'^T)/2 with T' = dT/dt, and the potential energy is linear in T P. If G P = 0,
then exp(G q) P = P, and both energies do not depend on the joint. If G P is not zero, the
Lagrangian depends on the joint's position or velocity. The unobservable parameters are:

    revolute joint    m, mz and Szz
    prismatic joint   all second moments
    helical joint     Szz
    spherical joint   m

Szz is the integral of z^2 dm, which is a part of Jxx and of Jyy. The generator represents a
spherical joint by three bodies (`model`), from which the mass is moved to the body that carries the
joint.

More parameters are unobservable if the motions of the earlier bodies are restricted (`AxisMotion`).
Most cases are from Gautier and Khalil, "Direct calculation of minimum set of inertial parameters of
serial robots", IEEE Transactions on Robotics and Automation 6 (1990). Three cases are not in that
paper: motor inertias, axes that meet in a point without gravity, and helical joints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import partial

from dynagen.numbers.exact import ONE, ZERO, Exact, is_zero
from dynagen.robot.model.axis_motion import AxisMotion
from dynagen.robot.model.inertial import InertialParameters
from dynagen.robot.model.model import BASE, Body, RobotModel
from dynagen.robot.model.placement import Placement
from dynagen.robot.pose import Pose, Vector

INERTIAL_PARAMETERS = ("m", "mx", "my", "mz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")
MOTOR_INERTIA = "Ia"
PARAMETERS = (*INERTIAL_PARAMETERS, MOTOR_INERTIA)
"""Names of a body's parameters: mass, first moments, inertia about the origin, motor inertia."""

Combination = Mapping[str, Exact]
"""Linear combination of parameters: mapping from names in `PARAMETERS` to coefficients."""

_HALF = Exact(Fraction(1, 2))
_FIRST_MOMENTS = ("mx", "my", "mz")
_INERTIA = INERTIAL_PARAMETERS[4:]


class Gauge(Enum):
    """The quantity of a rotating body that regrouping makes zero.

    The second moment Szz, the integral of z^2 dm along the joint axis z, is unobservable. Therefore
    any multiple of diag(1, 1, 0) may be moved from the inertia to the parent. The gauge changes the
    number of operations but not the joint forces. In the following example, the first line is the
    inertia before the transfer:

        (Jxx, Jyy, Jzz) = (5, 2, 4)
        JYY             -> (3,  0, 4)        Szz of 2 moved
        JXX             -> (0, -3, 4)        Szz of 5 moved
        PSEUDO_INERTIA  -> (3.5, 0.5, 4)     Szz of (5 + 2 - 4)/2 = 1.5 moved: Jxx + Jyy = Jzz
    """

    JYY = "Jyy"
    JXX = "Jxx"
    PSEUDO_INERTIA = "entry zz of the second moments, (Jxx + Jyy - Jzz)/2"


# The quantity of each gauge, as a linear function of the parameters. It is one for a unit of Szz,
# which is Jxx = Jyy = 1. So moving this amount of Szz to the parent makes it zero.
_MEASURE: dict[Gauge, Combination] = {
    Gauge.JYY: {"Jyy": ONE},
    Gauge.JXX: {"Jxx": ONE},
    Gauge.PSEUDO_INERTIA: {"Jxx": _HALF, "Jyy": _HALF, "Jzz": -_HALF},
}


@dataclass(frozen=True)
class UnobservableChange:
    """A change of a body's parameters that its joint cannot observe.

    Attributes:
        change: change c of the body's parameters, by the name of the parameter.
        amount: coefficients a of a linear function, with a . c = 1. Regrouping subtracts (a . p) c
            from the parameters p, so that a . p becomes zero.
    """

    change: Combination
    amount: Combination

    def transfer_to_parent(self, placement: Placement) -> Combination:
        """Return the change of the parent's parameters that has the same effect as this change.

        The effect is the change of all joint forces.

        Args:
            placement: placement of the body in the parent's frame.
        """
        return transform(placement.pose, self.change)


FindChanges = Callable[[RobotModel, int, Gauge], tuple[UnobservableChange, ...]]
"""Function of a robot model, the index of a body and its gauge.

The function returns the changes of the body's inertial parameters that its joint cannot observe.
"""

MovableChanges = Callable[[int, Gauge], tuple[tuple[UnobservableChange, Combination], ...]]
"""Function of a body's index and gauge.

For each parameter change that the body's joint cannot observe, the function returns this change
and the equivalent change of the parent's parameters, as `find_movable_changes` does.
"""


def regroup(
    model: RobotModel,
    gauges: Sequence[Gauge | None] | None = None,
    movable: MovableChanges | None = None,
) -> RobotModel:
    """Move unobservable inertia to the parent bodies, from the last body to the first.

    Args:
        model: the robot.
        gauges: one gauge for each body; None keeps the parameters of a body. The default is
            `Gauge.JYY` for all bodies.
        movable: function with the results of `find_movable_changes` for this model, for callers
            that cache them.

    Returns:
        A model with the same joint forces and fewer nonzero parameters.
    """
    parameters = [
        [
            [number]
            for number in (
                body.inertial.mass,
                *body.inertial.first_moment,
                *body.inertial.inertia,
                body.motor_inertia,
            )
        ]
        for body in model.bodies
    ]
    move_inward(model, parameters, gauges, movable)
    bodies = []
    for body, table in zip(model.bodies, parameters, strict=True):
        values = {name: number for name, (number,) in zip(PARAMETERS, table, strict=True)}
        bodies.append(
            replace(
                body, inertial=_inertial_parameters(values), motor_inertia=values[MOTOR_INERTIA]
            )
        )
    return replace(model, bodies=tuple(bodies))


def has_known_geometry(model: RobotModel) -> bool:
    """Return whether placements, joint motions and gravity do not depend on run-time parameters."""
    return all(number.is_known for number in model.geometry)


def move_inward(
    model: RobotModel,
    parameters: list[list[list[Exact]]],
    gauges: Sequence[Gauge | None] | None = None,
    movable: MovableChanges | None = None,
) -> None:
    """Regroup several sets of parameters at once, by modifying `parameters`.

    Args:
        model: the robot. Its own inertial data have no effect.
        parameters: a table for each body, with a row for each name in `PARAMETERS` and a column for
            each set.
        gauges: one gauge for each body; None keeps the parameters of a body. The default is
            `Gauge.JYY` for all bodies.
        movable: function with the results of `find_movable_changes` for this model.
    """
    movable = movable or partial(find_movable_changes, find_unobservable_changes, model)
    # From the tips to the base: a body receives all inertia of its children before its own
    # unobservable inertia is moved on.
    for index, body in model.iterate_inward():
        gauge = Gauge.JYY if gauges is None else gauges[index]
        for change, in_parent in () if gauge is None else movable(index, gauge):
            table = parameters[index]
            measured = [
                (table[PARAMETERS.index(name)], weight) for name, weight in change.amount.items()
            ]
            amounts = [
                sum((weight * row[column] for row, weight in measured if row[column]), ZERO)
                for column in range(len(table[0]))
            ]
            _add_multiples(table, change.change, [-amount for amount in amounts])
            # Inertia that would be moved to the base is dropped, as the base does not move.
            if body.parent != BASE:
                _add_multiples(parameters[body.parent], in_parent, amounts)


def find_movable_changes(
    find_changes: FindChanges, model: RobotModel, index: int, gauge: Gauge
) -> tuple[tuple[UnobservableChange, Combination], ...]:
    """Return the changes of a body's parameters that its joint cannot observe.

    Each change is paired with the change of the parent's parameters that has the same effect on
    joint forces.

    Args:
        find_changes: function that finds the unobservable changes of the body.
        model: the robot.
        index: index of the body.
        gauge: the quantity that regrouping makes zero if the body's joint is a rotation.
    """
    placement = model.bodies[index].placement
    return tuple(
        (change, change.transfer_to_parent(placement))
        for change in find_changes(model, index, gauge)
    )


def find_unobservable_changes(
    model: RobotModel, index: int, gauge: Gauge = Gauge.JYY
) -> tuple[UnobservableChange, ...]:
    """Return a basis of the changes of a body's parameters that its joint cannot observe.

    Regrouping removes the changes in the order of the returned basis. Later changes do not contain
    earlier changes, so that removing a later change does not restore an earlier change.

    Args:
        model: the robot.
        index: index of the body.
        gauge: the quantity that regrouping makes zero if the body's joint is a rotation.
    """
    body, axis = model.bodies[index], AxisMotion(model, index)
    if body.is_free:
        return ()
    if body.column is not None:
        return _find_of_spherical(AxisMotion(model, index - body.column))
    if not body.angular:
        return _find_of_prismatic(body, axis)
    return _find_rotating(body, axis, gauge)


def find_changes_that_keep_loads(
    model: RobotModel, index: int, gauge: Gauge = Gauge.JYY
) -> tuple[UnobservableChange, ...]:
    """Return parameter changes that affect neither joint forces nor certain loads.

    The changes move inertia of a body to the parent. The loads are the output forces of
    transmissions and the wrenches on bearings. The output force of a transmission does not include
    the motor's inertia, which is therefore not moved. A bearing carries the whole wrench of its
    joint. The inertia of a body with a bearing is therefore not moved. For bodies that a bearing
    carries, only inertia that is unobservable in every motion in space is moved, because such a
    transfer keeps the wrench.

    Args:
        model: the robot.
        index: index of the body.
        gauge: the quantity that regrouping makes zero if the body's joint is a rotation.
    """

    def has_bearings(body: Body) -> bool:
        return body.friction is not None and bool(body.friction.bearings)

    body = model.bodies[index]
    if has_bearings(body):
        return ()
    if any(has_bearings(model.bodies[carrier]) for carrier in model.find_path(index)):
        return _find_in_general_motion(body, gauge)
    changes = find_unobservable_changes(model, index, gauge)
    return tuple(change for change in changes if MOTOR_INERTIA not in change.change)


def _find_in_general_motion(body: Body, gauge: Gauge) -> tuple[UnobservableChange, ...]:
    """Return the parameter changes that a body's joint cannot observe, however the parent moves."""
    if body.is_free:
        return ()
    if body.column is not None:
        return (_single("m"),)
    if not body.angular:
        return tuple(_single(name) for name in _INERTIA)
    along_axis = UnobservableChange({"Jxx": ONE, "Jyy": ONE}, _MEASURE[gauge])
    return (along_axis,) if body.linear else (_single("m"), _single("mz"), along_axis)


# Comments below use axes with z along the joint axis. In these axes, w is the parent body's angular
# velocity, and v its velocity at the joint. The body's angular velocity W and the velocity V of its
# origin are W = w + angular qd z and V = v + linear (q w x z + qd z).


def _find_of_spherical(carrier: AxisMotion) -> tuple[UnobservableChange, ...]:
    """Return the changes of a body's parameters that its spherical joint cannot observe.

    `carrier` describes how earlier joints can move the spherical joint.
    """
    names = ("m", *_FIRST_MOMENTS) if carrier.keeps_origin else ("m",)
    return tuple(_single(name) for name in names)


def _find_rotating(body: Body, axis: AxisMotion, gauge: Gauge) -> tuple[UnobservableChange, ...]:
    """Return the changes of parameters that a body's revolute or helical joint cannot observe."""
    changes = []
    if body.linear and axis.keeps_direction and axis.is_gravity_across:
        changes += _find_along_screw(body, axis.velocities_along)
    elif axis.is_rotated_across:
        # W_z = angular qd, so that Jzz and the motor inertia have proportional energies.
        changes.append(_exchange_motor("Jzz", body.angular))
    if not body.linear:
        changes.append(_single("m"))
    if axis.keeps_direction:
        # W is along z: of the inertia only Jzz has kinetic energy. First moments s have the energy
        # V . (W x s), which is zero for mz.
        changes += [_single(name) for name in ("mz", "Jxx", "Jyy", "Jxy", "Jxz", "Jyz")]
        if axis.keeps_line and axis.is_gravity_along:
            changes += [_single("mx"), _single("my")]
        return tuple(changes)
    if not body.linear:
        changes.append(_single("mz"))
    changes.append(UnobservableChange({"Jxx": ONE, "Jyy": ONE}, _MEASURE[gauge]))
    if not body.linear and (point := axis.central_point) is not None:
        # About a point with v = h w, first moments s across the axis have the energy
        # h qd w . (z x s). Products of inertia have the energy qd w . J z. The sum is zero if
        # (Jxz, Jyz) = -h z x s. The height moves the products to the body's origin (parallel axis
        # theorem).
        height, pitch = point
        changes.append(UnobservableChange({"mx": ONE, "Jxz": -height, "Jyz": -pitch}, {"mx": ONE}))
        changes.append(UnobservableChange({"my": ONE, "Jyz": -height, "Jxz": pitch}, {"my": ONE}))
    return tuple(changes)


def _find_along_screw(
    body: Body, velocities: tuple[Exact, Exact] | None
) -> list[UnobservableChange]:
    """Return the changes that a helical joint cannot observe if the direction of its axis is fixed.

    The axis is z. The angular velocity of the parent body is parallel to z, and gravity is normal
    to z. The earlier joints together cause the angular velocity w u about z and the velocity v u
    along z, with a common velocity u; `velocities` are (w, v). With the joint's constants `angular`
    and `linear`, the helical joint adds angular qd to the body's angular velocity W_z, and
    linear qd to the body's velocity V_z. The body has the mass m and the motor inertia Ia. The left
    column contains the kinetic energies, the right column their parts that depend on the helical
    joint:

        Jzz W_z^2/2   Jzz (angular w u qd + angular^2 qd^2/2)
        m V_z^2/2     m (linear v u qd + linear^2 qd^2/2)
        motor         Ia qd^2/2

    A change of Jzz, m and Ia is unobservable if the sum of the right column is zero for all u and
    qd.
    """
    if velocities is None:
        return []
    # The factor of u qd is zero for Jzz = linear v and m = -angular w. The factor of qd^2 is then
    # zero for this Ia.
    inertia, mass = body.linear * velocities[1], -body.angular * velocities[0]
    motor = -(inertia * body.angular**2 + mass * body.linear**2)
    if not inertia and not mass:  # u qd has no factor: one function, and two unobservable changes
        return [
            _exchange_motor("m", body.linear),
            UnobservableChange(
                {"Jzz": ONE, "m": -((body.angular / body.linear) ** 2)}, {"Jzz": ONE}
            ),
        ]
    if is_zero(motor):
        return [UnobservableChange({"Jzz": ONE, "m": mass / inertia}, {"Jzz": ONE})]
    change = {MOTOR_INERTIA: ONE, "Jzz": inertia / motor, "m": mass / motor}
    return [
        UnobservableChange(
            {name: factor for name, factor in change.items() if factor}, {MOTOR_INERTIA: ONE}
        )
    ]


def _find_of_prismatic(body: Body, axis: AxisMotion) -> tuple[UnobservableChange, ...]:
    """Return the changes of a body's parameters that its prismatic joint cannot observe."""
    changes = []
    if axis.keeps_direction and axis.is_gravity_across and not axis.translates_along:
        # V_z is linear qd, so that the kinetic energy m V_z^2/2 is proportional to the motor's.
        changes.append(_exchange_motor("m", body.linear))
    # W = w: the energy of second moments does not depend on the joint.
    changes += [_single(name) for name in _INERTIA]
    if axis.keeps_direction:
        changes += [_single(name) for name in _FIRST_MOMENTS]
    elif (direction := axis.rotation_direction) is not None:
        # First moments s have the energy V . (w x s), zero for s along the only direction of w.
        changes.append(_first_moment_along(direction))
    return tuple(changes)


def transform(pose: Pose, parameters: Combination) -> Combination:
    """Return the nonzero inertial parameters of a body in another frame A.

    Args:
        pose: pose in A of the frame of `parameters`.
        parameters: inertial parameters by name in SI units, without a motor inertia; parameters
            that are left out are zero.
    """
    in_frame = _inertial_parameters(parameters).transform(pose)
    numbers = zip(
        INERTIAL_PARAMETERS,
        (in_frame.mass, *in_frame.first_moment, *in_frame.inertia),
        strict=True,
    )
    return {name: number for name, number in numbers if number}


def _inertial_parameters(values: Combination) -> InertialParameters:
    m, mx, my, mz, *inertia = (values.get(name, ZERO) for name in INERTIAL_PARAMETERS)
    jxx, jyy, jzz, jxy, jxz, jyz = inertia
    return InertialParameters(m, (mx, my, mz), (jxx, jyy, jzz, jxy, jxz, jyz))


def _single(name: str) -> UnobservableChange:
    """Return the change of one inertial parameter by one unit."""
    return UnobservableChange({name: ONE}, {name: ONE})


def _exchange_motor(name: str, velocity: Exact) -> UnobservableChange:
    """Return the change that replaces motor inertia Ia by a parameter of the same kinetic energy.

    The parameter p, called `name`, is a mass or moment of inertia that moves with `velocity` times
    the joint velocity qd: Ia qd^2/2 = p (velocity qd)^2/2.
    """
    return UnobservableChange(
        {MOTOR_INERTIA: ONE, name: -(ONE / velocity**2)}, {MOTOR_INERTIA: ONE}
    )


def _first_moment_along(direction: Vector) -> UnobservableChange:
    """Return the change that adds a vector along `direction` to the first moments (mx, my, mz).

    Regrouping makes one first moment zero: the last one that the change contains.
    """
    components = {
        name: x for name, x in zip(_FIRST_MOMENTS, direction, strict=True) if not is_zero(x)
    }
    last = list(components)[-1]
    return UnobservableChange(
        {name: x / components[last] for name, x in components.items()} | {last: ONE}, {last: ONE}
    )


def _add_multiples(
    table: list[list[Exact]], combination: Combination, amounts: Sequence[Exact]
) -> None:
    """Add amounts[i] times `combination` to column i of a table of parameters, for all i.

    The table has a row for each name in `PARAMETERS`.
    """
    for name, coefficient in combination.items():
        row = table[PARAMETERS.index(name)]
        row[:] = [
            number + coefficient * amount if amount else number
            for number, amount in zip(row, amounts, strict=True)
        ]
