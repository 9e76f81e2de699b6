"""One step of the semi-implicit Euler method, and its derivatives: simulation in a controller's own time, predictive control.

The new rates move the joints: qd' = qd + dt M^-1 (tau - C qd - g), q' = q + dt qd'. The method is symplectic where forces
follow from positions, so that energy does not drift (E. Hairer, C. Lubich, G. Wanner, "Geometric Numerical Integration", 2006,
section I.1.2); its local error is of order dt^2.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.integration import (
    record_next_positions,
    record_next_velocities,
    step_argument,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import joint_motion
from dynagen.dynamics.function import Availability, DynamicsFunction, Oracle, Results
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel


def step_inputs(model: RobotModel) -> tuple[Argument, ...]:
    """What forward dynamics takes, and the length of the step."""
    return (*FORWARD_DYNAMICS.inputs(model), *step_argument(model))


def next_state(model: RobotModel) -> tuple[Argument, ...]:
    """Positions and rates after the step."""
    q, qd = joint_motion("q", "qd")(model)
    return tuple(
        Argument(f"{each.name}_next", each.shape, each.units, f"{each.meaning} after the step")
        for each in (q, qd)
    )


def _record(method: str, recording: Recording) -> Results:
    (accelerations,) = FORWARD_DYNAMICS.methods[method](recording)
    velocities = record_next_velocities(recording, accelerations)
    return record_next_positions(recording, velocities), velocities


def _expected(reference: Any, *inputs: Any) -> tuple[Any, Any]:
    *state, dt = inputs
    q, qd = state[:2]
    (qdd,) = FORWARD_DYNAMICS.oracle.expected(reference, *state)
    rates = qd + dt[:, None] * qdd
    return reference.integrated(q, dt[:, None] * rates), rates


def _magnitudes(reference: Any, *inputs: Any) -> tuple[Any, Any]:
    """Sums of the magnitudes of the terms; that of accelerations is forward dynamics' scale of rounding."""
    *state, dt = inputs
    q, qd = state[:2]
    (qdd,) = FORWARD_DYNAMICS.oracle.scales(reference, *state)
    rates = np.abs(qd) + dt[:, None] * qdd
    return reference.integrated_magnitudes(q, dt[:, None] * rates), rates


def on_state(question: Any, reference: Any, *inputs: Any) -> Any:
    """The answer to a question that forward dynamics is asked, about the state that a step starts from."""
    return question(reference, *inputs[:-1])


STEP_EULER = DynamicsFunction(
    name="step_euler",
    formula="qd_next = qd + dt M(q)^-1 (tau - C(q, qd) qd - g(q)); q_next = q + dt qd_next, the pose of a floating base "
    "times exp(dt twist)",
    inputs=step_inputs,
    outputs=next_state,
    methods={name: partial(_record, name) for name in FORWARD_DYNAMICS.methods},
    oracle=Oracle(
        _expected,
        magnitudes=_magnitudes,
        defined=partial(on_state, FORWARD_DYNAMICS.oracle.defined),
        solvable=partial(on_state, FORWARD_DYNAMICS.oracle.solvable),
    ),
    availability=Availability(
        unavailable_because=FORWARD_DYNAMICS.availability.unavailable_because,
        on_request=True,
        methods_for_free_joints=FORWARD_DYNAMICS.availability.methods_for_free_joints,
    ),
)
