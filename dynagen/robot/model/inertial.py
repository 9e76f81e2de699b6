"""Inertial parameters of a body: mass, first moment and inertia about the origin of its frame."""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.numbers.exact import Exact
from dynagen.robot.description import CentralInertia, OriginInertia, Tensor
from dynagen.robot.pose import (
    IDENTITY,
    ORIGIN,
    Matrix,
    Pose,
    Vector,
    add,
    multiply,
    scale,
    transpose,
)


@dataclass(frozen=True)
class InertialParameters:
    """The ten inertial parameters of a body in its frame.

    Attributes:
        mass: mass (kg).
        first_moment: mass times centre of mass (kg m).
        inertia: Jxx, Jyy, Jzz, Jxy, Jxz, Jyz about the frame's origin (kg m^2).
    """

    mass: Exact
    first_moment: Vector
    inertia: Tensor

    @classmethod
    def convert(cls, inertial: CentralInertia | OriginInertia) -> InertialParameters:
        """Return inertial parameters about the origin of a link's frame, in the link's axes.

        Args:
            inertial: data about the origin of the link's frame, or about the centre of mass.
        """
        if isinstance(inertial, OriginInertia):
            return cls(inertial.mass, inertial.first_moment, inertial.inertia)
        about_com = cls(inertial.mass, ORIGIN, inertial.inertia)
        return about_com.transform(Pose(IDENTITY.rotation, inertial.com))

    def transform(self, pose: Pose) -> InertialParameters:
        """Return the parameters of the same body in another frame A.

        With the pose (R, p) of the body's frame in A, a point x of the body has the position x_A =
        R x + p in A. The body has the mass m, the first moments s, and the second moments S, which
        are the integral of x x^T dm. In A, the second moments are

            S_A = R S R^T + (R s) p^T + p (R s)^T + m p p^T.

        The inertia in A is J_A = tr(S_A) E - S_A, with the identity matrix E.

        Args:
            pose: pose (R, p) of the body's frame in A.
        """
        p, s = pose.translation, pose.rotate(self.first_moment)  # both in the axes of A
        rotated = multiply(multiply(pose.rotation, self.second_moments), transpose(pose.rotation))

        def moment(i: int, j: int) -> Exact:
            return rotated[i][j] + s[i] * p[j] + p[i] * s[j] + self.mass * p[i] * p[j]

        xx, yy, zz = moment(0, 0), moment(1, 1), moment(2, 2)
        inertia = (yy + zz, xx + zz, xx + yy, -moment(0, 1), -moment(0, 2), -moment(1, 2))
        return InertialParameters(self.mass, add(s, scale(self.mass, p)), inertia)

    def __add__(self, other: InertialParameters) -> InertialParameters:
        """Return the parameters of two bodies together; both arguments refer to the same frame."""
        xx, yy, zz, xy, xz, yz = (a + b for a, b in zip(self.inertia, other.inertia, strict=True))
        moment = add(self.first_moment, other.first_moment)
        return InertialParameters(self.mass + other.mass, moment, (xx, yy, zz, xy, xz, yz))

    @property
    def second_moments(self) -> Matrix:
        """Second moments about the frame's origin (kg m^2), the integral of x x^T dm.

        They equal tr(J)/2 E - J, with the inertia J about the origin and the identity matrix E.
        """
        jxx, jyy, jzz, jxy, jxz, jyz = self.inertia
        half_trace = (jxx + jyy + jzz) / 2
        return (
            (half_trace - jxx, -jxy, -jxz),
            (-jxy, half_trace - jyy, -jyz),
            (-jxz, -jyz, half_trace - jzz),
        )
