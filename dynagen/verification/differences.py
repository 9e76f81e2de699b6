"""Motions between two positions: the inverse of `Coordinates.integrate`, in numbers."""

from __future__ import annotations

import numpy as np

from dynagen.numbers.arrays import Array
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.kinematics import rotate


def compute_difference(coordinates: Coordinates, q: Array, after: Array) -> Array:
    """Return the motion in entries of v, (..., n), from positions q to `after`, both (..., nq).

    The difference is the inverse of `integrate` for rotations of the base by less than 180 degrees.
    """
    if not coordinates.floats:
        return after - q
    inverse = q[..., 3:7] * np.array([-1, -1, -1, 1])
    # The quaternion of the relative rotation, as a product of matrices of q and `after`.
    x, y, z, w = np.moveaxis(q[..., 3:7], -1, 0)
    rows = np.stack(
        [
            np.stack(row, axis=-1)
            for row in ((w, z, -y, -x), (-z, w, x, -y), (y, -x, w, -z), (x, y, z, w))
        ],
        axis=-2,
    )
    relative = np.einsum("...ij,...j->...i", rows, after[..., 3:7])
    relative = np.where(relative[..., 3:] < 0, -relative, relative)
    length = np.linalg.norm(relative[..., :3], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(length, relative[..., 3:])
    about = relative[..., :3] * np.where(length > 0, angle / np.where(length > 0, length, 1), 2)
    # `integrate` moves the origin by V along: V from its columns, inverted by elimination.
    still = np.zeros_like(q)
    still[..., 6] = 1
    motions = (
        np.concatenate([axis + 0 * about, about, 0 * after[..., 7:]], axis=-1) for axis in np.eye(3)
    )
    columns = [coordinates.integrate(still, motion)[..., :3] for motion in motions]
    shift = rotate(inverse, after[..., :3] - q[..., :3])
    along = np.linalg.solve(np.stack(columns, axis=-1), shift[..., None])[..., 0]
    return np.concatenate([along, about, after[..., 7:] - q[..., 7:]], axis=-1)


def compute_difference_magnitudes(coordinates: Coordinates, q: Array, after: Array) -> Array:
    """Return the sums of the magnitudes of the terms of `compute_difference`, shape (..., n)."""
    if not coordinates.floats:
        return np.abs(q) + np.abs(after)
    path = np.linalg.norm(q[..., :3], axis=-1) + np.linalg.norm(after[..., :3], axis=-1)
    # The inverse of V is at most pi/2. A rotation vector is at most pi, from a quaternion of 1.
    along, about = np.pi * path, np.full_like(path, 2 * np.pi)
    return np.concatenate(
        [
            np.stack([along] * 3 + [about] * 3, axis=-1),
            np.abs(q[..., 7:]) + np.abs(after[..., 7:]),
        ],
        axis=-1,
    )
