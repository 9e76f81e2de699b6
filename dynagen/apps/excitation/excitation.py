"""`dynagen.excite`: motions from whose measurements a robot's parameters can be told, within its limits."""

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
    motion_limits,
    workspace_of,
)
from dynagen.apps.excitation.problem import MEASURES, ExcitationProblem, MovingRobot, moving_robot
from dynagen.apps.excitation.trajectories import FourierBasis, FourierTrajectory
from dynagen.apps.identification.regression import require_fixed_base
from dynagen.apps.identification.samples import Array
from dynagen.errors import UsageError, refuse_if
from dynagen.resources import require_extra
from dynagen.robot.options import ReadingKeywords, reading_options
from dynagen.runtime.api import AnyRobot, as_description

if TYPE_CHECKING:
    from typing_extensions import Unpack

Told = Callable[[float], None]

_FINER = 10  # times as many moments as the optimiser looks at, when limits are verified
_DRAWS = 200  # of postures, until one is allowed
_HALVINGS = 20
_REPAIRS = 6
_SHRINKS = 12
_MARGIN = 1e-4  # of a limit: the optimiser keeps to it but for rounding, and so to the limit
_TOLERANCE = 1e-5  # of the measure, at which a search has converged


@dataclass(frozen=True)
class Search:
    """A search from one random motion, as large as its limits allow.

    Attributes:
        measures: of the best motion that keeps all limits up to every iteration; first that of the random motion.
    """

    measures: Array


@dataclass(frozen=True)
class Excitation:
    """A motion that was sought, and what it is worth.

    Attributes:
        moving: the robot, compiled.
        trajectory: the best motion that was found.
        limits: that it keeps.
        workspace: likewise; None if there is none.
        criterion: what was sought: logdet or condition.
        searches: all of them, one for each random start.
        best: which of them the trajectory is from.
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
        """Its name."""
        return self.moving.robot.name

    @property
    def log_determinant(self) -> float:
        """Log det(A^T A) / p for A with torques in units of their limits, a mean over the samples."""
        return self._measured("logdet")

    @property
    def condition(self) -> float:
        """The condition number of A, its columns scaled to length one."""
        return float(np.exp(-self._measured("condition")))

    @property
    def used(self) -> Mapping[str, Array]:
        """The greatest part of every limit that the motion uses, by quantity, shape (n,) each."""
        return {
            name: np.abs(each).max(axis=0)
            for name, each in _used(self.moving, self.limits, self.trajectory).items()
        }

    @property
    def clearance(self) -> float | None:
        """The smallest distance (m) that is left between a point and what it must not pass; None without a workspace."""
        return _clearance(self.workspace, self.trajectory)

    def to_csv(self, rate: float) -> str:
        """One period at about `rate` Hz as CSV with the columns t, q1, ..., qd1, ..., qdd1, ..."""
        return self.trajectory.to_csv(rate)

    def _measured(self, criterion: str) -> float:
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
    told: Told | None = None,
    **options: Unpack[ReadingKeywords],
) -> Excitation:
    """Seek a periodic motion from whose measurements the base parameters can be told as well as possible.

    Args:
        robot: a description, or what `load_robot` takes.
        time: of one period, s.
        harmonics: of the Fourier series, at least 2; the highest frequency is harmonics / time.
        criterion: logdet: the determinant of A^T A is to be large; condition: the condition number of A is to be small,
            columns scaled to length one. A has the rows of the base regressor, joint forces in units of their limits.
        limits: by quantity (position, velocity, acceleration, effort), before those of the description: a number, or one for
            each joint; of positions pairs (low, high).
        fraction: of all limits, that is used; of positions from the middle.
        regions: boxes and spheres that points stay inside or outside of.
        points: links, whose origins are meant, and named frames; empty: the origins of all links that move, and the tool.
        clearance: of the points, m.
        starts: random motions to search from.
        iterations: of a search, at most.
        seed: of the random motions.
        told: called with the part of all searches that is done, now and then.
        options: as of `load_robot`.

    Returns:
        The best motion; it keeps all limits, which is verified at ten times as many moments as the search looks at.

    Raises:
        UsageError: a limit is missing or no motion keeps them all, or scipy is missing.
        DynagenError: the robot has no base parameters, or as `compile`.
    """
    refuse_if(
        not (np.isfinite(time) and time > 0), f"time: expected seconds above zero, found {time}"
    )
    refuse_if(
        harmonics < 2,
        f"harmonics: expected 2 or more, so that a motion can begin and end at rest, found {harmonics}",
    )
    refuse_if(
        criterion not in MEASURES,
        f"criterion: expected {' or '.join(MEASURES)}, found `{criterion}`",
    )
    refuse_if(
        not 0 < fraction <= 1, f"fraction: expected a number above 0, at most 1, found {fraction}"
    )
    refuse_if(not clearance >= 0, f"clearance: expected metres, zero or more, found {clearance}")
    for name, number in (("starts", starts), ("iterations", iterations)):
        refuse_if(number < 1, f"{name}: expected 1 or more, found {number}")
    require_extra("scipy", "identify", "to optimise a motion")
    described = as_description(robot, reading_options(**options))
    require_fixed_base(described)
    kept = motion_limits(described, limits).scaled(fraction)
    workspace = workspace_of(described, regions, points, clearance) if regions else None
    moving = moving_robot(described)
    problem = ExcitationProblem(
        moving, FourierBasis(time, harmonics), kept, workspace, MEASURES[criterion]
    )
    rng = np.random.default_rng(seed)
    tell = told or (lambda done: None)
    searches: list[Search] = []
    found: list[tuple[float, int, FourierTrajectory]] = []
    for number in range(starts):
        x, search = _search(
            problem, _random(problem, rng), iterations, partial(_tell_part, tell, number, starts)
        )
        searches.append(search)
        kept_all = _verified(problem, x)
        if kept_all is not None:
            found.append((problem.information(kept_all), number, problem.trajectory(kept_all)))
    if not found:
        raise UsageError(
            f"{described.name}: every motion that was found passes a limit between two moments: add starts"
        )
    _, best, trajectory = max(found, key=lambda each: each[:2])
    return Excitation(moving, trajectory, kept, workspace, criterion, tuple(searches), best)


def _tell_part(tell: Told, number: int, starts: int, done: float) -> None:
    tell((number + done) / starts)


def _random(problem: ExcitationProblem, rng: np.random.Generator) -> Array:
    """A random motion about a random posture, as large as its limits allow.

    Raises:
        UsageError: no posture is allowed.
    """
    nearest = -np.inf
    for draw in range(_DRAWS):
        still = np.zeros(problem.shape)
        still[:, 0] = rng.uniform(-0.7, 0.7, problem.shape[0]) * (1 - draw / _DRAWS)
        slack = problem.slack(still.reshape(-1))
        nearest = max(nearest, float(slack.min()))
        if slack.min() > 0:
            break
    else:
        raise UsageError(_why_no_posture(problem, nearest))
    swing = rng.normal(size=problem.shape)
    swing[:, 0] = 0
    swing /= np.abs(
        problem.basis.shapes(np.linspace(0, problem.basis.period, 200))[1, :, 1:] @ swing[:, 1:].T
    ).max()
    least, most = 0.0, 1.0  # at most every joint moves as fast as it may
    for _ in range(_HALVINGS):
        size = (least + most) / 2
        allowed = problem.slack((still + size * swing).reshape(-1)).min() >= 0
        least, most = (size, most) if allowed else (least, size)
    return (still + least * swing).reshape(-1)


def _why_no_posture(problem: ExcitationProblem, nearest: float) -> str:
    held = "effort limits and workspace" if problem.workspace is not None else "effort limits"
    return (
        f"{problem.moving.robot.name}: no posture within the limits of positions was found in {_DRAWS} draws that keeps the "
        f"{held} at rest (the nearest passes one by {-nearest:.0%}): check units and signs with `dynagen check`, widen them, "
        "or narrow positions to where the robot can stand"
    )


def _search(
    problem: ExcitationProblem, start: Array, iterations: int, told: Told
) -> tuple[Array, Search]:
    """Improve a motion (sequential quadratic programming: Kraft 1988); the best iterate that is allowed is returned."""
    from scipy.optimize import minimize

    best = start
    measures = [problem.information(start)]

    def record(x: Array) -> None:
        nonlocal best
        x = _allowed_towards(problem, best, x)
        found = problem.information(x)
        if found > measures[-1]:
            best = x
        measures.append(max(found, measures[-1]))
        told(min(1.0, len(measures) / iterations))

    constraint = {
        "type": "ineq",
        "fun": lambda x: problem.slack(x) - _MARGIN,
        "jac": problem.slack_slope,
    }
    with np.errstate(all="ignore"):  # a step may leave all bounds, and is then not taken
        minimize(
            lambda x: -problem.information(x),
            start,
            jac=lambda x: -problem.information_slope(x),
            method="SLSQP",
            constraints=[constraint],
            callback=record,
            options={"maxiter": iterations, "ftol": _TOLERANCE},
        )
    told(1.0)
    return best, Search(np.array(measures))


def _allowed_towards(problem: ExcitationProblem, allowed: Array, x: Array) -> Array:
    """The motion, or if it passes a limit, as the optimiser's do on its way, one between it and one that passes none."""
    least, most = 0.0, 1.0
    if not problem.slack(x).min() >= 0:
        for _ in range(_REPAIRS):
            middle = (least + most) / 2
            kept = problem.slack(allowed + middle * (x - allowed)).min() >= 0
            least, most = (middle, most) if kept else (least, middle)
        x = allowed + least * (x - allowed)
    return x


