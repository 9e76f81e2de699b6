"""Frames: the axes in which every body is resolved, its constants there, and the motion of a floating base.

The floating base: the first body of a robot, that moves freely -> gravity in its axes, and its acceleration.

The motion of the base and its forces are given in its own axes. So its position never enters dynamics, and its orientation,
the unit quaternion (x, y, z, w), enters through gravity alone: R^T up for the direction up, 12 operations where gravity is
along an axis of the world, and not the nine elements of R. Forward dynamics uses gravity only in its last step: all bodies
fall alike, so that it is solved for the acceleration relative to free fall (R. Featherstone, Rigid Body Dynamics Algorithms,
2008, section 9.3, treats gravity in the same way).

Frames: the axes in which every body is resolved, the rotations between them, and the body's constants there.

A body that is resolved in axes from which only the joint's rotation leads to its body axes pays in a chain of parallel joints:
vectors need no rotation there, and the constants of the bodies are rotated instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.recording import (
    BodyAxes,
    JointMotion,
    Recording,
    ResolvedBody,
    number_entries,
)
from dynagen.dynamics.algorithms.rotations import Rotation, along_axis
from dynagen.dynamics.candidate import BodyChoice, Candidate
from dynagen.dynamics.recording import Quantity, Recorder, formula, vector
from dynagen.ir.symbols import MATRIX, SCALAR, TENSOR, VECTOR, Symbol
from dynagen.robot.model.model import BASE, Body

UP = Symbol(
    "up", "i", VECTOR, "opposite of the acceleration of gravity, in the axes of body i", "m/s^2"
)

LINEAR, ANGULAR = slice(0, 3), slice(3, 6)
"""The entries of v of a floating joint."""


@formula
def twice_across(x: Expr, y: Expr, z: Expr, vector: Matrix) -> Matrix:
    """Twice the vector product of the quaternion's vector part with a vector: t = 2 (x, y, z) x u."""
    return 2 * Matrix([x, y, z]).cross(vector)


@formula
def rotated_back(x: Expr, y: Expr, z: Expr, w: Expr, vector: Matrix, twice: Matrix) -> Matrix:
    """Components after the rotation of a unit quaternion, from those before it: R^T u = u - w t + (x, y, z) x t."""
    return vector - w * twice + Matrix([x, y, z]).cross(twice)


@formula
def rotation_of(x: Expr, y: Expr, z: Expr, w: Expr) -> Matrix:
    """The rotation matrix of a unit quaternion, with x^2 + y^2 + z^2 + w^2 = 1 in its diagonal (Euler and Rodrigues)."""
    xx, yy, zz, wx, wy, wz = (
        2 * (left * right) for left, right in ((x, x), (y, y), (z, z), (w, x), (w, y), (w, z))
    )
    xy, xz, yz = 2 * (x * y), 2 * (x * z), 2 * (y * z)
    return Matrix(
        [
            [1 - (yy + zz), xy - wz, xz + wy],
            [xy + wz, 1 - (xx + zz), yz - wx],
            [xz - wy, yz + wx, 1 - (xx + yy)],
        ]
    )


@formula
def origin_acceleration(up: Matrix, w: Matrix, v: Matrix, change: Matrix) -> Matrix:
    """Acceleration of the base's origin, less gravity, in the axes of the base: dv/dt + w x v + up."""
    return change + w.cross(v) + up


@formula
def acceleration_from_fall(acceleration: Matrix, up: Matrix, w: Matrix, v: Matrix) -> Matrix:
    """dv/dt of an acceleration of the origin, less gravity: `origin_acceleration` solved for it."""
    return acceleration - up - w.cross(v)


def record_up(recording: Recording) -> Quantity:
    """Record the opposite of gravity in the axes of the base (m/s^2)."""
    up = recording.constant(*(-component for component in recording.model.gravity))
    x, y, z, w = base_quaternion(recording)
    return rotated_back(x, y, z, w, up, twice_across(x, y, z, up))


def record_base_rotation(recording: Recording) -> Quantity:
    """Record the rotation matrix of the base; for kinematics, where all of it is used."""
    return rotation_of(*base_quaternion(recording))


