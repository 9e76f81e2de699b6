"""Sliding: frames of bodies moved along and about their joint axes where that saves operations. RobotModel -> RobotModel.

A joint fixes the z axis of its body's frame and nothing more: the origin may lie anywhere on that axis, and the frame may be
rotated about it. W. Khalil and J. Kleinfinger (1986) choose both by the common normal to the next axis; a URDF puts both where
its author likes, which costs a second displacement along the axis and a rotation between constant axes. Between parallel axes
one displacement along them does for a whole group: it goes to the last body, so that the group has its origins in one plane. A
body that translates only may have its origin where its mass is balanced along the axis: then its first moment along the axis
is zero, as it is at every position of the joint. The frame of a body that carries no other may be rotated too, as no placement
depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from dynagen.numbers.exact import ZERO, Angle, Exact, is_zero
from dynagen.robot.model.model import Body, Placement, RobotModel
from dynagen.robot.pose import IDENTITY, Pose, screw_z


def slide_origins(model: RobotModel) -> RobotModel:
    """Move displacements along parallel axes to the last body of a group."""

    def shift(body: Body, carried: list[Body]) -> Exact:
        is_within_group = bool(carried) and all(child.placement.is_parallel for child in carried)
        return -body.placement.d if is_within_group else ZERO

    return _slid(model, shift)


def place_on_normals(model: RobotModel) -> RobotModel:
    """Put frames of bodies that carry others onto the common normals to the axes that these move about or along.

    Where a body carries several, its one frame is where fewest components of displacements and constant rotations are left
    for all of them, and stays where it is if no other place is better.
    """
    bodies = list(model.bodies)
    moved: dict[int, Pose] = {}
    for index, body in enumerate(model.bodies):
        children = model.children(index)
        if body.is_free or not children:
            continue
        placement, carried = (
            bodies[index].placement,
            [bodies[child].placement for child in children],
        )
        shift = min(
            (ZERO, *(each.translation[2] for each in carried)),
            key=partial(_lengths_along, placement, carried),
        )
        angles = map(_to_normal, carried) if body.angular else ()
        angle = min((Angle(ZERO), *angles), key=partial(_work_across, carried))
        if not shift and not angle:
            continue
        moved[index] = screw_z(angle, shift).inverse
        own = replace(placement, theta=placement.theta + angle, d=placement.d + shift)
        bodies[index] = replace(
            bodies[index], placement=own, inertial=body.inertial.seen_from(moved[index])
        )
        for child, each in zip(children, carried, strict=True):
            bodies[child] = replace(bodies[child], placement=_from_frame(each, angle, shift))
    return _with_frames_moved(model, bodies, moved)


def _to_normal(placement: Placement) -> Angle:
    """The angle about the parent's z axis from its x axis to the common normal."""
    x, y, _ = placement.translation
    return Angle.from_cosine_sine(x, y) if placement.is_parallel and (x or y) else placement.gamma


def _from_frame(placement: Placement, angle: Angle, shift: Exact) -> Placement:
    """The same placement from a frame of the parent that is rotated about its z axis, and shifted along it."""
    x, y, z = screw_z(-angle, ZERO).rotate(placement.translation)
    # The angle of a normal is good to 1e-25.
    translation = ZERO if is_zero(x) else x, ZERO if is_zero(y) else y, z - shift
    if placement.is_parallel:
        return replace(placement, translation=translation, theta=placement.theta + -angle)
    return replace(placement, translation=translation, gamma=placement.gamma + -angle)


def _lengths_along(placement: Placement, carried: Sequence[Placement], shift: Exact) -> int:
    """The number of different displacements along a body's axis, to its origin and from there on, if the origin is shifted."""
    beyond = {Exact(each.translation[2] - shift) for each in carried} - {
        ZERO
    }  # by value, whatever numbers know of themselves
    return bool(placement.d + shift) + len(beyond)


