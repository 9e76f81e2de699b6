"""Expected poses, Jacobians and drift accelerations of frames, in two formulations.

`FrameReference` multiplies the transforms of the links. It computes the Jacobian by complex steps
of the pose, and the drift acceleration by a complex step of the Jacobian.

`ScrewFrameReference` uses screws: it computes poses by products of exponentials, Jacobians from
moved axes, and drift accelerations from Lie brackets of twists (Brockett, "Robotic Manipulators and
the Product of Exponentials Formula", Mathematical Theory of Networks and Systems, 1984; Murray, Li
and Sastry, "A Mathematical Introduction to Robotic Manipulation", 1994, chapter 3). It uses only
the joint axes and the pose of the frame with all joints at zero. A twist (v, w) consists of the
velocity of the body's point at the base's origin, and the angular velocity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from dynagen.numbers.arrays import Array
from dynagen.robot.description import TOOL, RobotDescription
from dynagen.robot.names import make_identifier
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.kinematics import (
    COMPLEX_STEP,
    NumericLink,
    compute_joint_frames,
    compute_screw,
    cross,
    get_base_twist,
    get_joint_position,
    get_joint_velocity,
    make_rotation,
    make_transform,
)


@dataclass(frozen=True)
class FrameReference:
    """A frame and the kinematics of the robot that carries it.

    In all methods, q are the nq positions of the robot (rad or m), shape (..., nq), and qd its n
    velocities (rad/s or m/s), shape (..., n). Results are in base axes unless stated otherwise.
    Rows 0 to 2 of a Jacobian are the linear velocity of the frame's origin, rows 3 to 5 the angular
    velocity.

    Attributes:
        links: links of the robot.
        link: index, in `links`, of the link to which the frame is fixed.
        placement: pose of the frame in the link's frame, 4 x 4.
        coordinates: relation between q, v and all joints of the robot.
    """

    links: tuple[NumericLink, ...]
    link: int
    placement: Array
    coordinates: Coordinates

    @property
    def moves(self) -> bool:
        """Whether at least one joint moves the frame relative to the base."""
        return any(self.links[index].variable is not None for index in self._path)

    @property
    def with_free_joints(self) -> FrameReference:
        """The kinematics of the same frame, as if all joints of the robot were independent."""
        return replace(self, coordinates=Coordinates.from_links(self.links))

    def compute_pose(self, q: Array) -> tuple[Array, Array]:
        """Return the frame's rotation, (..., 3, 3), and origin (m), (..., 3), in the base frame.

        The rotation matrix converts vectors from the frame's axes to base axes.
        """
        return self._pose(self.coordinates.compute_positions(q))

    def _pose(self, joints: Array) -> tuple[Array, Array]:
        """Return the frame's rotation and origin for the position variables of all joints."""
        pose = compute_joint_frames(self.links, joints)[1][self.link] @ self.placement
        return pose[..., :3, :3], pose[..., :3, 3]

    def compute_jacobian(self, q: Array) -> Array:
        """Return the geometric Jacobian of the frame in base axes, shape (..., 6, n)."""
        steps = self.coordinates.move(
            q[..., None, :], 1j * COMPLEX_STEP * np.eye(self.coordinates.count)
        )
        rotation, position = self.compute_pose(steps)
        # dR/dq R^T is the cross-product matrix of the angular velocity, in base axes.
        spin = rotation.imag / COMPLEX_STEP @ np.swapaxes(rotation.real, -1, -2)
        angular = [spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]]
        return np.concatenate(
            [np.swapaxes(position.imag / COMPLEX_STEP, -1, -2), np.stack(angular, axis=-2)], axis=-2
        )

    def compute_body_jacobian(self, q: Array) -> Array:
        """Return the geometric Jacobian of the frame in the frame's own axes, shape (..., 6, n)."""
        to_frame = np.swapaxes(self.compute_pose(q)[0], -1, -2)
        jacobian = self.compute_jacobian(q)
        return np.concatenate(
            [to_frame @ jacobian[..., :3, :], to_frame @ jacobian[..., 3:, :]], axis=-2
        )

    def compute_drift_acceleration(self, q: Array, qd: Array) -> Array:
        """Return the frame's acceleration at constant joint velocities qd, shape (..., 6).

        Entries 0 to 2 are the acceleration of the frame's origin (m/s^2), entries 3 to 5 the
        angular acceleration (rad/s^2).
        """
        changed = (
            self.compute_axes_jacobian(self.coordinates.move(q, 1j * COMPLEX_STEP * qd)).imag
            / COMPLEX_STEP
        )
        drift: Array = np.einsum("...ij,...j->...i", changed, qd)
        return drift

    def compute_jacobian_derivative(self, q: Array) -> Array:
        """Return the derivatives of the geometric Jacobian by joint motions, shape (..., 6, n, n).

        Element [..., i, j, k] is the derivative of row i and column j by a motion along entry k of
        v.
        """
        steps = 1j * COMPLEX_STEP * np.eye(self.coordinates.count)
        moved = [self.compute_axes_jacobian(self.coordinates.move(q, step)) for step in steps]
        derivative: Array = np.stack(moved, axis=-1).imag / COMPLEX_STEP
        return derivative

    def compute_axes_jacobian(self, q: Array) -> Array:
        """Return the geometric Jacobian in base axes, shape (..., 6, n), from the joint axes.

        A revolute joint with the unit axis e contributes cross(e, r) to the linear rows and e to
        the angular rows. The vector r leads from the joint axis to the frame's origin. q may be
        complex.
        """
        variables = self.coordinates.compute_positions(q)
        joints, poses = compute_joint_frames(self.links, variables)
        _, position = self._pose(variables)
        columns = np.zeros((*q.shape[:-1], 6, len(self.coordinates.index)), dtype=q.dtype)
        for index in self._path:
            link, joint = self.links[index], joints[index]
            if link.is_free:
                columns[..., link.columns] = _columns_of_base(poses[index], position)
            elif link.is_spherical:
                turned = joint @ compute_screw(link, variables)
                columns[..., link.columns] = _columns_of_base(turned, position)[..., 3:]
            elif link.variable is not None:
                axis = joint[..., :3, :3] @ link.axis
                # A rotation moves the frame by e x r, a translation by e; a screw joint makes the
                # two motions.
                arm = cross(axis, position - joint[..., :3, 3])
                columns[..., :3, link.variable] = link.angular * arm + link.linear * axis
                columns[..., 3:, link.variable] = link.angular * axis
        return self.coordinates.compute_forces(columns, q)

    def compute_pose_magnitudes(self, q: Array) -> tuple[Array, Array]:
        """Return an upper bound for each element of the rotation and position of `compute_pose`.

        The bound is at least the sum of the magnitudes of the element's terms. Rounding errors are
        proportional to this sum.
        """
        reach = self._reach(q)
        return np.ones((*reach.shape, 3, 3)), reach[..., None] * np.ones(3)

    def compute_jacobian_magnitudes(self, q: Array) -> Array:
        """Return an upper bound for each element of the geometric Jacobian, shape (..., 6, n).

        The bound is at least the sum of the magnitudes of the element's terms, and is valid in any
        axes.
        """
        reach = self._reach(q)
        magnitudes = np.zeros((*reach.shape, 6, len(self.coordinates.index)))
        for index in self._path:
            link = self.links[index]
            if link.is_free:
                magnitudes[..., link.columns] = 1
                magnitudes[..., :3, link.columns.start + 3 : link.columns.stop] = reach[
                    ..., None, None
                ]
            elif link.is_spherical:
                magnitudes[..., :3, link.columns] = reach[..., None, None]
                magnitudes[..., 3:, link.columns] = 1
            elif link.variable is not None:
                magnitudes[..., :3, link.variable] = (abs(link.angular) * reach + abs(link.linear))[
                    ..., None
                ]
                magnitudes[..., 3:, link.variable] = abs(link.angular)
        return self.coordinates.magnitudes.compute_forces(magnitudes, q)

    def compute_drift_magnitudes(self, q: Array, qd: Array) -> Array:
        """Return an upper bound for each entry of the drift acceleration, shape (..., 6).

        The bound is at least the sum of the magnitudes of the entry's terms, and is valid in any
        axes.
        """
        velocities = self.coordinates.compute_velocities(qd, q)
        angular = linear = np.zeros(q.shape[:-1])  # sums of the joints' speeds
        for link in (self.links[index] for index in self._path):
            if link.is_free:
                v, w = (np.linalg.norm(part, axis=-1) for part in get_base_twist(link, velocities))
            elif link.is_spherical:
                v, w = 0.0, np.linalg.norm(velocities[..., link.columns], axis=-1)
            else:
                speed = np.abs(get_joint_velocity(link, velocities))
                v, w = abs(link.linear) * speed, abs(link.angular) * speed
            angular, linear = angular + w, linear + v
        # Centripetal acceleration w^2 r and Coriolis acceleration 2 w v.
        bound = angular * (angular * self._reach(q) + 2 * linear)
        return np.stack([bound] * 3 + [angular**2] * 3, axis=-1)

    @property
    def _path(self) -> tuple[int, ...]:
        """Indices of the links that carry the frame, from the frame to the base."""
        path: list[int] = []
        index: int | None = self.link
        while index is not None:
            path.append(index)
            index = self.links[index].parent
        return tuple(path)

    def _reach(self, q: Array) -> Array:
        """Return the length of the path from the base through all joints to the frame (m)."""
        joints = self.coordinates.compute_positions(q)
        reach = np.full(q.shape[:-1], np.linalg.norm(self.placement[:3, 3]))
        for index in self._path:
            link = self.links[index]
            reach = reach + np.linalg.norm(link.before[:3, 3]) + np.linalg.norm(link.after[:3, 3])
            reach = reach + np.abs(link.linear * get_joint_position(link, joints))
            if link.is_free:
                reach = reach + np.linalg.norm(joints[..., :3], axis=-1)
        return reach


