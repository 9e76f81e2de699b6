"""Inverse dynamics: the joint forces that a motion needs."""

from __future__ import annotations

from dynagen.dynamics.function import DynamicsFunction, joint_inputs
from dynagen.dynamics.newton_euler import JointMotion, record_newton_euler
from dynagen.dynamics.recorder import Quantity, Recorder
from dynagen.robot.model import RobotModel


def _record(recorder: Recorder, model: RobotModel) -> tuple[Quantity, ...]:
    motion = JointMotion(joint_inputs(recorder, model, "qd"), joint_inputs(recorder, model, "qdd"))
    return record_newton_euler(recorder, model, motion, gravity=True)


INVERSE_DYNAMICS = DynamicsFunction(
    name="inverse_dynamics",
    formula="tau = M(q) qdd + C(q, qd) qd + g(q)",
    inputs=("q", "qd", "qdd"),
    output=("tau", "generalised joint forces"),
    record=_record,
    expected=lambda reference, q, qd, qdd: (reference.inverse_dynamics(q, qd, qdd),),
)
