"""Numeric links of a description, their coordinates and their poses.

Frames are the link frames of the description, including those of fixed links. The pose of a link in
its parent's frame is the product of a constant transform, the motion of the joint, and a second
constant transform. Joint positions may be complex, for derivatives by complex steps.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import Exact
from dynagen.robot.description import (
    CentralInertia,
    Elasticity,
    Friction,
    OriginInertia,
    RobotDescription,
    Tensor,
)
from dynagen.robot.pose import Displacement, Rotation, Vector

COMPLEX_STEP = 1e-30
"""Step h of complex-step differentiation: f'(x) = Im f(x + i h) / h for a function f.

The step can be tiny, because the formula subtracts nothing.
"""


def cache_results(function: Callable[..., Array]) -> Callable[..., Array]:
    """Return a function of arrays that caches its results.

    The cache saves time, because different kernels are proved on the same states. Cached results
    are returned as copies.
    """
    known: dict[Hashable, Array] = {}

    def recall(*arrays: Array) -> Array:
        key = tuple((array.shape, array.dtype.str, array.tobytes()) for array in arrays)
        if key not in known:
            known[key] = function(*arrays)
        return known[key].copy()

    return recall


class RecentResults:
    """A cache of arrays by keys, which drops the least recently used arrays."""

    def __init__(self, most_bytes: int) -> None:
        """Create an empty cache for arrays of at most `most_bytes` bytes in total."""
        self._most_bytes = most_bytes
        self._bytes = 0
        self._known: dict[Hashable, tuple[Array, ...]] = {}

    def find(self, key: Hashable, compute: Callable[[], tuple[Array, ...]]) -> tuple[Array, ...]:
        """Return the read-only arrays of a key; call `compute` and store its results if missing."""
        # A result that is used moves to the end: the first one is the oldest.
        found = self._known.pop(key, None)
        if found is None:
            found = compute()
            for array in found:
                array.flags.writeable = False
            self._bytes += _count_bytes(found)
        self._known[key] = found
        while self._bytes > self._most_bytes:
            self._bytes -= _count_bytes(self._known.pop(next(iter(self._known))))
        return found


def _count_bytes(arrays: Iterable[Array]) -> int:
    """Return the size of arrays in bytes."""
    return sum(array.nbytes for array in arrays)


_RECENT = RecentResults(100_000_000)
"""Cache of joint motions and frames, because most kernels are proved at the same positions."""


@dataclass(frozen=True)
class NumericLink:
    """A link of a robot, with numbers in floating point.

    Attributes:
        parent: index of the parent link in the robot's sequence of links; None for a link on the
            base.
        variable: index of the joint's first velocity among the velocities of all joints; None for a
            fixed joint.
        place: index of the joint's first variable among the variables of all joints; None for a
            fixed joint.
        axis: unit vector along the joint axis, in the frame before the joint, shape (3,).
        angular: rotation about the axis (rad) per unit of the joint variable.
        linear: translation along the axis (m) per unit of the joint variable.
        before: constant pose of the frame before the joint in the parent's frame, 4 x 4.
        after: constant pose of the link's frame in the frame after the joint's motion, 4 x 4.
        axis_frame: rotation, as a 4 x 4 pose, that turns the z axis of the frame before the joint
            to the joint axis.
        inertial: inertial data in the link frame.
        motor_inertia: inertia of the motor, reflected to the joint, kg m^2 or kg.
        friction: friction of the joint, if any.
        elasticity: spring between motor and joint, if any.
        is_free: whether the joint belongs to a floating base. Its variables are position and unit
            quaternion x, y, z, w. Its velocities are the linear velocity of the link frame's origin
            and the angular velocity, both in the link's axes.
        is_spherical: whether the joint is spherical. Its variables are a unit quaternion x, y, z,
            w. Its velocities are the angular velocity in the link's axes.
    """

    parent: int | None
    variable: int | None
    place: int | None
    axis: Array
    angular: float
    linear: float
    before: Array
    after: Array
    axis_frame: Array
    inertial: CentralInertia | OriginInertia
    motor_inertia: float
    friction: Friction | None = None
    elasticity: Elasticity | None = None
    is_free: bool = False
    is_spherical: bool = False

    @property
    def motion_key(self) -> tuple[Hashable, ...]:
        """Key of the joint's motion in a cache; joints with equal keys have equal motions."""
        kind = self.has_axis, self.is_free, self.is_spherical
        arrays = self.axis.tobytes(), self.after.tobytes(), self.after.dtype.str
        return *kind, self.angular, self.linear, *arrays

    @property
    def positions(self) -> int:
        """Number of variables of the joint: 1, 4 (spherical) or 7 (floating)."""
        return 7 if self.is_free else 4 if self.is_spherical else int(self.has_axis)

    @property
    def columns(self) -> slice:
        """Slice of the joint's entries in the velocities or forces of all joints."""
        return slice(self.variable or 0, (self.variable or 0) + self.freedoms)

    @property
    def has_axis(self) -> bool:
        """Whether the joint moves about or along one axis."""
        return self.variable is not None and self.freedoms == 1

    @property
    def freedoms(self) -> int:
        """Number of velocities of a moving joint: 1, 3 (spherical) or 6 (floating)."""
        return 6 if self.is_free else 3 if self.is_spherical else 1