def _columns_of_base(pose: Array, position: Array) -> Array:
    """Return the Jacobian's columns for the six velocities of a floating link, (..., 6, 6).

    `pose` is the pose of the floating link, and `position` the origin of the frame (m), both in the
    base frame.
    """
    axes = pose[..., :3, :3]  # its velocities are in its own axes
    arm = position - pose[..., :3, 3]
    turning = np.cross(axes, arm[..., None], axis=-2)
    nothing = np.zeros_like(axes)
    return np.concatenate(
        [np.concatenate([axes, turning], -1), np.concatenate([nothing, axes], -1)], -2
    )


def make_frame_references(
    description: RobotDescription,
    links: tuple[NumericLink, ...],
    coordinates: Coordinates,
    kinematics: type[FrameReference],
) -> Mapping[str, FrameReference]:
    """Return the kinematics of the tool and of all named frames, by the frames' identifiers.

    Args:
        description: the robot.
        links: the numeric links of the robot.
        coordinates: the coordinates of the robot.
        kinematics: `FrameReference` or `ScrewFrameReference`.
    """
    positions = {link.name: position for position, link in enumerate(description.links)}
    frames = {TOOL: kinematics(links, len(links) - 1, np.eye(4), coordinates)}
    for frame in description.frames:
        placement = make_transform(frame.placement)
        frames[make_identifier(frame.name)] = kinematics(
            links, positions[frame.link], placement, coordinates
        )
    return frames


