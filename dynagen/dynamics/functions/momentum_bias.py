"""Momentum bias: what changes the generalised momentum M qd besides the joint forces; for momentum observers."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.composite import record_composites, record_gravity_forces
from dynagen.dynamics.algorithms.momentum import record_energy_derivatives
from dynagen.dynamics.algorithms.newton_euler import record_body_motions
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import joint_forces, joint_motion
from dynagen.dynamics.function import DynamicsFunction, Oracle, Results
from dynagen.dynamics.functions.coriolis_matrix import CORIOLIS_MATRIX


def _record(recording: Recording) -> Results:
    motions = record_body_motions(recording, recording.unaccelerated_motion(gravity=False))
    derivatives = record_energy_derivatives(recording, motions)
    weights = record_gravity_forces(recording, record_composites(recording))
    return ([derivative - weight for derivative, weight in zip(derivatives, weights, strict=True)],)


def _expected(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    """C^T qd is the derivative of the kinetic energy qd.M(q) qd / 2 by q: complex steps, which cancel nothing.

    Not so on a floating base, whose axes rotate with it: there it is the transpose of what is expected of C, times qd.
    """
    if reference.coordinates.floats:
        (matrix,) = CORIOLIS_MATRIX.oracle.expected(reference, q, qd)
        return (
            np.einsum("...ij,...i->...j", matrix, qd)
            - reference.inverse_dynamics(q, 0 * qd, 0 * qd),
        )
    step = 1e-30
    derivatives = [
        (
            qd
            * reference.inverse_dynamics(
                reference.moved(q, 1j * step * unit), 0 * qd, qd, gravity=False
            )
        )
        .sum(axis=-1)
        .imag
        / (2 * step)
        for unit in reference.units
    ]
    return (np.stack(derivatives, axis=-1) - reference.inverse_dynamics(q, 0 * qd, 0 * qd),)


def _magnitudes(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    """The magnitudes of C qd + g serve: C^T qd sums products of the same moments and rates."""
    return (reference.magnitudes.inverse_dynamics(q, qd, 0 * qd),)


MOMENTUM_BIAS = DynamicsFunction(
    name="momentum_bias",
    formula="beta = C(q, qd)^T qd - g(q), d(M qd)/dt = tau + beta",
    inputs=joint_motion("q", "qd"),
    outputs=joint_forces(
        "beta", "rate of change of the generalised momentum M qd at zero joint forces"
    ),
    methods={"": _record},
    oracle=Oracle(
        _expected,
        magnitudes=_magnitudes,
    ),
)
