"""Regrouping: inertia that a joint cannot observe is moved to the parent body; which motions of axes decide it.

Axis motion: how the joints before a body can move its joint's axis. RobotModel -> answers that hold in every position.

They are read off with all joints at zero. Directions that are parallel there are so in every position as long as all rotations
before are about that direction, and lines that meet in a point which all joints before rotate about keep meeting there.

Regrouping: what a joint cannot observe of its body's inertia is moved to the body before it. RobotModel -> RobotModel.

The force of joint j is d/dt dL/dqd_j - dL/dq_j, and the Lagrangian L is linear in inertial parameters. The body's own joint
cannot observe a change of its ten parameters and its motor's inertia if the change's part of L depends neither on q_j nor on
qd_j, whatever the bodies before do. Then that part is what it is with the joint at rest in its zero position, where the body
is a part of its parent: so the change may be moved to the parent, and no joint force differs. Every change without any effect
is made of such steps (take away its last body, and so on), hence what is left are base parameters, the fewest there can be.

With P the body's pseudo-inertia (the integral of x x^T dm, x = (position, 1)) and G the generator of the joint's motion, L
does not depend on the joint for all motions of the bodies before if and only if G P = 0: that is m, mz and Szz = integral of
z^2 dm where the joint rotates, all second moments where it translates, Szz alone where it does both. Szz = 1 is Jxx = Jyy = 1.

More is not observable where the bodies before move so little that not every motion exists, as `axis_motion` tells. The cases
are those of M. Gautier and W. Khalil, "Direct calculation of minimum set of inertial parameters of serial robots", IEEE
Transactions on Robotics and Automation 6 (1990), and three more: motors' inertias, axes that meet in a point without gravity,
helical joints.
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
"""Directions that differ by less are the same for whoever computes in double, lengths (m) are zero."""


class AxisMotion:
    """The motion of a body's joint axis by the joints before; parallel means parallel or opposite.

    Poses and directions are in the axes of the body with its joint at zero, whose z axis the joint's is. The bodies before it
    are looked at from the nearest one on, and no further than it takes: exact poses of distant bodies are very long numbers.
    """

    def __init__(self, model: RobotModel, index: int) -> None:
        """Look at the joints between a body and the base.

        Args:
            model: the robot.
            index: position of the body.
        """
        self._rotations: list[Pose] = []
        self._pitches: list[Exact] = []
        self._translations: list[Vector] = []
        self._rates_along: list[tuple[Exact, Exact]] = []
        self._are_rotations_parallel = True
        self._is_weightless = all(_vanishes(component) for component in model.gravity)
        self._gravity: Vector | None = None
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
            self._rates_along.append((body.angular * cosine, body.linear * cosine))
            if not self._are_rotations_parallel and self.central_point is None:
                return  # nothing holds in every position, whatever comes before
            pose = pose @ body.placement.pose.inverse
        self._gravity = pose.rotate(model.gravity)

    def _add_free_motion(self, pose: Pose) -> None:
        """A floating body before: it rotates about all of its axes, and translates along them; gravity may point anywhere."""
        self._is_weightless = self._are_rotations_parallel = False
        for exchanged in (
            (_X, _Y, _Z),
            (_Y, _Z, _X),
            (_Z, _X, _Y),
        ):  # in cycles, so that z becomes every axis once
            axis = pose @ Pose(exchanged, ORIGIN)
            self._rotations.append(axis)
            self._pitches.append(ZERO)
            self._translations.append(axis.z_axis)
        self._rates_along += [(ONE, ZERO), (ZERO, ONE)]

    @property
    def keeps_direction(self) -> bool:
        """No joint before rotates the axis."""
        return all(_are_parallel(rotation.z_axis, _Z) for rotation in self._rotations)

    @property
    def keeps_line(self) -> bool:
        """No joint before moves the axis, other than along itself."""
        on_axis = (_are_parallel(rotation.translation, _Z) for rotation in self._rotations)
        return (
            self.keeps_direction
            and all(on_axis)
            and all(_are_parallel(along, _Z) for along in self._translations)
        )

    @property
    def is_gravity_along(self) -> bool:
        """Gravity, if there is any, is parallel to the axis."""
        return self._is_weightless or (
            self._gravity is not None and _are_parallel(self._gravity, _Z)
        )

    @property
    def is_gravity_across(self) -> bool:
        """Gravity, if there is any, is at a right angle to the axis."""
        return self._gravity is not None and _vanishes(self._gravity[2])

    @property
    def is_rotated_across(self) -> bool:
        """All rotations before are always at a right angle to the axis: the body's rate about it is the joint's own."""
        return self._are_rotations_parallel and all(
            _vanishes(rotation.z_axis[2]) for rotation in self._rotations
        )

    @property
    def translates_along(self) -> bool:
        """A joint before translates along the axis, of which all keep the direction."""
        return not all(_vanishes(along[2]) for along in self._translations)

    @property
    def rates_along(self) -> tuple[Exact, Exact] | None:
        """Rates of rotation about the axis and of translation along it that joints before give, if all keep its direction.

        They are in one ratio, which is all that counts; both zero if there are none, None if there are several ratios.
        """
        moving = [rates for rates in self._rates_along if not all(map(_vanishes, rates))]
        if not moving:
            return ZERO, ZERO
        rotation, translation = moving[0]
        if not all(_vanishes(rotation * other[1] - translation * other[0]) for other in moving):
            return None
        return ZERO if _vanishes(rotation) else rotation, ZERO if _vanishes(
            translation
        ) else translation

    @property
    def rotation_direction(self) -> Vector | None:
        """The one direction that everything before rotates about, in the body's axes; None if there is none or are several."""
        if not self._rotations or not self._are_rotations_parallel:
            return None
        return self._rotations[0].z_axis

    @property
    def central_point(self) -> tuple[Exact, Exact] | None:
        """The point where all axes of rotation before meet the axis, if there is no weight and no joint only translates.

        Returns:
            Height of the point on the axis (m), and the pitch h (m/rad) with which it moves: v = h w across the axis. The
            pitch is zero where all joints before only rotate. Otherwise their axes have to be one line with one pitch, at a
            right angle to the body's, but for those next to the body that rotate about its axis. None if it is not so, or if
            the joints before do not rotate the axis.
        """
        only_rotate = len(self._translations) == sum(map(bool, self._pitches))
        if self.keeps_direction or not only_rotate or not self._is_weightless:
            return None
        across = next(
            rotation for rotation in self._rotations if not _are_parallel(rotation.z_axis, _Z)
        )
        normal = cross(_Z, across.z_axis)
        height = dot(cross(across.translation, across.z_axis), normal) / dot(normal, normal)
        levers = (
            (add(rotation.translation, (ZERO, ZERO, -height)), rotation.z_axis)
            for rotation in self._rotations
        )
        if not all(_are_parallel(lever, axis) for lever, axis in levers):
            return None
        screws = zip(self._rotations, self._pitches, strict=True)
        beyond = list(
            dropwhile(lambda each: not each[1] and _are_parallel(each[0].z_axis, _Z), screws)
        )
        line, pitch = beyond[0]
        is_one_screw = _vanishes(line.z_axis[2]) and all(
            each == pitch and _are_parallel(rotation.z_axis, line.z_axis)
            for rotation, each in beyond
        )
        return (height, pitch) if is_one_screw or not any(self._pitches) else None