@dataclass(frozen=True)
class ScrewFrameReference(FrameReference):
    """Kinematics of a frame by the screws of the joints, with all joints at zero (home position).

    Neither link frames nor differentiation are used. Shapes and frames are as in `FrameReference`.
    """

    def _pose(self, joints: Array) -> tuple[Array, Array]:
        """Return the frame's rotation and origin for the position variables of all joints."""
        rotation, position = super()._pose(self._home(joints) + np.zeros_like(joints))
        # exp(S_1 q_1) ... exp(S_n q_n) times the pose at home, from the right.
        for axis, point, link in reversed(self._screws(joints)):
            turn, shift = _motion(axis, point, link, joints)
            rotation, position = (
                turn @ rotation,
                (turn @ position[..., None])[..., 0] + shift,
            )
        turn, shift = self._base_pose(joints)
        return turn @ rotation, (turn @ position[..., None])[..., 0] + shift

    def compute_jacobian(self, q: Array) -> Array:
        """Return the geometric Jacobian of the frame in base axes, shape (..., 6, n).

        Rows 0 to 2 are the linear velocity of the frame's origin, rows 3 to 5 the angular velocity.
        q are joint positions, shape (..., nq).
        """
        _, position = self.compute_pose(q)
        columns = self._twists(self.coordinates.compute_positions(q))
        columns[..., :3, :] += np.cross(columns[..., 3:, :], position[..., None], axis=-2)
        return self.coordinates.compute_forces(columns, q)

    def compute_drift_acceleration(self, q: Array, qd: Array) -> Array:
        """Return the frame's acceleration at constant joint velocities qd, shape (..., 6).

        The derivative of a joint's axis is computed from the total twist of the joints that carry
        the axis.
        """
        _, position = self.compute_pose(q)
        joints, velocities = (
            self.coordinates.compute_positions(q),
            self.coordinates.compute_velocities(qd, q),
        )
        twists = self._twists(joints)
        carriers = [self.links[index] for index in reversed(self._path)]
        twist, change = np.zeros((2, *q.shape[:-1], 6))
        for link in (link for link in carriers if link.variable is not None):
            own = (twists[..., link.columns] @ velocities[..., link.columns, None])[..., 0]
            change = change + _bracket(twist, own)
            twist = twist + own
        # From the point at the base's origin to the frame's origin: a + alpha x p + w x (v + w x
        # p).
        velocity = twist[..., :3] + cross(twist[..., 3:], position)
        linear = (
            change[..., :3] + cross(change[..., 3:], position) + cross(twist[..., 3:], velocity)
        )
        return np.concatenate([linear, change[..., 3:]], axis=-1)

    def _home(self, joints: Array) -> Array:
        """Return the positions of all joints at home: zeros and unit quaternions."""
        home = np.zeros(joints.shape[-1])
        if self.coordinates.floats:
            home[6] = 1.0
        for link in self.links:
            if link.is_spherical:
                home[(link.place or 0) + 3] = 1.0
        return home

    def _base_pose(self, joints: Array) -> tuple[Array, Array]:
        """Return rotation matrix and position (m) of the floating base, or identity and zero."""
        for link in (self.links[index] for index in self._path):
            if link.is_free:
                pose = compute_screw(link, joints)
                return pose[..., :3, :3], pose[..., :3, 3]
        return np.eye(3), np.zeros(3)

    def _screws(self, joints: Array) -> list[tuple[Array, Array, NumericLink]]:
        """Return the screws of all joints except a floating one, outward from the base.

        A screw consists of the direction of the joint axis, a point on the axis, and the moved
        link. The axis is in the base frame, with all joint positions at zero. For a spherical
        joint, the direction is a matrix whose columns are three directions.
        """
        home, _ = compute_joint_frames(self.links, self._home(joints))
        return [
            (
                home[index][:3, :3] @ (np.eye(3) if link.is_spherical else link.axis),
                home[index][:3, 3],
                link,
            )
            for index in reversed(self._path)
            for link in (self.links[index],)
            if link.variable is not None and not link.is_free
        ]

    def _twists(self, joints: Array) -> Array:
        """Return the twist per unit of every joint velocity, shape (..., 6, joint velocities)."""
        twists = np.zeros((*joints.shape[:-1], 6, len(self.coordinates.index)), dtype=joints.dtype)
        rotation, position = self._base_pose(joints)
        if any(self.links[index].is_free for index in self._path):
            twists[..., :3, :3] = twists[..., 3:, 3:6] = rotation
            twists[..., :3, 3:6] = np.cross(position[..., None], rotation, axis=-2)
        for axis, point, link in self._screws(joints):
            turn, shift = _motion(axis, point, link, joints)
            if link.is_spherical:
                # The three axes move with the joint itself too.
                through = (rotation @ point[:, None]) + position[..., None]
                turned = rotation @ turn @ axis
                twists[..., :3, link.columns] = np.cross(through, turned, axis=-2)
                twists[..., 3:, link.columns] = turned
                rotation, position = (
                    rotation @ turn,
                    (rotation @ shift[..., None])[..., 0] + position,
                )
                continue
            # Axis and point as moved by all joints before this one.
            moved = (rotation @ axis[:, None])[..., 0]
            through = (rotation @ point[:, None])[..., 0] + position
            twists[..., :3, link.variable] = (
                link.angular * cross(through, moved) + link.linear * moved
            )
            twists[..., 3:, link.variable] = link.angular * moved
            rotation, position = (
                rotation @ turn,
                (rotation @ shift[..., None])[..., 0] + position,
            )
        return twists


