"""Wrenches that joints transmit to their links, in the frames of the links."""

from __future__ import annotations

from dynagen.dynamics.algorithms.recording import Recording, ResolvedBody
from dynagen.dynamics.algorithms.screws import Wrench
from dynagen.dynamics.recording import formula
from dynagen.dynamics.symbolic import Matrix
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.robot.pose import transpose

RF = Symbol("rf", "i", VECTOR, "force that joint i transmits, in the axes of its link frame", "N")
RN = Symbol(
    "rn",
    "i",
    VECTOR,
    "moment that joint i transmits about the origin of its link frame, in its axes",
    "N m",
)


@formula
def moment_at(moment: Matrix, point: Matrix, force: Matrix) -> Matrix:
    """Return n - cross(p, f), the moment of a wrench about the point p (N m).

    `moment` is the moment n about the origin (N m), `point` is p (m), and `force` is f (N).
    """
    return moment - point.cross(force)


def record_in_link_frame(recording: Recording, body: ResolvedBody, wrench: Wrench) -> Wrench:
    """Record the wrench (N, N m) that a body's joint transmits, in the frame of the body's link.

    `wrench` is in the body's resolved axes, about the body's origin. The result is in the axes of
    the user's link frame, about its origin.
    """
    body.begin_section("Wrench, joint")
    # `pose` is the link frame in the body axes.
    _, pose = recording.model.attachments[body.name]
    # From the axes that the body is resolved in to its body axes, then to the link frame, which is
    # fixed in these.
    force, moment = body.to_body_axes(wrench.force), body.to_body_axes(wrench.moment)
    moment = moment_at(moment, pose.translation, force)
    to_link = recording.recorder.add_constant_matrix(transpose(pose.rotation))
    return Wrench(to_link @ force, to_link @ moment).name(RF(body.number), RN(body.number))
