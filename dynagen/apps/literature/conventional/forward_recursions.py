"""Forward dynamics as published: Saha's factorisation, and inertias of articulated bodies.

Inertias of articulated bodies, in blocks and in the fewest steps that symmetry allows: Saha, steps
A.3 and A.7.

The recursive forward dynamics of Saha, from the mass matrix as U D U^T: section 2.2 by the steps of
section 3.

Quantities of link i are about its centre of mass and in frame i of a standard Denavit-Hartenberg
table, whose z axis is that of joint i; frame i + 1 is fixed to the link. A twist or wrench has a
top (angular) and a bottom (linear) half. The forces that velocities and gravity take come from
Angeles's recursions. Two things that the equations have and the steps leave out are
here: a link's own inertia in step A.3b, and what of link 1 its pivot needs.
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
from dynagen.robot.pose import add, screw_x

_CYCLES = ((0, 1, 2), (1, 2, 0), (2, 0, 1))


@dataclass(frozen=True)
class ArticulatedInertia:
    """Eq. 16: [I F^T; F G] with I and G symmetric, about the centre of mass."""

    i: Array
    f: Array
    g: Array

    def times(self, top: Array, bottom: Array) -> tuple[Array, Array]:
        """The product with a twist, in two halves."""
        return self.i @ top + self.f.T @ bottom, self.f @ top + self.g @ bottom


def last_inertia(tape: Tape, link: Link, rotation: Rotation) -> ArticulatedInertia:
    """Step A.3a: of the last link, in frame n."""
    none = np.zeros((3, 3), dtype=int).astype(object)
    own = _rotated(rotation, tape.array(link.central_inertia), symmetric=True)
    return ArticulatedInertia(own, none, none + _diagonal(tape, link))


def seen_inward(tape: Tape, link: Link, outer: ArticulatedInertia, c: Array) -> ArticulatedInertia:
    """Add a link to the remainder of the next link (step A.3b).

    The centre of mass of the next is at -c. Both are in frame i + 1.

    With C the matrix of the vector product by c: G' = m 1 + G, F' = F + G C, I' = I_i + I + F^T C -
    C F'.
    """
    g = outer.g + _diagonal(tape, link)
    f = outer.f + _times_cross(outer.g, c)
    lever = _symmetric(lambda row, column: _lever(outer.f, f, c, row, column))
    own = tape.array(link.central_inertia)
    return ArticulatedInertia(
        _symmetric(
            lambda row, column: outer.i[row, column] + lever[row, column] + own[row, column]
        ),
        f,
        g,
    )


def rotated(rotation: Rotation, inertia: ArticulatedInertia) -> ArticulatedInertia:
    """The last part of step A.3b: from frame i + 1 to frame i."""
    return ArticulatedInertia(
        _rotated(rotation, inertia.i, symmetric=True),
        _rotated(rotation, inertia.f, symmetric=False),
        _rotated(rotation, inertia.g, symmetric=True),
    )


def reduced(
    inertia: ArticulatedInertia, hat_top: Array, hat_bottom: Array, top: Array, bottom: Array
) -> ArticulatedInertia:
    """Step A.7: the inertia without what is free to move with the joint."""
    return ArticulatedInertia(
        _symmetric(lambda row, column: inertia.i[row, column] - hat_top[row] * top[column]),
        inertia.f - np.outer(hat_bottom, top),
        _symmetric(lambda row, column: inertia.g[row, column] - hat_bottom[row] * bottom[column]),
    )


def _diagonal(tape: Tape, link: Link) -> Array:
    return np.diag([tape.number(link.inertial.mass)] * 3)


def _symmetric(entry: Callable[[int, int], Any]) -> Array:
    upper = {(row, column): entry(row, column) for row in range(3) for column in range(row, 3)}
    return np.array(
        [[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)], dtype=object
    )


def _times_cross(g: Array, c: Array) -> Array:
    """G C: every row of G times c, where three of the 18 products occur twice."""

    @cache
    def product(row: int, column: int, component: int) -> Any:
        return g[row, column] * c[component] if row <= column else product(column, row, component)

    return np.array(
        [[product(row, j, k) - product(row, k, j) for _, j, k in _CYCLES] for row in range(3)],
        dtype=object,
    )


def _lever(f: Array, moved: Array, c: Array, row: int, column: int) -> Any:
    """Compute an element of the symmetric matrix F^T C - C F'.

    A diagonal element costs 2M + 3A, any other 3M + 3A.
    """
    if row == column:
        _, j, k = _CYCLES[row]
        return (f[j, row] + moved[j, row]) * c[k] - (f[k, row] + moved[k, row]) * c[j]
    i, j, k = next(cycle for cycle in _CYCLES if {row, column} == set(cycle[:2]))
    return (moved[j, j] - f[i, i]) * c[k] + f[k, i] * c[i] - moved[k, j] * c[j]


def _rotated(rotation: Rotation, matrix: Array, symmetric: bool) -> Array:
    """Q A Q^T by two plane rotations: 16M + 16A if A is symmetric, else 24M + 22A."""
    half = _rotated_in_plane(
        rotation.constant[1, 1], rotation.constant[2, 1], matrix, (1, 2, 0), symmetric
    )
    return _rotated_in_plane(rotation.joint[0, 0], rotation.joint[1, 0], half, (0, 1, 2), symmetric)


def _rotated_in_plane(
    cosine: Any, sine: Any, matrix: Array, axes: tuple[int, int, int], symmetric: bool
) -> Array:
    i, j, k = axes
    made = matrix.copy()
    u = sine * (matrix[i, i] - matrix[j, j]) + cosine * (matrix[i, j] + matrix[j, i])
    along, across = sine * u, cosine * u
    made[i, i], made[j, j] = matrix[i, i] - along, matrix[j, j] + along
    made[i, j] = across - matrix[j, i]
    made[j, i] = made[i, j] if symmetric else across - matrix[i, j]
    made[i, k], made[j, k] = _rotated_pair(cosine, sine, matrix[i, k], matrix[j, k])
    made[k, i], made[k, j] = (
        (made[i, k], made[j, k])
        if symmetric
        else _rotated_pair(cosine, sine, matrix[k, i], matrix[k, j])
    )
    return made


def _rotated_pair(cosine: Any, sine: Any, x: Any, y: Any) -> tuple[Any, Any]:
    return cosine * x - sine * y, sine * x + cosine * y


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
    """Quantities Q, c and p of a link (eq. 5), where d is its centre of mass from origin i.

    c is the displacement from the link's centre of mass to the centre of mass of its parent.
    """

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
            inertia = rotated(
                joint.rotation, seen_inward(tape, link, inertia, joints[index + 1].displacement)
            )
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
        centre = rotation.joint @ tape.array(
            screw_x(link.alpha, ZERO).rotate(add(link.step, link.centre_of_mass))
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
