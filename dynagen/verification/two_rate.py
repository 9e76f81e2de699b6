"""The state between `background` and `synchronous`, as arrays of numpy: its order, and the joint forces that it stands for."""

from __future__ import annotations

import numpy as np

from dynagen.verification.coordinates import Coordinates
from dynagen.verification.kinematics import Array, NumericLink


def coordinate_pairs(links: tuple[NumericLink, ...], coordinates: Coordinates) -> tuple[tuple[int, int], ...]:
    """Rows and columns of the mass matrix's lower triangle that can differ from zero: those that move a link in common."""
    moving: list[set[int]] = []
    pairs = set()
    for link in links:
        moving.append(set() if link.parent is None else set(moving[link.parent]))
        if link.variable is not None:
            moving[-1].update(coordinates.index[link.rates])
        pairs |= {(row, column) for row in moving[-1] for column in moving[-1] if column <= row}
    return tuple(sorted(pairs))


def two_rate_forces(pairs: tuple[tuple[int, int], ...], state: Array, qdd: Array) -> Array:
    """Joint forces of a state, shape (..., pairs + n), and accelerations, shape (..., n): M qdd + h with the whole matrix."""
    n = qdd.shape[-1]
    matrix = np.zeros((*state.shape[:-1], n, n), dtype=state.dtype)
    for index, (row, column) in enumerate(pairs):
        matrix[..., row, column] = matrix[..., column, row] = state[..., index]
    forces: Array = np.einsum("...ij,...j->...i", matrix, qdd) + state[..., len(pairs) :]
    return forces
