"""Excitation problem: free numbers of a trajectory -> what its samples tell, what it leaves of limits, and derivatives.

Limits hold at every moment. Of all moments' values a smooth maximum is taken, log(sum(exp(b u))) / b, which is never below the
greatest: what it allows is allowed, and the optimiser sees one smooth constraint for each limit of a joint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from dynagen.excitation.information import Measure
from dynagen.excitation.motion_limits import MotionLimits
from dynagen.excitation.sampled_motion import MovingRobot
from dynagen.excitation.trajectories import FourierBasis, FourierTrajectory, JointMotion
from dynagen.excitation.workspace import Workspace
from dynagen.identification.samples import Array

_SHARPNESS = 200.0  # b: the smooth maximum of 300 values is above the greatest by at most log(300) / 200 = 0.03 of a limit
_CLEARANCE = 0.2  # m, that a distance is measured by as limits are by themselves
_MOMENTS = 20  # a period of the highest harmonic: where limits are looked at


@dataclass(frozen=True)
class ExcitationProblem:
    """What trajectories with a basis are judged by.

    Attributes:
        moving: the robot.
        basis: of the trajectories.
        limits: of its joints.
        workspace: of its points; None if it may be anywhere.
        measure: of information, to be as large as it can.
    """

    moving: MovingRobot
    basis: FourierBasis
    limits: MotionLimits
    workspace: Workspace | None
    measure: Measure

    @property
    def shape(self) -> tuple[int, int]:
        """Of the free numbers: joints and numbers of each."""
        return len(self.limits.low), self.basis.size

    @cached_property
    def scale(self) -> Array:
        """What free numbers are measured by: half the range of positions, and the limit of rates; shape (n, m)."""
        rates = np.tile(self.limits.velocity[:, None], self.basis.size - 1)
        return np.column_stack([self.limits.reach, rates])

    def trajectory(self, x: Array) -> FourierTrajectory:
        """The trajectory of scaled free numbers, shape (n m,)."""
        return self.basis.trajectory(self._free(x))

    def information(self, x: Array) -> float:
        """The measure of information."""
        return self.measure(self._rows(self._at(x.tobytes()).regressor))[0]

    def information_slope(self, x: Array) -> Array:
        """Its derivatives by the scaled free numbers, shape (n m,)."""
        there = self._at(x.tobytes())
        slopes = self.measure(self._rows(there.regressor))[1].reshape(there.regressor.shape) * self._row_weights
        changes = self.moving.changes(self.moving.base_regressor, *there.motion)
        by_motion = np.einsum("vjtic,tic->vtj", changes, slopes, optimize=True)
        return self._by_free(by_motion).reshape(-1)

    def slack(self, x: Array) -> Array:
        """What the motion leaves of every limit, shape (constraints,): nothing is below zero if it is allowed."""
        return np.asarray(1 - np.concatenate([_smooth_maximum(each)[0] for each in self._used(x)]))

    def slack_slope(self, x: Array) -> Array:
        """Derivatives of the slack by the scaled free numbers, shape (constraints, n m)."""
        there = self._at(x.tobytes())
        rows = []
        position, velocity, acceleration, effort, *clearances = self._used(x)
        for which, used in enumerate((position, velocity, acceleration)):
            limit = (self.limits.reach, self.limits.velocity, self.limits.acceleration)[which]
            sides = _signed(_smooth_maximum(used)[1]) / limit
            by_motion = np.zeros((len(limit), 3, len(self._times), len(limit)))
            for joint in range(len(limit)):
                by_motion[joint, which, :, joint] = sides[:, joint]
            rows.append(by_motion)
        sides = _signed(_smooth_maximum(effort)[1]) / self.limits.effort
        changes = self.moving.changes(self.moving.inverse_dynamics, *there.motion)
        of_effort = np.einsum("vjti,ti->ivtj", changes, sides)
        weight = _unsigned(_smooth_maximum(effort)[1]) / self.limits.effort * self._friction(there.motion[1])[1]
        for joint in range(len(sides.T)):
            of_effort[joint, 1, :, joint] += weight[:, joint]
        rows.append(of_effort)
        for used in clearances:
            assert self.workspace is not None
            weights = _smooth_maximum(used)[1]
            slopes = -self.workspace.clearances(there.motion[0])[1].reshape(*weights.shape, -1) / _CLEARANCE
            by_motion = np.zeros((weights.shape[1], 3, *slopes.shape[::2]))
            by_motion[:, 0] = np.einsum("tk,tkj->ktj", weights, slopes)
            rows.append(by_motion)
        return -self._by_free(np.concatenate(rows)).reshape(-1, x.size)

    @cached_property
    def _times(self) -> Array:
        """The moments that are looked at: of one period, each once."""
        count = _MOMENTS * self.basis.harmonics
        return np.arange(float(count)) * (self.basis.period / count)

    @cached_property
    def _shapes(self) -> Array:
        return self.basis.shapes(self._times)

    def _free(self, x: Array) -> Array:
        return x.reshape(self.shape) * self.scale + np.eye(1, self.basis.size) * self.limits.middle[:, None]

    def _by_free(self, by_motion: Array) -> Array:
        """Derivatives by q, qd and qdd, shape (..., 3, times, n), as those by the scaled free numbers, (..., n, m)."""
        return np.asarray(np.einsum("...vtj,vtm->...jm", by_motion, self._shapes, optimize=True) * self.scale)

    def _rows(self, regressor: Array) -> Array:
        """All regressors under each other, joint forces in units of their limits, and such that sums become means."""
        return np.asarray((regressor * self._row_weights).reshape(-1, regressor.shape[-1]))

    @cached_property
    def _row_weights(self) -> Array:
        return np.asarray(1 / (self.limits.effort[:, None] * np.sqrt(len(self._times))))

    def _used(self, x: Array) -> list[Array]:
        """The part of every limit that is used, on either side of it, or what clearances lack: (moments, limits) each."""
        there = self._at(x.tobytes())
        q, qd, qdd = there.motion
        used = self.limits.used(q, qd, qdd, there.forces)
        friction = self._friction(qd)[0] / self.limits.effort
        sides = [np.concatenate([each, -each]) for each in used.values()]
        sides[-1] = sides[-1] + np.concatenate([friction, friction])
        if self.workspace is not None:
            sides.append(1 - self.workspace.clearances(q)[0].reshape(len(q), -1) / _CLEARANCE)
        return sides

    def _friction(self, qd: Array) -> tuple[Array, Array]:
        """A bound of friction's magnitude at rates of shape (times, n), and its derivative by them."""
        knots, magnitudes = self._friction_bound
        value, slope = np.empty_like(qd), np.empty_like(qd)
        for joint, (rates, heights) in enumerate(zip(knots.T, magnitudes.T, strict=True)):
            value[:, joint] = np.interp(np.abs(qd[:, joint]), rates, heights)
            inside = np.clip(np.searchsorted(rates, np.abs(qd[:, joint])) - 1, 0, len(rates) - 2)
            slope[:, joint] = np.sign(qd[:, joint]) * (np.diff(heights) / np.diff(rates))[inside]
        return value, slope

    @cached_property
    def _friction_bound(self) -> tuple[Array, Array]:
        return self.moving.friction_bound(self.limits.velocity)

    @cached_property
    def _at(self) -> Callable[[bytes], _There]:
        """What is computed of a trajectory, kept for the few asked for last: optimisers ask for values, then for slopes."""

        @lru_cache(maxsize=4)
        def at(x: bytes) -> _There:
            q, qd, qdd = np.einsum("vtm,jm->vtj", self._shapes, self._free(np.frombuffer(x)))
            motion = q, qd, qdd
            return _There(motion, self.moving.base_regressor(*motion), self.moving.inverse_dynamics(*motion))

        return at


@dataclass(frozen=True)
class _There:
    """What is computed of a trajectory once."""

    motion: JointMotion
    regressor: Array
    forces: Array


def _smooth_maximum(values: Array) -> tuple[Array, Array]:
    """A smooth maximum along the first axis, not below the greatest, and its derivatives by every value."""
    greatest = values.max(axis=0)
    powers = np.exp(_SHARPNESS * (values - greatest))
    total = powers.sum(axis=0)
    return greatest + np.log(total) / _SHARPNESS, powers / total


def _signed(weights: Array) -> Array:
    """Derivatives by values that were looked at with both signs."""
    above, below = np.split(weights, 2)
    return np.asarray(above - below)


def _unsigned(weights: Array) -> Array:
    """Derivatives by what was added on both sides."""
    above, below = np.split(weights, 2)
    return np.asarray(above + below)