def _are_parallel(left: Vector, right: Vector) -> bool:
    return all(_vanishes(component) for component in cross(left, right))


def _vanishes(number: Exact) -> bool:
    return number.is_known and abs(number) < _RESOLVED


INERTIAL_PARAMETERS = ("m", "mx", "my", "mz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")
MOTOR_INERTIA = "Ia"
PARAMETERS = (*INERTIAL_PARAMETERS, MOTOR_INERTIA)
"""A body's parameters: mass, first moments and inertia about the origin in its body axes, and its motor's inertia."""

Combination = Mapping[str, Exact]
"""Coefficients of a body's parameters; those left out are zero."""

_HALF = Exact(Fraction(1, 2))
_FIRST_MOMENTS = ("mx", "my", "mz")


class Gauge(Enum):
    """The parameters that become zero by the choice of Szz, a multiple of diag(1, 1, 0) in the inertia of a body that rotates.

    Any choice gives the same joint forces; which one saves most depends on what the body's inertia and its motion have left.
    """

    JYY = "Jyy"
    JXX = "Jxx"
    PSEUDO_INERTIA = "entry zz of the second moments, (Jxx + Jyy - Jzz)/2"


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
        amount: how much of the change there is in given parameters; one for the change itself.
    """

    change: Combination
    amount: Combination

    def in_parent(self, placement: Placement) -> Combination:
        """The change of the parent's parameters that has the same effect, for a body placed so in its parent's frame."""
        return seen_from(placement.pose, self.change)


Movable = Callable[[int, Gauge], tuple[tuple[Unobservable, Combination], ...]]


def regroup(
    model: RobotModel, gauges: Sequence[Gauge | None] | None = None, movable: Movable | None = None
) -> RobotModel:
    """Move what joints cannot observe to the bodies before, from the last body to the first.

    Args:
        model: the robot.
        gauges: one for every body; None leaves a body's parameters with it. By default `Gauge.JYY` for all.
        movable: `movable_changes` of this model, from whoever regroups it often and keeps them.

    Returns:
        A model with the same joint forces, and zeros among the bodies' inertial parameters and motor inertias.
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
    """Whether no run-time parameter places a joint or directs gravity, so that it is known what joints cannot observe."""
    return all(number.is_known for number in model.geometry)


