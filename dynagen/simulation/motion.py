"""Motion: what a simulation gives: states over time, what drove them, energies and the tool's path."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from io import StringIO

import numpy as np

from dynagen.simulation.plant import Array


@dataclass(frozen=True)
class Passage:
    """A joint that goes beyond a limit.

    Attributes:
        time: in s.
        joint: number of the coordinate, from 0.
        limit: position in rad or m.
    """

    time: float
    joint: int
    limit: float

    def __str__(self) -> str:
        return f"q{self.joint + 1} passes its limit {self.limit:.6g} at {self.time:.6g} s"


@dataclass(frozen=True)
class Motion:
    """The motion of a robot; several motions at once have another axis behind that of time.

    Attributes:
        robot: its name.
        t: times in s, shape (times,).
        q, qd: positions and rates, shape (times, ..., n), rad and rad/s or m and m/s.
        tau: joint torques or forces that drive it, likewise, in N m or N.
        kinetic, potential: energies in J, shape (times, ...).
        work: what torques, friction and a wrench have done since the start in J, likewise.
        tool: the tool's position in the base frame in m, shape (times, ..., 3).
        steps: how many the integrator took.
        passages: of joints beyond their limits.
        notes: what else is to be known of it.
        stopped: why it ends before its time; empty if it does not.
    """

    robot: str
    t: Array
    q: Array
    qd: Array
    tau: Array
    kinetic: Array
    potential: Array
    work: Array
    tool: Array
    steps: int
    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()
    stopped: str = ""

    @property
    def stopped_at_limit(self) -> bool:
        """Whether it ends early because that was asked for."""
        return self.stopped in map(str, self.passages)

    @property
    def energy_error(self) -> float:
        """Largest departure of kinetic and potential energy from what work explains, in the largest change of an energy.

        It measures the integration: with exact integration it is rounding. Energies are computed from the description.
        """
        changes = [values - values[:1] for values in (self.kinetic, self.potential, self.work)]
        scale = max(float(np.max(np.abs(change))) for change in changes)
        return float(np.max(np.abs(changes[0] + changes[1] - changes[2]))) / scale if scale else 0.0

    def to_csv(self) -> str:
        """The states as CSV with columns t, q1, ..., qd1, ...; numbers read back as they are.

        Raises:
            ValueError: there are several motions.
        """
        if self.q.ndim != 2:
            raise ValueError("several motions at once are not one table: take them one by one")
        joints = range(1, self.q.shape[1] + 1)
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["t", *(f"q{joint}" for joint in joints), *(f"qd{joint}" for joint in joints)])
        writer.writerows([repr(float(value)) for value in row] for row in np.column_stack([self.t, self.q, self.qd]))
        return text.getvalue()
