"""Forward dynamics as published: the recursive algorithm of Saha (2003), sections 2.2 and 3.

The mass matrix is factored as U D U^T (eq. 11), with an upper triangular matrix U with unit
diagonal and a diagonal matrix D, whose entries are the pivots. Inertias and wrenches of link i are
about the link's centre of mass, in the axes of frame i of a standard Denavit-Hartenberg table. The
z axis of frame i is the axis of joint i, and frame i + 1 is fixed to link i. A twist or wrench is a
vector of six numbers with an angular half (`top`) and a linear half (`bottom`). Inertias of
articulated bodies are computed in blocks, with the fewest operations that symmetry allows (steps
A.3 and A.7). The bias forces C qd + g are computed by the recursions of Angeles (`record_angeles`).

Two omissions of section 3 of the paper are corrected by its equations. Step A.3b lacks the inertia
of the link itself. Steps A.3b and A.4 are missing for link 1; the pivot of joint 1 depends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from dynagen.apps.literature.conventional.algorithm import JointMotion
from dynagen.apps.literature.conventional.chain import Chain, Link, Rotation, Z, rotation_of
from dynagen.apps.literature.conventional.recursive_newton_euler import record_angeles
from dynagen.apps.literature.conventional.tape import Array, Scalar, Tape, cross
from dynagen.numbers.exact import ZERO
from dynagen.robot.pose import add, make_screw_x

_CYCLES = ((0, 1, 2), (1, 2, 0), (2, 0, 1))  # even permutations of x, y, z


@dataclass(frozen=True)
class ArticulatedInertia:
    """Inertia [I F^T; F G] of an articulated body about the centre of mass of its first link.

    The block matrix is eq. 16 of Saha (2003).

    Attributes:
        i: symmetric block I for rotations (kg m^2), shape (3, 3).
        f: block F that couples rotations and translations (kg m), shape (3, 3).
        g: symmetric block G for translations (kg), shape (3, 3).
    """

    i: Array
    f: Array
    g: Array

    def times(self, top: Array, bottom: Array) -> tuple[Array, Array]:
        """Record the product of the inertia and a twist; return moment and force, shape (3,) each.

        Args:
            top: angular half of the twist, shape (3,).
            bottom: linear half of the twist, shape (3,).
        """
        return self.i @ top + self.f.T @ bottom, self.f @ top + self.g @ bottom


def last_inertia(tape: Tape, link: Link, rotation: Rotation) -> ArticulatedInertia:
    """Record the inertia of the last link about its centre of mass (Saha 2003, step A.3a).

    Args:
        tape: recorder of the algorithm's operations.
        link: the last link n.
        rotation: rotation from frame n + 1, which is fixed to the link, to frame n.

    Returns:
        Inertia in the axes of frame n.
    """
    none = np.zeros((3, 3), dtype=int).astype(object)
    own = _rotate_matrix(rotation, tape.array(link.central_inertia), symmetric=True)
    return ArticulatedInertia(own, none, none + _make_mass_block(tape, link))


def seen_inward(tape: Tape, link: Link, outer: ArticulatedInertia, c: Array) -> ArticulatedInertia:
    """Record the articulated inertia of link i and the links it carries (Saha 2003, step A.3b).

    The result is about the centre of mass of link i, in the axes of frame i + 1. With the
    cross-product matrix C of the displacement c, the blocks of the result are G' = m 1 + G, F' = F
    + G C and I' = I_i + I + F^T C - C F'. Here I, F and G are the blocks of `outer`, m is the mass
    of link i, I_i its inertia about its centre of mass, and 1 the identity matrix.

    Args:
        tape: recorder of the algorithm's operations.
        link: link i.
        outer: inertia [I F^T; F G] of the carried links, with joint i + 1 free (step A.7), about
            the centre of mass of link i + 1 and in frame i + 1.
        c: displacement (m) from the centre of mass of link i + 1 to the centre of mass of link i,
            in frame i + 1, shape (3,).
    """
    g = outer.g + _make_mass_block(tape, link)
    f = outer.f + _record_cross_matrix(outer.g, c)
    lever = _fill_symmetric(lambda row, column: _record_lever(outer.f, f, c, row, column))
    own = tape.array(link.central_inertia)
    return ArticulatedInertia(
        _fill_symmetric(
            lambda row, column: outer.i[row, column] + lever[row, column] + own[row, column]
        ),
        f,
        g,
    )


def rotated(rotation: Rotation, inertia: ArticulatedInertia) -> ArticulatedInertia:
    """Record the change of an articulated inertia from frame i + 1 to i (Saha 2003, step A.3b).

    Args:
        rotation: rotation Q from frame i + 1 to frame i.
        inertia: inertia in the axes of frame i + 1.
    """
    return ArticulatedInertia(
        _rotate_matrix(rotation, inertia.i, symmetric=True),
        _rotate_matrix(rotation, inertia.f, symmetric=False),
        _rotate_matrix(rotation, inertia.g, symmetric=True),
    )


def reduced(
    inertia: ArticulatedInertia, hat_top: Array, hat_bottom: Array, top: Array, bottom: Array
) -> ArticulatedInertia:
    """Record the articulated inertia M - psi_hat psi^T for a free joint (Saha 2003, step A.7).

    Args:
        inertia: inertia M of the articulated body with its joint locked.
        hat_top: angular half of psi_hat, the product of M and the joint's axis (a twist), shape
            (3,).
        hat_bottom: linear half of psi_hat, shape (3,).
        top: angular half of psi, shape (3,). psi is psi_hat divided by the pivot of the joint, the
            scalar product of psi_hat and the joint's axis.
        bottom: linear half of psi, shape (3,).
    """
    return ArticulatedInertia(
        _fill_symmetric(lambda row, column: inertia.i[row, column] - hat_top[row] * top[column]),
        inertia.f - np.outer(hat_bottom, top),
        _fill_symmetric(
            lambda row, column: inertia.g[row, column] - hat_bottom[row] * bottom[column]
        ),
    )


def _make_mass_block(tape: Tape, link: Link) -> Array:
    """Return the mass of a link times the identity matrix, shape (3, 3)."""
    return np.diag([tape.number(link.inertial.mass)] * 3)


def _fill_symmetric(entry: Callable[[int, int], Any]) -> Array:
    """Return a symmetric 3 x 3 matrix; record only the entries on and above the diagonal.

    `entry` records the entry in a row and a column, both from 0.
    """
    upper = {(row, column): entry(row, column) for row in range(3) for column in range(row, 3)}
    return np.array(
        [[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)], dtype=object
    )


def _record_cross_matrix(g: Array, c: Array) -> Array:
    """Record the product G C of a symmetric matrix G and the cross-product matrix C of c.

    Each row of G C is the cross product of a row of G and c. Three of the 18 multiplications occur
    twice and are recorded once.
    """

    @cache
    def product(row: int, column: int, component: int) -> Any:
        return g[row, column] * c[component] if row <= column else product(column, row, component)

    return np.array(
        [[product(row, j, k) - product(row, k, j) for _, j, k in _CYCLES] for row in range(3)],
        dtype=object,
    )


def _record_lever(f: Array, moved: Array, c: Array, row: int, column: int) -> Any:
    """Record an element of the change F^T C - C F' of a rotational inertia at another point.

    An articulated inertia is moved to the other point. F (`f`) couples rotations and translations
    before the change, and F' (`moved`) after the change. C is the cross-product matrix of the
    displacement c. A diagonal element costs 2 multiplications and 3 additions, any other element 3
    and 3.
    """
    if row == column:
        _, j, k = _CYCLES[row]
        return (f[j, row] + moved[j, row]) * c[k] - (f[k, row] + moved[k, row]) * c[j]
    i, j, k = next(cycle for cycle in _CYCLES if {row, column} == set(cycle[:2]))
    return (moved[j, j] - f[i, i]) * c[k] + f[k, i] * c[i] - moved[k, j] * c[j]


def _rotate_matrix(rotation: Rotation, matrix: Array, symmetric: bool) -> Array:
    """Record Q A Q^T for a rotation Q and a matrix A, by two plane rotations.

    The product costs 16 multiplications and 16 additions if A is symmetric, else 24 and 22.
    """
    half = _rotate_in_plane(
        rotation.constant[1, 1], rotation.constant[2, 1], matrix, (1, 2, 0), symmetric
    )
    return _rotate_in_plane(rotation.joint[0, 0], rotation.joint[1, 0], half, (0, 1, 2), symmetric)


def _rotate_in_plane(
    cosine: Any, sine: Any, matrix: Array, axes: tuple[int, int, int], symmetric: bool
) -> Array:
    """Record R A R^T for a 3 x 3 matrix A and a rotation R about the last axis of `axes`.

    `cosine` and `sine` belong to the angle of R. With `symmetric`, the matrix A is symmetric.
    """
    i, j, k = axes
    made = matrix.copy()
    # c^2 a_ii - c s (a_ij + a_ji) + s^2 a_jj is a_ii - s u; the other elements are similar.
    u = sine * (matrix[i, i] - matrix[j, j]) + cosine * (matrix[i, j] + matrix[j, i])
    along, across = sine * u, cosine * u
    made[i, i], made[j, j] = matrix[i, i] - along, matrix[j, j] + along
    made[i, j] = across - matrix[j, i]
    made[j, i] = made[i, j] if symmetric else across - matrix[i, j]
    made[i, k], made[j, k] = _rotate_pair(cosine, sine, matrix[i, k], matrix[j, k])
    made[k, i], made[k, j] = (
        (made[i, k], made[j, k])
        if symmetric
        else _rotate_pair(cosine, sine, matrix[k, i], matrix[k, j])
    )
    return made


def _rotate_pair(cosine: Any, sine: Any, x: Any, y: Any) -> tuple[Any, Any]:
    return cosine * x - sine * y, sine * x + cosine * y


@dataclass(frozen=True)
class _Halves:
    """Vector of six numbers, angular half first: a twist, a wrench or a column of an inertia."""

    top: Array
    bottom: Array

    def __add__(self, other: _Halves) -> _Halves:
        return _Halves(self.top + other.top, self.bottom + other.bottom)

    def scaled(self, factor: Scalar) -> _Halves:
        """Record the product of the vector and a number."""
        return _Halves(self.top * factor, self.bottom * factor)

    def dot(self, other: _Halves) -> Any:
        """Record the scalar product of this vector and another vector of six numbers."""
        return self.top @ other.top + self.bottom @ other.bottom


_ZERO = _Halves(0 * Z, 0 * Z)


@dataclass(frozen=True)
class _Joint:
    """Geometry of a joint and its link, in frame i.

    The rotation Q maps coordinates in frame i + 1 to coordinates in frame i. The displacement c
    leads from the link's centre of mass to its parent's centre of mass (m); for link 1, to origin
    1. The axis is p of eq. 5 of Saha (2003), the twist of the centre of mass at unit joint
    velocity. With the joint axis e, and d from origin i to the centre of mass, p is (e, cross(e,
    d)) for a revolute joint and (0, e) for a prismatic joint.
    """

    rotation: Rotation
    displacement: Array
    axis: _Halves


def record_saha(tape: Tape, chain: Chain, motion: JointMotion) -> Sequence[Scalar]:
    """Record forward dynamics of Saha (2003), section 3; return n joint accelerations.

    Args:
        tape: recorder of the algorithm's operations.
        chain: robot in standard Denavit-Hartenberg frames.
        motion: joint positions, velocities and forces.

    Returns:
        Joint accelerations (rad/s^2 or m/s^2), in the order of the joints from the base.
    """
    # C qd and gravity are the joint forces at zero acceleration, eq. 1.
    rest = tuple(tape.number(0) for _ in chain.links)
    bias = record_angeles(tape, chain, JointMotion(motion.q, motion.qd, rest))
    phi = [tau - taken for tau, taken in zip(motion.tau, bias, strict=True)]
    joints = _record_joints(tape, chain, motion.q)
    inertia: ArticulatedInertia | None = None
    eta, psis, tilde = _ZERO, [], []
    for index, (link, joint) in reversed(list(enumerate(zip(chain.links, joints, strict=True)))):
        if inertia is None:
            inertia = last_inertia(tape, link, joint.rotation)
        else:
            inertia = rotated(
                joint.rotation, seen_inward(tape, link, inertia, joints[index + 1].displacement)
            )
            # End of step A.9, for the next link inwards.
            eta = _Halves(joint.rotation.inward(eta.top), joint.rotation.inward(eta.bottom))
        hat = _Halves(*inertia.times(joint.axis.top, joint.axis.bottom))  # step A.4
        pivot = joint.axis.dot(hat)  # step A.5
        if link.motor_inertia:  # adds to the diagonal of the mass matrix, so to this pivot alone
            pivot = pivot + tape.number(link.motor_inertia)
        psi = _Halves(hat.top / pivot, hat.bottom / pivot)  # step A.6
        tau = phi[index] - joint.axis.dot(eta)  # step A.10
        psis.append(psi)
        tilde.append(tau / pivot)  # solution B
        if index:  # the base needs neither inertia nor wrench
            inertia = reduced(inertia, hat.top, hat.bottom, psi.top, psi.bottom)
            eta = psi.scaled(tau) + eta  # step A.8
            eta = _Halves(eta.top + cross(eta.bottom, joint.displacement), eta.bottom)  # step A.9
    accelerations, mu = [], _ZERO
    for joint, psi, relative in zip(joints, reversed(psis), reversed(tilde), strict=True):
        mu = _Halves(mu.top, mu.bottom + cross(joint.displacement, mu.top))  # step C.3
        acceleration = relative - psi.dot(mu)  # step C.1
        mu = joint.axis.scaled(acceleration) + mu  # step C.2
        # End of step C.2: from frame i to frame i + 1.
        mu = _Halves(joint.rotation.outward(mu.top), joint.rotation.outward(mu.bottom))
        accelerations.append(acceleration)
    return accelerations


def _record_joints(tape: Tape, chain: Chain, q: Sequence[Scalar]) -> list[_Joint]:
    """Record rotation, displacement and axis of every joint (Saha 2003, steps A.1 and A.2)."""
    joints = []
    before: Array = 0 * Z
    for link, position in zip(chain.links, q, strict=True):
        rotation = rotation_of(tape, link, position)
        # d, in frame i. Turned by alpha it is still constant, so that only the joint's plane
        # rotation is recorded: 4M + 2A, as step A.1 counts.
        centre = rotation.joint @ tape.array(
            make_screw_x(link.alpha, ZERO).rotate(add(link.step, link.centre_of_mass))
        )
        if link.joint.linear:
            centre = centre + Z * position
        axis = (
            _Halves(Z, np.array([-centre[1], centre[0], 0], dtype=object))
            if link.joint.angular
            else _Halves(0 * Z, Z)
        )
        joints.append(_Joint(rotation, before - centre, axis))
        before = tape.array(link.centre_of_mass)
    return joints
