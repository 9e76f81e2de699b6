"""The geometric Jacobian of a frame of the user's: RobotModel, frames -> the 6 x n matrix.

Its columns are z x r and z (D. E. Whitney, IEEE Trans. Man-Machine Systems 10(2), 1969). The axes of the result, the base's
or the frame's, are carried to the bodies as unit vectors. There a joint axis is (0, 0, 1), so that its components along
these unit vectors are their third components, and no joint axis has to be carried to the base.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.coordinates import list_screws, sum_forces
from dynagen.dynamics.algorithms.kinematics import (
    FrameMotion,
    UnitVectors,
    complete_axes,
    name_axes,
    record_pose_in_body,
)
from dynagen.dynamics.algorithms.recording import Recording, ResolvedBody
from dynagen.dynamics.arguments import Arguments, entries_that_rotate
from dynagen.dynamics.recording.formula import Quantity, formula, vector
from dynagen.ir.program import Argument
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.robot.model.model import BASE, AttachedFrame, RobotModel
from dynagen.robot.pose import ORIGIN, Pose, transpose

AXES_OF_JACOBIAN = tuple(
    Symbol(
        f"e{axis}", "i", VECTOR, f"unit vector {axis} of the Jacobian's axes, in those of body i"
    )
    for axis in "xyz"
)
ER = Symbol(
    "er",
    "i",
    VECTOR,
    "position of the frame from the origin of body i, in the Jacobian's axes",
    "m",
)
JV = Symbol("jv", "i", VECTOR, "linear part of column i of the Jacobian", source="Whitney 1969")
JW = Symbol("jw", "i", VECTOR, "angular part of column i of the Jacobian", source="Whitney 1969")


@formula
def resolved(ex: Matrix, ey: Matrix, ez: Matrix, vector: Matrix) -> Matrix:
    """Components of a vector along three unit vectors that are given in the same axes."""
    return Matrix([ex.dot(vector), ey.dot(vector), ez.dot(vector)])


@formula
def position_from_parent(
    position: Matrix, displacement: Expr, axis: Matrix, translation: Matrix
) -> Matrix:
    """Position from the parent's origin, all vectors in the same axes."""
    return position + displacement * axis + translation


@formula
def linear_column(angular: Expr, linear: Expr, axis: Matrix, position: Matrix) -> Matrix:
    """Velocity of a point per unit of a joint's velocity: angular z x p + linear z."""
    return angular * axis.cross(position) + linear * axis


@formula
def angular_column(angular: Expr, axis: Matrix) -> Matrix:
    """Angular velocity per unit of a joint's velocity: angular z."""
    return angular * axis


def jacobian_matrix(name: str, meaning: str) -> Arguments:
    """Return a 6 x n matrix that maps joint velocities to a velocity and an angular velocity."""

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        rotates = entries_that_rotate(model)
        linear = linear_units(model)
        angular = tuple("" if each else "rad/m" for each in rotates)
        return (Argument(name, (6, len(rotates)), linear * 3 + angular * 3, meaning),)

    return arguments


def linear_units(model: RobotModel) -> tuple[str, ...]:
    """Return the units of a velocity per unit of every entry of v."""
    return tuple("m/rad" if rotates else "" for rotates in entries_that_rotate(model))


def record_jacobian(
    recording: Recording, frame: AttachedFrame, in_frame_axes: bool, two_axes: bool
) -> list[Quantity]:
    """Record the geometric Jacobian for a frame's origin.

    Args:
        recording: of the robot.
        frame: the frame whose velocity the Jacobian gives.
        in_frame_axes: whether in the frame's axes, and not in the base's.
        two_axes: whether the third of these axes follows from the two others, at every body where that may save operations.

    Returns:
        The elements of the 6 x n matrix, row-major.
    """
    path = recording.path_to_base(frame.body)
    if in_frame_axes:
        axes = _record_frame_axes(recording, frame, path, two_axes)
        position = recording.constant(
            *Pose(transpose(frame.pose.rotation), ORIGIN).rotate(frame.pose.translation)
        )
    else:
        axes = _record_base_axes(recording, path, two_axes)
        position = resolved(*axes[frame.body], record_pose_in_body(recording, frame)[1])
    rest = recording.constant(0, 0, 0)
    columns = [[FrameMotion(rest, rest)] * len(body.entries) for body in recording.bodies]
    # All vectors are resolved in the Jacobian's axes: a body's axes there are entries of these axes' unit vectors in the body.
    for body in path:
        body.section("Columns, body")
        position = position.name(ER(body.number))
        for place, (number, screw) in enumerate(zip(body.numbers, list_screws(body), strict=True)):
            axis = vector(unit[screw.along] for unit in axes[body.index])
            columns[body.index][place] = FrameMotion(
                linear_column(screw.angular, screw.linear, axis, position).name(JV(number)),
                angular_column(screw.angular, axis).name(JW(number)),
            )
        if body.parent != BASE:
            axis = vector(unit[2] for unit in axes[body.index])
            translation = resolved(*axes[body.parent], body.translation)
            position = position_from_parent(position, body.displacement, axis, translation)
    linear = sum_forces(
        recording, [tuple(column.linear for column in of_joint) for of_joint in columns]
    )
    angular = sum_forces(
        recording, [tuple(column.angular for column in of_joint) for of_joint in columns]
    )
    return [column[row] for half in (linear, angular) for row in range(3) for column in half]


def _record_frame_axes(
    recording: Recording, frame: AttachedFrame, path: tuple[ResolvedBody, ...], two_axes: bool
) -> Mapping[int, UnitVectors]:
    """Record the frame's unit vectors in the axes of every body between it and the base."""
    axes, _ = record_pose_in_body(recording, frame)
    in_bodies = {}
    for place, body in enumerate(path):
        body.section("Inward, body")
        if two_axes and place in _find_saving_places(path):
            axes = complete_axes(axes)
        in_bodies[body.index] = name_axes(AXES_OF_JACOBIAN, body.number, axes)
        axes = tuple(body.inward(axis) for axis in in_bodies[body.index])
    return in_bodies


def _record_base_axes(
    recording: Recording, path: tuple[ResolvedBody, ...], two_axes: bool
) -> Mapping[int, UnitVectors]:
    """Record the base's unit vectors in the axes of the base and of every body on a path to it."""
    in_bodies = {
        BASE: tuple(recording.constant(*unit) for unit in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    }
    for place, body in enumerate(reversed(path)):
        body.section("Outward, body")
        axes = tuple(body.outward(axis) for axis in in_bodies[body.parent])
        if two_axes and place in _find_saving_places(path):
            axes = complete_axes(axes)
        in_bodies[body.index] = name_axes(AXES_OF_JACOBIAN, body.number, axes)
    return in_bodies


def _find_saving_places(path: tuple[ResolvedBody, ...]) -> range:
    """Return the positions on a path where a vector product may save operations.

    The first rotations of a unit vector meet zeros and ones and cost less; at the end only third components are used.
    """
    return range(2, len(path) - 1)
