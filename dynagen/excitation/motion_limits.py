"""Motion limits: what positions, rates, accelerations and joint forces of a motion must not pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynagen.description.description import RobotDescription
from dynagen.errors import UsageError, did_you_mean

Array = NDArray[np.float64]

QUANTITIES = ("position", "velocity", "acceleration", "effort")
_EXAMPLES = {"position": "position=-pi/2:pi/2", "velocity": "velocity=2", "effort": "effort=100"}


@dataclass(frozen=True)
class MotionLimits:
    """Limits of n joints, in joint units.

    Attributes:
        low, high: positions, shape (n,).
        velocity, acceleration, effort: magnitudes, shape (n,); accelerations may be infinite.
    """

    low: Array
    high: Array
    velocity: Array
    acceleration: Array
    effort: Array

    @property
    def middle(self) -> Array:
        """The positions between the limits."""
        return (self.low + self.high) / 2

    @property
    def reach(self) -> Array:
        """How far positions may be from there."""
        return (self.high - self.low) / 2

    def scaled(self, part: float) -> MotionLimits:
        """A part of every limit, of positions from the middle."""
        reach = part * self.reach
        others = (part * each for each in (self.velocity, self.acceleration, self.effort))
        return MotionLimits(self.middle - reach, self.middle + reach, *others)

    def used(self, q: Array, qd: Array, qdd: Array, tau: Array) -> Mapping[str, Array]:
        """The part of every limit that states of shape (times, n) use, signed: 1 and -1 are at the limit."""
        return {
            "position": (q - self.middle) / self.reach,
            "velocity": qd / self.velocity,
            "acceleration": qdd / self.acceleration,
            "effort": tau / self.effort,
        }


def motion_limits(robot: RobotDescription, given: Mapping[str, ArrayLike] | None = None) -> MotionLimits:
    """The limits of a robot's joints.

    Args:
        robot: its description, whose limits count where others are not given.
        given: limits by quantity, for all joints alike or one for each; of positions (low, high) or such pairs.

    Raises:
        UsageError: a limit is missing (of accelerations none is needed, as efforts bound them), or none can be.
    """
    given = given or {}
    for quantity in given:
        if quantity not in QUANTITIES:
            raise UsageError(
                f"limits: there is no limit of `{quantity}`{did_you_mean(quantity, QUANTITIES)}; "
                f"expected {', '.join(QUANTITIES)}"
            )
    joints = [link for link in robot.links if link.joint.nv]
    described = [link.limits for link in joints]
    names = [link.joint_name for link in joints]
    count, missing = len(names), {}
    found: dict[str, Array] = {}
    for quantity in QUANTITIES:
        shape = (count, 2) if quantity == "position" else (count,)
        if quantity in given:
            found[quantity] = _spread(quantity, given[quantity], shape)
        elif quantity == "acceleration":
            found[quantity] = np.full(shape, np.inf)
        else:
            values = [getattr(limits, quantity) if limits else None for limits in described]
            lacking = [name for name, value in zip(names, values, strict=True) if value is None]
            if lacking:
                missing[quantity] = lacking
            else:
                found[quantity] = np.array(values, dtype=float)
    if missing:
        parts = "; ".join(f"of {quantity} for {', '.join(lacking)}" for quantity, lacking in missing.items())
        options = " ".join(f"--limits {_EXAMPLES[quantity]}" for quantity in missing)
        raise UsageError(
            f"{robot.name}: a motion needs limits, and these are missing: {parts}. Add `limits` to the description, or give "
            f"them for all joints or one by one: {options}"
        )
    limits = MotionLimits(*found["position"].T, *(found[quantity] for quantity in QUANTITIES[1:]))
    _refuse_empty(limits, names)
    return limits


def _spread(quantity: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """A limit for every joint."""
    try:
        return np.array(np.broadcast_to(np.asarray(value, dtype=float), shape))
    except ValueError:
        kind = "pairs low:high" if quantity == "position" else "numbers"
        raise UsageError(
            f"limits: expected one for all joints or {shape[0]} {kind} of {quantity}, found {np.shape(value)[0]}"
        ) from None


def _refuse_empty(limits: MotionLimits, names: list[str]) -> None:
    for joint, name in enumerate(names):
        low, high = limits.low[joint], limits.high[joint]
        if not (np.isfinite([low, high]).all() and low < high):
            raise UsageError(f"limits: expected positions of {name} between two finite numbers, found {low:g}:{high:g}")
        for quantity in QUANTITIES[1:]:
            limit = getattr(limits, quantity)[joint]
            if not limit > 0 or (quantity != "acceleration" and not np.isfinite(limit)):
                raise UsageError(f"limits: expected a number above zero for {quantity} of {name}, found {limit:g}")
