"""Moving frames: body frames are shifted along and turned about joint axes to save operations.

A joint determines only the z axis of its body's frame. The frame may be shifted along this axis and
turned about it. The placement of a body's frame in the frame of its parent has the parameters d and
theta, a displacement along and an angle about the body's own joint axis. Its translation and the
angle gamma refer to the frame of the parent.

         z_i (joint axis)
          ^        shift along z_i   ->  d of body i grows by the shift, z of its children's
          |  o'                          translations shrinks by it
          |  |                           (o, o' are the old and the new origin)
          |  o     turn about z_i    ->  theta of body i grows by the angle, gamma of its children
          |                              (or theta, if parallel) shrinks by it

Four functions of this module move the frames of bodies:

    place_on_normals  moves the frame of a body with children to the common normal with the next
                      axis (Khalil and Kleinfinger, 1986). Other frames, as in most URDFs, cost a
                      second displacement along the axis and a constant rotation.
    align_origins     moves all displacements along a group of parallel axes to the last body of the
                      group.
    balance_origins   moves the origin of a prismatic body to the point where the first moment along
                      the axis is zero, at every position of the joint.
    place_tips        moves the frame of a revolute body without children, so that d and a component
                      of the first moment vanish.

Moving frames does not change joint forces. Named frames, links and bearings keep their poses in
space.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from dynagen.numbers.exact import ZERO, Angle, Exact, is_zero
from dynagen.robot.model.model import Body, RobotModel
from dynagen.robot.model.placement import Placement
from dynagen.robot.pose import IDENTITY, Pose, make_screw_z


def align_origins(model: RobotModel) -> RobotModel:
    """Return a model in which the body origins on each group of parallel axes are in one plane.

    If the joint axes of a body and of all its children are parallel, the displacement d along the
    body's joint axis is moved to the children.
    """

    def shift(body: Body, children: list[Body]) -> Exact:
        is_within_group = bool(children) and all(child.placement.is_parallel for child in children)
        return -body.placement.d if is_within_group else ZERO

    return _shift_origins(model, shift)


def place_on_normals(model: RobotModel) -> RobotModel:
    """Return a model in which frames of bodies with children are placed on common normals.

    The common normal connects the joint axis of the body with the joint axis of a child. For a body
    with several children, the normal that saves most operations is chosen. If no normal saves
    operations, the frame is not moved.
    """
    bodies = list(model.bodies)
    old_in_new: dict[int, Pose] = {}
    for index, body in enumerate(model.bodies):
        children = model.list_children(index)
        if body.keeps_frame or not children:
            continue
        # Not from `body`: the placement has changed if the parent's frame has moved.
        placement = bodies[index].placement
        carried = [bodies[child].placement for child in children]
        shift = min(
            (ZERO, *(child.translation[2] for child in carried)),
            key=partial(_count_displacements_along, placement, carried),
        )
        # The frame of a prismatic body is not turned: that would change its constant theta.
        angles = map(_angle_to_normal, carried) if body.angular else ()
        angle = min((Angle(ZERO), *angles), key=partial(_estimate_work_across, carried))
        if not shift and not angle:
            continue
        old_in_new[index] = make_screw_z(angle, shift).inverse
        placement = replace(placement, theta=placement.theta + angle, d=placement.d + shift)
        bodies[index] = replace(
            bodies[index], placement=placement, inertial=body.inertial.transform(old_in_new[index])
        )
        for child, child_placement in zip(children, carried, strict=True):
            seen = _place_from_moved_parent(child_placement, angle, shift)
            bodies[child] = replace(bodies[child], placement=seen)
    return _replace_frames(model, bodies, old_in_new)


def _angle_to_normal(placement: Placement) -> Angle:
    """Return the angle from the parent's x axis to the common normal, about the parent's z axis."""
    x, y, _ = placement.translation
    return Angle.from_cosine_sine(x, y) if placement.is_parallel and (x or y) else placement.gamma


def _place_from_moved_parent(placement: Placement, angle: Angle, shift: Exact) -> Placement:
    """Return a joint's placement after the parent's frame is turned about z and shifted along z."""
    x, y, z = make_screw_z(-angle, ZERO).rotate(placement.translation)
    # The angle of a normal is exact to 1e-25 only, so that zeros are recognised by a tolerance.
    translation = ZERO if is_zero(x) else x, ZERO if is_zero(y) else y, z - shift
    if placement.is_parallel:
        return replace(placement, translation=translation, theta=placement.theta + -angle)
    return replace(placement, translation=translation, gamma=placement.gamma + -angle)


def _count_displacements_along(
    placement: Placement, carried: Sequence[Placement], shift: Exact
) -> int:
    """Count displacements along a body's axis that cost operations, after a shift of its origin.

    They are the displacement d of the body along its joint axis, and the different nonzero z
    components of its children's translations.
    """
    # `Exact(...)` compares numbers by value; a subclass may carry more, such as a name.
    beyond = {Exact(child.translation[2] - shift) for child in carried} - {ZERO}
    return bool(placement.d + shift) + len(beyond)


def _estimate_work_across(carried: Sequence[Placement], angle: Angle) -> int:
    """Estimate the operations for the placements of a body's children after its frame is turned.

    The frame turns by `angle` about its z axis; `carried` contains the children's placements before
    the turn. Displacements normal to this axis are counted, and rotations about it, except by
    multiples of 90 degrees.
    """
    work = 0
    for child in (_place_from_moved_parent(placement, angle, ZERO) for placement in carried):
        work += 10 * sum(map(bool, child.translation[:2]))
        work += 30 * (child.gamma.quarter_turns is None)
    return work


def balance_origins(model: RobotModel) -> RobotModel:
    """Return a model in which the first moment along z of each prismatic body is zero.

    The origin of each of these bodies is shifted along z to the centre of mass, unless the mass or
    the first moment depends on run-time parameters.
    """

    def shift(body: Body, children: list[Body]) -> Exact:
        mass, moment = body.inertial.mass, body.inertial.first_moment[2]
        is_known = mass.is_known and moment.is_known
        is_prismatic = bool(body.linear) and not body.angular
        return moment / mass if is_known and mass and is_prismatic else ZERO

    return _shift_origins(model, shift)


def _shift_origins(
    model: RobotModel, choose_shift: Callable[[Body, list[Body]], Exact]
) -> RobotModel:
    """Shift the origins of body frames along their joint axes, in the order from base to tips.

    The shift of each body (m) is `choose_shift(body, children)`.
    """
    bodies = list(model.bodies)
    old_in_new: dict[int, Pose] = {}
    for index in range(len(bodies)):
        body, children = bodies[index], model.list_children(index)
        if not (shift := choose_shift(body, [bodies[child] for child in children])):
            continue
        old_in_new[index] = Pose(IDENTITY.rotation, (ZERO, ZERO, -shift))
        placement = replace(body.placement, d=body.placement.d + shift)
        bodies[index] = replace(
            body, placement=placement, inertial=body.inertial.transform(old_in_new[index])
        )
        for child in children:
            # The child stays in space: its d shrinks if the axes are parallel, else its
            # translation.
            child_placement = bodies[child].placement
            x, y, z = child_placement.translation
            seen = (
                replace(child_placement, d=child_placement.d - shift)
                if child_placement.is_parallel
                else replace(child_placement, translation=(x, y, z - shift))
            )
            bodies[child] = replace(bodies[child], placement=seen)
    return _replace_frames(model, bodies, old_in_new)


def place_tips(model: RobotModel) -> RobotModel:
    """Return a model in which the frames of revolute bodies without children are moved.

    The frame is shifted so that the displacement d along the joint axis is zero. It is turned so
    that the centre of mass is in the x-z plane and the first moment my is zero. The generated code
    then has no products with d and my. A frame is not moved if the centre of mass is on the joint
    axis, because d then has no effect.
    """
    bodies = list(model.bodies)
    old_in_new: dict[int, Pose] = {}
    for index, body in enumerate(bodies):
        x, y, _ = body.inertial.first_moment
        if (
            not body.angular
            or body.linear
            or body.keeps_frame
            or model.list_children(index)
            or (is_zero(x) and is_zero(y))
        ):
            continue
        angle = Angle.from_cosine_sine(x, y) if y and x.is_known and y.is_known else Angle(ZERO)
        old_in_new[index] = make_screw_z(-angle, body.placement.d)
        inertial = body.inertial.transform(old_in_new[index])
        if angle:
            # my is zero by construction; the computed value is not, as the angle is exact to 1e-20.
            along_x, _, along_z = inertial.first_moment
            inertial = replace(inertial, first_moment=(along_x, ZERO, along_z))
        placement = replace(body.placement, theta=body.placement.theta + angle, d=ZERO)
        bodies[index] = replace(body, placement=placement, inertial=inertial)
    return _replace_frames(model, bodies, old_in_new)


def compute_described_frame(model: RobotModel, index: int) -> Pose:
    """Return the pose of a body's described frame in its present frame.

    The described frame is the body's frame before frames were moved.
    """
    if model.described is None:
        return IDENTITY
    link = model.bodies[index].name
    return model.attachments[link][1] @ model.described.attachments[link][1].inverse


def _replace_frames(
    model: RobotModel, bodies: list[Body], old_in_new: dict[int, Pose]
) -> RobotModel:
    """Return the model with moved body frames; links and named frames keep their poses in space.

    `old_in_new` is the pose of each moved body's old frame in its new frame, by the body's index.
    """
    if not old_in_new:
        return model
    attachments = {
        link: (body, old_in_new.get(body, IDENTITY) @ pose)
        for link, (body, pose) in model.attachments.items()
    }
    frames = tuple(
        replace(frame, pose=old_in_new.get(frame.body, IDENTITY) @ frame.pose)
        for frame in model.frames
    )
    for index, pose in old_in_new.items():
        bodies[index] = _keep_bearings(bodies[index], pose.translation[2])
    described = model.described or model
    return replace(
        model, bodies=tuple(bodies), attachments=attachments, frames=frames, described=described
    )


def _keep_bearings(body: Body, old_origin: Exact) -> Body:
    """Return a body whose bearings stay in space although its origin has moved along z.

    `old_origin` is the z coordinate of the old origin from the new one (m).
    """
    if not old_origin or body.friction is None or not body.friction.bearings:
        return body
    bearings = tuple(
        replace(bearing, centre=bearing.centre + old_origin) for bearing in body.friction.bearings
    )
    return replace(body, friction=replace(body.friction, bearings=bearings))
