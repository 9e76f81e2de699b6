"""Bias forces: inverse dynamics without acceleration."""

from __future__ import annotations

from dynagen.dynamics.function import DynamicsFunction, joint_inputs, zeros
from dynagen.dynamics.newton_euler import JointMotion, record_newton_euler
from dynagen.dynamics.recorder import Quantity, Recorder
from dynagen.robot.model import RobotModel


def _record(recorder: Recorder, model: RobotModel) -> tuple[Quantity, ...]:
    motion = JointMotion(joint_inputs(recorder, model, "qd"), zeros(recorder, model))
    return record_newton_euler(recorder, model, motion, gravity=True)


BIAS_FORCES = DynamicsFunction(
    name="bias_forces",
    formula="h = C(q, qd) qd + g(q)",
    inputs=("q", "qd"),
    output=("h", "Coriolis, centrifugal and gravity joint forces"),
    record=_record,
    expected=lambda reference, q, qd: (reference.inverse_dynamics(q, qd, 0 * q),),
)
