"""Kinematics of a frame of the user's: its pose and its drift acceleration.

Only the bodies between the frame and the base take part, and they are passed inward: pose and motion of the frame relative to
a body, in the body's axes and about its origin, become those relative to its parent. The last ones are relative to the base.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import Z
from dynagen.dynamics.algorithms.floating_base import ANGULAR, LINEAR
from dynagen.dynamics.algorithms.recording import Recording, ResolvedBody
from dynagen.dynamics.recording.formula import Quantity, formula, vector
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.robot.model.model import BASE, AttachedFrame
from dynagen.robot.pose import transpose

AXES_OF_FRAME = tuple(
    Symbol(
        f"f{axis}",
        "i",
        VECTOR,
        f"unit vector {axis} of the frame, in the axes of body i (0: the base)",
    )
    for axis in "xyz"
)
FP = Symbol("fp", "i", VECTOR, "position of the frame from the origin of body i (0: the base)", "m")
FV = Symbol("fv", "i", VECTOR, "velocity of the frame's origin relative to body i", "m/s")
FA = Symbol(
    "fa",
    "i",
    VECTOR,
    "acceleration of the frame's origin relative to body i (0: the base) at constant rates",
    "m/s^2",
)
FW = Symbol("fw", "i", VECTOR, "angular velocity of the frame relative to body i", "rad/s")
FWD = Symbol(
    "fwd",
    "i",
    VECTOR,
    "angular acceleration of the frame relative to body i (0: the base) at constant rates",
    "rad/s^2",
)


@formula
def from_foot(position: Matrix, displacement: Expr) -> Matrix:
    """Position from the foot, the point on the joint axis at which the displacement begins: p + d z."""
    return position + displacement * Z


@formula
def velocity_before(v: Matrix, p: Matrix, angular: Expr, linear: Expr, qd: Expr) -> Matrix:
    """Velocity relative to the carrier of a joint: v + qd (angular z x p + linear z)."""
    return v + angular * qd * Z.cross(p) + linear * qd * Z


@formula
def acceleration_before(a: Matrix, v: Matrix, v_before: Matrix, angular: Expr, qd: Expr) -> Matrix:
    """Acceleration relative to the carrier of a joint of constant velocity: a + qd z x (v + v_before)."""
    return a + angular * qd * Z.cross(v + v_before)


@formula
def angular_velocity_before(w: Matrix, angular: Expr, qd: Expr) -> Matrix:
    """Angular velocity relative to the carrier of a joint: w + qd z."""
    return w + angular * qd * Z


@formula
def angular_acceleration_before(wd: Matrix, w: Matrix, angular: Expr, qd: Expr) -> Matrix:
    """Angular acceleration relative to the carrier of a joint of constant velocity: wd + qd z x w."""
    return wd + angular * qd * Z.cross(w)


@formula
def acceleration_on_base(a: Matrix, v: Matrix, p: Matrix, base_v: Matrix, base_w: Matrix) -> Matrix:
    """Acceleration of a point that moves on a base whose velocities, in its axes, stay: a + w x (v0 + w x p + 2 v)."""
    return a + base_w.cross(base_v + base_w.cross(p) + 2 * v)


@formula
def angular_acceleration_on_base(wd: Matrix, w: Matrix, base_w: Matrix) -> Matrix:
    """Angular acceleration of a body that rotates on a floating base: wd + w0 x w."""
    return wd + base_w.cross(w)


UnitVectors = tuple[Quantity, ...]
"""Unit vectors x, y, z of some axes, resolved in others."""


@dataclass(frozen=True)
class FrameMotion:
    """Velocity or acceleration of a frame: of its origin, and angular."""

    linear: Quantity
    angular: Quantity


def record_pose(
    recording: Recording, frame: AttachedFrame, two_axes: bool
) -> tuple[UnitVectors, Quantity]:
    """Record a frame's unit vectors, which are the columns of its rotation matrix, and its position (m), in base axes.

    two_axes: whether the third unit vector follows from two, which alone are passed inward then.
    """
    axes, position = record_pose_in_body(recording, frame)
    for body in recording.path_to_base(frame.body):
        body.section("Inward, body")
        axes, position = name_axes(AXES_OF_FRAME, body.number, axes), position.name(FP(body.number))
        axes, position = tuple(body.inward(axis) for axis in axes), _carry_inward(body, position)
    if two_axes:
        axes = complete_axes(axes)
    return name_axes(AXES_OF_FRAME, 0, axes), position.name(FP(0))


def record_drift_acceleration(recording: Recording, frame: AttachedFrame) -> FrameMotion:
    """Record the acceleration of a frame while all joints keep their velocities, in base axes."""
    # Position, velocities and accelerations of the frame, relative to a body and in its axes.
    velocities = recording.velocities
    v = a = w = wd = recording.constant(0, 0, 0)
    p = record_pose_in_body(recording, frame)[1]
    for body in recording.path_to_base(frame.body):
        body.section("Inward, body")
        i, inward = body.number, body.inward
        p, v, a, w, wd = p.name(FP(i)), v.name(FV(i)), a.name(FA(i)), w.name(FW(i)), wd.name(FWD(i))
        if body.is_free:
            base_v, base_w = vector(velocities[LINEAR]), vector(velocities[ANGULAR])
            a = inward(acceleration_on_base(a, v, p, base_v, base_w))
            wd = inward(angular_acceleration_on_base(wd, w, base_w))
            continue
        angular, linear, qd = body.angular, body.linear, velocities[body.entry]
        v_before = velocity_before(v, p, angular, linear, qd)
        a = inward(acceleration_before(a, v, v_before, angular, qd))
        v = inward(v_before)
        wd = inward(angular_acceleration_before(wd, w, angular, qd))
        w = inward(angular_velocity_before(w, angular, qd))
        p = _carry_inward(body, p)
    return FrameMotion(a.name(FA(0)), wd.name(FWD(0)))


def record_pose_in_body(recording: Recording, frame: AttachedFrame) -> tuple[UnitVectors, Quantity]:
    """Record the unit vectors and the position of a frame in the axes that its body is resolved in."""
    vectors = [
        recording.constant(*each)
        for each in (*transpose(frame.pose.rotation), frame.pose.translation)
    ]
    if frame.body != BASE:
        vectors = [recording.bodies[frame.body].from_body_axes(each) for each in vectors]
    return tuple(vectors[:3]), vectors[3]


def complete_axes(axes: UnitVectors) -> UnitVectors:
    """Record the second unit vector as the vector product of the others.

    It costs 6M + 3A once, and a unit vector that is rotated along costs 4M + 2A for every rotation.
    """
    x, _, z = axes
    return x, z.cross(x), z


def name_axes(symbols: tuple[Symbol, ...], number: int, axes: UnitVectors) -> UnitVectors:
    """Name unit vectors as they are resolved in the axes of a body: ex2, ey2, ez2; 0 is the base."""
    return tuple(axis.name(symbol(number)) for symbol, axis in zip(symbols, axes, strict=True))


def _carry_inward(body: ResolvedBody, position: Quantity) -> Quantity:
    """Record a position from the parent's origin, in the parent's axes."""
    return body.inward(from_foot(position, body.displacement)) + body.translation