def _verified(problem: ExcitationProblem, x: Array) -> Array | None:
    """The motion, a little smaller if it passes a limit between moments that were looked at; None if that is not enough."""
    still = x.reshape(problem.shape) * np.eye(1, problem.basis.size)
    for shrink in range(_SHRINKS):
        size = 1 - (2**shrink - 1) * 1e-4
        smaller = (still + size * (x.reshape(problem.shape) - still)).reshape(-1)
        trajectory = problem.trajectory(smaller)
        used = _used(problem.moving, problem.limits, trajectory)
        room = _clearance(problem.workspace, trajectory)
        if max(np.abs(each).max() for each in used.values()) <= 1 and (room is None or room >= 0):
            return np.asarray(smaller)
    return None


def _fine_times(trajectory: FourierTrajectory) -> Array:
    """Moments of one period, each once: ten times as many as a search looks at."""
    count = 20 * _FINER * trajectory.cosines.shape[1]
    return np.asarray(np.arange(count) * (trajectory.period / count))


def _used(
    moving: MovingRobot, limits: MotionLimits, trajectory: FourierTrajectory
) -> Mapping[str, Array]:
    """The part of every limit that a motion uses, friction included."""
    q, qd, qdd = trajectory.at(_fine_times(trajectory))
    return limits.used(q, qd, qdd, moving.torques(q, qd, qdd))


def _clearance(workspace: Workspace | None, trajectory: FourierTrajectory) -> float | None:
    if workspace is None:
        return None
    return float(workspace.clearances(trajectory.at(_fine_times(trajectory))[0])[0].min())
