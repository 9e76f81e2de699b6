"""Gravity forces: inverse dynamics at rest."""

from __future__ import annotations

from dynagen.dynamics.arguments import joint_forces, joint_motion, zeros
from dynagen.dynamics.frames import Frames
from dynagen.dynamics.function import DynamicsFunction, Results
from dynagen.dynamics.newton_euler import LEGEND, JointMotion, record_newton_euler
from dynagen.dynamics.recorder import Recorder
from dynagen.robot.model import RobotModel


def _record(recorder: Recorder, model: RobotModel, frames: Frames) -> Results:
    at_rest = zeros(recorder, model)
    return (record_newton_euler(recorder, model, frames, JointMotion(at_rest, at_rest), gravity=True),)


GRAVITY_FORCES = DynamicsFunction(
    name="gravity_forces",
    formula="g = g(q)",
    inputs=joint_motion("q"),
    outputs=joint_forces("g", "joint forces that hold the robot against gravity"),
    record=_record,
    expected=lambda reference, q: (reference.inverse_dynamics(q, 0 * q, 0 * q),),
    legend=LEGEND,
)
