"""The floating base: the first body of a robot, that moves freely -> gravity in its axes, and its acceleration.

The motion of the base is given in its own axes, and forces are asked for there. So its position never enters dynamics, and its
orientation, the unit quaternion (x, y, z, w), through gravity alone: R^T up for the direction up, 12 operations where gravity
is along an axis of the world, and not the nine elements of R. Forward dynamics needs not even that before its last step: all
bodies fall alike, so that it is solved for the acceleration less that of a body that falls freely (R. Featherstone, Rigid Body
Dynamics Algorithms, 2008, section 9.3, treats gravity so too).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sympy import Expr, Matrix

from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.robot.model.model import RobotModel

UP = Symbol(
    "up", "i", VECTOR, "opposite of the acceleration of gravity, in the axes of body i", "m/s^2"
)

LINEAR, ANGULAR = slice(0, 3), slice(3, 6)
"""The entries of v of a floating joint."""

_QUATERNION = slice(3, 7)  # its entries of q, behind the position


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


def vector(quantities: Iterable[Quantity]) -> Quantity:
    """The values of several quantities, scalars or vectors, as one vector."""
    values = tuple(value for quantity in quantities for value in quantity.values)
    return Quantity((len(values),), values)


def record_up(recorder: Recorder, model: RobotModel) -> Quantity:
    """Record the opposite of gravity in the axes of the base (m/s^2)."""
    return record_in_base_axes(
        recorder, recorder.constant(*(-component for component in model.gravity))
    )


def record_in_base_axes(recorder: Recorder, in_world: Quantity) -> Quantity:
    """Record the components in the base's axes of a free vector that is given in those of the world."""
    x, y, z, w = _quaternion(recorder)
    twice = recorder.apply(twice_across, x, y, z, in_world)
    return recorder.apply(rotated_back, x, y, z, w, in_world, twice)


def record_base_rotation(recorder: Recorder) -> Quantity:
    """Record the rotation matrix of the base; for kinematics, where all of it is used."""
    return recorder.apply(rotation_of, *_quaternion(recorder))


def base_position(recorder: Recorder) -> Quantity:
    """The position of the base in the base frame (m)."""
    return vector([recorder.element("q", index) for index in range(3)])


def base_quaternion(recorder: Recorder) -> Quantity:
    """The quaternion x, y, z, w of the base."""
    return vector(_quaternion(recorder))


def _quaternion(recorder: Recorder) -> list[Quantity]:
    return [recorder.element("q", index) for index in range(7)[_QUATERNION]]


def relative_to_fall(recorder: Recorder, velocities: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """Velocities with which a base that is not accelerated does not accelerate in its axes either: v at its origin is zero."""
    return (*(recorder.constant(0) for _ in velocities[LINEAR]), *velocities[ANGULAR.start :])


def record_accelerations(
    recorder: Recorder,
    model: RobotModel,
    velocities: Sequence[Quantity],
    from_fall: Sequence[Quantity],
) -> tuple[Quantity, ...]:
    """Record qdd, from a solution with gravity and w x v left out (`relative_to_fall`)."""
    up, w, v = record_up(recorder, model), vector(velocities[ANGULAR]), vector(velocities[LINEAR])
    linear = recorder.apply(acceleration_from_fall, vector(from_fall[LINEAR]), up, w, v)
    return (*linear, *from_fall[ANGULAR.start :])
