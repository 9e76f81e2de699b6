"""Faults of logs and of measured forces: gaps, units, signs, exchanged joints.

Faults of logs: what cannot be, by file and column with what to try: gaps, units, signs, joints in each other's place.

Faults of measured joint forces: joints in each other's place and signs, found by what motion and description expect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynagen.apps.identification.filtering import Filtering, pieces_of
from dynagen.apps.identification.logs import Log
from dynagen.apps.identification.regression import RegressionModel
from dynagen.apps.identification.samples import Array, Mask, Samples
from dynagen.resources import require_extra
from dynagen.robot.description import LinkDescription, RobotDescription

STILL = 1e-3
"""Range of a joint's positions below which it does not move, rad or m."""

_TWO_TURNS = 4 * np.pi
_SLOWEST = 0.5  # s: nobody records joint forces less often, but in milliseconds
_AGREES = 0.7  # correlation of logged and derived rates
_SLOPE = 0.25  # by which their ratio may differ from one
_DEGREE = np.pi / 180


@dataclass(frozen=True)
class LogFault:
    """One thing wrong with a log.

    Attributes:
        source: the file.
        column: as a message says it; empty for the log as a whole.
        message: what was found, what was expected, and what to try.
        stops: whether nothing that is identified from such a log can be right.
    """

    source: str
    column: str
    message: str
    stops: bool

    def __str__(self) -> str:
        """The whole sentence."""
        return (
            f"{self.source}: {self.column}: {self.message}"
            if self.column
            else f"{self.source}: {self.message}"
        )


def faults_of_log(log: Log, robot: RobotDescription) -> tuple[LogFault, ...]:
    """What is wrong with a log as it was recorded; only numbers and times if these are."""
    if found := (*_not_finite(log), *_time_faults(log)):
        return found
    links = [link for link in robot.links if link.joint.nv]
    return (*_gaps(log), *_unit_faults(log, links), *_rate_faults(log), *_still(log, links))


def faults_of_filtering(log: Log, filtering: Filtering) -> tuple[LogFault, ...]:
    """Joints whose measured forces are at an end."""
    return tuple(
        LogFault(
            log.source,
            log.names["tau"][joint],
            f"{count} samples in a row or more stay at the greatest or smallest value: the measurement or the drive is "
            "saturated. These samples are left out of the joint's equations",
            False,
        )
        for joint, count in enumerate(filtering.saturated)
        if count
    )


def still_joints(log: Log) -> Mask:
    """Joints that do not move, shape (n,) of truth values."""
    return np.asarray(np.ptp(log.q, axis=0) < STILL)


def _not_finite(log: Log) -> Iterator[LogFault]:
    columns = {"q": log.q, "qd": log.qd, "qdd": log.qdd, "tau": log.tau, "time": log.t[:, None]}
    for quantity, values in columns.items():
        if values is None:
            continue
        for number, column in enumerate(values.T):
            bad = np.flatnonzero(~np.isfinite(column))
            if bad.size:
                also = f", and {bad.size - 1} more" if bad.size > 1 else ""
                message = f"row {log.first_row + bad[0]} is {column[bad[0]]}{also}; expected finite numbers"
                yield LogFault(
                    log.source,
                    log.names[quantity][number],
                    f"{message}: leave rows out with --rows",
                    True,
                )


def _time_faults(log: Log) -> Iterator[LogFault]:
    if not np.isfinite(log.t).all():
        return
    column, steps = log.names["time"][0], np.diff(log.t)
    back = np.flatnonzero(steps <= 0)
    if back.size:
        row = int(back[0])
        yield LogFault(
            log.source,
            column,
            f"time does not ascend at row {log.first_row + row + 1}: {log.t[row + 1]:g} s after {log.t[row]:g} s"
            + (f", and at {back.size - 1} rows more" if back.size > 1 else ""),
            True,
        )
    elif np.median(steps) > _SLOWEST:
        step = np.median(steps)
        yield LogFault(
            log.source,
            column,
            f"samples are {step:g} s apart: expected seconds; are these milliseconds or microseconds?",
            True,
        )


def _gaps(log: Log) -> Iterator[LogFault]:
    for piece in pieces_of(log.t)[1:]:
        row = piece.start
        lost = log.t[row] - log.t[row - 1]
        yield LogFault(
            log.source,
            log.names["time"][0],
            f"{lost:.3g} s are lost between rows {log.first_row + row - 1} and {log.first_row + row}: what is before and "
            "behind is filtered separately",
            False,
        )


