"""Numeric links of a description, their coordinates and their poses.

Coordinates: q and v of a robot -> the variables of all its joints, and forces of all joints -> those of the coordinates.

The references compute every robot as if all its joints were independent. With mimic joints, q_joint = ratio q + offset for
the entry of q that the joint follows: v_joint = G v with a constant matrix G, and by virtual work the forces of the
coordinates are G^T times those of the joints.

Functions of arrays that compute each result once: the identities of different functions ask for the same states.

RobotDescription -> numeric links, and their poses in the base frame for batches of joint positions.

Frames are the user's own, fixed links included: every link's pose in its parent's frame is `before * screw(q) * after`. Real
and complex inputs work alike (complex steps give derivatives).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynagen.numbers.exact import Exact
from dynagen.robot.description import (
    CentralInertia,
    Friction,
    OriginInertia,
    RobotDescription,
    Tensor,
)
from dynagen.robot.pose import Displacement, Rotation, Vector


@dataclass(frozen=True)
class Coordinates:
    """The coordinates of a robot.

    Attributes:
        count: of entries of v.
        index: for every rate of a joint the entry of v that it follows; a floating joint has six rates.
        ratio: likewise, shape (rates,).
        weight: of a joint's force in that of the entry: the ratio, or its magnitude where magnitudes of terms are summed.
        places: for every variable of a joint the entry of q that it follows; a floating joint has seven variables.
        slope, offset: likewise, what the entry is multiplied by and what is added to it.
        floats: whether the first joint is floating.
    """

    count: int
    index: tuple[int, ...]
    ratio: Array
    weight: Array
    places: tuple[int, ...]
    slope: Array
    offset: Array
    floats: bool = False

    @classmethod
    def of(cls, description: RobotDescription) -> Coordinates:
        """The coordinates of a description."""
        joints = [link.joint for link in description.links if link.joint.moves]
        rates = [
            (joint, joint.idx_v + entry)
            for joint in joints
            for entry in range(len(joint.type.rotates))
        ]
        variables = [
            (joint, joint.idx_q + entry)
            for joint in joints
            for entry in range(len(joint.type.position_units))
        ]
        ratio = np.array([float(joint.ratio) for joint, _ in rates])
        return cls(
            count=sum(joint.nv for joint in joints),
            index=tuple(entry for _, entry in rates),
            ratio=ratio,
            weight=ratio,
            places=tuple(entry for _, entry in variables),
            slope=np.array([float(joint.ratio) for joint, _ in variables]),
            offset=np.array([float(joint.offset) for joint, _ in variables]),
            floats=any(joint.type.is_free for joint in joints),
        )

    @classmethod
    def free(cls, links: Iterable[NumericLink]) -> Coordinates:
        """One for every rate of the joints of links."""
        moving = [link for link in links if link.variable is not None]
        floats = any(link.is_free for link in moving)
        rates = sum(link.rates.stop - link.rates.start for link in moving)
        one, slope = np.ones(rates), np.ones(rates + floats)
        return cls(
            rates,
            tuple(range(rates)),
            one,
            one,
            tuple(range(rates + floats)),
            slope,
            0 * slope,
            floats,
        )

    @property
    def magnitudes(self) -> Coordinates:
        """The coordinates for forces that are magnitudes."""
        return replace(self, weight=np.abs(self.ratio))

    def positions(self, q: Array) -> Array:
        """Variables of all joints, from q of shape (..., nq)."""
        positions: Array = q[..., list(self.places)] * self.slope + self.offset
        return positions

    @property
    def home(self) -> Array:
        """The q with all joints at zero: of a floating base at the base frame, in its axes."""
        q = np.zeros(self.count + self.floats)
        if self.floats:
            q[6] = 1.0
        return q

    def step(self, unit: Array) -> Array:
        """Entries of q for a motion in entries of v; none for a floating base, whose pose changes no magnitude of a term."""
        return np.concatenate([np.zeros(7), unit[6:]]) if self.floats else unit

    def moved(self, q: Array, step: NDArray[Any]) -> NDArray[Any]:
        """Positions after a small motion, which has the entries of v; to first order, for steps of complex differentiation.

        That of a floating base goes along and about its axes: R step along, and half the quaternion's product about.
        """
        if not self.floats:
            sums: NDArray[Any] = q + step
            return sums
        along, about = step[..., :3], step[..., 3:6]
        x, y, z, w = (q[..., index] for index in range(3, 7))
        rows = ((w, -z, y), (z, w, -x), (-y, x, w), (-x, -y, -z))
        orientation = (
            0.5 * sum(entry * about[..., axis] for axis, entry in enumerate(row)) for row in rows
        )
        by = [rotated(q[..., 3:7], along), np.stack(list(orientation), axis=-1), step[..., 6:]]
        states = np.broadcast_shapes(q.shape[:-1], step.shape[:-1])
        moved: NDArray[Any] = q + np.concatenate(
            [np.broadcast_to(part, (*states, part.shape[-1])) for part in by], axis=-1
        )
        return moved

    def integrated(self, q: Array, motion: Array) -> Array:
        """Positions after a motion of any size, which has the entries of v.

        That of a floating base goes along and about its axes, all the way with one twist: the pose is multiplied by the
        exponential of its motion, the sum of the series in the angle whose first terms are those of a small motion.
        """
        if not self.floats:
            return q + motion
        along, about = motion[..., :3], motion[..., 3:6]
        angle = np.linalg.norm(about, axis=-1, keepdims=True)
        axis = about / np.where(angle > 0, angle, 1.0)
        around = np.cross(axis, along)
        # V u, with sin(x)/x and (1 - cos x)/x as numpy has them without cancellation.
        of_sine, of_cosine = (
            np.sinc(angle / np.pi),
            np.sin(angle / 2) * np.sinc(angle / (2 * np.pi)),
        )
        shift = along + of_cosine * around + (1 - of_sine) * np.cross(axis, around)
        x, y, z, w = np.moveaxis(q[..., 3:7], -1, 0)
        (a, b, c), s = np.moveaxis(np.sin(angle / 2) * axis, -1, 0), np.cos(angle[..., 0] / 2)
        product = (
            w * a + x * s + y * c - z * b,
            w * b - x * c + y * s + z * a,
            w * c + x * b - y * a + z * s,
        )
        quaternion = np.stack([*product, w * s - x * a - y * b - z * c], axis=-1)
        position = q[..., :3] + rotated(q[..., 3:7], shift)
        return np.concatenate([position, quaternion, q[..., 7:] + motion[..., 6:]], axis=-1)

    def integrated_magnitudes(self, q: Array, motion: Array) -> Array:
        """Sums of the magnitudes of the terms of `integrated`, for a motion of magnitudes."""
        if not self.floats:
            return np.abs(q) + motion
        along, about = (
            np.linalg.norm(motion[..., part], axis=-1, keepdims=True)
            for part in (slice(0, 3), slice(3, 6))
        )
        position = np.abs(q[..., :3]) + along
        orientation = np.broadcast_to(1 + about, (*about.shape[:-1], 4))
        return np.concatenate(
            [position, orientation, np.abs(q[..., 7:]) + motion[..., 6:]], axis=-1
        )

    def rates(self, v: Array) -> Array:
        """Rates or accelerations of all joints, from those of shape (..., count)."""
        rates: Array = v[..., list(self.index)] * self.ratio
        return rates

    def forces(self, tau: Array) -> Array:
        """Forces of the coordinates, shape (..., count), from those of all joints, or a matrix that has columns for these."""
        forces = np.zeros((*tau.shape[:-1], self.count), dtype=tau.dtype)
        for joint, (index, weight) in enumerate(zip(self.index, self.weight, strict=True)):
            forces[..., index] += weight * tau[..., joint]
        return forces


def remembered(function: Callable[..., Array]) -> Callable[..., Array]:
    """A function of arrays that keeps what it has returned; results are equal to the last bit, and the caller's own."""
    known: dict[Hashable, Array] = {}

    def recall(*arrays: Array) -> Array:
        key = tuple((array.shape, array.dtype.str, array.tobytes()) for array in arrays)
        if key not in known:
            known[key] = function(*arrays)
        return known[key].copy()

    return recall


