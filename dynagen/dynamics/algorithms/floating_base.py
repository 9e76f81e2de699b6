"""The floating base: the first body of a robot, that moves freely -> gravity in its axes, and its acceleration.

The motion of the base and its forces are given in its own axes. So its position never enters dynamics, and its orientation,
the unit quaternion (x, y, z, w), enters through gravity alone: R^T up for the direction up, 12 operations where gravity is
along an axis of the world, and not the nine elements of R. Forward dynamics uses gravity only in its last step: all bodies
fall alike, so that it is solved for the acceleration relative to free fall (R. Featherstone, Rigid Body Dynamics Algorithms,
2008, section 9.3, treats gravity in the same way).
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.recording import JointMotion, Recording
from dynagen.dynamics.recording.formula import Quantity, formula, vector
from dynagen.ir.symbols import VECTOR, Symbol

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