def move_inward(
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
    # From the tips to the base: a body has all that is handed over to it before what its own joint cannot observe is moved on.
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
            if body.parent != BASE:
                _add_multiples(parameters[body.parent], in_parent, amounts)


def movable_changes(
    model: RobotModel, index: int, gauge: Gauge
) -> tuple[tuple[Unobservable, Combination], ...]:
    """The changes that a body's joint cannot observe, and what they are for the parent; they depend on the geometry alone."""
    placement = model.bodies[index].placement
    return tuple(
        (each, each.in_parent(placement)) for each in unobservable_changes(model, index, gauge)
    )


def unobservable_changes(
    model: RobotModel, index: int, gauge: Gauge = Gauge.JYY
) -> tuple[Unobservable, ...]:
    """A basis of the changes that the joint of a body cannot observe, each without any amount of those before it.

    In axes in front of the joint, with z along it, let w be the angular velocity of the body before, and v the velocity of
    that body where the joint begins. Then W = w + angular qd z and, at the body's origin, V = v + linear (q w x z + qd z).
    """
    body, axis = model.bodies[index], AxisMotion(model, index)
    if body.is_free:
        return ()  # it observes all of its inertia, and there is nothing before it to move anything to
    if not body.angular:
        return _of_translation(body, axis)
    return _of_rotation(body, axis, gauge)


def _of_rotation(body: Body, axis: AxisMotion, gauge: Gauge) -> tuple[Unobservable, ...]:
    """Changes that a joint cannot observe which rotates, and may translate besides."""
    changes = []
    if body.linear and axis.keeps_direction and axis.is_gravity_across:
        changes += _along_screw(body, axis.rates_along)
    elif axis.is_rotated_across:
        changes.append(_motor_as("Jzz", body.angular))
    if not body.linear:
        changes.append(_only("m"))
    if axis.keeps_direction:
        # W is along z: of the inertia only Jzz has energy, and of the first moments s, with V . (W x s), mz has none.
        changes += [_only(name) for name in ("mz", "Jxx", "Jyy", "Jxy", "Jxz", "Jyz")]
        if axis.keeps_line and axis.is_gravity_along:
            changes += [_only("mx"), _only("my")]
        return tuple(changes)
    if not body.linear:
        changes.append(_only("mz"))
    changes.append(Unobservable({"Jxx": ONE, "Jyy": ONE}, _MEASURE[gauge]))
    if not body.linear and (point := axis.central_point) is not None:
        # About a point with v = h w, first moments s across the axis have the energy h qd w . (z x s), and products of inertia
        # qd w . J z, which cancels it if (Jxz, Jyz) = -h z x s. The height is for the parallel axis theorem, to the origin.
        height, pitch = point
        changes.append(Unobservable({"mx": ONE, "Jxz": -height, "Jyz": -pitch}, {"mx": ONE}))
        changes.append(Unobservable({"my": ONE, "Jyz": -height, "Jxz": pitch}, {"my": ONE}))
    return tuple(changes)


def _along_screw(body: Body, rates: tuple[Exact, Exact] | None) -> list[Unobservable]:
    """Changes that a helical joint cannot observe, where w is along z and gravity across it.

    With w_z = w x and v_z = v x for one rate x, the joint observes of Jzz W_z^2/2 the part angular w x qd + angular^2 qd^2/2,
    of m V_z^2/2 the part linear v x qd + linear^2 qd^2/2, of its motor qd^2/2: three parameters, two functions of x and qd.
    """
    if rates is None:
        return []
    inertia, mass = body.linear * rates[1], -body.angular * rates[0]
    motor = -(inertia * body.angular**2 + mass * body.linear**2)
    if not inertia and not mass:
        return [
            _motor_as("m", body.linear),
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


def _of_translation(body: Body, axis: AxisMotion) -> tuple[Unobservable, ...]:
    """Changes that a prismatic joint cannot observe: W = w, so that no energy of second moments depends on the joint."""
    changes = []
    if axis.keeps_direction and axis.is_gravity_across and not axis.translates_along:
        # V_z is linear qd, so that the kinetic energy m V^2/2 is proportional to the motor's.
        changes.append(_motor_as("m", body.linear))
    changes += [_only(name) for name in ("Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")]
    if axis.keeps_direction:
        changes += [_only(name) for name in _FIRST_MOMENTS]
    elif (direction := axis.rotation_direction) is not None:
        # The energy of a first moment s is V . (w x s), and zero where s is along the one direction of w.
        changes.append(_first_moment_along(direction))
    return tuple(changes)


def seen_from(pose: Pose, parameters: Combination) -> Combination:
    """Inertial parameters in frame A, where `pose` is their own frame in A; a motor's inertia is not among them."""
    moved = _inertial_parameters(parameters).seen_from(pose)
    numbers = zip(
        INERTIAL_PARAMETERS, (moved.mass, *moved.first_moment, *moved.inertia), strict=True
    )
    return {name: number for name, number in numbers if number}


def _inertial_parameters(values: Combination) -> InertialParameters:
    m, mx, my, mz, *inertia = (values.get(name, ZERO) for name in INERTIAL_PARAMETERS)
    jxx, jyy, jzz, jxy, jxz, jyz = inertia
    return InertialParameters(m, (mx, my, mz), (jxx, jyy, jzz, jxy, jxz, jyz))


def _only(name: str) -> Unobservable:
    return Unobservable({name: ONE}, {name: ONE})


def _motor_as(name: str, rate: Exact) -> Unobservable:
    """A motor's inertia in exchange for another parameter, whose velocity is `rate` qd: both energies are Ia qd^2/2."""
    return Unobservable({MOTOR_INERTIA: ONE, name: -(ONE / rate**2)}, {MOTOR_INERTIA: ONE})


def _first_moment_along(direction: Vector) -> Unobservable:
    """A first moment along a direction, measured by its last component that is not zero."""
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
    for name, coefficient in combination.items():
        row = table[PARAMETERS.index(name)]
        row[:] = [
            number + coefficient * amount if amount else number
            for number, amount in zip(row, amounts, strict=True)
        ]
