"""Time derivative dh/dt of the centroidal momentum h, and derivatives of h and dh/dt by q and qd.

The centroidal momentum h is the linear momentum of the robot, and its angular momentum about the
centre of mass. q and qd are the joint positions and velocities.

For the expected results, the robot has a massless floating base. The wrench on this base is the
time derivative of the momentum. If velocities are zero and accelerations are set to qd, the wrench
is the momentum itself. Complex steps compute the derivatives.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.centroidal_motion import (
    record_momentum_derivatives,
    record_momentum_drift,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import make_joint_motion
from dynagen.dynamics.function import (
    Availability,
    Dependence,
    DynamicsFunction,
    ExpectedResults,
    Results,
)
from dynagen.dynamics.functions.derivatives import divide_unit, make_tangent_argument
from dynagen.dynamics.functions.kinematics import describe_missing_mass
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel

_STEP = 1e-30
_CHANGE_UNITS = ("N",) * 3 + ("N m",) * 3
_MOMENTUM_UNITS = ("kg m/s",) * 3 + ("kg m^2/s",) * 3


def _drift_outputs(model: RobotModel) -> tuple[Argument, ...]:
    meaning = "change of the centroidal momentum without joint accelerations, in base axes"
    return (Argument("dAg_qd", (6,), _CHANGE_UNITS, meaning),)


def _record_drift(recording: Recording) -> Results:
    drift = record_momentum_drift(recording)
    return ((drift.force, drift.moment),)


def _derivative_outputs(model: RobotModel) -> tuple[Argument, ...]:
    (steps,), (velocities,) = make_tangent_argument(model), make_joint_motion("qd")(model)
    momentum = "centroidal momentum in base axes, linear rows first"
    return tuple(
        Argument(
            name,
            (6, model.nv),
            tuple(divide_unit(unit, per) for unit in units for per in by.units),
            f"derivatives of {of} by {by.meaning}",
        )
        for name, of, units, by in (
            ("dh_dq", f"the {momentum}", _MOMENTUM_UNITS, steps),
            ("dhdot_dq", f"the change of the {momentum}", _CHANGE_UNITS, steps),
            ("dhdot_dqd", f"the change of the {momentum}", _CHANGE_UNITS, velocities),
        )
    )


def _record_derivatives(recording: Recording) -> Results:
    found = record_momentum_derivatives(recording)
    return tuple(
        _flatten(columns)
        for columns in (found.momentum, found.change_by_position, found.change_by_velocity)
    )


def _flatten(columns: Any) -> list[Any]:
    """Return the elements of a matrix with six rows, row-major, from its columns."""
    halves: tuple[list[Any], list[Any]] = (
        [each.force for each in columns],
        [each.moment for each in columns],
    )
    return [column[row] for half in halves for row in range(3) for column in half]


def _compute_change(reference: Any, q: Any, qd: Any, qdd: Any) -> Any:
    """Return the time derivative of the centroidal momentum, shape (..., 6).

    The derivative of the linear momentum (N) comes first, then the derivative of the angular
    momentum (N m), both in base axes.
    """
    wrench, com = (
        reference.compute_inertial_wrench(q, qd, qdd),
        reference.centroidal.compute_position(q),
    )
    force, moment = wrench[..., :3], wrench[..., 3:]
    origin, rotate = reference.find_base_pose(q)
    force, moment = rotate(force), rotate(moment)
    return np.concatenate([force, moment - np.cross(com - origin, force)], axis=-1)


def _sum_magnitudes(reference: Any, q: Any, qd: Any, qdd: Any) -> Any:
    """Return, for each entry of dh/dt, the sum of the absolute values of its terms, (..., 6).

    h is the centroidal momentum.
    """
    wrench = reference.magnitudes.compute_inertial_wrench(q, qd, qdd)
    com = np.linalg.norm(
        reference.centroidal.compute_position_magnitudes(q), axis=-1, keepdims=True
    )
    moment = wrench[..., 3:] + com * wrench[..., :3]
    return np.concatenate([wrench[..., :3], moment], axis=-1)


def _expect_drift(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    return (_compute_change(reference, q, qd, 0 * qd),)


def _drift_magnitudes(reference: Any, q: Any, qd: Any) -> tuple[Any]:
    return (_sum_magnitudes(reference, q, qd, 0 * qd),)


def _expect_derivatives(reference: Any, q: Any, qd: Any, qdd: Any) -> tuple[Any, Any, Any]:
    """Return the expected derivatives of h by q, of dh/dt by q, and of dh/dt by qd.

    h is the centroidal momentum: the linear momentum, and the angular momentum about the centre of
    mass.
    """
    change, steps = partial(_compute_change, reference), 1j * _STEP * reference.units
    moved = [reference.move(q, step) for step in steps]
    columns = (
        # At rest, with the velocities as accelerations, the change is the momentum itself.
        [change(place, 0 * qd, qd) for place in moved],
        [change(place, qd, qdd) for place in moved],
        [change(q, qd + step, qdd) for step in steps],
    )
    by_q, change_by_q, change_by_qd = (np.stack(each, axis=-1).imag / _STEP for each in columns)
    return by_q, change_by_q, change_by_qd


def _derivative_magnitudes(reference: Any, q: Any, qd: Any, qdd: Any) -> tuple[Any, Any, Any]:
    """Return, for each derivative, an upper bound of the sum of its terms' absolute values.

    These are the derivatives of the centroidal momentum h by q, of dh/dt by q, and of dh/dt by qd.
    Rounding errors are proportional to the sums.
    """
    change = partial(_sum_magnitudes, reference)
    com = np.linalg.norm(reference.centroidal.compute_jacobian_magnitudes(q), axis=-2)

    def by_position(*motion: Any) -> Any:
        force, columns = change(q, *motion)[..., :3], []
        for joint, unit in enumerate(reference.units):
            step = reference.coordinates.compute_step(unit)
            terms = partial(_sum_magnitudes, reference.restrict_inertia(joint))
            column = np.maximum(terms(q + step, *motion), terms(q - step, *motion))
            column[..., 3:] += com[..., joint, None] * force
            columns.append(column)
        return np.stack(columns, axis=-1)

    by_velocity = [
        change(q, np.abs(qd) + unit, qdd) - change(q, qd, qdd) for unit in reference.units
    ]
    return by_position(0 * qd, qd), by_position(qd, qdd), np.stack(by_velocity, axis=-1)


CENTROIDAL_MOMENTUM_DRIFT = DynamicsFunction(
    name="centroidal_momentum_matrix_dot_qd",
    formula="dAg_qd = dAg/dt qd: change of the centroidal momentum while qdd = 0",
    inputs=make_joint_motion("q", "qd"),
    outputs=_drift_outputs,
    methods={"": _record_drift},
    expected_results=ExpectedResults(_expect_drift, magnitudes=_drift_magnitudes),
    availability=Availability(describe_missing_mass),
    depends_on=Dependence.ALL_MOMENTUM,
)

CENTROIDAL_MOMENTUM_DERIVATIVES = DynamicsFunction(
    name="centroidal_momentum_derivatives",
    formula="derivatives of h = Ag qd and of dh/dt = Ag qdd + dAg/dt qd by q and qd",
    inputs=make_joint_motion("q", "qd", "qdd"),
    outputs=_derivative_outputs,
    methods={"": _record_derivatives},
    expected_results=ExpectedResults(_expect_derivatives, magnitudes=_derivative_magnitudes),
    availability=Availability(describe_missing_mass, on_request=True),
    depends_on=Dependence.ALL_MOMENTUM,
)
