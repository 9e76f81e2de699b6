"""Inverse dynamics: the joint forces that a motion needs."""

from __future__ import annotations

from dynagen.dynamics.algorithms.contact import motion_and_wrench, record_contacts
from dynagen.dynamics.algorithms.frames import Frames
from dynagen.dynamics.algorithms.newton_euler import JointMotion, record_newton_euler
from dynagen.dynamics.arguments import elements, joint_forces
from dynagen.dynamics.function import DynamicsFunction, Oracle, Results
from dynagen.dynamics.recording.recorder import Recorder
from dynagen.robot.model.model import RobotModel


def _record(recorder: Recorder, model: RobotModel, frames: Frames) -> Results:
    motion = JointMotion(elements(recorder, model, "qd"), elements(recorder, model, "qdd"))
    contacts = record_contacts(recorder, model, frames)
    return (record_newton_euler(recorder, model, frames, motion, gravity=True, contacts=contacts),)


INVERSE_DYNAMICS = DynamicsFunction(
    name="inverse_dynamics",
    formula="tau = M(q) qdd + C(q, qd) qd + g(q)",
    inputs=motion_and_wrench("q", "qd", "qdd"),
    outputs=joint_forces("tau", "generalised joint forces"),
    methods={"": _record},
    oracle=Oracle(lambda reference, *state: (reference.inverse_dynamics(*state),)),
)
