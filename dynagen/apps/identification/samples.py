"""Samples: motion and measured joint forces at many moments, ready for the regressor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PIECE = 20_000
"""Samples that are looked at together."""

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Samples:
    """Motion and joint forces of a robot with n joints, in SI units.

    Attributes:
        t: times in s, shape (count,).
        q, qd, qdd: positions (rad or m), rates and accelerations, shape (count, n).
        tau: forces that the motors give, in N m or N, friction among what they overcome, likewise.
        used: which of the equations, one a sample and joint, are to count, likewise: not those of a joint that stands, whose
            dry friction is unknown, nor those whose measured force is saturated.
        source: where they come from, for messages.
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
        """Some of the samples."""
        columns = self.t, self.q, self.qd, self.qdd, self.tau
        t, q, qd, qdd, tau = (column[rows] for column in columns)
        return Samples(t, q, qd, qdd, tau, self.used[rows], self.source)

    def pieces(self) -> Iterator[Samples]:
        """All samples in their order, some thousands at a time, so that their regressor is never in memory as a whole."""
        return (self[start : start + PIECE] for start in range(0, len(self), PIECE))


def joined(parts: Sequence[Samples]) -> Samples:
    """Samples of several logs one behind the other; times are each log's own."""
    t, q, qd, qdd, tau = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("t", "q", "qd", "qdd", "tau")
    )
    used = np.concatenate([part.used for part in parts])
    return Samples(t, q, qd, qdd, tau, used, ", ".join(part.source for part in parts))


def samples_of(t: Array, q: Array, qd: Array, qdd: Array, tau: Array, source: str = "") -> Samples:
    """Samples that all count."""
    return Samples(t, q, qd, qdd, tau, np.ones(tau.shape, dtype=bool), source)