Array = NDArray[np.float64]


@dataclass(frozen=True)
class NumericLink:
    """A link in floating point.

    Attributes:
        parent: position of the parent link; None on the base.
        variable: position of the joint's rate among those of all joints that move; None if the joint is fixed.
        place: position of the joint's variable likewise; they differ on a floating base.
        axis: unit vector of the joint's axis in the frame that `before` ends in, shape (3,).
        angular, linear: rotation about and translation along it per unit of the joint variable.
        before, after: constant 4 x 4 transforms on either side of the joint's screw motion.
        axis_frame: rotation to a frame whose z axis is the joint's, 4 x 4; for what is given in such a frame.
        motor_inertia: reflected to the joint, kg m^2 or kg.
        is_free: whether the joint is that of a floating base, with seven positions (p and x, y, z, w of a unit quaternion) and
            six rates (of the link frame's origin, and angular, in the link's axes).
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
    is_free: bool = False

    @property
    def rates(self) -> slice:
        """The rates of the joint, if it moves, among those of all joints; its forces likewise."""
        return slice(self.variable or 0, (self.variable or 0) + (6 if self.is_free else 1))

    @property
    def has_axis(self) -> bool:
        """Whether the joint moves about or along an axis."""
        return self.variable is not None and not self.is_free


InverseDynamics = Callable[[tuple[NumericLink, ...]], Array]
"""Joint forces of one motion of some links, by their inertial data: the links with these -> tau, shape (..., n)."""
Formulation = Callable[[tuple[NumericLink, ...], Array, Array, Array, Array], InverseDynamics]
"""Inverse dynamics of a motion: links, gravity, q, qd, qdd -> joint forces by inertial data.

