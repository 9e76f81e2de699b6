"""Frames of interest: expected kinematics in floating point, and the same by screws.

RobotDescription -> the frames that kinematics is asked for, and what it has to return for them, in floating point.

Everything follows from poses in the user's frames: the Jacobian by complex steps, the drift acceleration by a complex step of
the Jacobian of joint axes. Nothing is customised and nothing is carried from body to body.

Frames once more, by screws: the product of exponentials, Jacobians from moved axes, and their rates from brackets.

R. W. Brockett, "Robotic Manipulators and the Product of Exponentials Formula", Mathematical Theory of Networks and Systems,
1984; R. M. Murray, Z. Li, S. S. Sastry, "A Mathematical Introduction to Robotic Manipulation", 1994, chapter 3. All that
enters is where axes and frame are at home, with all joints at zero. A twist is (v, w): the velocity of the point of a body
that is at the base's origin, and the angular velocity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from dynagen.robot.description import TOOL, RobotDescription
from dynagen.robot.names import identifier
from dynagen.verification.kinematics import (
    Array,
    Coordinates,
    NumericLink,
    base_twist,
    joint_frames,
    joint_position,
    joint_rate,
    rotation_about,
    screw,
    transform,
)

_STEP = 1e-30  # of complex differentiation, which has no cancellation


@dataclass(frozen=True)
class FrameReference:
    """A frame and the kinematics of the robot that carries it.

    In all methods q (rad or m) and qd (per second) have shape (..., n); results are in base axes unless they say otherwise.

    Attributes:
        links: of the robot.
        link: position of the link that the frame is fixed to.
        placement: the frame in the link's frame, 4 x 4.
        coordinates: of the robot.
    """

    links: tuple[NumericLink, ...]
    link: int
    placement: Array
    coordinates: Coordinates

    @property
    def moves(self) -> bool:
        """Whether a joint moves it."""
        return any(self.links[index].variable is not None for index in self._path)

    @property
    def with_free_joints(self) -> FrameReference:
        """The frame with a variable in q for every joint that moves."""
        return replace(self, coordinates=Coordinates.free(self.links))

    def pose(self, q: Array) -> tuple[Array, Array]:
        """Rotation matrix, shape (..., 3, 3), and position of the frame (m), shape (..., 3)."""
        return self._pose(self.coordinates.positions(q))

    def _pose(self, joints: Array) -> tuple[Array, Array]:
        """The pose, from the variables of all joints."""
        pose = joint_frames(self.links, joints)[1][self.link] @ self.placement
        return pose[..., :3, :3], pose[..., :3, 3]

    def jacobian(self, q: Array) -> Array:
        """Geometric Jacobian for the frame's origin, linear rows first: derivatives of the pose, shape (..., 6, n)."""
        steps = self.coordinates.moved(q[..., None, :], 1j * _STEP * np.eye(self.coordinates.count))
        rotation, position = self.pose(steps)
        spin = rotation.imag / _STEP @ np.swapaxes(rotation.real, -1, -2)
        angular = [spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]]
        return np.concatenate(
            [np.swapaxes(position.imag / _STEP, -1, -2), np.stack(angular, axis=-2)], axis=-2
        )

    def body_jacobian(self, q: Array) -> Array:
        """The geometric Jacobian in the axes of the frame."""
        to_frame = np.swapaxes(self.pose(q)[0], -1, -2)
        jacobian = self.jacobian(q)
        return np.concatenate(
            [to_frame @ jacobian[..., :3, :], to_frame @ jacobian[..., 3:, :]], axis=-2
        )

    def drift_acceleration(self, q: Array, qd: Array) -> Array:
        """Acceleration of the frame's origin and angular acceleration at constant joint rates, shape (..., 6)."""
        changed = self.jacobian_of_axes(self.coordinates.moved(q, 1j * _STEP * qd)).imag / _STEP
        drift: Array = np.einsum("...ij,...j->...i", changed, qd)
        return drift

    def jacobian_of_axes(self, q: Array) -> Array:
        """The Jacobian once more, from the joint axes e: e x r + e; q may be complex."""
        variables = self.coordinates.positions(q)
        joints, poses = joint_frames(self.links, variables)
        _, position = self._pose(variables)
        columns = np.zeros((*q.shape[:-1], 6, len(self.coordinates.index)), dtype=q.dtype)
        for index in self._path:
            link, joint = self.links[index], joints[index]
            if link.is_free:
                columns[..., link.rates] = _columns_of_base(poses[index], position)
            elif link.variable is not None:
                axis = joint[..., :3, :3] @ link.axis
                arm = np.cross(axis, position - joint[..., :3, 3])
                columns[..., :3, link.variable] = link.angular * arm + link.linear * axis
                columns[..., 3:, link.variable] = link.angular * axis
        return self.coordinates.forces(columns)

    def pose_magnitudes(self, q: Array) -> tuple[Array, Array]:
        """Upper bounds of the terms of rotation matrix and position."""
        reach = self._reach(q)
        return np.ones((*reach.shape, 3, 3)), reach[..., None] * np.ones(3)

    def jacobian_magnitudes(self, q: Array) -> Array:
        """Upper bounds of the terms of the Jacobian, in any axes."""
        reach = self._reach(q)
        magnitudes = np.zeros((*reach.shape, 6, len(self.coordinates.index)))
        for index in self._path:
            link = self.links[index]
            if link.is_free:
                magnitudes[..., link.rates] = 1
                magnitudes[..., :3, link.rates.start + 3 : link.rates.stop] = reach[..., None, None]
            elif link.variable is not None:
                magnitudes[..., :3, link.variable] = (abs(link.angular) * reach + abs(link.linear))[
                    ..., None
                ]
                magnitudes[..., 3:, link.variable] = abs(link.angular)
        return self.coordinates.magnitudes.forces(magnitudes)

    def drift_magnitudes(self, q: Array, qd: Array) -> Array:
        """Upper bounds of the terms of the drift acceleration."""
        joint_rates = self.coordinates.rates(qd)
        rates = [
            (self.links[index], np.abs(joint_rate(self.links[index], joint_rates)))
            for index in self._path
        ]
        rotating = sum((abs(link.angular) * rate for link, rate in rates), np.zeros(q.shape[:-1]))
        moving = sum((abs(link.linear) * rate for link, rate in rates), np.zeros(q.shape[:-1]))
        for link, _ in rates:
            if link.is_free:
                v, w = (np.linalg.norm(part, axis=-1) for part in base_twist(link, joint_rates))
                rotating, moving = rotating + w, moving + v
        linear = rotating * (rotating * self._reach(q) + 2 * moving)
        return np.stack([linear] * 3 + [rotating**2] * 3, axis=-1)

    @property
    def _path(self) -> tuple[int, ...]:
        """The links that carry the frame, inward."""
        path: list[int] = []
        index: int | None = self.link
        while index is not None:
            path.append(index)
            index = self.links[index].parent
        return tuple(path)

    def _reach(self, q: Array) -> Array:
        """Length of the path from the base to the frame, joint by joint."""
        joints = self.coordinates.positions(q)
        reach = np.full(q.shape[:-1], np.linalg.norm(self.placement[:3, 3]))
        for index in self._path:
            link = self.links[index]
            reach = reach + np.linalg.norm(link.before[:3, 3]) + np.linalg.norm(link.after[:3, 3])
            reach = reach + np.abs(link.linear * joint_position(link, joints))
            if link.is_free:
                reach = reach + np.linalg.norm(joints[..., :3], axis=-1)
        return reach


