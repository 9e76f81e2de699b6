"""Faults of measured joint forces: signs and joints in each other's place, found by what motion and description expect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dynagen.extras import require_extra
from dynagen.identification.logs.log_faults import LogFault, correlations
from dynagen.identification.regression import RegressionModel
from dynagen.identification.samples import Array, Samples
from dynagen.identification.triangular import factors_of

_OPPOSITE = 0.7  # of what the force leaves, the opposite force leaves at most, if its sign is wrong
_FOREIGN = 0.5  # below which a force may be another joint's
_SAME = 0.8  # above which it is
_UNEXPLAINED = 0.8  # of a force, after the joint's own best fit
_FEWEST = 100  # samples that such judgement takes


def faults_of_forces(model: RegressionModel, samples: Samples, names: Sequence[str]) -> tuple[LogFault, ...]:
    """What cannot be about the measured forces of a log.

    Args:
        model: with all parameters.
        samples: of one log.
        names: of the forces' columns, for messages.
    """
    return tuple(
        LogFault(samples.source, names[joint], message, stops) for joint, message, stops in _faults(model, samples, names)
    )


def _faults(model: RegressionModel, samples: Samples, names: Sequence[str]) -> Iterator[tuple[int, str, bool]]:
    columns = model.columns(samples.q, samples.qd, samples.qdd)
    expected = columns @ model.described
    inertial = columns @ np.where([each.kind == "inertial" for each in model.parameters], model.described, 0.0)
    factors = factors_of(model, samples)
    alike = correlations(expected, samples.tau)
    for joint, (factor, count) in enumerate(zip(factors.factors, factors.counts, strict=True)):
        if count < _FEWEST:
            continue
        others = [other for other in range(len(names)) if other != joint and _in_place_of(alike, joint, other)]
        if others:
            yield joint, f"fits the joint of {names[others[0]]}, and that one this joint: are columns swapped?", True
        elif _is_opposite(samples, joint, inertial):
            what = "its opposite fits the description and friction that brakes far better"
            yield joint, f"the sign is wrong: {what}. Turn it, for currents with a gain below zero", True
        elif abs(factor[-1, -1]) > _UNEXPLAINED * np.linalg.norm(factor[:, -1]):
            part = 100 * abs(factor[-1, -1]) / np.linalg.norm(factor[:, -1])
            yield joint, f"no parameters explain {part:.0f} % of it: is it the force of this joint?", True


def _in_place_of(alike: Array, joint: int, other: int) -> bool:
    """Whether two joints' forces are each the other's."""
    foreign = max(alike[joint, joint], alike[other, other]) < _FOREIGN
    return bool(foreign and min(alike[joint, other], alike[other, joint]) > _SAME)


def _is_opposite(samples: Samples, joint: int, inertial: Array) -> bool:
    """Whether the opposite of a joint's force is what is more like a multiple of the described force and friction that brakes.

    The description may be a guess, and friction more than all else: so that of neither more than its sign is believed.
    """
    used = samples.used[:, joint]
    rate, force = samples.qd[used, joint], samples.tau[used, joint]
    columns = np.stack([inertial[used, joint], rate, np.sign(rate)], axis=1)
    return _left(columns, -force) < _OPPOSITE * _left(columns, force)


def _left(columns: Array, force: Array) -> float:
    """What is left of a force by columns with factors that are not negative."""
    require_extra("scipy", "identify", "to check the forces of a log")
    from scipy.optimize import nnls

    return float(nnls(columns, force)[1])
