"""Exact poses, and displacements as sequences of elementary steps.

A displacement is a sequence of rotations and translations. Each step is about or along the axes of
the frame that results from the earlier steps. Examples are:

    modified Denavit-Hartenberg row   Rx(alpha) Tx(a) Rz(theta) Tz(d)
    origin of a URDF                  T(xyz) Rz(yaw) Ry(pitch) Rx(roll)

Rx and Rz are rotations about x and z, Tx and Tz translations along x and z, and T is a translation
by a vector. Angles and lengths are the exact numbers that the user wrote. A pose is a rotation
matrix and a translation; poses are composed without rounding.
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
    """A rotation by an angle (rad) about one of the axes X, Y, Z.

    Attributes:
        axis: X, Y or Z.
        name: name of the angle in descriptions, such as alpha or yaw.
    """

    axis: int
    angle: Exact
    name: str = field(default="", compare=False)


@dataclass(frozen=True)
class Translation:
    """A translation (m).

    Attributes:
        names: names of the components in descriptions.
    """

    vector: Vector
    names: tuple[str, str, str] = field(default=("x", "y", "z"), compare=False)


Displacement = tuple[Rotation | Translation, ...]
"""Rotations and translations between two frames, each in the axes after the earlier steps."""


def translate(axis: int, length: Exact, name: str = "") -> Translation:
    """Return a translation along one of the axes X, Y, Z.

    Args:
        axis: X, Y or Z.
        length: length in m.
        name: name of the length in descriptions; by default x, y or z.
    """
    x, y, z = (length if axis == component else ZERO for component in (X, Y, Z))
    return Translation((x, y, z), (name, name, name) if name else ("x", "y", "z"))


def compose(*steps: Rotation | Translation) -> Displacement:
    """Return a sequence of steps as a displacement, without rotations and translations by zero.

    Args:
        steps: rotations (rad) and translations (m).
    """
    return tuple(
        step for step in steps if (step.angle if isinstance(step, Rotation) else any(step.vector))
    )


def find_part(axis: int, step: Rotation | Translation) -> Exact | None:
    """Return the angle or length of a step that is only about or along a given axis.

    Args:
        axis: X, Y or Z.
        step: rotation or translation.

    Returns:
        The angle (rad) or length (m); None if the step involves another axis.
    """
    if isinstance(step, Rotation):
        return step.angle if step.axis == axis else None
    return (
        None
        if any(component for place, component in enumerate(step.vector) if place != axis)
        else step.vector[axis]
    )


def make_translation_and_rpy(xyz: Vector, rpy: Vector) -> Displacement:
    """Return a translation, then rotations by yaw about z, pitch about y, roll about x, as in URDF.

    Args:
        xyz: translation (m).
        rpy: roll, pitch and yaw (rad).
    """
    roll, pitch, yaw = rpy
    rotations = Rotation(Z, yaw, "yaw"), Rotation(Y, pitch, "pitch"), Rotation(X, roll, "roll")
    return compose(Translation(xyz), *rotations)


def make_rotation_onto(direction: Vector) -> Displacement:
    """Return rotations about z and then about the new y axis that turn the z axis to a direction.

    The length of the direction has no effect.
    """
    x, y, z = direction
    azimuth = Angle.from_cosine_sine(x, y) if x or y else Angle(ZERO)
    polar = Angle.from_cosine_sine(z, azimuth.cos * x + azimuth.sin * y)
    return compose(Rotation(Z, azimuth.radians), Rotation(Y, polar.radians))


Matrix = tuple[Vector, Vector, Vector]
"""A 3 x 3 matrix as its rows."""


@dataclass(frozen=True)
class Pose:
    """Pose of a frame B in a frame A.

    A point with the position x_B in B has the position x_A = rotation x_B + translation in A (m).
    """

    rotation: Matrix
    translation: Vector

    def __matmul__(self, other: Pose) -> Pose:
        """Return the pose of C in A: `self` is the pose of B in A, `other` the pose of C in B."""
        moved = self.rotate(other.translation)
        return Pose(multiply(self.rotation, other.rotation), add(self.translation, moved))

    @property
    def inverse(self) -> Pose:
        """Pose of frame A in frame B, if this is the pose of B in A."""
        back = Pose(transpose(self.rotation), ORIGIN)
        return Pose(back.rotation, scale(-ONE, back.rotate(self.translation)))

    @property
    def z_axis(self) -> Vector:
        """Direction of the z axis of B in the axes of A, if this is the pose of B in A."""
        return self.rotation[0][2], self.rotation[1][2], self.rotation[2][2]

    def rotate(self, vector: Vector) -> Vector:
        """Convert a vector from the axes of B to the axes of A, if this is the pose of B in A."""
        x, y, z = (dot(row, vector) for row in self.rotation)
        return x, y, z


def dot(left: Vector, right: Vector) -> Exact:
    """Return the scalar product of two vectors, as an exact number."""
    # The directions in a robot mostly consist of zeros.
    terms = [x * y for x, y in zip(left, right, strict=True) if x and y]
    return sum(terms[1:], terms[0]) if terms else ZERO


def cross(left: Vector, right: Vector) -> Vector:
    """Return the cross product of two vectors."""
    x, y, z = (left[i] * right[j] - left[j] * right[i] for i, j in ((1, 2), (2, 0), (0, 1)))
    return x, y, z


def add(left: Vector, right: Vector) -> Vector:
    """Return the sum of two vectors of exact numbers."""
    return left[0] + right[0], left[1] + right[1], left[2] + right[2]


def scale(factor: Exact, vector: Vector) -> Vector:
    """Return the vector `factor` times `vector`."""
    return factor * vector[0], factor * vector[1], factor * vector[2]


def transpose(matrix: Matrix) -> Matrix:
    """Return the transpose of a 3 x 3 matrix, which is the inverse of a rotation matrix."""
    x, y, z = zip(*matrix, strict=True)
    return x, y, z


def multiply(left: Matrix, right: Matrix) -> Matrix:
    """Return the product left * right of two 3 x 3 matrices."""
    columns = transpose(right)

    def times_columns(row: Vector) -> Vector:
        return dot(row, columns[0]), dot(row, columns[1]), dot(row, columns[2])

    return times_columns(left[0]), times_columns(left[1]), times_columns(left[2])


ORIGIN: Vector = (ZERO, ZERO, ZERO)
IDENTITY = Pose(((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)), ORIGIN)


def make_screw_x(alpha: Angle, a: Exact) -> Pose:
    """Return the pose after a rotation by `alpha` about x and a translation `a` (m) along x."""
    return Pose(
        ((ONE, ZERO, ZERO), (ZERO, alpha.cos, -alpha.sin), (ZERO, alpha.sin, alpha.cos)),
        (a, ZERO, ZERO),
    )


def make_screw_z(theta: Angle, d: Exact) -> Pose:
    """Return the pose after a rotation by `theta` about z and a translation `d` (m) along z."""
    return Pose(
        ((theta.cos, -theta.sin, ZERO), (theta.sin, theta.cos, ZERO), (ZERO, ZERO, ONE)),
        (ZERO, ZERO, d),
    )


def compute_pose(steps: Displacement) -> Pose:
    """Return the pose of the frame after all steps, in the frame before the first step."""
    return reduce(matmul, map(_pose_of_step, steps), IDENTITY)


def _pose_of_step(step: Rotation | Translation) -> Pose:
    if isinstance(step, Translation):
        return Pose(IDENTITY.rotation, step.vector)
    angle = Angle(step.angle)
    if step.axis == X:
        return make_screw_x(angle, ZERO)
    if step.axis == Y:
        return Pose(
            ((angle.cos, ZERO, angle.sin), (ZERO, ONE, ZERO), (-angle.sin, ZERO, angle.cos)), ORIGIN
        )
    return make_screw_z(angle, ZERO)
