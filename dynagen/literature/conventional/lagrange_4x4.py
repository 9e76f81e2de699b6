"""The recursive Lagrange equations with 4 x 4 transformations: Hollerbach (1980), as in Dhanaraj (1990), Appendix A.2.

W takes homogeneous coordinates of link i to those of the base, A to those of the link before. What the appendix prints without
need as 0T is A in the backward recursion, J meets the second derivative of W, and m r is the first moment.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynagen.literature.conventional.algorithm import JointMotion
from dynagen.literature.conventional.chain import Chain, Link
from dynagen.literature.conventional.frames import displacement, joint_rotation, twist
from dynagen.literature.conventional.tape import Array, Scalar, Tape

_SLOPE_REVOLUTE = np.array([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=object)
_SLOPE_PRISMATIC = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=object)


def record_lagrange_4x4(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record both recursions; products of matrices are computed in full."""
    nothing = tape.array(np.zeros((4, 4), dtype=int).tolist())
    w = tape.array(np.eye(4, dtype=int).tolist())
    wd = wdd = nothing
    transformations: list[Array] = []
    slopes: list[Array] = []
    accelerations: list[Array] = []
    for link, q, qd, qdd in zip(chain.links, motion.q, motion.qd, motion.qdd, strict=True):
        a = _transformation(tape, link, q)
        derivative = _SLOPE_REVOLUTE if link.joint.angular else _SLOPE_PRISMATIC
        first, second = tape.array(a @ derivative), tape.array(a @ derivative @ derivative)
        slope = w @ first
        wdd = wdd @ a + (2 * qd) * (wd @ first) + (qd * qd) * (w @ second) + qdd * slope
        wd = wd @ a + qd * slope
        w = w @ a
        transformations.append(a)
        slopes.append(slope)
        accelerations.append(wdd)
    d, c = nothing, tape.array([0, 0, 0, 0])
    gravity = tape.array([*chain.gravity, 0])
    joint_forces: list[Scalar] = []
    behind = [*transformations[1:], tape.array(np.eye(4, dtype=int).tolist())]
    for link, a, slope, wdd in reversed(list(zip(chain.links, behind, slopes, accelerations, strict=True))):
        inertia = tape.array(link.pseudo_inertia)
        d = inertia @ wdd.T + a @ d
        c = inertia[3] + a @ c
        trace = sum(slope[row] @ d[:, row] for row in range(4))
        joint_forces.append(trace - gravity @ (slope @ c))
    return joint_forces[::-1]


def _transformation(tape: Tape, link: Link, q: Scalar) -> Array:
    rotation = twist(tape, link) @ joint_rotation(tape, link, q)
    rows = [[*row, component] for row, component in zip(rotation, displacement(tape, link, q), strict=True)]
    return tape.array([*rows, [0, 0, 0, 1]])
