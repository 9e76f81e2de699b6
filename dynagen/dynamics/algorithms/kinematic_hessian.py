"""Derivatives of the Jacobian of a frame by the joint positions, 6 x n x n.

Joint k changes column j of the Jacobian in one of two ways (Haviland and Corke, "Manipulator
Differential Kinematics, Part 2", IEEE Robotics and Automation Magazine 31(4), 2024). Here w is the
axis of a joint, and v is the velocity of the frame's origin at a unit velocity of the joint:

- Joint k carries joint j, or is the same joint: both parts of column j rotate, by w_k x v_j and w_k
  x w_j.
- Joint j carries joint k: axis j does not move, but the frame's origin moves: the change is w_j x
  v_k.

Each entry of a floating base, or of a spherical joint, carries the other entries of the same joint,
because the axes of the joint's velocities turn with the body.
"""

from __future__ import annotations

from dynagen.dynamics.algorithms.kinematics import record_joint_columns
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.recording import Quantity
from dynagen.robot.model.model import AttachedFrame


def record_jacobian_derivative(recording: Recording, frame: AttachedFrame) -> list[Quantity]:
    """Record all derivatives dJ_ij / dq_k of a frame's Jacobian, row-major by i, j, k.

    J is the 6 x n Jacobian of the frame, linear rows first, in base axes. k counts the entries of
    v: a derivative is by a small motion of an entry.
    """
    columns = record_joint_columns(recording, frame)
    zero = recording.add_constant(0, 0, 0)
    entries = range(recording.model.nv)
    linear = {(j, k): zero for j in entries for k in entries}
    angular = dict(linear)
    path = list(recording.find_path(frame.body))
    for place, inner in enumerate(path):
        inner.begin_section("Derivatives of the Jacobian, joint")
        # The bodies on the path from here to the base carry this body.
        for outer in path[place:]:
            for j, column in zip(inner.entries, columns[inner.index], strict=True):
                for k, mover in zip(outer.entries, columns[outer.index], strict=True):
                    turned = mover.angular.cross(column.linear)
                    linear[j, k] += turned
                    angular[j, k] += mover.angular.cross(column.angular)
                    if outer is not inner and outer.is_grouped_with(inner):
                        linear[k, j] += column.angular.cross(mover.linear)
                        angular[k, j] += column.angular.cross(mover.angular)
                    elif outer is not inner:
                        linear[k, j] += turned
    halves = linear, angular
    return [
        half[j, k][row] for half in halves for row in range(3) for j in entries for k in entries
    ]
