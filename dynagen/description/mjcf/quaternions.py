"""Rotations that MuJoCo's compiler has made quaternions of -> roll, pitch and yaw, and tensors in other axes.

The compiler's numbers have double precision: an angle or an element that is within their rounding of a round one is that.
"""

from __future__ import annotations

from fractions import Fraction
from math import atan2, hypot

import numpy as np
from numpy.typing import NDArray

from dynagen.description.decimals import multiple_of_pi
from dynagen.description.description import Tensor
from dynagen.description.mjcf.compiled import Floats
from dynagen.description.snapping import Snapper
from dynagen.numbers.exact import PI, ZERO, Exact, twelfths_of_pi

_ROUNDING = 1e-12


def roll_pitch_yaw(quaternion: Floats, snapper: Snapper, where: str) -> tuple[Exact, Exact, Exact]:
    """The angles (rad) of R = Rz(yaw) Ry(pitch) Rx(roll), some of them snapped."""
    r = rotation(quaternion)
    across = hypot(r[0, 0], r[1, 0])
    if across < _ROUNDING:  # pitch is a right angle: roll and yaw are about one axis
        angles = 0.0, atan2(-r[2, 0], across), atan2(-r[0, 1], r[1, 1])
    else:
        angles = atan2(r[2, 1], r[2, 2]), atan2(-r[2, 0], across), atan2(r[1, 0], r[0, 0])
    roll, pitch, yaw = (_angle(angle, snapper, where) for angle in angles)
    return roll, pitch, yaw


def _angle(radians: float, snapper: Snapper, where: str) -> Exact:
    exact = Exact(radians)
    twelfths = twelfths_of_pi(exact, within=Fraction(_ROUNDING) * 12 / PI.to_fraction())
    return snapper.angle(repr(radians), exact, where) if twelfths is None else multiple_of_pi(twelfths)[0]


def rotation(quaternion: Floats) -> NDArray[np.float64]:
    """The rotation matrix of a quaternion w, x, y, z of any length, entries within rounding of 0 and 1 made these."""
    w, x, y, z = np.array(quaternion) / np.linalg.norm(quaternion)
    matrix = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    round_ones = np.round(matrix)
    return np.where(np.abs(matrix - round_ones) < _ROUNDING, round_ones, matrix)


def tensor(moments: Floats, quaternion: Floats) -> Tensor:
    """Principal moments in their axes -> the elements in the axes that these are given in."""
    r = rotation(quaternion)
    full = r @ np.diag(moments) @ r.T
    least = _ROUNDING * max(map(abs, moments))
    places = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    xx, yy, zz, xy, xz, yz = (Exact(float(full[i])) if abs(full[i]) > least else ZERO for i in places)
    return xx, yy, zz, xy, xz, yz
