"""Inverse kinematics of the tool or a named frame: all solutions, in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.arm_geometry import ARM_JOINTS, Arm, find_arm
from dynagen.dynamics.algorithms.inverse_kinematics import (
    POSITION,
    ROTATION,
    record_inverse_kinematics,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.function import (
    Availability,
    Dependence,
    DynamicsFunction,
    ExpectedResults,
    InverseCheck,
    Results,
)
from dynagen.ir.program import Argument
from dynagen.numbers.arrays import Array
from dynagen.robot.description import TOOL
from dynagen.robot.model.model import RobotModel

_MOST_BRANCHES = 8
_NEAR = 0.02  # rad or m, between a branch and the sampled joint positions
# Singular values of the Jacobian, relative to the largest one.
_NEARLY_SINGULAR = 0.02
_TWICE_SINGULAR = 3e-6
_STEP, _DIRECTIONS = 3e-4, 3


def _join(pose: Sequence[Array]) -> Array:
    """Return rotation and position, or only a position, as rows: (states, 12) or (states, 3)."""
    joined: Array = np.concatenate([each.reshape(len(each), -1) for each in pose], axis=-1)
    return joined


class _Check:
    """Check of inverse kinematics by forward kinematics.

    Each solution that the function marks as reached must lead to the given pose. One solution must
    be equal to the sampled joint positions.
    """

    def __init__(self, frame: str) -> None:
        self.frame = frame

    def compute_inputs(self, reference: Any, q: Array) -> tuple[Array, ...]:
        """Return the inputs of the function: the poses of the frame at the joint positions q.

        A pose consists of a rotation (states, 3, 3) and a position (states, 3) in m; for a robot
        with three joints it is only a position. q has shape (states, joints).
        """
        rotation, position = reference.find_frame(self.frame).compute_pose(q)
        if q.shape[-1] == ARM_JOINTS:
            return (position,)
        return rotation, position

    def measure(self, reference: Any, outputs: Sequence[Array], *state: Array) -> tuple[Any, ...]:
        """Return the pose at a solution, whether the sampled positions are found, and the status.

        The solution is the least accurate one of those that are marked as reached. Poses have the
        shape (states, 12), or (states, 3) for positions only. `outputs` are the outputs of the
        function. `state` contains the given poses, then the sampled positions.
        """
        (branches, reached, *rest), (*pose, q) = outputs, state
        found = reference.find_frame(self.frame).compute_pose(branches)
        found = np.concatenate([each.reshape(*reached.shape, -1) for each in found], axis=-1)
        given = _join(pose)
        found = found[..., -given.shape[-1] :]
        error: Array = np.max(np.abs(found - given[:, None]), axis=-1)
        error = np.where(reached > 0, error, 0.0)
        worst = np.where(np.isnan(error), np.inf, error).argmax(axis=-1)
        differs = np.max(error, axis=-1, keepdims=True) != 0
        measured = np.where(differs, found[np.arange(len(q)), worst], given)
        return measured, self._find_source(reference, branches, q), *rest

    def _find_source(self, reference: Any, branches: Array, q: Array) -> Array:
        """Return 1 for each state in which a solution is close to the sampled positions, else 0.

        The result is also 1 in nearly singular states, in which solutions are sensitive to
        rounding. `branches` are the solutions, shape (states, solutions, joints).
        """
        turns = [link.angular != 0 for link in reference.links if link.has_axis]
        way = branches - q[:, None]
        way = np.where(turns, np.remainder(way + np.pi, 2 * np.pi) - np.pi, way)
        near = (np.abs(way) < _NEAR).all(axis=-1).any(axis=-1)
        singular = self._compute_singular_values(reference, q)[:, -1] < _NEARLY_SINGULAR
        return np.where(near | singular, 1.0, 0.0)

    def is_defined(self, reference: Any, *state: Array) -> Any:
        """Return for each state whether at most one equation of the closed form has a double root.

        The closed form solves several equations for the joint positions. Rounding moves a double
        root by 1e-8, which may make another equation unsolvable.
        """
        q = state[-1]
        # The Jacobian's determinant has one factor for each equation. At a small distance h from
        # a state with two double solutions, the least singular value is of order h^2, not h.
        steps = _STEP * np.random.default_rng(0).uniform(-1, 1, (_DIRECTIONS, q.shape[-1]))
        least = [self._compute_singular_values(reference, q + step)[:, -1] for step in steps]
        return np.max(least, axis=0) > _TWICE_SINGULAR

    def _compute_singular_values(self, reference: Any, q: Array) -> Array:
        """Return the singular values of the frame's Jacobian, divided by the largest one.

        They are in descending order, shape (states, joints).
        """
        jacobian = reference.find_frame(self.frame).compute_jacobian(q)[:, : q.shape[-1]]
        values: Array = np.linalg.svd(jacobian, compute_uv=False)
        return values / values[:, :1]

    def expect(self, reference: Any, *state: Array) -> tuple[Array, ...]:
        """Return the expected results of `measure` except the status: the given poses, and ones.

        The number 1 means that a solution equals the sampled joint positions.
        """
        (*pose, q) = state
        return _join(pose), np.ones(len(q))

    def compute_scales(self, reference: Any, *state: Array) -> tuple[Array, ...]:
        """Return magnitudes to which rounding errors in the results of `expect` are proportional.

        The magnitudes have the shapes of these results.
        """
        (*pose, q) = state
        rotation, position = reference.find_frame(self.frame).compute_pose_magnitudes(q)
        return _join((rotation, position)[-len(pose) :]), np.ones(len(q))


def make_inverse_kinematics(frame: str) -> DynamicsFunction:
    """Return the function for joint positions at which a named frame has a given pose.

    The pose consists of the frame's rotation matrix and its origin's position (m) in the base
    frame. For an arm with three joints it is only the position. The function returns all solutions,
    at most 8, with angles from -pi to pi, and for each solution 1 if it reaches the pose, else 0.
    The status code is 1 if no solution reaches the pose.
    """
    check = _Check(frame)

    def explain_absence(model: RobotModel) -> str:
        found = find_arm(model, model.find_frame(frame))
        return found if isinstance(found, str) else ""

    def list_inputs(model: RobotModel) -> tuple[Argument, ...]:
        position = Argument(
            POSITION, (3,), ("m",) * 3, f"position of the frame {frame} in the base frame"
        )
        rotation = Argument(
            ROTATION,
            (3, 3),
            ("",) * 9,
            "rotation matrix: columns are the frame's unit vectors, in base axes",
            ones=(0, 4, 8),
        )
        arm = find_arm(model, model.find_frame(frame))
        # Three joints cannot choose a rotation.
        if isinstance(arm, Arm) and arm.wrist is None:
            return (position,)
        return rotation, position

    def list_outputs(model: RobotModel) -> tuple[Argument, ...]:
        arm = find_arm(model, model.find_frame(frame))
        # Listings also describe the function for robots that do not have it.
        count = arm.branch_count if isinstance(arm, Arm) else _MOST_BRANCHES
        units = tuple(body.joint.type.position_unit for body in model.bodies)
        return (
            Argument(
                "q_branches",
                (count, len(units)),
                units * count,
                "joint positions of every branch; angles are between -pi and pi",
            ),
            Argument(
                "reached", (count,), ("",) * count, "1 if the branch reaches the pose, else 0"
            ),
        )

    def record(recording: Recording) -> Results:
        model = recording.model.described or recording.model
        arm = find_arm(model, model.find_frame(frame))
        assert isinstance(arm, Arm)  # the function is available
        positions, reached = record_inverse_kinematics(recording, arm)
        return (positions,), (reached,)

    return DynamicsFunction(
        name="inverse_kinematics",
        formula=f"q_branches = all q with forward_kinematics(q) = pose of the frame {frame}",
        inputs=list_inputs,
        outputs=list_outputs,
        methods={"": record},
        expected_results=ExpectedResults(
            check.expect,
            magnitudes=check.compute_scales,
            defined=check.is_defined,
            subjects=("kinematics",),
            inverse=InverseCheck(check.compute_inputs, check.measure),
        ),
        availability=Availability(
            explain_absence,
            on_request=True,
            for_frame=make_inverse_kinematics,
            with_spherical_joints=False,
        ),
        depends_on=Dependence.NOTHING,
    )


INVERSE_KINEMATICS = make_inverse_kinematics(TOOL)
