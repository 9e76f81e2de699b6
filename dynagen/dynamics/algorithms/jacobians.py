"""The geometric Jacobian of a frame of the user's: RobotModel, frames -> the 6 x n matrix.

Its columns are z x r and z (D. E. Whitney, IEEE Trans. Man-Machine Systems 10(2), 1969). The axes that it is asked for in, the
base's or the frame's, are carried to the bodies as unit vectors. There a joint axis is (0, 0, 1), so that its components along
these unit vectors are their third components, and no joint axis has to be carried to the base.
"""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.coordinates import entry_numbers, joint_screws, sum_forces
from dynagen.dynamics.algorithms.frames import Frames
from dynagen.dynamics.algorithms.kinematics import (
    FrameMotion,
    UnitVectors,
    begin_section,
    complete_axes,
    name_axes,
    record_pose_in_body,
)
from dynagen.dynamics.arguments import Arguments, entries_that_rotate
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Quantity, Recorder
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
    """Velocity of a point per unit of a joint's rate: angular z x p + linear z."""
    return angular * axis.cross(position) + linear * axis


@formula
def angular_column(angular: Expr, axis: Matrix) -> Matrix:
    """Angular velocity per unit of a joint's rate: angular z."""
    return angular * axis


def jacobian_matrix(name: str, meaning: str) -> Arguments:
    """A 6 x n matrix that takes joint rates to a velocity and an angular velocity."""

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        rotates = entries_that_rotate(model)
        linear = linear_units(model)
        angular = tuple("" if each else "rad/m" for each in rotates)
        return (Argument(name, (6, len(rotates)), linear * 3 + angular * 3, meaning),)

    return arguments


def linear_units(model: RobotModel) -> tuple[str, ...]:
    """Units of a velocity per unit of every entry of v."""
    return tuple("m/rad" if rotates else "" for rotates in entries_that_rotate(model))


def record_jacobian(
    recorder: Recorder,
    model: RobotModel,
    frames: Frames,
    frame: AttachedFrame,
    in_frame_axes: bool,
    two_axes: bool,
) -> list[Quantity]:
    """Record the geometric Jacobian for a frame's origin.

    Args:
        recorder: receives the program.
        model: the robot.
        frames: the axes in which its bodies are resolved.
        frame: where the velocity is asked for.
        in_frame_axes: whether in the frame's axes, and not in the base's.
        two_axes: whether the third of these axes follows from the two others, at every body where that may save operations.

    Returns:
        The elements of the 6 x n matrix, row-major.
    """
    path = model.path_to_base(frame.body)
    if in_frame_axes:
        axes = _record_frame_axes(recorder, model, frames, frame, two_axes)
        position = recorder.constant(
            *Pose(transpose(frame.pose.rotation), ORIGIN).rotate(frame.pose.translation)
        )
    else:
        axes = _record_base_axes(recorder, model, frames, path, two_axes)
        position = recorder.apply(
            resolved, *axes[frame.body], record_pose_in_body(recorder, frames, frame)[1]
        )
    rest = recorder.constant(0, 0, 0)
    columns = [[FrameMotion(rest, rest)] * len(body.entries) for body in model.bodies]
    numbers = entry_numbers(model)
    for index in path:
        begin_section(recorder, "Columns", model, index)
        body, position = model.bodies[index], recorder.name(ER(index + 1), position)
        for place, (number, screw) in enumerate(
            zip(numbers[index], joint_screws(recorder, body), strict=True)
        ):
            axis = Quantity((3,), tuple(unit.values[screw.along] for unit in axes[index]))
            columns[index][place] = FrameMotion(
                recorder.record(
                    JV(number), linear_column, screw.angular, screw.linear, axis, position
                ),
                recorder.record(JW(number), angular_column, screw.angular, axis),
            )
        if body.parent != BASE:
            axis = Quantity((3,), tuple(unit.values[2] for unit in axes[index]))
            translation = recorder.apply(resolved, *axes[body.parent], frames[index].translation)
            position = recorder.apply(
                position_from_parent, position, frames[index].displacement, axis, translation
            )
    linear_half = [tuple(column.linear for column in of_joint) for of_joint in columns]
    angular_half = [tuple(column.angular for column in of_joint) for of_joint in columns]
    halves = (sum_forces(recorder, model, half) for half in (linear_half, angular_half))
    return [column[row] for half in halves for row in range(3) for column in half]


def _record_frame_axes(
    recorder: Recorder, model: RobotModel, frames: Frames, frame: AttachedFrame, two_axes: bool
) -> Mapping[int, UnitVectors]:
    """Record the frame's unit vectors in the axes of every body between it and the base."""
    path = model.path_to_base(frame.body)
    axes, _ = record_pose_in_body(recorder, frames, frame)
    in_bodies = {}
    for position, index in enumerate(path):
        begin_section(recorder, "Inward", model, index)
        if two_axes and position in _saving(path):
            axes = complete_axes(recorder, axes)
        in_bodies[index] = name_axes(recorder, AXES_OF_JACOBIAN, index, axes)
        axes = tuple(frames[index].inward(recorder, axis) for axis in in_bodies[index])
    return in_bodies


def _record_base_axes(
    recorder: Recorder, model: RobotModel, frames: Frames, path: tuple[int, ...], two_axes: bool
) -> Mapping[int, UnitVectors]:
    """Record the base's unit vectors in the axes of the base and of every body on a path to it."""
    in_bodies = {
        BASE: tuple(recorder.constant(*unit) for unit in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    }
    for position, index in enumerate(reversed(path)):
        begin_section(recorder, "Outward", model, index)
        axes = tuple(
            frames[index].outward(recorder, axis) for axis in in_bodies[model.bodies[index].parent]
        )
        if two_axes and position in _saving(path):
            axes = complete_axes(recorder, axes)
        in_bodies[index] = name_axes(recorder, AXES_OF_JACOBIAN, index, axes)
    return in_bodies


def _saving(path: tuple[int, ...]) -> range:
    """Positions on a path where a vector product may save operations.

    The first rotations of a unit vector meet zeros and ones and cost less; at the end only third components are asked for.
    """
    return range(2, len(path) - 1)
