"""Motion of the pose of a floating base by the exponential of a twist.

The exponential is computed by its power series. The series accepts complex numbers, for derivatives
by complex steps, and has no division by the angle.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynagen.verification.kinematics import rotate

_TERMS = 20  # of the series, for matrices with a norm up to 1


def move_pose(pose: NDArray[Any], along: NDArray[Any], about: NDArray[Any]) -> NDArray[Any]:
    """Return a pose, shape (states, 7), after a motion with a constant twist.

    All arguments may be complex.

    Args:
        pose: position (m) and quaternion x y z w, shape (states, 7).
        along: linear velocity times the duration (m), in the axes of the pose, shape (states, 3).
        about: rotation vector (rad) in the axes of the pose, shape (states, 3).
    """
    x, y, z = np.moveaxis(about, -1, 0)
    nothing = np.zeros_like(x)
    twist = np.zeros((len(about), 4, 4), dtype=np.result_type(along, about))
    for row, entries in enumerate(((nothing, -z, y), (z, nothing, -x), (-y, x, nothing))):
        twist[:, row, :3] = np.stack(entries, axis=-1)
    twist[:, :3, 3] = along
    # Half the product of a quaternion with (about, 0), as a matrix times the quaternion.
    turn = np.zeros_like(twist)
    for row, entries in enumerate(((nothing, z, -y), (-z, nothing, x), (y, -x, nothing))):
        turn[:, row, :3] = np.stack(entries, axis=-1) / 2
    turn[:, :3, 3], turn[:, 3, :3] = about / 2, -about / 2
    shift = rotate(pose[:, 3:], _exponentiate(twist)[:, :3, 3])
    orientation = (_exponentiate(turn) @ pose[:, 3:, None])[..., 0]
    return np.concatenate([pose[:, :3] + shift, orientation], axis=-1)


def _exponentiate(matrices: NDArray[Any]) -> NDArray[Any]:
    """Return the exponentials of square matrices, by scaling, power series and squaring."""
    size = matrices.shape[-1]
    norm = size * np.max(np.abs(matrices), initial=1e-3)
    halvings = max(0, int(np.ceil(np.log2(norm))))
    fraction, unit = matrices / 2**halvings, np.eye(size)
    result: NDArray[Any] = np.broadcast_to(unit, matrices.shape)
    for term in range(_TERMS, 0, -1):
        result = unit + fraction @ result / term
    for _ in range(halvings):
        result = result @ result
    return result