Motion = TypeVar("Motion")


def select_motions(motions: Sequence[Motion], places: Sequence[int] | None) -> Sequence[Motion]:
    """Return the motions of the links with the indices `places`; all motions for None."""
    return motions if places is None else [motions[place] for place in places]


InverseDynamics = Callable[..., Array]
"""Function that returns the joint forces (N m or N) of one motion, (..., n), for given links.

The first argument contains the links with their inertial data. If they are not all links of the
robot, the second argument contains their indices.
"""
Formulation = Callable[[tuple[NumericLink, ...], Array, Array, Array, Array], InverseDynamics]
"""Formulation of inverse dynamics: a function (links, gravity, q, qd, qdd) that returns a function.

The returned function computes the joint forces of the motion q, qd, qdd. The inertial data of the
argument `links` are not used. `gravity` is the acceleration of gravity in the base frame (m/s^2),
shape (3,). q are the variables of all joints (rad or m), shape (..., joint variables); qd and qdd
are the velocities and accelerations, shape (..., n).
"""


def make_numeric_links(
    description: RobotDescription, precision: type[np.floating[Any]] = np.float64
) -> tuple[NumericLink, ...]:
    """Return the links of a robot in the order of the description, with numbers in floating point.

    Args:
        description: the robot; run-time parameters have their default values.
        precision: numpy type to which the geometry is rounded.
    """
    positions = {link.name: position for position, link in enumerate(description.links)}
    links = []
    variables = places = 0
    for link in description.links:
        axis = round_vector(link.joint.axis, precision)
        links.append(
            NumericLink(
                parent=None if link.parent is None else positions[link.parent],
                variable=variables if link.joint.moves else None,
                place=places if link.joint.moves else None,
                axis=axis / np.linalg.norm(axis),
                angular=_round_exact(link.joint.angular, precision),
                linear=_round_exact(link.joint.linear, precision),
                before=make_transform(link.before, precision),
                after=make_transform(link.after, precision),
                axis_frame=make_transform(link.joint.axis_frame, precision),
                inertial=link.inertial,
                motor_inertia=float(link.motor_inertia),
                friction=link.friction,
                elasticity=link.elasticity,
                is_free=link.joint.type.is_free,
                is_spherical=link.joint.type.is_spherical,
            )
        )
        variables += len(link.joint.type.rotates)
        places += len(link.joint.type.position_units)
    return tuple(links)


def compute_joint_frames(
    links: tuple[NumericLink, ...], q: Array
) -> tuple[list[Array], list[Array]]:
    """Return the poses of the frames before all joints, and of all link frames, in the base frame.

    Args:
        links: result of `make_numeric_links`.
        q: variables of all joints (rad or m), shape (..., joint variables).

    Returns:
        Two lists with one array (..., 4, 4) for each link: frames before joints, then link frames.
    """

    def compute() -> tuple[Array, ...]:
        joints: list[Array] = []
        poses: list[Array] = []
        for link in links:
            joints.append((np.eye(4) if link.parent is None else poses[link.parent]) @ link.before)
            poses.append(joints[-1] @ compute_joint_motion(link, q))
        return (*joints, *poses)

    geometry = tuple(
        (link.parent, link.before.tobytes(), link.place, *link.motion_key) for link in links
    )
    found = _RECENT.find((geometry, _make_key(q)), compute)
    return list(found[: len(links)]), list(found[len(links) :])


def compute_joint_motion(link: NumericLink, q: Array) -> Array:
    """Return the pose of a link's frame in the frame before its joint, (..., 4, 4), read-only.

    Args:
        link: link whose joint moves.
        q: position variables of all joints (rad or m), shape (..., joint variables).
    """
    own = q[..., slice(link.place, (link.place or 0) + link.positions)]
    (motion,) = _RECENT.find(
        (link.motion_key, _make_key(own)), lambda: (compute_screw(link, q) @ link.after,)
    )
    return motion


def _make_key(array: Array) -> Hashable:
    """Return a key that only equal arrays have."""
    return array.shape, array.dtype.str, array.tobytes()


def compute_screw(link: NumericLink, q: Array) -> Array:
    """Return the pose of the frame after a link's joint in the frame before it, (..., 4, 4).

    q are the variables of all joints (rad or m), shape (..., joint variables).
    """
    if link.is_free:
        first = link.place or 0
        return _free_pose(q[..., first : first + 3], q[..., first + 3 : first + 7])
    if link.is_spherical:
        quaternion = q[..., link.place or 0 :][..., :4]
        return _free_pose(0 * quaternion[..., :3], quaternion)
    position = get_joint_position(link, q)
    motion = np.zeros((*position.shape, 4, 4), dtype=position.dtype)
    motion[..., :3, :3] = make_rotation(link.axis, link.angular * position)
    motion[..., :3, 3] = link.linear * position[..., None] * link.axis
    motion[..., 3, 3] = 1
    return motion


