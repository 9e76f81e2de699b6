"""Links and their frames -> centre of mass and momenta of all that moves, link by link, each by its own pose and Jacobian.

Nothing is carried from link to link: a link's momentum is its mass times the velocity of its point, and its inertia times its
angular velocity, from the Jacobian at that point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dynagen.verification.frames import FrameReference
from dynagen.verification.kinematics import Array
from dynagen.verification.newton_euler import PointInertia


@dataclass(frozen=True)
class CentroidalReference:
    """The links that move.

    Attributes:
        links: for every one the frame at the point that its inertial data are about, in the link's axes, and these.
    """

    links: Sequence[tuple[FrameReference, PointInertia]]

    @cached_property
    def mass(self) -> float:
        """Of all (kg)."""
        return sum(inertia.mass for _, inertia in self.links)

    def position(self, q: Array) -> Array:
        """The centre of mass in the base frame, shape (..., 3), m."""
        moments = np.zeros((*q.shape[:-1], 3))
        for frame, inertia in self.links:
            rotation, point = frame.pose(q)
            moments = moments + inertia.mass * point + rotation @ inertia.first_moment
        return moments / self.mass

    def jacobian(self, q: Array) -> Array:
        """Derivatives of its position, shape (..., 3, n)."""
        return self.momentum_matrix(q)[..., :3, :] / self.mass

    def momentum_matrix(self, q: Array) -> Array:
        """Linear momentum and angular momentum about the centre of mass per unit of every rate, shape (..., 6, n)."""
        com, total = self.position(q), np.zeros(1)
        for frame, inertia in self.links:
            rotation, point = frame.pose(q)
            jacobian = frame.jacobian(q)
            v, w = jacobian[..., :3, :], jacobian[..., 3:, :]
            first_moment = (rotation @ inertia.first_moment)[..., None]
            tensor = rotation @ inertia.inertia @ np.swapaxes(rotation, -1, -2)
            linear = inertia.mass * v + np.cross(w, first_moment, axis=-2)
            angular = tensor @ w + np.cross(first_moment, v, axis=-2)
            angular = angular + np.cross((point - com)[..., None], linear, axis=-2)
            total = total + np.concatenate([linear, angular], axis=-2)
        matrix: Array = total
        return matrix

    def position_magnitudes(self, q: Array) -> Array:
        """Upper bounds of the terms of the position."""
        bounds = np.zeros((*q.shape[:-1], 3))
        for frame, inertia in self.links:
            bounds = bounds + abs(inertia.mass) * frame.pose_magnitudes(q)[1] + np.linalg.norm(inertia.first_moment)
        return bounds / abs(self.mass)

    def jacobian_magnitudes(self, q: Array) -> Array:
        """Upper bounds of the terms of the Jacobian."""
        return self.momentum_magnitudes(q)[..., :3, :] / abs(self.mass)

    def momentum_magnitudes(self, q: Array) -> Array:
        """Upper bounds of the terms of the momentum matrix."""
        com, total = np.linalg.norm(self.position_magnitudes(q), axis=-1), np.zeros(1)
        for frame, inertia in self.links:
            bounds, first_moment = frame.jacobian_magnitudes(q), float(np.linalg.norm(inertia.first_moment))
            v, w = bounds[..., :3, :], bounds[..., 3:, :]
            linear = abs(inertia.mass) * v + first_moment * w
            reach = (np.linalg.norm(frame.pose_magnitudes(q)[1], axis=-1) + com)[..., None, None]
            angular = float(np.linalg.norm(inertia.inertia)) * w + first_moment * v + reach * linear
            total = total + np.concatenate([linear, angular], axis=-2)
        matrix: Array = total
        return matrix
