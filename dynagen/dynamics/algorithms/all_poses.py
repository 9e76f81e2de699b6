"""Poses of all named frames at once, outward from the base.

The three unit vectors of the base are rotated from body to body. In the axes of a body, their
components are the rows of the body's rotation matrix.
"""

from __future__ import annotations

from dynagen.dynamics.algorithms.kinematics import (
    position_from_parent,
    record_base_axes,
    record_pose_in_body,
    resolved,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.recording import Quantity, join
from dynagen.ir.symbols import VECTOR, Symbol
from dynagen.robot.model.model import BASE

ORIGIN = Symbol("o", "i", VECTOR, "position of the origin of body i in the base frame", "m")


def record_all_poses(recording: Recording) -> tuple[list[Quantity], list[Quantity]]:
    """Record the rotation matrices and positions of all named frames, in base axes.

    Returns:
        Two lists in the order of the model's frames. The first contains the rotation matrices: nine
        scalars each, row-major, with the frame's unit vectors as columns. The second contains the
        positions of the frames' origins (m).
    """
    axes = record_base_axes(recording, recording.bodies[::-1], two_axes=False)
    origins = {BASE: recording.add_constant(0, 0, 0)}
    for body in recording.bodies:
        body.begin_section("Position of body")
        foot = resolved(*axes[body.parent], body.translation)
        z = join(unit[2] for unit in axes[body.index])
        origin = position_from_parent(origins[body.parent], body.displacement, z, foot)
        origins[body.index] = origin.name(ORIGIN(body.number))
    recording.begin_section("Frames")
    rotations: list[Quantity] = []
    positions: list[Quantity] = []
    for frame in recording.model.frames:
        units, point = record_pose_in_body(recording, frame)
        columns = [resolved(*axes[frame.body], unit) for unit in units]
        rotations += [column[row] for row in range(3) for column in columns]
        positions.append(origins[frame.body] + resolved(*axes[frame.body], point))
    return rotations, positions
