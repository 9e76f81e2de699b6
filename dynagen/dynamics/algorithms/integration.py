"""Integration: the state one time step later, from the state and accelerations.

Joint positions are numbers, to which velocities times the step are added. The pose of a floating
base moves along and about its own axes. With the twist (v, w) held through the step, the pose is
multiplied by the exponential of (v, w) dt (R. M. Murray, Z. Li, S. S. Sastry, "A Mathematical
Introduction to Robotic Manipulation", 1994, section 2.3). So the quaternion keeps unit length, as
in Pinocchio's `integrate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sympy import Expr, Matrix, sqrt

from dynagen.dynamics.algorithms.frames import (
    ANGULAR,
    LINEAR,
    record_base_position,
    record_base_quaternion,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.recording import Quantity, formula, join
from dynagen.ir.program import Argument
from dynagen.ir.symbols import SCALAR, VECTOR, Symbol
from dynagen.numbers.exact import ONE, Exact
from dynagen.robot.model.model import RobotModel

STEP_LENGTH = "dt"
"""Name of the input for the length of a step."""

# In rad^2. It vanishes next to the square of any relevant angle, in single precision too.
_TINY = Exact("1e-37")

ANGLE = Symbol("phi", "i", SCALAR, "angle by which body i rotates in the step", "rad")
ROTATION = Symbol("rot", "i", VECTOR, "rotation of body i in the step, in its axes", "rad")
TRANSLATION = Symbol("tra", "i", VECTOR, "translation of body i in the step, in its axes", "m")


@formula
def advance(value: Expr, step: Expr, derivative: Expr) -> Expr:
    """Return x + dt xd: a number after a step with constant derivative."""
    return value + step * derivative


@formula
def angle_of(rotation: Matrix, tiny: Expr) -> Expr:
    """Return the angle of a rotation vector, plus a tiny number that makes division by it safe."""
    return sqrt(rotation.dot(rotation) + tiny)


@formula
def moved_by_twist(
    rotation: Matrix, along: Matrix, share: Expr, cosine: Expr, angle: Expr
) -> Matrix:
    """Return the translation of a constant twist: V u.

    V = 1 + (1 - cos phi)/phi^2 [r] + (phi - sin phi)/phi^3 [r]^2. With k = sin(phi/2)/phi, 1 - cos
    phi = 2 k^2 phi^2 and sin phi = 2 k cos(phi/2) phi. So nothing cancels in the coefficient of r x
    u, and the cancellation in the other coefficient is of the order of phi^2.

    Args:
        rotation: r, rotation vector of the step.
        along: u, linear velocity times the step.
        share: k.
        cosine: cos(phi/2).
        angle: phi.
    """
    # [r]^2 u = r x (r x u).
    across = rotation.cross(along)
    return (
        along + 2 * share**2 * across + (1 - 2 * share * cosine) / angle**2 * rotation.cross(across)
    )


@formula
def rotated_quaternion(quaternion: Matrix, vector: Matrix, scalar: Expr) -> Matrix:
    """Return the product of a quaternion (x, y, z, w) with one of this vector and scalar part."""
    x, y, z, w = quaternion
    part = Matrix([x, y, z])
    rotated = w * vector + scalar * part + part.cross(vector)
    return Matrix([*rotated, w * scalar - part.dot(vector)])


@formula
def moved_point(position: Matrix, quaternion: Matrix, shift: Matrix) -> Matrix:
    """Return the point p + R u with R from a unit quaternion, without the matrix of R."""
    x, y, z, w = quaternion
    part = Matrix([x, y, z])
    twice = 2 * part.cross(shift)
    return position + shift + w * twice + part.cross(twice)


def make_step_argument(model: RobotModel) -> tuple[Argument, ...]:
    """Return the input `dt`, the length of a step (s)."""
    return (Argument(STEP_LENGTH, (), ("s",), "length of the step"),)


def record_next_velocities(
    recording: Recording, accelerations: Iterable[Quantity]
) -> tuple[Quantity, ...]:
    """Record the velocities after a step with constant accelerations."""
    recording.begin_section("Velocities after the step")
    step = recording.add_element(STEP_LENGTH)
    return tuple(
        advance(qd, step, qdd) for qd, qdd in zip(recording.velocities, accelerations, strict=True)
    )


def record_next_positions(
    recording: Recording, velocities: Sequence[Quantity], step: Quantity
) -> tuple[Quantity, ...]:
    """Record the positions after a step of this length with constant velocities."""
    recording.begin_section("Positions after the step")
    positions: list[Quantity] = []
    for number, body in enumerate(recording.model.bodies, start=1):
        joint = body.joint
        if body.is_free:
            positions += _record_next_pose(recording, step, velocities)
        elif body.column == 0:
            turning = join(velocities[joint.idx_v : joint.idx_v + 3])
            quaternion = join(
                recording.add_element("q", entry) for entry in range(joint.idx_q, joint.idx_q + 4)
            )
            rotation = (step * turning).name(ROTATION(number))
            positions.append(_record_turn(recording, number, rotation, quaternion))
        elif body.column is None and joint.nv:
            position = recording.add_element("q", joint.idx_q)
            positions.append(advance(position, step, velocities[joint.idx_v]))
    return tuple(positions)


def _record_turn(
    recording: Recording, number: int, rotation: Quantity, quaternion: Quantity
) -> Quantity:
    """Record a quaternion after a rotation vector, in axes that turn with the quaternion."""
    angle = angle_of(rotation, _TINY).name(ANGLE(number))
    sine, cosine = recording.recorder.add_sine_cosine(angle * (ONE / 2))
    # sin(phi/2) / phi; the tiny term in phi makes it 1/2 at rest.
    return rotated_quaternion(quaternion, sine / angle * rotation, cosine)


def _record_next_pose(
    recording: Recording, step: Quantity, velocities: Sequence[Quantity]
) -> tuple[Quantity, ...]:
    """Record position and quaternion of a floating base after a step with a constant twist."""
    # Rotation and translation of the step are in the axes of the base at its beginning.
    rotation = (step * join(velocities[ANGULAR])).name(ROTATION(1))
    along = step * join(velocities[LINEAR])
    angle = angle_of(rotation, _TINY).name(ANGLE(1))
    # Half angles serve both the quaternion and V.
    sine, cosine = recording.recorder.add_sine_cosine(angle * (ONE / 2))
    # k = sin(phi/2) / phi; the tiny term in phi makes it 1/2 at rest.
    share = sine / angle
    translation = moved_by_twist(rotation, along, share, cosine, angle).name(TRANSLATION(1))
    quaternion = record_base_quaternion(recording)
    # R u is the translation in the base frame.
    position = moved_point(record_base_position(recording), quaternion, translation)
    return position, rotated_quaternion(quaternion, share * rotation, cosine)
