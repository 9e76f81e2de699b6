"""Regrouping: inertia that a joint cannot observe is moved to the parent body.

The force of joint j is d/dt dL/dqd_j - dL/dq_j, and the Lagrangian L is linear in inertial
parameters. Consider a change of the ten parameters of body j and of its motor inertia. Joint j
cannot observe the change if its part of L depends neither on q_j nor on qd_j, for all motions of
the bodies before. That part is then the same as with the joint at rest in its zero position, where
the body is a part of its parent. So the change may be moved to the parent, and no joint force
differs.

Every change without any effect consists of such steps: the step of its last body, then of the body
before, and so on. So the parameters that are left are base parameters, the fewest possible.

Example: the waist of a PUMA 560 turns about a vertical axis. No joint is before it and gravity is
along its axis, so it observes only Jzz and the motor inertia, and these only as a sum. Its eleven
parameters become one, JzzR = Jzz + Ia + the inertia that the bodies after it have passed on.

Unobservable for all motions of the bodies before. Let P be the body's pseudo-inertia, the integral
of x x^T dm with x = (position, 1), and G the generator of the joint's motion. L does not depend on
the joint if and only if G P = 0. The unobservable parameters are:

    revolute joint    m, mz and Szz
    prismatic joint   all second moments
    helical joint     Szz

Szz is the integral of z^2 dm; a unit of Szz is a unit of both Jxx and Jyy.

More is unobservable if the bodies before cannot make all motions. `AxisMotion` determines that. The
cases are those of M. Gautier and W. Khalil, "Direct calculation of minimum set of inertial
parameters of serial robots", IEEE Transactions on Robotics and Automation 6 (1990), and three more:
motor inertias, axes that meet in a point without gravity, and helical joints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import partial
from itertools import dropwhile

from dynagen.numbers.exact import ONE, ZERO, Exact, is_zero
from dynagen.robot.model.model import BASE, Body, InertialParameters, Placement, RobotModel
from dynagen.robot.pose import IDENTITY, ORIGIN, Pose, Vector, add, cross, dot

_X, _Y, _Z = IDENTITY.rotation
_RESOLVED = Fraction(1, 10**15)
"""Tolerance: directions and lengths (m) with a smaller difference are equal in double precision."""


class AxisMotion:
    """The motions of a body's joint axis that the joints before it can make.

    The properties hold in all positions, although they are determined with all joints at zero.
    Directions that are parallel there stay parallel if all rotations before are about this
    direction. Lines that meet in a point stay in this point if all joints before rotate about it.

    All poses and directions are in the frame of the body with its joint at zero; its z axis is the
    joint axis. "Parallel" includes opposite directions. "Before" means between the body and the
    base.
    """

    def __init__(self, model: RobotModel, index: int) -> None:
        """Collect the joints between a body and the base.

        Args:
            model: the robot.
            index: index of the body.
        """
        self._rotations: list[Pose] = []  # frames of the joints before that rotate
        self._pitches: list[Exact] = []  # and their translations per rotation (m/rad)
        self._translations: list[Vector] = []  # directions of the joints before that translate
        self._velocities_along: list[tuple[Exact, Exact]] = []  # see `velocities_along`
        self._are_rotations_parallel = True
        self._is_weightless = all(_vanishes(component) for component in model.gravity)
        self._gravity: Vector | None = None  # None: its direction is not constant in the body
        # From the nearest joint towards the base, and no further than necessary: exact poses of
        # distant bodies are very long numbers.
        pose = model.bodies[index].placement.pose.inverse
        for body in (
            model.bodies[before] for before in model.path_to_base(model.bodies[index].parent)
        ):
            if body.is_free:
                self._add_free_motion(pose)
                return
            if body.angular:
                self._rotations.append(pose)
                self._pitches.append(body.linear / body.angular)
                self._are_rotations_parallel &= _are_parallel(
                    pose.z_axis, self._rotations[0].z_axis
                )
            if body.linear:
                self._translations.append(pose.z_axis)
            cosine = pose.z_axis[2]
            self._velocities_along.append((body.angular * cosine, body.linear * cosine))
            if not self._are_rotations_parallel and self.central_point is None:
                return  # no property holds any more, for all joints that may come
            pose = pose @ body.placement.pose.inverse
        self._gravity = pose.rotate(model.gravity)

    def _add_free_motion(self, pose: Pose) -> None:
        """Add a floating body: rotation about and translation along three axes, any gravity."""
        self._is_weightless = self._are_rotations_parallel = False
        # Cyclic exchanges of the axes, so that each axis is the z axis once.
        for exchanged in ((_X, _Y, _Z), (_Y, _Z, _X), (_Z, _X, _Y)):
            axis = pose @ Pose(exchanged, ORIGIN)
            self._rotations.append(axis)
            self._pitches.append(ZERO)
            self._translations.append(axis.z_axis)
        self._velocities_along += [(ONE, ZERO), (ZERO, ONE)]

    @property
    def keeps_direction(self) -> bool:
        """Whether no joint before rotates the axis, except about a parallel axis."""
        return all(_are_parallel(rotation.z_axis, _Z) for rotation in self._rotations)

    @property
    def keeps_line(self) -> bool:
        """Whether no joint before moves the axis, except along itself."""
        on_axis = (_are_parallel(rotation.translation, _Z) for rotation in self._rotations)
        return (
            self.keeps_direction
            and all(on_axis)
            and all(_are_parallel(along, _Z) for along in self._translations)
        )

    @property
    def is_gravity_along(self) -> bool:
        """Whether gravity is parallel to the axis, or zero."""
        return self._is_weightless or (
            self._gravity is not None and _are_parallel(self._gravity, _Z)
        )

    @property
    def is_gravity_across(self) -> bool:
        """Whether gravity is perpendicular to the axis, or zero."""
        return self._gravity is not None and _vanishes(self._gravity[2])

    @property
    def is_rotated_across(self) -> bool:
        """Whether all rotations before are perpendicular to the axis.

        The angular velocity of the body about its axis is then made by its own joint alone.
        """
        return self._are_rotations_parallel and all(
            _vanishes(rotation.z_axis[2]) for rotation in self._rotations
        )

    @property
    def translates_along(self) -> bool:
        """Whether a joint before translates along the axis; valid if `keeps_direction`."""
        return not all(_vanishes(along[2]) for along in self._translations)

    @property
    def velocities_along(self) -> tuple[Exact, Exact] | None:
        """Velocities of the axis about and along itself, made by the joints before.

        Valid if `keeps_direction`. Only the ratio of the two numbers has a meaning.

        Returns:
            Angular velocity (rad) and linear velocity (m) per unit of a joint's velocity; zeros if
            no joint before makes such a motion; None if the ratio differs between the joints.
        """
        moving = [pair for pair in self._velocities_along if not all(map(_vanishes, pair))]
        if not moving:
            return ZERO, ZERO
        angular, linear = moving[0]
        if not all(_vanishes(angular * other[1] - linear * other[0]) for other in moving):
            return None
        return ZERO if _vanishes(angular) else angular, ZERO if _vanishes(linear) else linear

    @property
    def rotation_direction(self) -> Vector | None:
        """The direction that all joints before rotate about; None if there is not exactly one."""
        if not self._rotations or not self._are_rotations_parallel:
            return None
        return self._rotations[0].z_axis

    @property
    def central_point(self) -> tuple[Exact, Exact] | None:
        """The point in which all axes of rotation before meet the joint axis.

        It exists only without gravity, and if no joint before is prismatic. If all joints before
        are revolute, the point stays in its place. If some are helical, the point moves with
        velocity v = h w across the axis, where h is their pitch: then all axes must be one line
        with one pitch, perpendicular to the joint axis, except revolute joints next to the body
        that turn about the joint axis itself.

        Returns:
            Height of the point on the joint axis (m) and the pitch h (m/rad), zero for revolute
            joints; None if there is no such point, or if the joints before do not rotate the axis.
        """
        only_rotate = len(self._translations) == sum(map(bool, self._pitches))
        if self.keeps_direction or not only_rotate or not self._is_weightless:
            return None
        across = next(
            rotation for rotation in self._rotations if not _are_parallel(rotation.z_axis, _Z)
        )
        # Height on the joint axis (through the origin, along z) of the point nearest to the other
        # axis, for two lines p = height z and p = translation + s z_axis with normal z x z_axis.
        normal = cross(_Z, across.z_axis)
        height = dot(cross(across.translation, across.z_axis), normal) / dot(normal, normal)
        # All axes must pass through this point: lever arms from it are parallel to the axes.
        levers = (
            (add(rotation.translation, (ZERO, ZERO, -height)), rotation.z_axis)
            for rotation in self._rotations
        )
        if not all(_are_parallel(lever, axis) for lever, axis in levers):
            return None
        screws = zip(self._rotations, self._pitches, strict=True)
        beyond = list(
            dropwhile(lambda screw: not screw[1] and _are_parallel(screw[0].z_axis, _Z), screws)
        )
        line, pitch = beyond[0]
        is_one_screw = _vanishes(line.z_axis[2]) and all(
            other == pitch and _are_parallel(rotation.z_axis, line.z_axis)
            for rotation, other in beyond
        )
        return (height, pitch) if is_one_screw or not any(self._pitches) else None


def _are_parallel(left: Vector, right: Vector) -> bool:
    return all(_vanishes(component) for component in cross(left, right))


def _vanishes(number: Exact) -> bool:
    return number.is_known and abs(number) < _RESOLVED


INERTIAL_PARAMETERS = ("m", "mx", "my", "mz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")
MOTOR_INERTIA = "Ia"
PARAMETERS = (*INERTIAL_PARAMETERS, MOTOR_INERTIA)
"""A body's parameters: mass, first moments and inertia about the origin, in the body's frame, and
the motor inertia."""

Combination = Mapping[str, Exact]
"""Coefficients by names of `PARAMETERS`; parameters without an entry have the coefficient zero."""

_HALF = Exact(Fraction(1, 2))
_FIRST_MOMENTS = ("mx", "my", "mz")


class Gauge(Enum):
    """The quantity of a rotating body that regrouping makes zero.

    Any multiple of diag(1, 1, 0) may be taken from the inertia, as Szz is unobservable. The choice
    does not change joint forces, but the number of operations. Example, with Szz moved to the
    parent:

        (Jxx, Jyy, Jzz) = (5, 2, 4)
        JYY             -> (3,  0, 4)        Szz of 2 moved
        JXX             -> (0, -3, 4)        Szz of 5 moved
        PSEUDO_INERTIA  -> (3.5, 0.5, 4)     Szz of (5 + 2 - 4)/2 = 1.5 moved, so that Jxx + Jyy =
        Jzz
    """

    JYY = "Jyy"
    JXX = "Jxx"
    PSEUDO_INERTIA = "entry zz of the second moments, (Jxx + Jyy - Jzz)/2"


# How much of the change Jxx = Jyy = 1 is in the parameters, so that removing it makes the quantity
# zero.
_MEASURE: dict[Gauge, Combination] = {
    Gauge.JYY: {"Jyy": ONE},
    Gauge.JXX: {"Jxx": ONE},
    Gauge.PSEUDO_INERTIA: {"Jxx": _HALF, "Jyy": _HALF, "Jzz": -_HALF},
}


@dataclass(frozen=True)
class Unobservable:
    """A change of a body's parameters that its joint cannot observe.

    Attributes:
        change: the parameters that change.
        amount: linear function of the parameters that measures how much of the change they contain.
            It is one for the change itself. Regrouping makes it zero.
    """

    change: Combination
    amount: Combination

    def in_parent(self, placement: Placement) -> Combination:
        """Return the change of the parent's parameters with the same effect.

        Args:
            placement: placement of the body in the parent's frame.
        """
        return seen_from(placement.pose, self.change)


MovableChanges = Callable[[int, Gauge], tuple[tuple[Unobservable, Combination], ...]]
"""Function from a body's index and its gauge to its unobservable changes, each with the change of
the parent that has the same effect."""


def regroup(
    model: RobotModel,
    gauges: Sequence[Gauge | None] | None = None,
    movable: MovableChanges | None = None,
) -> RobotModel:
    """Move unobservable inertia to the parent bodies, from the last body to the first.

    Args:
        model: the robot.
        gauges: one for each body; None keeps the parameters of a body. By default `Gauge.JYY` for
            all bodies.
        movable: `movable_changes` of this model, for callers that cache its results.

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
    """Return whether placements, joint motions and gravity have no run-time parameters.

    Only then is it known which parameters the joints cannot observe.
    """
    return all(number.is_known for number in model.geometry)


