"""Sliding: a body's origin may lie anywhere on its joint axis.

RobotModel -> RobotModel. Between parallel axes one displacement does for all of them: it is handed to the last body, so that a
group of parallel joints has its origins in one plane. And a body that slides along its axis may have its origin where its mass
is balanced along it: then its first moment along the axis is zero, as it is at every position of the joint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dynagen.exact import ZERO, Exact
from dynagen.robot.model import Body, RobotModel
from dynagen.robot.pose import IDENTITY, Pose


def slide_origins(model: RobotModel) -> RobotModel:
    """Hand displacements along parallel axes to the last body of a group."""

    def way(body: Body, carried: list[Body]) -> Exact:
        is_within_group = bool(carried) and all(child.placement.is_parallel for child in carried)
        return -body.placement.d if is_within_group else ZERO

    return _slid(model, way)


def balance_origins(model: RobotModel) -> RobotModel:
    """Put the origins of prismatic bodies where these have no first moment along their axes."""

    def way(body: Body, carried: list[Body]) -> Exact:
        mass, moment = body.inertial.mass, body.inertial.first_moment[2]
        is_known = mass.is_known and moment.is_known
        return moment / mass if is_known and mass and not body.joint.angular else ZERO

    return _slid(model, way)


def _slid(model: RobotModel, way: Callable[[Body, list[Body]], Exact]) -> RobotModel:
    """Slide every origin along its joint axis by as much as `way` says of its body and those on it, from the base outward."""
    bodies = list(model.bodies)
    moved: dict[int, Pose] = {}
    for index in range(len(bodies)):
        body, children = bodies[index], model.children(index)
        if not (shift := way(body, [bodies[child] for child in children])):
            continue
        moved[index] = Pose(IDENTITY.rotation, (ZERO, ZERO, -shift))
        placement = replace(body.placement, d=body.placement.d + shift)
        bodies[index] = replace(body, placement=placement, inertial=body.inertial.seen_from(moved[index]))
        for child in children:
            below = bodies[child].placement
            x, y, z = below.translation
            nearer = replace(below, d=below.d - shift) if below.is_parallel else replace(below, translation=(x, y, z - shift))
            bodies[child] = replace(bodies[child], placement=nearer)
    attachments = {link: (body, moved.get(body, IDENTITY) @ pose) for link, (body, pose) in model.attachments.items()}
    frames = tuple(replace(frame, pose=moved.get(frame.body, IDENTITY) @ frame.pose) for frame in model.frames)
    return replace(model, bodies=tuple(bodies), attachments=attachments, frames=frames)
