"""Mass matrix D and bias forces h as printed in listing D.4 of Dhanaraj's thesis (1990)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def inertia_matrix(q: Array) -> Array:
    """Compute the mass matrix D(q) as in the thesis's subroutine `acccoeff` (kg m^2).

    The result has shape (3, 3).
    """
    (_, s2, s3), (_, c2, c3) = np.sin(q), np.cos(q)
    d11 = 6.881538 * (
        c2 * s2 * c3 * s3
        + 0.5946234 * c2 * s2 * c3
        - s2**2 * s3**2
        - 0.5946234 * s2**2 * s3
        - 0.0035408 * s2**2
        + 0.5 * s3**2
        + 0.5946234 * s3
        + 0.9436266
    )
    d12 = -0.7112062 * (c2 * c3 - s2 * s3 - 1.056647 * s2)
    d13 = -0.7112062 * (c2 * c3 - s2 * s3)
    d23 = 2.045961 * (s3 + 2.104716)
    return np.array([[d11, d12, d13], [d12, 4.091923 * (s3 + 3.085665), d23], [d13, d23, 4.306169]])


def bias_forces(q: Array, qd: Array) -> Array:
    """Compute the bias forces h(q, qd) as in the thesis's subroutine `velcoeff` (N m).

    Bias forces are the joint forces at zero acceleration. The result has shape (3,).
    """
    (_, s2, s3), (_, c2, c3), (v1, v2, v3) = np.sin(q), np.cos(q), qd
    h1 = -13.76656 * (
        c2 * s2 * s3**2 * v1 * (v2 + v3)
        + 0.5948432 * c2 * s2 * s3 * v1 * v2
        + 0.2974216 * c2 * s2 * s3 * v1 * v3
        + 0.0036841 * c2 * s2 * v1 * v2
        - 0.5 * c2 * s2 * v1 * v3
        - 0.0516941 * c2 * s3 * v2**2
        - 0.1033881 * c2 * s3 * v2 * v3
        - 0.0516941 * c2 * s3 * v3**2
        - 0.0546354 * c2 * v2**2
        + s2**2 * c3 * s3 * v1 * (v2 + v3)
        + 0.5948432 * s2**2 * c3 * v1 * v2
        + 0.2974216 * s2**2 * c3 * v1 * v3
        - 0.0516941 * s2 * c3 * v2**2
        - 0.1033881 * s2 * c3 * v2 * v3
        - 0.0516941 * s2 * c3 * v3**2
        - 0.5 * c3 * s3 * v1 * (v2 + v3)
        - 0.2974216 * c3 * v1 * (v2 + v3)
    )
    shared = (
        c2 * s2 * s3**2 * v1**2
        - 6.750189 * c2 * s3
        + s2**2 * c3 * s3 * v1**2
        - 6.750189 * s2 * c3
        - 0.5 * c3 * s3 * v1**2
    )
    shared -= 0.2974216 * c3 * v1**2
    h2 = (
        shared
        + 0.5948432 * (c2 * s2 * s3 + s2**2 * c3) * v1**2
        + 0.0036841 * c2 * s2 * v1**2
        - 8.182499 * c2
    )
    h2 += 0.5948432 * c3 * v2 * v3 + 0.2974216 * c3 * v3**2
    h3 = (
        shared
        + 0.2974216 * (c2 * s2 * s3 + s2**2 * c3) * v1**2
        - 0.5 * c2 * s2 * v1**2
        - 0.2974216 * c3 * v2**2
    )
    return np.array([h1, 6.883283 * h2, 6.883283 * h3])
