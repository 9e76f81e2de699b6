"""Regrouping: inertia that a joint cannot observe is moved to the parent body.

The force of joint j is d/dt dL/dqd_j - dL/dq_j, and the Lagrangian L is linear in inertial
parameters. Consider a change of the ten parameters of body j and of its motor inertia. Joint j
cannot observe the change if the part of L due to the change depends neither on q_j nor on qd_j, for
all motions of the earlier bodies, between body j and the base. The part of L of an unobservable
change is then the same as with joint j at rest in its zero position, where the body is a part of
its parent. Therefore, moving an unobservable change to the parent does not change any joint force.

Conversely, every change of parameters that changes no joint force is a sequence of changes of one
body and its parent: first for the last body of the change, then for its parent, and so on.
Therefore the parameters that remain after regrouping are base parameters, the fewest possible.

For example, the waist of a PUMA 560 turns about a vertical axis. There is no joint before the
waist, and gravity is along its axis. The force of the waist joint depends only on the sum of Jzz
and the motor inertia. The eleven parameters of the waist become one, JzzR = Jzz + Ia + the inertia
that was moved from the outer bodies to the waist.

The first case is that the earlier bodies, between the body and the base, can move in any way. Let P
be the body's pseudo-inertia, the integral of x x^T dm with x = (position, 1), and G the generator
of the joint's motion: the body's pose is T = A exp(G q), with its pose A for the joint at zero. The
kinetic energy is tr(T' P T'^T)/2 with T' = dT/dt, and the potential energy is linear in T P. If G P
= 0, then exp(G q) P = P, and both energies are the same as with the joint at rest in its zero
position. Conversely, the Lagrangian L depends on the joint's position or velocity if G P is not
zero. If the earlier bodies can move in any way, the following parameters are unobservable:

    revolute joint    m, mz and Szz
    prismatic joint   all second moments
    helical joint     Szz
    spherical joint   m

Szz is the integral of z^2 dm; a unit of Szz is a unit of both Jxx and Jyy. The generator represents
a spherical joint by three bodies (`model`). The mass is unobservable in each of the three bodies,
so that it is moved to the body that carries the joint.

More parameters are unobservable if the motions of the earlier bodies are restricted, which
`AxisMotion` determines. Most cases of unobservable parameters are from Gautier and Khalil, "Direct
calculation of minimum set of inertial parameters of serial robots", IEEE Transactions on Robotics
and Automation 6 (1990). Three cases go beyond Gautier and Khalil: motor inertias, axes that meet in
a point without gravity, and helical joints.
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
"""A body's parameters: mass, first moments and inertia about the origin, in the body's frame, and
the motor inertia.
"""

Combination = Mapping[str, Exact]
"""Combination of parameters: coefficients by names of `PARAMETERS`, zero for missing names."""

_HALF = Exact(Fraction(1, 2))
_FIRST_MOMENTS = ("mx", "my", "mz")
_INERTIA = INERTIAL_PARAMETERS[4:]


class Gauge(Enum):
    """The quantity of a rotating body that regrouping makes zero.

    The second moment Szz, the integral of z^2 dm along the joint axis z, is unobservable. Therefore
    any multiple of diag(1, 1, 0) may be subtracted from the inertia. The choice of the gauge
    changes the number of operations but not the joint forces. The example shows the inertia after
    moving a part of Szz to the parent:

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
        change: the parameters that change.
        amount: coefficients of a linear function of the parameters that measures how much of the
            change the parameters contain. The value of the function is one for the change itself.
            Regrouping makes the amount of the change zero.
    """

    change: Combination
    amount: Combination

    def transfer_to_parent(self, placement: Placement) -> Combination:
        """Return the change of the parent's parameters with the same effect on joint forces.

        Args:
            placement: placement of the body in the parent's frame.
        """
        return transform(placement.pose, self.change)


FindChanges = Callable[[RobotModel, int, Gauge], tuple[UnobservableChange, ...]]
"""Function from a model, a body's index and its gauge to the body's unobservable changes."""

MovableChanges = Callable[[int, Gauge], tuple[tuple[UnobservableChange, Combination], ...]]
"""Function from a body's index and its gauge to its unobservable changes, each with the change of
the parent that has the same effect.
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
        movable: function that returns the result of `find_movable_changes` for this model, for
            callers that cache results.

    Returns:
        A model with the same joint forces, in which some inertial parameters and motor inertias are
        zero.
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
    """Return whether placements, joint motions and gravity do not depend on run-time parameters.

    Only a known geometry determines which parameters the joints cannot observe.
    """
    return all(number.is_known for number in model.geometry)


