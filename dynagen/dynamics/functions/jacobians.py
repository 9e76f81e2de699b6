"""Jacobians of inverse dynamics, forward dynamics and a step, by all inputs as plain vectors.

Solvers such as CasADi treat the joint positions q as a vector of independent numbers. For joints
with an axis, the Jacobians by q are the derivatives of the module `derivatives`.

The orientation of a floating base or of a spherical joint is a unit quaternion with the vector part
v and the scalar part w. The Jacobian has four columns for this quaternion: the derivatives of the
function at the normalised quaternion. The changes d of v and dw of w together are a small rotation
of the body: 2 (w d - dw v - cross(v, d)), in body axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.base_pose import (
    LINEAR,
)
from dynagen.dynamics.algorithms.external_wrenches import (
    CONTACT_FORCE,
    list_external_inputs,
    make_contact_force_argument,
)
from dynagen.dynamics.algorithms.integration import STEP_LENGTH, advance, record_next_velocities
from dynagen.dynamics.algorithms.integration_derivatives import record_turning_step
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import make_joint_forces, make_joint_motion
from dynagen.dynamics.function import (
    Availability,
    DynamicsFunction,
    ExpectedResults,
    Results,
    ignore_last_inputs,
)
from dynagen.dynamics.functions.derivatives import (
    FORWARD_DYNAMICS_DERIVATIVES,
    INVERSE_DYNAMICS_DERIVATIVES,
    evaluate_inverse_derivatives,
    make_derivative_matrices,
    record_forward_derivatives,
)
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.integration import (
    STEP_EULER,
    list_step_inputs,
    make_step_derivatives,
    record_step_derivatives,
)
from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.recording import Quantity
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel

JACOBIAN_SUFFIX = "_jacobian"
"""Suffix of the names of functions that return the Jacobians of another function."""


def record_coordinate_columns(recording: Recording, matrix: Sequence[Quantity]) -> list[Quantity]:
    """Record a matrix of derivatives by q from the same derivatives by small joint motions.

    They differ only for quaternions: four entries of q describe three small rotations.

    Args:
        recording: recording of the function for the robot.
        matrix: derivatives by small motions, row-major, with one column for each joint velocity.

    Returns:
        The derivatives, row-major, with one column for each entry of q.
    """
    # The small motions of other joints are the changes of q.
    if not recording.model.has_turning_axes:
        return list(matrix)
    recording.begin_section("Derivatives by the coordinates")
    nv = recording.model.nv
    rows = (matrix[start : start + nv] for start in range(0, len(matrix), nv))
    return [
        column
        for row in rows
        for body in recording.bodies
        for column in body.record_coordinate_columns(recording, row)
    ]


def _convert(convert: Any, reference: Any, q: Any, matrix: Any) -> Any:
    """Convert numeric derivatives by small motions of the joints to derivatives by q.

    `convert` returns the matrix that maps changes of q to small motions. Magnitudes of rounding
    errors are converted in the same way. `matrix` has the shape (states, rows, n) for n joint
    velocities, and the result (states, rows, nq).
    """
    return matrix if q.shape[-1] == matrix.shape[-1] else matrix @ convert(reference, q)


def _small_motions(reference: Any, q: Any) -> Any:
    """Return the small motions per change of each entry of q, shape (states, n, nq).

    The result is the pseudo-inverse of the changes of q per small motion, which are computed by
    complex steps.
    """
    step = 1e-30
    changes = [reference.move(q, 1j * step * unit).imag / step for unit in reference.units]
    by_motion = np.stack(changes, axis=-1)
    # The positions of other joints are their motions.
    motions = np.swapaxes(by_motion, -1, -2).copy()
    for entries, moved in reference.coordinates.turning_joints:
        motions[:, moved, entries] = np.linalg.pinv(by_motion[:, entries, moved])
    return motions


def _largest_small_motions(reference: Any, q: Any) -> Any:
    """Return magnitudes to which rounding errors in `_small_motions` are proportional."""
    motions = np.abs(_small_motions(reference, q))
    if reference.coordinates.floats:
        motions[:, LINEAR, LINEAR] = 3.0
    return motions


def _along_positions(function: Any, convert: Any, places: Sequence[int]) -> Any:
    """Return a function like `function`, with some results converted to derivatives by q.

    `function` returns derivatives by small motions, or magnitudes to which their rounding errors
    are proportional. `convert` returns the matrix of the conversion, and `places` are the indices
    of the results to convert.
    """

    def evaluate(reference: Any, q: Any, *others: Any) -> tuple[Any, ...]:
        results = list(function(reference, q, *others))
        for place in places:
            results[place] = _convert(convert, reference, q, results[place])
        return tuple(results)

    return evaluate


def _expect(outputs: Any, scales: Any, like: DynamicsFunction, places: Sequence[int]) -> Any:
    """Return the expected derivatives of a function by the entries of q.

    They are converted from derivatives by small motions of the joints, which `outputs` computes for
    a numeric reference. `scales` computes magnitudes to which their rounding errors are
    proportional. `places` are the indices of those outputs that are derivatives by positions.
    `like` is the DynamicsFunction for the derivatives by small motions. The results are defined in
    the same states as the results of `like`.
    """
    return ExpectedResults(
        _along_positions(outputs, _small_motions, places),
        magnitudes=_along_positions(scales, _largest_small_motions, places),
        defined=like.expected_results.defined,
        solvable=like.expected_results.solvable,
    )


def _explain_inputs(of: DynamicsFunction, model: RobotModel) -> str:
    """Return why a function cannot be differentiated by all its inputs, or an empty string."""
    if reason := of.availability.unavailable_because(model):
        return reason
    for name in list_external_inputs(of.inputs(model)):
        if name != CONTACT_FORCE:
            return f"derivatives by the input `{name}` are not available"
    return ""


def _record_inverse(recording: Recording) -> Results:
    with recording.recorder.memoise():
        # dtau/dqdd is the mass matrix; memoised formulas share its composites with the derivatives.
        by_position, by_velocity, *by_force = INVERSE_DYNAMICS_DERIVATIVES.methods[""](recording)
        (by_acceleration,) = MASS_MATRIX.methods[""](recording)
        by_position = record_coordinate_columns(recording, tuple(by_position))
        return by_position, by_velocity, by_acceleration, *by_force


INVERSE_DYNAMICS_JACOBIAN = DynamicsFunction(
    name=f"inverse_dynamics{JACOBIAN_SUFFIX}",
    formula="dtau = dtau_dq dq + dtau_dqd dqd + dtau_dqdd dqdd, by the entries of q",
    inputs=INVERSE_DYNAMICS.inputs,
    outputs=make_derivative_matrices(
        make_joint_forces("tau", "joint forces"), INVERSE_DYNAMICS.inputs
    ),
    methods={"": _record_inverse},
    expected_results=_expect(
        partial(evaluate_inverse_derivatives, "outputs"),
        partial(evaluate_inverse_derivatives, "compute_scales"),
        INVERSE_DYNAMICS_DERIVATIVES,
        [0],
    ),
    availability=Availability(partial(_explain_inputs, INVERSE_DYNAMICS), on_request=True),
)


def _record_forward(recording: Recording) -> Results:
    _, by_position, *others = record_forward_derivatives(recording)
    with recording.recorder.memoise():
        return record_coordinate_columns(recording, tuple(by_position)), *others


FORWARD_DYNAMICS_JACOBIAN = DynamicsFunction(
    name=f"forward_dynamics{JACOBIAN_SUFFIX}",
    formula="dqdd = dqdd_dq dq + dqdd_dqd dqd + dqdd_dtau dtau, by the entries of q",
    inputs=FORWARD_DYNAMICS.inputs,
    outputs=make_derivative_matrices(make_joint_motion("qdd"), FORWARD_DYNAMICS.inputs),
    methods={"": _record_forward},
    expected_results=_expect(
        FORWARD_DYNAMICS_DERIVATIVES.expected_results.outputs,
        FORWARD_DYNAMICS_DERIVATIVES.expected_results.compute_scales,
        FORWARD_DYNAMICS_DERIVATIVES,
        [0],
    ),
    availability=Availability(partial(_explain_inputs, FORWARD_DYNAMICS), on_request=True),
)


def _list_step_variables(model: RobotModel) -> tuple[Argument, ...]:
    """Return the arguments by which a step is differentiated.

    These are positions, velocities, joint forces, contact forces and the length of the step.
    """
    *inputs, length = list_step_inputs(model)
    return *inputs[:3], *make_contact_force_argument(model), length


def _record_step(recording: Recording) -> Results:
    accelerations, *derivatives = record_forward_derivatives(recording)
    if recording.model.has_turning_axes:
        return _record_turning_step(recording, tuple(accelerations), tuple(derivatives))
    blocks = record_step_derivatives(recording, *derivatives)
    step = recording.add_element(STEP_LENGTH)
    # q' = q + dt qd + dt^2 qdd and qd' = qd + dt qdd, with the accelerations qdd of the beginning.
    by_length = [
        advance(velocity, 2 * step, acceleration)
        for velocity, acceleration in zip(recording.velocities, accelerations, strict=True)
    ]
    half = len(blocks) // 2
    return *blocks[:half], by_length, *blocks[half:], accelerations


def _record_turning_step(
    recording: Recording, accelerations: tuple[Quantity, ...], derivatives: Results
) -> Results:
    step, velocities = recording.add_element(STEP_LENGTH), recording.velocities
    by_position, by_velocity, *by_forces = map(tuple, derivatives)
    with recording.recorder.memoise():
        by_entries = record_coordinate_columns(recording, by_position)
        next_velocities = record_next_velocities(recording, accelerations)
        # dqd'/dx = dqd/dx + dt dqdd/dx, for x = q, qd, tau and contact forces.
        matrices = by_entries, by_velocity, *by_forces
        changes = [[step * entry for entry in each] for each in matrices]
        for index in range(len(velocities)):
            place = index * (len(velocities) + 1)
            changes[1][place] = advance(recording.add_constant(1), step, by_velocity[place])
        positions = record_turning_step(recording, next_velocities, accelerations, changes)
    return *positions, *changes, accelerations


def _evaluate_step(name: str, reference: Any, *inputs: Any) -> tuple[Any, ...]:
    """Return the expected derivatives of a semi-implicit Euler step, or their error magnitudes.

    `name` is `outputs` for the derivatives, or `compute_scales` for magnitudes to which their
    rounding errors are proportional.
    """
    *state, dt = inputs
    is_value = name == "outputs"
    to_entries = _small_motions if is_value else _largest_small_motions
    known = FORWARD_DYNAMICS_DERIVATIVES.expected_results
    by_position, by_velocity, *by_forces = getattr(known, name)(reference, *state)
    (qdd,) = getattr(FORWARD_DYNAMICS.expected_results, name)(reference, *state)
    q, qd = state[0], state[1] if is_value else np.abs(state[1])
    after = qd + dt[:, None] * qdd
    coordinates, motion = reference.coordinates, dt[:, None] * after
    if is_value:
        by_start, by_motion = coordinates.differentiate_integration(q, motion)
    else:
        by_start = by_motion = coordinates.compute_slope_magnitudes(motion)
    step = dt[:, None, None]
    velocities = (
        step * by_position,
        reference.units + step * by_velocity,
        *(step * each for each in by_forces),
    )
    positions = [by_motion @ (step * change) for change in velocities]
    by_length = by_motion @ (after + dt[:, None] * qdd)[..., None]
    return (
        _convert(to_entries, reference, q, by_start + positions[0]),
        *positions[1:],
        by_length,
        _convert(to_entries, reference, q, velocities[0]),
        *velocities[1:],
        qdd[..., None],
    )


STEP_EULER_JACOBIAN = DynamicsFunction(
    name=f"step_euler{JACOBIAN_SUFFIX}",
    formula="d(q_next, qd_next) of step_euler by q, qd, tau and dt, by blocks",
    inputs=list_step_inputs,
    outputs=make_step_derivatives(_list_step_variables),
    methods={"": _record_step},
    expected_results=ExpectedResults(
        partial(_evaluate_step, "outputs"),
        magnitudes=partial(_evaluate_step, "compute_scales"),
        defined=ignore_last_inputs(1, FORWARD_DYNAMICS.expected_results.defined),
        solvable=ignore_last_inputs(1, FORWARD_DYNAMICS.expected_results.solvable),
    ),
    availability=Availability(partial(_explain_inputs, STEP_EULER), on_request=True),
)

JACOBIANS = {
    of.name: jacobian
    for of, jacobian in (
        (INVERSE_DYNAMICS, INVERSE_DYNAMICS_JACOBIAN),
        (FORWARD_DYNAMICS, FORWARD_DYNAMICS_JACOBIAN),
        (STEP_EULER, STEP_EULER_JACOBIAN),
    )
}
"""Mapping from the name of a function to the function that returns its Jacobian by all inputs."""
