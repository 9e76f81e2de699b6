"""Exact poses, and displacements as elementary steps.

Displacements between frames as elementary steps, each about or along the axes that the steps before it have led to.

Every input syntax writes its constant transforms so: Rx(alpha) Tx(a) Rz(theta) Tz(d) is a modified Denavit-Hartenberg row,
T(xyz) Rz(yaw) Ry(pitch) Rx(roll) the origin of a URDF. Angles and lengths stay the exact numbers that the user wrote.

Exact poses: a rotation matrix and a translation, composed without rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import matmul

from dynagen.numbers.exact import ONE, ZERO, Angle, Exact

Vector = tuple[Exact, Exact, Exact]

X, Y, Z = range(3)


@dataclass(frozen=True)
class Rotation:
    """A rotation by an angle (rad) about one of the axes X, Y, Z; its name is the one that descriptions have for the angle."""

    axis: int
    angle: Exact
    name: str = field(default="", compare=False)


@dataclass(frozen=True)
class Translation:
    """A translation (m); descriptions have these names for its components."""

    vector: Vector
    names: tuple[str, str, str] = field(default=("x", "y", "z"), compare=False)


Displacement = tuple[Rotation | Translation, ...]
"""Frame B in frame A: the steps that lead from A to B, in this order."""


def along(axis: int, length: Exact, name: str = "") -> Translation:
    """A translation along one of the axes X, Y, Z, which descriptions call so."""
    x, y, z = (length if axis == each else ZERO for each in (X, Y, Z))
    return Translation((x, y, z), (name, name, name) if name else ("x", "y", "z"))


def displacement(*steps: Rotation | Translation) -> Displacement:
    """The steps that do something: those by a zero are left out."""
    return tuple(
        step for step in steps if (step.angle if isinstance(step, Rotation) else any(step.vector))
    )


def part_about(axis: int, step: Rotation | Translation) -> Exact | None:
    """The angle or length of a step that is about or along one of the axes X, Y, Z and no other; None if it is not."""
    if isinstance(step, Rotation):
        return step.angle if step.axis == axis else None
    return (
        None
        if any(component for place, component in enumerate(step.vector) if place != axis)
        else step.vector[axis]
    )


def translation_and_rpy(xyz: Vector, rpy: Vector) -> Displacement:
    """T(xyz) Rz(yaw) Ry(pitch) Rx(roll), as URDF has it, with rpy = (roll, pitch, yaw) in rad."""
    roll, pitch, yaw = rpy
    rotations = Rotation(Z, yaw, "yaw"), Rotation(Y, pitch, "pitch"), Rotation(X, roll, "roll")
    return displacement(Translation(xyz), *rotations)


def rotation_onto(direction: Vector) -> Displacement:
    """Rz(azimuth) Ry(polar angle): rotates z onto a direction, whose length does not count; nothing for z itself."""
    x, y, z = direction
    azimuth = Angle.from_cosine_sine(x, y) if x or y else Angle(ZERO)
    polar = Angle.from_cosine_sine(z, azimuth.cos * x + azimuth.sin * y)
    return displacement(Rotation(Z, azimuth.radians), Rotation(Y, polar.radians))


Matrix = tuple[Vector, Vector, Vector]
"""Rows of a 3 x 3 matrix."""


@dataclass(frozen=True)
class Pose:
    """Frame B in frame A: x_A = rotation x_B + translation (m)."""

    rotation: Matrix
    translation: Vector

    def __matmul__(self, other: Pose) -> Pose:
        """Frame C in frame A, from B in A and C in B."""
        moved = self.rotate(other.translation)
        return Pose(product(self.rotation, other.rotation), add(self.translation, moved))

    @property
    def inverse(self) -> Pose:
        """Frame A in frame B."""
        back = Pose(transpose(self.rotation), ORIGIN)
        return Pose(back.rotation, scale(-ONE, back.rotate(self.translation)))

    @property
    def z_axis(self) -> Vector:
        """Direction of B's z axis, in A."""
        return self.rotation[0][2], self.rotation[1][2], self.rotation[2][2]

    def rotate(self, vector: Vector) -> Vector:
        """Components in A of a free vector given in B."""
        x, y, z = (dot(row, vector) for row in self.rotation)
        return x, y, z


def dot(left: Vector, right: Vector) -> Exact:
    """Scalar product."""
    return left[0] * right[0] + left[1] * right[1] + left[2] * right[2]


def cross(left: Vector, right: Vector) -> Vector:
    """Vector product."""
    x, y, z = (left[i] * right[j] - left[j] * right[i] for i, j in ((1, 2), (2, 0), (0, 1)))
    return x, y, z


def add(left: Vector, right: Vector) -> Vector:
    """Sum of two vectors."""
    return left[0] + right[0], left[1] + right[1], left[2] + right[2]


def scale(factor: Exact, vector: Vector) -> Vector:
    """Multiple of a vector."""
    return factor * vector[0], factor * vector[1], factor * vector[2]


def transpose(matrix: Matrix) -> Matrix:
    """Transpose: of a rotation, its inverse."""
    x, y, z = zip(*matrix, strict=True)
    return x, y, z


def product(left: Matrix, right: Matrix) -> Matrix:
    """Matrix product."""
    columns = transpose(right)

    def row(of: Vector) -> Vector:
        return dot(of, columns[0]), dot(of, columns[1]), dot(of, columns[2])

    return row(left[0]), row(left[1]), row(left[2])


ORIGIN: Vector = (ZERO, ZERO, ZERO)
IDENTITY = Pose(((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)), ORIGIN)


def screw_x(alpha: Angle, a: Exact) -> Pose:
    """Rx(alpha) Tx(a)."""
    return Pose(
        ((ONE, ZERO, ZERO), (ZERO, alpha.cos, -alpha.sin), (ZERO, alpha.sin, alpha.cos)),
        (a, ZERO, ZERO),
    )


def screw_z(theta: Angle, d: Exact) -> Pose:
    """Rz(theta) Tz(d)."""
    return Pose(
        ((theta.cos, -theta.sin, ZERO), (theta.sin, theta.cos, ZERO), (ZERO, ZERO, ONE)),
        (ZERO, ZERO, d),
    )


def pose_after(steps: Displacement) -> Pose:
    """The frame that some steps lead to, in the one that they begin in."""
    return reduce(matmul, map(_step, steps), IDENTITY)


def _step(step: Rotation | Translation) -> Pose:
    if isinstance(step, Translation):
        return Pose(IDENTITY.rotation, step.vector)
    angle = Angle(step.angle)
    if step.axis == X:
        return screw_x(angle, ZERO)
    if step.axis == Y:
        return Pose(
            ((angle.cos, ZERO, angle.sin), (ZERO, ONE, ZERO), (-angle.sin, ZERO, angle.cos)), ORIGIN
        )
    return screw_z(angle, ZERO)
