"""Velocity and acceleration of a frame, in base axes.

Only the bodies between the frame and the base take part. Position, velocity and acceleration of the
frame relative to a body, in the body's axes and about its origin, are transformed to those relative
to its parent, down to the base.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.frames import ANGULAR, LINEAR
from dynagen.dynamics.algorithms.kinematics import (
    FP,
    FrameMotion,
    carry_position_inward,
    record_pose_in_body,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.algorithms.rotations import Z
from dynagen.dynamics.recording import Quantity, formula, join
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
    """Return the velocity relative to the carrier of a joint: v + qd (angular z x p + linear z)."""
    return v + angular * qd * Z.cross(p) + linear * qd * Z


@formula
def acceleration_before(a: Matrix, v: Matrix, v_before: Matrix, angular: Expr, qd: Expr) -> Matrix:
    """Return the acceleration relative to the carrier: a + qd z x (v + v_before), qd constant."""
    return a + angular * qd * Z.cross(v + v_before)


@formula
def angular_velocity_before(w: Matrix, angular: Expr, qd: Expr) -> Matrix:
    """Return the angular velocity relative to the carrier of a joint: w + qd z."""
    return w + angular * qd * Z


@formula
def angular_acceleration_before(wd: Matrix, w: Matrix, angular: Expr, qd: Expr) -> Matrix:
    """Return the angular acceleration relative to the carrier, qd constant: wd + qd z x w."""
    return wd + angular * qd * Z.cross(w)


@formula
def acceleration_on_base(a: Matrix, v: Matrix, p: Matrix, base_v: Matrix, base_w: Matrix) -> Matrix:
    """Return the acceleration of a point that moves on a floating base: a + w x (v0 + w x p + 2 v).

    The velocities v0 and w of the base are constant in its own axes.
    """
    return a + base_w.cross(base_v + base_w.cross(p) + 2 * v)


@formula
def angular_acceleration_on_base(wd: Matrix, w: Matrix, base_w: Matrix) -> Matrix:
    """Return the angular acceleration of a body that rotates on a floating base: wd + w0 x w."""
    return wd + base_w.cross(w)


def record_velocity(recording: Recording, frame: AttachedFrame) -> FrameMotion:
    """Record the velocity of a frame's origin and its angular velocity (m/s, rad/s)."""
    velocities = recording.velocities
    v = w = recording.add_constant(0, 0, 0)
    p = record_pose_in_body(recording, frame)[1]
    for body in recording.find_path(frame.body):
        body.begin_section("Inward, body")
        i, inward = body.number, body.rotate_inward
        p, v, w = p.name(FP(i)), v.name(FV(i)), w.name(FW(i))
        if body.is_free:
            base_v, base_w = join(velocities[LINEAR]), join(velocities[ANGULAR])
            v = inward(v + base_v + base_w.cross(p))
            w = inward(w + base_w)
            continue
        qd = velocities[body.entry]
        v = inward(velocity_before(v, p, body.angular, body.linear, qd))
        w = inward(angular_velocity_before(w, body.angular, qd))
        p = carry_position_inward(body, p)
    return FrameMotion(v.name(FV(BASE + 1)), w.name(FW(BASE + 1)))


def record_acceleration(
    recording: Recording, frame: AttachedFrame, accelerations: Sequence[Quantity] = ()
) -> FrameMotion:
    """Record the acceleration of a frame's origin, and its angular acceleration, in base axes.

    Args:
        recording: recording of the function for the robot.
        frame: the frame.
        accelerations: qdd, one for every entry of v; none: zero (drift acceleration).
    """
    # Position, velocities and accelerations of the frame relative to a body, in its axes.
    velocities = recording.velocities
    v = a = w = wd = recording.add_constant(0, 0, 0)
    # At first the frame rests relative to its own body.
    p = record_pose_in_body(recording, frame)[1]
    for body in recording.find_path(frame.body):
        body.begin_section("Inward, body")
        i, inward = body.number, body.rotate_inward
        p, v, a, w, wd = p.name(FP(i)), v.name(FV(i)), a.name(FA(i)), w.name(FW(i)), wd.name(FWD(i))
        if body.is_free:
            # The base's velocities are in its own axes; `inward` leads to the axes of the world.
            base_v, base_w = join(velocities[LINEAR]), join(velocities[ANGULAR])
            a = acceleration_on_base(a, v, p, base_v, base_w)
            wd = angular_acceleration_on_base(wd, w, base_w)
            if accelerations:
                base_a, base_wd = join(accelerations[LINEAR]), join(accelerations[ANGULAR])
                a, wd = a + base_a + base_wd.cross(p), wd + base_wd
            a, wd = inward(a), inward(wd)
            continue
        if body.column is not None:
            if body.column == 2:  # the three bodies move together: add the motion once
                turning = body.resolve_turning(velocities)
                a = acceleration_on_base(a, v, p, recording.add_constant(0, 0, 0), turning)
                wd = angular_acceleration_on_base(wd, w, turning)
                v, w = v + turning.cross(p), w + turning
                if accelerations:
                    change = body.resolve_turning(accelerations)
                    a, wd = a + change.cross(p), wd + change
            a, wd, v, w = map(inward, (a, wd, v, w))
            p = carry_position_inward(body, p)
            continue
        angular, linear, qd = body.angular, body.linear, velocities[body.entry]
        # Add the motion of the joint in the body's axes, then rotate to the parent's. The order
        # matters: z is only the joint axis in the body's axes.
        v_before = velocity_before(v, p, angular, linear, qd)
        a = acceleration_before(a, v, v_before, angular, qd)
        wd = angular_acceleration_before(wd, w, angular, qd)
        if accelerations:
            # J qdd has the form of J qd.
            qdd = accelerations[body.entry]
            a = velocity_before(a, p, angular, linear, qdd)
            wd = angular_velocity_before(wd, angular, qdd)
        a, wd = inward(a), inward(wd)
        v = inward(v_before)
        w = inward(angular_velocity_before(w, angular, qd))
        p = carry_position_inward(body, p)
    return FrameMotion(a.name(FA(0)), wd.name(FWD(0)))
