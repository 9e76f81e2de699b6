"""Integration: state and accelerations -> the state a step of time later, on vector spaces and on the group of poses.

Positions of joints are numbers, to which velocities times the step are added. The pose of a floating base moves along and
about its own axes: with the twist (v, w) held through the step it is multiplied by the exponential of (v, w) dt (R. M. Murray,
Z. Li, S. S. Sastry, "A Mathematical Introduction to Robotic Manipulation", 1994, section 2.3), so that its quaternion stays of
unit length, as in Pinocchio's `integrate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sympy import Expr, Matrix, sqrt

from dynagen.dynamics.algorithms.frames import ANGULAR, LINEAR, base_position, base_quaternion
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.recording import Quantity, formula, vector
from dynagen.ir.program import Argument
from dynagen.ir.symbols import SCALAR, VECTOR, Symbol
from dynagen.numbers.exact import ONE, Exact
from dynagen.robot.model.model import RobotModel

STEP_LENGTH = "dt"
"""The name of the input that is the length of a step."""

_TINY = Exact(
    "1e-37"
)  # (rad^2) vanishes next to the square of any angle that matters, in single precision too

ANGLE = Symbol("phi", "i", SCALAR, "angle by which body i rotates in the step", "rad")
ROTATION = Symbol("rot", "i", VECTOR, "rotation of body i in the step, in its axes", "rad")
TRANSLATION = Symbol("tra", "i", VECTOR, "translation of body i in the step, in its axes", "m")


@formula
def advance(value: Expr, step: Expr, derivative: Expr) -> Expr:
    """A number after a step in which its derivative by time is constant: x + dt xd."""
    return value + step * derivative


@formula
def angle_of(rotation: Matrix, tiny: Expr) -> Expr:
    """The angle of a rotation vector, and a tiny bit more, so that one may divide by it."""
    return sqrt(rotation.dot(rotation) + tiny)


@formula
def moved_by_twist(
    rotation: Matrix, along: Matrix, share: Expr, cosine: Expr, angle: Expr
) -> Matrix:
    """The translation of a constant twist: V u with V = 1 + (1 - cos phi)/phi^2 [r] + (phi - sin phi)/phi^3 [r]^2.

    share: k = sin(phi/2)/phi, so that 1 - cos phi = 2 k^2 phi^2 and sin phi = 2 k cos(phi/2) phi: nothing cancels in the
        coefficient of r x u, and the cancellation in the other is as small as phi^2.
    """
    across = rotation.cross(along)
    return (
        along + 2 * share**2 * across + (1 - 2 * share * cosine) / angle**2 * rotation.cross(across)
    )


@formula
def rotated_quaternion(quaternion: Matrix, vector: Matrix, scalar: Expr) -> Matrix:
    """The product of the quaternion (x, y, z, w) with one that has this vector and this scalar part."""
    x, y, z, w = quaternion
    part = Matrix([x, y, z])
    rotated = w * vector + scalar * part + part.cross(vector)
    return Matrix([*rotated, w * scalar - part.dot(vector)])


@formula
def moved_point(position: Matrix, quaternion: Matrix, shift: Matrix) -> Matrix:
    """The point p + R u, by the rotation of a unit quaternion, without its matrix."""
    x, y, z, w = quaternion
    part = Matrix([x, y, z])
    twice = 2 * part.cross(shift)
    return position + shift + w * twice + part.cross(twice)


def step_argument(model: RobotModel) -> tuple[Argument, ...]:
    """The length of a step, an input."""
    return (Argument(STEP_LENGTH, (), ("s",), "length of the step"),)


def record_next_velocities(
    recording: Recording, accelerations: Iterable[Quantity]
) -> tuple[Quantity, ...]:
    """Record the velocities after a step with constant accelerations."""
    recording.section("Rates after the step")
    step = recording.element(STEP_LENGTH)
    return tuple(
        advance(qd, step, qdd) for qd, qdd in zip(recording.velocities, accelerations, strict=True)
    )


def record_next_positions(
    recording: Recording, velocities: Sequence[Quantity]
) -> tuple[Quantity, ...]:
    """Record the positions after a step with constant velocities."""
    recording.section("Positions after the step")
    step = recording.element(STEP_LENGTH)
    pose = _record_next_pose(recording, step, velocities) if recording.model.floats else ()
    joints = [body.joint for body in recording.model.coordinates if not body.is_free]
    return (
        *pose,
        *(
            advance(recording.element("q", each.idx_q), step, velocities[each.idx_v])
            for each in joints
        ),
    )


def _record_next_pose(
    recording: Recording, step: Quantity, velocities: Sequence[Quantity]
) -> tuple[Quantity, ...]:
    """Record position and quaternion of a floating base after a step with a constant twist."""
    rotation = (step * vector(velocities[ANGULAR])).name(ROTATION(1))  # in the axes of the base
    along = step * vector(velocities[LINEAR])
    angle = angle_of(rotation, _TINY).name(ANGLE(1))
    sine, cosine = recording.recorder.sine_cosine(angle * (ONE / 2))
    share = sine / angle
    translation = moved_by_twist(rotation, along, share, cosine, angle).name(TRANSLATION(1))
    quaternion = base_quaternion(recording)
    position = moved_point(base_position(recording), quaternion, translation)
    return position, rotated_quaternion(quaternion, share * rotation, cosine)
