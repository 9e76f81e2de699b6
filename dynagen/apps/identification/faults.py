"""Checks of logs for gaps, wrong units, wrong signs and exchanged joints.

Before filtering, `check_log` checks the recorded rows. After filtering, `check_forces` uses the
regressor to check whether the forces match the motion. A fault that makes every result wrong stops
the identification; other faults are warnings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynagen.apps.identification.filtering import Filtering, split_at_gaps
from dynagen.apps.identification.logs import Log
from dynagen.apps.identification.regression import RegressionModel
from dynagen.apps.identification.samples import Samples
from dynagen.numbers.arrays import Array, Mask
from dynagen.resources import require_extra
from dynagen.robot.description import LinkDescription, RobotDescription

LARGEST = 1e100
"""Upper bound on entries of a log, so that sums of their squares cannot overflow."""
STILL = 1e-3
"""Range of positions (rad or m) below which a joint counts as not moving."""

_TWO_TURNS = 4 * np.pi
_SLOWEST = 0.5  # s: longer steps are surely milliseconds or microseconds
_FASTEST = 5e-5  # s: no robot is logged faster than at 20 kHz
_AGREES = 0.7  # correlation of logged velocities with the derivatives of positions
_SLOPE = 0.25  # tolerated relative deviation of their ratio from one
_DEGREE = np.pi / 180


@dataclass(frozen=True)
class LogFault:
    """One fault of a log, such as a wrong unit.

    Attributes:
        source: name of the log.
        column: name of the column in messages; empty if the fault concerns the log as a whole.
        message: description of the fault, with found and expected values and a remedy.
        stops: whether the fault makes every identification from this log wrong.
    """

    source: str
    column: str
    message: str
    stops: bool

    def __str__(self) -> str:
        """Return the message, preceded by the log and the column."""
        return (
            f"{self.source}: {self.column}: {self.message}"
            if self.column
            else f"{self.source}: {self.message}"
        )


def check_log(log: Log, robot: RobotDescription) -> tuple[LogFault, ...]:
    """Check entries, times, units and velocities of a recorded log, and report joints at rest.

    If entries are not finite or times do not ascend, only these faults are reported, because the
    other checks require finite numbers and ascending times.

    Args:
        log: the log, not yet filtered.
        robot: description of the robot, with the position limits of its joints.
    """
    if found := (*_number_faults(log), *_time_faults(log)):
        return found
    links = [link for link in robot.links if link.joint.nv]
    return (
        *_gap_faults(log),
        *_unit_faults(log, links),
        *_velocity_faults(log),
        *_rest_faults(log, links),
    )


def check_filtering(log: Log, filtering: Filtering) -> tuple[LogFault, ...]:
    """Return a warning for each joint whose measured force is saturated."""
    return tuple(
        LogFault(
            log.source,
            log.names["tau"][joint],
            f"{count} samples stay at the greatest or smallest value: the measurement or the "
            "drive is saturated. Saturated samples are left out of the joint's equations; if "
            "there are many, log a slower motion, or one with a smaller load",
            False,
        )
        for joint, count in enumerate(filtering.saturated)
        if count
    )


def find_still_joints(log: Log) -> Mask:
    """Return for each joint whether its position in a log varies by less than 0.001 rad or m."""
    return np.asarray(np.ptp(log.q, axis=0) < STILL)


def is_measurable(values: Array) -> Mask:
    """Return a mask of the values that are finite and below 1e100 in magnitude."""
    # Comparisons with NaN are false.
    return np.asarray(np.abs(values) < LARGEST)


def _number_faults(log: Log) -> Iterator[LogFault]:
    """Find entries of a log that are not finite or not below 1e100 in magnitude."""
    columns = {"q": log.q, "qd": log.qd, "qdd": log.qdd, "tau": log.tau, "time": log.t[:, None]}
    for quantity, values in columns.items():
        if values is None:
            continue
        for number, column in enumerate(values.T):
            bad = np.flatnonzero(~is_measurable(column))
            if bad.size:
                also = f", and {bad.size - 1} more" if bad.size > 1 else ""
                row = log.first_row + bad[0]
                yield LogFault(
                    log.source,
                    log.names[quantity][number],
                    f"row {row} is {column[bad[0]]}{also}; "
                    f"expected numbers below {LARGEST:g}: "
                    "a value was lost or is damaged; leave out damaged rows with --rows",
                    True,
                )


def _time_faults(log: Log) -> Iterator[LogFault]:
    """Find times of a log that do not ascend or are not in seconds."""
    if not np.isfinite(log.t).all():
        return
    column, steps = log.names["time"][0], np.diff(log.t)
    back = np.flatnonzero(steps <= 0)
    if back.size:
        row = int(back[0])
        yield LogFault(
            log.source,
            column,
            f"time does not ascend at row {log.first_row + row + 1}: {log.t[row + 1]:g} s after "
            f"{log.t[row]:g} s"
            + (f", and at {back.size - 1} rows more" if back.size > 1 else "")
            + ": rows are repeated or out of order, or two logs are in one file; sort the rows, or "
            "choose the rows of one log with --rows",
            True,
        )
        return
    step = np.median(steps)
    if step < _FASTEST:
        yield LogFault(
            log.source,
            column,
            f"samples are {step:.3g} s apart, but robots are logged at 20 kHz at most: check "
            "--time-unit, the unit of the times (without it, s)",
            True,
        )
    elif step > _SLOWEST:
        yield LogFault(
            log.source,
            column,
            f"samples are {step:g} s apart, which looks like milliseconds or microseconds: add "
            "--time-unit ms or --time-unit us",
            True,
        )


def _gap_faults(log: Log) -> Iterator[LogFault]:
    """Find gaps in the times of a log."""
    for piece in split_at_gaps(log.t)[1:]:
        row = piece.start
        lost = log.t[row] - log.t[row - 1]
        yield LogFault(
            log.source,
            log.names["time"][0],
            f"{lost:.3g} s are lost between rows {log.first_row + row - 1} and "
            f"{log.first_row + row}, probably because the recorder missed samples: the parts "
            "before and after are filtered separately; a gap costs the samples at its ends, so "
            "record again if there are many gaps",
            False,
        )


def _unit_faults(log: Log, links: Sequence[LinkDescription]) -> Iterator[LogFault]:
    """Find angles that are too large for radians, and positions beyond the joint limits."""
    for joint, link in enumerate(links):
        reached = float(np.abs(log.q[:, joint]).max())
        limits = (
            None if link.limits is None or link.limits.position is None else link.limits.position
        )
        furthest = max(abs(float(end)) for end in limits) if limits else _TWO_TURNS / 2
        if link.joint.angular and reached > 2 * furthest:
            expected = (
                f"the joint's limits end at {furthest:.3g} rad"
                if limits
                else "radians would be more than two rotations"
            )
            message = (
                f"the position reaches {reached:.4g}, which looks like degrees ({expected}): "
                "add --degrees"
            )
            yield LogFault(log.source, log.names["q"][joint], message, True)
        elif limits:
            low, high = (float(end) for end in limits)
            beyond = max(low - log.q[:, joint].min(), log.q[:, joint].max() - high)
            if beyond > STILL:
                message = (
                    f"the position passes the limit of {link.joint_name} by {beyond:.3g} "
                    f"{link.joint.type.position_unit}: the column belongs to another joint, its "
                    "zero is shifted, or the limit is wrong; check --columns and the limit"
                )
                yield LogFault(log.source, log.names["q"][joint], message, False)


def _velocity_faults(log: Log) -> Iterator[LogFault]:
    """Find velocities that are not the derivatives of the positions."""
    if log.qd is None:
        return
    moving = ~find_still_joints(log)
    derived = np.gradient(log.q, log.t, axis=0)
    alike = compute_correlations(derived, log.qd)
    for joint in np.flatnonzero(moving):
        column = log.names["qd"][joint]
        best = int(np.argmax(np.abs(alike[joint])))
        slope = float(
            np.sum(derived[:, joint] * log.qd[:, joint])
            / max(np.sum(log.qd[:, joint] ** 2), 1e-300)
        )
        message = ""
        if alike[joint, joint] < _AGREES and best != joint and abs(alike[joint, best]) > _AGREES:
            message = (
                f"the velocity is not the derivative of {log.names['q'][joint]}, but "
                f"{log.names['qd'][best]} is: check --columns for exchanged columns"
            )
        elif alike[joint, joint] < -_AGREES:
            message = (
                "the velocity has the opposite sign of the derivative of the position: change the "
                "sign of the velocity or of the position"
            )
        elif alike[joint, joint] < _AGREES:
            message = (
                f"the velocity is not the derivative of {log.names['q'][joint]} "
                f"(correlation {alike[joint, joint]:.2f}): the column may be another quantity, or "
                "be delayed"
            )
        elif abs(slope / _DEGREE - 1) < _SLOPE or abs(slope * _DEGREE - 1) < _SLOPE:
            which = (
                "velocities are in degrees/s and positions in rad"
                if slope < 1
                else "positions are in degrees and velocities in rad/s"
            )
            message = f"{which}: use rad for positions and velocities, or degrees with --degrees"
        elif abs(slope - 1) > _SLOPE:
            message = (
                f"the velocity is {1 / slope:.3g} times the derivative of the position: expected "
                "rad/s or m/s, "
                "not rotations per minute or ticks"
            )
        if message:
            yield LogFault(
                log.source,
                column,
                f"{message}. Leave qd out of --columns to derive velocities from positions",
                True,
            )


def _rest_faults(log: Log, links: Sequence[LinkDescription]) -> Iterator[LogFault]:
    """Yield a fault for each joint that does not move in a log."""
    for joint, still in enumerate(find_still_joints(log)):
        if not still:
            continue
        message = (
            f"{links[joint].joint_name} does not move: this log does not determine its friction, "
            "nor inertia that only its motion excites; add a log in which it moves (dynagen excite)"
        )
        yield LogFault(log.source, log.names["q"][joint], message, False)


def compute_correlations(one: Array, other: Array) -> Array:
    """Compute the correlation of every column of `one` with every column of `other`.

    Args:
        one: columns of samples, shape (count, a).
        other: columns of samples, shape (count, b).

    Returns:
        Correlation of each pair of columns, -1 to 1, shape (a, b); 0 where a column is constant.
    """
    one, other = one - one.mean(axis=0), other - other.mean(axis=0)
    scale = np.outer(np.linalg.norm(one, axis=0), np.linalg.norm(other, axis=0))
    return np.asarray(one.T @ other / np.where(scale > 0, scale, np.inf))


# The sign is wrong if the opposite force leaves less than this part of the residual.
_OPPOSITE = 0.7
# Columns are exchanged if joints leave less than this part of the residual of each other's forces.
_EXCHANGED = 0.8
_UNEXPLAINED = 0.8  # part of a force left by the joint's own best fit that counts as a fault
_FEWEST = 100  # samples of a joint, below which its forces are not checked


def check_forces(
    model: RegressionModel, samples: Samples, names: Sequence[str]
) -> tuple[LogFault, ...]:
    """Check that measured forces belong to their joints, and have the right sign and scale.

    The check for exchanged joints does not depend on the described parameters. The checks of signs
    and scale use the described parameters.

    Args:
        model: regressor of all parameters, with their described values.
        samples: filtered samples of one log.
        names: name of each joint's force column for messages.
    """
    columns = model.compute_regressor(samples.q, samples.qd, samples.qdd)
    inertial = columns @ np.where(
        [parameter.kind == "inertial" for parameter in model.parameters],
        model.described_values,
        0.0,
    )
    wrong = tuple(
        LogFault(samples.source, names[joint], message, True)
        for joint, message in _force_faults(columns, inertial, samples, names)
    )
    scale = _find_common_scale(samples, inertial)
    if wrong or scale is None:
        return wrong
    factor = f"{scale:.1g}" if scale > 1 else f"1/{1 / scale:.1g}"
    message = (
        f"the measured forces of all joints are about {_format_plainly(factor)} times the "
        "forces computed from the description, which looks like a missing gear ratio or another "
        "unit. Expected forces at the "
        "joints, behind the gears: multiply --gains, or the columns (tau=tau#*100), by the gear "
        "ratios or by the unit. If the described masses are wrong by this factor, add "
        "--despite-faults"
    )
    return (LogFault(samples.source, "", message, True),)


def _format_plainly(factor: str) -> str:
    """Return a factor as text without an exponent: 1/1e+02 becomes 1/100."""
    head, slash, number = factor.rpartition("/")
    return f"{head}{slash}{float(number):.0f}"


_WRONG_SCALE = 8.0  # descriptions are guesses, but rarely of another order of magnitude


def _find_common_scale(samples: Samples, inertial: Array) -> float | None:
    """Return the factor of all measured forces relative to the forces of the described robot.

    Each joint's measured force is fitted by a factor times the described force, plus friction. The
    result is the median of the factors, or None if the median is between 1/8 and 8, the factors
    disagree, or samples are too few. `inertial` contains the described forces without friction,
    shape (samples, joints).
    """
    used = samples.used.all(axis=1)
    if np.count_nonzero(used) < _FEWEST:
        return None
    force, described, velocity = samples.tau[used], inertial[used], samples.qd[used]
    # The forces of light joints at the tip are mostly friction: they say little about the scale.
    heavy = np.flatnonzero(
        np.linalg.norm(described, axis=0) > 0.05 * np.linalg.norm(described, axis=0).max()
    )
    scales = []
    for joint in heavy:
        columns = np.stack(
            [described[:, joint], velocity[:, joint], np.sign(velocity[:, joint])], axis=1
        )
        scales.append(_fit_non_negative(columns, force[:, joint])[0][0])
    lowest, median, highest = np.quantile(scales, [0.0, 0.5, 1.0]) if scales else (1.0, 1.0, 1.0)
    agree = highest < 1 / 2 if median < 1 else lowest > 2
    is_far = not 1 / _WRONG_SCALE < median < _WRONG_SCALE
    return float(median) if is_far and agree and median > 0 else None


def _force_faults(
    columns: Array, inertial: Array, samples: Samples, names: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """Yield the index of each measured force that does not fit its joint, and a message.

    The force may belong to another joint, have the wrong sign, or fit no parameters. `columns`
    contains the regressor, shape (samples, joints, parameters). `inertial` contains the described
    joint forces without friction, shape (samples, joints).
    """
    unexplained = _unexplained_parts(columns, samples)
    joint_of, is_clear = _assign_forces(unexplained)
    for force in map(int, np.flatnonzero(samples.used.sum(axis=0) >= _FEWEST)):
        joint = joint_of[force]
        own, there = 100 * unexplained[force, force], 100 * unexplained[joint, force]
        if is_clear[force]:
            yield (
                force,
                f"the force fits the joint of {names[joint]} far better ({there:.0f} % of the "
                "force is "
                f"unexplained there, {own:.0f} % here): check --columns for exchanged columns",
            )
        elif _is_opposite(samples, force, inertial):
            other = (
                ""
                if joint == force
                else f". If two columns are exchanged, this column is the force of the joint of "
                f"{names[joint]}"
            )
            yield (
                force,
                "the sign of the force is wrong: the opposite sign fits the description and "
                "braking "
                f"friction far better. Change the sign; for currents, use a negative gain{other}",
            )
        elif own > 100 * _UNEXPLAINED:
            yield (
                force,
                f"no parameters explain {own:.0f} % of the force: the column belongs to another "
                "joint, "
                "is mostly noise, or is delayed against the positions; check --columns and the "
                "units",
            )


def _unexplained_parts(columns: Array, samples: Samples) -> Array:
    """Return the relative misfit of each joint with each measured force, shape (joints, forces).

    Every force is fitted by every joint's rows of the regressor `columns`, because forces may
    belong to other joints. The misfit is the norm of the residual divided by the norm of the force,
    or 1 for a joint with too few used samples.
    """
    joints = samples.tau.shape[1]
    left = np.ones((joints, joints))
    for joint, used in enumerate(samples.used.T):
        if np.count_nonzero(used) >= _FEWEST:
            forces = samples.tau[used]
            # R of [Y_j | all forces]: the rows below Y_j hold the residuals of every force.
            factor = np.asarray(np.linalg.qr(np.hstack([columns[used, joint], forces]), mode="r"))
            rest = factor[columns.shape[2] :, -joints:]
            left[joint] = np.linalg.norm(rest, axis=0) / np.maximum(
                np.linalg.norm(forces, axis=0), np.finfo(float).tiny
            )
    return left


def _assign_forces(unexplained: Array) -> tuple[NDArray[np.intp], Mask]:
    """Assign each measured force to a joint so that the sum of squared misfits is smallest.

    `unexplained` contains the relative misfit of each joint with each force, shape (joints,
    forces). The first result is the joint of each force. The second result is True for each force
    that belongs to an exchange of columns, if the exchange fits far better than the given order,
    and no force of the exchange fits worse.
    """
    require_extra("scipy", "identify", "to check the forces of a log")
    from scipy.optimize import linear_sum_assignment

    joint_of = linear_sum_assignment(unexplained.T**2)[1]
    is_clear = np.zeros(len(joint_of), dtype=bool)
    for force in range(len(joint_of)):
        # Follow the exchange until it closes, for example 1 -> 2 -> 1.
        cycle = [force]
        while (following := int(joint_of[cycle[-1]])) != force:
            cycle.append(following)
        own, others = unexplained[cycle, cycle], unexplained[joint_of[cycle], cycle]
        is_far_better = np.linalg.norm(others) < _EXCHANGED * np.linalg.norm(own)
        # Without friction in the model, forces that are mostly friction fit no joint well.
        is_clear[force] = is_far_better and bool(np.all(others <= own))
    return joint_of, is_clear


def _is_opposite(samples: Samples, joint: int, inertial: Array) -> bool:
    """Return whether a joint's force fits the description better with the opposite sign.

    The force is fitted by a sum of the described inertial force, the velocity and the sign of the
    velocity. Each term has its own non-negative factor, because the described magnitudes may be
    guesses.
    """
    used = samples.used[:, joint]
    velocity, force = samples.qd[used, joint], samples.tau[used, joint]
    columns = np.stack([inertial[used, joint], velocity, np.sign(velocity)], axis=1)
    return _fit_non_negative(columns, -force)[1] < _OPPOSITE * _fit_non_negative(columns, force)[1]


def _fit_non_negative(columns: Array, force: Array) -> tuple[Array, float]:
    """Fit a force by columns with non-negative factors; return factors and norm of the residual."""
    require_extra("scipy", "identify", "to check the forces of a log")
    from scipy.optimize import nnls

    factors, residual = nnls(columns, force)
    return factors, float(residual)
