"""Derivatives of one step of the semi-implicit Euler method by the state that it starts from and by joint forces.

With X = dqdd/dx of forward dynamics they are dqd'/dx = dqd/dx + dt X and dq'/dx = dq/dx + dt dqd'/dx: the matrices A and B of
the linear system x' = A x + B tau that predictive control and state estimation take.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from dynagen.dynamics.algorithms.integration import STEP_LENGTH, advance
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import Arguments
from dynagen.dynamics.function import Availability, DynamicsFunction, Oracle, Results
from dynagen.dynamics.functions.forward_dynamics_derivatives import FORWARD_DYNAMICS_DERIVATIVES
from dynagen.dynamics.functions.inverse_dynamics_derivatives import derivatives
from dynagen.dynamics.functions.step_euler import next_state, on_state, step_inputs
from dynagen.dynamics.recording.formula import Quantity
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel


def _outputs(model: RobotModel) -> tuple[Argument, ...]:
    return tuple(
        argument
        for place in (0, 1)
        for argument in derivatives(_after_step(place), _variables)(model)
    )


def _after_step(place: int) -> Arguments:
    """The positions (0) or the rates (1) after the step."""
    return lambda model: (next_state(model)[place],)


def _variables(model: RobotModel) -> tuple[Argument, ...]:
    return step_inputs(model)[:3]


def _record(recording: Recording) -> Results:
    by_position, by_velocity, by_force = FORWARD_DYNAMICS_DERIVATIVES.methods[""](recording)
    recording.section("Derivatives after the step")
    step, nv = recording.element(STEP_LENGTH), recording.model.nv
    unit = [recording.constant(int(row == column)) for row in range(nv) for column in range(nv)]

    def times_step(matrix: Iterable[Quantity]) -> list[Quantity]:
        return [step * entry for entry in matrix]

    def from_unit(matrix: Iterable[Quantity]) -> list[Quantity]:
        return [advance(one, step, entry) for one, entry in zip(unit, matrix, strict=True)]

    velocities = times_step(by_position), from_unit(by_velocity), times_step(by_force)
    return (
        from_unit(velocities[0]),
        times_step(velocities[1]),
        times_step(velocities[2]),
        *velocities,
    )


def _scaled(question: Any, reference: Any, *inputs: Any) -> tuple[Any, ...]:
    """The derivatives after the step from those of accelerations, or their scales of rounding from the scales of these."""
    dt = inputs[-1][:, None, None]
    by_position, by_rate, by_force = (dt * each for each in question(reference, *inputs[:-1]))
    unit = reference.units
    return (
        unit + dt * by_position,
        dt * (unit + by_rate),
        dt * by_force,
        by_position,
        unit + by_rate,
        by_force,
    )


def _unavailable_because(model: RobotModel) -> str:
    if model.floats:
        return (
            "the pose of a floating base moves by an exponential, which is not differentiated here"
        )
    return FORWARD_DYNAMICS_DERIVATIVES.availability.unavailable_because(model)


STEP_EULER_DERIVATIVES = DynamicsFunction(
    name="step_euler_derivatives",
    formula="d(q_next, qd_next) of step_euler = A d(q, qd) + B dtau, by blocks",
    inputs=step_inputs,
    outputs=_outputs,
    methods={"": _record},
    oracle=Oracle(
        partial(_scaled, FORWARD_DYNAMICS_DERIVATIVES.oracle.expected),
        magnitudes=partial(_scaled, FORWARD_DYNAMICS_DERIVATIVES.oracle.scales),
        defined=partial(on_state, FORWARD_DYNAMICS_DERIVATIVES.oracle.defined),
        solvable=partial(on_state, FORWARD_DYNAMICS_DERIVATIVES.oracle.solvable),
    ),
    availability=Availability(_unavailable_because, on_request=True),
)
