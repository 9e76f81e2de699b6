"""Search for a motion within limits that determines the parameters best (`dynagen.excite`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from dynagen.apps.excitation.limits import (
    MotionLimits,
    Region,
    Workspace,
    make_motion_limits,
    make_workspace,
)
from dynagen.apps.excitation.problem import (
    MEASURES,
    ExcitationProblem,
    MovingRobot,
    compile_moving_robot,
)
from dynagen.apps.excitation.trajectories import FourierBasis, FourierTrajectory
from dynagen.apps.identification.regression import require_fixed_base
from dynagen.errors import UsageError, refuse_if
from dynagen.numbers.arrays import Array
from dynagen.resources import require_extra
from dynagen.robot.options import ReadingKeywords, make_reading_options
from dynagen.runtime.api import AnyRobot, as_description

if TYPE_CHECKING:
    from typing_extensions import Unpack

SearchProgress = Callable[[float], None]
"""Function that is called with the completed fraction of all searches, 0 to 1."""

_FINER = 10  # limits are verified at so many times the moments that the optimiser sees
_DRAWS = 200  # of random postures, until one is feasible
_HALVINGS = 20  # of the interval that contains the largest feasible amplitude
_REPAIRS = 6  # bisections between a feasible and an infeasible motion
_SHRINKS = 12  # attempts to make a motion feasible at all moments
_MARGIN = 1e-4  # of a limit: the optimiser violates constraints by rounding errors
_TOLERANCE = 1e-5  # change of the measure at which a search has converged


@dataclass(frozen=True)
class Search:
    """Progress of one search, which begins with a random motion.

    Attributes:
        measures: for each iteration, the largest value of the maximised criterion that any motion
            within the limits has reached so far. Element 0 belongs to the random motion.
    """

    measures: Array


@dataclass(frozen=True)
class Excitation:
    """Exciting motion found by `excite`, with the limits and all searches.

    Attributes:
        moving: the robot with its compiled functions.
        trajectory: the found motion.
        limits: joint limits of the motion.
        workspace: points of the robot and regions for these points; None if unrestricted.
        criterion: the optimised quantity, "logdet" or "condition".
        searches: progress of all searches, one for each random start.
        best: index in `searches` of the search that found `trajectory`.
    """

    moving: MovingRobot
    trajectory: FourierTrajectory
    limits: MotionLimits
    workspace: Workspace | None
    criterion: str
    searches: tuple[Search, ...]
    best: int

    @property
    def robot(self) -> str:
        """Name of the robot, from its description."""
        return self.moving.robot.name

    @property
    def log_determinant(self) -> float:
        """Criterion log det(A^T A) / p of the motion, a number without unit.

        The matrix A contains the rows of the base regressor at densely spaced times of a period.
        Each row is divided by the joint's effort limit and by the square root of the number of
        times; p is the number of base parameters.
        """
        return self._measure("logdet")

    @property
    def condition(self) -> float:
        """Condition number of the motion's base regressor, with columns scaled to unit norm.

        Each row of the regressor belongs to one joint and one time, and is divided by the joint's
        effort limit.
        """
        return float(np.exp(-self._measure("condition")))

    @property
    def used(self) -> Mapping[str, Array]:
        """Largest value of each quantity during the motion as a fraction of the limit, 0 to 1.

        The keys are `position`, `velocity`, `acceleration` and `effort`; the arrays have one entry
        for each joint.
        """
        return {
            name: np.abs(parts).max(axis=0)
            for name, parts in _compute_usage(self.moving, self.limits, self.trajectory).items()
        }

    @property
    def clearance(self) -> float | None:
        """Smallest distance (m) of a checked point from a region's border; None without regions."""
        if self.workspace is None:
            return None
        return self.workspace.clearance + _find_room(self.workspace, self.trajectory)

    def to_csv(self, rate: float, degrees: bool = False) -> str:
        """Return one period of the motion as CSV: t, q1, ..., qd1, ..., qdd1, ... in SI units.

        Args:
            rate: approximate number of rows per second; the rows divide the period evenly.
            degrees: whether angles are in degrees, in columns named q1_deg, qd1_deg_s, qdd1_deg_s2.
        """
        joints = [link.joint for link in self.moving.robot.links if link.joint.nv]
        turned = [bool(joint.angular) for joint in joints] if degrees else []
        return self.trajectory.to_csv(rate, turned)

    def _measure(self, criterion: str) -> float:
        """Compute the maximised criterion, "logdet" or "condition", of the motion.

        The base regressor is evaluated at densely spaced times. For "condition", the value is minus
        the logarithm of the condition number.
        """
        q, qd, qdd = self.trajectory.at(_fine_times(self.trajectory))
        rows = self.moving.base_regressor(q, qd, qdd) / self.limits.effort[:, None]
        return MEASURES[criterion](rows.reshape(-1, rows.shape[-1]) / np.sqrt(len(q)))[0]