The inertial data of these links do not count. Gravity is its acceleration in the base frame, shape (3,); the state has shapes
(..., n), in rad or m, and their derivatives by time.
"""


def numeric_links(
    description: RobotDescription, precision: type[np.floating[Any]] = np.float64
) -> tuple[NumericLink, ...]:
    """Links in the order of the description; joint variables are numbered in the order of the moving links.

    Args:
        description: the robot.
        precision: that the geometry is rounded to.
    """
    positions = {link.name: position for position, link in enumerate(description.links)}
    links = []
    variables = places = 0
    for link in description.links:
        axis = vector(link.joint.axis, precision)
        links.append(
            NumericLink(
                parent=None if link.parent is None else positions[link.parent],
                variable=variables if link.joint.moves else None,
                place=places if link.joint.moves else None,
                axis=axis / np.linalg.norm(axis),
                angular=_rounded(link.joint.angular, precision),
                linear=_rounded(link.joint.linear, precision),
                before=transform(link.before, precision),
                after=transform(link.after, precision),
                axis_frame=transform(link.joint.axis_frame, precision),
                inertial=link.inertial,
                motor_inertia=float(link.motor_inertia),
                friction=link.friction,
                is_free=link.joint.type.is_free,
            )
        )
        variables += len(link.joint.type.rotates)
        places += len(link.joint.type.position_units)
    return tuple(links)


def joint_frames(links: tuple[NumericLink, ...], q: Array) -> tuple[list[Array], list[Array]]:
    """Poses in the base frame of the frames in front of every joint, and of every link frame.

    Args:
        links: as `numeric_links` returns them.
        q: positions of all joints that move, shape (..., n).

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
    """The motion of a link's joint for joint positions of shape (..., n): shape (..., 4, 4)."""
    if link.is_free:
        first = link.place or 0
        return _free_pose(q[..., first : first + 3], q[..., first + 3 : first + 7])
    position = joint_position(link, q)
    motion = np.zeros((*position.shape, 4, 4), dtype=position.dtype)
    motion[..., :3, :3] = rotation_about(link.axis, link.angular * position)
    motion[..., :3, 3] = link.linear * position[..., None] * link.axis
    motion[..., 3, 3] = 1
    return motion


