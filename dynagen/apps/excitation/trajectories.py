"""Trajectories: periodic joint motions as finite Fourier series, at rest at both ends."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from io import StringIO

import numpy as np

from dynagen.numbers.arrays import Array

JointMotion = tuple[Array, Array, Array]
"""Joint positions, velocities and accelerations over time, shape (times, n) each, in SI units."""


@dataclass(frozen=True)
class FourierTrajectory:
    """Periodic joint motion as a finite Fourier series (Swevers et al. 1997).

    With N harmonics and w = 2 pi / period, the velocity of every joint at time t is

        qd(t) = sum over k = 1 ... N of a_k cos(k w t) + b_k sin(k w t).

    The position q is the integral of qd, and qdd is the derivative of qd. The highest frequency in
    the motion is N / period. The measurements of several periods can be averaged. Because the
    motion is periodic and band-limited, the averages can be filtered and differentiated exactly in
    the frequency domain.

    Attributes:
        period: duration of one period in s.
        centre: constant part of q for each of n joints, shape (n,), rad or m.
        cosines, sines: coefficients a_k and b_k, shape (n, N), rad/s or m/s.
    """

    period: float
    centre: Array
    cosines: Array
    sines: Array

    def at(self, t: Array) -> JointMotion:
        """Compute positions, velocities and accelerations of the n joints in SI units.

        Args:
            t: times in s, shape (times,).

        Returns:
            q, qd and qdd, shape (times, n) each.
        """
        frequencies = 2 * np.pi / self.period * np.arange(1, self.cosines.shape[1] + 1)
        angles = np.outer(t, frequencies)
        cosine, sine = np.cos(angles), np.sin(angles)
        q = (
            self.centre
            + (sine / frequencies) @ self.cosines.T
            - (cosine / frequencies) @ self.sines.T
        )
        qd = cosine @ self.cosines.T + sine @ self.sines.T
        qdd = -(sine * frequencies) @ self.cosines.T + (cosine * frequencies) @ self.sines.T
        return q, qd, qdd

    def sample_times(self, rate: float) -> Array:
        """Return evenly spaced times from 0 to the period in s, about `rate` per second."""
        return np.linspace(0.0, self.period, max(2, round(self.period * rate) + 1))

    def to_csv(self, rate: float, in_degrees: Sequence[bool] = ()) -> str:
        """Return one period of the motion as CSV with columns t, q1, ..., qd1, ..., qdd1, ...

        Numbers in the CSV text have all significant digits.

        Args:
            rate: approximate number of rows per second; the rows divide the period evenly.
            in_degrees: for each joint, whether its columns are in degrees and have names such as
                q1_deg; if empty, all columns are in SI units.
        """
        t = self.sample_times(rate)
        turned = in_degrees or (False,) * len(self.centre)
        units = {"q": "_deg", "qd": "_deg_s", "qdd": "_deg_s2"}
        names = [
            f"{name}{joint}{unit if in_own_degrees else ''}"
            for name, unit in units.items()
            for joint, in_own_degrees in enumerate(turned, 1)
        ]
        scale = np.where(turned, 180 / np.pi, 1.0)
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["t", *names])
        writer.writerows(
            [repr(float(value)) for value in row]
            for row in np.column_stack([t, *(values * scale for values in self.at(t))])
        )
        return text.getvalue()


@dataclass(frozen=True)
class FourierBasis:
    """Basis of the periodic motions of one joint with N harmonics that are at rest at both ends.

    A joint is at rest at t = 0 if sum a_k = 0 (velocity) and sum k b_k = 0 (acceleration). Here a_k
    and b_k are the coefficients of the k-th cosine and sine in the joint velocity. The two
    equations leave m = 2 N - 1 free coefficients for each joint: the centre of the motion, and
    coordinates of the vectors a and b in orthonormal bases of the solutions.

    Attributes:
        period: duration of one period in s.
        harmonics: number N of harmonics.
    """

    period: float
    harmonics: int

    @property
    def size(self) -> int:
        """Number of free coefficients of a joint's motion: 2 N - 1 with N harmonics."""
        return 2 * self.harmonics - 1

    def make_trajectory(self, free: Array) -> FourierTrajectory:
        """Return the motion of n joints for m free coefficients per joint, shape (n, m).

        The first coefficient of a joint is the centre of its motion in rad or m. The first
        half of the other coefficients (rad/s or m/s) determines the cosines of the Fourier series,
        the second half the sines, so that the joint is at rest at both ends.
        """
        cosines, sines = self._at_rest
        centre, rest = free[:, 0], free[:, 1:]
        of_cosines, of_sines = np.split(rest, 2, axis=1)
        return FourierTrajectory(self.period, centre, of_cosines @ cosines, of_sines @ sines)

    def compute_shapes(self, t: Array) -> Array:
        """Compute the motion of one joint for a unit value of each of the m free coefficients.

        Args:
            t: times in s, shape (times,).

        Returns:
            q, qd and qdd in this order, for each time and coefficient, shape (3, times, m).
        """
        # A robot with m joints, where joint k has free number k equal to one and no others.
        return np.stack(self.make_trajectory(np.eye(self.size)).at(t))

    @cached_property
    def _at_rest(self) -> tuple[Array, Array]:
        """Orthonormal bases of the vectors a with sum a_k = 0, and of b with sum k b_k = 0.

        The basis vectors are the rows of the matrices, shape (N - 1, N).
        """
        order = np.arange(1.0, self.harmonics + 1)
        return _find_orthogonal_basis(np.ones(self.harmonics)), _find_orthogonal_basis(order)


def _find_orthogonal_basis(direction: Array) -> Array:
    """Compute an orthonormal basis of all vectors orthogonal to a vector with N entries.

    The basis vectors are the rows of the matrix, shape (N - 1, N).
    """
    rotation, _ = np.linalg.qr(direction[:, None], mode="complete")
    return rotation[:, 1:].T
