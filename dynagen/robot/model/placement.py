"""Placements of joint frames: the constant parameters between the frames of two bodies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dynagen.errors import UsageError
from dynagen.numbers.exact import ZERO, Angle, Exact, is_zero
from dynagen.robot.joints import Joint
from dynagen.robot.pose import (
    IDENTITY,
    Displacement,
    Pose,
    Rotation,
    Translation,
    Vector,
    add,
    compute_pose,
    dot,
    find_part,
    make_screw_x,
    make_screw_z,
    scale,
    transpose,
)

_NEARLY_PARALLEL = Exact("0.1")  # sine of alpha; below it the foot of the normal may be far away


@dataclass(frozen=True)
class Placement:
    """The pose of a joint frame in its parent's frame, as five steps with constant parameters.

    The steps are T(translation) Rz(gamma) Rx(alpha) Rz(theta) Tz(d). Rz and Rx are rotations about
    z and x, Tz is a translation along z. Each step is in the axes that result from the earlier
    steps. The drawing in `model.py` shows the parameters.

    Attributes:
        gamma: angle from the parent's x axis to the common normal, about the parent's z axis.
        translation: vector from the parent's origin to the end of the common normal on the joint
            axis, in the parent's axes (m). It is (a cos gamma, a sin gamma, b), or (a, 0, 0) for a
            row of a modified Denavit-Hartenberg table. For parallel axes, it may be any vector.
        alpha: angle from the parent's z axis to the joint axis, about the common normal.
        theta: angle from the common normal to the frame's x axis, about the joint axis. The
            variable of a revolute joint is added to it.
        d: distance along the joint axis (m). The variable of a prismatic joint is added to it.
    """

    gamma: Angle
    translation: Vector
    alpha: Angle
    theta: Angle
    d: Exact

    @property
    def is_parallel(self) -> bool:
        """Whether the joint axis is parallel to the parent's z axis: gamma and alpha are zero."""
        return self.gamma.quarter_turns == 0 and self.alpha.quarter_turns == 0

    @cached_property
    def pose(self) -> Pose:
        """Pose of the joint frame in the parent's frame, with the joint at zero."""
        foot = Pose(IDENTITY.rotation, self.translation) @ make_screw_z(self.gamma, ZERO)
        return foot @ make_screw_x(self.alpha, ZERO) @ make_screw_z(self.theta, self.d)

    @property
    def numbers(self) -> tuple[Exact, ...]:
        """All parameters in the order gamma, alpha, theta (rad), d (m), and the translation (m)."""
        return self.gamma.radians, self.alpha.radians, self.theta.radians, self.d, *self.translation


def place_joint(parent: Pose, before: Displacement, joint: Joint) -> Placement:
    """Return the placement of a joint whose axis has any direction.

    The z axis of the joint frame is the joint axis.

    Args:
        parent: pose of the parent link's frame in the parent body's frame.
        before: displacement from the parent link's frame to the joint.
        joint: the joint.

    Raises:
        UsageError: a run-time parameter rotates the joint axis about the parent's z axis.
    """
    theta, d = joint.angular * joint.offset, joint.linear * joint.offset
    # The last steps in front of the joint, if they are about or along its axis, add to theta and d.
    # They stay the user's exact numbers: an angle that is computed from the cosine and sine of a
    # pose is exact only to 1e-25.
    for count, step in enumerate(reversed(before)):
        part = _part_along(joint.axis, step)
        if part is None:
            # The steps up to this one stay in front of the joint.
            before = before[: len(before) - count]
            break
        if isinstance(step, Rotation):
            theta = theta + part
        else:
            d = d + part
    else:
        before = ()
    return place(parent @ compute_pose((*before, *joint.axis_frame)), theta, d)


def _part_along(axis: Vector, step: Rotation | Translation) -> Exact | None:
    """Return the angle or length of a step about or along a joint axis; None for other steps.

    The result is None for every step if the joint axis is not parallel to a coordinate axis.
    """
    directions = [number for number, component in enumerate(axis) if component]
    if len(directions) > 1:
        return None
    (direction,) = directions
    part = find_part(direction, step)
    return part if part is None or not axis[direction].is_negative else -part


def place(pose: Pose, theta: Exact, d: Exact) -> Placement:
    """Convert a pose to a placement (its five parameters), and add the joint variable's offsets.

    The placement's translation ends on the joint axis, at the common normal with the parent's axis.
    For (nearly) parallel axes, it ends where the joint axis meets the parent's x-y plane. If the
    angle alpha between the axes depends on run-time parameters, the translation of the pose is
    used, because the axes may become parallel.

    Args:
        pose: pose of the joint frame in the parent's frame, without the offsets.
        theta: offset about the joint axis (rad).
        d: offset along the joint axis (m).

    Raises:
        UsageError: a run-time parameter rotates the joint axis about the parent's z axis, so that
            the direction of the common normal would not be constant.
    """
    axis = pose.z_axis
    if not axis[0].is_known:
        raise UsageError(
            "a run-time parameter turns a joint axis about the z axis of its parent, which is not "
            "supported: use the parameter only as alpha, a, d or theta of `dh` rows, "
            "or make it a constant (remove `runtime`)"
        )
    # All vectors are in the parent's axes. The joint axis is Rz(gamma) Rx(alpha) z
    # = (sin gamma sin alpha, -cos gamma sin alpha, cos alpha). If its x component is zero,
    # gamma = 0 is chosen and not pi. Then alpha has either sign, as in Denavit-Hartenberg tables.
    gamma = Angle(ZERO) if is_zero(axis[0]) else Angle.from_cosine_sine(-axis[1], axis[0])
    sine = axis[0] * gamma.sin - axis[1] * gamma.cos
    alpha = Angle.from_cosine_sine(axis[2], ZERO if is_zero(sine) else sine)
    # The foot of the common normal is p - height * axis, with p the origin of the joint frame. The
    # foot lies in the plane of the common normal and the parent's axis. So it has no component
    # along u = (sin gamma, -cos gamma, 0), which is perpendicular to this plane. The joint axis has
    # the component sin alpha along u. So height = p.u / sin alpha.
    if not sine.is_known:
        height = ZERO
    elif abs(sine) < _NEARLY_PARALLEL:
        height = pose.translation[2] / axis[2]
    else:
        height = dot(pose.translation, (gamma.sin, -gamma.cos, ZERO)) / sine
    # theta is the angle from the common normal to the x axis of the joint frame.
    normal = (gamma.cos, gamma.sin, ZERO)
    x_axis, y_axis, _ = transpose(pose.rotation)
    offset = Angle.from_cosine_sine(dot(normal, x_axis), -dot(normal, y_axis))
    foot = add(pose.translation, scale(-height, axis))
    return Placement(gamma, foot, alpha, offset + Angle(theta), height + d)
