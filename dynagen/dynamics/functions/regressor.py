"""Regressor: the matrix that makes joint forces of the inertial parameters of all links, in which they are linear."""

from __future__ import annotations

from dynagen.dynamics.algorithms.frames import Frames
from dynagen.dynamics.algorithms.regressor import record_columns, record_rows
from dynagen.dynamics.arguments import joint_motion
from dynagen.dynamics.function import Dependence, DynamicsFunction, Oracle, Results
from dynagen.dynamics.inertial_arguments import regressor_matrix, standard_vector
from dynagen.dynamics.recording.recorder import Recorder
from dynagen.robot.model.base_parameters import standard_parameters
from dynagen.robot.model.model import RobotModel


def _record(recorder: Recorder, model: RobotModel, frames: Frames) -> Results:
    columns = record_columns(recorder, model, frames)
    recorder.section("Columns of the links, in their own frames")
    return (
        record_rows(
            recorder,
            model,
            columns,
            [(each.body, each.in_body) for each in standard_parameters(model)],
        ),
    )


REGRESSOR = DynamicsFunction(
    name="regressor",
    formula="Y = Y(q, qd, qdd), tau = Y pi",
    inputs=joint_motion("q", "qd", "qdd"),
    outputs=lambda model: (regressor_matrix(model, standard_vector(model)),),
    methods={"": _record},
    oracle=Oracle(lambda reference, q, qd, qdd: (reference.regressors.standard(q, qd, qdd),)),
    depends_on=Dependence.NOTHING,
)
