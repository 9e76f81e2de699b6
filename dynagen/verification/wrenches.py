"""Wrenches: contact forces, the wrenches that joints carry, momenta about the centre of mass, and the two-rate state.

A wrench at a frame -> the joint forces that hold it, by virtual work: minus the transposed Jacobian times the wrench.

Numeric links and joint states -> the wrenches that joints carry, by virtual work, whatever computes inverse dynamics.

A joint that does not move is put behind another, once for every direction, and inverse dynamics says what that joint would
have to carry. Whoever computes inverse dynamics thus computes reactions too.

Links and their frames -> centre of mass and momenta of all that moves, link by link, each by its own pose and Jacobian.

Nothing is carried from link to link: a link's momentum is its mass times the velocity of its point, and its inertia times its
angular velocity, from the Jacobian at that point.

The state between `background` and `synchronous`, as arrays of numpy: its order, and the joint forces that it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dynagen.numbers.exact import ZERO
from dynagen.robot.description import OriginInertia
from dynagen.verification.frames import FrameReference
from dynagen.verification.kinematics import Array, Coordinates, NumericLink
from dynagen.verification.newton_euler import PointInertia

_PARTS = (slice(0, 3), slice(3, 6))  # force and moment


def joint_forces(frame: FrameReference, q: Array, wrench: Array) -> Array:
    """Joint forces that hold a wrench.

    Args:
        frame: where it acts.
        q: joint positions, shape (..., n); complex ones give complex results.
        wrench: force (N) and moment (N m) in the frame's axes, exerted on the robot at the frame's origin, shape (..., 6).
    """
    rotation, _ = frame.pose(q)
    in_base = np.concatenate(
        [(rotation @ wrench[..., part, None])[..., 0] for part in _PARTS], axis=-1
    )
    forces: Array = -np.einsum("...ij,...i->...j", frame.jacobian_of_axes(q), in_base)
    return forces


def term_magnitudes(frame: FrameReference, q: Array, wrench: Array) -> Array:
    """Sums of the magnitudes of their terms, where rotating changes no magnitude."""
    in_base = np.concatenate(
        [
            np.linalg.norm(wrench[..., part], axis=-1, keepdims=True) + np.zeros(3)
            for part in _PARTS
        ],
        -1,
    )
    magnitudes: Array = np.einsum("...ij,...i->...j", frame.jacobian_magnitudes(q), in_base)
    return magnitudes


Dynamics = Callable[..., Array]
"""Inverse dynamics of links: (links, frames of wrenches, q, qd, qdd, and the wrenches if any) -> tau, shape (..., n).

