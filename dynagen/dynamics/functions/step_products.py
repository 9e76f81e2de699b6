"""First and second derivatives of a weighted sum of the state after a semi-implicit Euler step.

A step of the length dt with the joint accelerations qdd leads to the velocities qd' = qd + dt qdd
and the positions q' = q + dt qd'. With the weights l of q' and m of qd', the weighted sum l^T q' +
m^T qd' is

    l^T q + (dt l + m)^T qd + (dt^2 l + dt m)^T qdd

Its derivatives follow from derivatives of forward dynamics with the weights dt^2 l + dt m of qdd.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.integration import STEP_LENGTH, advance
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.function import (
    DynamicsFunction,
    ExpectedResults,
    Results,
    ignore_last_inputs,
)
from dynagen.dynamics.functions.derivative_products import (
    FORWARD_DYNAMICS_VJP,
    add_inputs,
    make_adjoints,
    record_forward,
    record_weighted_accelerations,
)
from dynagen.dynamics.functions.derivatives import divide_unit
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.hessians import (
    FORWARD_DYNAMICS_HESSIAN,
    make_hessian,
    record_second_derivatives,
)
from dynagen.dynamics.functions.integration import (
    STEP_EULER,
    STEP_EULER_DERIVATIVES,
    make_next_state,
)
from dynagen.dynamics.functions.jacobians import STEP_EULER_JACOBIAN
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Expr
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel

_VARIABLES = ("q", "qd", "tau", STEP_LENGTH)
_WEIGHTS = ("q_next_bar", "qd_next_bar")


@formula
def weight_of_acceleration(step: Expr, position: Expr, velocity: Expr) -> Expr:
    """Return dt^2 l + dt m, the weight of a joint acceleration in the weighted sum after a step.

    The sum contains the joint's position and velocity after the step with the weights l and m.

    Args:
        step: length dt of the step (s).
        position: weight l of the joint's position after the step.
        velocity: weight m of the joint's velocity after the step.
    """
    return step * (step * position + velocity)


def _make_weights(model: RobotModel) -> tuple[Argument, ...]:
    """Return the input arguments for the weights of the positions and velocities after the step."""
    return tuple(
        Argument(
            f"{each.name}_bar",
            each.shape,
            tuple(divide_unit("1", unit) for unit in each.units),
            f"weights of {each.meaning}",
        )
        for each in make_next_state(model)
    )


def _record_gradient(method: str, recording: Recording) -> list[list[Quantity]]:
    """Record the derivatives of l^T q_next + m^T qd_next by q, qd, tau and dt.

    q_next and qd_next are the state after an Euler step, and the inputs l and m are weights.
    """
    step = recording.add_element(STEP_LENGTH)
    of_positions, of_velocities = (recording.add_elements(name) for name in _WEIGHTS)
    accelerations, forces = record_forward(method, recording)
    weights = [
        weight_of_acceleration(step, *pair)
        for pair in zip(of_positions, of_velocities, strict=True)
    ]
    # q' = q + dt qd' and qd' = qd + dt qdd, so qdd enters both results.
    by_position, by_velocity, by_force = record_weighted_accelerations(
        recording, accelerations, forces, weights
    )
    recording.begin_section("Derivatives of the weighted sum after the step")
    by_length = [
        # The derivative of l q' + m qd' by dt: l (qd + 2 dt qdd) + m qdd.
        position * advance(speed, 2 * step, acceleration) + velocity * acceleration
        for position, velocity, speed, acceleration in zip(
            of_positions, of_velocities, recording.velocities, accelerations, strict=True
        )
    ]
    total, *others = by_length
    for term in others:
        total = total + term
    return [
        [known + weight for known, weight in zip(by_position, of_positions, strict=True)],
        [
            known + advance(velocity, step, position)
            for known, position, velocity in zip(
                by_velocity, of_positions, of_velocities, strict=True
            )
        ],
        list(by_force),
        [total],
    ]


def _record_vjp(method: str, recording: Recording) -> Results:
    with recording.recorder.memoise():
        return tuple(_record_gradient(method, recording))


def _record_hessian(method: str, recording: Recording) -> Results:
    linear = (("tau", "tau"), ("qd", "tau"))
    with recording.recorder.memoise():
        gradient = _record_gradient(method, recording)
        matrix = record_second_derivatives(recording, _VARIABLES, linear, gradient, lower=True)
    return ([entry for row in matrix for entry in row],)


def _split(inputs: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any, Any]:
    """Divide the inputs into the inputs of the step, and the weights of q_next and of qd_next."""
    return inputs[:-2], inputs[-2], inputs[-1]


def _evaluate_vjp(name: str, reference: Any, *inputs: Any) -> tuple[Any, ...]:
    """Return expected derivatives of a weighted sum of q_next and qd_next after an Euler step.

    `name` is `outputs` for the derivatives, or `compute_scales` for magnitudes to which their
    rounding errors are proportional.
    """
    state, *weights = _split(inputs)
    blocks = getattr(STEP_EULER_JACOBIAN.expected_results, name)(reference, *state)
    if name != "outputs":
        weights = [np.abs(each) for each in weights]
    count = len(blocks) // 2
    gradient = [
        sum(
            (np.swapaxes(block, -1, -2) @ weight[..., None])[..., 0]
            for block, weight in zip((blocks[place], blocks[count + place]), weights, strict=True)
        )
        for place in range(count)
    ]
    return (*gradient[:-1], gradient[-1][..., 0])


def _evaluate_hessian(name: str, reference: Any, *inputs: Any) -> tuple[Any]:
    """Return the expected Hessian of a weighted sum of q_next and qd_next after an Euler step.

    `name` is `outputs` for the Hessian, or `compute_scales` for magnitudes to which its rounding
    errors are proportional.
    """
    (q, qd, tau, dt), of_positions, of_velocities = _split(inputs)
    if name != "outputs":
        of_positions, of_velocities = np.abs(of_positions), np.abs(of_velocities)
    dt = dt[:, None]
    weights, change = dt**2 * of_positions + dt * of_velocities, 2 * dt * of_positions
    change = change + of_velocities
    size = qd.shape[-1]
    hessian = np.zeros((len(q), 3 * size + 1, 3 * size + 1))
    (hessian[:, :-1, :-1],) = getattr(FORWARD_DYNAMICS_HESSIAN.expected_results, name)(
        reference, q, qd, tau, weights
    )
    # By dt and another variable: the weights change by dt, and l^T dt qd depends on both.
    gradient = _forward_vjp(name, reference, q, qd, tau, change)
    # l.(q + dt qd + ...) has the mixed derivative l by dt and qd.
    gradient[:, size : 2 * size] += of_positions
    hessian[:, -1, :-1] = hessian[:, :-1, -1] = gradient
    (qdd,) = getattr(FORWARD_DYNAMICS.expected_results, name)(reference, q, qd, tau)
    hessian[:, -1, -1] = 2 * np.sum(of_positions * qdd, axis=-1)
    return (hessian,)


def _forward_vjp(name: str, reference: Any, *inputs: Any) -> Any:
    """Return the expected derivatives of weighted accelerations by q, qd and tau, in one array.

    `inputs` are the inputs of forward dynamics, then the weights of the accelerations.
    """
    results = getattr(FORWARD_DYNAMICS_VJP.expected_results, name)(reference, *inputs)
    return np.concatenate(results, axis=-1)


def _expect(evaluate: Any) -> ExpectedResults:
    """Return the expected results of a function for derivatives of an Euler step.

    `evaluate` returns the expected results if its first argument is `outputs`. If this argument is
    `compute_scales`, `evaluate` returns magnitudes to which rounding errors are proportional.
    """
    known = FORWARD_DYNAMICS.expected_results
    return ExpectedResults(
        partial(evaluate, "outputs"),
        magnitudes=partial(evaluate, "compute_scales"),
        defined=ignore_last_inputs(3, known.defined),
        solvable=ignore_last_inputs(3, known.solvable),
    )


def _unavailable_because(model: RobotModel) -> str:
    """Return why the derivatives of a step are unavailable for a robot, or an empty string."""
    return STEP_EULER_DERIVATIVES.availability.unavailable_because(
        model
    ) or STEP_EULER_JACOBIAN.availability.unavailable_because(model)


_AVAILABILITY = replace(
    STEP_EULER_DERIVATIVES.availability,
    unavailable_because=_unavailable_because,
    methods_for_free_joints=FORWARD_DYNAMICS.availability.methods_for_free_joints,
)

STEP_EULER_VJP = DynamicsFunction(
    name="step_euler_vjp",
    formula="q_bar, qd_bar, tau_bar, dt_bar = derivatives of q_next_bar^T q_next + "
    "qd_next_bar^T qd_next by q, qd, tau, dt",
    inputs=add_inputs(STEP_EULER, _make_weights),
    outputs=make_adjoints(*_VARIABLES),
    methods={name: partial(_record_vjp, name) for name in FORWARD_DYNAMICS.methods},
    expected_results=_expect(_evaluate_vjp),
    availability=_AVAILABILITY,
)

STEP_EULER_HESSIAN = DynamicsFunction(
    name="step_euler_hessian",
    formula="H = second derivatives of q_next_bar^T q_next + qd_next_bar^T qd_next by "
    "(q, qd, tau, dt)",
    inputs=add_inputs(STEP_EULER, _make_weights),
    outputs=make_hessian(*_VARIABLES),
    methods={name: partial(_record_hessian, name) for name in FORWARD_DYNAMICS.methods},
    expected_results=_expect(_evaluate_hessian),
    availability=_AVAILABILITY,
)
