"""Coriolis matrix: Christoffel symbols of the first kind times the joint rates."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.base_derivatives import BaseMotion, record_base_velocity_columns
from dynagen.dynamics.algorithms.coordinates import sum_matrix
from dynagen.dynamics.algorithms.coriolis import record_coriolis_matrix
from dynagen.dynamics.algorithms.joint_matrix import flatten
from dynagen.dynamics.algorithms.newton_euler import record_body_motions
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import inertia_matrix, joint_motion
from dynagen.dynamics.function import DynamicsFunction, Oracle, Results
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX


def _record(recording: Recording) -> Results:
    motions = record_body_motions(recording, recording.unaccelerated_motion(gravity=False))
    angular_velocities = tuple(motion.angular_velocity for motion in motions)
    found = record_coriolis_matrix(recording, angular_velocities, recording.velocities)
    entries = dict(found.matrix)
    if recording.model.floats:
        base = BaseMotion(recording.constant(0, 0, 0), angular_velocities[0], in_fall=False)
        entries |= record_base_velocity_columns(recording, base, found)
    return (flatten(recording, sum_matrix(recording, entries)),)


def _expected(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    """Column j is half the derivative of the velocity forces by rate j; these are quadratic: a complex step of 1 is exact.

    With x_j for the velocities at a unit of entry j of v, C_ij is the sum of m x_i . dx_j/dt. Derivatives along the axes of a
    floating base do not commute, and half of what they differ by, M ad(v), is added.
    """
    steps = 1j * reference.units
    columns = [
        reference.inverse_dynamics(q, qd + step, 0 * qd, gravity=False).imag / 2 for step in steps
    ]
    matrix = np.stack(columns, axis=-1)
    if reference.coordinates.floats:
        (mass_matrix,) = MASS_MATRIX.oracle.expected(reference, q)
        matrix[..., :6] += mass_matrix[..., :6] @ _adjoint(qd[..., :6]) / 2
    return (matrix,)


def _adjoint(twist: Any) -> Any:
    """The matrix ad(v) with ad(v) u = (w x u_v + v x u_w, w x u_w), of twists with their linear parts first."""
    across_v, across_w = (
        np.cross(part[..., None, :], -np.eye(3)) for part in (twist[..., :3], twist[..., 3:])
    )
    upper, lower = [across_w, across_v], [0 * across_w, across_w]
    return np.concatenate([np.concatenate(upper, axis=-1), np.concatenate(lower, axis=-1)], axis=-2)


def _magnitudes(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    """The derivatives of the magnitudes of the velocity forces' terms, which are quadratic in |qd|: by a difference."""

    def forces(rates: Any) -> Any:
        return reference.magnitudes.inverse_dynamics(q, rates, 0 * qd, gravity=False)

    rates = np.abs(qd)
    columns = [
        (forces(rates + unit) - forces(rates) - forces(0 * qd + unit)) / 2
        for unit in reference.units
    ]
    magnitudes = np.stack(columns, axis=-1)
    if reference.coordinates.floats:
        (mass_matrix,) = MASS_MATRIX.oracle.scales(reference, q)
        magnitudes[..., :6] += mass_matrix[..., :6] @ np.abs(_adjoint(qd[..., :6]))
    return (magnitudes,)


CORIOLIS_MATRIX = DynamicsFunction(
    name="coriolis_matrix",
    formula="C = C(q, qd), dM/dt - 2C skew-symmetric",
    inputs=joint_motion("q", "qd"),
    outputs=inertia_matrix("C", "/s", "Coriolis matrix: Christoffel symbols times joint rates"),
    methods={"": _record},
    oracle=Oracle(
        _expected,
        magnitudes=_magnitudes,
    ),
)
