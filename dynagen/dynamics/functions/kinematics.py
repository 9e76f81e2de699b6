"""Kinematics of the tool or a named frame, and of the centre of mass.

- Forward kinematics: the pose of the frame in the base frame.
- Geometric Jacobian J of the frame: J times the joint velocities qd is the linear and angular
  velocity in base axes, or in the frame's own axes (body Jacobian).
- Drift acceleration dJ/dt qd: the acceleration of the frame at constant joint velocities.
- Centre of mass of all moving bodies, its Jacobian, and the momenta about the centre of mass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.all_poses import record_all_poses
from dynagen.dynamics.algorithms.frame_motion import record_acceleration
from dynagen.dynamics.algorithms.kinematic_hessian import record_jacobian_derivative
from dynagen.dynamics.algorithms.kinematics import (
    list_linear_units,
    make_jacobian_argument,
    record_center_of_mass,
    record_centroidal_momenta,
    record_com_jacobian,
    record_jacobian,
    record_pose,
    sum_masses,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import Arguments, find_rotating_entries, make_joint_motion
from dynagen.dynamics.function import (
    Availability,
    Dependence,
    DynamicsFunction,
    ExpectedResults,
    Record,
    Results,
)
from dynagen.dynamics.functions.derivatives import divide_unit
from dynagen.ir.program import Argument
from dynagen.numbers.exact import is_zero
from dynagen.robot.description import TOOL
from dynagen.robot.model.model import RobotModel

ALL_FRAMES = "all"
"""Name of all frames together, as in `forward_kinematics@all`."""


def _pose_outputs(model: RobotModel) -> tuple[Argument, ...]:
    return (
        Argument(
            "R",
            (3, 3),
            ("",) * 9,
            "rotation matrix: columns are the frame's unit vectors, in base axes",
        ),
        Argument("p", (3,), ("m",) * 3, "position of the frame's origin in the base frame"),
    )


def _all_pose_outputs(model: RobotModel) -> tuple[Argument, ...]:
    count, names = len(model.frames), ", ".join(frame.name for frame in model.frames)
    return tuple(
        Argument(
            each.name,
            (count, *each.shape),
            each.units * count,
            f"{each.meaning}; of each frame in the order {names}",
        )
        for each in _pose_outputs(model)
    )


def _stack_frames(poses: Iterable[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Return poses as two arrays: rotations (..., frames, 3, 3), positions (..., frames, 3)."""
    rotations, positions = zip(*poses, strict=True)
    return np.stack(rotations, axis=-3), np.stack(positions, axis=-2)


def _make_all_poses() -> DynamicsFunction:
    """Return the function for the poses of the tool and all named frames in the base frame."""
    return DynamicsFunction(
        name="forward_kinematics",
        formula="R, p = poses of all named frames in the base frame",
        inputs=make_joint_motion("q"),
        outputs=_all_pose_outputs,
        methods={"": record_all_poses},
        expected_results=ExpectedResults(
            lambda reference, q: _stack_frames(
                frame.compute_pose(q) for frame in reference.frames.values()
            ),
            magnitudes=lambda reference, q: _stack_frames(
                frame.compute_pose_magnitudes(q) for frame in reference.frames.values()
            ),
            subjects=("kinematics",),
        ),
        depends_on=Dependence.NOTHING,
    )


def forward_kinematics(frame: str) -> DynamicsFunction:
    """Return the function for the pose of a named frame in the base frame.

    The pose is a rotation matrix R, (3, 3), whose columns are the frame's unit vectors in base
    axes, and the position p of the frame's origin, (3,), in m. For the name `all` the function
    returns the poses of all k frames, with the shapes (k, 3, 3) and (k, 3).
    """
    if frame == ALL_FRAMES:
        return _make_all_poses()

    def record(recording: Recording, two_axes: bool) -> Results:
        axes, position = record_pose(recording, recording.model.find_frame(frame), two_axes)
        # The unit vectors are the columns of R, and R is stored row by row.
        return [axis[row] for row in range(3) for axis in axes], [position]

    return DynamicsFunction(
        name="forward_kinematics",
        formula=f"R, p = pose of the frame {frame} in the base frame",
        inputs=make_joint_motion("q"),
        outputs=_pose_outputs,
        methods={
            "three-axes": partial(record, two_axes=False),
            "two-axes": partial(record, two_axes=True),
        },
        expected_results=ExpectedResults(
            lambda reference, q: reference.find_frame(frame).compute_pose(q),
            magnitudes=lambda reference, q: reference.find_frame(frame).compute_pose_magnitudes(q),
            subjects=("kinematics",),
        ),
        availability=Availability(for_frame=forward_kinematics, with_loops=True),
        depends_on=Dependence.NOTHING,
    )