def _unit_faults(log: Log, links: Sequence[LinkDescription]) -> Iterator[LogFault]:
    """Angles that can only be degrees, and positions beyond limits."""
    for joint, link in enumerate(links):
        reached = float(np.abs(log.q[:, joint]).max())
        limits = (
            None if link.limits is None or link.limits.position is None else link.limits.position
        )
        furthest = max(abs(float(end)) for end in limits) if limits else _TWO_TURNS / 2
        if link.joint.angular and reached > 2 * furthest:
            expected = (
                f"its limits end at {furthest:.3g} rad"
                if limits
                else "these are more than two rotations"
            )
            message = (
                f"reaches {reached:.4g}, and {expected}: are these degrees? Then say --degrees"
            )
            yield LogFault(log.source, log.names["q"][joint], message, True)
        elif limits:
            low, high = (float(end) for end in limits)
            beyond = max(low - log.q[:, joint].min(), log.q[:, joint].max() - high)
            if beyond > STILL:
                message = f"passes the limit of {link.joint_name} by {beyond:.3g}: is it this joint, and this robot?"
                yield LogFault(log.source, log.names["q"][joint], message, False)


def _rate_faults(log: Log) -> Iterator[LogFault]:
    """Rates that are not the derivatives of the positions."""
    if log.qd is None:
        return
    moving = ~still_joints(log)
    derived = np.gradient(log.q, log.t, axis=0)
    alike = correlations(derived, log.qd)
    for joint in np.flatnonzero(moving):
        column = log.names["qd"][joint]
        best = int(np.argmax(np.abs(alike[joint])))
        slope = float(
            np.sum(derived[:, joint] * log.qd[:, joint])
            / max(np.sum(log.qd[:, joint] ** 2), 1e-300)
        )
        message = ""
        if alike[joint, joint] < _AGREES and best != joint and abs(alike[joint, best]) > _AGREES:
            message = f"is not the derivative of {log.names['q'][joint]}, but {log.names['qd'][best]} is: are columns exchanged?"
        elif alike[joint, joint] < -_AGREES:
            message = "has the opposite sign of the derivative of the position"
        elif alike[joint, joint] < _AGREES:
            message = f"is not the derivative of {log.names['q'][joint]} (correlation {alike[joint, joint]:.2f})"
        elif abs(slope / _DEGREE - 1) < _SLOPE or abs(slope * _DEGREE - 1) < _SLOPE:
            which = (
                "rates are in degrees/s and positions in rad"
                if slope < 1
                else "positions are in degrees and rates in rad/s"
            )
            message = f"{which}: give both in rad, or both in degrees with --degrees"
        elif abs(slope - 1) > _SLOPE:
            message = (
                f"is {1 / slope:.3g} times the derivative of the position: expected rad/s or m/s"
            )
        if message:
            yield LogFault(
                log.source,
                column,
                f"{message}. Leave qd out of --columns to derive rates from positions",
                True,
            )


def _still(log: Log, links: Sequence[LinkDescription]) -> Iterator[LogFault]:
    for joint, still in enumerate(still_joints(log)):
        if not still:
            continue
        message = f"{links[joint].joint_name} does not move: its friction and what only its motion tells are not in this log"
        yield LogFault(log.source, log.names["q"][joint], message, False)


def correlations(one: Array, other: Array) -> Array:
    """Correlations between columns, shape (columns of one, columns of other); 0 where one does not change."""
    one, other = one - one.mean(axis=0), other - other.mean(axis=0)
    scale = np.outer(np.linalg.norm(one, axis=0), np.linalg.norm(other, axis=0))
    return np.asarray(one.T @ other / np.where(scale > 0, scale, np.inf))


_OPPOSITE = 0.7  # of what the force leaves, the opposite force leaves at most, if its sign is wrong
_EXCHANGED = 0.8  # of what joints leave of their forces, they leave at most of each other's, if columns are exchanged
_UNEXPLAINED = 0.8  # of a force, after the joint's own best fit
_FEWEST = 100  # samples that such judgement takes


