"""Gravity forces: inverse dynamics at rest."""

from __future__ import annotations

from dynagen.dynamics.function import DynamicsFunction, zeros
from dynagen.dynamics.newton_euler import JointMotion, record_newton_euler
from dynagen.dynamics.recorder import Quantity, Recorder
from dynagen.robot.model import RobotModel


def _record(recorder: Recorder, model: RobotModel) -> tuple[Quantity, ...]:
    at_rest = zeros(recorder, model)
    return record_newton_euler(recorder, model, JointMotion(at_rest, at_rest), gravity=True)


GRAVITY_FORCES = DynamicsFunction(
    name="gravity_forces",
    formula="g = g(q)",
    inputs=("q",),
    output=("g", "joint forces that hold the robot against gravity"),
    record=_record,
    expected=lambda reference, q: (reference.inverse_dynamics(q, 0 * q, 0 * q),),
)