def excite(
    robot: AnyRobot,
    *,
    time: float = 10.0,
    harmonics: int = 5,
    criterion: str = "logdet",
    limits: Mapping[str, ArrayLike] | None = None,
    fraction: float = 1.0,
    regions: Sequence[Region] = (),
    points: Sequence[str] = (),
    clearance: float = 0.0,
    starts: int = 5,
    iterations: int = 100,
    seed: int = 0,
    progress: SearchProgress | None = None,
    **options: Unpack[ReadingKeywords],
) -> Excitation:
    """Search for the periodic motion, within limits, whose log best determines base parameters.

    Args:
        robot: path of a file, name of a bundled robot, text or mapping of a description, a
            `RobotDescription`, or a `Robot`.
        time: duration of one period, s.
        harmonics: number of terms of the Fourier series, at least 2; the highest frequency is
            harmonics / time.
        criterion: "logdet" maximises the determinant of A^T A; "condition" minimises the condition
            number of A with columns scaled to unit norm. The matrix A contains the rows of the base
            regressor at evenly spaced times, each row divided by the joint's effort limit.
        limits: limits by quantity (position, velocity, acceleration, effort), which replace the
            limits of the description. A limit is one number for all joints or one number per joint;
            a position limit is one pair (low, high) for all joints or one pair per joint.
        fraction: fraction of all limits that the motion may use; position ranges shrink about their
            middle.
        regions: boxes and spheres that the points of the robot must stay inside or outside of.
        points: names of links (their origins) and of named frames; empty: all moving links and the
            tool.
        clearance: minimum distance of the points from the borders of regions, m.
        starts: number of searches, each from another random motion.
        iterations: largest number of iterations per search.
        seed: seed of the random motions.
        progress: called repeatedly with the completed fraction of all searches, 0 to 1.
        options: options for reading the robot, as for `dynagen.load_robot`.

    Returns:
        The best motion found, which may not be the global optimum. The limits of this motion are
        checked on a ten times finer time grid than during the search.

    Raises:
        UsageError: a limit is missing, no motion keeps all limits, or scipy is not installed.
        DynagenError: the robot has no base parameters, or its functions cannot be compiled.
    """
    _check_settings(time, harmonics, criterion, fraction, clearance, starts, iterations)
    require_extra("scipy", "identify", "to optimise a motion")
    described = as_description(robot, make_reading_options(**options))
    require_fixed_base(described)
    kept = make_motion_limits(described, limits).scale(fraction)
    workspace = make_workspace(described, regions, points, clearance) if regions else None
    moving = compile_moving_robot(described)
    problem = ExcitationProblem(
        moving, FourierBasis(time, harmonics), kept, workspace, MEASURES[criterion]
    )
    rng = np.random.default_rng(seed)
    show = progress or (lambda part: None)
    searches: list[Search] = []
    found: list[tuple[float, int, FourierTrajectory]] = []
    for number in range(starts):
        x, search = _search(
            problem,
            _random_motion(problem, rng),
            iterations,
            partial(_report_part, show, number, starts),
        )
        searches.append(search)
        verified = _verify(problem, x)
        if verified is not None:
            found.append(
                (problem.compute_information(verified), number, problem.make_trajectory(verified))
            )
    if not found:
        raise UsageError(
            f"{described.name}: every motion that the search found exceeds a limit between two of "
            "the "
            "times that it checks: increase --starts"
        )
    _, best, trajectory = max(found, key=lambda result: result[:2])
    return Excitation(moving, trajectory, kept, workspace, criterion, tuple(searches), best)


