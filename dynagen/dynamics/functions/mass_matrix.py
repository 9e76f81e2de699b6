"""Mass matrix, Coriolis matrix and momentum bias.

- Mass matrix M (CRBA): from the momenta of composite bodies, one column for each joint.
- Coriolis matrix: the Christoffel symbols of the first kind times the joint velocities qd.
- Momentum bias: the time derivative of the generalised momentum M qd at zero joint forces, for
  momentum observers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.bases import find_base
from dynagen.dynamics.algorithms.coriolis import record_coriolis_matrix
from dynagen.dynamics.algorithms.kinetic_energy import record_energy_derivatives
from dynagen.dynamics.algorithms.mass_matrix import (
    record_composites,
    record_gravity_forces,
    record_mass_matrix,
)
from dynagen.dynamics.algorithms.newton_euler import record_body_motions
from dynagen.dynamics.algorithms.recording import (
    JointMatrix,
    JointMotion,
    Recording,
    flatten,
    sum_matrix,
)
from dynagen.dynamics.arguments import make_inertia_matrix, make_joint_forces, make_joint_motion
from dynagen.dynamics.function import Availability, DynamicsFunction, ExpectedResults, Results
from dynagen.dynamics.recording import Quantity


def _record_mass_matrix(recording: Recording) -> Results:
    return (flatten(recording, record_mass_matrix(recording)),)


def _expect_mass_matrix(reference: Any, q: Any) -> tuple[Any]:
    """Return the expected mass matrix from inverse dynamics.

    Column j contains the joint forces for a unit acceleration of joint j, at rest and without
    gravity.
    """
    rest = reference.make_rest(q)
    columns = [
        reference.compute_inverse_dynamics(q, rest, unit + rest, gravity=False)
        for unit in reference.units
    ]
    return (np.stack(columns, axis=-1),)


MASS_MATRIX = DynamicsFunction(
    name="mass_matrix",
    formula="M = M(q)",
    inputs=make_joint_motion("q"),
    outputs=make_inertia_matrix("M", "", "mass matrix, motor inertias included; symmetric"),
    methods={"": _record_mass_matrix},
    expected_results=ExpectedResults(_expect_mass_matrix),
    availability=Availability(with_loops=True),
)


def _record_coriolis_matrix(recording: Recording) -> Results:
    return (flatten(recording, record_coriolis(recording, recording.velocities)),)


def record_coriolis(recording: Recording, velocities: tuple[Quantity, ...]) -> JointMatrix:
    """Record the Coriolis matrix C; C qd are the Coriolis and centrifugal forces.

    Args:
        recording: recording of the function for the robot.
        velocities: the joint velocities qd for which C is computed.

    Returns:
        The entries of C by row and column, both in the order of qd.
    """
    motion = JointMotion(velocities, recording.zeros, gravity=False)
    angular_velocities = tuple(
        motion.angular_velocity for motion in record_body_motions(recording, motion)
    )
    found = record_coriolis_matrix(recording, angular_velocities, velocities)
    of_base = find_base(recording).record_coriolis_columns(angular_velocities[0], found)
    return sum_matrix(recording, {**found.matrix, **of_base})


def _expect_coriolis_matrix(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    """Return the expected Coriolis matrix from inverse dynamics.

    Column j is half the derivative of the Coriolis and centrifugal forces by the joint velocity
    qd_j. These forces are quadratic in qd, so a complex step of 1 is exact. For a floating base or
    a spherical joint, M ad(qd) / 2 is added, with the mass matrix M and the Lie bracket ad(qd) u of
    the velocities qd and u.
    """
    # Im f(qd + i e) / 2 of a quadratic f is its polar form: no step size, no cancellation.
    steps = 1j * reference.units
    columns = [
        reference.compute_inverse_dynamics(q, qd + step, 0 * qd, gravity=False).imag / 2
        for step in steps
    ]
    matrix = np.stack(columns, axis=-1)
    if reference.coordinates.has_turning_axes:
        (mass_matrix,) = MASS_MATRIX.expected_results.outputs(reference, q)
        matrix += mass_matrix @ reference.coordinates.compute_adjoint(qd) / 2
    return (matrix,)


def _coriolis_magnitudes(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    """Return magnitudes to which rounding errors of the Coriolis matrix are proportional."""

    def forces(velocities: Any) -> Any:
        return reference.magnitudes.compute_inverse_dynamics(q, velocities, 0 * qd, gravity=False)

    velocities = np.abs(qd)
    columns = [
        # The bilinear part of a quadratic function.
        (forces(velocities + unit) - forces(velocities) - forces(0 * qd + unit)) / 2
        for unit in reference.units
    ]
    magnitudes = np.stack(columns, axis=-1)
    if reference.coordinates.has_turning_axes:
        (mass_matrix,) = MASS_MATRIX.expected_results.compute_scales(reference, q)
        magnitudes += mass_matrix @ np.abs(reference.coordinates.compute_adjoint(qd))
    return (magnitudes,)


CORIOLIS_MATRIX = DynamicsFunction(
    name="coriolis_matrix",
    formula="C = C(q, qd), dM/dt - 2C skew-symmetric",
    inputs=make_joint_motion("q", "qd"),
    outputs=make_inertia_matrix(
        "C", "/s", "Coriolis matrix: Christoffel symbols times joint velocities"
    ),
    methods={"": _record_coriolis_matrix},
    expected_results=ExpectedResults(
        _expect_coriolis_matrix,
        magnitudes=_coriolis_magnitudes,
    ),
)


def _record_momentum_bias(recording: Recording) -> Results:
    motions = record_body_motions(recording, recording.make_unaccelerated_motion(gravity=False))
    # C^T qd without C, in O(n) operations.
    derivatives = record_energy_derivatives(recording, motions)
    weights = record_gravity_forces(recording, record_composites(recording))
    return ([derivative - weight for derivative, weight in zip(derivatives, weights, strict=True)],)


def _expect_momentum_bias(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    """Return the expected momentum bias C^T qd - g from inverse dynamics.

    C is the Coriolis matrix, and g are the gravity forces. C^T qd is the derivative of the kinetic
    energy qd.M(q) qd / 2 by q. For robots with a floating base or spherical joints, C^T qd is
    computed from the expected matrix C instead.
    """
    if reference.coordinates.has_turning_axes:
        (matrix,) = CORIOLIS_MATRIX.expected_results.outputs(reference, q, qd)
        return (
            np.einsum("...ij,...i->...j", matrix, qd)
            - reference.compute_inverse_dynamics(q, 0 * qd, 0 * qd),
        )
    # A complex step has no cancellation, so it can be this short.
    step = 1e-30
    derivatives = [
        (
            qd
            * reference.compute_inverse_dynamics(
                reference.move(q, 1j * step * unit), 0 * qd, qd, gravity=False
            )
        )
        .sum(axis=-1)
        .imag
        / (2 * step)
        for unit in reference.units
    ]
    return (np.stack(derivatives, axis=-1) - reference.compute_inverse_dynamics(q, 0 * qd, 0 * qd),)


def _bias_magnitudes(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    """Return magnitudes to which rounding errors of the momentum bias C^T qd - g are proportional.

    They are the magnitudes for C qd + g, because C^T qd and C qd have the same terms. C is the
    Coriolis matrix, and g are the gravity forces.
    """
    return (reference.magnitudes.compute_inverse_dynamics(q, qd, 0 * qd),)


MOMENTUM_BIAS = DynamicsFunction(
    name="momentum_bias",
    formula="beta = C(q, qd)^T qd - g(q), d(M qd)/dt = tau + beta",
    inputs=make_joint_motion("q", "qd"),
    outputs=make_joint_forces(
        "beta", "derivative by time of the generalised momentum M qd at zero joint forces"
    ),
    methods={"": _record_momentum_bias},
    expected_results=ExpectedResults(
        _expect_momentum_bias,
        magnitudes=_bias_magnitudes,
    ),
)
