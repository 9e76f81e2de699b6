"""How the joints before a body can move the axis of its own joint. RobotModel -> answers that hold in every position, exactly.

They are read off with all joints at zero. Directions that are parallel there are so in every position as long as all turns
before are about that direction, and lines that meet in a point which all joints before turn about keep meeting there.
"""

from __future__ import annotations

from dynagen.description.description import Vector
from dynagen.model.model import RobotModel
from dynagen.model.pose import Pose, add, cross, dot
from dynagen.numbers.exact import ONE, ZERO, Exact, is_zero

_Z: Vector = (ZERO, ZERO, ONE)


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
        self._turns_are_parallel = True
        self._is_weightless = all(is_zero(component) for component in model.gravity)
        self._gravity: Vector | None = None
        pose = model.bodies[index].placement.pose.inverse
        for body in (model.bodies[before] for before in model.path_to_base(model.bodies[index].parent)):
            if body.joint.angular:
                self._turns.append(pose)
                self._turns_are_parallel &= _are_parallel(pose.z_axis, self._turns[0].z_axis)
            if body.joint.linear:
                self._slides.append(pose.z_axis)
            if not self._turns_are_parallel and self.unaccelerated_point is None:
                return  # nothing holds in every position, whatever comes before
            pose = pose @ body.placement.pose.inverse
        self._gravity = pose.rotate(model.gravity)

    @property
    def keeps_direction(self) -> bool:
        """No joint before turns the axis."""
        return all(_are_parallel(turn.z_axis, _Z) for turn in self._turns)

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
        return self._turns_are_parallel and all(is_zero(turn.z_axis[2]) for turn in self._turns)

    @property
    def is_unaccelerated_along(self) -> bool:
        """Neither gravity nor a slide before acts along the axis."""
        return self._gravity is not None and all(is_zero(vector[2]) for vector in (self._gravity, *self._slides))

    @property
    def turning_direction(self) -> Vector | None:
        """The one direction that everything before turns about, in the body's axes; None if there is none or are several."""
        if not self._turns or not self._turns_are_parallel:
            return None
        return self._turns[0].z_axis

    @property
    def unaccelerated_point(self) -> Exact | None:
        """Height on an axis that is turned (m) of a point that neither moves nor feels gravity; None if there is none."""
        if self.keeps_direction or self._slides or not self._is_weightless:
            return None
        across = next(turn for turn in self._turns if not _are_parallel(turn.z_axis, _Z))
        normal = cross(_Z, across.z_axis)
        height = dot(cross(across.translation, across.z_axis), normal) / dot(normal, normal)
        ways = ((add(turn.translation, (ZERO, ZERO, -height)), turn.z_axis) for turn in self._turns)
        return height if all(_are_parallel(way, axis) for way, axis in ways) else None


def _are_parallel(left: Vector, right: Vector) -> bool:
    return all(is_zero(component) for component in cross(left, right))
