"""Recursive Newton-Euler algorithms as published.

`record_newton_euler` is the conventional algorithm of Dhanaraj (1990), Table 2.3, after Luh, Walker
and Paul (1980). Quantities of link i are in the modified Denavit-Hartenberg axes of link i. Matrix
products and cross products are computed in full, as counted in Table 2.9.

`record_reformulated` is the reformulated algorithm of Dhanaraj (1990), Table 2.4, in modified
Denavit-Hartenberg axes. For the angular velocity w and acceleration wd, the acceleration difference
matrix lambda with lambda r = cross(wd, r) + cross(w, cross(w, r)) replaces pairs of cross products.
Products of angular velocities are reused for the gyroscopic moment. Three misprints of Dhanaraj are
corrected: eq. 2.29 rotates lambda by R instead of R^T, entry (2, 1) of lambda must be w_x w_y +
wd_z, and the factor D_x of w_y w_z in the gyroscopic moment must be Izz - Iyy. Table 2.4 omits the
second term of eq. 2.41, which is added for links whose axes are not principal axes.

`record_angeles` contains Algorithms 7.4.1 and 7.4.2 of Angeles (Fundamentals of Robotic Mechanical
Systems). Quantities of link i are in frame i + 1 of a standard Denavit-Hartenberg table, which is
fixed to the link. A change of axes consists of two plane rotations and costs 8 multiplications and
4 additions (eqs. 7.23 and 7.24). The vector rho leads from origin i to the link's centre of mass,
and delta from the centre of mass to origin i + 1. No external wrench acts on the last link of the
robot. Two errors in the algorithms of Angeles are corrected. First, forces and moments of link i
are in frame i + 1, in which the joint axis e is not (0, 0, 1). Second, for a prismatic joint with
position b, the lever of the link's force is rho + b e.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynagen.apps.literature.conventional.algorithm import JointMotion
from dynagen.apps.literature.conventional.chain import (
    Chain,
    Link,
    Rotation,
    Z,
    coriolis,
    displacement,
    joint_axis,
    joint_rotation,
    rotation_of,
    twist,
)
from dynagen.apps.literature.conventional.tape import Array, Scalar, Tape, cross
from dynagen.robot.pose import add


def record_newton_euler(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record conventional Newton-Euler inverse dynamics, Table 2.3 of Dhanaraj (1990).

    Operations with the zeros of link 0 (at rest) and of link n + 1 (no force) are recorded too: the
    table counts the same operations for every link.

    Args:
        tape: recorder of the algorithm's operations.
        chain: robot in modified Denavit-Hartenberg axes.
        motion: joint positions, velocities and accelerations.

    Returns:
        Joint forces (N m or N), in the order of the joints from the base.
    """
    rotations: list[Array] = []
    displacements: list[Array] = []
    forces: list[Array] = []
    moments: list[Array] = []
    w = wd = tape.array([0, 0, 0])
    # An acceleration of the base against gravity has the same effect as gravity.
    a = tape.array([-component for component in chain.gravity])
    for link, q, qd, qdd in zip(chain.links, motion.q, motion.qd, motion.qdd, strict=True):
        tape.begin_part("R, p")
        r = tape.array(twist(tape, link) @ joint_rotation(tape, link, q))
        p = displacement(tape, link, q)  # of origin i in the axes of link i - 1
        rate = tape.array(Z * qd)
        tape.begin_part("a")
        a = r.T @ (a + cross(wd, p) + cross(w, cross(w, p)))  # step 3
        tape.begin_part("alpha")
        wd = r.T @ wd  # step 2
        if link.joint.linear:
            tape.begin_part("a")
            a = a + Z * qdd + 2 * cross(r.T @ w, rate)  # rest of step 3
        if link.joint.angular:
            wd = wd + Z * qdd + cross(r.T @ w, rate)  # rest of step 2
        tape.begin_part("omega")
        w = r.T @ w + link.joint.angular * Z * qd  # step 1
        s, inertia = tape.array(link.centre_of_mass), tape.array(link.central_inertia)
        tape.begin_part("a_c")
        centre = a + cross(wd, s) + cross(w, cross(w, s))  # step 4
        tape.begin_part("F")
        forces.append(tape.number(link.inertial.mass) * centre)  # step 5
        tape.begin_part("N")
        moments.append(inertia @ wd + cross(w, inertia @ w))  # step 6
        rotations.append(r)
        displacements.append(p)
    return inward(tape, chain, rotations, displacements, forces, moments)


