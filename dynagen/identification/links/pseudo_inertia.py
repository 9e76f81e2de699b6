"""Pseudo-inertia: a body's ten inertial parameters as one symmetric matrix, which is positive definite for what can be built.

P = integral of (x, 1) (x, 1)^T dm = [[S, h], [h^T, m]], with S the second moments, h the first and m the mass about one origin
(P. Wensing, S. Kim, J.-J. Slotine, "Linear Matrix Inequalities for Physically Consistent Inertial Parameter Identification",
IEEE Robotics and Automation Letters 3(1), 2018). Mass above zero, positive principal moments and the triangle inequality about
the centre of mass are together the one condition P > 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SQUARES = ((0, 0), (1, 1), (2, 2))
_PRODUCTS = ((0, 1), (0, 2), (1, 2))
_LEAST = 1e-6  # eigenvalue by the largest, in units in which both would be one for a ball, below which a body is too flat
_REPAIRED = 1e-2  # what such an eigenvalue is replaced with


def pseudo_inertia(parameters: Array) -> Array:
    """The matrix P of m, mx, my, mz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz; shape (10,) -> (4, 4)."""
    mass, moments, squares, products = parameters[0], parameters[1:4], parameters[4:7], parameters[7:10]
    matrix = np.diag([*(squares.sum() / 2 - squares), mass])
    matrix[:3, 3] = matrix[3, :3] = moments
    for (row, column), product in zip(_PRODUCTS, products, strict=True):
        matrix[row, column] = matrix[column, row] = -product
    return matrix


def parameters_of(matrix: Array) -> Array:
    """The ten parameters of a matrix P; shape (4, 4) -> (10,)."""
    second = matrix[:3, :3]
    squares = [np.trace(second) - second[place] for place in _SQUARES]
    products = [-second[place] for place in _PRODUCTS]
    return np.array([matrix[3, 3], *matrix[:3, 3], *squares, *products])


def parameters_in(factor: Array) -> Array:
    """The linear map from X to the parameters of P = C X C^T; shape (4, 4) -> (10, 16), for the entries of X row by row."""
    units = np.eye(16).reshape(16, 4, 4)
    return np.stack([parameters_of(factor @ (unit + unit.T) / 2 @ factor.T) for unit in units], axis=-1)


def factor_of_nearest_body(parameters: Array, mass: float, length: float) -> Array:
    """A triangular C with C C^T = P, of the described body or, if no body is like that, of one near it.

    Args:
        parameters: the ten.
        mass: that a link of this robot may have, in kg; used where the described one is not positive.
        length: extent of such a link in m, likewise.
    """
    matrix = pseudo_inertia(parameters)
    if matrix[3, 3] <= 0:
        matrix[3, 3] = mass
    spread = np.trace(matrix[:3, :3]) / matrix[3, 3]
    extent = np.sqrt(spread) if spread > 0 else length
    scale = np.sqrt(matrix[3, 3]) * np.array([extent, extent, extent, 1.0])
    values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    if values[0] <= _LEAST * values[-1]:
        values = np.where(values <= _LEAST * values[-1], _REPAIRED * values[-1], values)
        matrix = (vectors * values) @ vectors.T * np.outer(scale, scale)
    return np.asarray(np.linalg.cholesky(matrix), dtype=float)
