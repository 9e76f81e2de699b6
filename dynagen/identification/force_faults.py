"""Faults of measured joint forces: joints in each other's place and signs, found by what motion and description expect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from dynagen.extras import require_extra
from dynagen.identification.logs.log_faults import LogFault
from dynagen.identification.regression import RegressionModel
from dynagen.identification.samples import Array, Mask, Samples

_OPPOSITE = 0.7  # of what the force leaves, the opposite force leaves at most, if its sign is wrong
_EXCHANGED = 0.8  # of what joints leave of their forces, they leave at most of each other's, if columns are exchanged
_UNEXPLAINED = 0.8  # of a force, after the joint's own best fit
_FEWEST = 100  # samples that such judgement takes


def faults_of_forces(model: RegressionModel, samples: Samples, names: Sequence[str]) -> tuple[LogFault, ...]:
    """What cannot be about the measured forces of a log.

    First whose forces they are, which the regressor tells whatever the parameters and the signs are; then the signs, which
    take the description to tell.

    Args:
        model: with all parameters.
        samples: of one log.
        names: of the forces' columns, for messages.
    """
    return tuple(LogFault(samples.source, names[joint], message, True) for joint, message in _faults(model, samples, names))


def _faults(model: RegressionModel, samples: Samples, names: Sequence[str]) -> Iterator[tuple[int, str]]:
    columns = model.columns(samples.q, samples.qd, samples.qdd)
    inertial = columns @ np.where([each.kind == "inertial" for each in model.parameters], model.described, 0.0)
    unexplained = _unexplained(columns, samples)
    joint_of, is_clear = _exchanged(unexplained)
    for force in map(int, np.flatnonzero(samples.used.sum(axis=0) >= _FEWEST)):
        joint = joint_of[force]
        own, there = 100 * unexplained[force, force], 100 * unexplained[joint, force]
        if is_clear[force]:
            left = f"which leaves {there:.0f} % of it unexplained, its own {own:.0f} %"
            yield force, f"fits the joint of {names[joint]} far better, {left}: are columns exchanged?"
        elif _is_opposite(samples, force, inertial):
            what = "its opposite fits the description and friction that brakes far better"
            other = "" if joint == force else f"; or columns are exchanged, and it is of the joint of {names[joint]}"
            yield force, f"the sign is wrong: {what}. Turn it, for currents with a gain below zero{other}"
        elif own > 100 * _UNEXPLAINED:
            yield force, f"no parameters explain {own:.0f} % of it: is it the force of this joint?"


def _unexplained(columns: Array, samples: Samples) -> Array:
    """The part of each measured force that is left by each joint's regressor with the best parameters of any sign.

    Args:
        columns: the regressor, shape (count, n, p).
        samples: of one log.

    Returns:
        Shape (joints, forces); 1 where a joint has too few equations.
    """
    joints = samples.tau.shape[1]
    left = np.ones((joints, joints))
    for joint, used in enumerate(samples.used.T):
        if np.count_nonzero(used) >= _FEWEST:
            forces = samples.tau[used]
            factor = np.asarray(np.linalg.qr(np.hstack([columns[used, joint], forces]), mode="r"))
            rest = factor[columns.shape[2] :, -joints:]
            left[joint] = np.linalg.norm(rest, axis=0) / np.maximum(np.linalg.norm(forces, axis=0), np.finfo(float).tiny)
    return left


def _exchanged(unexplained: Array) -> tuple[NDArray[np.intp], Mask]:
    """Whose forces they are most likely.

    Args:
        unexplained: part of a force that a joint leaves, shape (joints, forces).

    Returns:
        The joint of each force, shape (n,), no joint twice and the least left in all; and whether it is clear that it is
        another than its own: joints that exchange forces in a cycle leave far less of each other's.
    """
    require_extra("scipy", "identify", "to check the forces of a log")
    from scipy.optimize import linear_sum_assignment

    joint_of = linear_sum_assignment(unexplained.T**2)[1]
    is_clear = np.zeros(len(joint_of), dtype=bool)
    for force in range(len(joint_of)):
        cycle = [force]
        while (following := int(joint_of[cycle[-1]])) != force:
            cycle.append(following)
        own, others = np.linalg.norm(unexplained[cycle, cycle]), np.linalg.norm(unexplained[joint_of[cycle], cycle])
        is_clear[force] = others < _EXCHANGED * own
    return joint_of, is_clear


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
