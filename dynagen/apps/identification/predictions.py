"""Joint forces that an identified robot predicts for logs, next to the measured forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynagen.apps.identification.regression import RegressionModel
from dynagen.apps.identification.samples import Samples
from dynagen.numbers.arrays import Array

ABOVE_100 = (
    "Above 100 %, the described forces are worse than zero forces: the masses or the friction of "
    "the description are far off, or the units or gains of the log. Compare the description with "
    "`dynagen check`, and --gains with the data sheet of the drives."
)
"""Explanation of residuals above 100 % for forces computed from the description."""


@dataclass(frozen=True)
class Prediction:
    """Measured and predicted joint forces of one log.

    Attributes:
        samples: the filtered log with measured forces.
        predicted: joint forces computed from the estimated parameters, N m or N, shape (count, n).
        described: joint forces computed from the parameters and friction in the robot's
            description, N m or N, shape (count, n) for `count` samples and n joints.
    """

    samples: Samples
    predicted: Array
    described: Array

    @property
    def residual(self) -> Array:
        """Measured minus predicted joint forces in N m or N, shape (samples, joints)."""
        return self.samples.tau - self.predicted

    @property
    def relative_residual_percent(self) -> Array:
        """Norm over time of each joint's residual, in percent of the norm of the measured force.

        The residual is the measured force minus the prediction by the estimated parameters.
        """
        return _percent(self.residual, self.samples.tau)

    @property
    def described_residual_percent(self) -> Array:
        """Norm over time of each joint's residual, in percent of the norm of the measured force.

        The residual is the measured force minus the force computed from the described parameters.
        """
        return _percent(self.samples.tau - self.described, self.samples.tau)


def note_above_100(predictions: Sequence[Prediction]) -> str:
    """Return the note ABOVE_100 if forces by the described parameters are worse than zero forces.

    This is the case if the residual of a joint exceeds 100 % of its measured force. The text is
    empty otherwise.
    """
    return (
        ABOVE_100
        if any((log.described_residual_percent.round(1) > 100).any() for log in predictions)
        else ""
    )


def predict(
    model: RegressionModel, values: Array, every: RegressionModel, samples: Samples
) -> Prediction:
    """Predict the joint forces of a log twice: from estimated and from described parameters.

    Args:
        model: regressor of the estimated parameters.
        values: value of each estimated parameter in SI units.
        every: regressor of all parameters of the robot, for the forces by the described parameters.
        samples: filtered motion and measured forces of the log.
    """
    return Prediction(
        samples, _forces(model, samples, values), _forces(every, samples, every.described_values)
    )


def _forces(model: RegressionModel, samples: Samples, values: Array) -> Array:
    """Compute the joint forces of all samples, piece by piece to save memory."""
    return np.concatenate(
        [
            model.compute_regressor(piece.q, piece.qd, piece.qdd) @ values
            for piece in samples.iterate_pieces()
        ]
    )


def _percent(residual: Array, measured: Array) -> Array:
    """Compute the norm of each residual column in percent of the norm of the measured column.

    The result is 0 for a measured column of zeros.
    """
    norms = np.linalg.norm(measured, axis=0)
    return np.asarray(100 * np.linalg.norm(residual, axis=0) / np.where(norms > 0, norms, np.inf))