def base_position(recording: Recording) -> Quantity:
    """Return the position of the base in the base frame (m)."""
    return vector(recording.element("q", index) for index in range(3))


def base_quaternion(recording: Recording) -> Quantity:
    """Return the quaternion x, y, z, w of the base: entries of q behind the position."""
    return vector(recording.element("q", index) for index in range(3, 7))


def motion_in_fall(recording: Recording) -> JointMotion:
    """Return the motion without joint accelerations that forward dynamics starts from; on a floating base as in free fall.

    The base then has no velocity at its origin: without acceleration of the base there is none in its axes either.
    """
    velocities = recording.velocities
    if not recording.model.floats:
        return JointMotion(velocities, recording.zeros)
    return JointMotion(
        (*recording.zeros[LINEAR], *velocities[ANGULAR.start :]), recording.zeros, gravity=False
    )


def record_accelerations(
    recording: Recording, from_fall: Sequence[Quantity]
) -> tuple[Quantity, ...]:
    """Record qdd, from a solution with gravity and w x v left out (`motion_in_fall`)."""
    velocities = recording.velocities
    up, w, v = record_up(recording), vector(velocities[ANGULAR]), vector(velocities[LINEAR])
    return (
        *acceleration_from_fall(vector(from_fall[LINEAR]), up, w, v),
        *from_fall[ANGULAR.start :],
    )


# S and C follow the papers, where first moments are MS (Khalil), so that s2 is a sine and ms2_x a moment.
S = Symbol(
    "s",
    "i",
    SCALAR,
    "sine of the angle about joint axis i, of joint i or of it and the parallel joints before it",
)
C = Symbol(
    "c",
    "i",
    SCALAR,
    "cosine of the angle about joint axis i, of joint i or of it and the parallel joints before it",
)
THETA = Symbol(
    "theta",
    "i",
    SCALAR,
    "sum of the positions of joint i and of the parallel joints before it",
    "rad",
)
D = Symbol("d", "i", SCALAR, "displacement of body i along its joint axis", "m")
MS = Symbol(
    "ms",
    "i",
    VECTOR,
    "first moment of body i about its origin",
    "kg m",
    "MS, Khalil and Kleinfinger 1987",
)
J = Symbol(
    "j",
    "i",
    TENSOR,
    "inertia of body i about its origin",
    "kg m^2",
    "J, Khalil and Kleinfinger 1987",
)
BR = Symbol(
    "br",
    "i",
    MATRIX,
    "rotation matrix of body i, which floats: its unit vectors in the base frame are columns",
)
SM = Symbol(
    "sm",
    "i",
    TENSOR,
    "second moments of body i about its origin, integrals of x^2 dm, x y dm and so on",
    "kg m^2",
)

MakeBody = Callable[..., ResolvedBody]
"""Makes a body, given its axes and the constants in them."""


@formula
def joint_coordinate(factor: Expr, position: Expr, offset: Expr) -> Expr:
    """Angle or displacement that a joint has made: a constant times its variable, plus its offset."""
    return factor * position + offset


def begin_recording(recorder: Recorder, candidate: Candidate, takes_positions: bool) -> Recording:
    """Record sines, cosines, displacements and rotated constants of all bodies, q being the input of that name.

    Args:
        recorder: receives the program.
        candidate: the robot, and the choices for its bodies.
        takes_positions: whether q is an input; without it the recording has no bodies.
    """
    recording = Recording(recorder, candidate.model)
    if not takes_positions:
        return recording
    recording.section("Joint positions")
    bodies: list[ResolvedBody] = []
    choices = zip(
        candidate.model.bodies, candidate.choices, number_entries(candidate.model), strict=True
    )
    for index, (body, choice, numbers) in enumerate(choices):
        make = partial(ResolvedBody, **vars(body), recorder=recorder, index=index, numbers=numbers)
        parent = bodies[body.parent].body_axes if body.parent != BASE else None
        if body.is_free:
            bodies.append(_resolve_base(recording, body, choice, make))
        else:
            bodies.append(_resolve(recording, index + 1, body, choice, parent, make))
    return replace(recording, bodies=tuple(bodies))


