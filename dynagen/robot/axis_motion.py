"""How the joints before a body can move the axis of its own joint. RobotModel -> answers that hold in every position, exactly.

They are read off with all joints at zero. Directions that are parallel there are so in every position as long as all turns
before are about that direction, and lines that meet in a point which all joints before turn about keep meeting there.
"""

from __future__ import annotations

from dynagen.exact import ONE, ZERO, Exact
from dynagen.robot.description import Vector
from dynagen.robot.model import Placement, RobotModel
from dynagen.robot.pose import IDENTITY, Pose, add, dot, screw_x, screw_z

_Z: Vector = (ZERO, ZERO, ONE)
_ROUNDING = Exact("1e-20")


class AxisMotion:
    """What moves the axis of a body's joint; parallel means parallel or opposite.

    Poses and directions are in the axes of the body with its joint at zero, whose z axis the joint's is. The bodies before it
    are looked at from the nearest one on, and no further than it takes: exact poses of distant bodies are very long numbers.
    """

    def __init__(self, model: RobotModel, index: int) -> None:
        """Look at the joints between a body and the base.

        Args:
            model: the robot.
            index: position of the body.
        """
        self._turns: list[Pose] = []
        self._slides: list[Vector] = []
        self._is_weightless = all(is_zero(component) for component in model.gravity)
        self._gravity: Vector | None = None
        pose = joint_pose(model.bodies[index].placement).inverse
        for body in (model.bodies[before] for before in model.path_to_base(model.bodies[index].parent)):
            if body.joint.angular:
                self._turns.append(pose)
            if body.joint.linear:
                self._slides.append(_axis(pose))
            if not self._turns_are_parallel and self.unaccelerated_point is None:
                return  # nothing holds in every position, whatever comes before
            pose = pose @ joint_pose(body.placement).inverse
        self._gravity = pose.rotate(model.gravity)

    @property
    def keeps_direction(self) -> bool:
        """No joint before turns the axis."""
        return all(_are_parallel(_axis(turn), _Z) for turn in self._turns)

    @property
    def keeps_line(self) -> bool:
        """No joint before moves the axis, other than along itself."""
        on_axis = (_are_parallel(turn.translation, _Z) for turn in self._turns)
        return self.keeps_direction and all(on_axis) and all(_are_parallel(slide, _Z) for slide in self._slides)

    @property
    def is_gravity_along(self) -> bool:
        """Gravity, if there is any, is parallel to the axis."""
        return self._is_weightless or (self._gravity is not None and _are_parallel(self._gravity, _Z))

    @property
    def is_turned_across(self) -> bool:
        """What turns the axis is at a right angle to it always, so that the body's rate about the axis is the joint's own."""
        return self._turns_are_parallel and all(is_zero(_axis(turn)[2]) for turn in self._turns)

    @property
    def is_unaccelerated_along(self) -> bool:
        """Neither gravity nor a slide before acts along the axis."""
        return self._gravity is not None and all(is_zero(vector[2]) for vector in (self._gravity, *self._slides))

    @property
    def turning_direction(self) -> Vector | None:
        """The one direction that everything before turns about, in the body's axes; None if there is none or are several."""
        if not self._turns or not self._turns_are_parallel:
            return None
        return _axis(self._turns[0])

    @property
    def unaccelerated_point(self) -> Exact | None:
        """Height on an axis that is turned (m) of a point that neither moves nor feels gravity; None if there is none."""
        if self.keeps_direction or self._slides or not self._is_weightless:
            return None
        across = next(turn for turn in self._turns if not _are_parallel(_axis(turn), _Z))
        normal = _cross(_Z, _axis(across))
        height = dot(_cross(across.translation, _axis(across)), normal) / dot(normal, normal)
        ways = ((add(turn.translation, (ZERO, ZERO, -height)), _axis(turn)) for turn in self._turns)
        return height if all(_are_parallel(way, axis) for way, axis in ways) else None

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


def _cross(left: Vector, right: Vector) -> Vector:
    x, y, z = (left[i] * right[j] - left[j] * right[i] for i, j in ((1, 2), (2, 0), (0, 1)))
    return x, y, z


def _are_parallel(left: Vector, right: Vector) -> bool:
    return all(is_zero(component) for component in _cross(left, right))
