"""Equivalence of two descriptions of one robot: their motions compared by the numeric reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dynagen.description.description import RobotDescription
from dynagen.verification.reference import references
from dynagen.verification.sampling import sample_states

_STATES = 100


def largest_difference(one: RobotDescription, other: RobotDescription, order: Sequence[int]) -> float:
    """The difference between the inverse dynamics of two robots on random states, by the largest force of the first.

    Both have the gravity of the first, and run-time parameters at their defaults.

    Args:
        one: a robot.
        other: a robot with as many coordinates.
        order: for every entry of v of the first, that of the other; a floating base comes first in both.
    """
    states = sample_states(one, count=_STATES)
    here, there = references(one)[0], references(replace(other, gravity=one.gravity))[0]
    expected = here.inverse_dynamics(states["q"], states["qd"], states["qdd"])
    floats = here.coordinates.floats
    places = [*range(7), *(entry + 1 for entry in order[6:])] if floats else order  # of q, which has one entry more then
    q, (qd, qdd) = states["q"][:, np.argsort(places)], (states[name][:, np.argsort(order)] for name in ("qd", "qdd"))
    found = there.inverse_dynamics(q, qd, qdd)[:, list(order)]
    scale = np.abs(expected).max()
    return float(np.abs(found - expected).max() / scale) if scale else float(np.abs(found).max())
