"""Possible motions of a body's joint axis by the joints between the body and the base.

The fewer motions a joint's axis can make, the fewer parameters the joint observes. Regrouping
therefore depends on these motions.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import dropwhile

from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.robot.model.model import RobotModel
from dynagen.robot.pose import IDENTITY, ORIGIN, Pose, Vector, add, cross, dot

_X, _Y, _Z = IDENTITY.rotation
_RESOLVED = Fraction(1, 10**15)
"""Directions or lengths (m) count as equal if they differ by less than this number."""


class AxisMotion:
    """Possible motions of a body's joint axis by the joints between the body and the base.

    "Earlier joints" are the joints between the body and the base. "Parallel" includes opposite
    directions. All poses and directions are in the frame of the body with its joint at zero; the z
    axis of this frame is the joint axis.

    The properties are computed with all joints at zero, but are valid in all positions: rotations
    about parallel axes keep the axes parallel, and rotations about axes through one point keep the
    point.
    """

    def __init__(self, model: RobotModel, index: int) -> None:
        """Collect the joints between a body and the base.

        Args:
            model: the robot.
            index: index of the body.
        """
        self._rotations: list[Pose] = []  # frames of the joints before that rotate
        self._pitches: list[Exact] = []  # and their translations per rotation (m/rad)
        self._translations: list[Vector] = []  # directions of the joints before that translate
        self._velocities_along: list[tuple[Exact, Exact]] = []  # see `velocities_along`
        self._are_rotations_parallel = True
        self._is_weightless = all(_vanishes(component) for component in model.gravity)
        self._gravity: Vector | None = None  # None: its direction is not constant in the body
        # From the nearest joint towards the base, and no further than necessary: exact poses of
        # distant bodies are very long numbers.
        pose = model.bodies[index].placement.pose.inverse
        for body in (
            model.bodies[before] for before in model.find_path(model.bodies[index].parent)
        ):
            if body.is_free:
                self._add_free_motion(pose)
                return
            if body.angular:
                self._rotations.append(pose)
                self._pitches.append(body.linear / body.angular)
                self._are_rotations_parallel &= _are_parallel(
                    pose.z_axis, self._rotations[0].z_axis
                )
            if body.linear:
                self._translations.append(pose.z_axis)
            cosine = pose.z_axis[2]
            self._velocities_along.append((body.angular * cosine, body.linear * cosine))
            if not self._are_rotations_parallel and self.central_point is None:
                return  # no property holds any more, for all joints that may come
            pose = pose @ body.placement.pose.inverse
        self._gravity = pose.rotate(model.gravity)

    def _add_free_motion(self, pose: Pose) -> None:
        """Record all motions that a floating body allows, and gravity in any direction."""
        self._is_weightless = self._are_rotations_parallel = False
        # Cyclic exchanges of the axes, so that each axis is the z axis once.
        for exchanged in ((_X, _Y, _Z), (_Y, _Z, _X), (_Z, _X, _Y)):
            axis = pose @ Pose(exchanged, ORIGIN)
            self._rotations.append(axis)
            self._pitches.append(ZERO)
            self._translations.append(axis.z_axis)
        self._velocities_along += [(ONE, ZERO), (ZERO, ONE)]

    @property
    def keeps_direction(self) -> bool:
        """Whether the joints between body and base keep the direction of the body's joint axis."""
        return all(_are_parallel(rotation.z_axis, _Z) for rotation in self._rotations)

    @property
    def keeps_line(self) -> bool:
        """Whether the joints between body and base move the body's joint axis only within its line.

        Such joints shift the axis along itself, or turn it about itself.
        """
        on_axis = (_are_parallel(rotation.translation, _Z) for rotation in self._rotations)
        return (
            self.keeps_direction
            and all(on_axis)
            and all(_are_parallel(along, _Z) for along in self._translations)
        )

    @property
    def keeps_origin(self) -> bool:
        """Whether gravity is zero, and no joint between body and base moves the body's origin."""
        meets = (_are_parallel(each.translation, each.z_axis) for each in self._rotations)
        return self._is_weightless and not self._translations and all(meets)

    @property
    def is_gravity_along(self) -> bool:
        """Whether gravity is zero or along the joint axis; valid only if `keeps_direction`."""
        return self._is_weightless or (
            self._gravity is not None and _are_parallel(self._gravity, _Z)
        )

    @property
    def is_gravity_across(self) -> bool:
        """Whether gravity is zero or normal to the joint axis; valid only if `keeps_direction`."""
        return self._gravity is not None and _vanishes(self._gravity[2])

    @property
    def is_rotated_across(self) -> bool:
        """Whether all joints between body and base rotate about normals of the body's joint axis.

        Then only the body's own joint causes an angular velocity about the body's joint axis.
        """
        return self._are_rotations_parallel and all(
            _vanishes(rotation.z_axis[2]) for rotation in self._rotations
        )

    @property
    def translates_along(self) -> bool:
        """Whether a joint between body and base translates the body along the body's joint axis.

        Valid only if `keeps_direction`.
        """
        return not all(_vanishes(along[2]) for along in self._translations)

    @property
    def velocities_along(self) -> tuple[Exact, Exact] | None:
        """Velocities about and along the body's joint axis due to the joints before the body.

        These earlier joints are between the body and the base. Valid only if `keeps_direction`.

        Returns: Angular velocity (rad) and linear velocity (m) along the joint axis, for the unit
        velocity of one earlier joint. Both are zero if no earlier joint causes such a motion. The
        result is None if the ratio differs between the earlier joints.
        """
        moving = [pair for pair in self._velocities_along if not all(map(_vanishes, pair))]
        if not moving:
            return ZERO, ZERO
        angular, linear = moving[0]
        if not all(_vanishes(angular * other[1] - linear * other[0]) for other in moving):
            return None
        return ZERO if _vanishes(angular) else angular, ZERO if _vanishes(linear) else linear

    @property
    def rotation_direction(self) -> Vector | None:
        """The direction about which all joints between the body and the base rotate.

        The result is None if none of these joints rotates, or if they rotate about different
        directions.
        """
        if not self._rotations or not self._are_rotations_parallel:
            return None
        return self._rotations[0].z_axis

    @property
    def central_point(self) -> tuple[Exact, Exact] | None:
        """The point in which the rotation axes of all earlier joints meet the body's joint axis.

        Earlier joints are the joints between the body and the base. There must be no gravity and no
        earlier prismatic joint. If all earlier joints are revolute,
        they do not move the point. Earlier helical joints are allowed if they have a common axis,
        normal to the body's joint axis, and a common pitch h. Between them and the body, there may
        be revolute joints about the body's joint axis. If the helical joints rotate with the
        angular velocity w, the point moves with the velocity h w.

        Returns: Coordinate of the point on the joint axis (m), and the pitch h (m/rad), which is
        zero for revolute joints. The result is None if there is no such point, or if the earlier
        joints do not rotate the joint axis.
        """
        only_rotate = len(self._translations) == sum(map(bool, self._pitches))
        if self.keeps_direction or not only_rotate or not self._is_weightless:
            return None
        across = next(
            rotation for rotation in self._rotations if not _are_parallel(rotation.z_axis, _Z)
        )
        # Height on the joint axis (through the origin, along z) of the point nearest to the other
        # axis, for two lines p = height z and p = translation + s z_axis with normal z x z_axis.
        normal = cross(_Z, across.z_axis)
        height = dot(cross(across.translation, across.z_axis), normal) / dot(normal, normal)
        # All axes must pass through this point: lever arms from it are parallel to the axes.
        levers = (
            (add(rotation.translation, (ZERO, ZERO, -height)), rotation.z_axis)
            for rotation in self._rotations
        )
        if not all(_are_parallel(lever, axis) for lever, axis in levers):
            return None
        screws = zip(self._rotations, self._pitches, strict=True)
        beyond = list(
            dropwhile(lambda screw: not screw[1] and _are_parallel(screw[0].z_axis, _Z), screws)
        )
        line, pitch = beyond[0]
        is_one_screw = _vanishes(line.z_axis[2]) and all(
            other == pitch and _are_parallel(rotation.z_axis, line.z_axis)
            for rotation, other in beyond
        )
        return (height, pitch) if is_one_screw or not any(self._pitches) else None


def _are_parallel(left: Vector, right: Vector) -> bool:
    return all(_vanishes(component) for component in cross(left, right))


def _vanishes(number: Exact) -> bool:
    return number.is_known and abs(number) < _RESOLVED
