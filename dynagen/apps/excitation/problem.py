"""The excitation problem: from the free numbers of a trajectory to its information, and its derivatives.

Information: how well measurements along a motion tell the parameters apart, and how this changes with the regressor.

Both measures are of A, the regressors of all samples under each other, every row divided by what its joint force is measured
to (here: by the joint's effort limit). They are to be large, and come with their derivatives by every entry of A.

Sampled motion: regressors and joint forces along a motion, and how they change with it, on compiled functions.

Excitation problem: free numbers of a trajectory -> what its samples tell, what it leaves of limits, and derivatives.

Limits hold at every moment. Of all moments' values a smooth maximum is taken, log(sum(exp(b u))) / b, which is never below the
greatest: what it allows is allowed, and the optimiser sees one smooth constraint for each limit of a joint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import MappingProxyType

import numpy as np

from dynagen.apps.excitation.limits import MotionLimits, Workspace
from dynagen.apps.excitation.trajectories import FourierBasis, FourierTrajectory, JointMotion
from dynagen.apps.identification.regression import require_fixed_base
from dynagen.apps.identification.samples import Array
from dynagen.apps.identification.triangular import triangle_of
from dynagen.pipeline.settings import Settings
from dynagen.robot.description import RobotDescription
from dynagen.robot.edits import substitute
from dynagen.runtime.api import AnyRobot, as_description
from dynagen.runtime.robot import compile_ufuncs
from dynagen.runtime.ufuncs import Ufunc

Measure = Callable[[Array], tuple[float, Array]]
"""A of shape (rows, p) -> the measure and its derivatives, shape (rows, p)."""


def log_determinant(rows: Array) -> tuple[float, Array]:
    """Log det(A^T A) / p: what ellipsoids of confidence shrink with (D-optimal), whatever the units of the parameters.

    The derivative is 2 A (A^T A)^-1 / p.
    """
    triangle = triangle_of(rows)
    diagonal = np.diagonal(triangle)
    count = len(diagonal)
    if not diagonal.min() > np.finfo(float).eps * diagonal.max():
        return -np.inf, np.zeros_like(rows)
    inverse = np.linalg.inv(triangle)
    return 2 * float(np.sum(np.log(diagonal))) / count, rows @ (inverse @ inverse.T) * (2 / count)


def negative_log_condition(rows: Array) -> tuple[float, Array]:
    """-log of the condition number of A, its columns scaled to length one (Gautier and Khalil 1992).

    Scaled so, it is within a factor of sqrt(p) of the least that any scaling reaches (van der Sluis 1969); units do not count.
    """
    lengths = np.linalg.norm(rows, axis=0)
    if not lengths.min() > 0:
        return -np.inf, np.zeros_like(rows)
    scaled = rows / lengths
    _, values, right = np.linalg.svd(
        triangle_of(scaled)
    )  # which has the singular values of the whole
    if not values[-1] > np.finfo(float).eps * values[0]:
        return -np.inf, np.zeros_like(rows)
    greatest, least = (
        np.outer(scaled @ right[which], right[which]) / values[which] ** 2 for which in (0, -1)
    )
    slopes = least - greatest
    along = np.sum(scaled * slopes, axis=0)  # lengthening a column changes nothing
    return float(np.log(values[-1] / values[0])), (slopes - scaled * along) / lengths


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {"logdet": log_determinant, "condition": negative_log_condition}
)


_ANGLE = 1e-5  # rad or m: positions' difference quotients are right to about its square
_KNOTS = 65


@dataclass(frozen=True)
class MovingRobot:
    """A robot that trajectories are sought for.

    Attributes:
        robot: its description, without run-time parameters.
        base_regressor, inverse_dynamics: compiled.
        friction_forces: compiled; None if the description has no friction.
    """

    robot: RobotDescription
    base_regressor: Ufunc
    inverse_dynamics: Ufunc
    friction_forces: Ufunc | None

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that move, in the order of q."""
        return tuple(link.joint_name for link in self.robot.links if link.joint.nv)

    def friction(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Friction of states of shape (times, n)."""
        if self.friction_forces is None:
            return np.zeros_like(qd)
        forces: Array = self.friction_forces(
            *((qd,) if self.friction_forces.nin == 1 else (q, qd, qdd))
        )
        return forces

    def torques(self, q: Array, qd: Array, qdd: Array) -> Array:
        """What the motors give along a motion, friction included, shape (times, n)."""
        return np.asarray(self.inverse_dynamics(q, qd, qdd) + self.friction(q, qd, qdd))

    def changes(self, function: Ufunc, q: Array, qd: Array, qdd: Array) -> Array:
        """Derivatives of a function's result by q, qd and qdd, shape (3, n, times, ...).

        Regressors and forces are linear in qdd and quadratic in qd, so that differences give these derivatives exactly,
        whatever the step; only those by positions are approximate, to ten digits.
        """
        count = q.shape[1]
        steps = np.zeros((3, 3 * count, 1, count))
        for which in range(3):
            steps[which, which * count : (which + 1) * count, 0] = np.eye(count)
        steps[0] *= _ANGLE
        sides = [
            function(q + sign * steps[0], qd + sign * steps[1], qdd + sign * steps[2])
            for sign in (1, -1)
        ]
        found = (sides[0] - sides[1]) / 2
        found[:count] /= _ANGLE
        changes: Array = found.reshape(3, count, *found.shape[1:])
        return changes

    def friction_bound(self, velocity: Array) -> tuple[Array, Array]:
        """Friction's magnitude over the rate's, in either direction and without load.

        Args:
            velocity: the limit of each joint's rate, shape (n,).

        Returns:
            Rates and magnitudes, shape (knots, n) each, between which it is taken to be straight.
        """
        rates = np.linspace(0, 1, _KNOTS)[:, None] * velocity
        rates[0] = 1e-9 * velocity  # on the move
        rest = np.zeros_like(rates)
        return rates, np.maximum(
            *(np.abs(self.friction(rest, sign * rates, rest)) for sign in (1, -1))
        )


def moving_robot(robot: AnyRobot) -> MovingRobot:
    """A robot, compiled and proved; run-time parameters have their defaults, and there is no payload.

    Raises:
        UsageError: the base floats, or there are no base parameters.
    """
    described = as_description(robot)
    require_fixed_base(described)
    numeric = replace(substitute(described, {}), parameters=(), payload=(), external_wrenches=())
    names = ["base_regressor", "inverse_dynamics"]
    if any(link.friction is not None for link in numeric.links):
        names.append("friction_forces")
    functions = compile_ufuncs(numeric, Settings(functions=tuple(names)))
    return MovingRobot(
        numeric,
        functions["base_regressor"],
        functions["inverse_dynamics"],
        functions.get("friction_forces"),
    )


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
        slopes = (
            self.measure(self._rows(there.regressor))[1].reshape(there.regressor.shape)
            * self._row_weights
        )
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
        weight = (
            _unsigned(_smooth_maximum(effort)[1])
            / self.limits.effort
            * self._friction(there.motion[1])[1]
        )
        for joint in range(len(sides.T)):
            of_effort[joint, 1, :, joint] += weight[:, joint]
        rows.append(of_effort)
        for used in clearances:
            assert self.workspace is not None
            weights = _smooth_maximum(used)[1]
            slopes = (
                -self.workspace.clearances(there.motion[0])[1].reshape(*weights.shape, -1)
                / _CLEARANCE
            )
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
        return (
            x.reshape(self.shape) * self.scale
            + np.eye(1, self.basis.size) * self.limits.middle[:, None]
        )

    def _by_free(self, by_motion: Array) -> Array:
        """Derivatives by q, qd and qdd, shape (..., 3, times, n), as those by the scaled free numbers, (..., n, m)."""
        return np.asarray(
            np.einsum("...vtj,vtm->...jm", by_motion, self._shapes, optimize=True) * self.scale
        )

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
            return _There(
                motion, self.moving.base_regressor(*motion), self.moving.inverse_dynamics(*motion)
            )

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