def rotation_about(axis: Array, angle: Array) -> Array:
    """Rotation matrix (Rodrigues) about a unit vector, shape (3,), by angles of shape (...): shape (..., 3, 3)."""
    along = np.outer(axis, axis)
    across = np.cross(np.eye(3), axis)
    sine, cosine = np.sin(angle)[..., None, None], np.cos(angle)[..., None, None]
    rotation: Array = along + cosine * (np.eye(3) - along) + sine * across
    return rotation


def _free_pose(position: Array, quaternion: Array) -> Array:
    """The pose of a floating link, shape (..., 4, 4), from its position and its quaternion (Euler and Rodrigues)."""
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


def rotated(quaternion: Array, vectors: Array) -> Array:
    """Vectors, shape (..., 3), rotated by unit quaternions x, y, z, w of shape (..., 4)."""
    rotation = _free_pose(np.zeros_like(quaternion[..., :3]), quaternion)[..., :3, :3]
    result: Array = (rotation @ vectors[..., None])[..., 0]
    return result


def joint_position(link: NumericLink, q: Array) -> Array:
    """The variable of a link's joint in an array (..., n) of joint positions; zero if it has no axis."""
    return q[..., link.place] if link.has_axis else np.zeros_like(q[..., 0])


def joint_rate(link: NumericLink, rates: Array) -> Array:
    """The entry of a link's joint in an array (..., n) of joint rates or accelerations; zero if it has no axis."""
    return rates[..., link.variable] if link.has_axis else np.zeros_like(rates[..., 0])


def base_twist(link: NumericLink, rates: Array) -> tuple[Array, Array]:
    """The rates of a floating link's joint, or their changes: linear and angular, (..., 3) each, in the link's axes."""
    first = link.rates.start
    return rates[..., first : first + 3], rates[..., first + 3 : first + 6]


def no_forces(q: Array, qd: Array, qdd: Array) -> Array:
    """Zeros for the joint forces of a motion, (..., n); complex if the motion is."""
    states = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1], qdd.shape[:-1])
    return np.zeros((*states, qd.shape[-1]), dtype=np.result_type(q, qd, qdd, np.float64))


def vector(values: Vector, precision: type[np.floating[Any]] = np.float64) -> Array:
    """Three exact numbers in floating point."""
    return np.array([_rounded(value, precision) for value in values])


def _rounded(number: Exact, precision: type[np.floating[Any]]) -> Any:
    """An exact number in floating point; of more digits than double has, numerator and denominator are rounded each."""
    if precision is np.float64:
        return float(number)
    fraction = number.to_fraction()
    return precision(str(fraction.numerator)) / precision(str(fraction.denominator))


def symmetric(tensor: Tensor) -> Array:
    """The 3 x 3 matrix of the elements Ixx, Iyy, Izz, Ixy, Ixz, Iyz."""
    xx, yy, zz, xy, xz, yz = (float(element) for element in tensor)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def transform(steps: Displacement, precision: type[np.floating[Any]] = np.float64) -> Array:
    """A constant displacement as a 4 x 4 transform."""
    pose: Any = np.eye(4, dtype=precision)
    for step in steps:
        each: Any = np.eye(4, dtype=precision)
        if isinstance(step, Rotation):
            each[:3, :3] = rotation_about(
                np.eye(3)[step.axis], np.array(_rounded(step.angle, precision))
            )
        else:
            each[:3, 3] = vector(step.vector, precision)
        pose = pose @ each
    result: Array = pose
    return result
