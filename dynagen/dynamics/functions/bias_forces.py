"""Bias forces, without joint acceleration, and the Coriolis and centrifugal part of them, without gravity."""

from __future__ import annotations

from dynagen.dynamics.algorithms.contact import NO_CONTACTS, motion_and_wrench, record_contacts
from dynagen.dynamics.algorithms.frames import Frames
from dynagen.dynamics.algorithms.newton_euler import JointMotion, record_newton_euler
from dynagen.dynamics.arguments import elements, joint_forces, joint_motion, zeros
from dynagen.dynamics.function import DynamicsFunction, Oracle, Results
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.robot.model.model import RobotModel


def record_bias_forces(
    recorder: Recorder, model: RobotModel, frames: Frames, whole: bool = True
) -> tuple[Quantity, ...]:
    """Record inverse dynamics while no joint accelerates; if not the whole of it, without gravity and external wrench."""
    unaccelerated = JointMotion(elements(recorder, model, "qd"), zeros(recorder, model))
    contacts = record_contacts(recorder, model, frames) if whole else NO_CONTACTS
    return record_newton_euler(
        recorder, model, frames, unaccelerated, gravity=whole, contacts=contacts
    )


def _bias(name: str, formula: str, output: str, meaning: str, whole: bool) -> DynamicsFunction:
    def record(recorder: Recorder, model: RobotModel, frames: Frames) -> Results:
        return (record_bias_forces(recorder, model, frames, whole),)

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