def move_inward(
    model: RobotModel,
    parameters: list[list[list[Exact]]],
    gauges: Sequence[Gauge | None] | None = None,
    movable: MovableChanges | None = None,
) -> None:
    """Regroup any number of parameter sets at once, in place.

    Args:
        model: the robot; its own inertial data have no effect.
        parameters: a table for each body, with a row for each of `PARAMETERS` and a column for each
            parameter set.
        gauges: as for `regroup`.
        movable: as for `regroup`.
    """
    movable = movable or partial(movable_changes, model)
    # From the tips to the base: a body receives all inertia of its children before its own
    # unobservable inertia is moved on.
    for index, body in model.inward():
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


def movable_changes(
    model: RobotModel, index: int, gauge: Gauge
) -> tuple[tuple[Unobservable, Combination], ...]:
    """Return the changes that a body's joint cannot observe, each with its equal in the parent.

    They depend on the geometry of the robot only, and not on its inertial data.

    Args:
        model: the robot.
        index: index of the body.
        gauge: the quantity that becomes zero if the joint rotates.
    """
    placement = model.bodies[index].placement
    return tuple(
        (change, change.in_parent(placement))
        for change in unobservable_changes(model, index, gauge)
    )


def unobservable_changes(
    model: RobotModel, index: int, gauge: Gauge = Gauge.JYY
) -> tuple[Unobservable, ...]:
    """Return a basis of the changes that the joint of a body cannot observe.

    The amount of each later change in an earlier one is zero, so that they can be removed in order.

    Notation of the comments: in axes in front of the joint, with z along it, w is the angular
    velocity of the body before, and v the velocity of that body at the joint. Then the body's
    angular velocity is W = w + angular qd z, and its origin moves with V = v + linear (q w x z + qd
    z).

    Args:
        model: the robot.
        index: index of the body.
        gauge: the quantity that becomes zero if the joint rotates.
    """
    body, axis = model.bodies[index], AxisMotion(model, index)
    if body.is_free:
        return ()  # six free motions observe all inertia, and the base cannot receive any
    if not body.angular:
        return _find_of_prismatic(body, axis)
    return _find_of_rotating(body, axis, gauge)


