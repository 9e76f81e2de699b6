"""Torques of a simulated robot, from a table, a function or a controller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from dynagen.numbers.arrays import Array
from dynagen.robot.motion_tables import read_motion_table
from dynagen.runtime.api import AnyRobot, compile
from dynagen.runtime.ufunc import Ufunc

Torques = Callable[[float, Array, Array], Array]
"""Function (t, q, qd) -> joint forces in N m or N, shape (..., n), at time t in s."""
Trajectory = Callable[[float], tuple[Array, Array, Array]]
"""Reference motion of a controller: function of the time t in s to (q, qd, qdd), (n,) each."""


def return_zero_torques(t: float, q: Array, qd: Array) -> Array:
    """Return zero joint forces with the shape of the velocities qd; t and q are not used."""
    return np.zeros(np.shape(qd))


@dataclass(frozen=True)
class Table:
    """Table of values over time, which are constant before the first and after the last row.

    Between two rows, the values are interpolated linearly.

    Attributes:
        times: ascending times in s, shape (rows,).
        values: values such as joint forces or positions, one row for each time, shape (rows,
            columns).
    """

    times: Array
    values: Array

    def at(self, t: float) -> Array:
        """Return the interpolated values at a time t in s, shape (columns,)."""
        row = int(np.clip(np.searchsorted(self.times, t) - 1, 0, len(self.times) - 2))
        share = np.clip((t - self.times[row]) / (self.times[row + 1] - self.times[row]), 0.0, 1.0)
        values: Array = self.values[row] + share * (self.values[row + 1] - self.values[row])
        return values

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Return the interpolated row at time t (s) as joint forces; q and qd are not used."""
        return np.broadcast_to(self.at(t), np.shape(qd))


@dataclass(frozen=True)
class Sampled:
    """Controller that is called once per period; between calls the torques are constant.

    Attributes:
        law: control law (t, q, qd) -> tau, the forces of n joints in N m or N, shape (n,).
        period: sampling period in s.
    """

    law: Torques
    period: float


@dataclass(frozen=True)
class ComputedTorque:
    """Computed torque: tau = M (qdd_r + kd (qd_r - qd) + kp (q_r - q)) + C qd + g.

    M is the mass matrix, and C qd + g are the bias forces. The control law is from Luh, Walker and
    Paul (1980).

    Attributes:
        inverse_dynamics: compiled inverse dynamics of the controller's model of the robot.
        trajectory: reference motion, a function of time that returns (q_r, qd_r, qdd_r).
        kp: position gains in 1/s^2, shape (n,) or a number for all joints.
        kd: velocity gains in 1/s, shape (n,) or a number.
    """

    inverse_dynamics: Ufunc
    trajectory: Trajectory
    kp: Array
    kd: Array

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Return the joint forces in N m or N at time t (s), positions q and velocities qd."""
        q_reference, qd_reference, qdd_reference = self.trajectory(t)
        tau: Array = self.inverse_dynamics(
            q, qd, qdd_reference + self.kd * (qd_reference - qd) + self.kp * (q_reference - q)
        )
        return tau


@dataclass(frozen=True)
class PDPlusGravity:
    """PD control with gravity compensation: tau = kp (q_r - q) + kd (qd_r - qd) + g(q).

    With gravity forces g, constant q_r and positive gains, the controlled robot is stable (Takegaki
    and Arimoto 1981).

    Attributes:
        gravity_forces: compiled gravity forces of the controller's model of the robot.
        trajectory: reference motion, a function of time that returns (q_r, qd_r, qdd_r).
        kp: position gains in N m/rad or N/m, shape (n,) or a number for all joints.
        kd: velocity gains in N m s/rad or N s/m, shape (n,) or a number.
    """

    gravity_forces: Ufunc
    trajectory: Trajectory
    kp: Array
    kd: Array

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Return the joint forces in N m or N at time t (s), positions q and velocities qd."""
        q_reference, qd_reference, _ = self.trajectory(t)
        tau: Array = (
            self.kp * (q_reference - q) + self.kd * (qd_reference - qd) + self.gravity_forces(q)
        )
        return tau


