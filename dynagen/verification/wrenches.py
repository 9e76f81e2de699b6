"""Expected joint forces of contacts, wrenches that joints carry, and centroidal momenta.

By virtual work, the joint forces that balance a wrench at a frame are minus the transposed Jacobian
times the wrench.

By virtual work, inverse dynamics also yields the wrench that a joint carries. Six joints at rest,
one for each direction, are inserted beyond the joint, and inverse dynamics returns their forces.
Therefore any implementation of inverse dynamics can compute the wrenches that joints carry.

Centre of mass and momenta are sums over all links, computed from each link's pose and Jacobian.
A link with mass m, first moment s and inertia J about a point has the linear momentum m v + w x s,
and the angular momentum J w + s x v about the point, with the point's velocity v, the link's
angular velocity w and the cross product x.

The functions `list_coordinate_pairs` and `compute_two_rate_forces` define the state that
`background` passes to `synchronous`: the order of the state's elements, and the joint forces that
the state represents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import ZERO
from dynagen.robot.description import OriginInertia
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.frames import FrameReference
from dynagen.verification.kinematics import (
    NumericLink,
)
from dynagen.verification.newton_euler import PointInertia

_FORCE_AND_MOMENT = (slice(0, 3), slice(3, 6))  # force and moment


def compute_joint_forces(frame: FrameReference, q: Array, wrench: Array) -> Array:
    """Return the joint forces (N m or N) that balance a wrench on the robot, shape (..., n).

    Args:
        frame: the frame at which the wrench acts.
        q: joint positions, shape (..., nq); with complex positions the result is complex.
        wrench: force (N) and moment (N m) in the frame's axes, exerted on the robot at the frame's
            origin, shape (..., 6).
    """
    rotation, _ = frame.compute_pose(q)
    # The wrench is given in the frame's axes, the Jacobian in base axes.
    in_base = np.concatenate(
        [(rotation @ wrench[..., part, None])[..., 0] for part in _FORCE_AND_MOMENT], axis=-1
    )
    forces: Array = -np.einsum("...ij,...i->...j", frame.compute_axes_jacobian(q), in_base)
    return forces


def compute_term_magnitudes(frame: FrameReference, q: Array, wrench: Array) -> Array:
    """Return, for each joint force of `compute_joint_forces`, the sum of its terms' magnitudes.

    The result has shape (..., n). Each component of the force and of the moment in base axes counts
    with the length of the vector. q are positions, shape (..., nq). `wrench`, shape (..., 6), is
    force (N) and moment (N m) in the axes of the frame.
    """
    in_base = np.concatenate(
        [
            np.linalg.norm(wrench[..., part], axis=-1, keepdims=True) + np.zeros(3)
            for part in _FORCE_AND_MOMENT
        ],
        -1,
    )
    magnitudes: Array = np.einsum("...ij,...i->...j", frame.compute_jacobian_magnitudes(q), in_base)
    return magnitudes


Dynamics = Callable[..., Array]
"""Inverse dynamics of links: (links, wrench frames, q, qd, qdd[, wrenches]) -> tau, shape (..., n).

