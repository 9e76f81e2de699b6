"""Faults of logs: what cannot be, by file and column with what to try: gaps, units, signs, joints in each other's place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dynagen.description.description import LinkDescription, RobotDescription
from dynagen.identification.logs.filtering import Filtering, pieces_of
from dynagen.identification.logs.logs import Log
from dynagen.identification.samples import Array, Mask

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
        return f"{self.source}: {self.column}: {self.message}" if self.column else f"{self.source}: {self.message}"


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
                yield LogFault(log.source, log.names[quantity][number], f"{message}: leave rows out with --rows", True)


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
        limits = None if link.limits is None or link.limits.position is None else link.limits.position
        furthest = max(abs(float(end)) for end in limits) if limits else _TWO_TURNS / 2
        if link.joint.angular and reached > 2 * furthest:
            expected = f"its limits end at {furthest:.3g} rad" if limits else "these are more than two rotations"
            message = f"reaches {reached:.4g}, and {expected}: are these degrees? Then say --degrees"
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
        slope = float(np.sum(derived[:, joint] * log.qd[:, joint]) / max(np.sum(log.qd[:, joint] ** 2), 1e-300))
        message = ""
        if alike[joint, joint] < _AGREES and best != joint and abs(alike[joint, best]) > _AGREES:
            message = (
                f"is not the derivative of {log.names['q'][joint]}, but {log.names['qd'][best]} is: are columns exchanged?"
            )
        elif alike[joint, joint] < -_AGREES:
            message = "has the opposite sign of the derivative of the position"
        elif alike[joint, joint] < _AGREES:
            message = f"is not the derivative of {log.names['q'][joint]} (correlation {alike[joint, joint]:.2f})"
        elif abs(slope / _DEGREE - 1) < _SLOPE or abs(slope * _DEGREE - 1) < _SLOPE:
            which = (
                "rates are in degrees/s and positions in rad" if slope < 1 else "positions are in degrees and rates in rad/s"
            )
            message = f"{which}: give both in rad, or both in degrees with --degrees"
        elif abs(slope - 1) > _SLOPE:
            message = f"is {1 / slope:.3g} times the derivative of the position: expected rad/s or m/s"
        if message:
            yield LogFault(log.source, column, f"{message}. Leave qd out of --columns to derive rates from positions", True)


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
