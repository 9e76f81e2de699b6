"""Faults of measured joint forces: signs and joints in each other's place, found by what motion and description expect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dynagen.identification.estimators.least_squares import solve
from dynagen.identification.log_faults import LogFault, correlations
from dynagen.identification.regression import RegressionModel
from dynagen.identification.samples import Array, Samples
from dynagen.identification.triangular import factors_of

_OPPOSITE = -0.5  # correlation with the described forces: the sign is wrong
_FOREIGN = 0.5  # below which a force may be another joint's
_SAME = 0.8  # above which it is
_DRIVES = 0.1  # of a joint's power, that friction with a wrong sign gives instead of taking it
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
    expected = model.columns(samples.q, samples.qd, samples.qdd) @ model.described
    factors = factors_of(model, samples)
    alike = correlations(expected, samples.tau)
    for joint, (factor, count) in enumerate(zip(factors.factors, factors.counts, strict=True)):
        if count < _FEWEST:
            continue
        others = [other for other in range(len(names)) if other != joint and _in_place_of(alike, joint, other)]
        values = solve(factor, np.zeros(len(model.parameters))).values
        if others:
            yield joint, f"fits the joint of {names[others[0]]}, and that one this joint: are columns swapped?", True
        elif alike[joint, joint] < _OPPOSITE or _friction_drives(model, samples, joint, values):
            what = (
                "its friction would drive the joint"
                if alike[joint, joint] > _OPPOSITE
                else "it is the opposite of what the description gives"
            )
            yield joint, f"the sign is wrong: {what}. Turn it, for currents with a gain below zero", True
        elif abs(factor[-1, -1]) > _UNEXPLAINED * np.linalg.norm(factor[:, -1]):
            part = 100 * abs(factor[-1, -1]) / np.linalg.norm(factor[:, -1])
            yield joint, f"no parameters explain {part:.0f} % of it: is it the force of this joint?", True


def _in_place_of(alike: Array, joint: int, other: int) -> bool:
    """Whether two joints' forces are each the other's."""
    foreign = max(alike[joint, joint], alike[other, other]) < _FOREIGN
    return bool(foreign and min(alike[joint, other], alike[other, joint]) > _SAME)


def _friction_drives(model: RegressionModel, samples: Samples, joint: int, values: Array) -> bool:
    """Whether the friction that fits a joint best gives power instead of taking it."""
    own = [place for place, each in enumerate(model.parameters) if each.joint == joint]
    used = samples.used[:, joint]
    columns = model.restricted(own).columns(samples.q, samples.qd, samples.qdd)[used, joint]
    rate, force = samples.qd[used, joint], samples.tau[used, joint]
    taken = float(np.mean((columns @ values[own]) * rate))
    return taken < -_DRIVES * float(np.mean(np.abs(force * rate)))
