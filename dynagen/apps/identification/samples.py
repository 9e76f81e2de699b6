"""Filtered motion and measured joint forces of a log, on equal time steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dynagen.numbers.arrays import Array, Mask

PIECE = 20_000
"""Number of samples that are processed at once, to limit the memory of the regressor."""


@dataclass(frozen=True)
class Samples:
    """Motion and joint forces of a robot with n joints, in SI units.

    Attributes:
        t: times in s, shape (count,).
        q, qd, qdd: joint positions (rad or m), velocities and accelerations, shape (count, n).
        tau: forces of the motors in N m or N, friction included, shape (count, n).
        used: for each sample and joint, whether estimates use the joint's measured force, shape
            (count, n). A force is not used while the joint is at rest (dry friction is then
            unknown) or the force is saturated.
        source: name of the log, for messages.
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    used: Mask
    source: str = ""

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, rows: slice | Mask) -> Samples:
        """Return the samples of a slice or mask of rows."""
        columns = self.t, self.q, self.qd, self.qdd, self.tau
        t, q, qd, qdd, tau = (column[rows] for column in columns)
        return Samples(t, q, qd, qdd, tau, self.used[rows], self.source)

    def iterate_pieces(self) -> Iterator[Samples]:
        """Iterate over consecutive pieces of at most 20 000 samples."""
        return (self[start : start + PIECE] for start in range(0, len(self), PIECE))


def join_samples(parts: Sequence[Samples]) -> Samples:
    """Concatenate samples of several logs in the given order; times are not changed."""
    t, q, qd, qdd, tau = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("t", "q", "qd", "qdd", "tau")
    )
    used = np.concatenate([part.used for part in parts])
    return Samples(t, q, qd, qdd, tau, used, ", ".join(part.source for part in parts))


def make_samples(
    t: Array, q: Array, qd: Array, qdd: Array, tau: Array, source: str = ""
) -> Samples:
    """Return samples in which estimates use the force of every joint at every time.

    Args:
        t: times in s, shape (count,).
        q: positions in rad or m, shape (count, n).
        qd: velocities in rad/s or m/s, shape (count, n).
        qdd: accelerations in rad/s^2 or m/s^2, shape (count, n).
        tau: forces of the motors in N m or N, shape (count, n).
        source: name of the log, for messages.
    """
    return Samples(t, q, qd, qdd, tau, np.ones(tau.shape, dtype=bool), source)
