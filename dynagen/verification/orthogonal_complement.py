"""Wrenches that joints carry, by the decoupled natural orthogonal complement.

The method is by Angeles and Lee, "The Formulation of Dynamical Equations of Holonomic Mechanical
Systems Using a Natural Orthogonal Complement", Journal of Applied Mechanics 55, 1988. Equation
numbers 7.x are those of Angeles, "Fundamentals of Robotic Mechanical Systems".

The twists of all links are t = T qd, with the joint velocities qd. The motion of the uncoupled
links requires the wrenches w = M td + W M t (eqs. 7.47 to 7.58). M contains the inertias, td is the
time derivative of t, and W contains the angular velocities. The matrix T is decoupled into T = N_l
N_d (Saha, "Simulation of Industrial Manipulators Based on the UDU^T Decomposition of Inertia
Matrix", Multibody System Dynamics 9, 2003, eqs. 2 to 5). N_d contains the twists of the joints, and
N_l propagates twists outward. By virtual work, the joints carry the wrenches N_l^T w, and the joint
forces are N_d^T N_l^T w.

A twist consists of linear and angular velocity, a wrench of force and moment. Twists and wrenches
are in base axes and about the origin of their link's frame. All vectors have six entries for each
link, including fixed links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynagen.numbers.arrays import Array
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.frames import FrameReference
from dynagen.verification.kinematics import (
    COMPLEX_STEP,
    NumericLink,
    compute_joint_frames,
    cross,
)
from dynagen.verification.newton_euler import make_point_inertia
from dynagen.verification.wrenches import ReactionReference

_BLOCK = 64  # states at once: N_l has 36 entries for every pair of links


@dataclass(frozen=True)
class OrthogonalComplement(ReactionReference):
    """Wrenches that the joints of a robot carry, by the natural orthogonal complement."""

    def compute_wrenches(self, q: Array, qd: Array, qdd: Array, *wrench: Array) -> Array:
        """Return force (N) and moment (N m) of every joint on its link, shape (..., joints, 6).

        Wrenches are in the axes of the link's frame, with the moment about the frame's origin.
        Motor inertias do not contribute.

        Args:
            q: positions, shape (states, nq).
            qd: velocities, shape (states, n).
            qdd: accelerations, shape (states, n).
            wrench: nothing, or one array (states, 6 k) with force and moment at the k frames
                `wrench_frames`, in their axes.
        """
        state = (*self.coordinates.compute_motion(q, qd, qdd), *wrench)
        blocks = (
            tuple(values[first : first + _BLOCK] for values in state)
            for first in range(0, len(q), _BLOCK)
        )
        return np.concatenate([self._wrenches(*block) for block in blocks])

    def _wrenches(self, q: Array, qd: Array, qdd: Array, *wrench: Array) -> Array:
        """Compute the wrenches that all joints carry, for one block of states.

        Each wrench is in the axes of the frame of the joint's link.
        """
        required = compute_body_wrenches(self.links, self.gravity, q, qd, qdd)
        for number, frame in enumerate(self.wrench_frames):
            required = required - compute_exerted_wrench(
                self.links, frame, q, wrench[0][..., 6 * number : 6 * number + 6]
            )
        # N_l^T w: each joint carries the wrenches of all links beyond it.
        carried = np.einsum("...ji,...j->...i", compute_propagation_matrix(self.links, q), required)
        in_base = carried.reshape(*q.shape[:-1], len(self.links), 2, 3)
        rotations = np.stack(
            [
                pose[..., :3, :3] + np.zeros((*q.shape[:-1], 1, 1))
                for pose in compute_joint_frames(self.links, q)[1]
            ],
            -3,
        )
        moving = [position for position, link in enumerate(self.links) if link.variable is not None]
        in_links: Array = np.einsum("...lji,...lpj->...lpi", rotations, in_base)[..., moving, :, :]
        return in_links.reshape(*q.shape[:-1], len(moving), 6)


def compute_propagation_matrix(links: Sequence[NumericLink], q: Array) -> Array:
    """Return N_l, the matrix that propagates twists from links to the links that they carry.

    The 6 x 6 block B_ij converts a twist about the origin of link j to a twist about the origin of
    link i. It is zero unless link j carries link i or is link i. q are the variables of all joints
    (rad or m), shape (..., joint variables).
    """
    origins, count = _origins(links, q), len(links)
    matrix = np.zeros((*q.shape[:-1], count, 6, count, 6), dtype=origins.dtype)
    for outer in range(count):
        inner: int | None = outer
        while inner is not None:
            matrix[..., outer, :, inner, :] = np.eye(6)
            # v_i = v_j + w x (p_i - p_j)
            matrix[..., outer, :3, inner, 3:] = -_cross_matrix(
                origins[..., outer, :] - origins[..., inner, :]
            )
            inner = links[inner].parent
    return matrix.reshape(*q.shape[:-1], 6 * count, 6 * count)


def compute_joint_twists(links: Sequence[NumericLink], q: Array) -> Array:
    """Return N_d, the twist of each link per unit velocity of its own joint, shape (..., k, n).

    N_d has k rows, 6 for each link, and a column for each of the n joint velocities. q are the
    variables of all joints (rad or m).
    """
    (joints, poses), origins = compute_joint_frames(tuple(links), q), _origins(links, q)
    n = sum(link.columns.stop - link.columns.start for link in links if link.variable is not None)
    matrix = np.zeros((*q.shape[:-1], len(links), 6, n), dtype=origins.dtype)
    for position, link in enumerate(links):
        if link.is_free:
            axes = poses[position][..., :3, :3]
            columns = matrix[..., position, :, link.columns]
            columns[..., :3, :3] = columns[..., 3:, 3:] = axes  # velocities in the link's axes
        elif link.is_spherical:
            # Axes behind the joint, as rows, and the lever from the joint to the link's origin.
            behind = poses[position][..., :3, :3] @ link.after[:3, :3].T
            axes = np.swapaxes(behind, -1, -2)
            lever = origins[..., position, :] - joints[position][..., :3, 3]
            columns = matrix[..., position, :, link.columns]
            columns[..., :3, :] = np.swapaxes(cross(axes, lever[..., None, :]), -1, -2)
            columns[..., 3:, :] = behind
        elif link.variable is not None:
            axis = joints[position][..., :3, :3] @ link.axis
            # From a point of the axis to the link's origin, about which the twist is.
            lever = origins[..., position, :] - joints[position][..., :3, 3]
            matrix[..., position, :3, link.variable] = (
                link.angular * cross(axis, lever) + link.linear * axis
            )
            matrix[..., position, 3:, link.variable] = link.angular * axis
    return matrix.reshape(*q.shape[:-1], 6 * len(links), n)


def compute_shaping_matrix(links: Sequence[NumericLink], q: Array) -> Array:
    """Return the matrix T from joint velocities to the twists of all links, shape (..., k, n).

    T is the twist-shaping matrix (Angeles, "Fundamentals of Robotic Mechanical Systems", eq. 7.54).
    It has k rows, 6 for each link. q are the variables of all joints (rad or m).
    """
    product: Array = compute_propagation_matrix(links, q) @ compute_joint_twists(links, q)
    return product


def make_link_inertias(links: Sequence[NumericLink], q: Array) -> Array:
    """Return the 6 x 6 inertias of all links about their frames' origins, (..., links, 6, 6).

    q are the variables of all joints (rad or m), shape (..., joint variables).
    """
    blocks = np.zeros((*q.shape[:-1], len(links), 6, 6))
    for position, (link, pose) in enumerate(
        zip(links, compute_joint_frames(tuple(links), q)[1], strict=True)
    ):
        body, rotation = make_point_inertia(link.inertial), pose[..., :3, :3]
        to_point = _cross_matrix(body.point)
        # Huygens and Steiner: mass and moments about the body's point, moved to the origin.
        first_moment = _cross_matrix(rotation @ (body.mass * body.point + body.first_moment))
        about_origin = body.inertia - body.mass * to_point @ to_point
        blocks[..., position, :3, :3] = body.mass * np.eye(3)
        blocks[..., position, :3, 3:] = -first_moment
        blocks[..., position, 3:, :3] = first_moment
        blocks[..., position, 3:, 3:] = rotation @ about_origin @ np.swapaxes(rotation, -1, -2)
    return blocks


def compute_body_wrenches(
    links: Sequence[NumericLink], gravity: Array, q: Array, qd: Array, qdd: Array
) -> Array:
    """Return the wrenches that motion and weight of uncoupled links require, (..., 6 links).

    The wrenches are M td + W M t - w^G (Angeles, "Fundamentals of Robotic Mechanical Systems", eq.
    7.48). M contains the inertias, t the twists of the links, td their time derivatives, W the
    angular velocities, and w^G the weights. The entries are force (N) and moment (N m) of each
    link.

    Args:
        links: links of the robot.
        gravity: acceleration of gravity in the base frame, m/s^2, shape (3,).
        q: variables of all joints, shape (..., joint variables).
        qd: velocities of all joints, shape (..., n).
        qdd: accelerations of all joints, shape (..., n).
    """
    twists = compute_shaping_matrix(links, q)
    # td = T qdd + dT/dt qd, with dT/dt from a complex step along qd.
    moved = Coordinates.from_links(links).move(q, 1j * COMPLEX_STEP * qd)
    change = np.einsum("...ij,...j->...i", twists, qdd) + np.einsum(
        "...ij,...j->...i", compute_shaping_matrix(links, moved).imag / COMPLEX_STEP, qd
    )
    t, td = (
        values.reshape(*q.shape[:-1], len(links), 6)
        for values in (np.einsum("...ij,...j->...i", twists, qd), change)
    )
    td = td - np.concatenate([gravity, np.zeros(3)])  # the weight as an acceleration upward
    inertias, spin = make_link_inertias(links, q), t[..., 3:]
    momentum = np.einsum(
        "...lij,...lj->...li", inertias[..., 3:], spin
    )  # of the rotation alone, about the origin
    gyroscopic = cross(spin[..., None, :], momentum.reshape(*momentum.shape[:-1], 2, 3)).reshape(
        momentum.shape
    )
    wrenches: Array = np.einsum("...lij,...lj->...li", inertias, td) + gyroscopic
    return wrenches.reshape(*q.shape[:-1], 6 * len(links))


def compute_exerted_wrench(
    links: Sequence[NumericLink], frame: FrameReference, q: Array, wrench: Array
) -> Array:
    """Return the wrenches on all links due to an external wrench at a frame, (..., 6 links).

    Args:
        links: all links, in the order of the result.
        frame: the frame at which the external wrench acts.
        q: variables of all joints, shape (..., joint variables).
        wrench: force (N) and moment about the frame's origin (N m), in the frame's axes, (..., 6).

    Returns:
        Force (N) and moment (N m) for each link, about the origin of its frame, in base axes. They
            are zero for all links except the link to which the frame is fixed.
    """
    rotation, point = frame.with_free_joints.compute_pose(q)
    force, moment = (
        (rotation @ wrench[..., part, None])[..., 0] for part in (slice(0, 3), slice(3, 6))
    )
    on_links = np.zeros((*q.shape[:-1], len(links), 6))
    # From the frame's origin to the origin of its link's frame.
    lever = point - _origins(links, q)[..., frame.link, :]
    on_links[..., frame.link, :] = np.concatenate([force, moment + cross(lever, force)], axis=-1)
    return on_links.reshape(*q.shape[:-1], 6 * len(links))


def _origins(links: Sequence[NumericLink], q: Array) -> Array:
    """Return the origins of all link frames in the base frame, shape (..., links, 3)."""
    still = np.zeros((*q.shape[:-1], 3))
    return np.stack(
        [pose[..., :3, 3] + still for pose in compute_joint_frames(tuple(links), q)[1]], axis=-2
    )


def _cross_matrix(vectors: Array) -> Array:
    """Return the cross-product matrices [r x] of vectors r, shape (..., 3, 3)."""
    matrix: Array = cross(vectors[..., None, :], -np.eye(3))
    return matrix