def _motion(axis: Array, point: Array, link: NumericLink, joints: Array) -> tuple[Array, Array]:
    """Return the rotation and translation, in base axes, by which a joint moves its link.

    The motion begins at home, where all joint positions are zero. `axis` is the direction of the
    joint axis at home, and `point` a point on it (m), in the base frame. For a spherical joint,
    `axis` is a matrix whose columns are the three axes.
    """
    if link.is_spherical:
        turn = axis @ compute_screw(link, joints)[..., :3, :3] @ axis.T
        return turn, point - (turn @ point[:, None])[..., 0]
    variable = get_joint_position(link, joints)
    return _exponential(axis, point, link.angular * variable, link.linear * variable)


def _exponential(axis: Array, point: Array, angle: Array, distance: Array) -> tuple[Array, Array]:
    """Return the rotation matrix and the translation (m) of a screw motion.

    The motion turns by `angle` (rad) about the axis through `point` (m), and shifts by `distance`
    (m) along it.
    """
    rotation = make_rotation(axis, angle)
    # The point of the axis stays, so the shift is p - R p.
    return rotation, point - (rotation @ point[:, None])[..., 0] + distance[..., None] * axis


def _bracket(left: Array, right: Array) -> Array:
    """Return the Lie bracket of two twists (v, w).

    It is the time derivative of the twist `right` of an axis, if the twist `left` moves the axis.
    """
    v, w = left[..., :3], left[..., 3:]
    linear = cross(w, right[..., :3]) + cross(v, right[..., 3:])
    return np.concatenate([linear, cross(w, right[..., 3:])], axis=-1)
