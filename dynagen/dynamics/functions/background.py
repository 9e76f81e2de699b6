"""Background: the slow half of inverse dynamics, whatever does not depend on accelerations."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynagen.dynamics.arguments import elements, joint_motion, zeros
from dynagen.dynamics.composite import MASS_MATRIX_LEGEND, record_mass_matrix
from dynagen.dynamics.frames import Frames
from dynagen.dynamics.function import DynamicsFunction, Results
from dynagen.dynamics.newton_euler import LEGEND, JointMotion, record_newton_euler
from dynagen.dynamics.recorder import Recorder
from dynagen.dynamics.two_rate import joint_pairs, state_argument
from dynagen.robot.model import RobotModel


def _record(recorder: Recorder, model: RobotModel, frames: Frames) -> Results:
    at_rest = JointMotion(elements(recorder, model, "qd"), zeros(recorder, model))
    torques = record_newton_euler(recorder, model, frames, at_rest, gravity=True)
    matrix = record_mass_matrix(recorder, model, frames)
    inertias = [entry for row, column in joint_pairs(model) if (entry := matrix[row][column]) is not None]
    return ([*inertias, *torques],)


def _expected(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    """Inertia coefficients are what unit accelerations need at rest, one joint at a time."""
    columns = [reference.inverse_dynamics(q, 0 * q, unit + 0 * q, gravity=False) for unit in np.eye(q.shape[-1])]
    inertias = [columns[column][..., row] for row, column in reference.joint_pairs]
    return (np.concatenate([np.stack(inertias, axis=-1), reference.inverse_dynamics(q, qd, 0 * q)], axis=-1),)


BACKGROUND = DynamicsFunction(
    name="background",
    formula="state = (M(q), C(q, qd) qd + g(q))",
    inputs=joint_motion("q", "qd"),
    outputs=state_argument,
    record=_record,
    expected=_expected,
    legend=(*LEGEND, *MASS_MATRIX_LEGEND),
)
