"""Kinematics of a frame of the user's: RobotModel, frames, rates -> its pose and its drift acceleration.

Only the bodies between the frame and the base take part, and they are passed inward: pose and motion of the frame relative to
a body, in the body's axes and about its origin, become those relative to its parent. The last ones are relative to the base.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import Z, sum_of
from dynagen.dynamics.algorithms.floating_base import ANGULAR, LINEAR, vector
from dynagen.dynamics.algorithms.frames import BodyFrame, Frames, joint_constants
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.robot.model.model import BASE, AttachedFrame, RobotModel
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
def cross_product(left: Matrix, right: Matrix) -> Matrix:
    """Vector product l x r."""
    return left.cross(right)


@formula
def from_foot(position: Matrix, displacement: Expr) -> Matrix:
    """Position from the foot, the point on the joint axis at which the displacement begins: p + d z."""
    return position + displacement * Z


@formula
def velocity_before(v: Matrix, p: Matrix, angular: Expr, linear: Expr, rate: Expr) -> Matrix:
    """Velocity relative to what carries a joint: v + qd (angular z x p + linear z)."""
    return v + angular * rate * Z.cross(p) + linear * rate * Z


@formula
def acceleration_before(
    a: Matrix, v: Matrix, v_before: Matrix, angular: Expr, rate: Expr
) -> Matrix:
    """Acceleration relative to what carries a joint of constant rate: a + qd z x (v + (v + qd z x p)), the sum being known."""
    return a + angular * rate * Z.cross(v + v_before)


@formula
def angular_velocity_before(w: Matrix, angular: Expr, rate: Expr) -> Matrix:
    """Angular velocity relative to what carries a joint: w + qd z."""
    return w + angular * rate * Z


@formula
def angular_acceleration_before(wd: Matrix, w: Matrix, angular: Expr, rate: Expr) -> Matrix:
    """Angular acceleration relative to what carries a joint of constant rate: wd + qd z x w."""
    return wd + angular * rate * Z.cross(w)


@formula
def acceleration_on_base(a: Matrix, v: Matrix, p: Matrix, base_v: Matrix, base_w: Matrix) -> Matrix:
    """Acceleration of a point that moves on a base whose velocities, in its axes, stay: a + w x (v0 + w x p + 2 v)."""
    return a + base_w.cross(base_v + base_w.cross(p) + 2 * v)


@formula
def angular_acceleration_on_base(wd: Matrix, w: Matrix, base_w: Matrix) -> Matrix:
    """Angular acceleration of what rotates on a floating base: wd + w0 x w."""
    return wd + base_w.cross(w)


UnitVectors = tuple[Quantity, ...]
"""Unit vectors x, y, z of some axes, resolved in others."""


@dataclass(frozen=True)
class FrameMotion:
    """Velocity or acceleration of a frame: of its origin, and angular."""

    linear: Quantity
    angular: Quantity


def record_pose(
    recorder: Recorder, model: RobotModel, frames: Frames, frame: AttachedFrame, two_axes: bool
) -> tuple[UnitVectors, Quantity]:
    """Record a frame's unit vectors, which are the columns of its rotation matrix, and its position (m), in base axes.

    two_axes: whether the third unit vector follows from two, which alone are passed inward then.
    """
    axes, position = record_pose_in_body(recorder, frames, frame)
    for index in model.path_to_base(frame.body):
        begin_section(recorder, "Inward", model, index)
        axes, position = (
            name_axes(recorder, AXES_OF_FRAME, index, axes),
            recorder.name(FP(index + 1), position),
        )
        axes = tuple(frames[index].inward(recorder, axis) for axis in axes)
        position = _inward(recorder, frames[index], position)
    if two_axes:
        axes = complete_axes(recorder, axes)
    return name_axes(recorder, AXES_OF_FRAME, BASE, axes), recorder.name(FP(BASE + 1), position)


def record_drift_acceleration(
    recorder: Recorder,
    model: RobotModel,
    frames: Frames,
    frame: AttachedFrame,
    rates: tuple[Quantity, ...],
) -> FrameMotion:
    """Record the acceleration of a frame while all joints keep their rates, in base axes."""
    v = a = w = wd = recorder.constant(0, 0, 0)
    p = record_pose_in_body(recorder, frames, frame)[1]
    for index in model.path_to_base(frame.body):
        begin_section(recorder, "Inward", model, index)
        p, v, a, w, wd = (
            recorder.name(symbol(index + 1), vector)
            for symbol, vector in ((FP, p), (FV, v), (FA, a), (FW, w), (FWD, wd))
        )
        inward = frames[index].inward
        if model.bodies[index].is_free:
            twist = vector(rates[LINEAR]), vector(rates[ANGULAR])
            a = inward(recorder, recorder.apply(acceleration_on_base, a, v, p, *twist))
            wd = inward(recorder, recorder.apply(angular_acceleration_on_base, wd, w, twist[1]))
            continue
        rate = rates[model.bodies[index].joint.idx_v]
        angular, linear = joint_constants(recorder, model.bodies[index])
        v_before = recorder.apply(velocity_before, v, p, angular, linear, rate)
        a = inward(recorder, recorder.apply(acceleration_before, a, v, v_before, angular, rate))
        v = inward(recorder, v_before)
        wd = inward(recorder, recorder.apply(angular_acceleration_before, wd, w, angular, rate))
        w = inward(recorder, recorder.apply(angular_velocity_before, w, angular, rate))
        p = _inward(recorder, frames[index], p)
    return FrameMotion(recorder.name(FA(BASE + 1), a), recorder.name(FWD(BASE + 1), wd))


def record_pose_in_body(
    recorder: Recorder, frames: Frames, frame: AttachedFrame
) -> tuple[UnitVectors, Quantity]:
    """Record the unit vectors and the position of a frame in the axes that its body is resolved in."""
    vectors = [
        recorder.constant(*vector)
        for vector in (*transpose(frame.pose.rotation), frame.pose.translation)
    ]
    if frame.body != BASE:
        vectors = [frames[frame.body].from_body_axes(recorder, vector) for vector in vectors]
    return tuple(vectors[:3]), vectors[3]


def complete_axes(recorder: Recorder, axes: UnitVectors) -> UnitVectors:
    """Record the second unit vector as the vector product of the others.

    It costs 6M + 3A once, and a unit vector that is rotated along costs 4M + 2A for every rotation.
    """
    x, _, z = axes
    return x, recorder.apply(cross_product, z, x), z


def name_axes(
    recorder: Recorder, symbols: tuple[Symbol, ...], index: int, axes: UnitVectors
) -> UnitVectors:
    """Name unit vectors as they are resolved in the axes of a body: ex2, ey2, ez2."""
    return tuple(
        recorder.name(symbol(index + 1), axis) for symbol, axis in zip(symbols, axes, strict=True)
    )


def begin_section(recorder: Recorder, direction: str, model: RobotModel, index: int) -> None:
    """Begin the section of a body."""
    recorder.section(f"{direction}, body {index + 1} ({model.bodies[index].name})")


def _inward(recorder: Recorder, frame: BodyFrame, position: Quantity) -> Quantity:
    """Record a position from the parent's origin, in the parent's axes."""
    rotated = frame.inward(recorder, recorder.apply(from_foot, position, frame.displacement))
    return recorder.apply(sum_of, rotated, frame.translation)
