"""Regressor: the matrix that makes joint forces of the inertial parameters of all links, in which they are linear."""

from __future__ import annotations

from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.algorithms.regressor import record_columns, record_rows
from dynagen.dynamics.arguments import joint_motion
from dynagen.dynamics.function import Dependence, DynamicsFunction, Oracle, Results
from dynagen.dynamics.inertial_arguments import regressor_matrix, standard_vector
from dynagen.robot.model.base_parameters import standard_parameters


def _record(recording: Recording) -> Results:
    columns = record_columns(recording)
    recording.section("Columns of the links, in their own frames")
    parameters = [(each.body, each.in_body) for each in standard_parameters(recording.model)]
    return (record_rows(recording, columns, parameters),)


REGRESSOR = DynamicsFunction(
    name="regressor",
    formula="Y = Y(q, qd, qdd), tau = Y pi",
    inputs=joint_motion("q", "qd", "qdd"),
    outputs=lambda model: (regressor_matrix(model, standard_vector(model)),),
    methods={"": _record},
    oracle=Oracle(lambda reference, q, qd, qdd: (reference.regressors.standard(q, qd, qdd),)),
    depends_on=Dependence.NOTHING,
)