def _columns_of_base(pose: Array, position: Array) -> Array:
    """Columns of the Jacobian for the six rates of a floating link with a pose, shape (..., 6, 6)."""
    axes = pose[..., :3, :3]
    arm = position - pose[..., :3, 3]
    turning = np.cross(axes, arm[..., None], axis=-2)
    nothing = np.zeros_like(axes)
    return np.concatenate(
        [np.concatenate([axes, turning], -1), np.concatenate([nothing, axes], -1)], -2
    )


def frame_references(
    description: RobotDescription,
    links: tuple[NumericLink, ...],
    coordinates: Coordinates,
    kinematics: type[FrameReference],
) -> Mapping[str, FrameReference]:
    """All named frames by their identifiers, and the tool, which is the last link's frame unless the description names one."""
    positions = {link.name: position for position, link in enumerate(description.links)}
    frames = {TOOL: kinematics(links, len(links) - 1, np.eye(4), coordinates)}
    for frame in description.frames:
        placement = transform(frame.placement)
        frames[identifier(frame.name)] = kinematics(
            links, positions[frame.link], placement, coordinates
        )
    return frames


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
        moving = [
            self.links[index].rates
            for index in reversed(self._path)
            if self.links[index].variable is not None
        ]
        whole, change = np.zeros((2, *q.shape[:-1], 6))
        for its_rates in moving:
            part = (twists[..., its_rates] @ rates[..., its_rates, None])[..., 0]
            change = change + _bracket(whole, part)
            whole = whole + part
        velocity = whole[..., :3] + np.cross(whole[..., 3:], position)
        at_frame = (
            change[..., :3]
            + np.cross(change[..., 3:], position)
            + np.cross(whole[..., 3:], velocity)
        )
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
            twists[..., :3, link.variable] = (
                link.angular * np.cross(through, moved) + link.linear * moved
            )
            twists[..., 3:, link.variable] = link.angular * moved
            rotated, shift = _motion(axis, point, link, joints)
            rotation, position = (
                rotation @ rotated,
                (rotation @ shift[..., None])[..., 0] + position,
            )
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
