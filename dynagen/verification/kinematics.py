"""RobotDescription -> numeric links, and their poses in the base frame for batches of joint positions.

Frames are the user's own, fixed links included. Both conventions become one form, `before * screw(q) * after`: a joint always
moves along the z axis of the frame that `before` ends in. Real and complex inputs work alike (complex steps give derivatives).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynagen.description.description import (
    CentralInertia,
    FixedTransform,
    Friction,
    LinkDescription,
    OriginInertia,
    RobotDescription,
    Tensor,
    Vector,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class NumericLink:
    """A link in floating point.

    Attributes:
        parent: position of the parent link; None on the base.
        variable: position of the joint variable in q; None if the joint is fixed.
        angular, linear: rotation about and translation along z per unit of the joint variable.
        before, after: constant 4 x 4 transforms on either side of the joint's screw motion.
        theta, d: rotation (rad) and translation (m) of the screw motion where the joint variable is zero.
        motor_inertia: reflected to the joint, kg m^2 or kg.
    """

    parent: int | None
    variable: int | None
    angular: int
    linear: int
    before: Array
    after: Array
    theta: float
    d: float
    inertial: CentralInertia | OriginInertia
    motor_inertia: float
    friction: Friction | None = None


InverseDynamics = Callable[[tuple[NumericLink, ...]], Array]
"""Joint forces of one motion of some links, by their inertial data: the links with these -> tau, shape (..., n)."""
Formulation = Callable[[tuple[NumericLink, ...], Array, Array, Array, Array], InverseDynamics]
"""Inverse dynamics of a motion: links, gravity, q, qd, qdd -> joint forces by inertial data.

The inertial data of these links do not count. Gravity is its acceleration in the base frame, shape (3,); the state has shapes
(..., n), in rad or m, and their derivatives by time.
"""


def numeric_links(description: RobotDescription) -> tuple[NumericLink, ...]:
    """Links in the order of the description; joint variables are numbered in the order of the moving links."""
    positions = {link.name: position for position, link in enumerate(description.links)}
    links = []
    variables = 0
    for link in description.links:
        before, after = _constant_transforms(link, description.convention == "modified")
        links.append(
            NumericLink(
                parent=None if link.parent is None else positions[link.parent],
                variable=variables if link.joint.moves else None,
                angular=link.joint.angular,
                linear=link.joint.linear,
                before=before,
                after=after,
                theta=float(link.dh.theta),
                d=float(link.dh.d),
                inertial=link.inertial,
                motor_inertia=float(link.motor_inertia),
                friction=link.friction,
            )
        )
        variables += link.joint.moves
    return tuple(links)


def joint_frames(links: tuple[NumericLink, ...], q: Array) -> tuple[list[Array], list[Array]]:
    """Poses in the base frame of every joint frame (its z axis is the joint's) and of every link frame.

    Args:
        links: as `numeric_links` returns them.
        q: joint positions, shape (..., n).

    Returns:
        Two lists with one (..., 4, 4) array a link.
    """
    joints: list[Array] = []
    poses: list[Array] = []
    for link in links:
        joints.append((np.eye(4) if link.parent is None else poses[link.parent]) @ link.before)
        poses.append(joints[-1] @ screw(link, q) @ link.after)
    return joints, poses


def screw(link: NumericLink, q: Array) -> Array:
    """The motion of a link's joint, Rz(theta) Tz(d), for joint positions of shape (..., n): shape (..., 4, 4)."""
    position = joint_value(link, q)
    theta, d = link.theta + link.angular * position, link.d + link.linear * position
    motion = np.zeros((*theta.shape, 4, 4), dtype=theta.dtype)
    motion[..., 0, 0] = motion[..., 1, 1] = np.cos(theta)
    motion[..., 1, 0] = np.sin(theta)
    motion[..., 0, 1] = -motion[..., 1, 0]
    motion[..., 2, 2] = motion[..., 3, 3] = 1
    motion[..., 2, 3] = d
    return motion


def joint_value(link: NumericLink, values: Array) -> Array:
    """The entry that belongs to a link's joint in an array (..., n) of joint quantities; zero if the joint is fixed."""
    return np.zeros_like(values[..., 0]) if link.variable is None else values[..., link.variable]


def no_forces(q: Array, qd: Array, qdd: Array) -> Array:
    """Zeros for the joint forces of a motion, (..., n); complex if the motion is."""
    return np.zeros(np.broadcast_shapes(q.shape, qd.shape, qdd.shape), dtype=np.result_type(q, qd, qdd, np.float64))


def vector(values: Vector) -> Array:
    """Three exact numbers in floating point."""
    return np.array([float(value) for value in values])


def symmetric(tensor: Tensor) -> Array:
    """The 3 x 3 matrix of the elements Ixx, Iyy, Izz, Ixy, Ixz, Iyz."""
    xx, yy, zz, xy, xz, yz = (float(element) for element in tensor)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _constant_transforms(link: LinkDescription, modified: bool) -> tuple[Array, Array]:
    origin = np.eye(4) if link.origin is None else fixed_transform(link.origin)
    along_x = _rotation(0, float(link.dh.alpha))
    along_x[0, 3] = float(link.dh.a)  # rotation about and translation along the same axis commute
    return (origin @ along_x, np.eye(4)) if modified else (origin, along_x)


def fixed_transform(transform: FixedTransform) -> Array:
    """A constant pose as a 4 x 4 transform."""
    roll, pitch, yaw = vector(transform.rpy)
    pose = _rotation(2, yaw) @ _rotation(1, pitch) @ _rotation(0, roll)
    pose[:3, 3] = vector(transform.xyz)
    return pose


def _rotation(axis: int, angle: float) -> Array:
    """Rotation about x, y or z (axis 0, 1 or 2) as a 4 x 4 transform."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    pose: NDArray[Any] = np.eye(4)
    pose[j, j] = pose[k, k] = np.cos(angle)
    pose[k, j] = np.sin(angle)
    pose[j, k] = -pose[k, j]
    return pose
