"""The natural orthogonal complement: numeric links and joint states -> the wrenches of joints, by products of matrices.

J. Angeles, S. K. Lee, "The Formulation of Dynamical Equations of Holonomic Mechanical Systems Using a Natural Orthogonal
Complement", J. Applied Mechanics 55, 1988; J. Angeles, "Fundamentals of Robotic Mechanical Systems", section 7.5. The twists
of all links are t = T qd, and the wrenches that the motion of uncoupled links takes are w = M td + W M t (eqs. 7.47 to 7.58).
T = N_l N_d is decoupled: N_d has the twists of the joints, N_l hands twists outward (S. K. Saha, "Simulation of Industrial
Manipulators Based on the UDU^T Decomposition of Inertia Matrix", Multibody System Dynamics 9, 2003, eqs. 2 to 5). By virtual
work N_l^T hands wrenches inward: what the joints carry is N_l^T w, and joint forces are N_d^T N_l^T w.

A twist is (v, w), a wrench (f, n); both are in base axes and about the origin of their link's frame, six entries a link, fixed
links included. Nothing is differentiated but T, by a complex step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynagen.verification.frames import FrameReference
from dynagen.verification.kinematics import Array, Coordinates, NumericLink, joint_frames
from dynagen.verification.newton_euler import point_inertia
from dynagen.verification.wrenches import ReactionReference

_STEP = 1e-30  # of complex differentiation
_BLOCK = 64  # states at once: N_l has 36 entries for every pair of links


@dataclass(frozen=True)
class OrthogonalComplement(ReactionReference):
    """What the joints of a robot carry, by the decoupled natural orthogonal complement."""

    def wrenches(self, q: Array, qd: Array, qdd: Array, *wrench: Array) -> Array:
        """As of `ReactionReference`, for states in one row."""
        state = self.coordinates.positions(q), *map(self.coordinates.rates, (qd, qdd)), *wrench
        blocks = (
            tuple(values[first : first + _BLOCK] for values in state)
            for first in range(0, len(q), _BLOCK)
        )
        return np.concatenate([self._wrenches(*block) for block in blocks])

    def _wrenches(self, q: Array, qd: Array, qdd: Array, *wrench: Array) -> Array:
        taken = body_wrenches(self.links, self.gravity, q, qd, qdd)
        for number, frame in enumerate(self.wrench_frames):
            taken = taken - exerted(
                self.links, frame, q, wrench[0][..., 6 * number : 6 * number + 6]
            )
        carried = np.einsum("...ji,...j->...i", propagation(self.links, q), taken)
        in_base = carried.reshape(*q.shape[:-1], len(self.links), 2, 3)
        rotations = np.stack(
            [
                pose[..., :3, :3] + np.zeros((*q.shape[:-1], 1, 1))
                for pose in joint_frames(self.links, q)[1]
            ],
            -3,
        )
        moving = [position for position, link in enumerate(self.links) if link.variable is not None]
        in_links: Array = np.einsum("...lji,...lpj->...lpi", rotations, in_base)[..., moving, :, :]
        return in_links.reshape(*q.shape[:-1], len(moving), 6)


def propagation(links: Sequence[NumericLink], q: Array) -> Array:
    """N_l: what the twists of links add to the twists of those that they carry, shape (..., 6 links, 6 links).

    Its blocks are B_ij, which takes a twist from the origin of link j to that of link i, for every link j on the way from the
    base to i, i itself among them.
    """
    origins, count = _origins(links, q), len(links)
    matrix = np.zeros((*q.shape[:-1], count, 6, count, 6), dtype=origins.dtype)
    for outer in range(count):
        inner: int | None = outer
        while inner is not None:
            matrix[..., outer, :, inner, :] = np.eye(6)
            matrix[..., outer, :3, inner, 3:] = -_cross_matrix(
                origins[..., outer, :] - origins[..., inner, :]
            )
            inner = links[inner].parent
    return matrix.reshape(*q.shape[:-1], 6 * count, 6 * count)


def joint_twists(links: Sequence[NumericLink], q: Array) -> Array:
    """N_d: the twist that the rates of its own joint give a link, in its block of rows, shape (..., 6 links, n)."""
    (joints, poses), origins = joint_frames(tuple(links), q), _origins(links, q)
    rates = sum(link.rates.stop - link.rates.start for link in links if link.variable is not None)
    matrix = np.zeros((*q.shape[:-1], len(links), 6, rates), dtype=origins.dtype)
    for position, link in enumerate(links):
        if link.is_free:
            axes = poses[position][..., :3, :3]
            columns = matrix[..., position, :, link.rates]
            columns[..., :3, :3] = columns[..., 3:, 3:] = axes
        elif link.variable is not None:
            axis = joints[position][..., :3, :3] @ link.axis
            lever = origins[..., position, :] - joints[position][..., :3, 3]
            matrix[..., position, :3, link.variable] = (
                link.angular * np.cross(axis, lever) + link.linear * axis
            )
            matrix[..., position, 3:, link.variable] = link.angular * axis
    return matrix.reshape(*q.shape[:-1], 6 * len(links), rates)


def shaping(links: Sequence[NumericLink], q: Array) -> Array:
    """T = N_l N_d, the twist-shaping matrix: t = T qd (eq. 7.54), shape (..., 6 links, n)."""
    product: Array = propagation(links, q) @ joint_twists(links, q)
    return product


def link_inertias(links: Sequence[NumericLink], q: Array) -> Array:
    """The blocks of M: of every link its inertia about its frame's origin, in base axes, shape (..., links, 6, 6)."""
    blocks = np.zeros((*q.shape[:-1], len(links), 6, 6))
    for position, (link, pose) in enumerate(
        zip(links, joint_frames(tuple(links), q)[1], strict=True)
    ):
        body, rotation = point_inertia(link.inertial), pose[..., :3, :3]
        to_point = _cross_matrix(body.point)
        first_moment = _cross_matrix(rotation @ (body.mass * body.point + body.first_moment))
        about_origin = body.inertia - body.mass * to_point @ to_point
        blocks[..., position, :3, :3] = body.mass * np.eye(3)
        blocks[..., position, :3, 3:] = -first_moment
        blocks[..., position, 3:, :3] = first_moment
        blocks[..., position, 3:, 3:] = rotation @ about_origin @ np.swapaxes(rotation, -1, -2)
    return blocks