def _work_across(carried: Sequence[Placement], angle: Angle) -> int:
    """About how many operations displacements across a body's axis and rotations about it cost, if its frame is rotated."""
    work = 0
    for each in (_from_frame(placement, angle, ZERO) for placement in carried):
        work += 10 * sum(map(bool, each.translation[:2])) + 30 * (each.gamma.quarter_turns is None)
    return work


def balance_origins(model: RobotModel) -> RobotModel:
    """Put the origins of prismatic bodies where these have no first moment along their axes."""

    def shift(body: Body, carried: list[Body]) -> Exact:
        mass, moment = body.inertial.mass, body.inertial.first_moment[2]
        is_known = mass.is_known and moment.is_known
        slides = bool(body.linear) and not body.angular
        return moment / mass if is_known and mass and slides else ZERO

    return _slid(model, shift)


def _slid(model: RobotModel, shift_of: Callable[[Body, list[Body]], Exact]) -> RobotModel:
    """Slide every origin along its joint axis by `shift_of(body, those on it)`, from the base outward."""
    bodies = list(model.bodies)
    moved: dict[int, Pose] = {}
    for index in range(len(bodies)):
        body, children = bodies[index], model.children(index)
        if not (shift := shift_of(body, [bodies[child] for child in children])):
            continue
        moved[index] = Pose(IDENTITY.rotation, (ZERO, ZERO, -shift))
        placement = replace(body.placement, d=body.placement.d + shift)
        bodies[index] = replace(
            body, placement=placement, inertial=body.inertial.seen_from(moved[index])
        )
        for child in children:
            below = bodies[child].placement
            x, y, z = below.translation
            nearer = (
                replace(below, d=below.d - shift)
                if below.is_parallel
                else replace(below, translation=(x, y, z - shift))
            )
            bodies[child] = replace(bodies[child], placement=nearer)
    return _with_frames_moved(model, bodies, moved)


def place_tips(model: RobotModel) -> RobotModel:
    """Place the frames of rotating bodies that carry no other: no displacement along z, the centre of mass in the x-z plane.

    Then d and my, and what is multiplied with them, vanish. With the centre of mass on the axis there is nothing to gain: no
    force has a moment about it, so that d multiplies nothing.
    """
    bodies = list(model.bodies)
    moved: dict[int, Pose] = {}
    for index, body in enumerate(bodies):
        x, y, _ = body.inertial.first_moment
        if not body.angular or body.linear or model.children(index) or (is_zero(x) and is_zero(y)):
            continue
        angle = Angle.from_cosine_sine(x, y) if y and x.is_known and y.is_known else Angle(ZERO)
        moved[index] = screw_z(-angle, body.placement.d)
        inertial = body.inertial.seen_from(moved[index])
        if angle:
            along_x, _, along_z = inertial.first_moment
            inertial = replace(
                inertial, first_moment=(along_x, ZERO, along_z)
            )  # the angle is good to 1e-20
        placement = replace(body.placement, theta=body.placement.theta + angle, d=ZERO)
        bodies[index] = replace(body, placement=placement, inertial=inertial)
    return _with_frames_moved(model, bodies, moved)


def frame_as_described(model: RobotModel, index: int) -> Pose:
    """The frame of a body in the description, as the body's frame in this model sees it."""
    if model.described is None:
        return IDENTITY
    link = model.bodies[index].name
    return model.attachments[link][1] @ model.described.attachments[link][1].inverse


def _with_frames_moved(model: RobotModel, bodies: list[Body], moved: dict[int, Pose]) -> RobotModel:
    """The model with these bodies, and all that is fixed to them.

    Args:
        model: the robot.
        bodies: its bodies in their new frames.
        moved: the old frames of bodies as the new ones see them.
    """
    if not moved:
        return model
    attachments = {
        link: (body, moved.get(body, IDENTITY) @ pose)
        for link, (body, pose) in model.attachments.items()
    }
    frames = tuple(
        replace(frame, pose=moved.get(frame.body, IDENTITY) @ frame.pose) for frame in model.frames
    )
    described = model.described or model
    return replace(
        model, bodies=tuple(bodies), attachments=attachments, frames=frames, described=described
    )
