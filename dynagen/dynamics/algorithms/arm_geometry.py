"""Geometry of arms whose inverse kinematics has a closed form.

Six joints can be solved in closed form if three neighbouring axes meet in one point (Pieper, "The
Kinematics of Manipulators under Computer Control", thesis, Stanford University, 1968). This module
treats arms with a spherical wrist: the last three axes meet in one point. The first three joints
have to bring this point, the centre of the wrist, to a known position. A robot with three joints
has to bring the origin of a frame to a known position.

The pose of body i in body i - 1 is a constant pose with the rotation matrix Ri and the translation
ti, followed by the motion Mi of joint i: a rotation by phi about z and a translation by delta along
z. Let w be the centre of the wrist (or the origin of the frame) in the axes of body 3. In the axes
of body 1 at joint position 0, this point has the position

    u = M1 (t2 + R2 M2 (t3 + R3 M3 w)).

u is known from the required pose. The inverse kinematics has a closed form if one of the following
conditions is true:

- The axes of the revolute joints 2 and 3 are parallel. The component of M1^-1 u along these axes is
  known.
- The axes of the revolute joints 1 and 2 are parallel. The component of u along these axes depends
  on joint 3 only.
- Joints 2 and 3 are prismatic. The component of M1^-1 u normal to both axes is known.
- The axes of the revolute joints 1 and 2 meet. The distance of u from the meeting point depends on
  joint 3 only.
- The axes of the revolute joints 2 and 3 meet. The distance of w from the meeting point is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from dynagen.numbers.exact import ONE, ZERO, Exact, is_zero
from dynagen.robot.model.model import AttachedFrame, Body, RobotModel
from dynagen.robot.pose import Pose, Vector, add, cross, dot, scale

ARM_JOINTS, _WRIST_JOINTS = 3, 3


class Structure(Enum):
    """Geometries of an arm's first three joints for which inverse kinematics has a closed form."""

    LAST_PARALLEL = "axes 2 and 3 are parallel"
    FIRST_PARALLEL = "axes 1 and 2 are parallel"
    LAST_PRISMATIC = "joints 2 and 3 are prismatic"
    FIRST_MEET = "axes 1 and 2 meet"
    LAST_MEET = "axes 2 and 3 meet"


@dataclass(frozen=True)
class Wrist:
    """A spherical wrist: three revolute joints whose axes meet in one point.

    Attributes:
        poses: poses of bodies 4, 5 and 6 at joint position 0, each in the frame of the preceding
            body.
        orientation: orientation of the frame whose pose is required, in the frame of the last body;
            a pose without translation.
        center: position of the wrist's centre in the frame whose pose is required (m).
    """

    poses: tuple[Pose, Pose, Pose]
    orientation: Pose
    center: Vector


@dataclass(frozen=True)
class Arm:
    """An arm whose inverse kinematics has a closed form.

    Attributes:
        structure: the geometry of the first three joints that makes the closed form possible.
        turns: for each of joints 1, 2 and 3, whether it is revolute (True) or prismatic (False).
        poses: poses of bodies 1, 2 and 3 at joint position 0, each in the frame of the preceding
            body (for body 1: of the base).
        point: the point that has to reach a known position, in the frame of body 3 (m). It is the
            centre of the wrist, or for a robot with three joints the origin of a frame.
        wrist: geometry of joints 4 to 6; None for a robot with three joints.
    """

    structure: Structure
    turns: tuple[bool, bool, bool]
    poses: tuple[Pose, Pose, Pose]
    point: Vector
    wrist: Wrist | None

    @property
    def length(self) -> Exact:
        """Size of the arm (m), by which tolerances are scaled.

        The size is the sum of the distances from joint 1 to joint 2, to joint 3, and to `point`; it
        is 1 m if this sum is zero.
        """
        vectors = (*(pose.translation for pose in self.poses[1:]), self.point)
        total = sum((dot(each, each).sqrt() for each in vectors), ZERO)
        return ONE if is_zero(total) else total

    @property
    def branch_count(self) -> int:
        """Number of solutions for a pose: 2^k if k steps of the solution have two results each."""
        first, _, third = self.turns
        equations = {
            Structure.LAST_PARALLEL: first + 1,
            Structure.FIRST_PARALLEL: third + 1,
            Structure.LAST_PRISMATIC: int(first),
        }.get(self.structure, 2)
        return int(2 ** (equations + (self.wrist is not None)))


