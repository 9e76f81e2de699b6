"""Bias forces, without joint acceleration, and the Coriolis and centrifugal part of them, without gravity."""

from __future__ import annotations

from dynagen.dynamics.algorithms.contact import NO_CONTACTS, motion_and_wrench, record_contacts
from dynagen.dynamics.algorithms.newton_euler import record_newton_euler
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import joint_forces, joint_motion
from dynagen.dynamics.function import DynamicsFunction, Oracle, Results
from dynagen.dynamics.recording.formula import Quantity


def record_bias_forces(recording: Recording, whole: bool = True) -> tuple[Quantity, ...]:
    """Record inverse dynamics while no joint accelerates; if not the whole of it, without gravity and external wrench."""
    motion = recording.unaccelerated_motion(gravity=whole)
    return record_newton_euler(
        recording, motion, record_contacts(recording) if whole else NO_CONTACTS
    )


def _bias(name: str, formula: str, output: str, meaning: str, whole: bool) -> DynamicsFunction:
    def record(recording: Recording) -> Results:
        return (record_bias_forces(recording, whole),)

    return DynamicsFunction(
        name=name,
        formula=formula,
        inputs=(motion_and_wrench if whole else joint_motion)("q", "qd"),
        outputs=joint_forces(output, meaning),
        methods={"": record},
        oracle=Oracle(
            lambda reference, q, qd, *wrench: (
                reference.inverse_dynamics(q, qd, 0 * qd, *wrench, gravity=whole),
            )
        ),
    )


BIAS_FORCES = _bias(
    "bias_forces",
    "h = C(q, qd) qd + g(q)",
    "h",
    "Coriolis, centrifugal and gravity joint forces",
    whole=True,
)
CORIOLIS_FORCES = _bias(
    "coriolis_forces", "c = C(q, qd) qd", "c", "Coriolis and centrifugal joint forces", whole=False
)