def body_wrenches(
    links: Sequence[NumericLink], gravity: Array, q: Array, qd: Array, qdd: Array
) -> Array:
    """M td + W M t - w^G: the wrenches that motion and weight of uncoupled links take (eq. 7.48), shape (..., 6 links)."""
    twists = shaping(links, q)
    moved = Coordinates.free(links).moved(q, 1j * _STEP * qd)
    change = np.einsum("...ij,...j->...i", twists, qdd) + np.einsum(
        "...ij,...j->...i", shaping(links, moved).imag / _STEP, qd
    )
    t, td = (
        values.reshape(*q.shape[:-1], len(links), 6)
        for values in (np.einsum("...ij,...j->...i", twists, qd), change)
    )
    td = td - np.concatenate([gravity, np.zeros(3)])
    inertias, spin = link_inertias(links, q), t[..., 3:]
    momentum = np.einsum(
        "...lij,...lj->...li", inertias[..., 3:], spin
    )  # of the rotation alone, about the origin
    gyroscopic = np.cross(spin[..., None, :], momentum.reshape(*momentum.shape[:-1], 2, 3)).reshape(
        momentum.shape
    )
    wrenches: Array = np.einsum("...lij,...lj->...li", inertias, td) + gyroscopic
    return wrenches.reshape(*q.shape[:-1], 6 * len(links))


def exerted(links: Sequence[NumericLink], frame: FrameReference, q: Array, wrench: Array) -> Array:
    """The wrench that the surroundings exert at a frame, among the wrenches of all links, shape (..., 6 links)."""
    rotation, point = frame.with_free_joints.pose(q)
    force, moment = (
        (rotation @ wrench[..., part, None])[..., 0] for part in (slice(0, 3), slice(3, 6))
    )
    on_links = np.zeros((*q.shape[:-1], len(links), 6))
    lever = point - _origins(links, q)[..., frame.link, :]
    on_links[..., frame.link, :] = np.concatenate([force, moment + np.cross(lever, force)], axis=-1)
    return on_links.reshape(*q.shape[:-1], 6 * len(links))


def _origins(links: Sequence[NumericLink], q: Array) -> Array:
    """Origins of the frames of all links in the base frame, shape (..., links, 3)."""
    still = np.zeros((*q.shape[:-1], 3))
    return np.stack(
        [pose[..., :3, 3] + still for pose in joint_frames(tuple(links), q)[1]], axis=-2
    )


def _cross_matrix(vectors: Array) -> Array:
    """The matrices that multiply by vectors from the left, r x."""
    matrix: Array = np.cross(vectors[..., None, :], -np.eye(3))
    return matrix
