"""The reformulated recursive Newton-Euler algorithm: Dhanaraj (1990), Table 2.4, as printed but for slips of the pen.

The acceleration difference matrix lambda replaces pairs of vector products, and products of rates serve gyroscopic moments.
Corrected: eq. 2.29 rotates lambda by R where R^T belongs; entry (2, 1) of lambda is k_z + alpha_z; D_x is Izz - Iyy. Links
whose axes are not principal have the second half of eq. 2.41, which the table leaves out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynagen.literature.conventional.algorithm import JointMotion
from dynagen.literature.conventional.chain import Chain, Link
from dynagen.literature.conventional.frames import Z, coriolis, displacement, joint_rotation, twist
from dynagen.literature.conventional.newton_euler import inward
from dynagen.literature.conventional.tape import Array, Scalar, Tape


def record_reformulated(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record Table 2.4; links 0 and n + 1 are links like the others, at rest and without forces."""
    rotations: list[Array] = []
    displacements: list[Array] = []
    forces: list[Array] = []
    moments: list[Array] = []
    w = wd = tape.array([0, 0, 0])
    difference = tape.array([[0, 0, 0]] * 3)
    a = tape.array([-component for component in chain.gravity])
    for link, q, qd, qdd in zip(chain.links, motion.q, motion.qd, motion.qdd, strict=True):
        r = tape.array(twist(tape, link) @ joint_rotation(tape, link, q))
        p = displacement(tape, link, q)
        w, wd, a = r.T @ w, r.T @ wd, r.T @ (a + difference @ p)
        if link.joint.angular:
            w = w + Z * qd  # step 1
            wd = wd + Z * qdd + coriolis(w, qd)  # step 2
        if link.joint.linear:
            a = a + Z * qdd + 2 * coriolis(w, qd)  # step 3
        k = rate_products(w)
        rotates = link.joint.angular  # else lambda is the same matrix in other axes, eq. 2.29
        difference = acceleration_difference(w, wd, k) if rotates else r.T @ difference @ r
        s = tape.array(link.centre_of_mass)
        centre = a + difference @ s  # step 4
        forces.append(tape.number(link.inertial.mass) * centre)  # step 5
        moments.append(_body_moment(tape, link, wd, k, difference))  # step 6
        rotations.append(r)
        displacements.append(p)
    return inward(tape, chain, rotations, displacements, forces, moments)


def rate_products(w: Array) -> Array:
    """Eq. 2.28: k = (w_y w_z, w_z w_x, w_x w_y)."""
    return np.array([w[1] * w[2], w[2] * w[0], w[0] * w[1]], dtype=object)


def acceleration_difference(w: Array, wd: Array, k: Array) -> Array:
    """Eq. 2.27: lambda r = wd x r + w x (w x r)."""
    xx, yy, zz = w * w
    return np.array(
        [
            [-(yy + zz), k[2] - wd[2], k[1] + wd[1]],
            [k[2] + wd[2], -(xx + zz), k[0] - wd[0]],
            [k[1] - wd[1], k[0] + wd[0], -(xx + yy)],
        ],
        dtype=object,
    )


def _body_moment(tape: Tape, link: Link, wd: Array, k: Array, difference: Array) -> Array:
    """Eqs. 2.41 to 2.43: I wd + w x I w, with principal axes or without; squares of rates come from lambda's diagonal."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.central_inertia
    about_axes = tape.array([zz - yy, xx - zz, yy - xx]) * k
    if not (xy or xz or yz):
        return np.asarray(tape.array([xx, yy, zz]) * wd + about_axes, dtype=object)
    x, y, z = np.diag(difference)
    products = np.array([[y - z, k[2], -k[1]], [-k[2], z - x, k[0]], [k[1], -k[0], x - y]], dtype=object)
    inertia = tape.array(link.central_inertia)
    return np.asarray(inertia @ wd + about_axes + products @ tape.array([yz, xz, xy]), dtype=object)