def _find_of_rotating(body: Body, axis: AxisMotion, gauge: Gauge) -> tuple[Unobservable, ...]:
    """Return the changes that a revolute or helical joint cannot observe."""
    changes = []
    if body.linear and axis.keeps_direction and axis.is_gravity_across:
        changes += _find_along_screw(body, axis.velocities_along)
    elif axis.is_rotated_across:
        # W_z = angular qd, so that Jzz and the motor inertia have proportional energies.
        changes.append(_exchange_motor("Jzz", body.angular))
    if not body.linear:
        changes.append(_single("m"))
    if axis.keeps_direction:
        # W is along z: of the inertia only Jzz has kinetic energy. First moments s have V . (W x
        # s), which is zero for mz.
        changes += [_single(name) for name in ("mz", "Jxx", "Jyy", "Jxy", "Jxz", "Jyz")]
        if axis.keeps_line and axis.is_gravity_along:
            changes += [_single("mx"), _single("my")]
        return tuple(changes)
    if not body.linear:
        changes.append(_single("mz"))
    changes.append(Unobservable({"Jxx": ONE, "Jyy": ONE}, _MEASURE[gauge]))
    if not body.linear and (point := axis.central_point) is not None:
        # About a point with v = h w, first moments s across the axis have the energy h qd w . (z x
        # s). Products of inertia have the energy qd w . J z. The sum is zero if (Jxz, Jyz) = -h z x
        # s. The height moves the products to the body's origin (parallel axis theorem).
        height, pitch = point
        changes.append(Unobservable({"mx": ONE, "Jxz": -height, "Jyz": -pitch}, {"mx": ONE}))
        changes.append(Unobservable({"my": ONE, "Jyz": -height, "Jxz": pitch}, {"my": ONE}))
    return tuple(changes)


