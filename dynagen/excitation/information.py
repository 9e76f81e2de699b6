"""Information: how well measurements along a motion tell the parameters apart, and how this changes with the regressor.

Both measures are of A, the regressors of all samples under each other, every row divided by what its joint force is measured
to (here: by the joint's effort limit). They are to be large, and come with their derivatives by every entry of A.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from dynagen.identification.samples import Array
from dynagen.identification.triangular import triangle_of

Measure = Callable[[Array], tuple[float, Array]]
"""A of shape (rows, p) -> the measure and its derivatives, shape (rows, p)."""


def log_determinant(rows: Array) -> tuple[float, Array]:
    """Log det(A^T A) / p: what ellipsoids of confidence shrink with (D-optimal), whatever the units of the parameters.

    The derivative is 2 A (A^T A)^-1 / p.
    """
    triangle = triangle_of(rows)
    diagonal = np.diagonal(triangle)
    count = len(diagonal)
    if not diagonal.min() > np.finfo(float).eps * diagonal.max():
        return -np.inf, np.zeros_like(rows)
    inverse = np.linalg.inv(triangle)
    return 2 * float(np.sum(np.log(diagonal))) / count, rows @ (inverse @ inverse.T) * (2 / count)


def negative_log_condition(rows: Array) -> tuple[float, Array]:
    """-log of the condition number of A, its columns scaled to length one (Gautier and Khalil 1992).

    Scaled so, it is within a factor of sqrt(p) of the least that any scaling reaches (van der Sluis 1969); units do not count.
    """
    lengths = np.linalg.norm(rows, axis=0)
    if not lengths.min() > 0:
        return -np.inf, np.zeros_like(rows)
    scaled = rows / lengths
    _, values, right = np.linalg.svd(triangle_of(scaled))  # which has the singular values of the whole
    if not values[-1] > np.finfo(float).eps * values[0]:
        return -np.inf, np.zeros_like(rows)
    greatest, least = (np.outer(scaled @ right[which], right[which]) / values[which] ** 2 for which in (0, -1))
    slopes = least - greatest
    along = np.sum(scaled * slopes, axis=0)  # lengthening a column changes nothing
    return float(np.log(values[-1] / values[0])), (slopes - scaled * along) / lengths


MEASURES: Mapping[str, Measure] = MappingProxyType({"logdet": log_determinant, "condition": negative_log_condition})
