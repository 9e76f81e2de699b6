"""Body Jacobian: the geometric Jacobian of the tool, or of a named frame, in that frame's own axes."""

from __future__ import annotations

from functools import partial

from dynagen.dynamics.arguments import joint_motion
from dynagen.dynamics.frames import Frames
from dynagen.dynamics.function import DynamicsFunction, Results
from dynagen.dynamics.jacobians import LEGEND, jacobian_matrix, record_jacobian
from dynagen.dynamics.recorder import Recorder
from dynagen.robot.model import TOOL, RobotModel


def body_jacobian(frame: str) -> DynamicsFunction:
    """Jacobian for the origin of a named frame, in its own axes."""

    def record(recorder: Recorder, model: RobotModel, frames: Frames, two_axes: bool) -> Results:
        return (record_jacobian(recorder, model, frames, model.frame(frame), own_axes=True, two_axes=two_axes),)

    return DynamicsFunction(
        name="body_jacobian",
        formula=f"J(q) qd = velocity and angular velocity of the frame {frame} in its own axes",
        inputs=joint_motion("q"),
        outputs=jacobian_matrix("J", "geometric Jacobian in the frame's own axes, linear rows first"),
        record=partial(record, two_axes=False),
        expected=lambda reference, q: (reference.frame(frame).body_jacobian(q),),
        legend=LEGEND,
        magnitudes=lambda reference, q: (reference.frame(frame).jacobian_magnitudes(q),),
        method="three axes",
        alternatives=(("two axes", partial(record, two_axes=True)),),
        for_frame=body_jacobian,
    )


BODY_JACOBIAN = body_jacobian(TOOL)
