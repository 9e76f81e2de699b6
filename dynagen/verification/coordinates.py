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
        turned = (0.5 * sum(entry * about[..., axis] for axis, entry in enumerate(row)) for row in rows)
        by = [rotated(q[..., 3:7], along), np.stack(list(turned), axis=-1), step[..., 6:]]
        states = np.broadcast_shapes(q.shape[:-1], step.shape[:-1])
        moved: NDArray[Any] = q + np.concatenate([np.broadcast_to(part, (*states, part.shape[-1])) for part in by], axis=-1)
        return moved

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
