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
from dynagen.dynamics.algorithms.joint_matrix import lower_pairs
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.algorithms.two_rate import state_argument
from dynagen.dynamics.arguments import joint_motion
from dynagen.dynamics.function import DynamicsFunction, Oracle, Results
from dynagen.dynamics.functions.bias_forces import record_bias_forces
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.recording.formula import Quantity


def _record(recording: Recording) -> Results:
    return _state(recording, record_bias_forces(recording))


def _record_inertia(recording: Recording) -> Results:
    with recording.recorder.memoised():
        with recording.recorder.unnamed():
            composites = record_composites(recording)
        return _state(recording, record_gravity_forces(recording, composites))


def _state(recording: Recording, forces: Iterable[Quantity]) -> Results:
    matrix = record_mass_matrix(recording)
    return ([*(matrix[pair] for pair in lower_pairs(recording.model)), *forces],)


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
