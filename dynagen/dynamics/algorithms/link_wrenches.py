"""Loads of joints, in the axes of the recursion -> wrenches in the frames of the links as users describe them."""

from __future__ import annotations

from sympy import Matrix

from dynagen.dynamics.algorithms.frames import Frames
from dynagen.dynamics.algorithms.newton_euler import JointLoad
from dynagen.dynamics.algorithms.rotations import rotate
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.robot.model.model import RobotModel
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


def record_in_link_frame(
    recorder: Recorder, model: RobotModel, frames: Frames, index: int, load: JointLoad
) -> tuple[Quantity, Quantity]:
    """Record the force (N) and the moment (N m) of a body's joint, about the origin and in the axes of its link's frame."""
    body = model.bodies[index]
    recorder.section(f"Wrench, joint {index + 1} ({body.name})")
    _, pose = model.attachments[body.name]
    force, moment = (
        frames[index].to_body_axes(recorder, vector) for vector in (load.force, load.moment)
    )
    moment = recorder.apply(moment_at, moment, recorder.constant(*pose.translation), force)
    to_link = recorder.constant(
        *(entry for row in transpose(pose.rotation) for entry in row), shape=(3, 3)
    )
    force, moment = recorder.apply(rotate, to_link, force), recorder.apply(rotate, to_link, moment)
    return recorder.name(RF(index + 1), force), recorder.name(RN(index + 1), moment)