class TwoRate:
    """Computed torque at two rates (Izaguirre, Hashimoto, Paul, Hayward 1992).

    A simulated background task updates the mass matrix M and the bias forces once per background
    period. Each call of the controller computes the torques by the law of `ComputedTorque`, with M
    and the bias forces of the last complete update.
    """

    def __init__(
        self,
        robot: AnyRobot,
        trajectory: Trajectory,
        kp: ArrayLike,
        kd: ArrayLike,
        background_period: float,
    ) -> None:
        """Compile the generated functions `background` and `synchronous` for a robot of n joints.

        `background` computes the mass matrix M and the bias forces; `synchronous` computes the
        torques from these and from requested accelerations.

        Args:
            robot: the controller's model of the robot.
            trajectory: the reference motion, a function t -> (q_r, qd_r, qdd_r), shape (n,) each.
            kp: position gains in 1/s^2, shape (n,) or a number for all joints.
            kd: velocity gains in 1/s, shape (n,) or a number.
            background_period: time between updates of M and the bias forces, s. An update from the
                state at time t is used from t + `background_period`.
        """
        self._background = compile(robot, "background")
        self._synchronous = compile(robot, "synchronous")
        self._trajectory, self._period = trajectory, background_period
        self._kp, self._kd = np.asarray(kp), np.asarray(kd)
        self._begun = -np.inf
        self._ready: Array | None = None
        self._next: Array | None = None

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Return the forces of the n joints in N m or N, shape (n,).

        Args:
            t: time in s, which must ascend from call to call.
            q: positions in rad or m, shape (n,).
            qd: velocities in rad/s or m/s, shape (n,).
        """
        if t >= self._begun + self._period * (1 - 1e-9):
            # The update that was started one period ago is complete now.
            latest = self._background(q, qd)
            self._ready = latest if self._next is None else self._next
            self._next, self._begun = latest, t
        q_reference, qd_reference, qdd_reference = self._trajectory(t)
        tau: Array = self._synchronous(
            self._ready,
            qdd_reference + self._kd * (qd_reference - qd) + self._kp * (q_reference - q),
        )
        return tau


def computed_torque(
    robot: AnyRobot, trajectory: Trajectory, kp: ArrayLike, kd: ArrayLike
) -> ComputedTorque:
    """Return a controller with the law tau = M (qdd_r + kd (qd_r - qd) + kp (q_r - q)) + C qd + g.

    M is the mass matrix and C qd + g are the bias forces of the controller's model of n joints.

    Args:
        robot: the controller's model, which may differ from the simulated robot: path of a file,
            name of a bundled robot, or a `RobotDescription`.
        trajectory: the reference motion, a function t -> (q_r, qd_r, qdd_r), shape (n,) each.
        kp: position gains in 1/s^2, shape (n,) or a number for all joints.
        kd: velocity gains in 1/s, shape (n,) or a number.
    """
    return ComputedTorque(
        compile(robot, "inverse_dynamics"), trajectory, np.asarray(kp), np.asarray(kd)
    )


def pd_plus_gravity(
    robot: AnyRobot, trajectory: Trajectory, kp: ArrayLike, kd: ArrayLike
) -> PDPlusGravity:
    """Return a controller with the law tau = kp (q_r - q) + kd (qd_r - qd) + g(q).

    The gravity forces g(q) are computed from the controller's model of n joints.

    Args:
        robot: the controller's model, which may differ from the simulated robot: path of a file,
            name of a bundled robot, or a `RobotDescription`.
        trajectory: the reference motion, a function t -> (q_r, qd_r, qdd_r), shape (n,) each.
        kp: position gains in N m/rad or N/m, shape (n,) or a number for all joints.
        kd: velocity gains in N m s/rad or N s/m, shape (n,) or a number.
    """
    return PDPlusGravity(
        compile(robot, "gravity_forces"), trajectory, np.asarray(kp), np.asarray(kd)
    )


def hold(q: ArrayLike) -> Trajectory:
    """Return a controller's reference motion that stays at positions q (rad or m) of n joints.

    Returns:
        Function t -> (q, qd, qdd), shape (n,) each, with zero qd and qdd.
    """
    position = np.asarray(q, dtype=float)
    return partial(_constant_reference, position, np.zeros_like(position))


def _constant_reference(position: Array, rest: Array, t: float) -> tuple[Array, Array, Array]:
    return position, rest, rest


def follow(table: Table) -> Trajectory:
    """Return a trajectory that interpolates positions by a cubic spline, at rest at both ends.

    Beyond the ends of the table, the positions are constant.

    Args:
        table: positions of n joints in rad or m, one column for each joint.

    Returns:
        Function of the time t in s -> (q, qd, qdd), shape (n,) each.
    """
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(table.times, table.values, bc_type="clamped")
    first, last = float(table.times[0]), float(table.times[-1])

    def at(t: float) -> tuple[Array, Array, Array]:
        inside = min(max(t, first), last)
        position: Array = spline(inside)
        if inside != t:
            return position, np.zeros_like(position), np.zeros_like(position)
        return position, spline(inside, 1), spline(inside, 2)

    return at


def read_table(path: Path, columns: Sequence[str]) -> Table:
    """Read the column `t` and other columns of a CSV file as values over time, in SI units.

    A column's name may end in a unit, as in `q1_deg` or `time_ms`.

    Args:
        path: the file.
        columns: names of the columns to read after `t`, in order, without units.

    Raises:
        UsageError: the file cannot be read, a column is missing, an entry is not a number, or times
            do not ascend.
    """
    return Table(*read_motion_table(path, columns))
