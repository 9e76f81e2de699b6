"""The pose of a floating base (position and quaternion in q), and gravity in the base's axes."""

from __future__ import annotations

from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.recording import Quantity, formula, join
from dynagen.dynamics.symbolic import Expr, Matrix
from dynagen.ir.symbols import MATRIX, VECTOR, Symbol

UP = Symbol("up", "i", VECTOR, "opposite of gravity, in the axes of body i", "m/s^2")

LINEAR, ANGULAR = slice(0, 3), slice(3, 6)
"""Entries of a floating base's velocity: linear (m/s), then angular velocity (rad/s)."""


@formula
def twice_across(x: Expr, y: Expr, z: Expr, vector: Matrix) -> Matrix:
    """Return t = 2 cross(v, u), with the vector part v = (x, y, z) of a unit quaternion.

    `vector` is u, in the axes before the rotation.
    """
    return 2 * Matrix([x, y, z]).cross(vector)


@formula
def rotated_back(x: Expr, y: Expr, z: Expr, w: Expr, vector: Matrix, twice: Matrix) -> Matrix:
    """Return R^T u = u - w t + cross(v, t), the components of a vector in the rotated axes.

    R is the rotation matrix of the unit quaternion x, y, z, w with the vector part v = (x, y, z).
    `vector` is u in the axes before the rotation; `twice` is t = 2 cross(v, u).
    """
    return vector - w * twice + Matrix([x, y, z]).cross(twice)


@formula
def rotation_of(x: Expr, y: Expr, z: Expr, w: Expr) -> Matrix:
    """Return the rotation matrix R of a unit quaternion x, y, z, w (Euler and Rodrigues), 3 x 3.

    The columns of R are the unit vectors of the rotated axes, in the axes before the rotation.
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
    """Return dv/dt + cross(w, v) + up, the acceleration of a floating base's origin minus gravity.

    All vectors are in the axes of the base. `change` is dv/dt, the derivative of the components v
    of the origin's velocity (m/s). w is the angular velocity (rad/s), and `up` is the opposite of
    gravity (m/s^2).
    """
    # w x v: the axes in which the components are taken rotate.
    return change + w.cross(v) + up


@formula
def acceleration_from_fall(acceleration: Matrix, up: Matrix, w: Matrix, v: Matrix) -> Matrix:
    """Return dv/dt = a - up - cross(w, v), the derivative of a floating base's velocity components.

    All vectors are in the axes of the base. `acceleration` is a, the acceleration of the origin
    minus gravity; `up` is the opposite of gravity (m/s^2), w the angular velocity, and v the
    velocity of the origin.
    """
    return acceleration - up - w.cross(v)


@formula
def by_point(rotation: Matrix, row: Matrix) -> Matrix:
    """Return a scalar's derivatives by the position of a floating base in the fixed frame.

    Args:
        rotation: rotation matrix of the floating base: its unit vectors in fixed axes, as columns.
        row: derivatives of the scalar by translations along the axes of the floating base (per m).
    """
    return rotation * row


@formula
def by_quaternion(x: Expr, y: Expr, z: Expr, w: Expr, row: Matrix) -> Matrix:
    """Return a scalar's derivatives by a body's quaternion x, y, z, w.

    The derivatives are 2 (w j + cross(v, j)) by v = (x, y, z), and -2 v.j by w. `row` is j, the
    scalar's derivatives by small rotations about the axes of the body.
    """
    # Inverse of the quaternion's change 1/2 (w r + v x r), -1/2 v.r on unit quaternions.
    vector, twice = Matrix([x, y, z]), 2 * row
    return Matrix([*(w * twice + vector.cross(twice)), -vector.dot(twice)])


def record_up(recording: Recording) -> Quantity:
    """Record the opposite of gravity in the axes of a floating base (m/s^2)."""
    up = recording.add_constant(*(-component for component in recording.model.gravity))
    x, y, z, w = record_base_quaternion(recording)
    # R^T up by two cross products; the nine elements of R would cost more.
    return rotated_back(x, y, z, w, up, twice_across(x, y, z, up))


def record_base_rotation(recording: Recording) -> Quantity:
    """Record a floating base's rotation matrix; its columns are the unit vectors in fixed axes."""
    return rotation_of(*record_base_quaternion(recording))


def record_base_position(recording: Recording) -> Quantity:
    """Return the position of the floating base in the fixed frame (m)."""
    return join(recording.add_element("q", index) for index in range(3))


def record_base_quaternion(recording: Recording) -> Quantity:
    """Return the quaternion x, y, z, w of the floating base."""
    return join(recording.add_element("q", index) for index in range(3, 7))


BR = Symbol(
    "br",
    "i",
    MATRIX,
    "rotation matrix of floating body i or of spherical joint i: columns are its unit vectors in "
    "the axes before the rotation",
)
