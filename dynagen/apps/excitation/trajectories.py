"""Trajectories: finite Fourier series that begin and end at rest, for motions that are repeated and measured."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cached_property
from io import StringIO

import numpy as np

from dynagen.apps.identification.samples import Array

JointMotion = tuple[Array, Array, Array]
"""q, qd and qdd at some times, each of shape (times, n), in rad or m and their derivatives by time."""


@dataclass(frozen=True)
class FourierTrajectory:
    """A periodic motion (Swevers et al. 1997).

    With w = 2 pi / period, for every joint

        qd(t) = sum over k = 1 ... N of a_k cos(k w t) + b_k sin(k w t),

    and q and qdd are its integral and its derivative. Its spectrum ends at N / period, so that measurements of several
    periods can be averaged, and filtered and differentiated in the frequency domain without error.

    Attributes:
        period: in s.
        centre: what q swings about, shape (n,), rad or m.
        cosines, sines: a and b, shape (n, N), rad/s or m/s.
    """

    period: float
    centre: Array
    cosines: Array
    sines: Array

    def at(self, t: Array) -> JointMotion:
        """Positions, rates and accelerations at times t, shape (times,)."""
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

    def times(self, rate: float) -> Array:
        """Times of one period at about `rate` Hz, its first and its last moment among them."""
        return np.linspace(0.0, self.period, max(2, round(self.period * rate) + 1))

    def to_csv(self, rate: float) -> str:
        """One period at `rate` Hz as CSV with the columns t, q1, ..., qd1, ..., qdd1, ...; numbers read back as they are."""
        t = self.times(rate)
        names = [
            f"{name}{joint + 1}" for name in ("q", "qd", "qdd") for joint in range(len(self.centre))
        ]
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["t", *names])
        writer.writerows(
            [repr(float(value)) for value in row] for row in np.column_stack([t, *self.at(t)])
        )
        return text.getvalue()


@dataclass(frozen=True)
class FourierBasis:
    """The motions of one joint with a period and a number of harmonics that begin and end at rest, as a linear space.

    Rest takes two equations of each joint: rates vanish at t = 0 if sum a_k = 0, accelerations if sum k b_k = 0. What these
    leave free are m = 2 N - 1 numbers: the centre and coordinates in orthonormal bases of the a and of the b.
    """

    period: float
    harmonics: int

    @property
    def size(self) -> int:
        """The number m of free numbers of a joint."""
        return 2 * self.harmonics - 1

    def trajectory(self, free: Array) -> FourierTrajectory:
        """The motion with these free numbers, shape (n, m)."""
        cosines, sines = self._at_rest
        centre, rest = free[:, 0], free[:, 1:]
        of_cosines, of_sines = np.split(rest, 2, axis=1)
        return FourierTrajectory(self.period, centre, of_cosines @ cosines, of_sines @ sines)

    def shapes(self, t: Array) -> Array:
        """What each free number gives to q, qd and qdd at times t: shape (3, times, m)."""
        every = self.trajectory(
            np.eye(self.size)
        )  # as if the free numbers were joints of their own
        return np.stack(every.at(t))

    @cached_property
    def _at_rest(self) -> tuple[Array, Array]:
        """Orthonormal bases of the a with sum a_k = 0 and of the b with sum k b_k = 0, shape (N - 1, N) each."""
        order = np.arange(1.0, self.harmonics + 1)
        return _orthogonal_to(np.ones(self.harmonics)), _orthogonal_to(order)


def _orthogonal_to(direction: Array) -> Array:
    """An orthonormal basis of everything that is orthogonal to a vector with N entries, shape (N - 1, N)."""
    rotation, _ = np.linalg.qr(direction[:, None], mode="complete")
    return rotation[:, 1:].T
