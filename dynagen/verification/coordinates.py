"""Coordinates: q and v of a robot -> the variables of all its joints, and forces of all joints -> those of the coordinates.

The references compute every robot as if all its joints were free. With mimic joints, q_joint = ratio q + offset for the entry
of q that the joint follows: v_joint = G v with a constant matrix G, and by virtual work the forces of the coordinates are G^T
times those of the joints.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dynagen.description.description import RobotDescription
from dynagen.verification.kinematics import Array


@dataclass(frozen=True)
class Coordinates:
    """The coordinates of a robot.

    Attributes:
        count: of entries of q, and of v.
        index: for every joint that moves the entry that it follows.
        ratio, offset: likewise, shape (joints,).
        weight: of a joint's force in that of the entry: the ratio, or its magnitude where magnitudes of terms are summed.
    """

    count: int
    index: tuple[int, ...]
    ratio: Array
    offset: Array
    weight: Array

    @classmethod
    def of(cls, description: RobotDescription) -> Coordinates:
        """The coordinates of a description."""
        joints = [link.joint for link in description.links if link.joint.moves]
        ratio = np.array([float(joint.ratio) for joint in joints])
        offset = np.array([float(joint.offset) for joint in joints])
        return cls(sum(joint.nv for joint in joints), tuple(joint.idx_v for joint in joints), ratio, offset, ratio)

    @classmethod
    def free(cls, count: int) -> Coordinates:
        """One for every joint."""
        return cls(count, tuple(range(count)), np.ones(count), np.zeros(count), np.ones(count))

    @property
    def magnitudes(self) -> Coordinates:
        """The coordinates for forces that are magnitudes."""
        return replace(self, weight=np.abs(self.ratio))

    def positions(self, q: Array) -> Array:
        """Variables of all joints, shape (..., joints), from q of shape (..., count)."""
        return self.rates(q) + self.offset

    def rates(self, v: Array) -> Array:
        """Rates or accelerations of all joints, shape (..., joints), from those of shape (..., count)."""
        rates: Array = v[..., list(self.index)] * self.ratio
        return rates

    def forces(self, tau: Array) -> Array:
        """Forces of the coordinates, shape (..., count), from those of all joints, or a matrix that has columns for these."""
        forces = np.zeros((*tau.shape[:-1], self.count), dtype=tau.dtype)
        for joint, (index, weight) in enumerate(zip(self.index, self.weight, strict=True)):
            forces[..., index] += weight * tau[..., joint]
        return forces
