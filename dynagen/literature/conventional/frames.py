"""From link to link: the rotation and the displacement from the axes of a link to those of the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynagen.literature.conventional.chain import Link
from dynagen.literature.conventional.tape import Array, Scalar, Tape

Z = np.array([0, 0, 1], dtype=object)
"""The joint axis in axes whose z axis it is."""


def coriolis(w: Array, rate: Scalar) -> Array:
    """The vector product w x rate z, by two multiplications."""
    return np.array([rate * w[1], -(rate * w[0]), 0], dtype=object)


def joint_rotation(tape: Tape, link: Link, q: Scalar) -> Array:
    """The rotation of a joint: elements of Rz, where zeros and ones are left out of what is computed with them."""
    if not link.joint.angular:
        return rotation_z(tape.number(link.theta.cos), tape.number(link.theta.sin))
    quarters = link.theta.quarter_turns
    sine, cosine = tape.sine_cosine(q if quarters is not None else q + tape.number(link.theta.radians))
    for _ in range(quarters or 0):
        sine, cosine = cosine, -sine
    return rotation_z(cosine, sine)


def twist(tape: Tape, link: Link) -> Array:
    """The constant rotation by alpha: elements of Rx."""
    cosine, sine = tape.number(link.alpha.cos), tape.number(link.alpha.sin)
    return np.array([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]], dtype=object)


def rotation_z(cosine: Scalar, sine: Scalar) -> Array:
    """Rotation about z."""
    return np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]], dtype=object)


def displacement(tape: Tape, link: Link, q: Scalar) -> Array:
    """The displacement from the origin of the link before to that of the link: constant, unless the joint slides."""
    step = tape.array(link.step)
    if not link.joint.linear:
        return step
    return np.asarray(step + joint_axis(tape, link) * q, dtype=object)


def joint_axis(tape: Tape, link: Link) -> Array:
    """The joint's axis in the axes of the link before (modified) or in the link's own (standard), where x is always zero."""
    _, y, z = link.axis
    return np.array([0, tape.number(y), tape.number(z)], dtype=object)


@dataclass(frozen=True)
class Rotation:
    """Q, from a link's standard axes to those of the link before, in two factors: a vector takes 8M + 4A.

    Angeles, eqs. 7.23 and 7.24.
    """

    joint: Array
    constant: Array

    def inward(self, vector: Array) -> Array:
        """Q v."""
        return np.asarray(self.joint @ (self.constant @ vector), dtype=object)

    def outward(self, vector: Array) -> Array:
        """Q^T v."""
        return np.asarray(self.constant.T @ (self.joint.T @ vector), dtype=object)


def rotation_of(tape: Tape, link: Link, q: Scalar) -> Rotation:
    """Q of a link."""
    return Rotation(joint_rotation(tape, link, q), twist(tape, link))
