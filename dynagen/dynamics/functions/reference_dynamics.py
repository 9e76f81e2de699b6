"""Joint forces of a reference motion at the actual velocities, and their regressor.

They are the control law of adaptive and passivity-based control: J.-J. E. Slotine, W. Li, "On the
Adaptive Control of Robot Manipulators", Int. J. Robotics Research 6(3), 1987.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.algorithms.reference_motion import record_reference_dynamics
from dynagen.dynamics.arguments import make_joint_forces, make_joint_motion
from dynagen.dynamics.function import DynamicsFunction, ExpectedResults, Results
from dynagen.dynamics.functions.mass_matrix import CORIOLIS_MATRIX


def _record(recording: Recording) -> Results:
    return (record_reference_dynamics(recording),)


def _expect(reference: Any, q: Any, qd: Any, velocities: Any, accelerations: Any) -> tuple[Any]:
    """Return inverse dynamics at rest of the reference accelerations, plus C qd_r."""
    (coriolis_matrix,) = CORIOLIS_MATRIX.expected_results.outputs(reference, q, qd)
    return (
        reference.compute_inverse_dynamics(q, 0 * qd, accelerations)
        + np.einsum("...ij,...j->...i", coriolis_matrix, velocities),
    )


def _magnitudes(reference: Any, q: Any, qd: Any, velocities: Any, accelerations: Any) -> tuple[Any]:
    (coriolis_matrix,) = CORIOLIS_MATRIX.expected_results.compute_scales(reference, q, qd)
    terms = reference.magnitudes.compute_inverse_dynamics(q, 0 * qd, np.abs(accelerations))
    return (terms + np.einsum("...ij,...j->...i", coriolis_matrix, np.abs(velocities)),)


INVERSE_DYNAMICS_REFERENCE = DynamicsFunction(
    name="inverse_dynamics_reference",
    formula="tau = M(q) qdd_reference + C(q, qd) qd_reference + g(q)",
    inputs=make_joint_motion("q", "qd", "qd_reference", "qdd_reference"),
    outputs=make_joint_forces("tau", "joint forces of the reference motion"),
    methods={"": _record},
    expected_results=ExpectedResults(_expect, magnitudes=_magnitudes),
)
