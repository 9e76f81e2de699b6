"""Small motions of a floating base, and changes of its coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np


def normalise(q: Any, axis: int) -> Any:
    """Return positions with a quaternion of length 1."""
    position, quaternion, joints = _divide(q, axis, 3, 4)
    length = jnp.sqrt(jnp.sum(quaternion**2, axis, keepdims=True))
    return jnp.concatenate([position, quaternion / length, joints], axis)


def find_motion(q: Any, dq: Any, axis: int = -1) -> Any:
    """Return the small motion of a floating base and the joints for a change of q.

    The base moves along and about its own axes: R^T dp, and twice the vector part of the product of
    the conjugate quaternion with its change. A change of the quaternion's length is no motion.

    Args:
        q: positions with a unit quaternion, shape (..., nq).
        dq: their changes, shape (..., nq).
        axis: axis of the entries.

    Returns:
        Small motions, shape (..., nv).
    """
    _, quaternion, _ = _divide(q, axis, 3, 4)
    position, turn, joints = _divide(dq, axis, 3, 4)
    x, y, z, w = _list_entries(quaternion, axis)
    dx, dy, dz, dw = _list_entries(turn, axis)
    angular = [
        2 * (w * dx - x * dw - y * dz + z * dy),
        2 * (w * dy - y * dw - z * dx + x * dz),
        2 * (w * dz - z * dw - x * dy + y * dx),
    ]
    linear = _rotate([-x, -y, -z], w, _list_entries(position, axis))
    return jnp.concatenate([jnp.stack([*linear, *angular], axis), joints], axis)


def find_change(q: Any, v: Any, axis: int = -1) -> Any:
    """Return the change of q for a small motion: dq = G(q) v, the inverse of `find_motion`.

    Args:
        q: positions with a unit quaternion, shape (..., nq).
        v: small motions, or velocities, shape (..., nv).
        axis: axis of the entries.

    Returns:
        Changes of q, or its time derivatives, shape (..., nq).
    """
    _, quaternion, _ = _divide(q, axis, 3, 4)
    linear, angular, joints = _divide(v, axis, 3, 3)
    x, y, z, w = _list_entries(quaternion, axis)
    a, b, c = _list_entries(angular, axis)
    turn = [
        (w * a + y * c - z * b) / 2,
        (w * b + z * a - x * c) / 2,
        (w * c + x * b - y * a) / 2,
        -(x * a + y * b + z * c) / 2,
    ]
    position = _rotate([x, y, z], w, _list_entries(linear, axis))
    return jnp.concatenate([jnp.stack([*position, *turn], axis), joints], axis)


def _divide(array: Any, axis: int, *sizes: int) -> tuple[Any, Any, Any]:
    """Return two parts of an array along an axis, with these sizes, and the rest."""
    first, second, rest = jnp.split(array, np.cumsum(sizes), axis)
    return first, second, rest


def _list_entries(array: Any, axis: int) -> list[Any]:
    return list(jnp.moveaxis(array, axis, 0))


def _rotate(vector: Sequence[Any], w: Any, point: Sequence[Any]) -> list[Any]:
    """Return a point rotated by the unit quaternion with this vector part and w."""
    cross = _cross(vector, point)
    twice = _cross(vector, cross)
    return [p + 2 * (w * c + t) for p, c, t in zip(point, cross, twice, strict=True)]


def _cross(left: Sequence[Any], right: Sequence[Any]) -> list[Any]:
    (a, b, c), (x, y, z) = left, right
    return [b * z - c * y, c * x - a * z, a * y - b * x]
