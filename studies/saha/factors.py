"""The factors U and D of a mass matrix, M = U D U^T, and its inverse (Saha 2003, section 2.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def factor(matrix: Array) -> tuple[Array, Array]:
    """Return U and the diagonal of D for a symmetric matrix U D U^T, by Gaussian elimination.

    U is unit upper triangular, and D is diagonal.
    """
    rest, n = matrix.copy(), len(matrix)
    u, d = np.eye(n), np.zeros(n)
    for k in reversed(range(n)):
        d[k] = rest[k, k]
        u[:k, k] = rest[:k, k] / d[k]
        rest[:k, :k] -= d[k] * np.outer(u[:k, k], u[:k, k])
    return u, d


def invert(matrix: Array) -> Array:
    """Return the inverse U^-T D^-1 U^-1 of a matrix U D U^T, by back substitution in U.

    U is unit upper triangular, and D is diagonal.
    """
    u, d = factor(matrix)
    n = len(matrix)
    inverse_of_u = np.eye(n)
    for row in reversed(range(n)):
        inverse_of_u[row] -= u[row, row + 1 :] @ inverse_of_u[row + 1 :]
    result: Array = inverse_of_u.T @ (inverse_of_u / d[:, None])
    return result