def _find_along_screw(body: Body, velocities: tuple[Exact, Exact] | None) -> list[Unobservable]:
    """Return the changes that a helical joint cannot observe if w is along z and gravity across it.

    All joints before make w_z = w x and v_z = v x with one velocity x. The energies that depend on
    the joint are

        Jzz W_z^2/2   Jzz (angular w x qd + angular^2 qd^2/2)
        m V_z^2/2     m (linear v x qd + linear^2 qd^2/2)
        motor         Ia qd^2/2

    These are three parameters, but two functions, x qd and qd^2. A change is unobservable if the
    factors of both functions are zero.

    Args:
        body: the body of the helical joint.
        velocities: `AxisMotion.velocities_along`, (w, v).
    """
    if velocities is None:
        return []
    # The factor of x qd is zero for Jzz = linear v and m = -angular w. The factor of qd^2 is then
    # zero for this Ia.
    inertia, mass = body.linear * velocities[1], -body.angular * velocities[0]
    motor = -(inertia * body.angular**2 + mass * body.linear**2)
    if not inertia and not mass:  # x qd has no factor: one function, and two unobservable changes
        return [
            _exchange_motor("m", body.linear),
            Unobservable({"Jzz": ONE, "m": -((body.angular / body.linear) ** 2)}, {"Jzz": ONE}),
        ]
    if is_zero(motor):
        return [Unobservable({"Jzz": ONE, "m": mass / inertia}, {"Jzz": ONE})]
    change = {MOTOR_INERTIA: ONE, "Jzz": inertia / motor, "m": mass / motor}
    return [
        Unobservable(
            {name: factor for name, factor in change.items() if factor}, {MOTOR_INERTIA: ONE}
        )
    ]


