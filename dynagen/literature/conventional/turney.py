"""The two Newton-Euler sets of Turney, Mudge and Lee (University of Michigan, SEL-TR-142, 1980), sections 3 and 5.

All of link i is resolved in its axes of a standard Denavit-Hartenberg table; forces and moments of the link are about the
origin of link i - 1, which is fixed to it as long as all joints rotate. One matrix A takes points of a link to accelerations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynagen.description.pose import IDENTITY, Pose
from dynagen.literature.conventional.algorithm import JointMotion
from dynagen.literature.conventional.chain import Chain
from dynagen.literature.conventional.frames import Z, coriolis, displacement, joint_rotation, twist
from dynagen.literature.conventional.reformulated import acceleration_difference, rate_products
from dynagen.literature.conventional.tape import Array, Scalar, Tape, cross
from dynagen.model.inertia import InertialParameters


@dataclass(frozen=True)
class _LinkMotion:
    """The motion that leads outward: R and r, angular velocity and acceleration, A, the accelerations of both origins."""

    rotation: Array
    displacement: Array
    w: Array
    wd: Array
    difference: Array
    carried: Array
    acceleration: Array


def record_turney(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record the Newton-Euler set, eqs. 3.15 to 3.20."""
    motions = _outward(tape, chain, motion)
    forces, moments = [], []
    for link, moving in zip(chain.links, motions, strict=True):
        s, inertia = tape.array(link.centre_of_mass), tape.array(link.central_inertia)
        force = tape.number(link.inertial.mass) * (moving.difference @ s + moving.acceleration)  # eq. 3.18
        moment = inertia @ moving.wd + cross(moving.w, inertia @ moving.w)
        lever = tape.array([a + b for a, b in zip(link.step, link.centre_of_mass, strict=True)])
        forces.append(force)
        moments.append(moment + cross(lever, force))
    return _inward(motions, forces, moments)


def record_turney_modified(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record the modified set, which has eqs. 5.1 and 5.2 instead of 3.18 to 3.20."""
    motions = _outward(tape, chain, motion)
    forces, moments = [], []
    for link, moving in zip(chain.links, motions, strict=True):
        body = link.inertial.seen_from(Pose(IDENTITY.rotation, link.step))
        lever = tape.array(body.first_moment)
        forces.append(moving.difference @ lever + tape.number(body.mass) * moving.carried)  # eq. 5.1
        moments.append(_central_moment(tape, moving.difference, body) + cross(lever, moving.carried))  # eq. 5.2
    return _inward(motions, forces, moments)


def _outward(tape: Tape, chain: Chain, motion: JointMotion) -> list[_LinkMotion]:
    """Eqs. 3.15 to 3.17."""
    w = wd = tape.array([0, 0, 0])
    a = tape.array([-component for component in chain.gravity])
    motions = []
    for link, q, qd, qdd in zip(chain.links, motion.q, motion.qd, motion.qdd, strict=True):
        rotation, r = tape.array(joint_rotation(tape, link, q) @ twist(tape, link)), displacement(tape, link, q)
        wd = rotation.T @ (wd + coriolis(w, qd) + Z * qdd)  # eq. 3.16
        w = rotation.T @ (w + Z * qd)  # eq. 3.15
        difference = acceleration_difference(w, wd, rate_products(w))
        carried = rotation.T @ a
        a = difference @ r + carried  # eq. 3.17
        motions.append(_LinkMotion(rotation, r, w, wd, difference, carried, a))
    return motions


def _inward(motions: list[_LinkMotion], forces: list[Array], moments: list[Array]) -> Sequence[Scalar]:
    """Eqs. 3.13, 3.19 and 3.20, where forces and moments of the links' own motion are known."""
    f, n = forces[-1], moments[-1]
    n_before = motions[-1].rotation @ n
    joint_forces: list[Scalar] = [n_before[2]]
    outer = motions[-1]
    for moving, force, moment in reversed(list(zip(motions[:-1], forces[:-1], moments[:-1], strict=True))):
        carried = outer.rotation @ f
        f = force + carried
        n = moment + cross(moving.displacement, carried) + n_before
        n_before = moving.rotation @ n
        joint_forces.append(n_before[2])
        outer = moving
    return joint_forces[::-1]


def _central_moment(tape: Tape, difference: Array, body: InertialParameters) -> Array:
    """The trace of eq. 5.2: (AK)_zy - (AK)_yz and so on; the report takes for granted that K is diagonal."""
    moments = body.second_moments
    is_diagonal = not (moments[0][1] or moments[0][2] or moments[1][2])
    k = tape.array(moments)

    def entry(row: int, column: int) -> Any:
        return difference[row, column] * k[column, column] if is_diagonal else difference[row] @ k[:, column]

    return np.array([entry(2, 1) - entry(1, 2), entry(0, 2) - entry(2, 0), entry(1, 0) - entry(0, 1)], dtype=object)
