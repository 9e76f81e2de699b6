"""Coordinates: q and v of a robot -> the variables of all its joints, and forces of all joints -> those of the coordinates.

The references compute every robot as if all its joints were independent. With mimic joints, q_joint = ratio q + offset for
the entry of q that the joint follows: v_joint = G v with a constant matrix G, and by virtual work the forces of the
coordinates are G^T times those of the joints.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynagen.description.description import RobotDescription
from dynagen.verification.kinematics import Array, NumericLink, rotated


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
        rates = [(joint, joint.idx_v + entry) for joint in joints for entry in range(len(joint.type.rotates))]
        variables = [(joint, joint.idx_q + entry) for joint in joints for entry in range(len(joint.type.position_units))]
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
        return cls(rates, tuple(range(rates)), one, one, tuple(range(rates + floats)), slope, 0 * slope, floats)

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
        orientation = (0.5 * sum(entry * about[..., axis] for axis, entry in enumerate(row)) for row in rows)
        by = [rotated(q[..., 3:7], along), np.stack(list(orientation), axis=-1), step[..., 6:]]
        states = np.broadcast_shapes(q.shape[:-1], step.shape[:-1])
        moved: NDArray[Any] = q + np.concatenate([np.broadcast_to(part, (*states, part.shape[-1])) for part in by], axis=-1)
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
        of_sine, of_cosine = np.sinc(angle / np.pi), np.sin(angle / 2) * np.sinc(angle / (2 * np.pi))
        shift = along + of_cosine * around + (1 - of_sine) * np.cross(axis, around)
        x, y, z, w = np.moveaxis(q[..., 3:7], -1, 0)
        (a, b, c), s = np.moveaxis(np.sin(angle / 2) * axis, -1, 0), np.cos(angle[..., 0] / 2)
        product = (w * a + x * s + y * c - z * b, w * b - x * c + y * s + z * a, w * c + x * b - y * a + z * s)
        quaternion = np.stack([*product, w * s - x * a - y * b - z * c], axis=-1)
        position = q[..., :3] + rotated(q[..., 3:7], shift)
        return np.concatenate([position, quaternion, q[..., 7:] + motion[..., 6:]], axis=-1)

    def integrated_magnitudes(self, q: Array, motion: Array) -> Array:
        """Sums of the magnitudes of the terms of `integrated`, for a motion of magnitudes."""
        if not self.floats:
            return np.abs(q) + motion
        along, about = (np.linalg.norm(motion[..., part], axis=-1, keepdims=True) for part in (slice(0, 3), slice(3, 6)))
        position = np.abs(q[..., :3]) + along
        orientation = np.broadcast_to(1 + about, (*about.shape[:-1], 4))
        return np.concatenate([position, orientation, np.abs(q[..., 7:]) + motion[..., 6:]], axis=-1)

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
