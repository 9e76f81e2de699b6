"""Frames once more, by screws: the product of exponentials, Jacobians from moved axes, and their rates from brackets.

R. W. Brockett, "Robotic Manipulators and the Product of Exponentials Formula", Mathematical Theory of Networks and Systems,
1984; R. M. Murray, Z. Li, S. S. Sastry, "A Mathematical Introduction to Robotic Manipulation", 1994, chapter 3. All that
enters is where axes and frame are at home, with all joints at zero. A twist is (v, w): the velocity of the point of a body
that is at the base's origin, and the angular velocity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynagen.verification.frames import FrameReference
from dynagen.verification.kinematics import Array, joint_frames, rotation_about


@dataclass(frozen=True)
class ScrewFrameReference(FrameReference):
    """The kinematics of a frame, without a frame of a link but at home, and without numeric differentiation."""

    def _pose(self, joints: Array) -> tuple[Array, Array]:
        """As of the other reference."""
        rotation, position = super()._pose(np.zeros_like(joints))
        for joint, axis, point, angular, linear in reversed(self._screws(joints.shape[-1])):
            rotated, shift = _exponential(axis, point, angular * joints[..., joint], linear * joints[..., joint])
            rotation, position = rotated @ rotation, (rotated @ position[..., None])[..., 0] + shift
        return rotation, position

    def jacobian(self, q: Array) -> Array:
        """As of the other reference."""
        _, position = self.pose(q)
        columns = self._twists(self.coordinates.positions(q))
        columns[..., :3, :] += np.cross(columns[..., 3:, :], position[..., None], axis=-2)
        return self.coordinates.forces(columns)

    def drift_acceleration(self, q: Array, qd: Array) -> Array:
        """As of the other reference: what joint i's axis is moved by is the twist of all joints before it."""
        _, position = self.pose(q)
        joints, rates = self.coordinates.positions(q), self.coordinates.rates(qd)
        twists = self._twists(joints)
        whole, change = np.zeros((2, *q.shape[:-1], 6))
        for joint, *_ in self._screws(joints.shape[-1]):
            part = twists[..., joint] * rates[..., joint, None]
            change = change + _bracket(whole, part)
            whole = whole + part
        velocity = whole[..., :3] + np.cross(whole[..., 3:], position)
        at_frame = change[..., :3] + np.cross(change[..., 3:], position) + np.cross(whole[..., 3:], velocity)
        return np.concatenate([at_frame, change[..., 3:]], axis=-1)

    def _screws(self, count: int) -> list[tuple[int, Array, Array, float, float]]:
        """The screws of all joints at home: number of the joint, direction and a point of its axis, angular, linear."""
        joints, _ = joint_frames(self.links, np.zeros(count))
        return [
            (link.variable, joint[:3, :3] @ link.axis, joint[:3, 3], link.angular, link.linear)
            for link, joint in ((self.links[index], joints[index]) for index in reversed(self._path))
            if link.variable is not None
        ]

    def _twists(self, joints: Array) -> Array:
        """Twist per unit of every joint's rate, shape (..., 6, joints)."""
        twists = np.zeros((*joints.shape[:-1], 6, joints.shape[-1]), dtype=joints.dtype)
        rotation, position = np.eye(3), np.zeros(3)
        for joint, axis, point, angular, linear in self._screws(joints.shape[-1]):
            moved = (rotation @ axis[:, None])[..., 0]
            through = (rotation @ point[:, None])[..., 0] + position
            twists[..., :3, joint] = angular * np.cross(through, moved) + linear * moved
            twists[..., 3:, joint] = angular * moved
            rotated, shift = _exponential(axis, point, angular * joints[..., joint], linear * joints[..., joint])
            rotation, position = rotation @ rotated, (rotation @ shift[..., None])[..., 0] + position
        return twists


def _exponential(axis: Array, point: Array, angle: Array, distance: Array) -> tuple[Array, Array]:
    """Rotation about an axis through a point, and the shift that goes with it and with a translation along the axis."""
    rotation = rotation_about(axis, angle)
    return rotation, point - (rotation @ point[:, None])[..., 0] + distance[..., None] * axis


def _bracket(left: Array, right: Array) -> Array:
    """Rate of change of a twist's components that moves with another."""
    v, w = left[..., :3], left[..., 3:]
    linear = np.cross(w, right[..., :3]) + np.cross(v, right[..., 3:])
    return np.concatenate([linear, np.cross(w, right[..., 3:])], axis=-1)
