"""Safe values for motion limits that are missing in a robot description, with notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynagen.apps.excitation.limits import (
    Box,
    MotionLimits,
    Region,
    make_motion_limits,
    make_workspace,
)
from dynagen.robot.description import RobotDescription

_POSES = 500  # random poses in which a robot is looked for above its base
_STILL = 1e-9  # m: change of height of a point that does not move vertically
_DISTANCE = 0.05  # m: from the floor to such a point
_RISE = 0.5  # s in which a joint reaches its velocity limit, if no acceleration limit is known


@dataclass(frozen=True)
class SafeLimits:
    """Limits of a motion: the user's limits, or assumed limits of acceleration and height.

    Attributes:
        limits: the user's limits by quantity, with an assumed acceleration limit if the user set
            none.
        floor: height (z in the base frame) in m that the robot's points stay above; None: no floor.
        notes: a sentence for the user about each value that was assumed or is missing.
    """

    limits: dict[str, Any]
    floor: float | None
    notes: tuple[str, ...]


def choose_safe_limits(
    robot: RobotDescription, given: Mapping[str, ArrayLike], floor: float | None, clearance: float
) -> SafeLimits:
    """Add a safe acceleration limit and a floor if the user set none, and explain the values.

    Args:
        robot: the robot.
        given: the user's limits by quantity: position, velocity, acceleration, effort; SI units.
        floor: height of the floor in m, from the user; -inf for no floor, None if the user did not
            set a height.
        clearance: minimum distance of the robot's points from the floor and other regions, m.

    Raises:
        UsageError: a limit of position, velocity or effort is missing or invalid.
    """
    known = make_motion_limits(robot, given)
    limits, notes = dict(given), list[str]()
    if "acceleration" not in given:
        limits["acceleration"] = known.velocity / _RISE
        notes.append(
            "no acceleration limits are known: the motion is limited so that joints require at "
            f"least {_RISE:g} s to reach their velocity limits; --limits acceleration=10 sets "
            "another limit"
        )
    if floor is None:
        chosen = _find_floor(robot, known)
        notes.append(
            "no floor is assumed, because the base may hang or lie on its side: --floor Z keeps "
            "all points above the height Z (m)"
            if chosen is None
            else f"a floor is assumed: all points stay above z = {chosen:g} m, near the origin "
            "of the base; --floor Z sets another height, --floor=-inf removes the floor"
        )
    else:
        chosen = floor if np.isfinite(floor) else None
    if not clearance:
        notes.append(
            "link shapes and self-collisions are not known: only the origins of links and the "
            "tool are checked; --clearance M keeps these points away from the floor and all "
            "regions. Watch the motion before it runs"
        )
    return SafeLimits(limits, chosen, tuple(notes))


def _find_floor(robot: RobotDescription, limits: MotionLimits) -> float | None:
    """Return the height of an assumed floor in m, or None if no floor can be assumed.

    The floor is at the height of the base frame's origin or a little lower. A floor is assumed only
    if gravity is along -z of the base frame and the robot can keep all its points above the floor.
    """
    x, y, z = map(float, robot.gravity)
    if x or y or not z < 0:
        return None
    above = Region(Box((-np.inf, -np.inf, 0.0), (np.inf, np.inf, np.inf)), inside=True)
    poses = np.random.default_rng(0).uniform(limits.low, limits.high, (_POSES, len(limits.low)))
    clearances, _ = make_workspace(robot, [above]).compute_clearances(poses)
    heights = clearances[:, 0]
    # A point that no joint moves vertically needs a distance from the floor.
    fixed = heights[0, np.ptp(heights, axis=0) < _STILL]
    floor = min(0.0, float(fixed.min()) - _DISTANCE) if fixed.size else 0.0
    can_stay = (heights.min(axis=1) >= floor).any() and floor >= -2 * _DISTANCE
    return floor if can_stay else None
