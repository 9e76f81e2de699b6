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
from dynagen.verification.kinematics import Array, NumericLink, joint_frames, joint_position, rotation_about, screw


@dataclass(frozen=True)
class ScrewFrameReference(FrameReference):
    """The kinematics of a frame, from screws of the joints at home: without other link frames, and without differentiation."""

    def _pose(self, joints: Array) -> tuple[Array, Array]:
        """As of the other reference."""
        rotation, position = super()._pose(self._home(joints) + np.zeros_like(joints))
        for axis, point, link in reversed(self._screws(joints)):
            rotated, shift = _motion(axis, point, link, joints)
            rotation, position = rotated @ rotation, (rotated @ position[..., None])[..., 0] + shift
        rotated, shift = self._base_pose(joints)
        return rotated @ rotation, (rotated @ position[..., None])[..., 0] + shift

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
        moving = [self.links[index].rates for index in reversed(self._path) if self.links[index].variable is not None]
        whole, change = np.zeros((2, *q.shape[:-1], 6))
        for its_rates in moving:
            part = (twists[..., its_rates] @ rates[..., its_rates, None])[..., 0]
            change = change + _bracket(whole, part)
            whole = whole + part
        velocity = whole[..., :3] + np.cross(whole[..., 3:], position)
        at_frame = change[..., :3] + np.cross(change[..., 3:], position) + np.cross(whole[..., 3:], velocity)
        return np.concatenate([at_frame, change[..., 3:]], axis=-1)

    def _home(self, joints: Array) -> Array:
        """The variables of all joints at home: zeros, and of a floating base no rotation."""
        home = np.zeros(joints.shape[-1])
        if self.coordinates.floats:
            home[6] = 1.0
        return home

    def _base_pose(self, joints: Array) -> tuple[Array, Array]:
        """The motion of a floating base from home: rotation matrix and position; not at all where there is none."""
        for link in self.links:
            if link.is_free:
                pose = screw(link, joints)
                return pose[..., :3, :3], pose[..., :3, 3]
        return np.eye(3), np.zeros(3)

    def _screws(self, joints: Array) -> list[tuple[Array, Array, NumericLink]]:
        """The screws of all joints with an axis at home: direction and a point of the axis, and the link that moves by it."""
        home, _ = joint_frames(self.links, self._home(joints))
        return [
            (home[index][:3, :3] @ self.links[index].axis, home[index][:3, 3], self.links[index])
            for index in reversed(self._path)
            if self.links[index].has_axis
        ]

    def _twists(self, joints: Array) -> Array:
        """Twist per unit of every joint's rate, shape (..., 6, joints)."""
        twists = np.zeros((*joints.shape[:-1], 6, len(self.coordinates.index)), dtype=joints.dtype)
        rotation, position = self._base_pose(joints)
        if self.coordinates.floats:
            twists[..., :3, :3] = twists[..., 3:, 3:6] = rotation
            twists[..., :3, 3:6] = np.cross(position[..., None], rotation, axis=-2)
        for axis, point, link in self._screws(joints):
            moved = (rotation @ axis[:, None])[..., 0]
            through = (rotation @ point[:, None])[..., 0] + position
            twists[..., :3, link.variable] = link.angular * np.cross(through, moved) + link.linear * moved
            twists[..., 3:, link.variable] = link.angular * moved
            rotated, shift = _motion(axis, point, link, joints)
            rotation, position = rotation @ rotated, (rotation @ shift[..., None])[..., 0] + position
        return twists


def _motion(axis: Array, point: Array, link: NumericLink, joints: Array) -> tuple[Array, Array]:
    """The motion of a link from home: its joint's rotation about its axis, and the shift that goes with it."""
    variable = joint_position(link, joints)
    return _exponential(axis, point, link.angular * variable, link.linear * variable)


def _exponential(axis: Array, point: Array, angle: Array, distance: Array) -> tuple[Array, Array]:
    """Rotation about an axis through a point, and the shift that goes with it and with a translation along the axis."""
    rotation = rotation_about(axis, angle)
    return rotation, point - (rotation @ point[:, None])[..., 0] + distance[..., None] * axis


def _bracket(left: Array, right: Array) -> Array:
    """Rate of change of the components of a twist that moves with another twist: their Lie bracket."""
    v, w = left[..., :3], left[..., 3:]
    linear = np.cross(w, right[..., :3]) + np.cross(v, right[..., 3:])
    return np.concatenate([linear, np.cross(w, right[..., 3:])], axis=-1)