def _check_settings(
    time: float,
    harmonics: int,
    criterion: str,
    fraction: float,
    clearance: float,
    starts: int,
    iterations: int,
) -> None:
    """Check the arguments of `excite` that do not depend on the robot."""
    refuse_if(
        not (np.isfinite(time) and time > 0), f"time: expected seconds above zero, found {time}"
    )
    refuse_if(
        harmonics < 2,
        "harmonics: expected 2 or more, since one harmonic cannot begin and end at rest, found "
        f"{harmonics}",
    )
    refuse_if(
        criterion not in MEASURES,
        f"criterion: expected {' or '.join(MEASURES)}, found `{criterion}`",
    )
    refuse_if(
        not 0 < fraction <= 1, f"fraction: expected a number above 0, at most 1, found {fraction}"
    )
    refuse_if(
        not clearance >= 0, f"clearance: expected a distance in m, zero or more, found {clearance}"
    )
    for name, number in (("starts", starts), ("iterations", iterations)):
        refuse_if(number < 1, f"{name}: expected 1 or more, found {number}")


def _report_part(show: SearchProgress, number: int, starts: int, done: float) -> None:
    show((number + done) / starts)


def _random_motion(problem: ExcitationProblem, rng: np.random.Generator) -> Array:
    """Return the coefficients of a random motion about a random posture.

    The motion has the largest amplitude with which it keeps all limits.
    """
    nearest = -np.inf
    for draw in range(_DRAWS):
        # Draws approach the middle of the position limits.
        still = np.zeros(problem.shape)
        still[:, 0] = rng.uniform(-0.7, 0.7, problem.shape[0]) * (1 - draw / _DRAWS)
        slack = problem.compute_slack(still.reshape(-1))
        nearest = max(nearest, float(slack.min()))
        if slack.min() > 0:
            break
    else:
        raise UsageError(_explain_missing_posture(problem, nearest))
    swing = rng.normal(size=problem.shape)
    swing[:, 0] = 0
    swing /= np.abs(
        problem.basis.compute_shapes(np.linspace(0, problem.basis.period, 200))[1, :, 1:]
        @ swing[:, 1:].T
    ).max()
    least, most = 0.0, 1.0  # at 1 a joint reaches its velocity limit
    for _ in range(_HALVINGS):
        size = (least + most) / 2
        allowed = problem.compute_slack((still + size * swing).reshape(-1)).min() >= 0
        least, most = (size, most) if allowed else (least, size)
    return (still + least * swing).reshape(-1)


def _explain_missing_posture(problem: ExcitationProblem, nearest: float) -> str:
    """Return the message that no random posture was feasible, with advice.

    `nearest` is -0.1 if the best posture exceeds a limit by 10 %.
    """
    held = "effort limits and workspace" if problem.workspace is not None else "effort limits"
    return (
        f"{problem.moving.robot.name}: none of {_DRAWS} random postures within the position limits "
        f"keeps the {held} at rest (the best posture exceeds a limit by {-nearest:.0%}): check "
        "units and signs with `dynagen check`, widen the limits, or restrict the position limits "
        "to postures that the robot can hold"
    )


