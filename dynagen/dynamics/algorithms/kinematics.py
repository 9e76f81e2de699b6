"""Kinematics of one frame. RobotModel and a frame of the user's -> its pose and its drift acceleration, recorded.

Only the bodies between the frame and the base take part. They are passed inward: every body sees where the frame is and how it
moves, from its own origin and in its axes, and hands that to its parent.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import Z, sum_of
from dynagen.dynamics.algorithms.frames import FRAMES_LEGEND, BodyFrame, Frames, joint_constants
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.model.model import BASE, AttachedFrame, RobotModel
from dynagen.model.pose import transpose

# What the recorded names stand for.
KINEMATICS_LEGEND = (
    *FRAMES_LEGEND,
    ("fx, fy, fz, fp", "unit vectors and position of the frame as body i sees them (0: the base)"),
    (
        "fv, fa, fw, fwd",
        "velocity, acceleration, angular velocity and acceleration of the frame as body i sees them (0: the base)",
    ),
)


@formula
def cross_product(left: Matrix, right: Matrix) -> Matrix:
    """Vector product."""
    return left.cross(right)


@formula
def from_foot(position: Matrix, displacement: Expr) -> Matrix:
    """Position from the foot: the point on the joint's axis where the displacement begins."""
    return position + displacement * Z


@formula
def velocity_before(v: Matrix, p: Matrix, angular: Expr, linear: Expr, rate: Expr) -> Matrix:
    """Velocity as seen from before a joint: v + qd (angular z x p + linear z)."""
    return v + angular * rate * Z.cross(p) + linear * rate * Z


@formula
def acceleration_before(a: Matrix, v: Matrix, seen_before: Matrix, angular: Expr, rate: Expr) -> Matrix:
    """Acceleration as seen from before a joint of constant rate: a + qd z x (2 v + qd z x p), v + qd z x p being known."""
    return a + angular * rate * Z.cross(v + seen_before)


@formula
def angular_velocity_before(w: Matrix, angular: Expr, rate: Expr) -> Matrix:
    """Angular velocity as seen from before a joint: w + qd z."""
    return w + angular * rate * Z


@formula
def angular_acceleration_before(wd: Matrix, w: Matrix, angular: Expr, rate: Expr) -> Matrix:
    """Angular acceleration as seen from before a joint of constant rate: wd + qd z x w."""
    return wd + angular * rate * Z.cross(w)


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

    two_axes: only two unit vectors are passed inward; the third follows from them.
    """
    axes, position = record_pose_in_body(recorder, frames, frame)
    for index in model.path_to_base(frame.body):
        begin_section(recorder, "Inward", model, index)
        axes, position = name_axes(recorder, "f", index, axes), recorder.name(f"fp{index + 1}", position)
        axes = tuple(frames[index].inward(recorder, axis) for axis in axes)
        position = _inward(recorder, frames[index], position)
    if two_axes:
        axes = complete_axes(recorder, axes)
    return name_axes(recorder, "f", BASE, axes), recorder.name("fp0", position)


def record_drift_acceleration(
    recorder: Recorder, model: RobotModel, frames: Frames, frame: AttachedFrame, rates: tuple[Quantity, ...]
) -> FrameMotion:
    """Record the acceleration of a frame while all joints keep their rates, in base axes."""
    v = a = w = wd = recorder.constant(0, 0, 0)
    p = record_pose_in_body(recorder, frames, frame)[1]
    for index in model.path_to_base(frame.body):
        begin_section(recorder, "Inward", model, index)
        p, v, a, w, wd = (
            recorder.name(f"f{stem}{index + 1}", vector)
            for stem, vector in (("p", p), ("v", v), ("a", a), ("w", w), ("wd", wd))
        )
        rate, inward = rates[model.bodies[index].joint.idx_v], frames[index].inward
        angular, linear = joint_constants(recorder, model.bodies[index])
        seen_before = recorder.apply(velocity_before, v, p, angular, linear, rate)
        a = inward(recorder, recorder.apply(acceleration_before, a, v, seen_before, angular, rate))
        v = inward(recorder, seen_before)
        wd = inward(recorder, recorder.apply(angular_acceleration_before, wd, w, angular, rate))
        w = inward(recorder, recorder.apply(angular_velocity_before, w, angular, rate))
        p = _inward(recorder, frames[index], p)
    return FrameMotion(recorder.name("fa0", a), recorder.name("fwd0", wd))


def record_pose_in_body(recorder: Recorder, frames: Frames, frame: AttachedFrame) -> tuple[UnitVectors, Quantity]:
    """Unit vectors and position of a frame in the axes that its body is resolved in."""
    vectors = [recorder.constant(*vector) for vector in (*transpose(frame.pose.rotation), frame.pose.translation)]
    if frame.body != BASE:
        vectors = [frames[frame.body].from_body_axes(recorder, vector) for vector in vectors]
    return tuple(vectors[:3]), vectors[3]


def complete_axes(recorder: Recorder, axes: UnitVectors) -> UnitVectors:
    """The same unit vectors, the second as the vector product of the others: 6M + 3A instead of 4M + 2A for every turn."""
    x, _, z = axes
    return x, recorder.apply(cross_product, z, x), z


def name_axes(recorder: Recorder, stem: str, index: int, axes: UnitVectors) -> UnitVectors:
    """Unit vectors under the names that they have at a body, such as ex2, ey2, ez2."""
    return tuple(recorder.name(f"{stem}{name}{index + 1}", axis) for name, axis in zip("xyz", axes, strict=True))


def begin_section(recorder: Recorder, direction: str, model: RobotModel, index: int) -> None:
    """Begin what is recorded for a body."""
    recorder.section(f"{direction}, body {index + 1} ({model.bodies[index].name})")


def _inward(recorder: Recorder, frame: BodyFrame, position: Quantity) -> Quantity:
    """A position from the parent's origin, in the parent's axes."""
    turned = frame.inward(recorder, recorder.apply(from_foot, position, frame.displacement))
    return recorder.apply(sum_of, turned, frame.translation)
