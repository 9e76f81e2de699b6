"""Newton-Euler equations by Turney, Mudge and Lee, in the original and the modified form.

The source is SEL-TR-142, University of Michigan, 1980, sections 3 and 5. Quantities of link i are
in the axes of link i, by a standard Denavit-Hartenberg table. Moments of link i are about the
origin of link i - 1, which is a fixed point of link i because all joints are revolute. The matrix A
of section 5 maps a point of a link to the acceleration of the point relative to origin i - 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynagen.apps.literature.conventional.algorithm import JointMotion
from dynagen.apps.literature.conventional.chain import (
    Chain,
    Z,
    coriolis,
    displacement,
    joint_rotation,
    twist,
)
from dynagen.apps.literature.conventional.recursive_newton_euler import (
    acceleration_difference,
    rate_products,
)
from dynagen.apps.literature.conventional.tape import Array, Scalar, Tape, cross
from dynagen.robot.model.inertial import InertialParameters
from dynagen.robot.pose import IDENTITY, Pose


@dataclass(frozen=True)
class _TurneyLinkMotion:
    """Results of the outward recursion for link i, in the axes of link i and in SI units.

    `w` and `wd` are the angular velocity and acceleration of the link.

    The rotation R maps coordinates in the axes of link i to coordinates in the axes of link i - 1.
    The displacement leads from origin i - 1 to origin i. `difference` is the acceleration
    difference matrix A: for a vector r from origin i - 1 to a point of the link, A r is the
    acceleration of the point minus the acceleration of origin i - 1. `carried` is the acceleration
    of origin i - 1, and `acceleration` the acceleration of origin i.
    """

    rotation: Array
    displacement: Array
    w: Array
    wd: Array
    difference: Array
    carried: Array
    acceleration: Array


def record_turney(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record inverse dynamics by Turney, Mudge and Lee (1980), eqs. 3.15 to 3.20.

    Args:
        tape: recorder of the algorithm's operations.
        chain: robot of revolute joints in standard Denavit-Hartenberg frames.
        motion: joint positions, velocities and accelerations.

    Returns:
        Joint torques (N m), in the order of the joints from the base.
    """
    motions = _record_outward(tape, chain, motion)
    forces, moments = [], []
    for link, moving in zip(chain.links, motions, strict=True):
        s, inertia = tape.array(link.centre_of_mass), tape.array(link.central_inertia)
        # Inertial force m a and moment about the centre of mass, eqs. 3.18 to 3.20.
        tape.begin_part("a_c")
        centre = moving.difference @ s + moving.acceleration
        tape.begin_part("f")
        force = tape.number(link.inertial.mass) * centre
        tape.begin_part("I omega'")
        change = inertia @ moving.wd
        tape.begin_part("omega x I omega")
        gyroscopic = cross(moving.w, inertia @ moving.w)
        # From origin i - 1 to the centre of mass: constant, since all joints are revolute.
        lever = tape.array([a + b for a, b in zip(link.step, link.centre_of_mass, strict=True)])
        tape.begin_part("s x m a")
        about_origin = cross(lever, force)
        tape.begin_part("sums")
        forces.append(force)
        moments.append(change + gyroscopic + about_origin)
    return _record_inward(tape, motions, forces, moments)