FORWARD_KINEMATICS = forward_kinematics(TOOL)


def make_jacobian(
    frame: str, name: str = "jacobian", in_frame_axes: bool = False
) -> DynamicsFunction:
    """Return the function for the geometric Jacobian J of a named frame, shape (6, n).

    J has one column for each of the n joint velocities qd. J qd is the velocity of the frame's
    origin (m/s), then the angular velocity of the frame (rad/s).

    Args:
        frame: name of the frame; `build` reports a robot that does not have it.
        name: name of the function.
        in_frame_axes: whether J qd is in the frame's own axes instead of base axes.
    """
    whose, axes = ("its own", "the frame's own axes") if in_frame_axes else ("base", "base axes")

    def record(recording: Recording, two_axes: bool) -> Results:
        return (
            record_jacobian(recording, recording.model.find_frame(frame), in_frame_axes, two_axes),
        )

    def expected(reference: Any, q: Any) -> tuple[Any]:
        # The references compute kinematics by link transforms and by exponentials of screws.
        at = reference.find_frame(frame)
        return (at.compute_body_jacobian(q) if in_frame_axes else at.compute_jacobian(q),)

    return DynamicsFunction(
        name=name,
        formula=f"J(q) qd = velocity and angular velocity of the frame {frame} in {whose} axes",
        inputs=make_joint_motion("q"),
        outputs=make_jacobian_argument("J", f"geometric Jacobian in {axes}, linear rows first"),
        methods={
            "three-axes": partial(record, two_axes=False),
            "two-axes": partial(record, two_axes=True),
        },
        expected_results=ExpectedResults(
            expected,
            magnitudes=lambda reference, q: (
                reference.find_frame(frame).compute_jacobian_magnitudes(q),
            ),
            subjects=("kinematics",),
        ),
        availability=Availability(
            for_frame=partial(make_jacobian, name=name, in_frame_axes=in_frame_axes),
            with_loops=True,
        ),
        depends_on=Dependence.NOTHING,
    )


JACOBIAN = make_jacobian(TOOL)
BODY_JACOBIAN = make_jacobian(TOOL, "body_jacobian", in_frame_axes=True)


def _drift_outputs(model: RobotModel) -> tuple[Argument, ...]:
    units = ("m/s^2",) * 3 + ("rad/s^2",) * 3
    return (
        Argument(
            "Jdqd",
            (6,),
            units,
            "acceleration of the frame's origin, then angular acceleration, in base axes",
        ),
    )


def make_jacobian_dot_qd(frame: str) -> DynamicsFunction:
    """Return the function for the drift acceleration dJ/dt qd of a named frame, shape (6,).

    J is the geometric Jacobian and qd are the joint velocities. The result is the frame's
    acceleration without joint accelerations: the acceleration of its origin (m/s^2), then the
    angular acceleration (rad/s^2), in base axes.
    """

    def record(recording: Recording) -> Results:
        drift = record_acceleration(recording, recording.model.find_frame(frame))
        return ((drift.linear, drift.angular),)

    return DynamicsFunction(
        name="jacobian_dot_qd",
        formula=f"Jdqd = dJ/dt qd: acceleration of the frame {frame} in base axes while qdd = 0",
        inputs=make_joint_motion("q", "qd"),
        outputs=_drift_outputs,
        methods={"": record},
        expected_results=ExpectedResults(
            lambda reference, q, qd: (
                reference.find_frame(frame).compute_drift_acceleration(q, qd),
            ),
            magnitudes=lambda reference, q, qd: (
                reference.find_frame(frame).compute_drift_magnitudes(q, qd),
            ),
            subjects=("kinematics",),
        ),
        availability=Availability(for_frame=make_jacobian_dot_qd),
        depends_on=Dependence.NOTHING,
    )


JACOBIAN_DOT_QD = make_jacobian_dot_qd(TOOL)


def _derivative_output(model: RobotModel) -> tuple[Argument, ...]:
    (jacobian,) = make_jacobian_argument("J", "")(model)
    per = ["rad" if rotates else "m" for rotates in find_rotating_entries(model)]
    units = tuple(divide_unit(unit or "1", each) for unit in jacobian.units for each in per)
    meaning = "derivatives of the geometric Jacobian in base axes: row, column, joint that moves"
    return (Argument("dJ_dq", (*jacobian.shape, model.nv), units, meaning),)


def _derivative_magnitudes(frame: str, reference: Any, q: Any) -> tuple[Any]:
    """Return, for each derivative, an upper bound of the sum of its terms' absolute values.

    The derivatives are those of the frame's Jacobian by small motions of the joints.
    """
    terms = reference.find_frame(frame).compute_jacobian_magnitudes(q)
    linear, angular = terms[..., :3, :], terms[..., 3:, :]
    halves = (
        linear[..., None] * angular[..., None, :] + angular[..., None] * linear[..., None, :],
        angular[..., None] * angular[..., None, :],
    )
    return (np.concatenate(halves, axis=-3),)


