r"""Frames: the axes in which every body is resolved, its constants there, and a floating base.

                                z_i, joint axis
                                 ^
                                 |                                y
         z_p                O_i  o---> x_i                         \
          ^                      |  body axes                       o---> x
          |                      |                               link frame of i
          |                      | d
          |     translation      |
     O_p  o--------------------->o---> x
         /                  foot    axes before the joint's rotation
       x_p
     parent's axes

- Link frame: the user's frame of a link. `model.attachments` has its constant pose in the body
  axes. Only inputs and results that users see in this frame are transformed.
- Axes before the joint's rotation: z is the joint axis. The directions of these axes are constant
    in the parent's body axes.
- Body axes: the same axes after the rotation about z_i, by theta plus the variable of a rotating
  joint. The body's inertial parameters are constant in these axes.
- Resolved axes: the axes in which the recursions compute the components of a body's vectors.
  Resolved axes are the body axes, or (`BodyChoice.in_body_axes` False) the axes before the joint's
  rotation. In the second case the body's constants are rotated by the joint instead of the vectors.

In the second case `ResolvedBody.body_axes` is the rotation about z that leads from the resolved
axes to the body axes: an angle plus a number of quarter turns. The quarter turns come from offsets
of joints. Quarter turns only exchange sine and cosine, with signs.

Axes before the rotation pay in a chain of parallel joints. The resolved axes of all its bodies then
have the same directions, and vectors need no rotation between them:

         body 1                body 2, z parallel       body 3, z parallel
    resolved axes  ------>  resolved axes  ------>  resolved axes            no rotation
          | q1                    | q1 + q2               | q1 + q2 + q3     `body_axes`
          v                       v                       v
      body axes               body axes               body axes

The rotation of such a parent's joint is not contained in the parent's resolved axes, so it is made
at the child. If the child's axis is parallel, the two angles are added (`parallel_rotation`).
Otherwise the rotation becomes the first one from the parent's resolved axes to the child's.

A floating base is the first body of a robot and moves freely. The motion of the base and its forces
are inputs in the axes of the base. So the position of the base never enters dynamics. The
orientation of the base, the unit quaternion (x, y, z, w), enters through gravity alone. The
rotation R^T of the upward acceleration costs 12 operations where gravity is along an axis of the
world; the nine elements of R would cost more. Forward dynamics uses gravity only in its last step.
All bodies fall with the same acceleration, so forward dynamics is solved for the acceleration
relative to free fall (R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 9.3, treats
gravity in the same way).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.closed_loops import make_closed_recording
from dynagen.dynamics.algorithms.recording import (
    BodyAxesRotation,
    JointMotion,
    Recording,
    ResolvedBody,
    number_entries,
)
from dynagen.dynamics.algorithms.rotations import Rotation, along_axis
from dynagen.dynamics.candidate import BodyChoice, Candidate
from dynagen.dynamics.recording import Quantity, Recorder, formula, join
from dynagen.ir.symbols import MATRIX, SCALAR, TENSOR, VECTOR, Symbol
from dynagen.robot.model.model import BASE, Body

UP = Symbol("up", "i", VECTOR, "opposite of gravity, in the axes of body i", "m/s^2")

LINEAR, ANGULAR = slice(0, 3), slice(3, 6)
"""The entries of v of a floating base: linear velocity (m/s), then angular velocity (rad/s)."""


@formula
def twice_across(x: Expr, y: Expr, z: Expr, vector: Matrix) -> Matrix:
    """Return t = 2 (x, y, z) x u: twice the cross product of a quaternion's vector part with u.

    `vector` is u.
    """
    return 2 * Matrix([x, y, z]).cross(vector)


@formula
def rotated_back(x: Expr, y: Expr, z: Expr, w: Expr, vector: Matrix, twice: Matrix) -> Matrix:
    """Return R^T u = u - w t + (x, y, z) x t for the rotation R of the quaternion (x, y, z, w).

    `vector` is u in base axes, `twice` is t of `twice_across`. The result is in rotated axes.
    """
    return vector - w * twice + Matrix([x, y, z]).cross(twice)


@formula
def rotation_of(x: Expr, y: Expr, z: Expr, w: Expr) -> Matrix:
    """Return the rotation matrix R of a unit quaternion (Euler and Rodrigues), shape (3, 3).

    The columns of R are the unit vectors of the rotated axes, in the axes before the rotation. The
    diagonal uses x^2 + y^2 + z^2 + w^2 = 1.
    """
    # Twice the products: each of them occurs in two elements.
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
def base_acceleration(up: Matrix, w: Matrix, v: Matrix, change: Matrix) -> Matrix:
    """Return the acceleration of a floating base's origin minus gravity: dv/dt + w x v + up.

    All vectors are in the axes of the base. `change` is dv/dt, the derivative of the components v
    of the origin's velocity; `up` is the opposite of gravity (m/s^2).
    """
    # w x v: the axes in which the components are taken rotate.
    return change + w.cross(v) + up


@formula
def acceleration_from_fall(acceleration: Matrix, up: Matrix, w: Matrix, v: Matrix) -> Matrix:
    """Return dv/dt = a - up - w x v of a floating base, the reverse of `base_acceleration`.

    `acceleration` is a, the acceleration of the origin minus gravity, in the axes of the base.
    """
    return acceleration - up - w.cross(v)


def record_up(recording: Recording) -> Quantity:
    """Record the opposite of gravity in the axes of a floating base (m/s^2)."""
    up = recording.add_constant(*(-component for component in recording.model.gravity))
    x, y, z, w = record_base_quaternion(recording)
    # R^T up by two cross products; the nine elements of R would cost more.
    return rotated_back(x, y, z, w, up, twice_across(x, y, z, up))


def record_base_rotation(recording: Recording) -> Quantity:
    """Record the rotation matrix of a floating base: its unit vectors in base axes, as columns."""
    return rotation_of(*record_base_quaternion(recording))


def record_base_position(recording: Recording) -> Quantity:
    """Return the position of the floating base in the base frame (m)."""
    return join(recording.add_element("q", index) for index in range(3))


def record_base_quaternion(recording: Recording) -> Quantity:
    """Return the quaternion x, y, z, w of the floating base: entries 3 to 6 of q."""
    return join(recording.add_element("q", index) for index in range(3, 7))


def make_fall_motion(recording: Recording) -> JointMotion:
    """Return the motion from which forward dynamics starts: no joint accelerations.

    A floating base is in free fall: without gravity and without velocity of its origin. So the
    derivative of its velocity in its own axes is zero too.
    """
    velocities = recording.velocities
    # A fixed base cannot fall: gravity stays in the motion.
    if not recording.model.floats:
        return recording.make_unaccelerated_motion(gravity=True)
    return JointMotion(
        (*recording.zeros[LINEAR], *velocities[ANGULAR.start :]), recording.zeros, gravity=False
    )


def record_accelerations(
    recording: Recording, from_fall: Sequence[Quantity]
) -> tuple[Quantity, ...]:
    """Record qdd of a robot with a floating base, from the solution in free fall.

    Args:
        recording: recording of the function for the robot.
        from_fall: accelerations relative to free fall, one for every entry of v; the first three
            are the acceleration of the base's origin in base-fixed axes (m/s^2).

    Returns:
        Derivatives of v. Only the first three differ from `from_fall`.
    """
    velocities = recording.velocities
    # All in the axes of the base. The solution's first three entries are the acceleration of its
    # origin.
    up, w, v = record_up(recording), join(velocities[ANGULAR]), join(velocities[LINEAR])
    return (
        *acceleration_from_fall(join(from_fall[LINEAR]), up, w, v),
        *from_fall[ANGULAR.start :],
    )


# S and C follow the papers, where first moments are MS (Khalil): s2 is a sine, ms2_x a moment.
S = Symbol(
    "s",
    "i",
    SCALAR,
    "sine of the angle about joint axis i, summed over the parallel joints before it",
)
C = Symbol(
    "c",
    "i",
    SCALAR,
    "cosine of the angle about joint axis i, summed over the parallel joints before it",
)
THETA = Symbol(
    "theta",
    "i",
    SCALAR,
    "sum of the positions of joint i and the parallel joints before it",
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
    "rotation matrix of floating body i or of spherical joint i: columns are its unit vectors in "
    "the axes before the rotation",
)
SM = Symbol(
    "sm",
    "i",
    TENSOR,
    "second moments of body i about its origin: integrals of x^2 dm, x y dm and so on",
    "kg m^2",
)

MakeBody = Callable[..., ResolvedBody]
"""Makes a body from its axes and the constants in them; it has all other arguments already."""


@formula
def joint_coordinate(factor: Expr, position: Expr, offset: Expr) -> Expr:
    """Return the angle (rad) or displacement (m) of a joint: factor times position, plus offset.

    `factor` is the joint's constant `angular` or `linear`, and `position` its entry of q.
    """
    return factor * position + offset


def begin_recording(recorder: Recorder, candidate: Candidate, takes_positions: bool) -> Recording:
    """Record sines, cosines, displacements and rotated constants of all bodies.

    Args:
        recorder: receives the program; q is the input of this name.
        candidate: the robot, and the choices for its bodies.
        takes_positions: whether q is an input; without it the recording has no bodies.

    Returns:
        The recording from which the recursions start.
    """
    if candidate.model.closure:
        # The recursions run on the tree, whose joints move as the loops require.
        recording: Recording = make_closed_recording(recorder, candidate.model)
        # A dependent joint has a cosine and a sine, but no angle to add to parallel joints'.
        choices = tuple(replace(choice, in_body_axes=True) for choice in candidate.choices)
        candidate = replace(candidate, model=recording.model, choices=choices)
    else:
        recording = Recording(recorder, candidate.model)
    if not takes_positions:
        return recording
    recording.solve_loops()
    recording.begin_section("Joint positions")
    bodies: list[ResolvedBody] = []
    numbered = zip(
        candidate.model.bodies, candidate.choices, number_entries(candidate.model), strict=True
    )
    # A parent precedes its children, so its axes are known here.
    for index, (body, choice, numbers) in enumerate(numbered):
        make = partial(
            ResolvedBody,
            **vars(body),
            recorder=recorder,
            index=index,
            numbers=numbers,
            joined=choice.joined and body.parent != BASE,
        )
        parent = bodies[body.parent].body_axes if body.parent != BASE else None
        if body.is_free:
            bodies.append(_resolve_base(recording, body, choice, make))
        elif body.column is not None:
            bodies.append(_resolve_column(recording, index + 1, body, choice, parent, make))
        else:
            bodies.append(_resolve(recording, index + 1, body, choice, parent, make))
    return replace(recording, bodies=tuple(bodies))


def _resolve(
    recording: Recording,
    number: int,
    body: Body,
    choice: BodyChoice,
    parent: BodyAxesRotation | None,
    make: MakeBody,
) -> ResolvedBody:
    """Record the resolved axes and the constants of a body with a joint about or along z."""
    constant, placement = recording.add_constant, body.placement
    # Constant rotations from the parent's axes: about z by gamma, then about x by alpha. Gamma is
    # only needed in trees (Khalil and Kleinfinger 1986).
    gamma, alpha = placement.gamma, placement.alpha
    rotations = [
        Rotation.about_z(constant(gamma.cos), constant(gamma.sin)),
        Rotation.about_x(constant(alpha.cos), constant(alpha.sin)),
    ]
    translation, offset = constant(*placement.translation), constant(placement.d)
    if choice.in_one_step:
        # The constant offset along the joint axis, rotated back to the parent's axes. The rotation
        # about the joint axis does not change it.
        along = along_axis(offset)
        for rotation in reversed(rotations):
            along = rotation.rotate_inward(along)
        translation, offset = translation + along, constant(0)
    parallel_rotation = None
    if parent is not None:
        # From the parent's body axes, in which it is constant, to its resolved axes.
        translation = parent.rotation.rotate_inward(translation)
        # The parent's resolved axes do not rotate with its joint, so that rotation is made here:
        # its angle is added to this joint's about a parallel axis, otherwise it is separate.
        if placement.is_parallel:
            parallel_rotation = parent
        else:
            rotations.insert(0, parent.rotation)
    joint = _record_joint_rotation(recording, number, body, parallel_rotation)
    first_moment, inertia = constant(*body.inertial.first_moment), constant(*body.inertial.inertia)
    second = _record_second_moments(recording, body) if choice.by_second_moments else None
    if not choice.in_body_axes:
        # From the body axes, in which they are constant, to the resolved axes.
        first_moment = joint.rotation.rotate_inward(first_moment).name(MS(number))
        inertia = joint.rotation.rotate_tensor_inward(inertia).name(J(number))
        # None if the moment is not computed from second moments.
        second = second and joint.rotation.rotate_tensor_inward(second).name(SM(number))
    return make(
        rotations=(*rotations, joint.rotation) if choice.in_body_axes else tuple(rotations),
        body_axes=None if choice.in_body_axes else joint,
        translation=translation,
        displacement=joint_coordinate(
            constant(body.linear), recording.find_position(body), offset
        ).name(D(number)),
        first_moment=first_moment,
        inertia=inertia,
        second_moments=second,
    )


def _resolve_base(
    recording: Recording, body: Body, choice: BodyChoice, make: MakeBody
) -> ResolvedBody:
    """Record the axes of a floating base: its body axes, in which its motion is given."""
    # q holds the base's position in the base frame, so its displacement is all translation.
    return make(
        rotations=(Rotation.from_matrix(record_base_rotation(recording).name(BR(1))),),
        body_axes=None,
        translation=record_base_position(recording),
        displacement=recording.add_constant(0),
        first_moment=recording.add_constant(*body.inertial.first_moment),
        inertia=recording.add_constant(*body.inertial.inertia),
        second_moments=_record_second_moments(recording, body)
        if choice.by_second_moments
        else None,
    )


def _resolve_column(
    recording: Recording,
    number: int,
    body: Body,
    choice: BodyChoice,
    parent: BodyAxesRotation | None,
    make: MakeBody,
) -> ResolvedBody:
    """Record the axes of a body of a spherical joint: its body axes.

    The first body rotates by the quaternion of the joint. The axes x, y, z of the second and third
    body are the axes y, z, x of the body before.
    """
    constant, placement = recording.add_constant, body.placement
    angles = placement.gamma, placement.alpha, placement.theta
    axes = Rotation.about_z, Rotation.about_x, Rotation.about_z
    rotations = [
        about(constant(angle.cos), constant(angle.sin))
        for about, angle in zip(axes, angles, strict=True)
    ]
    translation = constant(*placement.translation)
    if parent is not None:
        # From the parent's body axes to its resolved axes.
        translation = parent.rotation.rotate_inward(translation)
        rotations.insert(0, parent.rotation)
    if body.column == 0:
        x, y, z, w = (recording.add_element("q", body.joint.idx_q + entry) for entry in range(4))
        # The axes x, y, z of this body are y, z, x of the joint.
        rotation = rotation_of(y, z, x, w).name(BR(number))
        rotations.append(Rotation.from_matrix(rotation))
    return make(
        rotations=tuple(rotations),
        body_axes=None,
        translation=translation,
        displacement=constant(0),
        first_moment=constant(*body.inertial.first_moment),
        inertia=constant(*body.inertial.inertia),
        second_moments=_record_second_moments(recording, body)
        if choice.by_second_moments
        else None,
    )


def _record_second_moments(recording: Recording, body: Body) -> Quantity:
    """Return the elements xx, yy, zz, xy, xz, yz of the integral of r r^T dm (kg m^2)."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertial.second_moments
    return recording.add_constant(xx, yy, zz, xy, xz, yz)


