"""Forward kinematics: the pose of the tool, or of a named frame, in the base frame."""

from __future__ import annotations

from functools import partial

from dynagen.dynamics.algorithms.kinematics import record_pose
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import joint_motion
from dynagen.dynamics.function import Availability, Dependence, DynamicsFunction, Oracle, Results
from dynagen.ir.program import Argument
from dynagen.robot.description import TOOL
from dynagen.robot.model.model import RobotModel


def _outputs(model: RobotModel) -> tuple[Argument, ...]:
    return (
        Argument(
            "R",
            (3, 3),
            ("",) * 9,
            "rotation matrix: columns are the frame's unit vectors, in base axes",
        ),
        Argument("p", (3,), ("m",) * 3, "position of the frame's origin in the base frame"),
    )


def forward_kinematics(frame: str) -> DynamicsFunction:
    """Forward kinematics of a named frame."""

    def record(recording: Recording, two_axes: bool) -> Results:
        axes, position = record_pose(recording, recording.model.frame(frame), two_axes)
        return [axis[row] for row in range(3) for axis in axes], [position]

    return DynamicsFunction(
        name="forward_kinematics",
        formula=f"R, p = pose of the frame {frame} in the base frame",
        inputs=joint_motion("q"),
        outputs=_outputs,
        methods={
            "three-axes": partial(record, two_axes=False),
            "two-axes": partial(record, two_axes=True),
        },
        oracle=Oracle(
            lambda reference, q: reference.frame(frame).pose(q),
            magnitudes=lambda reference, q: reference.frame(frame).pose_magnitudes(q),
            subjects=("kinematics",),
        ),
        availability=Availability(for_frame=forward_kinematics),
        depends_on=Dependence.NOTHING,
    )


FORWARD_KINEMATICS = forward_kinematics(TOOL)
