"""Loads of joints, in the axes of the recursion -> wrenches in the frames of the links as users describe them."""

from __future__ import annotations

from sympy import Matrix

from dynagen.dynamics.algorithms.recording import Recording, ResolvedBody, Wrench
from dynagen.dynamics.recording.formula import formula
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.robot.pose import transpose

RF = Symbol("rf", "i", VECTOR, "force that joint i carries, in the axes of its link's frame", "N")
RN = Symbol(
    "rn",
    "i",
    VECTOR,
    "moment that joint i carries about the origin of its link's frame, in its axes",
    "N m",
)


@formula
def moment_at(moment: Matrix, point: Matrix, force: Matrix) -> Matrix:
    """Moment about a point, from that about the origin: n - p x f."""
    return moment - point.cross(force)


def record_in_link_frame(recording: Recording, body: ResolvedBody, wrench: Wrench) -> Wrench:
    """Record the wrench (N, N m) of a body's joint about the origin and in the axes of its link's frame."""
    body.section("Wrench, joint")
    _, pose = recording.model.attachments[body.name]
    force, moment = body.to_body_axes(wrench.force), body.to_body_axes(wrench.moment)
    moment = moment_at(moment, pose.translation, force)
    to_link = recording.recorder.constant_matrix(transpose(pose.rotation))
    return Wrench(to_link @ force, to_link @ moment).name(RF(body.number), RN(body.number))
