"""The state between `background` and `synchronous`, as arrays of numpy: its order, and the joint forces that it stands for."""

from __future__ import annotations

import numpy as np

from dynagen.verification.kinematics import Array, NumericLink


def joint_pairs(links: tuple[NumericLink, ...]) -> tuple[tuple[int, int], ...]:
    """Rows and columns of the mass matrix's lower triangle that can differ from zero: a joint, and those that carry it."""
    carriers: list[list[int]] = []
    for link in links:
        inherited = [] if link.parent is None else carriers[link.parent]
        carriers.append(inherited if link.variable is None else [*inherited, link.variable])
    moving = [(link.variable, carrying) for link, carrying in zip(links, carriers, strict=True)]
    return tuple((row, column) for row, carrying in moving if row is not None for column in carrying)


def two_rate_forces(links: tuple[NumericLink, ...], state: Array, qdd: Array) -> Array:
    """Joint forces of a state, shape (..., pairs + n), and accelerations, shape (..., n): M qdd + h with the whole matrix."""
    n = qdd.shape[-1]
    pairs = joint_pairs(links)
    matrix = np.zeros((*state.shape[:-1], n, n), dtype=state.dtype)
    for index, (row, column) in enumerate(pairs):
        matrix[..., row, column] = matrix[..., column, row] = state[..., index]
    forces: Array = np.einsum("...ij,...j->...i", matrix, qdd) + state[..., len(pairs) :]
    return forces