def faults_of_forces(
    model: RegressionModel, samples: Samples, names: Sequence[str]
) -> tuple[LogFault, ...]:
    """What cannot be about the measured forces of a log.

    First whose forces they are, which the regressor tells whatever the parameters and the signs are; then the signs, which
    take the description to tell.

    Args:
        model: with all parameters.
        samples: of one log.
        names: of the forces' columns, for messages.
    """
    return tuple(
        LogFault(samples.source, names[joint], message, True)
        for joint, message in _faults(model, samples, names)
    )


def _faults(
    model: RegressionModel, samples: Samples, names: Sequence[str]
) -> Iterator[tuple[int, str]]:
    columns = model.columns(samples.q, samples.qd, samples.qdd)
    inertial = columns @ np.where(
        [each.kind == "inertial" for each in model.parameters], model.described, 0.0
    )
    unexplained = _unexplained(columns, samples)
    joint_of, is_clear = _exchanged(unexplained)
    for force in map(int, np.flatnonzero(samples.used.sum(axis=0) >= _FEWEST)):
        joint = joint_of[force]
        own, there = 100 * unexplained[force, force], 100 * unexplained[joint, force]
        if is_clear[force]:
            left = f"which leaves {there:.0f} % of it unexplained, its own {own:.0f} %"
            yield (
                force,
                f"fits the joint of {names[joint]} far better, {left}: are columns exchanged?",
            )
        elif _is_opposite(samples, force, inertial):
            what = "its opposite fits the description and friction that brakes far better"
            other = (
                ""
                if joint == force
                else f"; or columns are exchanged, and it is of the joint of {names[joint]}"
            )
            yield (
                force,
                f"the sign is wrong: {what}. Turn it, for currents with a gain below zero{other}",
            )
        elif own > 100 * _UNEXPLAINED:
            yield force, f"no parameters explain {own:.0f} % of it: is it the force of this joint?"


def _unexplained(columns: Array, samples: Samples) -> Array:
    """The part of each measured force that is left by each joint's regressor with the best parameters of any sign.

    Args:
        columns: the regressor, shape (count, n, p).
        samples: of one log.

    Returns:
        Shape (joints, forces); 1 where a joint has too few equations.
    """
    joints = samples.tau.shape[1]
    left = np.ones((joints, joints))
    for joint, used in enumerate(samples.used.T):
        if np.count_nonzero(used) >= _FEWEST:
            forces = samples.tau[used]
            factor = np.asarray(np.linalg.qr(np.hstack([columns[used, joint], forces]), mode="r"))
            rest = factor[columns.shape[2] :, -joints:]
            left[joint] = np.linalg.norm(rest, axis=0) / np.maximum(
                np.linalg.norm(forces, axis=0), np.finfo(float).tiny
            )
    return left


def _exchanged(unexplained: Array) -> tuple[NDArray[np.intp], Mask]:
    """Whose forces they are most likely.

    Args:
        unexplained: part of a force that a joint leaves, shape (joints, forces).

    Returns:
        The joint of each force, shape (n,), no joint twice and the least left in all; and whether it is clear that it is
        another than its own: joints that exchange forces in a cycle leave far less of each other's.
    """
    require_extra("scipy", "identify", "to check the forces of a log")
    from scipy.optimize import linear_sum_assignment

    joint_of = linear_sum_assignment(unexplained.T**2)[1]
    is_clear = np.zeros(len(joint_of), dtype=bool)
    for force in range(len(joint_of)):
        cycle = [force]
        while (following := int(joint_of[cycle[-1]])) != force:
            cycle.append(following)
        own, others = (
            np.linalg.norm(unexplained[cycle, cycle]),
            np.linalg.norm(unexplained[joint_of[cycle], cycle]),
        )
        is_clear[force] = others < _EXCHANGED * own
    return joint_of, is_clear


def _is_opposite(samples: Samples, joint: int, inertial: Array) -> bool:
    """Whether the opposite of a joint's force is what is more like a multiple of the described force and friction that brakes.

    The description may be a guess, and friction more than all else: so that of neither more than its sign is believed.
    """
    used = samples.used[:, joint]
    rate, force = samples.qd[used, joint], samples.tau[used, joint]
    columns = np.stack([inertial[used, joint], rate, np.sign(rate)], axis=1)
    return _left(columns, -force) < _OPPOSITE * _left(columns, force)


def _left(columns: Array, force: Array) -> float:
    """What is left of a force by columns with factors that are not negative."""
    require_extra("scipy", "identify", "to check the forces of a log")
    from scipy.optimize import nnls

    return float(nnls(columns, force)[1])
