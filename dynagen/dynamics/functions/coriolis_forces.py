"""Coriolis and centrifugal forces: inverse dynamics without acceleration and without gravity."""

from __future__ import annotations

from dynagen.dynamics.arguments import elements, joint_forces, joint_motion, zeros
from dynagen.dynamics.frames import Frames
from dynagen.dynamics.function import DynamicsFunction, Results
from dynagen.dynamics.newton_euler import LEGEND, JointMotion, record_newton_euler
from dynagen.dynamics.recorder import Recorder
from dynagen.robot.model import RobotModel


def _record(recorder: Recorder, model: RobotModel, frames: Frames) -> Results:
    motion = JointMotion(elements(recorder, model, "qd"), zeros(recorder, model))
    return (record_newton_euler(recorder, model, frames, motion, gravity=False),)


CORIOLIS_FORCES = DynamicsFunction(
    name="coriolis_forces",
    formula="c = C(q, qd) qd",
    inputs=joint_motion("q", "qd"),
    outputs=joint_forces("c", "Coriolis and centrifugal joint forces"),
    record=_record,
    expected=lambda reference, q, qd: (reference.inverse_dynamics(q, qd, 0 * q, gravity=False),),
    legend=LEGEND,
)