def _search(
    problem: ExcitationProblem, start: Array, iterations: int, progress: SearchProgress
) -> tuple[Array, Search]:
    """Improve a motion by sequential quadratic programming (Kraft 1988).

    `start` contains the coefficients of the motion. Return the coefficients of the best motion
    within the limits that any iteration found, and the progress of the search.
    """
    from scipy.optimize import minimize

    best = start
    measures = [problem.compute_information(start)]

    def record(x: Array) -> None:
        nonlocal best
        x = _find_feasible(problem, best, x)
        found = problem.compute_information(x)
        if found > measures[-1]:
            best = x
        measures.append(max(found, measures[-1]))
        progress(min(1.0, len(measures) / iterations))

    constraint = {
        "type": "ineq",
        "fun": lambda x: problem.compute_slack(x) - _MARGIN,
        "jac": problem.compute_slack_slope,
    }
    with np.errstate(all="ignore"):  # a step may overflow; the optimiser then rejects it
        minimize(
            lambda x: -problem.compute_information(x),
            start,
            jac=lambda x: -problem.compute_information_slope(x),
            method="SLSQP",
            constraints=[constraint],
            callback=record,
            options={"maxiter": iterations, "ftol": _TOLERANCE},
        )
    progress(1.0)
    return best, Search(np.array(measures))


def _find_feasible(problem: ExcitationProblem, allowed: Array, x: Array) -> Array:
    """Return x if its motion is within the limits, else a feasible motion between `allowed` and x.

    x and `allowed` are the coefficients of two motions, and `allowed` is within the limits. The
    returned motion is the nearest one to x that bisection of the line between them finds.
    """
    least, most = 0.0, 1.0
    if not problem.compute_slack(x).min() >= 0:
        for _ in range(_REPAIRS):
            middle = (least + most) / 2
            kept = problem.compute_slack(allowed + middle * (x - allowed)).min() >= 0
            least, most = (middle, most) if kept else (least, middle)
        x = allowed + least * (x - allowed)
    return x


def _verify(problem: ExcitationProblem, x: Array) -> Array | None:
    """Shrink a motion until it is within the limits on a fine time grid; return the coefficients.

    x contains the coefficients of the given motion. The result is None if no tried size of the
    motion is within the limits.
    """
    still = x.reshape(problem.shape) * np.eye(1, problem.basis.size)
    for shrink in range(_SHRINKS):
        size = 1 - (2**shrink - 1) * 1e-4
        smaller = (still + size * (x.reshape(problem.shape) - still)).reshape(-1)
        trajectory = problem.make_trajectory(smaller)
        used = _compute_usage(problem.moving, problem.limits, trajectory)
        room = _find_room(problem.workspace, trajectory) if problem.workspace else 0.0
        greatest = max(np.abs(parts).max() for parts in used.values())
        if greatest <= 1 and room >= 0:
            return np.asarray(smaller)
    return None


def _fine_times(trajectory: FourierTrajectory) -> Array:
    """Return the fine time grid of one period on which limits are verified, without its end."""
    count = 20 * _FINER * trajectory.cosines.shape[1]
    return np.asarray(np.arange(count) * (trajectory.period / count))


def _compute_usage(
    moving: MovingRobot, limits: MotionLimits, trajectory: FourierTrajectory
) -> Mapping[str, Array]:
    """Compute each quantity of a motion over time, as a fraction of its limit, with sign.

    Joint forces include friction. The keys of the result are position, velocity, acceleration and
    effort. Each array has a row for each time and a column for each joint.
    """
    q, qd, qdd = trajectory.at(_fine_times(trajectory))
    return limits.compute_usage(q, qd, qdd, moving.compute_torques(q, qd, qdd))


def _find_room(workspace: Workspace, trajectory: FourierTrajectory) -> float:
    """Compute the smallest distance (m) of a checked point from a region's border along a motion.

    The required clearance is subtracted from the distance, so that zero is just permitted.
    """
    return float(workspace.compute_clearances(trajectory.at(_fine_times(trajectory))[0])[0].min())
