"""Drift acceleration: how the tool, or a named frame, accelerates while all joints keep their rates."""

from __future__ import annotations

from dynagen.dynamics.algorithms.kinematics import record_drift_acceleration
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import joint_motion
from dynagen.dynamics.function import Availability, Dependence, DynamicsFunction, Oracle, Results
from dynagen.ir.program import Argument
from dynagen.robot.description import TOOL
from dynagen.robot.model.model import RobotModel


def _outputs(model: RobotModel) -> tuple[Argument, ...]:
    units = ("m/s^2",) * 3 + ("rad/s^2",) * 3
    return (
        Argument(
            "Jdqd",
            (6,),
            units,
            "acceleration of the frame's origin, then angular acceleration, in base axes",
        ),
    )


def jacobian_dot_qd(frame: str) -> DynamicsFunction:
    """Drift acceleration of a named frame."""

    def record(recording: Recording) -> Results:
        drift = record_drift_acceleration(recording, recording.model.frame(frame))
        return ((drift.linear, drift.angular),)

    return DynamicsFunction(
        name="jacobian_dot_qd",
        formula=f"Jdqd = dJ/dt qd: acceleration of the frame {frame} in base axes while qdd = 0",
        inputs=joint_motion("q", "qd"),
        outputs=_outputs,
        methods={"": record},
        oracle=Oracle(
            lambda reference, q, qd: (reference.frame(frame).drift_acceleration(q, qd),),
            magnitudes=lambda reference, q, qd: (reference.frame(frame).drift_magnitudes(q, qd),),
            subjects=("kinematics",),
        ),
        availability=Availability(for_frame=jacobian_dot_qd),
        depends_on=Dependence.NOTHING,
    )


JACOBIAN_DOT_QD = jacobian_dot_qd(TOOL)