def make_jacobian_derivative(frame: str) -> DynamicsFunction:
    """Return the function for the derivatives of a frame's Jacobian, shape (6, n, n).

    J is the geometric Jacobian in base axes, with the rows of the linear velocity first, and one
    column for each of the n joint velocities. Element [i, j, k] is the derivative of J_ij by a
    small motion (rad or m) along joint velocity k.
    """

    def record(recording: Recording) -> Results:
        return (record_jacobian_derivative(recording, recording.model.find_frame(frame)),)

    return DynamicsFunction(
        name="jacobian_derivative",
        formula=f"dJ_dq = dJ_ij/dq_k for the Jacobian of the frame {frame} in base axes",
        inputs=make_joint_motion("q"),
        outputs=_derivative_output,
        methods={"": record},
        expected_results=ExpectedResults(
            lambda reference, q: (reference.find_frame(frame).compute_jacobian_derivative(q),),
            magnitudes=partial(_derivative_magnitudes, frame),
            subjects=("kinematics",),
        ),
        availability=Availability(on_request=True, for_frame=make_jacobian_derivative),
        depends_on=Dependence.NOTHING,
    )


JACOBIAN_DERIVATIVE = make_jacobian_derivative(TOOL)


def _com_output(model: RobotModel) -> tuple[Argument, ...]:
    return (
        Argument("com", (3,), ("m",) * 3, "centre of mass of all moving bodies, in the base frame"),
    )


def _com_jacobian_output(model: RobotModel) -> tuple[Argument, ...]:
    meaning = "Jacobian of the centre of mass, in base axes"
    return (Argument("Jcom", (3, model.nv), list_linear_units(model) * 3, meaning),)


def _momentum_matrix_output(model: RobotModel) -> tuple[Argument, ...]:
    # A velocity is in rad/s or m/s, which decides the unit of a column.
    rotates = find_rotating_entries(model)
    linear, angular = (
        tuple(units[each] for each in rotates) for units in (("kg", "kg m"), ("kg m", "kg m^2"))
    )
    meaning = "centroidal momentum matrix in base axes, linear rows first"
    return (Argument("Ag", (6, model.nv), linear * 3 + angular * 3, meaning),)


def describe_missing_mass(model: RobotModel) -> str:
    """Return the reason why a robot has no centre of mass; empty if it has one."""
    return "no moving body has mass. Give its links masses" if is_zero(sum_masses(model)) else ""


def _centroidal(
    name: str,
    formula: str,
    outputs: Arguments,
    record: Record,
    expected: Callable[[Any, Any], Any],
    magnitudes: Callable[[Any, Any], Any],
) -> DynamicsFunction:
    """Return a function of q with one output, such as the position of the centre of mass.

    `expected` computes the output, and `magnitudes` the sums of the absolute values of the terms of
    its elements. Both have two arguments: a `CentroidalReference`, and q.
    """
    return DynamicsFunction(
        name=name,
        formula=formula,
        inputs=make_joint_motion("q"),
        outputs=outputs,
        methods={"": record},
        expected_results=ExpectedResults(
            lambda reference, q: (expected(reference.centroidal, q),),
            magnitudes=lambda reference, q: (magnitudes(reference.centroidal, q),),
            subjects=("kinematics",),
        ),
        availability=Availability(describe_missing_mass),
        depends_on=Dependence.ALL_MOMENTUM,
    )


CENTER_OF_MASS = _centroidal(
    "center_of_mass",
    "com = centre of mass of all moving bodies, in the base frame",
    _com_output,
    lambda recording: ([record_center_of_mass(recording)],),
    lambda centroidal, q: centroidal.compute_position(q),
    lambda centroidal, q: centroidal.compute_position_magnitudes(q),
)
COM_JACOBIAN = _centroidal(
    "com_jacobian",
    "Jcom(q) qd = velocity of the centre of mass in base axes",
    _com_jacobian_output,
    lambda recording: (record_com_jacobian(recording),),
    lambda centroidal, q: centroidal.compute_jacobian(q),
    lambda centroidal, q: centroidal.compute_jacobian_magnitudes(q),
)
CENTROIDAL_MOMENTUM_MATRIX = _centroidal(
    "centroidal_momentum_matrix",
    "Ag(q) qd = linear and angular momentum about the centre of mass, in base axes",
    _momentum_matrix_output,
    lambda recording: (record_centroidal_momenta(recording),),
    lambda centroidal, q: centroidal.compute_momentum_matrix(q),
    lambda centroidal, q: centroidal.compute_momentum_magnitudes(q),
)