def inward(
    tape: Tape,
    chain: Chain,
    rotations: list[Array],
    displacements: list[Array],
    forces: list[Array],
    moments: list[Array],
) -> Sequence[Scalar]:
    """Record the inward recursion, steps 7 to 9 in Tables 2.3 and 2.4 of Dhanaraj (1990).

    Args:
        tape: recorder of the algorithm's operations.
        chain: robot in modified Denavit-Hartenberg axes.
        rotations: rotation matrix of every link, from its axes to its parent's axes, shape (3, 3)
            each.
        displacements: vector from the parent's origin to the origin of every link, in the parent's
            axes, shape (3,) each (m).
        forces: inertial force F of every link in its axes, shape (3,) each (N).
        moments: inertial moment N of every link about its centre of mass, in its axes, shape (3,)
            each (N m).

    Returns:
        Joint forces (N m or N), in the order of the joints from the base.
    """
    # Link i needs R and p of link i + 1; link n + 1 lies in link n.
    nothing = tape.array([0, 0, 0])
    rotations, displacements = (
        [*rotations[1:], tape.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]])],
        [*displacements[1:], nothing],
    )
    f = n = nothing
    joint_forces: list[Scalar] = []
    for link, r, p, force, moment in reversed(
        list(zip(chain.links, rotations, displacements, forces, moments, strict=True))
    ):
        tape.begin_part("f")
        carried = r @ f
        f = force + carried  # step 7
        s = tape.array(link.centre_of_mass)
        tape.begin_part("n")
        n = r @ n + moment + cross(s, force) + cross(p, carried)  # step 8
        joint_forces.append(n[2] if link.joint.angular else f[2])  # step 9
    return joint_forces[::-1]