def record_turney_modified(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record inverse dynamics by the modified equations of Turney, Mudge and Lee (1980).

    For the inertial force and moment of a link, eqs. 5.1 and 5.2 replace eqs. 3.18 to 3.20 of the
    original equations.

    Args:
        tape: recorder of the algorithm's operations.
        chain: robot of revolute joints in standard Denavit-Hartenberg frames.
        motion: joint positions, velocities and accelerations.

    Returns:
        Joint torques (N m), in the order of the joints from the base.
    """
    motions = _record_outward(tape, chain, motion)
    forces, moments = [], []
    for link, moving in zip(chain.links, motions, strict=True):
        # About origin i - 1, in the axes of link i.
        body = link.inertial.transform(Pose(IDENTITY.rotation, link.step))
        lever = tape.array(body.first_moment)
        tape.begin_part("f")
        forces.append(
            moving.difference @ lever + tape.number(body.mass) * moving.carried
        )  # eq. 5.1
        tape.begin_part("trace of A K")
        trace = _record_trace(tape, moving.difference, body)
        tape.begin_part("s x m a")
        about_origin = cross(lever, moving.carried)
        tape.begin_part("sums")
        moments.append(trace + about_origin)  # eq. 5.2
    return _record_inward(tape, motions, forces, moments)


def _record_outward(tape: Tape, chain: Chain, motion: JointMotion) -> list[_TurneyLinkMotion]:
    """Record the outward recursion of Turney, Mudge and Lee (1980), eqs. 3.15 to 3.17."""
    w = wd = tape.array([0, 0, 0])
    a = tape.array([-component for component in chain.gravity])
    motions = []
    for link, q, qd, qdd in zip(chain.links, motion.q, motion.qd, motion.qdd, strict=True):
        tape.begin_part("R")
        rotation, r = (
            tape.array(joint_rotation(tape, link, q) @ twist(tape, link)),
            displacement(tape, link, q),
        )
        tape.begin_part("omega'")
        wd = rotation.T @ (wd + coriolis(w, qd) + Z * qdd)  # eq. 3.16
        tape.begin_part("omega")
        w = rotation.T @ (w + Z * qd)  # eq. 3.15
        tape.begin_part("A")
        difference = acceleration_difference(w, wd, rate_products(w))
        tape.begin_part("a")
        carried = rotation.T @ a
        a = difference @ r + carried  # eq. 3.17
        motions.append(_TurneyLinkMotion(rotation, r, w, wd, difference, carried, a))
    return motions


def _record_inward(
    tape: Tape, motions: list[_TurneyLinkMotion], forces: list[Array], moments: list[Array]
) -> Sequence[Scalar]:
    """Record the inward recursion of Turney, Mudge and Lee (1980), eqs. 3.13, 3.19 and 3.20.

    The inertial forces (N) and moments (N m) of link i are in the axes of link i. The moments are
    about origin i - 1.
    """
    f, n = forces[-1], moments[-1]
    tape.begin_part("R n")
    n_before = motions[-1].rotation @ n
    joint_forces: list[Scalar] = [n_before[2]]
    outer = motions[-1]
    for moving, force, moment in reversed(
        list(zip(motions[:-1], forces[:-1], moments[:-1], strict=True))
    ):
        tape.begin_part("f")
        carried = outer.rotation @ f
        f = force + carried
        tape.begin_part("r x R f")
        levered = cross(moving.displacement, carried)
        tape.begin_part("sums")
        n = moment + levered + n_before
        tape.begin_part("R n")
        n_before = moving.rotation @ n
        joint_forces.append(n_before[2])
        outer = moving
    return joint_forces[::-1]


def _record_trace(tape: Tape, difference: Array, body: InertialParameters) -> Array:
    """Record the inertial moment of link i about origin i - 1, without translation, shape (3,).

    The moment is a term of eq. 5.2 of Turney, Mudge and Lee (1980). The x component is (A K)_zy -
    (A K)_yz, and so on. `difference` is the acceleration difference matrix A of link i, and K
    contains the second moments of `body` about origin i - 1. The operation counts of the paper
    assume a diagonal matrix K.
    """
    moments = body.second_moments
    is_diagonal = not (moments[0][1] or moments[0][2] or moments[1][2])
    k = tape.array(moments)

    def entry(row: int, column: int) -> Any:
        return (
            difference[row, column] * k[column, column]
            if is_diagonal
            else difference[row] @ k[:, column]
        )

    return np.array(
        [entry(2, 1) - entry(1, 2), entry(0, 2) - entry(2, 0), entry(1, 0) - entry(0, 1)],
        dtype=object,
    )