def make_rotation(axis: Array, angle: Array) -> Array:
    """Return the matrices of rotations about one axis by several angles (Rodrigues' formula).

    Args:
        axis: unit vector along the axis, shape (3,).
        angle: angle of rotation (rad), shape (...).

    Returns:
        Rotation matrices, shape (..., 3, 3).
    """
    along = np.outer(axis, axis)
    across = cross(np.eye(3), axis)
    sine, cosine = np.sin(angle)[..., None, None], np.cos(angle)[..., None, None]
    rotation: Array = along + cosine * (np.eye(3) - along) + sine * across
    return rotation


def _free_pose(position: Array, quaternion: Array) -> Array:
    """Return the pose of a floating link, (..., 4, 4), from its position and unit quaternion."""
    x, y, z, w = (quaternion[..., index] for index in range(4))
    pose = np.zeros((*position.shape[:-1], 4, 4), dtype=position.dtype)
    pose[..., 0, :3] = np.stack(
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=-1
    )
    pose[..., 1, :3] = np.stack(
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)], axis=-1
    )
    pose[..., 2, :3] = np.stack(
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z], axis=-1
    )
    pose[..., :3, 3] = position
    pose[..., 3, 3] = 1
    return pose


def cross(left: Array, right: Array) -> Array:
    """Return the cross product, shape (..., 3); numpy's function takes several times as long."""
    shape = np.broadcast(left, right).shape
    if not (left.any() and right.any()):  # many levers are zero, and velocities at rest
        return np.zeros(shape)
    a, b, c = left[..., 0], left[..., 1], left[..., 2]
    x, y, z = right[..., 0], right[..., 1], right[..., 2]
    product: Array = np.empty(shape, np.result_type(left, right))
    np.subtract(b * z, c * y, out=product[..., 0])
    np.subtract(c * x, a * z, out=product[..., 1])
    np.subtract(a * y, b * x, out=product[..., 2])
    return product


def rotate(quaternion: Array, vectors: Array) -> Array:
    """Return vectors, (..., 3), rotated by unit quaternions x, y, z, w, shape (..., 4)."""
    rotation = _free_pose(np.zeros_like(quaternion[..., :3]), quaternion)[..., :3, :3]
    result: Array = (rotation @ vectors[..., None])[..., 0]
    return result


def get_joint_position(link: NumericLink, q: Array) -> Array:
    """Return the position (rad or m), (...), of a link's joint; zero for a joint without an axis.

    q are the variables of all joints, shape (..., joint variables).
    """
    return q[..., link.place] if link.has_axis else np.zeros_like(q[..., 0])


def get_joint_velocity(link: NumericLink, velocities: Array) -> Array:
    """Return the velocity or acceleration of a joint with an axis, (...); zero for other joints.

    `velocities` are those of all joints, shape (..., joint velocities).
    """
    return velocities[..., link.variable] if link.has_axis else np.zeros_like(velocities[..., 0])


def get_base_twist(link: NumericLink, velocities: Array) -> tuple[Array, Array]:
    """Return the linear part, then the angular part, of a floating link's velocity or acceleration.

    Both parts have shape (..., 3) and are in the link's axes. `velocities` are those of all joints,
    shape (..., joint velocities).
    """
    first = link.columns.start
    return velocities[..., first : first + 3], velocities[..., first + 3 : first + 6]


def make_zero_forces(q: Array, qd: Array, qdd: Array) -> Array:
    """Return zero joint forces for a motion, shape (..., n); complex if the motion is complex."""
    states = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1], qdd.shape[:-1])
    return np.zeros((*states, qd.shape[-1]), dtype=np.result_type(q, qd, qdd, np.float64))


def round_vector(values: Vector, precision: type[np.floating[Any]] = np.float64) -> Array:
    """Return three exact numbers rounded to the floating-point type `precision`, shape (3,)."""
    return np.array([_round_exact(value, precision) for value in values])


def _round_exact(number: Exact, precision: type[np.floating[Any]]) -> Any:
    """Return an exact number as a number of the given type."""
    if precision is np.float64:
        return float(number)
    fraction = number.to_fraction()
    return precision(str(fraction.numerator)) / precision(str(fraction.denominator))


def make_symmetric(tensor: Tensor) -> Array:
    """Return the symmetric 3 x 3 matrix of a tensor given as Ixx, Iyy, Izz, Ixy, Ixz, Iyz."""
    xx, yy, zz, xy, xz, yz = (float(element) for element in tensor)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def make_transform(steps: Displacement, precision: type[np.floating[Any]] = np.float64) -> Array:
    """Return a displacement as a 4 x 4 matrix of the numpy type `precision`."""
    pose: Any = np.eye(4, dtype=precision)
    for step in steps:
        factor: Any = np.eye(4, dtype=precision)
        if isinstance(step, Rotation):
            angle = np.array(_round_exact(step.angle, precision))
            factor[:3, :3] = make_rotation(np.eye(3)[step.axis], angle)
        else:
            factor[:3, 3] = round_vector(step.vector, precision)
        pose = pose @ factor
    result: Array = pose
    return result
