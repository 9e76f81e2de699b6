"""Prediction: joint forces as parameters give them, beside what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynagen.identification.regression import RegressionModel
from dynagen.identification.samples import Array, Samples

ABOVE_100 = (
    "Above 100 %, described forces miss the measured ones by more than zero would: the masses or the friction of the "
    "description are far off, or the units or gains of the log."
)
"""What a description's residual of more than 100 % means."""


@dataclass(frozen=True)
class Prediction:
    """Forces of one log.

    Attributes:
        samples: measured.
        predicted: by the estimate, N m or N, shape (count, n).
        described: by the description alone, its friction included, likewise.
    """

    samples: Samples
    predicted: Array
    described: Array

    @property
    def residual(self) -> Array:
        """What the prediction leaves, shape (count, n)."""
        return self.samples.tau - self.predicted

    @property
    def relative_residual_percent(self) -> Array:
        """Norm of each joint's residual by the norm of its measured force, shape (n,)."""
        return _percent(self.residual, self.samples.tau)

    @property
    def described_residual_percent(self) -> Array:
        """The same of the description."""
        return _percent(self.samples.tau - self.described, self.samples.tau)


def above_100(predictions: Sequence[Prediction]) -> str:
    """What a description's residual of more than 100 % means; empty where none has one with the digit that is printed."""
    return ABOVE_100 if any((each.described_residual_percent.round(1) > 100).any() for each in predictions) else ""


def predict(model: RegressionModel, values: Array, every: RegressionModel, samples: Samples) -> Prediction:
    """Predict the forces of a log.

    Args:
        model: with the estimate's parameters.
        values: theirs.
        every: the model with all parameters, for the description's forces.
        samples: the log.
    """
    return Prediction(samples, _forces(model, samples, values), _forces(every, samples, every.described))


def _forces(model: RegressionModel, samples: Samples, values: Array) -> Array:
    """The forces of samples, whose regressor is in memory in pieces; shape (count, n)."""
    return np.concatenate([model.columns(each.q, each.qd, each.qdd) @ values for each in samples.pieces()])


def _percent(left: Array, measured: Array) -> Array:
    norms = np.linalg.norm(measured, axis=0)
    return np.asarray(100 * np.linalg.norm(left, axis=0) / np.where(norms > 0, norms, np.inf))
