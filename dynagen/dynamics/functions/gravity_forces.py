"""Gravity forces: from first moments of composite bodies, or by moments carried from body to body."""

from __future__ import annotations

from dynagen.dynamics.algorithms.composite import (
    record_carried_weights,
    record_composites,
    record_gravity_forces,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import joint_forces, joint_motion
from dynagen.dynamics.function import DynamicsFunction, Oracle, Results


def _record(recording: Recording) -> Results:
    return (record_gravity_forces(recording, record_composites(recording)),)


def _record_carried(recording: Recording) -> Results:
    return (record_carried_weights(recording, record_composites(recording)),)


GRAVITY_FORCES = DynamicsFunction(
    name="gravity_forces",
    formula="g = g(q)",
    inputs=joint_motion("q"),
    outputs=joint_forces("g", "joint forces that hold the robot against gravity"),
    methods={"composite": _record, "carried": _record_carried},
    oracle=Oracle(
        lambda reference, q: (reference.inverse_dynamics(q, reference.rest(q), reference.rest(q)),)
    ),
)