def _record_joint_rotation(
    recording: Recording, number: int, body: Body, parallel_rotation: BodyAxesRotation | None
) -> BodyAxesRotation:
    """Record the rotation about z from the axes before a joint to its body axes.

    Args:
        recording: recording of the function for the robot.
        number: number of the body, from 1.
        body: the body that the joint moves.
        parallel_rotation: rotation of the parallel joints before it, if the parent's resolved axes
            do not rotate with them; else None.
    """
    offset = body.placement.theta
    if known := recording.find_rotation(body):
        cosine, sine = known
        return BodyAxesRotation(
            recording.add_constant(0),
            0,
            Rotation.about_z(cosine.name(C(number)), sine.name(S(number))),
        )
    if not body.angular and parallel_rotation is None:
        # A prismatic joint rotates by its constant offset only.
        angle = recording.add_constant(offset.radians)
        return BodyAxesRotation(
            angle,
            0,
            Rotation.about_z(
                recording.add_constant(offset.cos), recording.add_constant(offset.sin)
            ),
        )
    # An offset of whole quarter turns exchanges sine and cosine, with signs: no addition to the
    # angle.
    quarter_turns = offset.quarter_turns
    angle = joint_coordinate(
        recording.add_constant(body.angular),
        recording.find_position(body),
        offset.radians if quarter_turns is None else 0,
    )
    quarter_turns = quarter_turns or 0
    if parallel_rotation is not None:
        # One sine and cosine of the sum replace products of sines and cosines.
        angle = (parallel_rotation.angle + angle).name(THETA(number))
        quarter_turns += parallel_rotation.quarter_turns
    sine, cosine = recording.recorder.add_sine_cosine(angle)
    sine, cosine = sine.name(S(number)), cosine.name(C(number))
    for _ in range(quarter_turns % 4):
        # sin(a + pi/2) = cos a, cos(a + pi/2) = -sin a.
        sine, cosine = cosine, -sine
    return BodyAxesRotation(angle, quarter_turns, Rotation.about_z(cosine, sine))
