"""Placement of a joint: a constant pose in the parent's frame <-> the parameters of Khalil and Kleinfinger.

W. Khalil, J. Kleinfinger, "A new geometric notation for open and closed-loop robots", IEEE Int. Conf. Robotics and Automation,
1986: modified Denavit-Hartenberg parameters, with two more at a branch.
"""

from __future__ import annotations

from dataclasses import dataclass

from dynagen.description.displacement import Displacement, Rotation, Translation, Vector, part_about
from dynagen.description.joints import Joint
from dynagen.description.pose import IDENTITY, Pose, add, dot, pose_after, scale, screw_x, screw_z, transpose
from dynagen.errors import UsageError
from dynagen.numbers.angle import Angle
from dynagen.numbers.exact import ZERO, Exact, is_zero

_NEARLY_PARALLEL = Exact("0.1")


@dataclass(frozen=True)
class Placement:
    """A joint frame in its parent's frame: T(translation) Rz(gamma) Rx(alpha) Rz(theta) Tz(d).

    theta and d are the offsets of the joint variable. For a row of a modified table gamma is zero and the translation is
    (a, 0, 0); at a branch it is (a cos gamma, a sin gamma, b) with Khalil's gamma and b.
    """

    gamma: Angle
    translation: Vector
    alpha: Angle
    theta: Angle
    d: Exact

    @property
    def is_parallel(self) -> bool:
        """Whether the joint axis has the direction of the parent's, so that no constant rotation lies between their axes."""
        return self.gamma.quarter_turns == 0 and self.alpha.quarter_turns == 0

    @property
    def pose(self) -> Pose:
        """The joint frame in its parent's with the joint at zero."""
        foot = Pose(IDENTITY.rotation, self.translation) @ screw_z(self.gamma, ZERO)
        return foot @ screw_x(self.alpha, ZERO) @ screw_z(self.theta, self.d)

    @property
    def numbers(self) -> tuple[Exact, ...]:
        """All that it is made of: rad and m."""
        return self.gamma.radians, self.alpha.radians, self.theta.radians, self.d, *self.translation


def place_joint(parent: Pose, before: Displacement, joint: Joint) -> Placement:
    """The placement of a joint whose axis may have any direction: the z axis of its frame is that axis.

    The last steps in front of a joint, as far as they rotate about its axis or lead along it, are offsets of its variable, and
    stay the numbers that they are: the angle of a pose would be found again from its cosine and sine only to 1e-25.

    Args:
        parent: frame in the parent body's frame in which the steps begin.
        before: the steps in front of the joint.
        joint: what stands behind them.

    Raises:
        UsageError: as `place`.
    """
    theta, d = joint.angular * joint.offset, joint.linear * joint.offset
    for count, step in enumerate(reversed(before)):
        along = _part_along(joint.axis, step)
        if along is None:
            before = before[: len(before) - count]
            break
        if isinstance(step, Rotation):
            theta = theta + along
        else:
            d = d + along
    else:
        before = ()
    return place(parent @ pose_after((*before, *joint.axis_frame)), theta, d)


def _part_along(axis: Vector, step: Rotation | Translation) -> Exact | None:
    """The angle or length of a step about or along an axis, if that is X, Y or Z, and all of the step; else None."""
    directions = [number for number, component in enumerate(axis) if component]
    if len(directions) > 1:
        return None
    (direction,) = directions
    part = part_about(direction, step)
    return part if part is None or not axis[direction].is_negative else -part


def place(pose: Pose, theta: Exact, d: Exact) -> Placement:
    """Write a constant pose as T(translation) Rz(gamma) Rx(alpha) Rz(theta) Tz(d), and add the joint's own offsets.

    The translation is the foot of the common normal on the parent's axis plus the normal itself. Axes that are parallel or
    nearly so have no common normal worth the name: theirs begins where the joint frame is. Axes that may become so at run
    time keep the translation as it is.

    Args:
        pose: in the parent's frame.
        theta: offset about the joint axis (rad).
        d: offset along it (m).

    Raises:
        UsageError: a run-time parameter tilts the joint axis out of the plane that alpha tilts it in.
    """
    axis = pose.z_axis
    if not axis[0].is_known:
        raise UsageError(
            "a run-time parameter tilts its joint axis in general position, which is not generated: "
            "use it in alpha, a, d or theta of plain rows, or fold it (remove `runtime`)"
        )
    # The axis is Rz(gamma) Rx(alpha) z = (sin gamma sin alpha, -cos gamma sin alpha, cos alpha). Where its x component is
    # zero, gamma is zero too, and not pi, so that alpha has either sign as in a table of Denavit-Hartenberg parameters.
    gamma = Angle(ZERO) if is_zero(axis[0]) else Angle.from_cosine_sine(-axis[1], axis[0])
    sine = axis[0] * gamma.sin - axis[1] * gamma.cos
    alpha = Angle.from_cosine_sine(axis[2], ZERO if is_zero(sine) else sine)
    # The point p - along z of the axis is the foot of the common normal: it has no component along (sin gamma, -cos gamma, 0),
    # which is at a right angle to the normal and to the parent's axis, and along which z has the component sin alpha.
    if not sine.is_known:
        along = ZERO
    elif abs(sine) < _NEARLY_PARALLEL:
        along = pose.translation[2] / axis[2]
    else:
        along = dot(pose.translation, (gamma.sin, -gamma.cos, ZERO)) / sine
    normal = (gamma.cos, gamma.sin, ZERO)
    x_axis, y_axis, _ = transpose(pose.rotation)
    offset = Angle.from_cosine_sine(dot(normal, x_axis), -dot(normal, y_axis))
    return Placement(gamma, add(pose.translation, scale(-along, axis)), alpha, offset + Angle(theta), along + d)
