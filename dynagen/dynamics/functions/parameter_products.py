"""Derivatives by run-time parameters, and their products with vectors in both modes.

In a recorded program, the constants c depend on the run-time parameters p. Reverse mode
differentiates a weighted sum s of the results: ds/dp is the sum of ds/dc dc/dp over all constants.
Forward mode begins with the changes of the constants.

At constant joint forces, changes dqdd of the joint accelerations solve M dqdd = -dID, where M is
the mass matrix and dID the change of inverse dynamics at constant accelerations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.bases import find_base
from dynagen.dynamics.algorithms.differentiation import (
    record_changes,
    record_gradient,
    record_parameter_changes,
    record_parameter_gradient,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import Arguments, make_parameter_argument
from dynagen.dynamics.function import (
    Availability,
    DynamicsFunction,
    ExpectedResults,
    Results,
    ignore_last_inputs,
)
from dynagen.dynamics.functions.derivative_products import (
    add_inputs,
    make_variables,
    make_weights,
    record_forces,
    record_forward,
)
from dynagen.dynamics.functions.derivatives import divide_unit, make_derivative_matrices
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.recording import Quantity
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel

CHANGES, ADJOINTS = "dparameters", "parameters_bar"
_WEIGHTED = "1"


def _make_parameter_changes(model: RobotModel) -> tuple[Argument, ...]:
    each = make_parameter_argument(model.parameters)
    meaning = "changes of the run-time parameters"
    return (Argument(CHANGES, each.shape, each.units, meaning, each.columns),)


def _make_parameter_adjoints(model: RobotModel) -> tuple[Argument, ...]:
    each = make_parameter_argument(model.parameters)
    units = tuple(divide_unit(_WEIGHTED, unit) if unit else "" for unit in each.units)
    meaning = "derivatives of the weighted sum by the run-time parameters"
    return (Argument(ADJOINTS, each.shape, units, meaning, each.columns),)


def _add_parameter_changes(recording: Recording) -> list[Quantity]:
    """Return the elements of the input for parameter changes, one scalar for each parameter."""
    return [
        recording.add_element(CHANGES, place) for place in range(len(recording.model.parameters))
    ]


def _make_changes_of(name: str) -> Arguments:
    """Return a function that makes the output argument for changes of the result `name`.

    The function has the robot model as its argument. For the result tau, the output is `dtau`.
    """

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        (each,) = make_variables(name)(model)
        return (Argument(f"d{name}", each.shape, each.units, f"changes of {each.meaning}"),)

    return arguments


def _make_jacobian_of(name: str) -> Arguments:
    """Return a function that makes the output argument for derivatives of the result `name`.

    The function has the robot model as its argument. The output argument is the matrix of
    derivatives by all run-time parameters.
    """
    return make_derivative_matrices(
        make_variables(name), lambda model: (make_parameter_argument(model.parameters),)
    )


def _record_inverse_vjp(recording: Recording) -> Results:
    with recording.recorder.memoise():
        forces = record_forces(recording)
        recording.begin_section("Derivatives of the weighted sum of joint forces")
        weights = recording.add_elements("tau_bar")
        return (record_parameter_gradient(recording, forces, weights),)


def _record_inverse_jvp(recording: Recording) -> Results:
    with recording.recorder.memoise():
        forces = record_forces(recording)
        recording.begin_section("Changes of the joint forces")
        changes = _add_parameter_changes(recording)
        return (record_parameter_changes(recording, forces, changes),)


def _record_forward_vjp(method: str, recording: Recording) -> Results:
    with recording.recorder.memoise():
        solution, forces = record_forward(method, recording)
        recording.begin_section("Derivatives of the weighted sum of accelerations")
        weights = recording.add_elements("qdd_bar")
        # Accelerations are linear in the forces, with the symmetric matrix M^-1.
        (by_force,) = record_gradient(recording, solution, weights, ("tau",))
        results = [(force, -weight) for force, weight in zip(forces, by_force, strict=True)]
        # The results have the terms -up: gravity may depend on parameters.
        results += [
            (up, -weight)
            for up, weight in zip(find_base(recording).list_fall(), weights, strict=False)
        ]
        values, factors = zip(*results, strict=True)
        return (record_parameter_gradient(recording, values, factors, solution),)


def _record_forward_jvp(method: str, recording: Recording) -> Results:
    with recording.recorder.memoise():
        solution, forces = record_forward(method, recording)
        recording.begin_section("Changes of the accelerations")
        changes = _add_parameter_changes(recording)
        return (_record_forward_changes(recording, solution, forces, changes),)


def _record_forward_changes(
    recording: Recording,
    solution: tuple[Quantity, ...],
    forces: tuple[Quantity, ...],
    changes: Sequence[Quantity],
) -> list[Quantity]:
    """Record the changes of joint accelerations for changes of the run-time parameters.

    `solution` contains the joint accelerations, relative to free fall for a floating base, and
    `forces` the joint forces of inverse dynamics at these accelerations.
    """
    # M dqdd = -dID at constant accelerations (head of this module).
    by_parameters = record_parameter_changes(recording, forces, changes, solution)
    net = [-each for each in by_parameters]
    # Accelerations are linear in tau, so their change for the forces `net` is M^-1 net.
    result = list(record_changes(recording, solution, {"tau": net}))
    up = find_base(recording).list_fall()
    turned = record_parameter_changes(recording, up, changes)
    result[: len(up)] = [change - by_up for change, by_up in zip(result, turned, strict=False)]
    return result


def _record_inverse_jacobian(recording: Recording) -> Results:
    with recording.recorder.memoise():
        forces = record_forces(recording)
        recording.begin_section("Derivatives of the joint forces")
        columns = [
            record_parameter_changes(recording, forces, unit) for unit in _list_units(recording)
        ]
        return ([entry for row in zip(*columns, strict=True) for entry in row],)


def _record_forward_jacobian(method: str, recording: Recording) -> Results:
    with recording.recorder.memoise():
        return (record_forward_columns(recording, *record_forward(method, recording)),)


def record_forward_columns(
    recording: Recording, solution: tuple[Quantity, ...], forces: tuple[Quantity, ...]
) -> list[Quantity]:
    """Record the derivatives of joint accelerations by run-time parameters, row-major.

    The matrix has one row for each entry of the joint velocities qd and one column for each
    parameter.

    Args:
        recording: recording of the function for the robot.
        solution: the joint accelerations, the first result of `record_forward`.
        forces: the joint forces at these accelerations, the second result of `record_forward`.
    """
    recording.begin_section("Derivatives of the accelerations")
    columns = [
        _record_forward_changes(recording, solution, forces, unit)
        for unit in _list_units(recording)
    ]
    return [entry for row in zip(*columns, strict=True) for entry in row]


def _list_units(recording: Recording) -> list[list[Quantity]]:
    """Return for each parameter the changes of all parameters: 1 for this one, 0 for the others."""
    places = range(len(recording.model.parameters))
    return [[recording.add_constant(int(place == one)) for place in places] for one in places]


def _expect_inverse(reference: Any, *state: Any) -> Any:
    """Return the expected derivatives of joint forces by parameters, shape (states, n, p).

    There are n joint forces and p run-time parameters. The derivatives are high-order finite
    differences. `state` contains q, qd, qdd, and external wrenches and contact forces, if the robot
    has them.
    """
    return np.stack(
        [
            sum(
                weight
                * (above.compute_inverse_dynamics(*state) - below.compute_inverse_dynamics(*state))
                for weight, above, below in variation.terms
            )
            for variation in reference.vary_parameters()
        ],
        axis=-1,
    )


def _scale_inverse(reference: Any, *state: Any) -> Any:
    """Return magnitudes to which rounding errors of the derivatives are proportional.

    The derivatives are those of joint forces by run-time parameters. `state` contains the inputs of
    inverse dynamics.
    """
    terms = reference.magnitudes.compute_inverse_dynamics(*state)
    return terms[..., None] / np.array([each.size for each in reference.vary_parameters()])


def _expect_forward(reference: Any, q: Any, qd: Any, tau: Any, *wrench: Any) -> Any:
    """Return the expected derivatives of accelerations by parameters, shape (states, n, p)."""
    (qdd,) = FORWARD_DYNAMICS.expected_results.outputs(reference, q, qd, tau, *wrench)
    (mass_matrix,) = MASS_MATRIX.expected_results.outputs(reference, q)
    return -np.linalg.solve(mass_matrix, _expect_inverse(reference, q, qd, qdd, *wrench))


def _scale_forward(reference: Any, q: Any, qd: Any, tau: Any, *wrench: Any) -> Any:
    """Return magnitudes to which rounding errors of the derivatives are proportional.

    The derivatives are those of joint accelerations by run-time parameters.
    """
    (qdd,) = FORWARD_DYNAMICS.expected_results.outputs(reference, q, qd, tau, *wrench)
    (mass_matrix,) = MASS_MATRIX.expected_results.outputs(reference, q)
    (terms,) = MASS_MATRIX.expected_results.outputs(reference.magnitudes, q)
    inverse = np.abs(np.linalg.inv(mass_matrix))
    residual = np.abs(tau) + reference.magnitudes.compute_inverse_dynamics(
        q, qd, np.abs(qdd), *wrench
    )
    accelerations = (inverse @ residual[..., None])[..., 0]
    solution = np.abs(_expect_forward(reference, q, qd, tau, *wrench))
    return inverse @ (terms @ solution + _scale_inverse(reference, q, qd, accelerations, *wrench))


def _return_whole(evaluate: Callable[..., Any], reference: Any, *state: Any) -> tuple[Any, ...]:
    return (evaluate(reference, *state),)


def _weigh(evaluate: Callable[..., Any], reference: Any, *inputs: Any) -> tuple[Any, ...]:
    *state, weights = inputs
    return ((weights[..., None, :] @ evaluate(reference, *state))[..., 0, :],)


def _change(evaluate: Callable[..., Any], reference: Any, *inputs: Any) -> tuple[Any, ...]:
    *state, changes = inputs
    return ((evaluate(reference, *state) @ changes[..., None])[..., 0],)


def _make_function(
    of: DynamicsFunction,
    product: str,
    formula: str,
    arguments: tuple[Arguments, Arguments],
    methods: Any,
    evaluate: tuple[Callable[..., Any], Callable[..., Any]],
) -> DynamicsFunction:
    """Return the function for derivatives of a function by run-time parameters, or their products.

    `product` is "jacobian" for the derivatives, "vjp" for products of weights with the derivatives,
    or "jvp" for products of the derivatives with changes of the parameters. `arguments` contains
    two functions, which make the additional inputs and the outputs. `evaluate` contains two
    functions, which compute the derivatives, and magnitudes to which their rounding errors are
    proportional.
    """
    multiply = {"vjp": _weigh, "jvp": _change, "jacobian": _return_whole}[product]
    count = 0 if product == "jacobian" else 1
    values, scales = evaluate

    def compute_scales(reference: Any, *inputs: Any) -> tuple[Any, ...]:
        state = inputs[: len(inputs) - count]
        return multiply(scales, reference, *state, *map(np.abs, inputs[len(state) :]))

    def explain_unavailable(model: RobotModel) -> str:
        if not model.parameters:
            return "the robot has no run-time parameters"
        return of.availability.unavailable_because(model)

    more, results = arguments
    return DynamicsFunction(
        name=f"{of.name}_parameter_{product}",
        formula=formula,
        inputs=add_inputs(of, more),
        outputs=results,
        methods=methods,
        expected_results=ExpectedResults(
            partial(multiply, values),
            magnitudes=compute_scales,
            defined=ignore_last_inputs(count, of.expected_results.defined),
            solvable=ignore_last_inputs(count, of.expected_results.solvable),
        ),
        availability=Availability(
            explain_unavailable,
            on_request=True,
            methods_for_free_joints=of.availability.methods_for_free_joints,
        ),
    )


INVERSE_DYNAMICS_PARAMETER_JACOBIAN = _make_function(
    INVERSE_DYNAMICS,
    "jacobian",
    "dtau_dparams = derivatives of tau by the run-time parameters",
    (lambda model: (), _make_jacobian_of("tau")),
    {"": _record_inverse_jacobian},
    (_expect_inverse, _scale_inverse),
)

FORWARD_DYNAMICS_PARAMETER_JACOBIAN = _make_function(
    FORWARD_DYNAMICS,
    "jacobian",
    "dqdd_dparams = derivatives of qdd by the run-time parameters",
    (lambda model: (), _make_jacobian_of("qdd")),
    {name: partial(_record_forward_jacobian, name) for name in FORWARD_DYNAMICS.methods},
    (_expect_forward, _scale_forward),
)

INVERSE_DYNAMICS_PARAMETER_VJP = _make_function(
    INVERSE_DYNAMICS,
    "vjp",
    "parameters_bar = derivatives of tau_bar^T tau by the run-time parameters",
    (make_weights("tau"), _make_parameter_adjoints),
    {"": _record_inverse_vjp},
    (_expect_inverse, _scale_inverse),
)

INVERSE_DYNAMICS_PARAMETER_JVP = _make_function(
    INVERSE_DYNAMICS,
    "jvp",
    "dtau = change of tau for changes dparameters",
    (_make_parameter_changes, _make_changes_of("tau")),
    {"": _record_inverse_jvp},
    (_expect_inverse, _scale_inverse),
)

FORWARD_DYNAMICS_PARAMETER_VJP = _make_function(
    FORWARD_DYNAMICS,
    "vjp",
    "parameters_bar = derivatives of qdd_bar^T qdd by the run-time parameters",
    (make_weights("qdd"), _make_parameter_adjoints),
    {name: partial(_record_forward_vjp, name) for name in FORWARD_DYNAMICS.methods},
    (_expect_forward, _scale_forward),
)

FORWARD_DYNAMICS_PARAMETER_JVP = _make_function(
    FORWARD_DYNAMICS,
    "jvp",
    "dqdd = change of qdd for changes dparameters",
    (_make_parameter_changes, _make_changes_of("qdd")),
    {name: partial(_record_forward_jvp, name) for name in FORWARD_DYNAMICS.methods},
    (_expect_forward, _scale_forward),
)
