"""Potential energy of the moving links, and its regressor, from the poses of the links.

The expected kinetic energy is computed elsewhere from inverse dynamics
(`dynamics.functions.energies`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynagen.numbers.arrays import Array
from dynagen.verification.frames import FrameReference
from dynagen.verification.newton_euler import PointInertia

_LEFT_OUT = 6  # the six moments and products of inertia have no weight


@dataclass(frozen=True)
class EnergyReference:
    """Potential energy of a robot; a mass at the origin of the base frame has the energy zero.

    Attributes:
        gravity: acceleration of gravity in the base frame, m/s^2, shape (3,).
        bodies: for every moving link, a frame and the inertial data of the link about the frame's
            origin. The frame has the axes of the link.
        origins: the link frame of every link.
        has_axis: for every link, whether its joint has an axis and therefore a motor inertia.
    """

    gravity: Array
    bodies: Sequence[tuple[FrameReference, PointInertia]]
    origins: Sequence[FrameReference]
    has_axis: Sequence[bool]

    def compute_potential(self, q: Array) -> Array:
        """Return the potential energy (J), shape (...), at positions q of shape (..., nq)."""
        total = np.zeros(q.shape[:-1])
        for frame, inertia in self.bodies:
            rotation, point = frame.compute_pose(q)
            total = total - (inertia.mass * point + rotation @ inertia.first_moment) @ self.gravity
        return total

    def compute_potential_magnitudes(self, q: Array) -> Array:
        """Return an upper bound of the sum of magnitudes of the energy's terms (J), shape (...)."""
        total = np.zeros(q.shape[:-1])
        for frame, inertia in self.bodies:
            reach = frame.compute_pose_magnitudes(q)[1].max(axis=-1)
            total = total + abs(inertia.mass) * reach + np.linalg.norm(inertia.first_moment)
        return total * np.linalg.norm(self.gravity)

    def compute_potential_regressor(self, q: Array) -> Array:
        """Return the potential energy per unit of every standard parameter (J), shape (..., p).

        The p parameters are, for each link, mass, three first moments, and six moments and products
        of inertia about the link frame's origin. The motor inertia follows if the joint has an
        axis.
        """
        columns = []
        for frame, has_axis in zip(self.origins, self.has_axis, strict=True):
            rotation, point = frame.compute_pose(q)
            of_link = np.concatenate(
                [-point[..., None] * self.gravity[:, None], -rotation * self.gravity[:, None]], -1
            ).sum(axis=-2)
            zeros = np.zeros((*q.shape[:-1], _LEFT_OUT + has_axis))
            columns += [of_link if frame.moves else 0 * of_link, zeros]
        return np.concatenate(columns, axis=-1)

    def compute_regressor_magnitudes(self, q: Array) -> Array:
        """Return an upper bound for each element of the potential energy's regressor, (..., p).

        The bound is at least the sum of the magnitudes of the element's terms.
        """
        columns = []
        for frame, has_axis in zip(self.origins, self.has_axis, strict=True):
            reach = frame.compute_pose_magnitudes(q)[1].max(axis=-1)
            of_link = np.stack([reach, *[np.ones_like(reach)] * 3], axis=-1)
            columns += [of_link, np.zeros((*q.shape[:-1], _LEFT_OUT + has_axis))]
        magnitudes: Array = np.concatenate(columns, axis=-1) * np.linalg.norm(self.gravity)
        return magnitudes