def record_reformulated(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record reformulated Newton-Euler inverse dynamics, Table 2.4 of Dhanaraj (1990).

    Operations with the zeros of link 0 (at rest) and of link n + 1 (no force) are recorded too.

    Args:
        tape: recorder of the algorithm's operations.
        chain: robot in modified Denavit-Hartenberg axes.
        motion: joint positions, velocities and accelerations.

    Returns:
        Joint forces (N m or N), in the order of the joints from the base.
    """
    rotations: list[Array] = []
    displacements: list[Array] = []
    forces: list[Array] = []
    moments: list[Array] = []
    w = wd = tape.array([0, 0, 0])
    difference = tape.array([[0, 0, 0]] * 3)
    a = tape.array([-component for component in chain.gravity])
    for link, q, qd, qdd in zip(chain.links, motion.q, motion.qd, motion.qdd, strict=True):
        tape.begin_part("R, p")
        r = tape.array(twist(tape, link) @ joint_rotation(tape, link, q))
        p = displacement(tape, link, q)
        tape.begin_part("omega")
        w = r.T @ w
        tape.begin_part("alpha")
        wd = r.T @ wd
        tape.begin_part("a")
        a = r.T @ (a + difference @ p)
        if link.joint.angular:
            tape.begin_part("omega")
            w = w + Z * qd  # step 1
            # step 2; the part z qd of w has no effect in w x z qd
            tape.begin_part("alpha")
            wd = wd + Z * qdd + coriolis(w, qd)
        if link.joint.linear:
            a = a + Z * qdd + 2 * coriolis(w, qd)  # step 3
        tape.begin_part("lambda")
        k = rate_products(w)
        rotates = link.joint.angular  # else lambda is the same matrix in other axes, eq. 2.29
        difference = acceleration_difference(w, wd, k) if rotates else r.T @ difference @ r
        s = tape.array(link.centre_of_mass)
        tape.begin_part("a_c")
        centre = a + difference @ s  # step 4
        tape.begin_part("F")
        forces.append(tape.number(link.inertial.mass) * centre)  # step 5
        tape.begin_part("N")
        moments.append(_record_body_moment(tape, link, wd, k, difference))  # step 6
        rotations.append(r)
        displacements.append(p)
    return inward(tape, chain, rotations, displacements, forces, moments)


def rate_products(w: Array) -> Array:
    """Record the products (w_y w_z, w_z w_x, w_x w_y) of an angular velocity w, shape (3,).

    The equation is 2.28 of Dhanaraj (1990).
    """
    return np.array([w[1] * w[2], w[2] * w[0], w[0] * w[1]], dtype=object)


def acceleration_difference(w: Array, wd: Array, k: Array) -> Array:
    """Record the acceleration difference matrix lambda of a body, shape (3, 3).

    The vector lambda r = cross(wd, r) + cross(w, cross(w, r)) is the acceleration of the body's
    point at r, minus the acceleration of the body's origin (eq. 2.27 of Dhanaraj 1990; matrix A in
    section 5 of Turney, Mudge and Lee 1980).

    Args:
        w: angular velocity (rad/s), shape (3,).
        wd: angular acceleration (rad/s^2), shape (3,).
        k: products (w_y w_z, w_z w_x, w_x w_y), from `rate_products`, shape (3,).
    """
    xx, yy, zz = w * w
    return np.array(
        [
            [-(yy + zz), k[2] - wd[2], k[1] + wd[1]],
            [k[2] + wd[2], -(xx + zz), k[0] - wd[0]],
            [k[1] - wd[1], k[0] + wd[0], -(xx + yy)],
        ],
        dtype=object,
    )


def _record_body_moment(tape: Tape, link: Link, wd: Array, k: Array, difference: Array) -> Array:
    """Record the inertial moment I wd + cross(w, I w) about the centre of mass, N m, shape (3,).

    The equations are 2.41 to 2.43 of Dhanaraj (1990). `k` contains the products (w_y w_z, w_z w_x,
    w_x w_y) of the angular velocity w. `difference` is the matrix lambda with lambda r = cross(wd,
    r) + cross(w, cross(w, r)) for all r.
    """
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.central_inertia
    about_axes = tape.array([zz - yy, xx - zz, yy - xx]) * k
    if not (xy or xz or yz):  # principal axes: eq. 2.42
        return np.asarray(tape.array([xx, yy, zz]) * wd + about_axes, dtype=object)
    # Differences of squares of velocities are differences on lambda's diagonal: y - z is
    # w_y^2 - w_z^2.
    x, y, z = np.diag(difference)
    products = np.array(
        [[y - z, k[2], -k[1]], [-k[2], z - x, k[0]], [k[1], -k[0], x - y]], dtype=object
    )
    inertia = tape.array(link.central_inertia)
    return np.asarray(inertia @ wd + about_axes + products @ tape.array([yz, xz, xy]), dtype=object)


@dataclass(frozen=True)
class _LinkMotion:
    """Motion of link i relative to the base, in frame i + 1, which is fixed to the link.

    The vectors are in SI units, shape (3,): angular velocity w and acceleration wd of the link;
    position c, velocity cd and acceleration cdd of the centre of mass.
    """

    w: Array
    wd: Array
    c: Array
    cd: Array
    cdd: Array


def record_angeles(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record inverse dynamics by Algorithms 7.4.1 and 7.4.2 of Angeles.

    The book is Angeles, Fundamentals of Robotic Mechanical Systems. Two errors in the algorithms
    are corrected.

    Args:
        tape: recorder of the algorithm's operations.
        chain: robot in standard Denavit-Hartenberg frames.
        motion: joint positions, velocities and accelerations.

    Returns:
        Joint forces (N m or N), in the order of the joints from the base.
    """
    zero = tape.array([0, 0, 0])
    # The base accelerates against gravity, eq. 7.44.
    moving = _LinkMotion(
        zero, zero, zero, zero, tape.array([-component for component in chain.gravity])
    )
    delta = zero
    rotations: list[Rotation] = []
    axes: list[Array] = []
    levers: list[tuple[Array, Array]] = []
    forces: list[Array] = []
    moments: list[Array] = []
    for link, q, qd, qdd in zip(chain.links, motion.q, motion.qd, motion.qdd, strict=True):
        tape.begin_part("Q")
        rotation, e = rotation_of(tape, link, q), joint_axis(tape, link)
        # The text updates Q (4M, Table 7.1), although its changes of axes do not use Q.
        _ = rotation.joint @ rotation.constant
        rho = tape.array(add(link.step, link.centre_of_mass))
        if link.joint.angular:
            moving = _move_revolute(tape, rotation, moving, delta, rho, qd, qdd)
        else:
            rho = rho + e * q
            moving = _move_prismatic(rotation, e, moving, delta, rho, qd, qdd)
        delta = tape.array([-component for component in link.centre_of_mass])
        inertia = tape.array(link.central_inertia)
        tape.begin_part("f")
        forces.append(tape.number(link.inertial.mass) * moving.cdd)
        tape.begin_part("n")
        moments.append(inertia @ moving.wd + cross(moving.w, inertia @ moving.w))
        rotations.append(rotation)
        axes.append(e)
        levers.append((rho, delta))
    f, n = forces[-1], moments[-1] + cross(levers[-1][0], forces[-1])  # eqs. 7.38a and 7.38b
    loads = [(f, n)]
    for rotation, (rho, delta), force, moment in reversed(
        list(zip(rotations[1:], levers, forces, moments, strict=False))
    ):
        tape.begin_part("phi")
        phi = rotation.inward(f)
        tape.begin_part("f")
        f = force + phi  # eq. 7.38c
        tape.begin_part("n")
        n = moment + cross(rho, f) + rotation.inward(n) + cross(delta, phi)  # eq. 7.38d
        loads.append((f, n))
    tape.begin_part("tau")
    return [
        e @ (n if link.joint.angular else f)  # eqs. 7.39 and 7.40
        for link, e, (f, n) in zip(chain.links, axes, reversed(loads), strict=True)
    ]


