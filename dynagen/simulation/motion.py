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


@dataclass(frozen=True, repr=False)
class Motion:
    """The motion of a robot; several motions at once have another axis behind that of time.

    Attributes:
        robot: its name.
        t: times in s, shape (times,).
        q: positions, shape (times, ..., nq), rad or m.
        qd: rates, shape (times, ..., n), rad/s or m/s.
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

    def __repr__(self) -> str:
        """One line, without the arrays."""
        several = f", {self.q[0].size // self.q.shape[-1]} motions" if self.q.ndim > 2 else ""
        return f"<Motion of {self.robot}: {self.t[-1]:g} s at {len(self.t)} times{several}, {self.steps} steps>"

    @property
    def stopped_at_limit(self) -> bool:
        """Whether it ends early because that was asked for."""
        return self.stopped in map(str, self.passages)

    @property
    def energy_error(self) -> float:
        """Largest departure of kinetic and potential energy from what work explains, in units of the greatest of these.

        These are the kinetic energy, and the changes of potential energy and of work since the start. The departure measures
        the integration: with exact integration it is rounding. Potential energy is computed from the description itself.
        """
        kinetic, potential, work = (values - values[:1] for values in (self.kinetic, self.potential, self.work))
        scale = max(float(np.max(np.abs(values))) for values in (self.kinetic, potential, work))
        return float(np.max(np.abs(kinetic + potential - work))) / scale if scale else 0.0

    def to_csv(self) -> str:
        """The states as CSV with columns t, q1, ..., qd1, ...; numbers read back as they are.

        Raises:
            ValueError: there are several motions.
        """
        if self.q.ndim != 2:
            raise ValueError("several motions at once are not one table: take them one by one")
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(
            ["t", *(f"{name}{k + 1}" for name, of in (("q", self.q), ("qd", self.qd)) for k in range(of.shape[1]))]
        )
        writer.writerows([repr(float(value)) for value in row] for row in np.column_stack([self.t, self.q, self.qd]))
        return text.getvalue()
