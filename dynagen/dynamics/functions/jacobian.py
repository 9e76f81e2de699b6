"""Geometric Jacobian of the tool, or of a named frame: in base axes, and in the frame's own axes (body Jacobian)."""

from __future__ import annotations

from functools import partial
from typing import Any

from dynagen.dynamics.algorithms.jacobians import jacobian_matrix, record_jacobian
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import joint_motion
from dynagen.dynamics.function import Availability, Dependence, DynamicsFunction, Oracle, Results
from dynagen.robot.description import TOOL


def jacobian(frame: str, name: str = "jacobian", in_frame_axes: bool = False) -> DynamicsFunction:
    """Jacobian for the origin of a named frame, under a name of the function's; in base axes or in the frame's own."""
    whose, axes = ("its own", "the frame's own axes") if in_frame_axes else ("base", "base axes")

    def record(recording: Recording, two_axes: bool) -> Results:
        return (record_jacobian(recording, recording.model.frame(frame), in_frame_axes, two_axes),)

    def expected(reference: Any, q: Any) -> tuple[Any]:
        at = reference.frame(frame)
        return (at.body_jacobian(q) if in_frame_axes else at.jacobian(q),)

    return DynamicsFunction(
        name=name,
        formula=f"J(q) qd = velocity and angular velocity of the frame {frame} in {whose} axes",
        inputs=joint_motion("q"),
        outputs=jacobian_matrix("J", f"geometric Jacobian in {axes}, linear rows first"),
        methods={
            "three-axes": partial(record, two_axes=False),
            "two-axes": partial(record, two_axes=True),
        },
        oracle=Oracle(
            expected,
            magnitudes=lambda reference, q: (reference.frame(frame).jacobian_magnitudes(q),),
            subjects=("kinematics",),
        ),
        availability=Availability(
            for_frame=partial(jacobian, name=name, in_frame_axes=in_frame_axes)
        ),
        depends_on=Dependence.NOTHING,
    )


JACOBIAN = jacobian(TOOL)
BODY_JACOBIAN = jacobian(TOOL, "body_jacobian", in_frame_axes=True)
