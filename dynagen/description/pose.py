"""Exact poses: a rotation matrix and a translation, composed without rounding."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import matmul

from dynagen.description.displacement import Displacement, Rotation, Translation, Vector, X, Y
from dynagen.numbers.angle import Angle
from dynagen.numbers.exact import ONE, ZERO, Exact

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
    return Pose(((ONE, ZERO, ZERO), (ZERO, alpha.cos, -alpha.sin), (ZERO, alpha.sin, alpha.cos)), (a, ZERO, ZERO))


def screw_z(theta: Angle, d: Exact) -> Pose:
    """Rz(theta) Tz(d)."""
    return Pose(((theta.cos, -theta.sin, ZERO), (theta.sin, theta.cos, ZERO), (ZERO, ZERO, ONE)), (ZERO, ZERO, d))


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
        return Pose(((angle.cos, ZERO, angle.sin), (ZERO, ONE, ZERO), (-angle.sin, ZERO, angle.cos)), ORIGIN)
    return screw_z(angle, ZERO)
