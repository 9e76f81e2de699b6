"""Significance: which parameters the forces of a robot need, by two rules.

By contribution (A. Izaguirre, M. Hashimoto, R. Paul, V. Hayward, "A new computational structure for real-time dynamics",
International Journal of Robotics Research 11(4), 1992): a parameter whose term stays under one percent of the greatest force
in every trajectory is left out. That is about size alone: with noise it keeps what is not known at all.

By test: parameters are taken out one by one, the least certain of those that are left first, as long as it may be zero and so
may all that are out together: an F test at 5 % of pi_D^T C_DD^-1 pi_D / |D| (for white residuals that is the test of the two
sums of squares; A. Janot, P.-O. Vandanjon, M. Gautier, IEEE Transactions on Control Systems Technology 22(1), 2014) with the
covariance C that coloured residuals leave. It needs no data again: what the rest becomes without some follows from C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynagen.extras import require_extra
from dynagen.identification.estimate import Estimate
from dynagen.identification.regression import RegressionModel
from dynagen.identification.samples import Array, Samples

CONTRIBUTION = 0.01
"""Part of the greatest force that a term has to reach somewhere."""

LEVEL = 0.05
"""Of the F test: how often what is zero is kept."""


@dataclass(frozen=True)
class Dropped:
    """A parameter that is left out.

    Attributes:
        index: its position among all.
        reason: for people.
    """

    index: int
    reason: str


def contributions(model: RegressionModel, trajectories: Sequence[Samples], values: Array) -> tuple[Array, Array]:
    """How much of the forces each parameter makes.

    Args:
        model: the regressor.
        trajectories: one after the other.
        values: of the parameters, shape (p,).

    Returns:
        The greatest magnitude of every term and of the measured force, in N m or N, shapes (trajectories, n, p) and
        (trajectories, n).
    """
    terms = [_greatest_terms(model, each, values) for each in trajectories]
    return np.stack(terms), np.stack([np.abs(each.tau).max(axis=0) for each in trajectories])


def _greatest_terms(model: RegressionModel, samples: Samples, values: Array) -> Array:
    """The greatest magnitude of every term of one trajectory, whose regressor is in memory in pieces; shape (n, p)."""
    greatest = [np.abs(model.columns(each.q, each.qd, each.qdd) * values).max(axis=0) for each in samples.pieces()]
    return np.asarray(np.max(greatest, axis=0))


def without_contribution(terms: Array, greatest: Array, fraction: float = CONTRIBUTION) -> tuple[Dropped, ...]:
    """The parameters whose terms stay small beside the greatest force of their joints.

    Args:
        terms: of each parameter, shape (trajectories, n, p).
        greatest: force of each joint, shape (trajectories, n).
        fraction: that counts as small.
    """
    share = (terms / np.maximum(greatest, np.finfo(float).tiny)[..., None]).max(axis=(0, 1))
    return tuple(
        Dropped(int(index), f"contributes at most {100 * share[index]:.2g} % of a joint's greatest force")
        for index in np.flatnonzero(share < fraction)
    )


def without_certainty(estimate: Estimate, effective: float, level: float = LEVEL) -> tuple[Dropped, ...]:
    """The parameters that may all be zero, taken out stepwise, in their order.

    Args:
        estimate: with the covariance of coloured residuals.
        effective: number of independent measurements.
        level: of the test.
    """
    require_extra("scipy", "identify", "for the F test")
    from scipy.stats import f

    told = [index for index in range(len(estimate.values)) if index not in estimate.held]
    values, covariance = estimate.values[told], estimate.covariance[np.ix_(told, told)]
    freedom = max(effective - len(told), 1.0)
    left, dropped = list(range(len(told))), list[Dropped]()
    rest, spread, statistic = values.copy(), covariance.copy(), 0.0
    while left:
        ratios = np.abs(rest[left]) / np.sqrt(np.diag(spread)[left])
        index, ratio, count = left[int(np.argmin(ratios))], float(min(ratios)), len(dropped) + 1
        statistic += ratio**2  # pi_D^T C_DD^-1 pi_D of all that are out: its steps are orthogonal
        together, alone = (float(f.ppf(1 - level, number, freedom)) for number in (count, 1))
        if statistic / count > together or ratio**2 > alone:
            break
        reason = f"{ratio:.2g} deviations from zero; all {count} dropped: F = {statistic / count:.2f} <= {together:.2f}"
        dropped.append(Dropped(told[index], reason))
        # What the others become with this one held at zero: one step of elimination.
        gain = spread[:, index] / spread[index, index]
        rest = rest - gain * rest[index]
        spread = spread - np.outer(gain, spread[index])
        left.remove(index)
    return tuple(dropped)
