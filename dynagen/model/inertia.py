"""Inertial parameters in the form in which they are linear in the dynamics: mass, first moments, inertia about the origin."""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.description.description import CentralInertia, OriginInertia, Tensor
from dynagen.description.displacement import Vector
from dynagen.description.pose import IDENTITY, ORIGIN, Matrix, Pose, add, product, scale, transpose
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
        return InertialParameters(self.mass, add(s, scale(self.mass, p)), inertia)

    def __add__(self, other: InertialParameters) -> InertialParameters:
        """Two bodies fixed to each other, in the same frame."""
        xx, yy, zz, xy, xz, yz = (a + b for a, b in zip(self.inertia, other.inertia, strict=True))
        moment = add(self.first_moment, other.first_moment)
        return InertialParameters(self.mass + other.mass, moment, (xx, yy, zz, xy, xz, yz))

    @property
    def second_moments(self) -> Matrix:
        """Integral of x x^T dm about the frame's origin: tr(J)/2 1 - J (kg m^2)."""
        jxx, jyy, jzz, jxy, jxz, jyz = self.inertia
        half_trace = (jxx + jyy + jzz) / 2
        return (half_trace - jxx, -jxy, -jxz), (-jxy, half_trace - jyy, -jyz), (-jxz, -jyz, half_trace - jzz)
