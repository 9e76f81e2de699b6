"""Expected joint forces of contacts, wrenches that joints carry, and centroidal momenta.

By virtual work, the joint forces that balance a wrench at a frame are minus the transposed Jacobian
times the wrench.

The wrench that a joint carries is computed by inverse dynamics: six joints at rest, one for each
direction, are inserted after the joint, and their forces are the components of the wrench.

Centre of mass and momenta are sums over all links, computed from each link's pose and Jacobian. A
link has the mass m, and the first moment s and the inertia J about a point. With the point's
velocity v and the link's angular velocity w, the linear momentum is m v + cross(w, s), and the
angular momentum about the point is J w + cross(s, v).
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
from dynagen.verification.kinematics import NumericLink, cache_results
from dynagen.verification.newton_euler import PointInertia

_FORCE_AND_MOMENT = (slice(0, 3), slice(3, 6))  # force and moment


def compute_joint_forces(frame: FrameReference, q: Array, wrench: Array) -> Array:
    """Return the joint forces (N m or N) that balance a wrench on the robot, shape (..., n).

    Args:
        frame: the frame at which the wrench acts.
        q: joint positions, shape (..., nq), which may be complex.
        wrench: force (N) and moment (N m) on the robot at the frame's origin, in the frame's axes,
            shape (..., 6).
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

    The result has the shape (..., n). The length of the force vector is used in place of each of
    its components in base axes; the moment is treated in the same way.
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

All joints are independent.
"""

WITHOUT_INERTIA = OriginInertia(ZERO, (ZERO,) * 3, (ZERO,) * 6)
_DIRECTIONS = 6  # along x, y, z and about them


@dataclass(frozen=True)
class ReactionReference:
    """Wrenches that the joints of a robot carry, by virtual work.

    Attributes:
        links: links of the robot.
        dynamics: function (links, frames, q, qd, qdd, wrenches at the frames) that returns the
            joint forces of independent joints, or for each joint force the sum of the magnitudes of
            its terms.
        gravity: acceleration of gravity in the base frame, m/s^2, shape (3,).
        wrench_frames: the frames at which external wrenches and contact forces act.
        coordinates: relation between q, v and all joints of the robot.
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
            wrench: nothing, or one array (..., 6 k) with force and moment at the k frames
                `wrench_frames`, in their axes.
        """
        motion = (*self.coordinates.compute_motion(q, qd, qdd), *wrench)
        at = tuple(frame.with_free_joints for frame in self.wrench_frames)
        moving = [position for position, link in enumerate(self.links) if link.variable is not None]
        return np.stack([self._wrench(position, at, motion) for position in moving], axis=-2)

    def _wrench(
        self, position: int, at: tuple[FrameReference, ...], motion: tuple[Array, ...]
    ) -> Array:
        """Compute the force and moment that a link, given by its index, receives by its joint.

        `at` are the frames at which external wrenches act. `motion` contains the variables,
        velocities and accelerations of all joints, and the external wrenches, if any.
        """
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
        q: variables of all joints, shape (..., joint variables).
        qd: velocities of all joints, shape (..., joint velocities).
        qdd: accelerations of all joints, shape (..., joint velocities).
        wrench: nothing, or one array (..., 6 k) with force and moment at the k frames `at`, in
            their axes.
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
    """Return a massless link whose joint moves along or about one axis of the preceding link.

    `number` selects the axis: 0 to 2 for translations along x, y, z, and 3 to 5 for rotations. The
    link with the index `position` carries the first of six such links. `variables` and `velocities`
    are the indices of the first link's joint variable and joint velocity.
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
        links: for every moving link, a frame and the inertial data of the link about the frame's
            origin. The frame has the axes of the link.
    """

    links: Sequence[tuple[FrameReference, PointInertia]]

    @cached_property
    def mass(self) -> float:
        """Total mass of all moving links, kg."""
        return sum(inertia.mass for _, inertia in self.links)

    def compute_position(self, q: Array) -> Array:
        """Return the centre of mass of all moving links in the base frame (m), shape (..., 3)."""
        moments = np.zeros((*q.shape[:-1], 3))
        for frame, inertia in self.links:
            rotation, point = frame.compute_pose(q)
            moments = moments + inertia.mass * point + rotation @ inertia.first_moment
        return moments / self.mass

    def compute_jacobian(self, q: Array) -> Array:
        """Return the Jacobian of the centre of mass in base axes, shape (..., 3, n).

        The Jacobian times the joint velocities is the velocity of the centre of mass (m/s).
        """
        return self.compute_momentum_matrix(q)[..., :3, :] / self.mass

    def compute_momentum_matrix(self, q: Array) -> Array:
        """Return the momenta of the robot per unit of every entry of v, shape (..., 6, n).

        Rows 0 to 2 are the linear momentum (kg m/s), rows 3 to 5 the angular momentum about the
        centre of mass (kg m^2/s), in base axes.
        """
        return self._momentum_matrix(q)

    @cached_property
    def _momentum_matrix(self) -> Callable[..., Array]:
        """Function that returns the momenta per unit of every entry of v, with a cache."""
        return cache_results(self._compute_momenta)

    def _compute_momenta(self, q: Array) -> Array:
        """Compute the momenta per unit of every entry of v, shape (..., 6, n)."""
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
        """Return an upper bound for each coordinate of the centre of mass (m), shape (..., 3).

        The bound is at least the sum of the magnitudes of the coordinate's terms.
        """
        bounds = np.zeros((*q.shape[:-1], 3))
        for frame, inertia in self.links:
            bounds = bounds + abs(inertia.mass) * frame.compute_pose_magnitudes(q)[1]
            bounds = bounds + np.linalg.norm(inertia.first_moment)
        return bounds / abs(self.mass)

    def compute_jacobian_magnitudes(self, q: Array) -> Array:
        """Return an upper bound for each element of the centre of mass's Jacobian, (..., 3, n).

        The bound is at least the sum of the magnitudes of the element's terms.
        """
        return self.compute_momentum_magnitudes(q)[..., :3, :] / abs(self.mass)

    def compute_momentum_magnitudes(self, q: Array) -> Array:
        """Return an upper bound for each element of `compute_momentum_matrix`, shape (..., 6, n).

        The bound is at least the sum of the magnitudes of the element's terms.
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

    An entry may be nonzero if the entries of v for its row and column move a common link. The pairs
    are sorted.
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
        pairs: result of `list_coordinate_pairs`.
        state: the entries of M in the order of `pairs`, then h; shape (..., len(pairs) + n).
        qdd: joint accelerations, shape (..., n).
    """
    n = qdd.shape[-1]
    matrix = np.zeros((*state.shape[:-1], n, n), dtype=state.dtype)
    for index, (row, column) in enumerate(pairs):
        matrix[..., row, column] = matrix[..., column, row] = state[..., index]
    forces: Array = np.einsum("...ij,...j->...i", matrix, qdd) + state[..., len(pairs) :]
    return forces