def _resolve(
    recording: Recording,
    number: int,
    body: Body,
    choice: BodyChoice,
    parent: BodyAxes | None,
    make: MakeBody,
) -> ResolvedBody:
    """Record the axes and the constants of a body with a joint about or along z."""
    constant, placement = recording.constant, body.placement
    gamma, alpha = placement.gamma, placement.alpha
    before = [
        Rotation.about_z(constant(gamma.cos), constant(gamma.sin)),
        Rotation.about_x(constant(alpha.cos), constant(alpha.sin)),
    ]
    translation, offset = constant(*placement.translation), constant(placement.d)
    if choice.in_one_step:
        along = along_axis(offset)
        for rotation in reversed(before):
            along = rotation.inward(along)
        translation, offset = translation + along, constant(0)
    left_over = None
    if parent is not None:
        translation = parent.rotation.inward(translation)
        # The rotation that the parent's axes do not make comes first; between parallel axes it adds to the joint's.
        if placement.is_parallel:
            left_over = parent
        else:
            before.insert(0, parent.rotation)
    joint = _record_joint_rotation(recording, number, body, left_over)
    first_moment, inertia = constant(*body.inertial.first_moment), constant(*body.inertial.inertia)
    second = _record_second_moments(recording, body) if choice.by_second_moments else None
    if not choice.in_body_axes:
        first_moment = joint.rotation.inward(first_moment).name(MS(number))
        inertia = joint.rotation.inward_tensor(inertia).name(J(number))
        second = second and joint.rotation.inward_tensor(second).name(SM(number))
    return make(
        rotations=(*before, joint.rotation) if choice.in_body_axes else tuple(before),
        body_axes=None if choice.in_body_axes else joint,
        translation=translation,
        displacement=joint_coordinate(
            constant(body.linear), recording.element("q", body.joint.idx_q), offset
        ).name(D(number)),
        first_moment=first_moment,
        inertia=inertia,
        second_moments=second,
    )


def _resolve_base(
    recording: Recording, body: Body, choice: BodyChoice, make: MakeBody
) -> ResolvedBody:
    """Record the axes of a floating base: its body axes, in which its motion is given. It has no others."""
    return make(
        rotations=(Rotation.by_matrix(record_base_rotation(recording).name(BR(1))),),
        body_axes=None,
        translation=base_position(recording),
        displacement=recording.constant(0),
        first_moment=recording.constant(*body.inertial.first_moment),
        inertia=recording.constant(*body.inertial.inertia),
        second_moments=_record_second_moments(recording, body)
        if choice.by_second_moments
        else None,
    )


def _record_second_moments(recording: Recording, body: Body) -> Quantity:
    """Return the elements xx, yy, zz, xy, xz, yz of the integral of r r^T dm."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertial.second_moments
    return recording.constant(xx, yy, zz, xy, xz, yz)


def _record_joint_rotation(
    recording: Recording, number: int, body: Body, left_over: BodyAxes | None
) -> BodyAxes:
    """Record the rotation of a joint, after one that the parent's axes do not make.

    An offset of whole quarter turns exchanges sine and cosine with signs, so that nothing is added to the angle.
    """
    offset = body.placement.theta
    if not body.angular and left_over is None:
        angle = recording.constant(offset.radians)
        return BodyAxes(
            angle,
            0,
            Rotation.about_z(recording.constant(offset.cos), recording.constant(offset.sin)),
        )
    quarters = offset.quarter_turns
    angle = joint_coordinate(
        recording.constant(body.angular),
        recording.element("q", body.joint.idx_q),
        offset.radians if quarters is None else 0,
    )
    quarters = quarters or 0
    if left_over is not None:
        angle = (left_over.angle + angle).name(THETA(number))
        quarters += left_over.quarters
    sine, cosine = recording.recorder.sine_cosine(angle)
    sine, cosine = sine.name(S(number)), cosine.name(C(number))
    for _ in range(quarters % 4):
        sine, cosine = cosine, -sine
    return BodyAxes(angle, quarters, Rotation.about_z(cosine, sine))
