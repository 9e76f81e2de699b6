"""Coriolis matrix: Christoffel symbols of the first kind times the joint rates."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.coordinates import sum_matrix
from dynagen.dynamics.algorithms.coriolis import record_coriolis_matrix
from dynagen.dynamics.algorithms.frames import Frames
from dynagen.dynamics.algorithms.joint_matrix import elements_of
from dynagen.dynamics.algorithms.newton_euler import JointMotion, record_body_motions
from dynagen.dynamics.arguments import elements, inertia_matrix, joint_motion, zeros
from dynagen.dynamics.function import Availability, DynamicsFunction, Interface, Oracle, Results, on_fixed_base
from dynagen.dynamics.recording.recorder import Recorder
from dynagen.model.model import RobotModel


def _record(recorder: Recorder, model: RobotModel, frames: Frames) -> Results:
    velocities = elements(recorder, model, "qd")
    motion = JointMotion(velocities, zeros(recorder, model))
    bodies = record_body_motions(recorder, model, frames, motion, gravity=False)
    angular_velocities = tuple(body.angular_velocity for body in bodies)
    entries = record_coriolis_matrix(recorder, model, frames, angular_velocities, velocities).matrix
    return (elements_of(recorder, model, sum_matrix(recorder, model, entries)),)


def _expected(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    """Column j is half the derivative of the velocity forces by rate j; these are quadratic: a complex step of 1 is exact."""
    steps = 1j * reference.units
    columns = [reference.inverse_dynamics(q, qd + step, 0 * qd, gravity=False).imag / 2 for step in steps]
    return (np.stack(columns, axis=-1),)


def _magnitudes(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    """The derivatives of the magnitudes of the velocity forces' terms, which are quadratic in |qd|: by a difference."""

    def forces(rates: Any) -> Any:
        return reference.magnitudes.inverse_dynamics(q, rates, 0 * qd, gravity=False)

    rates = np.abs(qd)
    columns = [(forces(rates + unit) - forces(rates) - forces(0 * qd + unit)) / 2 for unit in reference.units]
    return (np.stack(columns, axis=-1),)


CORIOLIS_MATRIX = DynamicsFunction(
    name="coriolis_matrix",
    formula="C = C(q, qd), dM/dt - 2C skew-symmetric",
    interface=Interface(
        joint_motion("q", "qd"), inertia_matrix("C", "/s", "Coriolis matrix: Christoffel symbols times joint rates")
    ),
    methods={"": _record},
    oracle=Oracle(
        _expected,
        magnitudes=_magnitudes,
    ),
    availability=Availability(on_fixed_base()),
)
