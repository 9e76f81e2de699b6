"""Base regressor: the regressor of the fewest parameters that joint forces depend on, for identification."""

from __future__ import annotations

from typing import Any

from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.algorithms.regressor import record_columns, record_rows
from dynagen.dynamics.arguments import joint_motion
from dynagen.dynamics.function import Availability, Dependence, DynamicsFunction, Oracle, Results
from dynagen.dynamics.inertial_arguments import base_vector, regressor_matrix
from dynagen.numbers.exact import ONE
from dynagen.robot.model.base_parameters import (
    BaseParameter,
    base_parameters,
    base_unavailable_because,
)
from dynagen.robot.model.model import RobotModel
from dynagen.robot.model.moving_frames import frame_as_described
from dynagen.robot.model.regrouping import MOTOR_INERTIA, Combination, seen_from


def _record(recording: Recording) -> Results:
    model, columns = recording.model, record_columns(recording)
    return (
        record_rows(
            recording, columns, [(each.body, _unit(model, each)) for each in base_parameters(model)]
        ),
    )


def _unit(model: RobotModel, parameter: BaseParameter) -> Combination:
    """A unit of a base parameter, which belongs to the described frame, in those of the body's frame in this model."""
    if parameter.parameter == MOTOR_INERTIA:
        return {MOTOR_INERTIA: ONE}
    return seen_from(frame_as_described(model, parameter.body), {parameter.parameter: ONE})


def _expected(reference: Any, q: Any, qd: Any, qdd: Any) -> tuple[Any]:
    return (reference.regressors.standard(q, qd, qdd) @ reference.regressors.base_units,)


def _magnitudes(reference: Any, q: Any, qd: Any, qdd: Any) -> tuple[Any]:
    """A base parameter of a link's joint frame may be several standard ones of its link frame."""
    return (
        reference.magnitudes.regressors.standard(q, qd, qdd) @ abs(reference.regressors.base_units),
    )


BASE_REGRESSOR = DynamicsFunction(
    name="base_regressor",
    formula="Y = Y_base(q, qd, qdd), tau = Y pi_base",
    inputs=joint_motion("q", "qd", "qdd"),
    outputs=lambda model: (regressor_matrix(model, base_vector(model)),),
    methods={"": _record},
    oracle=Oracle(
        _expected,
        magnitudes=_magnitudes,
    ),
    availability=Availability(unavailable_because=base_unavailable_because),
    base_parameters=True,
    depends_on=Dependence.NOTHING,
)
