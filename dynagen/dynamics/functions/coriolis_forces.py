"""Coriolis and centrifugal forces: inverse dynamics without acceleration and without gravity."""

from __future__ import annotations

from dynagen.dynamics.function import DynamicsFunction, joint_inputs, zeros
from dynagen.dynamics.newton_euler import JointMotion, record_newton_euler
from dynagen.dynamics.recorder import Quantity, Recorder
from dynagen.robot.model import RobotModel


def _record(recorder: Recorder, model: RobotModel) -> tuple[Quantity, ...]:
    motion = JointMotion(joint_inputs(recorder, model, "qd"), zeros(recorder, model))
    return record_newton_euler(recorder, model, motion, gravity=False)


CORIOLIS_FORCES = DynamicsFunction(
    name="coriolis_forces",
    formula="c = C(q, qd) qd",
    inputs=("q", "qd"),
    output=("c", "Coriolis and centrifugal joint forces"),
    record=_record,
    expected=lambda reference, q, qd: (reference.inverse_dynamics(q, qd, 0 * q, gravity=False),),
)