All joints are independent: q, qd and qdd contain the positions, velocities and accelerations of all
joints, and tau their n forces.
"""

WITHOUT_INERTIA = OriginInertia(ZERO, (ZERO,) * 3, (ZERO,) * 6)
_DIRECTIONS = 6  # along x, y, z and about them


@dataclass(frozen=True)
class ReactionReference:
    """Wrenches that the joints of a robot carry, by virtual work.

    Attributes:
        links: links of the robot.
        dynamics: function (links, frames, q, qd, qdd, wrenches at the frames) that returns joint
            forces, or for each joint force the sum of the magnitudes of its terms.
        gravity: acceleration of gravity for `dynamics`, in the base frame, m/s^2, shape (3,).
        wrench_frames: the frames at which external wrenches and contact forces act.
        coordinates: relation between q, v and the motions of all joints; the joints of `dynamics`
            are independent instead.
    """

    links: tuple[NumericLink, ...]
    dynamics: Dynamics
    gravity: Array
    wrench_frames: tuple[FrameReference, ...]
    coordinates: Coordinates

    def compute_wrenches(self, q: Array, qd: Array, qdd: Array, *wrench: Array) -> Array:
        """Return the force (N) and moment (N m) of every joint on its link, shape (..., joints, 6).

        Wrenches are in the axes of the link's frame, with the moment about the frame's origin.
        Motor inertias do not contribute.

        Args:
            q: positions, shape (..., nq).
            qd: velocities, shape (..., n).
            qdd: accelerations, shape (..., n).
            wrench: one array (..., 6 k) with force and moment at the k frames `wrench_frames`, in
                their axes; left out if none acts.
        """
        motion = (*self.coordinates.compute_motion(q, qd, qdd), *wrench)
        at = tuple(frame.with_free_joints for frame in self.wrench_frames)
        moving = [position for position, link in enumerate(self.links) if link.variable is not None]
        return np.stack([self._wrench(position, at, motion) for position in moving], axis=-2)

    def _wrench(
        self, position: int, at: tuple[FrameReference, ...], motion: tuple[Array, ...]
    ) -> Array:
        """Compute the wrench on one link by its joint."""
        link = self.links[position]
        if link.is_free:  # all directions are free, so the joint's forces are the wrench
            return self.dynamics(self.links, at, *motion)[..., link.columns]
        return compute_reaction(self.dynamics, self.links, at, position, link.after, *motion)


def compute_reaction(
    dynamics: Dynamics,
    links: tuple[NumericLink, ...],
    at: Sequence[FrameReference],
    position: int,
    behind: Array,
    q: Array,
    qd: Array,
    qdd: Array,
    *wrench: Array,
) -> Array:
    """Return the force (N) and moment (N m) that a link receives by its joint, shape (..., 6).

    Args:
        dynamics: function (links, frames, q, qd, qdd, wrench) that returns joint forces.
        links: links of the robot.
        at: the frames at which external wrenches act.
        position: index of the link in `links`.
        behind: pose, 4 x 4, of a frame in the frame after the joint's motion. The result is in the
            axes of this frame, with the moment about its origin.
        q: positions of all joints, shape (..., joint variables).
        qd: velocities of all joints, shape (..., joint velocities).
        qdd: accelerations of all joints, shaped as qd.
        wrench: one array (..., 6 k) with force and moment at the k frames `at`, in their axes; left
            out if none acts.
    """
    link = links[position]
    # The link becomes a chain: the joint's own link without inertia, six held joints, and the
    # inertia at the end. All links after it move up by six positions.
    chain = [replace(link, after=behind, inertial=WITHOUT_INERTIA)]
    chain += [
        _make_held_joint(position, number, q.shape[-1], qd.shape[-1])
        for number in range(_DIRECTIONS)
    ]
    # The last frame of the chain coincides with the link's own frame.
    chain[-1] = replace(chain[-1], after=np.linalg.inv(behind) @ link.after, inertial=link.inertial)
    beyond = tuple(
        outer
        if outer.parent is None
        else replace(outer, parent=outer.parent + _DIRECTIONS * (outer.parent >= position))
        for outer in links[position + 1 :]
    )
    longer = (*links[:position], *chain, *beyond)
    on_longer = tuple(
        replace(
            frame, links=longer, link=frame.link + _DIRECTIONS * (frame.link >= position)
        ).with_free_joints
        for frame in at
    )
    held = [
        np.concatenate([values, np.zeros((*values.shape[:-1], _DIRECTIONS))], axis=-1)
        for values in (q, qd, qdd)
    ]
    # The held joints have the last six variables.
    return dynamics(longer, on_longer, *held, *wrench)[..., -_DIRECTIONS:]


def _make_held_joint(position: int, number: int, variables: int, velocities: int) -> NumericLink:
    """Return a link without inertia, with a joint along or about one axis of the preceding link.

    The joint `number` is 0 to 5: translations along x, y, z, then rotations about x, y, z. The
    first of these joints is carried by the link `position`.
    """
    return NumericLink(
        parent=position + number,
        variable=velocities + number,
        place=variables + number,
        axis=np.eye(3)[number % 3],
        angular=float(number // 3),
        linear=float(1 - number // 3),
        before=np.eye(4),
        after=np.eye(4),
        axis_frame=np.eye(4),
        inertial=WITHOUT_INERTIA,
        motor_inertia=0.0,
    )


@dataclass(frozen=True)
class CentroidalReference:
    """Centre of mass and momenta of all moving links.

    Attributes:
        links: for every moving link, a frame and the link's inertial data. The frame has the axes
            of the link, and its origin is the reference point of the inertial data.
    """

    links: Sequence[tuple[FrameReference, PointInertia]]

    @cached_property
    def mass(self) -> float:
        """Total mass of all moving links, kg."""
        return sum(inertia.mass for _, inertia in self.links)

    def compute_position(self, q: Array) -> Array:
        """Return the centre of mass of all moving links in the base frame, m, shape (..., 3).

        q are joint positions, shape (..., nq).
        """
        moments = np.zeros((*q.shape[:-1], 3))
        for frame, inertia in self.links:
            rotation, point = frame.compute_pose(q)
            moments = moments + inertia.mass * point + rotation @ inertia.first_moment
        return moments / self.mass

    def compute_jacobian(self, q: Array) -> Array:
        """Return the Jacobian of the centre of mass in base axes, shape (..., 3, n).

        Its product with joint velocities is the velocity of the centre of mass (m/s). q are joint
        positions, shape (..., nq).
        """
        return self.compute_momentum_matrix(q)[..., :3, :] / self.mass

    def compute_momentum_matrix(self, q: Array) -> Array:
        """Return the momenta of the robot per unit of every entry of v, shape (..., 6, n).

        In base axes, rows 0 to 2 are the linear momentum (kg m/s), rows 3 to 5 the angular momentum
        about the centre of mass (kg m^2/s). The columns are the n entries of v. q are joint
        positions, shape (..., nq).
        """
        com, total = self.compute_position(q), np.zeros(1)
        for frame, inertia in self.links:
            rotation, point = frame.compute_pose(q)
            jacobian = frame.compute_jacobian(q)
            v, w = jacobian[..., :3, :], jacobian[..., 3:, :]
            first_moment = (rotation @ inertia.first_moment)[..., None]
            tensor = rotation @ inertia.inertia @ np.swapaxes(rotation, -1, -2)  # in base axes
            # Momentum about the body's point, then moved to the centre of mass.
            linear = inertia.mass * v + np.cross(w, first_moment, axis=-2)
            angular = tensor @ w + np.cross(first_moment, v, axis=-2)
            angular = angular + np.cross((point - com)[..., None], linear, axis=-2)
            total = total + np.concatenate([linear, angular], axis=-2)
        matrix: Array = total
        return matrix

    def compute_position_magnitudes(self, q: Array) -> Array:
        """Return an upper bound for each coordinate of the centre of mass.

        The bound is at least the sum of the magnitudes of the coordinate's terms.

        Args:
            q: positions, shape (..., nq).

        Returns:
            One bound for each coordinate, m, shape (..., 3).
        """
        bounds = np.zeros((*q.shape[:-1], 3))
        for frame, inertia in self.links:
            bounds = bounds + abs(inertia.mass) * frame.compute_pose_magnitudes(q)[1]
            bounds = bounds + np.linalg.norm(inertia.first_moment)
        return bounds / abs(self.mass)

    def compute_jacobian_magnitudes(self, q: Array) -> Array:
        """Return an upper bound for each element of the centre of mass's Jacobian, (..., 3, n).

        The bound is at least the sum of the magnitudes of the element's terms. Rounding errors are
        proportional to the bounds. q are joint positions, shape (..., nq).
        """
        return self.compute_momentum_magnitudes(q)[..., :3, :] / abs(self.mass)

    def compute_momentum_magnitudes(self, q: Array) -> Array:
        """Return an upper bound for each element of the momentum matrix, shape (..., 6, n).

        The bound is at least the sum of the magnitudes of the element's terms. Rounding errors are
        proportional to the bounds. q are joint positions, shape (..., nq).
        """
        com, total = np.linalg.norm(self.compute_position_magnitudes(q), axis=-1), np.zeros(1)
        for frame, inertia in self.links:
            bounds = frame.compute_jacobian_magnitudes(q)
            first_moment = float(np.linalg.norm(inertia.first_moment))
            v, w = bounds[..., :3, :], bounds[..., 3:, :]
            linear = abs(inertia.mass) * v + first_moment * w
            reach = (np.linalg.norm(frame.compute_pose_magnitudes(q)[1], axis=-1) + com)[
                ..., None, None
            ]
            angular = float(np.linalg.norm(inertia.inertia)) * w + first_moment * v + reach * linear
            total = total + np.concatenate([linear, angular], axis=-2)
        matrix: Array = total
        return matrix


def list_coordinate_pairs(
    links: tuple[NumericLink, ...], coordinates: Coordinates
) -> tuple[tuple[int, int], ...]:
    """Return (row, column) of all entries in the mass matrix's lower triangle that may be nonzero.

    An entry may be nonzero if its two entries of v move a common link. Pairs are in ascending
    order.

    Args:
        links: links of the robot.
        coordinates: relation between entries of v and joints.
    """
    moving: list[set[int]] = []
    pairs = set()
    for link in links:
        moving.append(set() if link.parent is None else set(moving[link.parent]))
        if link.variable is not None:
            moving[-1].update(coordinates.index[link.columns])
        pairs |= {(row, column) for row in moving[-1] for column in moving[-1] if column <= row}
    return tuple(sorted(pairs))


def compute_two_rate_forces(pairs: tuple[tuple[int, int], ...], state: Array, qdd: Array) -> Array:
    """Return the joint forces M qdd + h, shape (..., n), from a state of the two-rate computation.

    M is the mass matrix, and h are the bias forces.

    Args:
        pairs: (row, column) of entries of M, as `list_coordinate_pairs` returns them.
        state: the entries of M in the order of `pairs`, then h; shape (..., len(pairs) + n).
        qdd: joint accelerations, shape (..., n).
    """
    n = qdd.shape[-1]
    matrix = np.zeros((*state.shape[:-1], n, n), dtype=state.dtype)
    for index, (row, column) in enumerate(pairs):
        matrix[..., row, column] = matrix[..., column, row] = state[..., index]
    forces: Array = np.einsum("...ij,...j->...i", matrix, qdd) + state[..., len(pairs) :]
    return forces
