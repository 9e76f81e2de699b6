"""Synchronous: the fast half of inverse dynamics, n multiplications and n additions a joint."""

from __future__ import annotations

from typing import Any

from dynagen.dynamics.algorithms.joint_matrix import lower_pairs
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.algorithms.two_rate import STATE, state_argument
from dynagen.dynamics.arguments import joint_forces, joint_motion
from dynagen.dynamics.function import Dependence, DynamicsFunction, Oracle, Results
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel


def _inputs(model: RobotModel) -> tuple[Argument, ...]:
    return (*state_argument()(model), *joint_motion("qdd")(model))


def _record(recording: Recording) -> Results:
    pairs, accelerations = lower_pairs(recording.model), recording.elements("qdd")
    forces = [recording.element(STATE, len(pairs) + row) for row in range(recording.model.nv)]
    for index, (row, column) in enumerate(pairs):
        inertia = recording.element(STATE, index)
        forces[row] += inertia * accelerations[column]
        if column != row:
            forces[column] += inertia * accelerations[row]
    return (forces,)


def _expected(reference: Any, state: Any, qdd: Any) -> tuple[Any]:
    return (reference.two_rate_forces(state, qdd),)


def _magnitudes(reference: Any, state: Any, qdd: Any) -> tuple[Any]:
    return (reference.two_rate_forces(abs(state), abs(qdd)),)


SYNCHRONOUS = DynamicsFunction(
    name="synchronous",
    formula="tau = M qdd + (C qd + g), from the state",
    inputs=_inputs,
    outputs=joint_forces("tau", "generalised joint forces"),
    methods={"": _record},
    oracle=Oracle(
        _expected,
        magnitudes=_magnitudes,
    ),
    depends_on=Dependence.NOTHING,
)
