"""Total least squares: noise in the regressor as well as in the forces.

The smallest change of all columns, relative to the length of each, that makes the equations hold exactly (S. Van Huffel, J.
Vandewalle, "The Total Least Squares Problem", SIAM 1991; for robots Gautier, Vandanjon, Presse 1994). Equations are weighted
as those of weighted least squares. Where noise is on the forces alone it gains nothing and loses a little.
"""

from __future__ import annotations

import numpy as np

from dynagen.identification.estimate import Estimate
from dynagen.identification.estimators.least_squares import (
    described_of,
    deviations_of,
    refuse_friction_by_load,
    settled_weights,
    solve,
)
from dynagen.identification.regression import Parameter
from dynagen.identification.triangular import JointFactors


def estimate_total(factors: JointFactors, parameters: tuple[Parameter, ...]) -> Estimate:
    """Total least squares; parameters that the samples do not tell are held as least squares holds them.

    Raises:
        UsageError: friction depends on the load.
    """
    refuse_friction_by_load("total", parameters)
    described = described_of(parameters)
    weights = settled_weights(factors, described)
    factor = factors.weighted(weights)
    least = solve(factor, described)
    free = [place for place in range(len(parameters)) if place not in least.held]
    held = list(least.held)
    rest = factor[:, -1] - factor[:, held] @ least.values[held]
    extended = np.column_stack([factor[:, free], rest])
    lengths = np.linalg.norm(extended, axis=0)
    _, sizes, directions = np.linalg.svd(extended / lengths)
    nearest = directions[-1] / lengths
    values = least.values.copy()
    values[free] = -nearest[:-1] / nearest[-1]
    columns = factor[:, free] / lengths[:-1]
    information = columns.T @ columns - sizes[-1] ** 2 * np.eye(len(free))
    error = sizes[-1] ** 2 * (1 + np.sum((values[free] * lengths[:-1] / lengths[-1]) ** 2)) * lengths[-1] ** 2
    freedom = max(int(factors.counts.sum()) - len(free), 1)
    covariance = np.zeros((len(parameters),) * 2)
    scaled = error / freedom * np.linalg.inv(information)
    covariance[np.ix_(free, free)] = scaled / np.outer(lengths[:-1], lengths[:-1])
    deviations = deviations_of(factors, type(least)(values, least.spread, least.held), weights)
    return Estimate("total", parameters, values, covariance, deviations, least.held)
