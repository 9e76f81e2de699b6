"""Derivatives of inverse dynamics by the joint positions and rates; that by the accelerations is the mass matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.contact import record_contacts
from dynagen.dynamics.algorithms.derivatives import (
    record_position_derivatives,
    record_velocity_derivatives,
)
from dynagen.dynamics.algorithms.joint_matrix import flatten
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import Arguments, entries_that_rotate, joint_forces, joint_motion
from dynagen.dynamics.function import DynamicsFunction, Oracle, Results
from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel

_STEP = 1e-30


def derivatives(of: Arguments, by: Arguments) -> Arguments:
    """Matrices of the derivatives of a joint-space vector by others: entry [i][j] of `dtau_dq` is that of tau[i] by q[j]."""

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        (vector,) = of(model)
        return tuple(
            Argument(
                f"d{vector.name}_d{variable.name}",
                (vector.size, variable.size),
                tuple(_ratio(unit, per) for unit in vector.units for per in variable.units),
                f"derivatives of {vector.meaning} by {variable.meaning}",
            )
            for variable in by(model)
        )

    return arguments


def tangent(model: RobotModel) -> tuple[Argument, ...]:
    """The small steps of positions that derivatives are taken by; those of a floating base are along and about its axes."""
    units = tuple("rad" if rotates else "m" for rotates in entries_that_rotate(model))
    base = "small motions of the base along and about its axes, then " if model.floats else ""
    return (Argument("q", (len(units),), units, f"{base}joint positions"),)


def _steps(model: RobotModel) -> tuple[Argument, ...]:
    return (*tangent(model), *joint_motion("qd")(model))


def _ratio(unit: str, per: str) -> str:
    """One unit divided by another, as N m/(rad/s)."""
    return "/".join(
        (f"({unit})" if "/" in unit else unit, f"({per})" if set(per) & set(" /") else per)
    )


def _record(recording: Recording) -> Results:
    with recording.recorder.memoised():
        motion, contacts = recording.motion, record_contacts(recording)
        by_velocities, found = record_velocity_derivatives(recording, motion.velocities)
        by_positions = record_position_derivatives(recording, motion, contacts, found)
        return flatten(recording, by_positions), flatten(recording, by_velocities)


def _expected(reference: Any, q: Any, qd: Any, qdd: Any, *wrench: Any) -> tuple[Any, Any]:
    """Complex steps, whose error is rounding alone (W. Squire, G. Trapp, SIAM Review 40(1), 1998)."""
    steps = 1j * _STEP * reference.units
    by_position = [
        reference.inverse_dynamics(reference.moved(q, step), qd, qdd, *wrench).imag / _STEP
        for step in steps
    ]
    by_rate = [
        reference.inverse_dynamics(q, qd + step, qdd, *wrench).imag / _STEP for step in steps
    ]
    return np.stack(by_position, axis=-1), np.stack(by_rate, axis=-1)


def inverse_dynamics_magnitudes(
    reference: Any, q: Any, qd: Any, qdd: Any, *wrench: Any
) -> tuple[Any, Any]:
    """Sums of the magnitudes of the derivatives' terms, which are those that come from the links that joint j carries.

    Magnitudes of terms grow with rates and displacements, and rotations do not change them. So a derivative's terms are no
    larger than what a unit more of the rate adds, and than the terms where the joint has moved a unit further.
    """
    by_position, by_rate = [], []
    for joint, unit in enumerate(reference.units):
        terms = reference.beyond(joint).magnitudes.inverse_dynamics
        step = reference.coordinates.step(unit)
        by_position.append(
            np.maximum(terms(q + step, qd, qdd, *wrench), terms(q - step, qd, qdd, *wrench))
        )
        by_rate.append(terms(q, np.abs(qd) + unit, qdd) - terms(q, qd, qdd))
    return np.stack(by_position, axis=-1), np.stack(by_rate, axis=-1)


INVERSE_DYNAMICS_DERIVATIVES = DynamicsFunction(
    name="inverse_dynamics_derivatives",
    formula="dtau = dtau_dq dq + dtau_dqd dqd + M(q) dqdd",
    inputs=INVERSE_DYNAMICS.inputs,
    outputs=derivatives(joint_forces("tau", "joint forces"), _steps),
    methods={"": _record},
    oracle=Oracle(
        _expected,
        magnitudes=inverse_dynamics_magnitudes,
    ),
)
