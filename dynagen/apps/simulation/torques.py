"""The drive of a simulated robot: torques over time and state, from a table, a function or a controller."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from dynagen.apps.simulation.plant import Array
from dynagen.errors import UsageError
from dynagen.runtime.api import AnyRobot, compile
from dynagen.runtime.ufuncs import Ufunc

Torques = Callable[[float, Array, Array], Array]
"""Torques (N m) or forces (N) of the joints at a time (s) in a state: (t, q, qd) -> tau, shapes (..., n)."""
Trajectory = Callable[[float], tuple[Array, Array, Array]]
"""Positions, rates and accelerations that a controller follows, at a time: t -> (q, qd, qdd), shapes (n,)."""


def no_torques(t: float, q: Array, qd: Array) -> Array:
    """The robot falls."""
    return np.zeros(np.shape(qd))


@dataclass(frozen=True)
class Table:
    """Values over time, on straight lines between the rows; the first and last hold beyond the ends.

    Attributes:
        times: in s, ascending, shape (rows,).
        values: shape (rows, columns).
    """

    times: Array
    values: Array

    def at(self, t: float) -> Array:
        """The values at a time, shape (columns,)."""
        row = int(np.clip(np.searchsorted(self.times, t) - 1, 0, len(self.times) - 2))
        share = np.clip((t - self.times[row]) / (self.times[row + 1] - self.times[row]), 0.0, 1.0)
        values: Array = self.values[row] + share * (self.values[row + 1] - self.values[row])
        return values

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """As torques."""
        return np.broadcast_to(self.at(t), np.shape(qd))


@dataclass(frozen=True)
class Sampled:
    """A controller that is called once in a period, as on a real robot; its torques hold until the next call.

    Attributes:
        law: that computes torques.
        period: in s.
    """

    law: Torques
    period: float


@dataclass(frozen=True)
class ComputedTorque:
    """Computed torque: tau = M (qdd_r + kd (qd_r - qd) + kp (q_r - q)) + C qd + g (Luh, Walker, Paul 1980).

    Attributes:
        inverse_dynamics: of the robot as the controller knows it.
        trajectory: to follow.
        kp, kd: gains in 1/s^2 and 1/s, shape (n,) or numbers.
    """

    inverse_dynamics: Ufunc
    trajectory: Trajectory
    kp: Array
    kd: Array

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Torques of a state."""
        q_wanted, qd_wanted, qdd_wanted = self.trajectory(t)
        tau: Array = self.inverse_dynamics(
            q, qd, qdd_wanted + self.kd * (qd_wanted - qd) + self.kp * (q_wanted - q)
        )
        return tau


@dataclass(frozen=True)
class PDPlusGravity:
    """Proportional and derivative control with gravity compensation: tau = kp (q_r - q) + kd (qd_r - qd) + g(q).

    Stable for constant q_r with any positive gains (Takegaki and Arimoto 1981).

    Attributes:
        gravity_forces: of the robot as the controller knows it.
        trajectory: to follow.
        kp, kd: gains in N m/rad and N m s/rad (prismatic: N/m and N s/m), shape (n,) or numbers.
    """

    gravity_forces: Ufunc
    trajectory: Trajectory
    kp: Array
    kd: Array

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Torques of a state."""
        q_wanted, qd_wanted, _ = self.trajectory(t)
        tau: Array = self.kp * (q_wanted - q) + self.kd * (qd_wanted - qd) + self.gravity_forces(q)
        return tau


class TwoRate:
    """Computed torque at two rates (Izaguirre, Hashimoto, Paul, Hayward 1992).

    M and the bias forces are renewed once in a background period; with them every call computes torques.
    """

    def __init__(
        self,
        robot: AnyRobot,
        trajectory: Trajectory,
        kp: ArrayLike,
        kd: ArrayLike,
        background_period: float,
    ) -> None:
        """A controller that knows the robot as described.

        Args:
            robot: as the controller knows it.
            trajectory: to follow.
            kp: gains in 1/s^2, shape (n,) or a number.
            kd: gains in 1/s, likewise.
            background_period: between renewals, s; a renewal takes effect one period after the state that it is of.
        """
        self._background, self._synchronous = (
            compile(robot, "background"),
            compile(robot, "synchronous"),
        )
        self._trajectory, self._kp, self._kd, self._period = (
            trajectory,
            np.asarray(kp),
            np.asarray(kd),
            background_period,
        )
        self._begun = -np.inf
        self._ready: Array | None = None
        self._next: Array | None = None

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Torques of a state; times ascend from call to call."""
        if t >= self._begun + self._period * (1 - 1e-9):
            latest = self._background(q, qd)
            self._ready, self._next, self._begun = (
                latest if self._next is None else self._next,
                latest,
                t,
            )
        q_wanted, qd_wanted, qdd_wanted = self._trajectory(t)
        tau: Array = self._synchronous(
            self._ready, qdd_wanted + self._kd * (qd_wanted - qd) + self._kp * (q_wanted - q)
        )
        return tau


def computed_torque(
    robot: AnyRobot, trajectory: Trajectory, kp: ArrayLike, kd: ArrayLike
) -> ComputedTorque:
    """Computed torque with the parameters of a description, which may be another than that of the robot that is simulated."""
    return ComputedTorque(
        compile(robot, "inverse_dynamics"), trajectory, np.asarray(kp), np.asarray(kd)
    )


def pd_plus_gravity(
    robot: AnyRobot, trajectory: Trajectory, kp: ArrayLike, kd: ArrayLike
) -> PDPlusGravity:
    """PD control with the gravity forces of a description."""
    return PDPlusGravity(
        compile(robot, "gravity_forces"), trajectory, np.asarray(kp), np.asarray(kd)
    )


def hold(q: ArrayLike) -> Trajectory:
    """The trajectory that stands still."""
    position = np.asarray(q, dtype=float)
    return partial(_standing, position, np.zeros_like(position))


def _standing(position: Array, rest: Array, t: float) -> tuple[Array, Array, Array]:
    return position, rest, rest


def follow(table: Table) -> Trajectory:
    """The trajectory of a table of positions: a cubic spline through them, at rest at both ends (scipy)."""
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


def read_table(path: Path, columns: list[str]) -> Table:
    """A table from a CSV file with a line of names; columns that are not asked for are left out.

    Args:
        path: of the file.
        columns: names of those that are wanted besides `t`, in order.

    Raises:
        UsageError: the file cannot be read, lacks a column, or holds what is no number or no ascending time.
    """
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            head, *rows = [row for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is no text'}"
        ) from error
    except ValueError:
        raise UsageError(
            f"{path} is empty: expected a line of names, as {','.join(['t', *columns])}, and rows"
        ) from None
    names = [name.strip() for name in head]
    if missing := [name for name in ("t", *columns) if name not in names]:
        raise UsageError(
            f"{path}: there is no column {missing[0]}; expected {','.join(['t', *columns])}, found {','.join(names)}"
        )
    places = [names.index(name) for name in ("t", *columns)]
    values = np.empty((len(rows), len(places)))
    for number, row in enumerate(rows):
        for column, place in enumerate(places):
            try:
                values[number, column] = float(row[place])
            except (IndexError, ValueError):
                raise UsageError(f"{path}, row {number + 1}: {names[place]} is no number") from None
    if len(rows) < 2 or not np.isfinite(values).all() or np.any(np.diff(values[:, 0]) <= 0):
        raise UsageError(f"{path}: expected at least two rows of finite numbers with ascending t")
    return Table(values[:, 0], values[:, 1:])
