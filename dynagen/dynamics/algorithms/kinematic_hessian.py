"""Derivatives of the 6 x n Jacobian of a frame by the n joint positions: 6 x n x n entries.

Column j of the Jacobian contains the velocity v_j of the frame's origin and the angular velocity
w_j of the frame at a unit velocity of joint j. Joint k changes column j in one of two ways
(Haviland and Corke, "Manipulator Differential Kinematics, Part 2", IEEE Robotics and Automation
Magazine 31(4), 2024):

- Joint k is between joint j and the base, or k = j: the derivatives of v_j and w_j are cross(w_k,
  v_j) and cross(w_k, w_j).
- Joint k is between joint j and the frame: w_j does not change, and the derivative of v_j is
  cross(w_j, v_k).

If j and k belong to one floating base or spherical joint, the first case applies, because the axes
of the joint turn with the body.
"""

from __future__ import annotations

from dynagen.dynamics.algorithms.kinematics import record_joint_columns
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.recording import Quantity
from dynagen.robot.model.model import AttachedFrame


def record_jacobian_derivative(recording: Recording, frame: AttachedFrame) -> list[Quantity]:
    """Record all derivatives dJ_ij / dq_k of a frame's Jacobian J, row-major by i, j, k.

    J is 6 x n: three rows for the velocity of the frame's origin, then three for its angular
    velocity, in base axes. j and k are indices in the velocity vector. A derivative is by a small
    joint motion.
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