def _find_of_prismatic(body: Body, axis: AxisMotion) -> tuple[Unobservable, ...]:
    """Return the changes that a prismatic joint cannot observe."""
    changes = []
    if axis.keeps_direction and axis.is_gravity_across and not axis.translates_along:
        # V_z is linear qd, so that the kinetic energy m V_z^2/2 is proportional to the motor's.
        changes.append(_exchange_motor("m", body.linear))
    # W = w: the energy of second moments does not depend on the joint.
    changes += [_single(name) for name in ("Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")]
    if axis.keeps_direction:
        changes += [_single(name) for name in _FIRST_MOMENTS]
    elif (direction := axis.rotation_direction) is not None:
        # First moments s have the energy V . (w x s), zero for s along the only direction of w.
        changes.append(_first_moment_along(direction))
    return tuple(changes)


def seen_from(pose: Pose, parameters: Combination) -> Combination:
    """Return inertial parameters in another frame A, without a motor inertia.

    Args:
        pose: pose of the parameters' frame in A.
        parameters: the parameters in their own frame.
    """
    in_frame = _inertial_parameters(parameters).seen_from(pose)
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


def _single(name: str) -> Unobservable:
    """Return the change of one parameter alone."""
    return Unobservable({name: ONE}, {name: ONE})


def _exchange_motor(name: str, velocity: Exact) -> Unobservable:
    """Return the exchange of a motor inertia for a parameter that moves with `velocity` qd.

    The energies Ia qd^2/2 and parameter (velocity qd)^2/2 cancel.
    """
    return Unobservable({MOTOR_INERTIA: ONE, name: -(ONE / velocity**2)}, {MOTOR_INERTIA: ONE})


def _first_moment_along(direction: Vector) -> Unobservable:
    """Return the change of first moments along a direction, measured by its last component."""
    components = {
        name: x for name, x in zip(_FIRST_MOMENTS, direction, strict=True) if not is_zero(x)
    }
    last = list(components)[-1]
    return Unobservable(
        {name: x / components[last] for name, x in components.items()} | {last: ONE}, {last: ONE}
    )


def _add_multiples(
    table: list[list[Exact]], combination: Combination, amounts: Sequence[Exact]
) -> None:
    """Add a combination to each column of a table, times the column's amount, in place."""
    for name, coefficient in combination.items():
        row = table[PARAMETERS.index(name)]
        row[:] = [
            number + coefficient * amount if amount else number
            for number, amount in zip(row, amounts, strict=True)
        ]
