"""Conversion of quaternions, lengths and tensors of a compiled MJCF model to exact numbers.

MuJoCo's compiler returns numbers in double precision. An angle or a matrix element that equals a
round number up to rounding errors becomes this round number.
"""

from __future__ import annotations

from fractions import Fraction
from math import atan2, hypot

import numpy as np
from numpy.typing import NDArray

from dynagen.numbers.exact import PI, ZERO, Exact, count_twelfths_of_pi
from dynagen.robot.description import Tensor
from dynagen.robot.formats.mjcf.compiled import Floats
from dynagen.robot.literals import Snapper, make_multiple_of_pi
from dynagen.robot.pose import Vector

_ROUNDING = 1e-12


def convert_to_rpy(quaternion: Floats, snapper: Snapper, where: str) -> tuple[Exact, Exact, Exact]:
    """Return roll, pitch and yaw (rad) of a rotation, after snapping.

    The rotation is the product Rz(yaw) Ry(pitch) Rx(roll) of rotations about z, y and x.

    Args:
        quaternion: the rotation as a quaternion w, x, y, z of any length.
        snapper: tolerances for snapping.
        where: name of the field, for messages.
    """
    r = compute_rotation_matrix(quaternion)
    across = hypot(r[0, 0], r[1, 0])
    if across < _ROUNDING:  # pitch is a right angle: roll and yaw have one axis, and roll is zero
        angles = 0.0, atan2(-r[2, 0], across), atan2(-r[0, 1], r[1, 1])
    else:
        angles = atan2(r[2, 1], r[2, 2]), atan2(-r[2, 0], across), atan2(r[1, 0], r[0, 0])
    roll, pitch, yaw = (_snap_angle(angle, snapper, where) for angle in angles)
    return roll, pitch, yaw


def _snap_angle(radians: float, snapper: Snapper, where: str) -> Exact:
    exact = Exact(radians)
    twelfths = count_twelfths_of_pi(exact, within=Fraction(_ROUNDING) * 12 / PI.to_fraction())
    return (
        snapper.snap_angle(repr(radians), exact, where)
        if twelfths is None
        else make_multiple_of_pi(twelfths)[0]
    )


def compute_rotation_matrix(quaternion: Floats) -> NDArray[np.float64]:
    """Return the rotation matrix (3, 3) of a quaternion w, x, y, z of any length.

    Matrix entries that are within rounding errors of -1, 0 or 1 are replaced by -1, 0 or 1.
    """
    w, x, y, z = np.array(quaternion) / np.linalg.norm(quaternion)
    matrix = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    rounded = np.round(matrix)
    return np.where(np.abs(matrix - rounded) < _ROUNDING, rounded, matrix)


def rotate_principal_tensor(moments: Floats, quaternion: Floats) -> Tensor:
    """Return an inertia tensor in the body's axes: Ixx, Iyy, Izz, Ixy, Ixz, Iyz (kg m^2).

    Args:
        moments: the three principal moments (kg m^2).
        quaternion: orientation of the principal axes in the body's frame, as w, x, y, z.
    """
    r = compute_rotation_matrix(quaternion)
    full = r @ np.diag(moments) @ r.T
    least = _ROUNDING * max(map(abs, moments))
    entries = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    xx, yy, zz, xy, xz, yz = (
        Exact(float(full[entry])) if abs(full[entry]) > least else ZERO for entry in entries
    )
    return xx, yy, zz, xy, xz, yz


def snap_lengths(values: Floats, snapper: Snapper, where: str) -> Vector:
    """Return three lengths (m) or axis components; numbers within the tolerance become zero."""
    x, y, z = (snapper.snap_length(repr(value), Exact(value), where) for value in values)
    return x, y, z
