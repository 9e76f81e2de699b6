"""Regressors with two more columns a joint, for viscous and Coulomb friction: tau + tau_f = Y pi.

A column meets the one joint that its coefficient belongs to: with its rate, and with the rate's sign or what the description
puts in its place. What depends on loads, static friction and offsets are not linear in coefficients, or are none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.friction import record_friction_columns
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.function import DynamicsFunction, Results
from dynagen.dynamics.functions.base_regressor import BASE_REGRESSOR
from dynagen.dynamics.functions.regressor import REGRESSOR
from dynagen.dynamics.inertial_arguments import with_friction_coefficients
from dynagen.dynamics.recording.formula import Quantity
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel


def with_friction_columns(regressor: DynamicsFunction) -> DynamicsFunction:
    """A regressor with friction columns behind its own, `waist.viscous` and `waist.coulomb` for the joint of the waist."""

    def outputs(model: RobotModel) -> tuple[Argument, ...]:
        (matrix,) = regressor.outputs(model)
        return (with_friction_coefficients(model, matrix),)

    def record(recording: Recording) -> Results:
        entries: list[Quantity] = list(*regressor.methods[regressor.method](recording))
        nv, none = recording.model.nv, recording.constant(0)
        width = len(entries) // nv
        recording.section("Friction")
        pairs = record_friction_columns(recording)
        rows = [
            [*entries[row * width : (row + 1) * width], *[none] * (2 * len(pairs))]
            for row in range(nv)
        ]
        for number, (entry, pair) in enumerate(pairs):
            rows[entry][width + 2 * number : width + 2 * number + 2] = pair
        return ([entry for row in rows for entry in row],)

    def expected(reference: Any, q: Any, qd: Any, qdd: Any) -> tuple[Any]:
        (matrix,) = regressor.oracle.expected(reference, q, qd, qdd)
        return (np.concatenate([matrix, reference.friction.columns(qd)], axis=-1),)

    def magnitudes(reference: Any, q: Any, qd: Any, qdd: Any) -> tuple[Any]:
        (matrix,) = regressor.oracle.scales(reference, q, qd, qdd)
        return (np.concatenate([matrix, np.abs(reference.friction.columns(qd))], axis=-1),)

    return replace(
        regressor,
        name=f"{regressor.name}_with_friction",
        formula=regressor.formula.replace("tau =", "tau + tau_f ="),
        outputs=outputs,
        methods={"": record},
        oracle=replace(regressor.oracle, expected=expected, magnitudes=magnitudes),
        availability=replace(regressor.availability, on_request=True),
    )


REGRESSOR_WITH_FRICTION = with_friction_columns(REGRESSOR)
BASE_REGRESSOR_WITH_FRICTION = with_friction_columns(BASE_REGRESSOR)
