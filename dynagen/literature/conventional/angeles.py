"""The recursive Newton-Euler algorithm of Angeles (Fundamentals of Robotic Mechanical Systems), Algorithms 7.4.1 and 7.4.2.

Quantities of link i are in frame i + 1 of a standard Denavit-Hartenberg table, which is fixed to it. A change of axes is two
plane rotations, 8M + 4A (eqs. 7.23 and 7.24). rho leads from origin i to the link's centre of mass, delta from there to
origin i + 1. No wrench acts on the last link. Corrected: forces and moments of link i too are in frame i + 1, where e is not
(0, 0, 1), and behind a prismatic joint the lever of the force is rho + b e.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dynagen.description.pose import add
from dynagen.literature.conventional.algorithm import JointMotion
from dynagen.literature.conventional.chain import Chain
from dynagen.literature.conventional.frames import Rotation, Z, coriolis, joint_axis, rotation_of
from dynagen.literature.conventional.tape import Array, Scalar, Tape, cross


@dataclass(frozen=True)
class _LinkMotion:
    """Angular velocity and acceleration; position, velocity and acceleration of the centre of mass."""

    w: Array
    wd: Array
    c: Array
    cd: Array
    cdd: Array


def record_angeles(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record the outward and the inward recursions."""
    zero = tape.array([0, 0, 0])
    moving = _LinkMotion(zero, zero, zero, zero, tape.array([-component for component in chain.gravity]))  # eq. 7.44
    delta = zero
    rotations: list[Rotation] = []
    axes: list[Array] = []
    levers: list[tuple[Array, Array]] = []
    forces: list[Array] = []
    moments: list[Array] = []
    for link, q, qd, qdd in zip(chain.links, motion.q, motion.qd, motion.qdd, strict=True):
        rotation, e = rotation_of(tape, link, q), joint_axis(tape, link)
        _ = rotation.joint @ rotation.constant  # the text updates Q, 4M, though the changes of axes do without
        rho = tape.array(add(link.step, link.centre_of_mass))
        if link.joint.angular:
            moving = _behind_revolute(rotation, moving, delta, rho, qd, qdd)
        else:
            rho = rho + e * q
            moving = _behind_prismatic(rotation, e, moving, delta, rho, qd, qdd)
        delta = tape.array([-component for component in link.centre_of_mass])
        inertia = tape.array(link.central_inertia)
        forces.append(tape.number(link.inertial.mass) * moving.cdd)
        moments.append(inertia @ moving.wd + cross(moving.w, inertia @ moving.w))
        rotations.append(rotation)
        axes.append(e)
        levers.append((rho, delta))
    f, n = forces[-1], moments[-1] + cross(levers[-1][0], forces[-1])  # eqs. 7.38a and 7.38b
    loads = [(f, n)]
    for rotation, (rho, delta), force, moment in reversed(list(zip(rotations[1:], levers, forces, moments, strict=False))):
        phi = rotation.inward(f)
        f = force + phi  # eq. 7.38c
        n = moment + cross(rho, f) + rotation.inward(n) + cross(delta, phi)  # eq. 7.38d
        loads.append((f, n))
    return [
        e @ (n if link.joint.angular else f)  # eqs. 7.39 and 7.40
        for link, e, (f, n) in zip(chain.links, axes, reversed(loads), strict=True)
    ]


def _behind_revolute(
    rotation: Rotation, before: _LinkMotion, delta: Array, rho: Array, qd: Scalar, qdd: Scalar
) -> _LinkMotion:
    """The first branch of Algorithm 7.4.1."""
    u = cross(before.w, delta)
    w = rotation.outward(before.w + Z * qd)
    wd = rotation.outward(before.wd + coriolis(before.w, qd) + Z * qdd)
    v = cross(w, rho)
    c = rotation.outward(before.c + delta) + rho
    cd = rotation.outward(before.cd + u) + v
    cdd = rotation.outward(before.cdd + cross(before.wd, delta) + cross(before.w, u)) + cross(wd, rho) + cross(w, v)
    return _LinkMotion(w, wd, c, cd, cdd)


def _behind_prismatic(
    rotation: Rotation, e: Array, before: _LinkMotion, delta: Array, rho: Array, qd: Scalar, qdd: Scalar
) -> _LinkMotion:
    """The second branch, where rho has taken in b e."""
    u = rotation.outward(delta) + rho
    w, wd = rotation.outward(before.w), rotation.outward(before.wd)
    v, rate = cross(w, u), e * qd
    c = rotation.outward(before.c) + u
    cd = rotation.outward(before.cd) + v + rate
    cdd = rotation.outward(before.cdd) + cross(wd, u) + cross(w, v + rate + rate) + e * qdd
    return _LinkMotion(w, wd, c, cd, cdd)
