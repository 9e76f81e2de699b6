"""Products of derivatives with vectors, for reverse and forward mode differentiation.

The matrix J contains the derivatives of the joint forces by positions q, velocities qd and
accelerations qdd. `inverse_dynamics_jvp` computes J times changes of the inputs, and
`inverse_dynamics_vjp` computes J^T times weights of the joint forces. Both products are recorded by
automatic differentiation (`dynagen.ir.differentiation`), and require fewer operations than J.

Forward dynamics is differentiated by means of inverse dynamics (ID) at the accelerations qdd that
the forces tau cause (Carpentier and Mansard, "Analytical Derivatives of Rigid Body Dynamics
Algorithms", RSS 2018). Changes of qdd solve M dqdd = dtau - dID. M is the mass matrix, dtau the
change of the joint forces, and dID the change of inverse dynamics at constant qdd. In reverse mode
with weights w, the derivatives by tau are y = M^-1 w, and the derivatives by q and qd are those of
inverse dynamics with the weights -y.

Changes of q are small motions of the joints. A floating base moves along and about its own axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.bases import find_base
from dynagen.dynamics.algorithms.differentiation import record_changes, record_gradient
from dynagen.dynamics.algorithms.external_wrenches import record_contacts
from dynagen.dynamics.algorithms.integration import STEP_LENGTH, make_step_argument
from dynagen.dynamics.algorithms.newton_euler import record_newton_euler
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import Arguments, make_joint_forces, make_joint_motion
from dynagen.dynamics.function import (
    Availability,
    DynamicsFunction,
    ExpectedResults,
    Results,
    ignore_last_inputs,
)
from dynagen.dynamics.functions.derivatives import (
    FORWARD_DYNAMICS_DERIVATIVES,
    INVERSE_DYNAMICS_DERIVATIVES,
    divide_unit,
    evaluate_inverse_derivatives,
    make_tangent_argument,
)
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS, SOLUTIONS
from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.dynamics.recording import Quantity
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel

_WEIGHTED = "1"
"""Unit of the weighted sum that reverse mode differentiates: the sum counts as unitless."""


def record_forces(recording: Recording) -> tuple[Quantity, ...]:
    """Record inverse dynamics (RNEA); return one joint force for each joint velocity."""
    return record_newton_euler(recording, recording.motion, record_contacts(recording))


def record_inverse_weighted(
    recording: Recording, weights: Sequence[Quantity]
) -> list[list[Quantity]]:
    """Record the derivatives of a weighted sum of joint forces by q, qd and qdd.

    Args:
        recording: recording of the function for the robot.
        weights: weight of each joint force, in the order of the joint velocities.

    Returns:
        Three lists of derivatives: by small motions of the joints, by qd and by qdd.
    """
    forces = record_forces(recording)
    recording.begin_section("Derivatives of the weighted sum of joint forces")
    return record_gradient(recording, forces, weights, ("q", "qd", "qdd"))


def _record_inverse_vjp(recording: Recording) -> Results:
    with recording.recorder.memoise():
        return tuple(record_inverse_weighted(recording, recording.add_elements("tau_bar")))


def _record_inverse_jvp(recording: Recording) -> Results:
    with recording.recorder.memoise():
        forces = record_forces(recording)
        recording.begin_section("Changes of the joint forces")
        changes = {name: recording.add_elements(f"d{name}") for name in ("q", "qd", "qdd")}
        return (record_changes(recording, forces, changes),)


def record_forward(
    method: str, recording: Recording
) -> tuple[tuple[Quantity, ...], tuple[Quantity, ...]]:
    """Record forward dynamics, and inverse dynamics at the resulting accelerations.

    The accelerations of a floating base are relative to free fall.

    Args:
        method: name of the method of forward dynamics.
        recording: recording of the function for the robot.

    Returns:
        The accelerations, then the joint forces at these accelerations.
    """
    solution = SOLUTIONS[method](recording)
    with recording.recorder.suppress_names():
        motion = replace(find_base(recording).make_fall_motion(), accelerations=solution)
        forces = record_newton_euler(recording, motion, record_contacts(recording))
    return solution, forces


def record_forward_weighted(
    method: str, recording: Recording, weights: Sequence[Quantity]
) -> list[list[Quantity]]:
    """Record the derivatives of a weighted sum of accelerations by q, qd and tau.

    Args:
        method: name of the method of forward dynamics.
        recording: recording of the function for the robot.
        weights: weight of each acceleration, in the order of the joint velocities.

    Returns:
        Three lists of derivatives: by small motions of the joints, by qd and by tau.
    """
    solution, forces = record_forward(method, recording)
    return record_weighted_accelerations(recording, solution, forces, weights)


def record_weighted_accelerations(
    recording: Recording,
    solution: Sequence[Quantity],
    forces: Sequence[Quantity],
    weights: Sequence[Quantity],
) -> list[list[Quantity]]:
    """Record the derivatives of a weighted sum of recorded accelerations by q, qd and tau.

    Args:
        recording: recording of the function for the robot.
        solution: the accelerations, first result of `record_forward`.
        forces: the joint forces at these accelerations, second result of `record_forward`.
        weights: weight of each acceleration, in the order of the joint velocities.

    Returns:
        Three lists of derivatives: by small motions of the joints, by qd and by tau.
    """
    recording.begin_section("Derivatives of the weighted sum of accelerations")
    # Accelerations are linear in the forces, with the symmetric matrix M^-1.
    (by_force,) = record_gradient(recording, solution, weights, ("tau",))
    # M dqdd = -dID: so the weights of ID are -M^-1 times the weights of qdd (`by_force`).
    by_position, by_velocity = record_gradient(
        recording, forces, [-each for each in by_force], ("q", "qd"), solution
    )
    find_base(recording).add_fall_gradient(weights, by_position, by_velocity)
    return [by_position, by_velocity, by_force]


def _record_forward_vjp(method: str, recording: Recording) -> Results:
    with recording.recorder.memoise():
        return tuple(record_forward_weighted(method, recording, recording.add_elements("qdd_bar")))


def _record_forward_jvp(method: str, recording: Recording) -> Results:
    with recording.recorder.memoise():
        solution, forces = record_forward(method, recording)
        recording.begin_section("Changes of the accelerations")
        motions = {name: recording.add_elements(f"d{name}") for name in ("q", "qd")}
        changes = record_changes(recording, forces, motions, solution)
        net = [
            force - change
            for force, change in zip(recording.add_elements("dtau"), changes, strict=True)
        ]
        result = list(record_changes(recording, solution, {"tau": net}))
        find_base(recording).add_fall_changes(result, motions)
        return (result,)


def _make_changes(*names: str) -> Arguments:
    """Return a function that makes arguments of a robot for changes of `names`, such as dq, dqd.

    The changes dq are small motions of the joints.
    """

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        return tuple(
            Argument(f"d{each.name}", each.shape, each.units, f"changes of {each.meaning}")
            for each in make_variables(*names)(model)
        )

    return arguments


def make_variables(*names: str) -> Arguments:
    """Return a function that makes the arguments of a robot by which functions are differentiated.

    `names` are among q, qd, qdd, tau and dt. The time step dt is a scalar; each other argument has
    one element for each joint velocity. The elements of q are small motions of the joints (rad or
    m).
    """

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        made = {
            "q": make_tangent_argument,
            "qd": make_joint_motion("qd"),
            "qdd": make_joint_motion("qdd"),
            "tau": make_joint_forces("tau", "joint forces"),
            STEP_LENGTH: make_step_argument,
        }
        return tuple(argument for name in names for argument in made[name](model))

    return arguments


def make_adjoints(*names: str) -> Arguments:
    """Return a function that makes arguments of a robot, such as `q_bar`: one for each of `names`.

    `q_bar` contains the derivatives of a weighted sum of a function's outputs by small motions of
    the joints (rad or m). `names` are among q, qd, qdd, tau and dt.
    """

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        return tuple(
            Argument(
                f"{each.name}_bar",
                each.shape,
                tuple(divide_unit(_WEIGHTED, unit) for unit in each.units),
                f"derivatives of the weighted sum by {each.meaning}",
            )
            for each in make_variables(*names)(model)
        )

    return arguments


def make_weights(name: str) -> Arguments:
    """Return a function that makes the argument for the weights of an output's elements.

    The function has the robot model as its argument. For the output `qdd`, the weights are the
    argument `qdd_bar`. Reverse mode differentiates the weighted sum of the output's elements.
    """

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        (each,) = make_variables(name)(model)
        units = tuple(divide_unit(_WEIGHTED, unit) for unit in each.units)
        return (Argument(f"{name}_bar", each.shape, units, f"weights of {each.meaning}"),)

    return arguments


def add_inputs(function: DynamicsFunction, more: Arguments) -> Arguments:
    """Return a function that makes, for a robot model, the inputs of `function` and further inputs.

    `more` is the function that makes the further inputs for a robot model. They come last.
    """
    return lambda model: (*function.inputs(model), *more(model))


def _split(count: int, inputs: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """Divide inputs into those of the differentiated function, and the last `count` inputs.

    The last inputs are the vectors by which the derivatives are multiplied.
    """
    return inputs[: len(inputs) - count], inputs[len(inputs) - count :]


def _multiply(matrix: Any, vector: Any) -> Any:
    """Return the products of matrices with vectors for each state.

    The shapes are (states, rows, columns) and (states, columns).
    """
    return (matrix @ vector[..., None])[..., 0]


def _evaluate_forward(name: str, reference: Any, *state: Any) -> tuple[Any, ...]:
    """Return the expected derivatives of forward dynamics, or the magnitudes of their errors.

    `name` is `outputs` for the derivatives, or `compute_scales` for magnitudes to which their
    rounding errors are proportional.
    """
    return tuple(getattr(FORWARD_DYNAMICS_DERIVATIVES.expected_results, name)(reference, *state))


def _expect_weighted(evaluate: Any, name: str, reference: Any, *inputs: Any) -> tuple[Any, ...]:
    """Return the expected products J^T w for the derivatives J of a function's result.

    `evaluate` returns the matrices J by three variables. `inputs` are the inputs of the function,
    then the weights w of its result. `name` is `outputs` for the products, or `compute_scales` for
    magnitudes to which their rounding errors are proportional.
    """
    state, (weights,) = _split(1, inputs)
    weights = weights if name == "outputs" else np.abs(weights)
    return tuple(
        _multiply(np.swapaxes(matrix, -1, -2), weights)
        for matrix in evaluate(name, reference, *state)[:3]
    )


def _expect_changes(evaluate: Any, name: str, reference: Any, *inputs: Any) -> tuple[Any, ...]:
    """Return the expected change of a function's result: the sum of the products J dx.

    `evaluate` returns the derivatives J of the result by three variables x. `inputs` are the inputs
    of the function, then the changes dx of the three variables. `name` is `outputs` for the change,
    or `compute_scales` for magnitudes to which its rounding errors are proportional.
    """
    state, changes = _split(3, inputs)
    changes = changes if name == "outputs" else [np.abs(change) for change in changes]
    # Contact forces count as constants.
    matrices = evaluate(name, reference, *state)[:3]
    return (sum(_multiply(*pair) for pair in zip(matrices, changes, strict=True)),)


def _expected_results(expect: Any, evaluate: Any, extra: int, of: DynamicsFunction) -> Any:
    """Return the expected results of a product with the derivatives of a function.

    `evaluate` returns the derivatives as matrices. `extra` is the number of inputs that only the
    product has. `of` is the function that computes the derivatives.
    """
    return ExpectedResults(
        partial(expect, evaluate, "outputs"),
        magnitudes=partial(expect, evaluate, "compute_scales"),
        defined=ignore_last_inputs(extra, of.expected_results.defined),
        solvable=ignore_last_inputs(extra, of.expected_results.solvable),
    )


INVERSE_DYNAMICS_VJP = DynamicsFunction(
    name="inverse_dynamics_vjp",
    formula="q_bar, qd_bar, qdd_bar = derivatives of tau_bar^T tau by q, qd, qdd",
    inputs=add_inputs(INVERSE_DYNAMICS, make_weights("tau")),
    outputs=make_adjoints("q", "qd", "qdd"),
    methods={"": _record_inverse_vjp},
    expected_results=_expected_results(
        _expect_weighted, evaluate_inverse_derivatives, 1, INVERSE_DYNAMICS_DERIVATIVES
    ),
    availability=Availability(on_request=True),
)

INVERSE_DYNAMICS_JVP = DynamicsFunction(
    name="inverse_dynamics_jvp",
    formula="dtau = change of tau for changes dq, dqd, dqdd",
    inputs=add_inputs(INVERSE_DYNAMICS, _make_changes("q", "qd", "qdd")),
    outputs=_make_changes("tau"),
    methods={"": _record_inverse_jvp},
    expected_results=_expected_results(
        _expect_changes, evaluate_inverse_derivatives, 3, INVERSE_DYNAMICS_DERIVATIVES
    ),
    availability=Availability(on_request=True),
)

_FORWARD = replace(FORWARD_DYNAMICS.availability, on_request=True, with_loops=False)

FORWARD_DYNAMICS_VJP = DynamicsFunction(
    name="forward_dynamics_vjp",
    formula="q_bar, qd_bar, tau_bar = derivatives of qdd_bar^T qdd by q, qd, tau",
    inputs=add_inputs(FORWARD_DYNAMICS, make_weights("qdd")),
    outputs=make_adjoints("q", "qd", "tau"),
    methods={name: partial(_record_forward_vjp, name) for name in FORWARD_DYNAMICS.methods},
    expected_results=_expected_results(
        _expect_weighted, _evaluate_forward, 1, FORWARD_DYNAMICS_DERIVATIVES
    ),
    availability=_FORWARD,
)

FORWARD_DYNAMICS_JVP = DynamicsFunction(
    name="forward_dynamics_jvp",
    formula="dqdd = change of qdd for changes dq, dqd, dtau",
    inputs=add_inputs(FORWARD_DYNAMICS, _make_changes("q", "qd", "tau")),
    outputs=_make_changes("qdd"),
    methods={name: partial(_record_forward_jvp, name) for name in FORWARD_DYNAMICS.methods},
    expected_results=_expected_results(
        _expect_changes, _evaluate_forward, 3, FORWARD_DYNAMICS_DERIVATIVES
    ),
    availability=_FORWARD,
)
