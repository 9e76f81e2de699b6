"""Inertial parameters in the form in which they are linear in the dynamics: mass, first moments, inertia about the origin."""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.description.description import CentralInertia, OriginInertia, Tensor
from dynagen.description.displacement import Vector
from dynagen.description.pose import IDENTITY, ORIGIN, Matrix, Pose, product, transpose
from dynagen.numbers.exact import Exact


@dataclass(frozen=True)
class InertialParameters:
    """Ten inertial parameters of a body in its frame.

    Attributes:
        mass: kg.
        first_moment: mass times centre of mass, kg m.
        inertia: Jxx, Jyy, Jzz, Jxy, Jxz, Jyz about the frame's origin, kg m^2.
    """

    mass: Exact
    first_moment: Vector
    inertia: Tensor

    @classmethod
    def of(cls, inertial: CentralInertia | OriginInertia) -> InertialParameters:
        """From either form of a description."""
        if isinstance(inertial, OriginInertia):
            return cls(inertial.mass, inertial.first_moment, inertial.inertia)
        about_com = cls(inertial.mass, ORIGIN, inertial.inertia)
        return about_com.seen_from(Pose(IDENTITY.rotation, inertial.com))

    def seen_from(self, pose: Pose) -> InertialParameters:
        """The same body in frame A, where `pose` is its own frame in A.

        The second moments S = integral of x x^T dm transform as R S R^T + (R s) p^T + p (R s)^T + m p p^T; J = tr(S) 1 - S.
        """
        p, s = pose.translation, pose.rotate(self.first_moment)
        rotated = product(product(pose.rotation, self.second_moments), transpose(pose.rotation))

        def moment(i: int, j: int) -> Exact:
            return rotated[i][j] + s[i] * p[j] + p[i] * s[j] + self.mass * p[i] * p[j]

        xx, yy, zz = moment(0, 0), moment(1, 1), moment(2, 2)
        inertia = (yy + zz, xx + zz, xx + yy, -moment(0, 1), -moment(0, 2), -moment(1, 2))
        moved = (s[0] + self.mass * p[0], s[1] + self.mass * p[1], s[2] + self.mass * p[2])
        return InertialParameters(self.mass, moved, inertia)

    def __add__(self, other: InertialParameters) -> InertialParameters:
        """Two bodies fixed to each other, in the same frame."""
        (x, y, z), (u, v, w) = self.first_moment, other.first_moment
        a, b = self.inertia, other.inertia
        inertia = (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])
        return InertialParameters(self.mass + other.mass, (x + u, y + v, z + w), inertia)

    def __sub__(self, other: InertialParameters) -> InertialParameters:
        """The rest of a body without a part of it, in the same frame."""
        (x, y, z), (u, v, w) = self.first_moment, other.first_moment
        a, b = self.inertia, other.inertia
        inertia = (a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5])
        return InertialParameters(self.mass - other.mass, (x - u, y - v, z - w), inertia)

    @property
    def second_moments(self) -> Matrix:
        """Integral of x x^T dm about the frame's origin: tr(J)/2 1 - J (kg m^2)."""
        jxx, jyy, jzz, jxy, jxz, jyz = self.inertia
        half_trace = (jxx + jyy + jzz) / 2
        return (half_trace - jxx, -jxy, -jxz), (-jxy, half_trace - jyy, -jyz), (-jxz, -jyz, half_trace - jzz)
