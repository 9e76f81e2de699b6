"""Synchronous: the fast half of inverse dynamics, n multiplications and n additions a joint."""

from __future__ import annotations

from typing import Any

from sympy import Expr

from dynagen.dynamics.algorithms.frames import Frames
from dynagen.dynamics.algorithms.joint_matrix import lower_pairs
from dynagen.dynamics.algorithms.two_rate import STATE, state_argument
from dynagen.dynamics.arguments import elements, joint_forces, joint_motion
from dynagen.dynamics.function import Dependence, DynamicsFunction, Oracle, Results
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.recorder import Recorder
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel


@formula
def with_inertia(force: Expr, inertia: Expr, acceleration: Expr) -> Expr:
    """A joint force, and what an acceleration adds to it."""
    return force + inertia * acceleration


def _inputs(model: RobotModel) -> tuple[Argument, ...]:
    return (*state_argument()(model), *joint_motion("qdd")(model))


def _record(recorder: Recorder, model: RobotModel, frames: Frames) -> Results:
    pairs, accelerations = lower_pairs(model), elements(recorder, model, "qdd")
    forces = [recorder.element(STATE, len(pairs) + row) for row in range(model.nv)]
    for index, (row, column) in enumerate(pairs):
        inertia = recorder.element(STATE, index)
        forces[row] = recorder.apply(with_inertia, forces[row], inertia, accelerations[column])
        if column != row:
            forces[column] = recorder.apply(
                with_inertia, forces[column], inertia, accelerations[row]
            )
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
