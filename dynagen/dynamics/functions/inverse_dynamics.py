"""Inverse dynamics: the joint forces that a motion needs."""

from __future__ import annotations

from dynagen.dynamics.algorithms.contact import motion_and_wrench, record_contacts
from dynagen.dynamics.algorithms.newton_euler import record_newton_euler
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import joint_forces
from dynagen.dynamics.function import DynamicsFunction, Oracle, Results


def _record(recording: Recording) -> Results:
    return (record_newton_euler(recording, recording.motion, record_contacts(recording)),)


INVERSE_DYNAMICS = DynamicsFunction(
    name="inverse_dynamics",
    formula="tau = M(q) qdd + C(q, qd) qd + g(q)",
    inputs=motion_and_wrench("q", "qd", "qdd"),
    outputs=joint_forces("tau", "generalised joint forces"),
    methods={"": _record},
    oracle=Oracle(lambda reference, *state: (reference.inverse_dynamics(*state),)),
)
