"""The recursive forward dynamics of Saha, from the mass matrix as U D U^T: section 2.2 by the steps of section 3.

Quantities of link i are about its centre of mass and in frame i of a standard Denavit-Hartenberg table, whose z axis is that
of joint i; frame i + 1 is fixed to the link. A twist or wrench has a top (angular) and a bottom (linear) half. The forces that
velocities and gravity take come from Angeles's recursions. Two things that the equations have and the steps leave out are
here: a link's own inertia in step A.3b, and what of link 1 its pivot needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynagen.description.pose import add, screw_x
from dynagen.literature.conventional.algorithm import JointMotion
from dynagen.literature.conventional.angeles import record_angeles
from dynagen.literature.conventional.articulated import ArticulatedInertia, last_inertia, reduced, rotated, seen_inward
from dynagen.literature.conventional.chain import Chain
from dynagen.literature.conventional.frames import Rotation, Z, rotation_of
from dynagen.literature.conventional.tape import Array, Scalar, Tape, cross
from dynagen.numbers.exact import ZERO


@dataclass(frozen=True)
class _Halves:
    """A twist, a wrench, or a column of an inertia."""

    top: Array
    bottom: Array

    def __add__(self, other: _Halves) -> _Halves:
        return _Halves(self.top + other.top, self.bottom + other.bottom)

    def scaled(self, factor: Scalar) -> _Halves:
        """A multiple."""
        return _Halves(self.top * factor, self.bottom * factor)

    def dot(self, other: _Halves) -> Any:
        """Work or inertia."""
        return self.top @ other.top + self.bottom @ other.bottom


_NONE = _Halves(0 * Z, 0 * Z)


@dataclass(frozen=True)
class _Joint:
    """Q, the centre of mass d from origin i, the displacement c from it to that of the link before, and p, eq. 5."""

    rotation: Rotation
    displacement: Array
    axis: _Halves


def record_saha(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record the solutions A, B and C."""
    rest = tuple(tape.number(0) for _ in chain.links)
    bias = record_angeles(tape, chain, JointMotion(motion.q, motion.qd, rest))
    phi = [tau - taken for tau, taken in zip(motion.tau, bias, strict=True)]
    joints = _joints(tape, chain, motion.q)
    inertia: ArticulatedInertia | None = None
    eta, psis, tilde = _NONE, [], []
    for index, (link, joint) in reversed(list(enumerate(zip(chain.links, joints, strict=True)))):
        if inertia is None:
            inertia = last_inertia(tape, link, joint.rotation)
        else:
            inertia = rotated(joint.rotation, seen_inward(tape, link, inertia, joints[index + 1].displacement))
            eta = _Halves(joint.rotation.inward(eta.top), joint.rotation.inward(eta.bottom))
        hat = _Halves(*inertia.times(joint.axis.top, joint.axis.bottom))  # step A.4
        pivot = joint.axis.dot(hat)  # step A.5
        if link.motor_inertia:
            pivot = pivot + tape.number(link.motor_inertia)
        psi = _Halves(hat.top / pivot, hat.bottom / pivot)  # step A.6
        tau = phi[index] - joint.axis.dot(eta)  # step A.10
        psis.append(psi)
        tilde.append(tau / pivot)  # solution B
        if index:
            inertia = reduced(inertia, hat.top, hat.bottom, psi.top, psi.bottom)
            eta = psi.scaled(tau) + eta  # step A.8
            eta = _Halves(eta.top + cross(eta.bottom, joint.displacement), eta.bottom)  # step A.9
    accelerations, mu = [], _NONE
    for joint, psi, relative in zip(joints, reversed(psis), reversed(tilde), strict=True):
        mu = _Halves(mu.top, mu.bottom + cross(joint.displacement, mu.top))  # step C.3
        acceleration = relative - psi.dot(mu)  # step C.1
        mu = joint.axis.scaled(acceleration) + mu  # step C.2
        mu = _Halves(joint.rotation.outward(mu.top), joint.rotation.outward(mu.bottom))
        accelerations.append(acceleration)
    return accelerations


def _joints(tape: Tape, chain: Chain, q: Sequence[Scalar]) -> list[_Joint]:
    """Steps A.1 and A.2."""
    joints = []
    before: Array = 0 * Z
    for link, position in zip(chain.links, q, strict=True):
        rotation = rotation_of(tape, link, position)
        centre = rotation.joint @ tape.array(screw_x(link.alpha, ZERO).rotate(add(link.step, link.centre_of_mass)))
        if link.joint.linear:
            centre = centre + Z * position
        axis = _Halves(Z, np.array([-centre[1], centre[0], 0], dtype=object)) if link.joint.angular else _Halves(0 * Z, Z)
        joints.append(_Joint(rotation, before - centre, axis))
        before = tape.array(link.centre_of_mass)
    return joints
