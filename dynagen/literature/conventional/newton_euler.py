"""The conventional recursive Newton-Euler algorithm: Dhanaraj (1990), Table 2.3, after Luh, Walker and Paul (1980).

All of link i is resolved in its own modified Denavit-Hartenberg axes. Products of matrices and vectors, and vector products,
are computed in full, as Table 2.9 counts them.
"""

from __future__ import annotations

from collections.abc import Sequence

from dynagen.literature.conventional.algorithm import JointMotion
from dynagen.literature.conventional.chain import Chain
from dynagen.literature.conventional.frames import Z, displacement, joint_rotation, twist
from dynagen.literature.conventional.tape import Array, Scalar, Tape, cross


def record_newton_euler(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record Table 2.3; links 0 and n + 1 are links like the others, at rest and without forces."""
    rotations: list[Array] = []
    displacements: list[Array] = []
    forces: list[Array] = []
    moments: list[Array] = []
    w = wd = tape.array([0, 0, 0])
    a = tape.array([-component for component in chain.gravity])
    for link, q, qd, qdd in zip(chain.links, motion.q, motion.qd, motion.qdd, strict=True):
        r = tape.array(twist(tape, link) @ joint_rotation(tape, link, q))
        p = displacement(tape, link, q)
        rate = tape.array(Z * qd)
        a = r.T @ (a + cross(wd, p) + cross(w, cross(w, p)))  # step 3
        wd = r.T @ wd  # step 2
        if link.joint.linear:
            a = a + Z * qdd + 2 * cross(r.T @ w, rate)
        if link.joint.angular:
            wd = wd + Z * qdd + cross(r.T @ w, rate)
        w = r.T @ w + link.joint.angular * Z * qd  # step 1
        s, inertia = tape.array(link.centre_of_mass), tape.array(link.central_inertia)
        centre = a + cross(wd, s) + cross(w, cross(w, s))  # step 4
        forces.append(tape.number(link.inertial.mass) * centre)  # step 5
        moments.append(inertia @ wd + cross(w, inertia @ w))  # step 6
        rotations.append(r)
        displacements.append(p)
    return inward(tape, chain, rotations, displacements, forces, moments)


def inward(
    tape: Tape, chain: Chain, rotations: list[Array], displacements: list[Array], forces: list[Array], moments: list[Array]
) -> Sequence[Scalar]:
    """Record steps 7 to 9 of Tables 2.3 and 2.4."""
    nothing = tape.array([0, 0, 0])
    rotations, displacements = [*rotations[1:], tape.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]])], [*displacements[1:], nothing]
    f = n = nothing
    joint_forces: list[Scalar] = []
    for link, r, p, force, moment in reversed(list(zip(chain.links, rotations, displacements, forces, moments, strict=True))):
        carried = r @ f
        f = force + carried  # step 7
        s = tape.array(link.centre_of_mass)
        n = r @ n + moment + cross(s, force) + cross(p, carried)  # step 8
        joint_forces.append(n[2] if link.joint.angular else f[2])  # step 9
    return joint_forces[::-1]
