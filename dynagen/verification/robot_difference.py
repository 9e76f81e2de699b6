"""Comparison of two descriptions of one robot by numeric inverse dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dynagen.robot.description import RobotDescription
from dynagen.verification.reference import make_references
from dynagen.verification.sampling import sample_states

_STATES = 100  # of a comparison of two descriptions


def compute_largest_difference(
    one: RobotDescription, other: RobotDescription, order: Sequence[int]
) -> float:
    """Compare the inverse dynamics of two robots on random states.

    Both robots have the gravity of the first robot, and run-time parameters have their default
    values.

    Args:
        one: description of the first robot.
        other: description of the second robot, with the same number of joint velocities v.
        order: for every entry of v of the first robot, the index of this entry in v of the second
            robot. The entries of a floating base come first in both robots.

    Returns:
        The largest difference of a joint force, relative to the largest joint force of the first
        robot. If all joint forces of the first robot are zero, the result is the absolute
        difference.
    """
    states = sample_states(one, count=_STATES)
    first, second = make_references(one)[0], make_references(replace(other, gravity=one.gravity))[0]
    expected = first.compute_inverse_dynamics(states["q"], states["qd"], states["qdd"])
    # Joints with quaternions have more entries of q than of v.
    starts = {link.joint.idx_v: link.joint.idx_q for link in other.links if link.joint.nv}
    joints = (link.joint for link in one.links)
    places = [starts[order[each.idx_v]] + entry for each in joints for entry in range(each.nq)]
    q = states["q"][:, np.argsort(places)]
    qd, qdd = (states[name][:, np.argsort(order)] for name in ("qd", "qdd"))
    computed = second.compute_inverse_dynamics(q, qd, qdd)[:, list(order)]
    difference, scale = np.abs(computed - expected).max(), np.abs(expected).max()
    return float(difference / scale if scale else difference)
