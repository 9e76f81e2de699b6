"""Estimate: values of parameters that an estimator found, and how uncertain they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynagen.identification.regression import Parameter
from dynagen.identification.samples import Array


@dataclass(frozen=True)
class Estimate:
    """Parameters as estimated.

    Attributes:
        estimator: its name.
        parameters: what is estimated, p of them.
        values: shape (p,), in the parameters' units.
        covariance: of the errors of the values, shape (p, p); zero for those that are held.
        joint_deviation: standard deviation of the residuals of each joint in N m or N, shape (n,); inf for one
            without equations.
        held: positions of parameters that the samples do not tell, which keep the description's values.
    """

    estimator: str
    parameters: tuple[Parameter, ...]
    values: Array
    covariance: Array
    joint_deviation: Array
    held: tuple[int, ...] = ()

    @property
    def deviations(self) -> Array:
        """Standard deviations of the values, shape (p,)."""
        return np.sqrt(np.diag(self.covariance))