def move_inward(
    model: RobotModel,
    parameters: list[list[list[Exact]]],
    gauges: Sequence[Gauge | None] | None = None,
    movable: MovableChanges | None = None,
) -> None:
    """Regroup any number of parameter sets at once, by modifying `parameters`.

    Args:
        model: the robot; its own inertial data have no effect.
        parameters: a table for each body, with a row for each inertial parameter and the motor
            inertia (`PARAMETERS`), and a column for each parameter set.
        gauges: one gauge for each body; None keeps the parameters of a body. The default is
            `Gauge.JYY` for all bodies.
        movable: function that returns the result of `find_movable_changes` for this model.
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
    joint forces. The changes depend only on the geometry of the robot.

    Args:
        find_changes: function that finds the unobservable changes of the body.
        model: the robot.
        index: index of the body.
        gauge: the quantity that becomes zero if the joint rotates.
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

    Regrouping removes the changes in the order of the returned basis. The amount of each earlier
    change in a later change is zero, so that removing the later change does not restore the earlier
    change.

    The comments in this function use the axes before the joint, with z along the joint axis. In
    these axes, w is the parent body's angular velocity, and v its velocity at the joint. The joint
    with the variable q rotates by angular q (rad) and translates by linear q (m). The body's
    angular velocity W and the velocity V of its origin are, with the cross product w x z:

        W = w + angular qd z
        V = v + linear (q w x z + qd z)

    Args:
        model: the robot.
        index: index of the body.
        gauge: the quantity that becomes zero if the joint rotates.
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
    """Return the unobservable changes that also keep the loads of transmissions and bearings.

    The output force of a transmission does not include the motor's inertia, which is therefore not
    moved. A bearing carries the whole wrench of its joint: the inertia of a body on a bearing is
    therefore not moved to the parent. For bodies further out than the bearing, only inertia that is
    unobservable in every motion in space is moved, because such a transfer keeps the wrench.

    Args:
        model: the robot.
        index: index of the body.
        gauge: the quantity that becomes zero if the joint rotates.
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
    """Return the changes that a joint cannot observe even if the parent body moves in any way."""
    if body.is_free:
        return ()
    if body.column is not None:
        return (_single("m"),)
    if not body.angular:
        return tuple(_single(name) for name in _INERTIA)
    along_axis = UnobservableChange({"Jxx": ONE, "Jyy": ONE}, _MEASURE[gauge])
    return (along_axis,) if body.linear else (_single("m"), _single("mz"), along_axis)


def _find_of_spherical(carrier: AxisMotion) -> tuple[UnobservableChange, ...]:
    """Return the changes of a body's parameters that its spherical joint cannot observe.

    The mass moves like a point of the carrying body. First moments s have the kinetic energy
    V . (W x s), with the velocity V of the origin and the angular velocity W, and a potential
    energy. All moments of inertia have kinetic energy, because W may have any direction.
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

    The axis is z; the angular velocity of the parent body is along z, and gravity is across z.

    All earlier joints together cause the angular velocity w u and the velocity v u along z, with
    one common velocity u; `velocities` are (w, v). The helical joint adds angular qd and linear qd
    to the body's angular velocity W_z and velocity V_z. Of each energy on the left, with the mass m
    and the motor inertia Ia, the term on the right depends on the helical joint:

        Jzz W_z^2/2   Jzz (angular w u qd + angular^2 qd^2/2)
        m V_z^2/2     m (linear v u qd + linear^2 qd^2/2)
        motor         Ia qd^2/2

    A change of Jzz, m and Ia is unobservable if its factors of u qd and of qd^2 are zero.
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
    """Return the inertial parameters of the same body in another frame A, without zeros.

    Args:
        pose: pose of the parameters' frame in A.
        parameters: numbers by name of the inertial parameter, in SI units, about the origin and in
            the axes of their own frame; a motor inertia is not allowed.
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
    """Return the change of a single inertial parameter by one unit."""
    return UnobservableChange({name: ONE}, {name: ONE})


def _exchange_motor(name: str, velocity: Exact) -> UnobservableChange:
    """Return the change that replaces motor inertia by a parameter that moves at `velocity` qd.

    The kinetic energies of both, Ia qd^2/2 and parameter (velocity qd)^2/2, cancel.
    """
    return UnobservableChange(
        {MOTOR_INERTIA: ONE, name: -(ONE / velocity**2)}, {MOTOR_INERTIA: ONE}
    )


def _first_moment_along(direction: Vector) -> UnobservableChange:
    """Return the change of the first moments along a direction.

    The amount is the last of mx, my and mz along which the direction has a component.
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
    """Add a combination to each column of a table, multiplied by the amount of this column."""
    for name, coefficient in combination.items():
        row = table[PARAMETERS.index(name)]
        row[:] = [
            number + coefficient * amount if amount else number
            for number, amount in zip(row, amounts, strict=True)
        ]
