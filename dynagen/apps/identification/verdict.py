"""Sentences that assess an identification, and the ranges of motion in its logs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynagen.apps.identification.identification import Identification
from dynagen.apps.identification.predictions import Prediction

_OFFSET = "offset"
# Condition of the scaled regressor above which a motion is reported as poor: a rule of thumb of
# identification.
_ILL_CONDITIONED = 100.0
_WORSE = 1.05  # ratio of residuals above which the description is reported as better
_SLOW = 0.05  # part of the samples that count as one above which a residual is reported as slow
_CONSTANT = 0.5  # part of the residual's root mean square above which its mean is reported


@dataclass(frozen=True)
class Coverage:
    """Motion of a joint in the logs of an identification.

    Attributes:
        joint: name of the joint.
        low, high: smallest and largest position, rad or m.
        speed: largest speed, rad/s or m/s.
        acceleration: largest acceleration, rad/s^2 or m/s^2.
        range_percent: range of the positions in percent of the described range; None without
            limits.
        speed_percent: largest speed in percent of the described limit; None without a limit.
        unit: unit of positions, rad or m.
    """

    joint: str
    low: float
    high: float
    speed: float
    acceleration: float
    range_percent: float | None
    speed_percent: float | None
    unit: str


def state_verdict(found: Identification) -> str:
    """Return a sentence with the percentages of the joint forces that remain unexplained.

    The identified robot is compared with the described robot, on the logs for validation if there
    are any, else on the logs for the estimate.
    """
    logs = found.validation or found.fit
    after = np.array([log.relative_residual_percent for log in logs])
    before = np.array([log.described_residual_percent for log in logs])
    where = (
        "On logs that were not used"
        if found.validation
        else "On the logs that it was identified from"
    )
    return (
        f"{where}, the identified robot leaves {_format_range(after)} of the joint forces "
        f"unexplained; the described robot leaves {_format_range(before)}."
    )


def _format_range(percent: Any) -> str:
    """Return the smallest and the largest entry of an array of percentages as text."""
    low, high = (
        f"{value:.2g}" if value < 10 else f"{value:.0f}" for value in (percent.min(), percent.max())
    )
    return f"{low} %" if low == high else f"{low} to {high} %"


def list_next_steps(found: Identification, advised: bool = False) -> Iterator[str]:
    """Yield a sentence for each step recommended after an identification, most urgent first.

    A step is for example an option to try or a motion to log. If `advised`, options have been
    tried (`give_advice`), and none is recommended here.
    """
    logs = (*found.fit, *found.validation)
    for number, link in enumerate(found.model.joints):
        if any(
            log.relative_residual_percent[number] > _WORSE * log.described_residual_percent[number]
            for log in found.validation
        ):
            yield (
                f"{link.joint_name}: the described parameters predict a held-out log better than "
                "the "
                "identified ones: the logs excite this joint too little, or differ from the "
                "held-out one in load or "
                "temperature. Log a motion that excites this joint more (dynagen excite)."
            )
    if _OFFSET not in found.model.laws:
        for number, link in enumerate(found.model.joints):
            mean = _find_constant(logs, number)
            if mean is not None:
                laws = ",".join((*found.model.laws, _OFFSET))
                yield (
                    f"{link.joint_name}: the residual has a mean of {mean:.3g} "
                    f"{link.joint.type.force_unit}: a sensor has an offset, or friction differs by "
                    "direction." + ("" if advised else f" Try --friction {laws}.")
                )
    if found.estimate.held:
        yield (
            f"{len(found.estimate.held)} parameters are not determined by the logs, in which "
            "joints stand still or move too little. Log a motion that excites them (dynagen "
            "excite)."
        )
    weak = int(np.sum(~found.significant)) - len(found.estimate.held)
    if weak:
        yield (
            f"{weak} of {len(found.estimate.parameters)} parameters are within two standard "
            "deviations of zero: the forces do not need them, or the motion hardly excites them."
            + (
                ""
                if advised
                else " --essential test leaves out parameters that the logs do not determine."
            )
        )
    if not found.validation:
        yield (
            "All logs were used, so that the residuals may be too small. Validate on another "
            "motion: --validate other.csv."
        )


def explain_deviations(found: Identification) -> Iterator[str]:
    """Yield sentences that explain the standard deviations of an identification's parameters.

    The sentences also name correlated parameters, and the condition number of the weighted
    regressor.
    """
    deviations = found.judgement.deviations
    times = ", ".join(f"{time:.0f}" for time in deviations.times)
    yield (
        "Residuals of neighbouring samples are similar, because the filter and effects that the "
        "model lacks act over several samples. The standard deviations (+-) therefore count "
        f"several samples as one (numbers of samples by joint: {times}). A longer log reduces the "
        "standard deviations."
    )
    slow = [
        link.joint_name
        for number, link in enumerate(found.model.joints)
        if deviations.times[number] > _SLOW * sum(len(log.residual) for log in found.fit)
    ]
    if slow:
        yield (
            f"The residuals of {', '.join(slow)} change slowly, which makes their parameters "
            "uncertain: an offset or a law of friction is missing (--advise tries them)."
        )
    yield (
        f"The weighted regressor has condition number {deviations.condition:.3g}, which depends "
        "on the units of the parameters. With columns of norm one it is "
        f"{deviations.condition_scaled:.3g}, which shows how well the motion distinguishes the "
        "parameters. "
        + (
            "Above 100, some parameters are uncertain: log a motion that excites these "
            "parameters (dynagen "
            "excite)."
            if deviations.condition_scaled > _ILL_CONDITIONED
            else "Up to 100 is usual for a motion that excites all parameters."
        )
    )
    for one, other, value in deviations.correlated:
        yield (
            f"{one} and {other} are hardly distinguishable (correlation {value:.2f}): their "
            "values may be wrong although the forces are correct. Log a motion that "
            "distinguishes these two parameters (dynagen excite)."
        )


def _find_constant(logs: tuple[Prediction, ...], joint: int) -> float | None:
    """Return the mean of a joint's residual if the residual is mostly constant, else None."""
    residual = np.concatenate([log.residual[:, joint] for log in logs])
    mean = float(residual.mean())
    return mean if abs(mean) > _CONSTANT * float(np.sqrt(np.mean(residual**2))) else None


def measure_coverage(found: Identification) -> Iterator[Coverage]:
    """Yield each joint's range of positions, largest speed and acceleration in the logs.

    Only the logs from which the parameters were estimated are considered, not the logs for
    validation.
    """
    for number, link in enumerate(found.model.joints):
        q, qd, qdd = (
            np.concatenate([getattr(log.samples, name)[:, number] for log in found.fit])
            for name in ("q", "qd", "qdd")
        )
        limits = link.limits
        ends = limits.position if limits else None
        speed = float(np.abs(qd).max())
        span = float(ends[1]) - float(ends[0]) if ends else np.inf
        most = float(limits.velocity) if limits and limits.velocity is not None else np.inf
        yield Coverage(
            link.joint_name,
            float(q.min()),
            float(q.max()),
            speed,
            float(np.abs(qdd).max()),
            100 * float(np.ptp(q)) / span if np.isfinite(span) and span > 0 else None,
            100 * speed / most if np.isfinite(most) and most > 0 else None,
            link.joint.type.position_unit,
        )
