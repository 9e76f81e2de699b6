"""Optimisation problem of an exciting trajectory: objective, constraints and their derivatives.

The unknowns of the problem are the free coefficients of a Fourier trajectory. The matrix A contains
the rows of the robot's base regressor at evenly spaced times, each row divided by the joint's
effort limit. The objective is a measure of A, such as log det(A^T A), and is maximised.

Each limit of a joint is one smooth constraint of the optimiser. Let u_t be a joint's velocity, for
example, at time t divided by its limit. The constraint bounds the smooth maximum log(sum over t of
exp(b u_t)) / b with a constant b. The smooth maximum is never below the largest u_t, so a motion
that satisfies the constraint stays within the limit.
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
from dynagen.apps.identification.triangular import compute_triangle
from dynagen.numbers.arrays import Array
from dynagen.pipeline.settings import Settings
from dynagen.robot.description import RobotDescription
from dynagen.robot.edits import substitute
from dynagen.runtime.api import AnyRobot, as_description
from dynagen.runtime.compilation import compile_ufuncs
from dynagen.runtime.ufunc import Ufunc

Measure = Callable[[Array], tuple[float, Array]]
"""Function to maximise, such as log det(A^T A), of a matrix A of shape (rows, p).

The function returns its value, and the derivatives with respect to the entries of A.
"""


def compute_log_determinant(rows: Array) -> tuple[float, Array]:
    """Compute log det(A^T A) / p for a matrix A with p columns, and its derivatives.

    The matrix of derivatives with respect to the entries of A is 2 A (A^T A)^-1 / p. If A is a
    regressor, a larger value means a smaller confidence ellipsoid of the parameters (D-optimality).
    The best motion does not depend on the units of the parameters.

    Args:
        rows: the matrix A, shape (rows, p).

    Returns:
        The value, -inf for a singular matrix, and the derivatives, shape (rows, p).
    """
    triangle = compute_triangle(rows)  # R with A = Q R: log det(A^T A) = 2 sum log r_ii
    diagonal = np.diagonal(triangle)
    count = len(diagonal)
    if not diagonal.min() > np.finfo(float).eps * diagonal.max():
        return -np.inf, np.zeros_like(rows)
    inverse = np.linalg.inv(triangle)
    return 2 * float(np.sum(np.log(diagonal))) / count, rows @ (inverse @ inverse.T) * (2 / count)


def compute_negative_log_condition(rows: Array) -> tuple[float, Array]:
    """Compute minus the logarithm of a matrix's condition number, and its derivatives.

    The columns of the matrix A are first scaled to unit norm, which makes the condition number
    independent of units. The condition number of the scaled matrix is at most sqrt(p) times the
    condition number with the best scaling of the p columns (van der Sluis 1969). Gautier and
    Khalil (1992) proposed the condition number as criterion.

    Args:
        rows: the matrix A, shape (rows, p).

    Returns:
        The value, -inf if the columns are linearly dependent, and the derivatives with respect to
        the entries of A, shape (rows, p).
    """
    lengths = np.linalg.norm(rows, axis=0)
    if not lengths.min() > 0:
        return -np.inf, np.zeros_like(rows)
    scaled = rows / lengths
    # R has the singular values and right singular vectors of the whole matrix.
    _, values, right = np.linalg.svd(compute_triangle(scaled))
    if not values[-1] > np.finfo(float).eps * values[0]:
        return -np.inf, np.zeros_like(rows)
    greatest, least = (
        np.outer(scaled @ right[which], right[which]) / values[which] ** 2 for which in (0, -1)
    )
    slopes = least - greatest
    # A change of a column's length has no effect: remove that component.
    along = np.sum(scaled * slopes, axis=0)
    return float(np.log(values[-1] / values[0])), (slopes - scaled * along) / lengths


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {"logdet": compute_log_determinant, "condition": compute_negative_log_condition}
)
"""Function to maximise for each criterion of an exciting motion, by name of the criterion."""

_ANGLE = 1e-5  # rad or m; the error of central differences is about its square
_KNOTS = 65  # of the piecewise linear bound of friction


@dataclass(frozen=True)
class MovingRobot:
    """A robot with the compiled functions that the search for an exciting motion calls.

    Attributes:
        robot: the description without run-time parameters.
        base_regressor, inverse_dynamics: compiled functions of q, qd and qdd.
        friction_forces: compiled function of qd, or of q, qd and qdd; None without friction.
    """

    robot: RobotDescription
    base_regressor: Ufunc
    inverse_dynamics: Ufunc
    friction_forces: Ufunc | None

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the moving joints, in the order of the positions q."""
        return tuple(link.joint_name for link in self.robot.links if link.joint.nv)

    def compute_friction(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Compute joint friction forces of a motion, N m or N, shape (times, n).

        Args:
            q: positions of the n joints in rad or m, shape (times, n).
            qd: velocities in rad/s or m/s, shape (times, n).
            qdd: accelerations in rad/s^2 or m/s^2, shape (times, n).
        """
        if self.friction_forces is None:
            return np.zeros_like(qd)
        forces: Array = self.friction_forces(
            *((qd,) if self.friction_forces.nin == 1 else (q, qd, qdd))
        )
        return forces

    def compute_torques(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Compute the motor forces of a motion: inverse dynamics plus friction, shape (times, n).

        Args:
            q: positions of the n joints in rad or m, shape (times, n).
            qd: velocities in rad/s or m/s, shape (times, n).
            qdd: accelerations in rad/s^2 or m/s^2, shape (times, n).
        """
        return np.asarray(self.inverse_dynamics(q, qd, qdd) + self.compute_friction(q, qd, qdd))

    def compute_derivatives(self, function: Ufunc, q: Array, qd: Array, qdd: Array) -> Array:
        """Compute the derivatives of a function's result with respect to q, qd and qdd.

        Derivatives are central differences. They have no truncation error for qd and qdd, since
        the base regressor and inverse dynamics are quadratic in qd and linear in qdd. The
        derivatives with respect to q have about ten correct digits.

        Args:
            function: compiled function of q, qd and qdd: the base regressor or inverse dynamics.
            q: positions of the n joints in rad or m, shape (times, n).
            qd: velocities in rad/s or m/s, shape (times, n).
            qdd: accelerations in rad/s^2 or m/s^2, shape (times, n).

        Returns:
            The derivatives, shape (3, n, times, ...). The first axis is over q, qd and qdd, the
            second over the n joints. The last axes are those of the function's result.
        """
        # One batch of 3 n displaced motions per side: each displaces one entry of q, qd or qdd.
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
        derivatives: Array = found.reshape(3, count, *found.shape[1:])
        return derivatives

    def tabulate_friction_bound(self, velocity: Array) -> tuple[Array, Array]:
        """Tabulate the magnitude of each joint's friction over its speed, at q = 0 and qdd = 0.

        Args:
            velocity: velocity limit of each joint in rad/s or m/s, shape (n,).

        Returns:
            Speeds in rad/s or m/s, shape (k, n) for k speeds per joint, and friction forces at
            these speeds in N m or N, shape (k, n), for the direction of motion with more friction.
        """
        speeds = np.linspace(0, 1, _KNOTS)[:, None] * velocity
        speeds[0] = 1e-9 * velocity  # not zero: dry friction has no sign at rest
        rest = np.zeros_like(speeds)
        return speeds, np.maximum(
            *(np.abs(self.compute_friction(rest, sign * speeds, rest)) for sign in (1, -1))
        )


def compile_moving_robot(robot: AnyRobot) -> MovingRobot:
    """Compile and prove base regressor, inverse dynamics and friction forces of a robot.

    The run-time parameters of the robot are replaced by their default values.

    Args:
        robot: path of a file, name of a bundled robot, or a `RobotDescription`. The payload and
            external forces of the robot are ignored.

    Raises:
        UsageError: the robot has a floating base or no base parameters.
    """
    described = as_description(robot)
    require_fixed_base(described)
    numeric = replace(substitute(described, {}), parameters=(), payload=())
    numeric = replace(numeric, external_wrenches=(), contact_forces=())
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


# b: the smooth maximum of 300 values exceeds the greatest by at most log(300) / 200 = 0.03.
_SHARPNESS = 200.0
_CLEARANCE = 0.2  # m, the scale of distances; the scale of a limit is the limit
_MOMENTS = 20  # moments per period of the highest harmonic at which limits are evaluated


@dataclass(frozen=True)
class ExcitationProblem:
    """Optimisation problem of one robot: the objective, limits and workspace of its motions.

    Attributes:
        moving: the robot with its compiled functions.
        basis: basis of the trajectories of one joint, with m free coefficients.
        limits: joint limits.
        workspace: points of the robot and regions for these points; None if unrestricted.
        measure: maximised function of the matrix A. The rows of A are the rows of the base
            regressor at evenly spaced times, divided by the joints' effort limits.
    """

    moving: MovingRobot
    basis: FourierBasis
    limits: MotionLimits
    workspace: Workspace | None
    measure: Measure

    @property
    def shape(self) -> tuple[int, int]:
        """Shape (n, m) of the free coefficients: m coefficients for each of n joints."""
        return len(self.limits.low), self.basis.size

    @cached_property
    def scale(self) -> Array:
        """Unit of each free coefficient, shape (n, m), so that the optimiser's unknowns are near 1.

        The first coefficient of a joint is the centre of its motion, with half the position range
        as unit. The unit of the other coefficients is the joint's velocity limit.
        """
        velocities = np.tile(self.limits.velocity[:, None], self.basis.size - 1)
        return np.column_stack([self.limits.reach, velocities])

    def make_trajectory(self, x: Array) -> FourierTrajectory:
        """Return the trajectory with the free coefficients x, shape (n m,), in units of `scale`.

        x contains m coefficients for each of the n joints. With x = 0, all joints stay in the
        middle of their ranges.
        """
        return self.basis.make_trajectory(self._free(x))

    def compute_information(self, x: Array) -> float:
        """Compute the objective of the optimisation, such as log det(A^T A) / p, of a motion.

        The matrix A contains the rows of the base regressor (p columns) along the motion, each row
        divided by the joint's effort limit. The larger the result, the better the motion determines
        the parameters. The vector x, shape (n m,), contains the free coefficients of the motion in
        units of `scale`.
        """
        return self.measure(self._rows(self._at(x.tobytes()).regressor))[0]

    def compute_information_slope(self, x: Array) -> Array:
        """Compute the derivatives of the objective by the free coefficients x, shape (n m,)."""
        evaluation = self._at(x.tobytes())
        slopes = (
            self.measure(self._rows(evaluation.regressor))[1].reshape(evaluation.regressor.shape)
            * self._row_weights
        )
        # Chain rule: measure by A, A by the motion, motion by the free numbers.
        derivatives = self.moving.compute_derivatives(
            self.moving.base_regressor, *evaluation.motion
        )
        by_motion = np.einsum("vjtic,tic->vtj", derivatives, slopes, optimize=True)
        return self._convert_to_free(by_motion).reshape(-1)

    def compute_slack(self, x: Array) -> Array:
        """Compute the slack of each limit: 1 minus the used fraction of the limit.

        The used fraction is a smooth maximum over time, which is never less than the largest
        fraction.

        Args:
            x: m free coefficients for each of n joints in units of `scale`, shape (n m,).

        Returns:
            The slack of each constraint, negative if violated: positions, velocities, accelerations
            and efforts of the n joints, then the distance of each point from each region.
        """
        maxima = [_smooth_maximum(values)[0] for values in self._compute_usage(x)]
        return np.asarray(1 - np.concatenate(maxima))

    def compute_slack_slope(self, x: Array) -> Array:
        """Compute the derivatives of each limit's slack by the free coefficients x of the motion.

        The slack is 1 minus the used fraction of the limit. There is a row for each limit.
        """
        evaluation = self._at(x.tobytes())
        rows = []
        position, velocity, acceleration, effort, *clearances = self._compute_usage(x)
        for which, used in enumerate((position, velocity, acceleration)):
            limit = (self.limits.reach, self.limits.velocity, self.limits.acceleration)[which]
            sides = _combine_signed(_smooth_maximum(used)[1]) / limit
            by_motion = np.zeros((len(limit), 3, len(self._times), len(limit)))
            for joint in range(len(limit)):
                by_motion[joint, which, :, joint] = sides[:, joint]
            rows.append(by_motion)
        sides = _combine_signed(_smooth_maximum(effort)[1]) / self.limits.effort
        derivatives = self.moving.compute_derivatives(
            self.moving.inverse_dynamics, *evaluation.motion
        )
        of_effort = np.einsum("vjti,ti->ivtj", derivatives, sides)
        weight = (
            _combine_unsigned(_smooth_maximum(effort)[1])
            / self.limits.effort
            * self._friction(evaluation.motion[1])[1]
        )
        for joint in range(len(sides.T)):
            of_effort[joint, 1, :, joint] += weight[:, joint]
        rows.append(of_effort)
        for used in clearances:
            assert self.workspace is not None
            weights = _smooth_maximum(used)[1]
            slopes = (
                -self.workspace.compute_clearances(evaluation.motion[0])[1].reshape(
                    *weights.shape, -1
                )
                / _CLEARANCE
            )
            by_motion = np.zeros((weights.shape[1], 3, *slopes.shape[::2]))
            by_motion[:, 0] = np.einsum("tk,tkj->ktj", weights, slopes)
            rows.append(by_motion)
        return -self._convert_to_free(np.concatenate(rows)).reshape(-1, x.size)

    @cached_property
    def _times(self) -> Array:
        """Times of one period in s at which limits are evaluated, without the period's end."""
        count = _MOMENTS * self.basis.harmonics
        return np.arange(float(count)) * (self.basis.period / count)

    @cached_property
    def _shapes(self) -> Array:
        return self.basis.compute_shapes(self._times)

    def _free(self, x: Array) -> Array:
        return (
            x.reshape(self.shape) * self.scale
            + np.eye(1, self.basis.size) * self.limits.middle[:, None]
        )

    def _convert_to_free(self, by_motion: Array) -> Array:
        """Convert derivatives by q, qd and qdd to derivatives by the free coefficients x.

        The shape changes from (..., 3, times, n) to (..., n, m) for n joints with m coefficients
        each.
        """
        return np.asarray(
            np.einsum("...vtj,vtm->...jm", by_motion, self._shapes, optimize=True) * self.scale
        )

    def _rows(self, regressor: Array) -> Array:
        """Stack the regressors of all times, and divide each row by its joint's effort limit.

        All rows are also divided by the square root of the number of times.
        """
        return np.asarray((regressor * self._row_weights).reshape(-1, regressor.shape[-1]))

    @cached_property
    def _row_weights(self) -> Array:
        return np.asarray(1 / (self.limits.effort[:, None] * np.sqrt(len(self._times))))

    def _compute_usage(self, x: Array) -> list[Array]:
        """Compute the used fraction of each limit along the motion; above 1, the limit is violated.

        The arrays for position, velocity, acceleration and effort have a column for each joint. The
        first half of the rows belongs to the upper limits at all times, the second half to the
        lower limits. For regions, an array of shape (times, regions * points) follows, with the
        entries 1 - d / _CLEARANCE. Here d is the distance (m) between point and region minus the
        required clearance.
        """
        evaluation = self._at(x.tobytes())
        q, qd, qdd = evaluation.motion
        used = self.limits.compute_usage(q, qd, qdd, evaluation.forces)
        friction = self._friction(qd)[0] / self.limits.effort
        sides = [np.concatenate([parts, -parts]) for parts in used.values()]
        # The bound of friction is added in both directions, for either sign of the velocity.
        sides[-1] = sides[-1] + np.concatenate([friction, friction])
        if self.workspace is not None:
            sides.append(
                1 - self.workspace.compute_clearances(q)[0].reshape(len(q), -1) / _CLEARANCE
            )
        return sides

    def _friction(self, qd: Array) -> tuple[Array, Array]:
        """Return the magnitude of each joint's friction, and its derivative by the velocity.

        The magnitude (N m or N) is interpolated in a table at the speeds |qd|, for the direction
        of motion with more friction. Both arrays have the shape (times, n).
        """
        knots, magnitudes = self._friction_bound
        value, slope = np.empty_like(qd), np.empty_like(qd)
        for joint, (speeds, heights) in enumerate(zip(knots.T, magnitudes.T, strict=True)):
            speed = np.abs(qd[:, joint])
            value[:, joint] = np.interp(speed, speeds, heights)
            segment = np.clip(np.searchsorted(speeds, speed) - 1, 0, len(speeds) - 2)
            slope[:, joint] = np.sign(qd[:, joint]) * (np.diff(heights) / np.diff(speeds))[segment]
        return value, slope

    @cached_property
    def _friction_bound(self) -> tuple[Array, Array]:
        return self.moving.tabulate_friction_bound(self.limits.velocity)

    @cached_property
    def _at(self) -> Callable[[bytes], _Evaluation]:
        """Function that evaluates the motion with coefficients x (passed as bytes) and caches it.

        The optimiser requests the value and then the derivatives at the same x.
        """

        @lru_cache(maxsize=4)
        def at(x: bytes) -> _Evaluation:
            q, qd, qdd = np.einsum("vtm,jm->vtj", self._shapes, self._free(np.frombuffer(x)))
            motion = q, qd, qdd
            return _Evaluation(
                motion, self.moving.base_regressor(*motion), self.moving.inverse_dynamics(*motion)
            )

        return at


@dataclass(frozen=True)
class _Evaluation:
    """Motion of a trajectory, with the base regressor and the joint forces along the motion.

    For n joints and p base parameters, q, qd, qdd and the forces have the shape (times, n), and the
    regressor (times, n, p). The forces, in N m or N, exclude friction.
    """

    motion: JointMotion
    regressor: Array
    forces: Array


def _smooth_maximum(values: Array) -> tuple[Array, Array]:
    """Compute a smooth maximum along the first axis, and its derivatives by all values.

    The smooth maximum is never less than the largest value.
    """
    greatest = values.max(axis=0)
    powers = np.exp(_SHARPNESS * (values - greatest))
    total = powers.sum(axis=0)
    return greatest + np.log(total) / _SHARPNESS, powers / total


def _combine_signed(weights: Array) -> Array:
    """Subtract the lower half of the rows from the upper half.

    The upper rows contain the derivatives of a function by values v(t), the lower rows the
    derivatives by -v(t) for the same times t. The result is the total derivative by v(t).
    """
    above, below = np.split(weights, 2)
    return np.asarray(above - below)


def _combine_unsigned(weights: Array) -> Array:
    """Add the lower half of the rows to the upper half.

    Both halves are derivatives of a function by the same values; the sum is the total derivative.
    """
    above, below = np.split(weights, 2)
    return np.asarray(above + below)