All joints are free: positions are of all variables, rates and accelerations likewise.
"""

WITHOUT_INERTIA = OriginInertia(ZERO, (ZERO,) * 3, (ZERO,) * 6)
_DIRECTIONS = 6  # along x, y, z and about them


@dataclass(frozen=True)
class ReactionReference:
    """What the joints of a robot carry, by virtual work.

    Attributes:
        wrench_frames: where wrenches act.
        coordinates: of the robot; inside, every joint is free.
        dynamics: inverse dynamics, or the magnitudes of its terms.
        gravity: that there is in these dynamics: its acceleration in the base frame, m/s^2, shape (3,).
    """

    links: tuple[NumericLink, ...]
    dynamics: Dynamics
    gravity: Array
    wrench_frames: tuple[FrameReference, ...]
    coordinates: Coordinates

    def wrenches(self, q: Array, qd: Array, qdd: Array, *wrench: Array) -> Array:
        """Force (N) and moment (N m) on every link that a joint moves, by its joint, shape (..., joints, 6).

        They are in the axes of the link's frame, the moment about its origin. Motors do not count.
        """
        motion = self.coordinates.positions(q), *map(self.coordinates.rates, (qd, qdd)), *wrench
        at = tuple(frame.with_free_joints for frame in self.wrench_frames)
        moving = [position for position, link in enumerate(self.links) if link.variable is not None]
        return np.stack([self._wrench(position, at, motion) for position in moving], axis=-2)

    def _wrench(
        self, position: int, at: tuple[FrameReference, ...], motion: tuple[Array, ...]
    ) -> Array:
        link = self.links[position]
        if link.is_free:  # its joint leaves all directions free: what it carries are its forces
            return self.dynamics(self.links, at, *motion)[..., link.rates]
        return reaction(self.dynamics, self.links, at, position, link.after, *motion)


def reaction(
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
    """Force and moment that a link receives through its joint, shape (..., 6).

    Args:
        dynamics: inverse dynamics.
        links: of the robot.
        at: the frames where wrenches act.
        position: of the link.
        behind: the axes and the point about which, as the frame behind the joint's motion sees them, 4 x 4.
        q: positions of all joints.
        qd: their rates.
        qdd: their accelerations.
        wrench: the external wrenches, if there are any.
    """
    link = links[position]
    chain = [replace(link, after=behind, inertial=WITHOUT_INERTIA)]
    chain += [_held(position, number, q.shape[-1], qd.shape[-1]) for number in range(_DIRECTIONS)]
    chain[-1] = replace(chain[-1], after=np.linalg.inv(behind) @ link.after, inertial=link.inertial)
    beyond = tuple(
        replace(
            each,
            parent=None
            if each.parent is None
            else each.parent + _DIRECTIONS * (each.parent >= position),
        )
        for each in links[position + 1 :]
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
    return dynamics(longer, on_longer, *held, *wrench)[..., -_DIRECTIONS:]


def _held(position: int, number: int, variables: int, rates: int) -> NumericLink:
    """A link without inertia behind a joint that is held, along or about one axis of the link before."""
    return NumericLink(
        parent=position + number,
        variable=rates + number,
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
    """The links that move.

    Attributes:
        links: for every one the frame at the point that its inertial data are about, in the link's axes, and these.
    """

    links: Sequence[tuple[FrameReference, PointInertia]]

    @cached_property
    def mass(self) -> float:
        """Of all (kg)."""
        return sum(inertia.mass for _, inertia in self.links)

    def position(self, q: Array) -> Array:
        """The centre of mass in the base frame, shape (..., 3), m."""
        moments = np.zeros((*q.shape[:-1], 3))
        for frame, inertia in self.links:
            rotation, point = frame.pose(q)
            moments = moments + inertia.mass * point + rotation @ inertia.first_moment
        return moments / self.mass

    def jacobian(self, q: Array) -> Array:
        """Derivatives of its position, shape (..., 3, n)."""
        return self.momentum_matrix(q)[..., :3, :] / self.mass

    def momentum_matrix(self, q: Array) -> Array:
        """Linear momentum and angular momentum about the centre of mass per unit of every rate, shape (..., 6, n)."""
        com, total = self.position(q), np.zeros(1)
        for frame, inertia in self.links:
            rotation, point = frame.pose(q)
            jacobian = frame.jacobian(q)
            v, w = jacobian[..., :3, :], jacobian[..., 3:, :]
            first_moment = (rotation @ inertia.first_moment)[..., None]
            tensor = rotation @ inertia.inertia @ np.swapaxes(rotation, -1, -2)
            linear = inertia.mass * v + np.cross(w, first_moment, axis=-2)
            angular = tensor @ w + np.cross(first_moment, v, axis=-2)
            angular = angular + np.cross((point - com)[..., None], linear, axis=-2)
            total = total + np.concatenate([linear, angular], axis=-2)
        matrix: Array = total
        return matrix

    def position_magnitudes(self, q: Array) -> Array:
        """Upper bounds of the terms of the position."""
        bounds = np.zeros((*q.shape[:-1], 3))
        for frame, inertia in self.links:
            bounds = (
                bounds
                + abs(inertia.mass) * frame.pose_magnitudes(q)[1]
                + np.linalg.norm(inertia.first_moment)
            )
        return bounds / abs(self.mass)

    def jacobian_magnitudes(self, q: Array) -> Array:
        """Upper bounds of the terms of the Jacobian."""
        return self.momentum_magnitudes(q)[..., :3, :] / abs(self.mass)

    def momentum_magnitudes(self, q: Array) -> Array:
        """Upper bounds of the terms of the momentum matrix."""
        com, total = np.linalg.norm(self.position_magnitudes(q), axis=-1), np.zeros(1)
        for frame, inertia in self.links:
            bounds, first_moment = (
                frame.jacobian_magnitudes(q),
                float(np.linalg.norm(inertia.first_moment)),
            )
            v, w = bounds[..., :3, :], bounds[..., 3:, :]
            linear = abs(inertia.mass) * v + first_moment * w
            reach = (np.linalg.norm(frame.pose_magnitudes(q)[1], axis=-1) + com)[..., None, None]
            angular = float(np.linalg.norm(inertia.inertia)) * w + first_moment * v + reach * linear
            total = total + np.concatenate([linear, angular], axis=-2)
        matrix: Array = total
        return matrix


def coordinate_pairs(
    links: tuple[NumericLink, ...], coordinates: Coordinates
) -> tuple[tuple[int, int], ...]:
    """Rows and columns of the mass matrix's lower triangle that can differ from zero: those that move a link in common."""
    moving: list[set[int]] = []
    pairs = set()
    for link in links:
        moving.append(set() if link.parent is None else set(moving[link.parent]))
        if link.variable is not None:
            moving[-1].update(coordinates.index[link.rates])
        pairs |= {(row, column) for row in moving[-1] for column in moving[-1] if column <= row}
    return tuple(sorted(pairs))


def two_rate_forces(pairs: tuple[tuple[int, int], ...], state: Array, qdd: Array) -> Array:
    """Joint forces of a state, shape (..., pairs + n), and accelerations, shape (..., n): M qdd + h with the whole matrix."""
    n = qdd.shape[-1]
    matrix = np.zeros((*state.shape[:-1], n, n), dtype=state.dtype)
    for index, (row, column) in enumerate(pairs):
        matrix[..., row, column] = matrix[..., column, row] = state[..., index]
    forces: Array = np.einsum("...ij,...j->...i", matrix, qdd) + state[..., len(pairs) :]
    return forces
