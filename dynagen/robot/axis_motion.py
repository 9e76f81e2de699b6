"""How the joints before a body can move the axis of its own joint. RobotModel -> answers that hold in every position, exactly.

They are read off with all joints at zero. Directions that are parallel there are so in every position as long as all turns
before are about that direction, and lines that meet in a point which all joints before turn about keep meeting there.
"""

from __future__ import annotations

from dynagen.exact import ONE, ZERO, Exact
from dynagen.robot.description import Vector
from dynagen.robot.model import Placement, RobotModel
from dynagen.robot.pose import IDENTITY, Pose, add, dot, scale, screw_x, screw_z, transpose

_ROUNDING = Exact("1e-20")


class AxisMotion:
    """What moves the axis of a body's joint; parallel means parallel or opposite."""

    def __init__(self, model: RobotModel, index: int) -> None:
        """Collect the joints between the base and a body.

        Args:
            model: the robot.
            index: position of the body.
        """
        self._gravity = model.gravity
        self._turns: list[Pose] = []
        self._slides: list[Vector] = []
        pose = IDENTITY
        _, *carriers = model.path_to_base(index)
        for body in (model.bodies[carrier] for carrier in reversed(carriers)):
            pose = pose @ joint_pose(body.placement)
            if body.joint.angular:
                self._turns.append(pose)
            if body.joint.linear:
                self._slides.append(_axis(pose))
        self._pose = pose @ joint_pose(model.bodies[index].placement)
        self._axis = _axis(self._pose)

    @property
    def keeps_direction(self) -> bool:
        """No joint before turns the axis."""
        return all(_are_parallel(_axis(turn), self._axis) for turn in self._turns)

    @property
    def keeps_line(self) -> bool:
        """No joint before moves the axis, other than along itself."""
        on_axis = (_are_parallel(_way(self._pose, turn), self._axis) for turn in self._turns)
        return self.keeps_direction and all(on_axis) and all(_are_parallel(slide, self._axis) for slide in self._slides)

    @property
    def is_gravity_along(self) -> bool:
        """Gravity, if there is any, is parallel to the axis."""
        return _are_parallel(self._gravity, self._axis)

    @property
    def is_turned_across(self) -> bool:
        """What turns the axis is at a right angle to it always, so that the body's rate about the axis is the joint's own."""
        return self._turns_are_parallel and all(is_zero(dot(_axis(turn), self._axis)) for turn in self._turns)

    @property
    def is_unaccelerated_along(self) -> bool:
        """Neither gravity nor a slide before acts along the axis."""
        return all(is_zero(dot(vector, self._axis)) for vector in (self._gravity, *self._slides))

    @property
    def turning_direction(self) -> Vector | None:
        """The one direction that everything before turns about, in the body's axes; None if there is none or are several."""
        if not self._turns or not self._turns_are_parallel:
            return None
        return Pose(transpose(self._pose.rotation), IDENTITY.translation).rotate(_axis(self._turns[0]))

    @property
    def unaccelerated_point(self) -> Exact | None:
        """Height on an axis that is turned (m) of a point that neither moves nor feels gravity; None if there is none."""
        if self.keeps_direction or self._slides or not all(is_zero(component) for component in self._gravity):
            return None
        across = next(turn for turn in self._turns if not _are_parallel(_axis(turn), self._axis))
        normal = _cross(self._axis, _axis(across))
        height = dot(_cross(_way(self._pose, across), _axis(across)), normal) / dot(normal, normal)
        point = Pose(IDENTITY.rotation, add(self._pose.translation, scale(height, self._axis)))
        return height if all(_are_parallel(_way(point, turn), _axis(turn)) for turn in self._turns) else None

    @property
    def _turns_are_parallel(self) -> bool:
        return all(_are_parallel(_axis(turn), _axis(self._turns[0])) for turn in self._turns)


def joint_pose(placement: Placement) -> Pose:
    """A body's frame in its parent's with its joint at zero."""
    foot = Pose(IDENTITY.rotation, placement.translation) @ screw_z(placement.gamma, ZERO)
    return foot @ screw_x(placement.alpha, ZERO) @ screw_z(placement.theta, placement.d)


def is_zero(number: Exact) -> bool:
    """Whether a number is what angles that are not exact (1e-25) leave of a zero; one that comes at run time never is."""
    return number.is_known and abs(number) < _ROUNDING


def _axis(pose: Pose) -> Vector:
    return pose.rotation[0][2], pose.rotation[1][2], pose.rotation[2][2]


def _way(start: Pose, end: Pose) -> Vector:
    return add(end.translation, scale(-ONE, start.translation))


def _cross(left: Vector, right: Vector) -> Vector:
    x, y, z = (left[i] * right[j] - left[j] * right[i] for i, j in ((1, 2), (2, 0), (0, 1)))
    return x, y, z


def _are_parallel(left: Vector, right: Vector) -> bool:
    return all(is_zero(component) for component in _cross(left, right))
