"""Computed torque control at two rates: a slow background task and a fast task.

Either task can compute the gravity forces; an argument of the law selects the task.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import dynagen
from dynagen.apps.simulation.torques import Trajectory

Array = NDArray[np.float64]

KP, KD = 400.0, 40.0  # 1/s^2, 1/s


class TwoRateLaw:
    """Computed torque control law at two rates.

    A background task computes the mass matrix M, the velocity forces C qd and the gravity forces g
    once in a period. The fast task uses the results of the preceding period.
    """

    def __init__(self, robot: str, at: Trajectory, period: float, on_line: bool) -> None:
        """Compile the functions that the control law calls.

        Args:
            robot: name of the robot.
            at: trajectory to follow, as a function of time.
            period: period of the background task (s).
            on_line: whether the fast task computes the gravity forces, for the present state.
        """
        self._background, self._synchronous, self._gravity = (
            dynagen.compile(robot, name) for name in ("background", "synchronous", "gravity_forces")
        )
        self._at, self._period, self._on_line = at, period, on_line
        self._begun = -np.inf
        self._coming: tuple[Array, Array] | None = None

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Compute the joint torques (N m) for a state; calls must be in the order of time.

        Args:
            t: time (s).
            q: measured joint positions (rad), shape (n,) for n joints.
            qd: measured joint velocities (rad/s), shape (n,).
        """
        if t >= self._begun + self._period * (1 - 1e-9):
            found = self._background(q, qd), self._gravity(q)
            self._ready, self._coming, self._begun = self._coming or found, found, t
        wanted, rates, accelerations = self._at(t)
        tau = self._synchronous(
            self._ready[0], accelerations + KD * (rates - qd) + KP * (wanted - q)
        )
        torques: Array = tau + self._gravity(q) - self._ready[1] if self._on_line else tau
        return torques