def _move_revolute(
    tape: Tape,
    rotation: Rotation,
    before: _LinkMotion,
    delta: Array,
    rho: Array,
    qd: Scalar,
    qdd: Scalar,
) -> _LinkMotion:
    """Record the motion of a link with a revolute joint (Angeles, Algorithm 7.4.1, branch 1).

    The rotation Q maps coordinates in frame i + 1 to coordinates in frame i. The motion `before` of
    the parent is in frame i. `delta` leads from the parent's centre of mass to origin i, in
    frame i. `rho` leads from origin i to the link's centre of mass, in frame i + 1.
    """
    tape.begin_part("omega")
    w = rotation.outward(before.w + Z * qd)
    tape.begin_part("omega'")
    wd = rotation.outward(before.wd + coriolis(before.w, qd) + Z * qdd)
    tape.begin_part("c")
    c = rotation.outward(before.c + delta) + rho
    tape.begin_part("c'")
    u, v = cross(before.w, delta), cross(w, rho)
    cd = rotation.outward(before.cd + u) + v
    tape.begin_part("c''")
    cdd = (
        rotation.outward(before.cdd + cross(before.wd, delta) + cross(before.w, u))
        + cross(wd, rho)
        + cross(w, v)
    )
    return _LinkMotion(w, wd, c, cd, cdd)


def _move_prismatic(
    rotation: Rotation,
    e: Array,
    before: _LinkMotion,
    delta: Array,
    rho: Array,
    qd: Scalar,
    qdd: Scalar,
) -> _LinkMotion:
    """Record the motion of a link with a prismatic joint (Angeles, Algorithm 7.4.1, branch 2).

    The rotation Q maps coordinates in frame i + 1 to coordinates in frame i. The motion `before` of
    the parent is in frame i. `e` is the joint axis in frame i + 1. `delta` leads from the parent's
    centre of mass to origin i, in frame i. `rho` leads from origin i to the link's centre of mass,
    in frame i + 1, and includes the joint's displacement.
    """
    u = rotation.outward(delta) + rho
    w, wd = rotation.outward(before.w), rotation.outward(before.wd)
    v, rate = cross(w, u), e * qd
    c = rotation.outward(before.c) + u
    cd = rotation.outward(before.cd) + v + rate
    cdd = rotation.outward(before.cdd) + cross(wd, u) + cross(w, v + rate + rate) + e * qdd
    return _LinkMotion(w, wd, c, cd, cdd)
