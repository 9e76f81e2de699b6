"""Axis motion: how the joints before a body can move its joint's axis. RobotModel -> answers that hold in every position.

They are read off with all joints at zero. Directions that are parallel there are so in every position as long as all rotations
before are about that direction, and lines that meet in a point which all joints before rotate about keep meeting there.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import dropwhile

from dynagen.description.displacement import Vector
from dynagen.description.pose import IDENTITY, ORIGIN, Pose, add, cross, dot
from dynagen.model.model import RobotModel
from dynagen.numbers.exact import ONE, ZERO, Exact

_X, _Y, _Z = IDENTITY.rotation
_RESOLVED = Fraction(1, 10**15)
"""Directions that differ by less are the same for whoever computes in double, lengths (m) are zero."""


class AxisMotion:
    """The motion of a body's joint axis by the joints before; parallel means parallel or opposite.

    Poses and directions are in the axes of the body with its joint at zero, whose z axis the joint's is. The bodies before it
    are looked at from the nearest one on, and no further than it takes: exact poses of distant bodies are very long numbers.
    """

    def __init__(self, model: RobotModel, index: int) -> None:
        """Look at the joints between a body and the base.

        Args:
            model: the robot.
            index: position of the body.
        """
        self._rotations: list[Pose] = []
        self._pitches: list[Exact] = []
        self._translations: list[Vector] = []
        self._rates_along: list[tuple[Exact, Exact]] = []
        self._are_rotations_parallel = True
        self._is_weightless = all(_vanishes(component) for component in model.gravity)
        self._gravity: Vector | None = None
        pose = model.bodies[index].placement.pose.inverse
        for body in (model.bodies[before] for before in model.path_to_base(model.bodies[index].parent)):
            if body.is_free:
                self._add_free_motion(pose)
                return
            if body.angular:
                self._rotations.append(pose)
                self._pitches.append(body.linear / body.angular)
                self._are_rotations_parallel &= _are_parallel(pose.z_axis, self._rotations[0].z_axis)
            if body.linear:
                self._translations.append(pose.z_axis)
            cosine = pose.z_axis[2]
            self._rates_along.append((body.angular * cosine, body.linear * cosine))
            if not self._are_rotations_parallel and self.central_point is None:
                return  # nothing holds in every position, whatever comes before
            pose = pose @ body.placement.pose.inverse
        self._gravity = pose.rotate(model.gravity)

    def _add_free_motion(self, pose: Pose) -> None:
        """A floating body before: it rotates about all of its axes, and translates along them; gravity may point anywhere."""
        self._is_weightless = self._are_rotations_parallel = False
        for exchanged in ((_X, _Y, _Z), (_Y, _Z, _X), (_Z, _X, _Y)):  # in cycles, so that z becomes every axis once
            axis = pose @ Pose(exchanged, ORIGIN)
            self._rotations.append(axis)
            self._pitches.append(ZERO)
            self._translations.append(axis.z_axis)
        self._rates_along += [(ONE, ZERO), (ZERO, ONE)]

    @property
    def keeps_direction(self) -> bool:
        """No joint before rotates the axis."""
        return all(_are_parallel(rotation.z_axis, _Z) for rotation in self._rotations)

    @property
    def keeps_line(self) -> bool:
        """No joint before moves the axis, other than along itself."""
        on_axis = (_are_parallel(rotation.translation, _Z) for rotation in self._rotations)
        return self.keeps_direction and all(on_axis) and all(_are_parallel(along, _Z) for along in self._translations)

    @property
    def is_gravity_along(self) -> bool:
        """Gravity, if there is any, is parallel to the axis."""
        return self._is_weightless or (self._gravity is not None and _are_parallel(self._gravity, _Z))

    @property
    def is_gravity_across(self) -> bool:
        """Gravity, if there is any, is at a right angle to the axis."""
        return self._gravity is not None and _vanishes(self._gravity[2])

    @property
    def is_rotated_across(self) -> bool:
        """All rotations before are always at a right angle to the axis: the body's rate about it is the joint's own."""
        return self._are_rotations_parallel and all(_vanishes(rotation.z_axis[2]) for rotation in self._rotations)

    @property
    def translates_along(self) -> bool:
        """A joint before translates along the axis, of which all keep the direction."""
        return not all(_vanishes(along[2]) for along in self._translations)

    @property
    def rates_along(self) -> tuple[Exact, Exact] | None:
        """Rates of rotation about the axis and of translation along it that joints before give, if all keep its direction.

        They are in one ratio, which is all that counts; both zero if there are none, None if there are several ratios.
        """
        moving = [rates for rates in self._rates_along if not all(map(_vanishes, rates))]
        if not moving:
            return ZERO, ZERO
        rotation, translation = moving[0]
        if not all(_vanishes(rotation * other[1] - translation * other[0]) for other in moving):
            return None
        return ZERO if _vanishes(rotation) else rotation, ZERO if _vanishes(translation) else translation

    @property
    def rotation_direction(self) -> Vector | None:
        """The one direction that everything before rotates about, in the body's axes; None if there is none or are several."""
        if not self._rotations or not self._are_rotations_parallel:
            return None
        return self._rotations[0].z_axis

    @property
    def central_point(self) -> tuple[Exact, Exact] | None:
        """The point where all axes of rotation before meet the axis, if there is no weight and no joint only translates.

        Returns:
            Height of the point on the axis (m), and the pitch h (m/rad) with which it moves: v = h w across the axis. The
            pitch is zero where all joints before only rotate. Otherwise their axes have to be one line with one pitch, at a
            right angle to the body's, but for those next to the body that rotate about its axis. None if it is not so, or if
            the joints before do not rotate the axis.
        """
        only_rotate = len(self._translations) == sum(map(bool, self._pitches))
        if self.keeps_direction or not only_rotate or not self._is_weightless:
            return None
        across = next(rotation for rotation in self._rotations if not _are_parallel(rotation.z_axis, _Z))
        normal = cross(_Z, across.z_axis)
        height = dot(cross(across.translation, across.z_axis), normal) / dot(normal, normal)
        levers = ((add(rotation.translation, (ZERO, ZERO, -height)), rotation.z_axis) for rotation in self._rotations)
        if not all(_are_parallel(lever, axis) for lever, axis in levers):
            return None
        screws = zip(self._rotations, self._pitches, strict=True)
        beyond = list(dropwhile(lambda each: not each[1] and _are_parallel(each[0].z_axis, _Z), screws))
        line, pitch = beyond[0]
        is_one_screw = _vanishes(line.z_axis[2]) and all(
            each == pitch and _are_parallel(rotation.z_axis, line.z_axis) for rotation, each in beyond
        )
        return (height, pitch) if is_one_screw or not any(self._pitches) else None


def _are_parallel(left: Vector, right: Vector) -> bool:
    return all(_vanishes(component) for component in cross(left, right))


def _vanishes(number: Exact) -> bool:
    return number.is_known and abs(number) < _RESOLVED
