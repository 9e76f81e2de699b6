"""The modified Newton-Euler set of Turney, Mudge and Lee (University of Michigan, SEL-TR-142, 1980), section 5.

All of link i is resolved in its own axes of a standard Denavit-Hartenberg table, and about the origin of link i - 1, which is
fixed to it as long as all joints turn. One matrix A takes every point of a link to its acceleration.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dynagen.conventional.algorithm import JointMotion, Z, joint_rotation, twist, way
from dynagen.conventional.chain import Chain
from dynagen.conventional.reformulated import acceleration_difference
from dynagen.conventional.tape import Array, Scalar, Tape, cross
from dynagen.robot.inertia import InertialParameters
from dynagen.robot.pose import IDENTITY, Pose


def record_turney(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record eqs. 3.15, 3.16, 3.17 with A, 5.1 and 5.2 without the traces, and 3.13."""
    w = wd = tape.array([0, 0, 0])
    a = tape.array([-component for component in chain.gravity])
    rotations: list[Array] = []
    ways: list[Array] = []
    forces: list[Array] = []
    moments: list[Array] = []
    last = chain.links[-1]
    for link, q, qd, qdd in zip(chain.links, motion.q, motion.qd, motion.qdd, strict=True):
        rotation = tape.array(joint_rotation(tape, link, q) @ twist(tape, link))
        coriolis = np.array([w[1] * qd, -(w[0] * qd), 0], dtype=object)
        wd = rotation.T @ (wd + coriolis + Z * qdd)  # eq. 3.16
        w = rotation.T @ (w + Z * qd)  # eq. 3.15
        k = np.array([w[1] * w[2], w[2] * w[0], w[0] * w[1]], dtype=object)
        difference = acceleration_difference(wd, k, w * w)
        carried, r = rotation.T @ a, way(tape, link, q)
        if link is not last:
            a = difference @ r + carried  # eq. 3.17
        about_joint = link.inertial.seen_from(Pose(IDENTITY.rotation, link.step))
        lever, mass = tape.array(about_joint.first_moment), tape.number(about_joint.mass)
        forces.append(difference @ lever + mass * carried)  # eq. 5.1
        moments.append(_turning(tape, difference, about_joint) + cross(lever, carried))  # eq. 5.2
        rotations.append(rotation)
        ways.append(r)
    f, n = forces[-1], moments[-1]
    joint_forces = [(below := rotations[-1] @ n)[2]]
    for index in reversed(range(len(chain.links) - 1)):
        carried = rotations[index + 1] @ f
        f = forces[index] + carried  # eq. 5.1
        n = moments[index] + cross(ways[index], carried) + below  # eq. 5.2
        below = rotations[index] @ n
        joint_forces.append(below[2])  # eq. 3.13
    return joint_forces[::-1]


def _turning(tape: Tape, difference: Array, body: InertialParameters) -> Array:
    """The trace of eq. 5.2: (AK)_zy - (AK)_yz and so on; the report takes for granted that K is diagonal."""
    moments = body.second_moments
    k = tape.array(moments)

    is_diagonal = not (moments[0][1] or moments[0][2] or moments[1][2])

    def entry(row: int, column: int) -> Any:
        return difference[row, column] * k[column, column] if is_diagonal else difference[row] @ k[:, column]

    return np.array([entry(2, 1) - entry(1, 2), entry(0, 2) - entry(2, 0), entry(1, 0) - entry(0, 1)], dtype=object)
