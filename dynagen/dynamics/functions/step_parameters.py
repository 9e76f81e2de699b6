"""Derivatives of a semi-implicit Euler step by run-time parameters.

A step of the length dt leads to the velocities qd' and the positions q'. Their derivatives by the
parameters p are dqd'/dp = dt dqdd/dp and dq'/dp = dt^2 dqdd/dp, with the joint accelerations qdd.
For floating bases and spherical joints, the derivative of the exponential map replaces one factor
dt.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.bases import find_base
from dynagen.dynamics.algorithms.integration import STEP_LENGTH, record_next_velocities
from dynagen.dynamics.algorithms.integration_derivatives import (
    record_position_changes,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import make_parameter_argument
from dynagen.dynamics.function import Availability, DynamicsFunction, ExpectedResults, Results
from dynagen.dynamics.functions.derivative_products import record_forward
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.integration import STEP_EULER, make_step_derivatives
from dynagen.dynamics.functions.parameter_products import (
    FORWARD_DYNAMICS_PARAMETER_JACOBIAN,
    record_forward_columns,
)
from dynagen.robot.model.model import RobotModel


def _record(method: str, recording: Recording) -> Results:
    with recording.recorder.memoise():
        solution, forces = record_forward(method, recording)
        changes = record_forward_columns(recording, solution, forces)
        step = recording.add_element(STEP_LENGTH)
        velocities = [step * entry for entry in changes]
        motions = [step * entry for entry in velocities]
        if not recording.model.has_turning_axes:
            return motions, velocities
        accelerations = find_base(recording).add_fall(solution)
        after = record_next_velocities(recording, accelerations)
        _, rows = record_position_changes(recording, [step * each for each in after], ((), motions))
        return [entry for row in rows for entry in row], velocities


def _evaluate(name: str, reference: Any, *inputs: Any) -> tuple[Any, Any]:
    """Return the expected derivatives of an Euler step, or their error magnitudes.

    The step is differentiated by the run-time parameters. `name` is `outputs` for the derivatives,
    or `compute_scales` for magnitudes to which their rounding errors are proportional.
    """
    *state, dt = inputs
    step = dt[:, None, None]
    known = FORWARD_DYNAMICS_PARAMETER_JACOBIAN.expected_results
    (changes,) = getattr(known, name)(reference, *state)
    (qdd,) = getattr(FORWARD_DYNAMICS.expected_results, name)(reference, *state)
    q, qd, coordinates = state[0], state[1], reference.coordinates
    if name == "outputs":
        motion = dt[:, None] * (qd + dt[:, None] * qdd)
        _, by_motion = coordinates.differentiate_integration(q, motion)
    else:
        motion = dt[:, None] * (np.abs(qd) + dt[:, None] * qdd)
        by_motion = coordinates.compute_slope_magnitudes(motion)
    return by_motion @ (step**2 * changes), step * changes


def _explain_unavailable(model: RobotModel) -> str:
    return FORWARD_DYNAMICS_PARAMETER_JACOBIAN.availability.unavailable_because(model)


STEP_EULER_PARAMETER_JACOBIAN = DynamicsFunction(
    name="step_euler_parameter_jacobian",
    formula="d(q_next, qd_next)_dparams = derivatives of step_euler by the run-time parameters",
    inputs=STEP_EULER.inputs,
    outputs=make_step_derivatives(lambda model: (make_parameter_argument(model.parameters),)),
    methods={name: partial(_record, name) for name in FORWARD_DYNAMICS.methods},
    expected_results=ExpectedResults(
        partial(_evaluate, "outputs"),
        magnitudes=partial(_evaluate, "compute_scales"),
        defined=STEP_EULER.expected_results.defined,
        solvable=STEP_EULER.expected_results.solvable,
    ),
    availability=Availability(
        _explain_unavailable,
        on_request=True,
        methods_for_free_joints=STEP_EULER.availability.methods_for_free_joints,
    ),
)
