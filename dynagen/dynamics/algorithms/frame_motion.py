"""Velocity and acceleration of a frame, in base axes.

Only the joints between the frame and the base are used. The position, velocity and acceleration of
the frame relative to its body are transformed from body to body: to values relative to the parent
body, and so on to the base.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dynagen.dynamics.algorithms.kinematics import (
    FP,
    FrameMotion,
    carry_position_inward,
    record_pose_in_body,
)
from dynagen.dynamics.algorithms.motions import RelativeMotion
from dynagen.dynamics.algorithms.recording import Recording, ResolvedBody
from dynagen.dynamics.algorithms.rotations import unit_z
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Expr, Matrix
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.robot.model.model import BASE, AttachedFrame

FV = Symbol(
    "fv", "i", VECTOR, "velocity of the frame's origin relative to body i (0: the base)", "m/s"
)
FA = Symbol(
    "fa",
    "i",
    VECTOR,
    "acceleration of the frame's origin relative to body i (0: the base)",
    "m/s^2",
)
FW = Symbol("fw", "i", VECTOR, "angular velocity of the frame relative to body i", "rad/s")
FWD = Symbol(
    "fwd",
    "i",
    VECTOR,
    "angular acceleration of the frame relative to body i (0: the base)",
    "rad/s^2",
)


# The vectors of the formulas are in the axes of the body that the joint moves.


@formula
def velocity_before(v: Matrix, p: Matrix, angular: Expr, linear: Expr, qd: Expr) -> Matrix:
    """Return a point's velocity relative to a joint's parent, in the axes of the joint's body.

    Args:
        v: velocity of the point relative to the joint's body (m/s).
        p: position of the point from the body's origin (m).
        angular: rotation of the joint about its axis z per unit of its position.
        linear: translation of the joint along z per unit of its position.
        qd: velocity of the joint (rad/s or m/s).
    """
    return v + angular * qd * unit_z().cross(p) + linear * qd * unit_z()


@formula
def acceleration_before(a: Matrix, v: Matrix, v_before: Matrix, angular: Expr, qd: Expr) -> Matrix:
    """Return a point's acceleration relative to a joint's parent body, at zero joint acceleration.

    All vectors are in the axes of the joint's body.

    Args:
        a: acceleration of the point relative to the joint's body (m/s^2).
        v: velocity of the point relative to the joint's body (m/s).
        v_before: velocity of the point relative to the parent body (m/s).
        angular: rotation of the joint about its axis z per unit of the joint position.
        qd: velocity of the joint (rad/s or m/s).
    """
    return a + angular * qd * unit_z().cross(v + v_before)


@formula
def angular_velocity_before(w: Matrix, angular: Expr, qd: Expr) -> Matrix:
    """Return the angular velocity relative to a joint's parent body: w + angular qd z (rad/s).

    w is the angular velocity of a frame relative to the joint's body, in the body's axes. z is the
    joint axis, `angular` the rotation about z per unit of the joint position, and qd the joint
    velocity.
    """
    return w + angular * qd * unit_z()


@formula
def angular_acceleration_before(wd: Matrix, w: Matrix, angular: Expr, qd: Expr) -> Matrix:
    """Return the angular acceleration relative to a joint's parent: wd + angular qd cross(z, w).

    The joint has the velocity qd and no acceleration. wd and w are the angular acceleration and
    velocity of a frame relative to the joint's body, in the body's axes. z is the joint axis, and
    `angular` the rotation about z per unit of the joint position.
    """
    return wd + angular * qd * unit_z().cross(w)


@formula
def acceleration_on_base(a: Matrix, v: Matrix, p: Matrix, base_v: Matrix, base_w: Matrix) -> Matrix:
    """Return the acceleration of a point that moves on a floating base, in the axes of the base.

    a, v and p are the acceleration, velocity and position of the point relative to the base. The
    velocity `base_v` of the base's origin and its angular velocity `base_w` are constant in the
    axes of the base.
    """
    return a + base_w.cross(base_v + base_w.cross(p) + 2 * v)


@formula
def angular_acceleration_on_base(wd: Matrix, w: Matrix, base_w: Matrix) -> Matrix:
    """Return wd + cross(w0, w), the angular acceleration of a body that rotates on a floating base.

    wd and w are the angular acceleration and velocity relative to the base, in its axes. The
    angular velocity w0 (`base_w`) of the base is constant in these axes.
    """
    return wd + base_w.cross(w)


def add_axis_velocity(
    body: ResolvedBody, recording: Recording, relative: RelativeMotion
) -> RelativeMotion:
    """Record a frame's velocities relative to the parent of `body`, for a joint with one axis.

    `relative` is the frame's motion relative to `body`; its accelerations are not changed.
    Arguments and results are in the axes of `body`.
    """
    angular, qd = body.angular, recording.velocities[body.entry]
    v = velocity_before(relative.velocity, relative.position, angular, body.linear, qd)
    w = angular_velocity_before(relative.angular_velocity, angular, qd)
    return replace(relative, velocity=v, angular_velocity=w)


def add_axis_motion(
    body: ResolvedBody,
    recording: Recording,
    relative: RelativeMotion,
    accelerations: Sequence[Quantity],
) -> RelativeMotion:
    """Record a frame's motion relative to the parent of `body`, for a joint with one axis.

    `relative` is the frame's motion relative to `body`. Arguments and results are in the axes of
    `body`. `accelerations` are the joint accelerations qdd, one for every joint velocity; an empty
    sequence means zero.
    """
    # Add the motion of the joint in the body's axes, before they are rotated to the parent's. The
    # order matters: z is only the joint axis in the body's axes.
    angular, linear, qd = body.angular, body.linear, recording.velocities[body.entry]
    p, v, w = relative.position, relative.velocity, relative.angular_velocity
    v_before = velocity_before(v, p, angular, linear, qd)
    a = acceleration_before(relative.acceleration, v, v_before, angular, qd)
    wd = angular_acceleration_before(relative.angular_acceleration, w, angular, qd)
    if accelerations:
        # J qdd has the form of J qd.
        qdd = accelerations[body.entry]
        a = velocity_before(a, p, angular, linear, qdd)
        wd = angular_velocity_before(wd, angular, qdd)
    return RelativeMotion(p, v_before, angular_velocity_before(w, angular, qd), a, wd)


def record_velocity(recording: Recording, frame: AttachedFrame) -> FrameMotion:
    """Record the velocity (m/s) of a frame's origin and the frame's angular velocity (rad/s).

    Both velocities are relative to the fixed base frame, in its axes.
    """
    rest = v = w = recording.add_constant(0, 0, 0)
    p = record_pose_in_body(recording, frame)[1]
    for body in recording.find_path(frame.body):
        body.begin_section("Inward, body")
        i, inward = body.number, body.rotate_inward
        p, v, w = p.name(FP(i)), v.name(FV(i)), w.name(FW(i))
        before = body.add_velocity(recording, RelativeMotion(p, v, w, rest, rest))
        v, w = inward(before.velocity), inward(before.angular_velocity)
        p = carry_position_inward(body, p)
    return FrameMotion(v.name(FV(BASE + 1)), w.name(FW(BASE + 1)))


def record_acceleration(
    recording: Recording, frame: AttachedFrame, accelerations: Sequence[Quantity] = ()
) -> FrameMotion:
    """Record the acceleration of a frame's origin (m/s^2) and the frame's angular acceleration.

    Args:
        recording: program under construction, with the robot model and its bodies.
        frame: the frame whose acceleration is recorded; gravity is not subtracted.
        accelerations: joint accelerations qdd, one for every joint velocity. An empty sequence
            means zero: the result is then dJ/dt qd with the frame's Jacobian J.

    Returns:
        Linear (m/s^2) and angular acceleration (rad/s^2), in base axes.
    """
    # Position, velocities and accelerations of the frame relative to a body, in its axes.
    v = a = w = wd = recording.add_constant(0, 0, 0)
    # At first the frame rests relative to its own body.
    p = record_pose_in_body(recording, frame)[1]
    for body in recording.find_path(frame.body):
        body.begin_section("Inward, body")
        i, inward = body.number, body.rotate_inward
        p, v, a, w, wd = p.name(FP(i)), v.name(FV(i)), a.name(FA(i)), w.name(FW(i)), wd.name(FWD(i))
        before = body.add_motion(recording, RelativeMotion(p, v, w, a, wd), accelerations)
        a, wd = inward(before.acceleration), inward(before.angular_acceleration)
        v, w = inward(before.velocity), inward(before.angular_velocity)
        p = carry_position_inward(body, p)
    return FrameMotion(a.name(FA(0)), wd.name(FWD(0)))