def find_arm(model: RobotModel, frame: AttachedFrame) -> Arm | str:
    """Return the arm that moves a frame, or why its inverse kinematics has no closed form.

    `frame` is the frame whose pose (six joints) or whose origin's position (three joints) is
    required. If this module cannot solve the inverse kinematics, the result is a text with the
    reason.
    """
    if reason := _explain_wrong_joints(model, frame):
        return reason
    turns = [bool(body.joint.angular) for body in model.bodies]
    poses = [_clean(body.placement.pose) for body in model.bodies]
    wrist, point = None, frame.pose.translation
    if len(poses) > ARM_JOINTS:
        center = _find_center(turns[ARM_JOINTS:], poses[4], poses[5])
        if center is None:
            return "the axes of the last three joints do not meet in a point (a spherical wrist)"
        # The centre in the frame of body 3, which joint 4 does not move: it is on axis 4.
        in_fourth, in_last = center
        point = _clean_vector(add(poses[3].translation, scale(in_fourth, poses[3].z_axis)))
        back = frame.pose.inverse
        wrist = Wrist(
            (poses[3], poses[4], poses[5]),
            Pose(frame.pose.rotation, (ZERO, ZERO, ZERO)),
            _clean_vector(add(back.translation, scale(in_last, back.z_axis))),
        )
    arm = (turns[0], turns[1], turns[2]), (poses[0], poses[1], poses[2])
    structure = _find_structure(*arm, point)
    if structure is None:
        return (
            "the first three joints have none of the solvable structures: parallel or intersecting "
            "axes of joints 1 and 2 or of joints 2 and 3, or prismatic joints 2 and 3"
        )
    return Arm(structure, *arm, point, wrist)


def _explain_wrong_joints(model: RobotModel, frame: AttachedFrame) -> str:
    """Return why a robot's joints cannot be solved in closed form; "" if they may be solvable."""
    if any(not body.joint.type.has_axis or body.joint.pitch for body in model.bodies):
        return "the robot has joints that are neither revolute nor prismatic"
    if model.has_mimics:
        return "the robot has mimicking joints"
    if any(body.parent != index - 1 for index, body in enumerate(model.bodies)):
        return "the joints do not form one chain"
    if len(model.bodies) not in (ARM_JOINTS, ARM_JOINTS + _WRIST_JOINTS):
        return (
            f"the robot has {len(model.bodies)} joints; a closed form exists for three joints, and "
            "for six joints whose last three axes meet in a point"
        )
    if frame.body != len(model.bodies) - 1:
        return f"the last joint does not move the frame {frame.name}"
    numbers = (number for body in model.bodies for number in _list_numbers(body))
    if not all(number.is_known for number in (*numbers, *frame.pose.translation)):
        return "the geometry depends on run-time parameters"
    return ""


def _list_numbers(body: Body) -> tuple[Exact, ...]:
    return (*body.placement.numbers, body.angular, body.linear)


def _find_center(turns: list[bool], fifth: Pose, sixth: Pose) -> tuple[Exact, Exact] | None:
    """Return where the three axes of a wrist meet, as coordinates along axes 4 and 6, or None.

    The coordinates (m) are measured from the origins of bodies 4 and 6. The result is None if the
    axes do not meet in one point, or if one of the joints is prismatic. `fifth` and `sixth` are the
    poses of bodies 5 and 6 in the preceding body, at joint position 0.
    """
    first, second = find_intersection(fifth), find_intersection(sixth)
    if not all(turns) or first is None or second is None or not is_zero(first[1] - second[0]):
        return None
    return first[0], second[1]


