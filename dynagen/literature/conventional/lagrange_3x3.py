"""The recursive Lagrange equations with 3 x 3 rotations: Hollerbach (1980), as in Dhanaraj (1990), Appendix A.3.

W takes vectors in axes of link i to those of the base, A to those of the link before; all joints rotate. Corrected: where the
appendix divides s by m, the first moment m s belongs, and c has a term for the masses further out, p times their sum.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynagen.literature.conventional.algorithm import JointMotion
from dynagen.literature.conventional.chain import Chain
from dynagen.literature.conventional.frames import displacement, joint_rotation, twist
from dynagen.literature.conventional.tape import Array, Scalar, Tape
from dynagen.numbers.exact import ZERO

_SLOPE = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 0]], dtype=object)


def record_lagrange_3x3(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record both recursions; products of matrices are computed in full."""
    identity, nothing = tape.array(np.eye(3, dtype=int).tolist()), tape.array(np.zeros((3, 3), dtype=int).tolist())
    zero = tape.array([0, 0, 0])
    w, wd, wdd, pdd = identity, nothing, nothing, zero
    rotations: list[Array] = []
    displacements: list[Array] = []
    slopes: list[Array] = []
    accelerations: list[tuple[Array, Array]] = []
    for link, q, qd, qdd in zip(chain.links, motion.q, motion.qd, motion.qdd, strict=True):
        a, p = tape.array(twist(tape, link) @ joint_rotation(tape, link, q)), displacement(tape, link, q)
        pdd = pdd + wdd @ p
        first, second = tape.array(a @ _SLOPE), tape.array(a @ _SLOPE @ _SLOPE)
        slope = w @ first
        wdd = wdd @ a + (2 * qd) * (wd @ first) + (qd * qd) * (w @ second) + qdd * slope
        wd = wd @ a + qd * slope
        w = w @ a
        rotations.append(a)
        displacements.append(p)
        slopes.append(slope)
        accelerations.append((wdd, pdd))
    d, e, c, mass_behind = nothing, zero, zero, ZERO
    gravity = tape.array(chain.gravity)
    behind = zip([*rotations[1:], identity], [*displacements[1:], zero], strict=True)
    joint_forces: list[Scalar] = []
    for link, (a, p), slope, (wdd, pdd) in reversed(list(zip(chain.links, behind, slopes, accelerations, strict=True))):
        moment, mass = tape.array(link.inertial.first_moment), tape.number(link.inertial.mass)
        d = tape.array(link.inertial.second_moments) @ wdd.T + np.outer(moment, pdd) + a @ d + np.outer(p, e)
        e = e + mass * pdd + wdd @ moment
        c = moment + a @ c + tape.number(mass_behind) * p
        mass_behind = mass_behind + link.inertial.mass
        trace = sum(slope[row] @ d[:, row] for row in range(3))
        joint_forces.append(trace - gravity @ (slope @ c))
    return joint_forces[::-1]
