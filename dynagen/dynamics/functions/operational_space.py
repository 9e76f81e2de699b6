"""Inertia at the tool or a named frame: the matrix J M^-1 J^T, its inverse, and bias forces.

J is the geometric Jacobian of the frame, and M the mass matrix. Rows and columns are in the order
of J: linear motion of the frame's origin, then rotation, in base axes.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.external_wrenches import make_motion_and_wrench
from dynagen.dynamics.algorithms.operational_space import record_inertia, record_inverse_inertia
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import INERTIA_UNITS, make_joint_motion
from dynagen.dynamics.function import Availability, DynamicsFunction, ExpectedResults, Results
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS, is_defined, is_solvable
from dynagen.dynamics.functions.inverse_dynamics import record_bias_forces
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.functions.mass_matrix_inverse import INVERSE_UNITS
from dynagen.ir.program import Argument
from dynagen.robot.description import TOOL
from dynagen.robot.model.model import RobotModel

_WORST_CONDITION = 1e6  # of J M^-1 J^T; near singular poses its inverse is mostly rounding
_ROTATES = (False,) * 3 + (True,) * 3


def _make_matrix(name: str, units: tuple[str, ...], meaning: str) -> Argument:
    entries = tuple(units[row + column] for row in _ROTATES for column in _ROTATES)
    return Argument(name, (6, 6), entries, meaning)


def _expect_inverse(frame: str, reference: Any, q: Any) -> tuple[Any]:
    """Return the expected J M^-1 J^T of a frame, with its Jacobian J and the mass matrix M."""
    jacobian = reference.find_frame(frame).compute_jacobian(q)
    (mass_matrix,) = MASS_MATRIX.expected_results.outputs(reference, q)
    return (jacobian @ np.linalg.solve(mass_matrix, np.swapaxes(jacobian, -1, -2)),)


def _inverse_magnitudes(frame: str, reference: Any, q: Any) -> tuple[Any]:
    """Return magnitudes to which rounding errors of J M^-1 J^T are proportional.

    J is the Jacobian of a frame. The magnitude is |J| |M^-1| (|M| |M^-1| + 1) |J^T|, where M is the
    mass matrix. |J| and |M| contain, for each element, the sum of the absolute values of its terms.
    """
    terms = reference.find_frame(frame).compute_jacobian_magnitudes(q)
    (mass_matrix,) = MASS_MATRIX.expected_results.outputs(reference, q)
    (mass_terms,) = MASS_MATRIX.expected_results.compute_scales(reference, q)
    inverse = np.abs(np.linalg.inv(mass_matrix))
    middle = inverse @ (mass_terms @ inverse + reference.units)
    return (terms @ middle @ np.swapaxes(terms, -1, -2),)


def make_inverse_operational_inertia(frame: str) -> DynamicsFunction:
    """Return the function that computes A = J M^-1 J^T, shape (6, 6), at a named frame.

    J is the frame's geometric Jacobian and M the mass matrix. A maps a wrench at the frame's origin
    (N, then N m) to the resulting linear (m/s^2) and angular (rad/s^2) acceleration of the frame,
    all in base axes. A is singular if the frame cannot move in all six directions.
    """

    def record(recording: Recording) -> Results:
        entries, _ = record_inverse_inertia(recording, recording.model.find_frame(frame))
        return ([entries[row, column] for row in range(6) for column in range(6)],)

    return DynamicsFunction(
        name="inverse_operational_inertia",
        formula=f"A = J M(q)^-1 J^T: acceleration of the frame {frame} per unit wrench at it",
        inputs=make_joint_motion("q"),
        outputs=lambda model: (
            _make_matrix("A", INVERSE_UNITS, "inverse inertia at the frame, in base axes"),
        ),
        methods={"": record},
        expected_results=ExpectedResults(
            partial(_expect_inverse, frame),
            magnitudes=partial(_inverse_magnitudes, frame),
            defined=is_defined,
            solvable=is_solvable,
            subjects=("dynamics", "kinematics"),
        ),
        availability=Availability(
            FORWARD_DYNAMICS.availability.unavailable_because,
            for_frame=make_inverse_operational_inertia,
        ),
    )


INVERSE_OPERATIONAL_INERTIA = make_inverse_operational_inertia(TOOL)


def _inertia_outputs(model: RobotModel) -> tuple[Argument, ...]:
    return (
        _make_matrix("Lambda", INERTIA_UNITS, "inertia at the frame, in base axes"),
        Argument(
            "mu",
            (6,),
            ("N",) * 3 + ("N m",) * 3,
            "wrench at the frame for zero acceleration of the frame: force, then moment, in base "
            "axes",
        ),
    )


def _expect_inertia(frame: str, reference: Any, q: Any, qd: Any, *wrench: Any) -> tuple[Any, Any]:
    """Return the expected inertia Lambda of a frame, and the wrench mu at zero acceleration.

    `wrench` contains external wrenches and contact forces, if the robot has them.
    """
    at = reference.find_frame(frame)
    (inverse,) = _expect_inverse(frame, reference, q)
    (mass_matrix,) = MASS_MATRIX.expected_results.outputs(reference, q)
    bias = reference.compute_inverse_dynamics(q, qd, 0 * qd, *wrench)
    # mu = Lambda (J M^-1 h - dJ/dt qd), from a = J qdd + dJ/dt qd and M qdd + h = J^T F.
    free = at.compute_jacobian(q) @ np.linalg.solve(mass_matrix, bias[..., None])
    free = free[..., 0] - at.compute_drift_acceleration(q, qd)
    return np.linalg.inv(inverse), np.linalg.solve(inverse, free[..., None])[..., 0]


def _inertia_magnitudes(
    frame: str, reference: Any, q: Any, qd: Any, *wrench: Any
) -> tuple[Any, Any]:
    """Return magnitudes to which rounding errors of a frame's inertia and bias are proportional.

    The inertia matrix and the bias wrench of the frame are solutions X of A X = B with A = J M^-1
    J^T, the frame's Jacobian J and the mass matrix M. The magnitude for X is |A^-1| (|A| |X| +
    |B|). |A| and |B| contain, for each element, the sum of the absolute values of its terms.
    """
    at = reference.find_frame(frame)
    inertia, bias = (np.abs(each) for each in _expect_inertia(frame, reference, q, qd, *wrench))
    (terms,) = _inverse_magnitudes(frame, reference, q)
    (mass_matrix,) = MASS_MATRIX.expected_results.outputs(reference, q)
    (mass_terms,) = MASS_MATRIX.expected_results.compute_scales(reference, q)
    inverse = np.abs(np.linalg.inv(mass_matrix))
    forces = reference.magnitudes.compute_inverse_dynamics(q, qd, 0 * qd, *wrench)[..., None]
    # |M^-1| (|M| |M^-1 h| + |h|), as for forward dynamics.
    free = at.compute_jacobian_magnitudes(q) @ (
        inverse @ (mass_terms @ (inverse @ forces) + forces)
    )
    free = free + at.compute_drift_magnitudes(q, qd)[..., None]
    return (
        inertia @ (terms @ inertia + np.eye(6)),
        (inertia @ (terms @ bias[..., None] + free))[..., 0],
    )


def _is_inertia_defined(frame: str, reference: Any, q: Any, *state: Any) -> Any:
    """Return for each state whether M and J M^-1 J^T are well conditioned.

    M is the mass matrix and J the Jacobian of the frame.
    """
    defined = is_defined(reference, q)
    inverse = np.where(
        defined[:, None, None], _expect_inverse(frame, reference, q)[0], np.zeros((6, 6))
    )
    return defined & (np.linalg.cond(inverse) <= _WORST_CONDITION)


def _explain_too_few_joints(frame: str, model: RobotModel) -> str:
    """Return the reason why the inertia at a frame is not available, or an empty string.

    If fewer than six joint velocities move the frame, the inverse inertia at the frame is singular
    in every pose.
    """
    body = model.find_frame(frame).body
    entries = {entry for each in model.find_path(body) for entry in model.bodies[each].entries}
    if len(entries) < 6:
        return (
            f"the frame {frame} moves with {len(entries)} joint velocities, so J M^-1 J^T is "
            "singular; six are required. Use inverse_operational_inertia, and invert the rows that "
            "you control"
        )
    return FORWARD_DYNAMICS.availability.unavailable_because(model)


def make_operational_inertia(frame: str) -> DynamicsFunction:
    """Return the function that computes Lambda = (J M^-1 J^T)^-1 and mu at a named frame.

    J is the frame's geometric Jacobian and M the mass matrix. The wrench Lambda a + mu at the
    frame's origin (force in N, then moment in N m) causes the acceleration a of the frame (linear
    in m/s^2, then angular in rad/s^2), all in base axes. The shapes are (6, 6) and (6,). At least
    six joint velocities must move the frame. Lambda is inaccurate where J is nearly singular.
    """

    def record(recording: Recording) -> Results:
        attached = recording.model.find_frame(frame)
        return record_inertia(recording, attached, record_bias_forces(recording))

    return DynamicsFunction(
        name="operational_inertia",
        formula=f"F = Lambda a + mu: wrench at the frame {frame} for its acceleration a; "
        "tau = J^T F, Lambda = (J M^-1 J^T)^-1",
        inputs=make_motion_and_wrench("q", "qd"),
        outputs=_inertia_outputs,
        methods={"": record},
        expected_results=ExpectedResults(
            partial(_expect_inertia, frame),
            magnitudes=partial(_inertia_magnitudes, frame),
            defined=partial(_is_inertia_defined, frame),
            solvable=is_solvable,
            subjects=("dynamics", "kinematics"),
        ),
        availability=Availability(
            partial(_explain_too_few_joints, frame),
            on_request=True,
            for_frame=make_operational_inertia,
        ),
    )


OPERATIONAL_INERTIA = make_operational_inertia(TOOL)