def find_intersection(pose: Pose) -> tuple[Exact, Exact] | None:
    """Return where the z axes of two frames meet, as coordinates along both axes, or None.

    `pose` is the pose of the second frame in the first one. The coordinates (m) are measured from
    the origins of the two frames. Parallel and skew axes do not meet.
    """
    x, y, z = pose.z_axis
    # sin^2 of the angle between the axes; zero for parallel axes.
    square = x * x + y * y
    if is_zero(square):
        return None
    px, py, pz = pose.translation
    # The axes meet if p.(z x z2) = 0, with p from one origin to the other.
    if not is_zero(px * y - py * x):
        return None
    along = -(px * x + py * y) / square
    return pz + along * z, along


def _find_structure(
    turns: tuple[bool, bool, bool], poses: tuple[Pose, Pose, Pose], point: Vector
) -> Structure | None:
    """Return the first entry of `Structure` that fits the first three joints, or None.

    A structure does not fit if one of its equations is independent of the joint for which it has to
    be solved. `turns`, `poses` and `point` are as in `Arm`.
    """
    first, second, third = turns
    _, two, three = poses
    axis = two.z_axis
    # Joint 1 has to change the component along an axis or normal.
    ends_off_axis = not (_is_on_axis(three.translation) or _is_on_axis(point))
    if second and third and _is_parallel(three) and _moves(first, axis) and ends_off_axis:
        return Structure.LAST_PARALLEL
    # A prismatic joint 3 may move the point along axis 2, so that joint 2 has no effect.
    end = add(three.translation, three.rotate(point))
    stays_on_axis = not third and _is_parallel(three) and _is_on_axis(end)
    if first and second and _is_parallel(two) and not _is_on_axis(two.translation):
        row = three.rotation[2]
        if third and not (_is_on_axis(row) or _is_on_axis(point)):
            return Structure.FIRST_PARALLEL
        if not third and not is_zero(row[2]) and not stays_on_axis:
            return Structure.FIRST_PARALLEL
    # Two slides reach everything in their plane, so joint 1 has to bring the point into it.
    normal = cross(axis, two.rotate(three.z_axis))
    if not second and not third and _moves(first, normal):
        return Structure.LAST_PRISMATIC
    if first and second and (met := find_intersection(two)) is not None:
        # From the meeting point; the distance depends on joint 3 if neither end is on its axis.
        arm = three.inverse.rotate(add(three.translation, (ZERO, ZERO, -met[1])))
        if third and not (_is_on_axis(arm) or _is_on_axis(point)):
            return Structure.FIRST_MEET
        if not third and not stays_on_axis:
            return Structure.FIRST_MEET
    met = find_intersection(three) if second and third and not _is_on_axis(point) else None
    if met is not None:
        # Joint 1 cannot change the distance from a point on its own axis.
        center = add(two.translation, scale(met[0], axis))
        if not first or not _is_on_axis(center):
            return Structure.LAST_MEET
    return None


def _is_parallel(pose: Pose) -> bool:
    """Return whether two frames have parallel z axes; `pose` is the pose of one in the other."""
    return _is_on_axis(pose.z_axis)


def _is_on_axis(vector: Vector) -> bool:
    """Return whether a vector lies along z: its x and y components are zero."""
    return is_zero(vector[0]) and is_zero(vector[1])


def _moves(turns: bool, direction: Vector) -> bool:
    """Return whether joint 1 changes a component of a point's position.

    The component is along `direction`, in the axes of body 1 (z is the joint axis). `turns` is True
    if joint 1 is revolute.
    """
    return not _is_on_axis(direction) if turns else not is_zero(direction[2])


def _clean(pose: Pose) -> Pose:
    """Return a pose with exact zeros in place of numbers that are zero up to rounding."""
    x, y, z = (_clean_vector(row) for row in pose.rotation)
    return Pose((x, y, z), _clean_vector(pose.translation))


def _clean_vector(vector: Vector) -> Vector:
    x, y, z = (ZERO if is_zero(each) else each for each in vector)
    return x, y, z
