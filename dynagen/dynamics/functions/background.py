"""Background: the slow half of inverse dynamics, in one task or in two that run at rates of their own.

A. Izaguirre et al. (see `two_rate`) let one processor compute inertia coefficients and gravity and another the velocity
torques. The first of these tasks is `background_inertia`, the second `coriolis_forces`: tau = synchronous(state, qdd) + c.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.composite import (
    record_composites,
    record_gravity_forces,
    record_mass_matrix,
)
from dynagen.dynamics.algorithms.contact import motion_and_wrench
from dynagen.dynamics.algorithms.frames import Frames
from dynagen.dynamics.algorithms.joint_matrix import lower_pairs
from dynagen.dynamics.algorithms.two_rate import state_argument
from dynagen.dynamics.arguments import joint_motion
from dynagen.dynamics.function import DynamicsFunction, Oracle, Results
from dynagen.dynamics.functions.bias_forces import record_bias_forces
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.recording.memoised import MemoisedRecorder
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.robot.model.model import RobotModel


def _record(recorder: Recorder, model: RobotModel, frames: Frames) -> Results:
    return _state(recorder, model, frames, record_bias_forces(recorder, model, frames))


def _record_inertia(recorder: Recorder, model: RobotModel, frames: Frames) -> Results:
    recorder = MemoisedRecorder(recorder)
    forces = record_gravity_forces(
        recorder, model, frames, record_composites(recorder.unnamed, model, frames)
    )
    return _state(recorder, model, frames, forces)


def _state(
    recorder: Recorder, model: RobotModel, frames: Frames, forces: Iterable[Quantity]
) -> Results:
    matrix = record_mass_matrix(recorder, model, frames)
    inertias = [matrix[pair] for pair in lower_pairs(model)]
    return ([*inertias, *forces],)


def _expected(reference: Any, q: Any, qd: Any, *wrench: Any) -> tuple[Any]:
    (matrix,) = MASS_MATRIX.oracle.expected(reference, q)
    inertias = [matrix[..., row, column] for row, column in reference.joint_pairs]
    return (
        np.concatenate(
            [np.stack(inertias, axis=-1), reference.inverse_dynamics(q, qd, 0 * qd, *wrench)],
            axis=-1,
        ),
    )


BACKGROUND = DynamicsFunction(
    name="background",
    formula="state = (M(q), C(q, qd) qd + g(q))",
    inputs=motion_and_wrench("q", "qd"),
    outputs=state_argument("velocity and gravity forces"),
    methods={"": _record},
    oracle=Oracle(_expected),
)

BACKGROUND_INERTIA = DynamicsFunction(
    name="background_inertia",
    formula="state = (M(q), g(q)); its task beside that of coriolis_forces",
    inputs=joint_motion("q"),
    outputs=state_argument("gravity forces"),
    methods={"": _record_inertia},
    oracle=Oracle(lambda reference, q: _expected(reference, q, reference.rest(q))),
)
