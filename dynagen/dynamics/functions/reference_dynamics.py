"""Joint forces of a reference motion at the actual velocities, and their regressor.

The joint forces are M qdd_r + C qd_r + g, with the mass matrix M, the Coriolis matrix C at the
actual joint velocities, and the gravity forces g. qd_r and qdd_r are the velocities and
accelerations of the reference motion. Adaptive and passivity-based control laws use these forces
(Slotine and Li, "On the Adaptive Control of Robot Manipulators", International Journal of Robotics
Research 6(3), 1987).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.algorithms.reference_motion import record_reference_dynamics
from dynagen.dynamics.algorithms.reference_regressor import record_reference_columns
from dynagen.dynamics.algorithms.regressor import record_rows
from dynagen.dynamics.arguments import (
    make_joint_forces,
    make_joint_motion,
    make_regressor_matrix,
    make_standard_vector,
)
from dynagen.dynamics.function import Dependence, DynamicsFunction, ExpectedResults, Results
from dynagen.dynamics.functions.mass_matrix import CORIOLIS_MATRIX
from dynagen.robot.model.base_parameters import list_standard_parameters


def _record(recording: Recording) -> Results:
    return (record_reference_dynamics(recording),)


def _expect(reference: Any, q: Any, qd: Any, velocities: Any, accelerations: Any) -> tuple[Any]:
    """Return the expected joint forces M qdd_r + C qd_r + g of a reference motion.

    qd_r (`velocities`) and qdd_r (`accelerations`) are those of the reference motion. M qdd_r + g
    is inverse dynamics at rest; C is the Coriolis matrix at the actual velocities qd.
    """
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


def _record_regressor(recording: Recording) -> Results:
    columns = record_reference_columns(recording)
    recording.begin_section("Columns of the links, in their own frames")
    parameters = [(each.body, each.in_body) for each in list_standard_parameters(recording.model)]
    return (record_rows(recording, columns, parameters),)


def _expect_regressor(
    reference: Any, q: Any, qd: Any, velocities: Any, accelerations: Any
) -> tuple[Any]:
    """Return the expected regressor of the joint forces M qdd_r + C qd_r + g.

    qd_r (`velocities`) and qdd_r (`accelerations`) are those of a reference motion. The regressor
    is computed from the regressor of inverse dynamics. A complex step yields the Coriolis forces,
    which are bilinear in qd and qd_r. For a floating base or spherical joint, half of the Lie
    bracket of qd and qd_r is added to qdd_r.
    """
    compute = reference.regressors.compute_standard
    if reference.coordinates.has_turning_axes:
        adjoint = reference.coordinates.compute_adjoint(qd) @ velocities[..., None]
        accelerations = accelerations + adjoint[..., 0] / 2
    return (compute(q, 0 * qd, accelerations) + compute(q, qd + 1j * velocities, 0 * qd).imag / 2,)


def _regressor_magnitudes(
    reference: Any, q: Any, qd: Any, velocities: Any, accelerations: Any
) -> tuple[Any]:
    """Return, for each element of the regressor, the sum of the absolute values of its terms."""
    speeds, accelerations = np.abs(qd) + np.abs(velocities), np.abs(accelerations)
    if reference.coordinates.has_turning_axes:
        adjoint = np.abs(reference.coordinates.compute_adjoint(qd))
        accelerations = accelerations + (adjoint @ np.abs(velocities[..., None]))[..., 0]
    return (reference.magnitudes.regressors.compute_standard(q, speeds, accelerations),)


INVERSE_DYNAMICS_REFERENCE_REGRESSOR = DynamicsFunction(
    name="inverse_dynamics_reference_regressor",
    formula="Y(q, qd, qd_reference, qdd_reference) pi = M qdd_reference + C qd_reference + g",
    inputs=INVERSE_DYNAMICS_REFERENCE.inputs,
    outputs=lambda model: (make_regressor_matrix(model, make_standard_vector(model)),),
    methods={"": _record_regressor},
    expected_results=ExpectedResults(_expect_regressor, magnitudes=_regressor_magnitudes),
    depends_on=Dependence.NOTHING,
)
