"""Sliding: a body's origin may lie anywhere on its joint axis; between parallel axes one displacement does for all of them.

RobotModel -> RobotModel. Where all joints on a body are parallel to its own, the body's constant displacement along the axis
is handed to them, so that the bodies of a group of parallel joints have their origins in one plane.
"""

from __future__ import annotations

from dataclasses import replace

from dynagen.exact import ZERO
from dynagen.robot.model import RobotModel
from dynagen.robot.pose import IDENTITY, Pose


def slide_origins(model: RobotModel) -> RobotModel:
    """Hand displacements along parallel axes to the last body of a group."""
    bodies = list(model.bodies)
    moved: dict[int, Pose] = {}
    for index in range(len(bodies)):
        body, children = bodies[index], model.children(index)
        d = body.placement.d
        if not d or not children or not all(bodies[child].placement.is_parallel for child in children):
            continue
        moved[index] = Pose(IDENTITY.rotation, (ZERO, ZERO, d))
        placement = replace(body.placement, d=ZERO)
        bodies[index] = replace(body, placement=placement, inertial=body.inertial.seen_from(moved[index]))
        for child in children:
            below = bodies[child].placement
            bodies[child] = replace(bodies[child], placement=replace(below, d=below.d + d))
    attachments = {link: (body, moved.get(body, IDENTITY) @ pose) for link, (body, pose) in model.attachments.items()}
    frames = tuple(replace(frame, pose=moved.get(frame.body, IDENTITY) @ frame.pose) for frame in model.frames)
    return replace(model, bodies=tuple(bodies), attachments=attachments, frames=frames)
