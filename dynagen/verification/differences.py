"""Numeric motions between two positions: the inverse of `Coordinates.integrate`."""

from __future__ import annotations

import numpy as np

from dynagen.numbers.arrays import Array
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.kinematics import rotate


def compute_difference(coordinates: Coordinates, q: Array, after: Array) -> Array:
    """Return the motion, (..., n), with which `Coordinates.integrate` moves q to `after`.

    The motion is a constant joint velocity v times its duration (rad or m). Rotations must be less
    than 180 degrees.

    Args:
        coordinates: relation between q, v and the joints of the robot.
        q: positions at the start, shape (..., nq).
        after: positions at the end, shape (..., nq).
    """
    if coordinates.quaternions:
        kept, turned, others = coordinates.split_quaternions(q.shape[-1])
        motion = np.zeros((*np.broadcast_shapes(q.shape, after.shape)[:-1], coordinates.count))
        motion[..., turned] = compute_difference(others, q[..., kept], after[..., kept])
        for place, entry in coordinates.quaternions:
            ends = (each[..., place : place + 4] for each in (q, after))
            motion[..., entry : entry + 3] = _compute_rotation(*ends)
        return motion
    if not coordinates.floats:
        return after - q
    inverse = q[..., 3:7] * np.array([-1, -1, -1, 1])
    about = _compute_rotation(q[..., 3:7], after[..., 3:7])
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


def _compute_rotation(quaternion: Array, after: Array) -> Array:
    """Return the rotation vector (rad) from one quaternion to another; its length is at most pi."""
    # The quaternion of the relative rotation, as a product of matrices of both.
    x, y, z, w = np.moveaxis(quaternion, -1, 0)
    rows = np.stack(
        [
            np.stack(row, axis=-1)
            for row in ((w, z, -y, -x), (-z, w, x, -y), (y, -x, w, -z), (x, y, z, w))
        ],
        axis=-2,
    )
    relative = np.einsum("...ij,...j->...i", rows, after)
    relative = np.where(relative[..., 3:] < 0, -relative, relative)
    length = np.linalg.norm(relative[..., :3], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(length, relative[..., 3:])
    about: Array = relative[..., :3] * np.where(
        length > 0, angle / np.where(length > 0, length, 1), 2
    )
    return about


def compute_difference_magnitudes(coordinates: Coordinates, q: Array, after: Array) -> Array:
    """Return, for each entry of the motion from q to `after`, the sum of its terms' magnitudes.

    The result has the shape (..., n). `compute_difference` computes the motion.

    Args:
        coordinates: relation between q, v and the joints of the robot.
        q: positions at the start, shape (..., nq).
        after: positions at the end, shape (..., nq).
    """
    if coordinates.quaternions:
        kept, turned, others = coordinates.split_quaternions(q.shape[-1])
        # A rotation vector is at most pi, from a quaternion of 1.
        scale = np.full((*q.shape[:-1], coordinates.count), 2 * np.pi)
        scale[..., turned] = compute_difference_magnitudes(others, q[..., kept], after[..., kept])
        return scale
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
