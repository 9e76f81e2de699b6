"""Bias forces, without joint acceleration, and the Coriolis and centrifugal part of them, without gravity."""

from __future__ import annotations

from dynagen.dynamics.arguments import elements, joint_forces, joint_motion, zeros
from dynagen.dynamics.frames import Frames
from dynagen.dynamics.function import DynamicsFunction, Results
from dynagen.dynamics.newton_euler import LEGEND, JointMotion, record_newton_euler
from dynagen.dynamics.recorder import Recorder
from dynagen.robot.model import RobotModel


def _bias(name: str, formula: str, output: str, meaning: str, gravity: bool) -> DynamicsFunction:
    """Inverse dynamics while no joint accelerates."""

    def record(recorder: Recorder, model: RobotModel, frames: Frames) -> Results:
        motion = JointMotion(elements(recorder, model, "qd"), zeros(recorder, model))
        return (record_newton_euler(recorder, model, frames, motion, gravity),)

    return DynamicsFunction(
        name=name,
        formula=formula,
        inputs=joint_motion("q", "qd"),
        outputs=joint_forces(output, meaning),
        record=record,
        expected=lambda reference, q, qd: (reference.inverse_dynamics(q, qd, 0 * q, gravity=gravity),),
        legend=LEGEND,
    )


BIAS_FORCES = _bias(
    "bias_forces", "h = C(q, qd) qd + g(q)", "h", "Coriolis, centrifugal and gravity joint forces", gravity=True
)
CORIOLIS_FORCES = _bias("coriolis_forces", "c = C(q, qd) qd", "c", "Coriolis and centrifugal joint forces", gravity=False)
