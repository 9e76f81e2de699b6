"""Base parameters, and regressors of standard and base parameters, with and without friction.

- Regressor: the matrix Y with tau = Y pi, where tau are the joint forces and pi the standard
  inertial parameters of all links. Joint forces are linear in pi.
- Base parameters: the fewest combinations of standard parameters that determine the joint forces,
  for identification.
- Base regressor: the regressor of the base parameters.
- Regressors with friction: regressors with two more columns for each joint, for the coefficients of
  viscous and Coulomb friction.

In the row of the joint, these columns contain the joint velocity and its sign. The robot
description may replace the sign by a smooth function. Load-dependent friction, static friction and
offsets have no columns.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.friction import record_friction_columns
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.algorithms.regressor import record_columns, record_rows
from dynagen.dynamics.arguments import (
    add_friction_coefficients,
    make_base_vector,
    make_joint_motion,
    make_regressor_matrix,
    make_standard_vector,
)
from dynagen.dynamics.function import (
    Availability,
    Dependence,
    DynamicsFunction,
    ExpectedResults,
    Results,
)
from dynagen.dynamics.recording import Quantity
from dynagen.ir.program import Argument
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.numbers.exact import ONE
from dynagen.robot.model.base_parameters import (
    BaseParameter,
    explain_unavailable_base,
    list_base_parameters,
    list_standard_parameters,
)
from dynagen.robot.model.model import BASE, RobotModel
from dynagen.robot.model.moving_frames import compute_described_frame
from dynagen.robot.model.regrouping import (
    MOTOR_INERTIA,
    PARAMETERS,
    Combination,
    find_unobservable_changes,
    transform,
)


def _record_standard(recording: Recording) -> Results:
    # Columns are in the axes of the bodies; users expect parameters in the frames of their links.
    columns = record_columns(recording)
    recording.begin_section("Columns of the links, in their own frames")
    parameters = [(each.body, each.in_body) for each in list_standard_parameters(recording.model)]
    return (record_rows(recording, columns, parameters),)


REGRESSOR = DynamicsFunction(
    name="regressor",
    formula="Y = Y(q, qd, qdd), tau = Y pi",
    inputs=make_joint_motion("q", "qd", "qdd"),
    outputs=lambda model: (make_regressor_matrix(model, make_standard_vector(model)),),
    methods={"": _record_standard},
    expected_results=ExpectedResults(
        lambda reference, q, qd, qdd: (reference.regressors.compute_standard(q, qd, qdd),)
    ),
    availability=Availability(with_loops=True),
    depends_on=Dependence.NOTHING,
)


PI = Symbol(
    "pi",
    "i",
    SCALAR,
    "parameter of body i, regrouped with unobservable parameters of bodies that it carries",
    label="parameter",
)
PI_BASE = Symbol(
    "pi_base",
    "i",
    SCALAR,
    "base parameter of body i",
    source="Gautier and Khalil 1990",
    label="parameter",
)


def _record_base_parameters(recording: Recording) -> Results:
    """Record the base parameters from the input of standard parameters.

    Unobservable parameters are moved to the parent bodies, from the tips to the base.
    """
    model = recording.model
    # One table of parameters for each body of the model; fixed links are merged into their bodies.
    tables = [dict.fromkeys(PARAMETERS, recording.add_constant(0)) for _ in model.bodies]
    for number, each in enumerate(list_standard_parameters(model)):
        if each.body != BASE:
            _add(tables[each.body], each.in_body, recording.add_element("pi", number))
    # From the tips to the base: a body has its children's parameters before it passes on its own.
    for index, body in model.iterate_inward():
        recording.begin_section(f"Body {index + 1} ({body.name})")
        table = tables[index]
        for name, total in table.items():
            table[name] = total.name(PI(index + 1, label=name.lower()))
        for change in find_unobservable_changes(model, index):
            # The default gauge measures every change by a single parameter.
            (measure,) = change.amount
            amount = table[measure]
            # The body loses what its parent receives.
            _add(table, {name: -factor for name, factor in change.change.items()}, amount)
            if body.parent != BASE:
                _add(tables[body.parent], change.transfer_to_parent(body.placement), amount)
    results = []
    for base in list_base_parameters(recording.robot):
        total = tables[base.body][base.parameter]
        # Coupled joints observe further combinations.
        for carrier, parameter, factor in base.others:
            total = total + tables[carrier][parameter] * factor
        results.append(total.name(PI_BASE(base.body + 1, label=base.parameter.lower())))
    return (results,)


def _add(table: dict[str, Quantity], parameters: Combination, amount: Quantity) -> None:
    """Add a combination of inertial parameters, times `amount`, to a body's parameters in `table`.

    `parameters` maps the names of parameters to their factors in the combination, and `table` maps
    the names to the recorded values of the body's parameters.
    """
    for name, factor in parameters.items():
        table[name] += amount * factor


def _expect_base_parameters(reference: Any, pi: Any) -> tuple[Any]:
    # The reference finds K from the rank of its own regressor, not from the rules of regrouping.
    return (pi @ reference.regressors.grouping.T,)


def _base_parameter_magnitudes(reference: Any, pi: Any) -> tuple[Any]:
    return (abs(pi) @ abs(reference.regressors.grouping).T,)


BASE_PARAMETERS = DynamicsFunction(
    name="base_parameters",
    formula="pi_base = K pi",
    inputs=lambda model: (make_standard_vector(model),),
    outputs=lambda model: (make_base_vector(model),),
    methods={"": _record_base_parameters},
    expected_results=ExpectedResults(
        _expect_base_parameters,
        magnitudes=_base_parameter_magnitudes,
    ),
    availability=Availability(
        unavailable_because=explain_unavailable_base,
        with_loops=True,
    ),
    as_described=True,
    base_parameters=True,
    depends_on=Dependence.NOTHING,
)


def _record_base(recording: Recording) -> Results:
    model, columns = recording.model, record_columns(recording)
    return (
        record_rows(
            recording,
            columns,
            [(each.body, _unit(model, each)) for each in list_base_parameters(recording.robot)],
        ),
    )


def _unit(model: RobotModel, parameter: BaseParameter) -> Combination:
    """Return a body's parameters, in body axes, if a base parameter is 1 and all others are 0."""
    if parameter.parameter == MOTOR_INERTIA:
        # A motor's inertia belongs to the joint and is the same in all frames.
        return {MOTOR_INERTIA: ONE}
    return transform(compute_described_frame(model, parameter.body), {parameter.parameter: ONE})


def _expect_base(reference: Any, q: Any, qd: Any, qdd: Any) -> tuple[Any]:
    return (reference.regressors.compute_standard(q, qd, qdd) @ reference.regressors.base_units,)


def _base_magnitudes(reference: Any, q: Any, qd: Any, qdd: Any) -> tuple[Any]:
    """Return, for each element of the base regressor, the sum of its terms' absolute values."""
    return (
        reference.magnitudes.regressors.compute_standard(q, qd, qdd)
        @ abs(reference.regressors.base_units),
    )


BASE_REGRESSOR = DynamicsFunction(
    name="base_regressor",
    formula="Y = Y_base(q, qd, qdd), tau = Y pi_base",
    inputs=make_joint_motion("q", "qd", "qdd"),
    outputs=lambda model: (make_regressor_matrix(model, make_base_vector(model)),),
    methods={"": _record_base},
    expected_results=ExpectedResults(
        _expect_base,
        magnitudes=_base_magnitudes,
    ),
    availability=Availability(
        unavailable_because=explain_unavailable_base,
        with_loops=True,
    ),
    base_parameters=True,
    depends_on=Dependence.NOTHING,
)


def add_friction_columns(regressor: DynamicsFunction) -> DynamicsFunction:
    """Return a regressor function with two more columns for each joint with an axis.

    The columns are the derivatives of the joint forces by the friction coefficients. For example,
    the joint `waist` has the columns `waist.viscous` and `waist.coulomb`. They follow all other
    columns, joint by joint.
    """

    def outputs(model: RobotModel) -> tuple[Argument, ...]:
        (matrix,) = regressor.outputs(model)
        return (add_friction_coefficients(model, matrix),)

    def record(recording: Recording) -> Results:
        entries: list[Quantity] = list(*regressor.methods[regressor.method](recording))
        nv, zero = recording.model.nv, recording.add_constant(0)
        # Columns of the regressor without friction.
        width = len(entries) // nv
        recording.begin_section("Friction")
        pairs = record_friction_columns(recording)
        rows = [
            [*entries[row * width : (row + 1) * width], *[zero] * (2 * len(pairs))]
            for row in range(nv)
        ]
        for number, (entry, pair) in enumerate(pairs):
            # Friction of a joint acts on the entry of v that the joint follows, also for a
            # mimicking joint.
            rows[entry][width + 2 * number : width + 2 * number + 2] = pair
        return ([entry for row in rows for entry in row],)

    def expected(reference: Any, q: Any, qd: Any, qdd: Any) -> tuple[Any]:
        (matrix,) = regressor.expected_results.outputs(reference, q, qd, qdd)
        return (np.concatenate([matrix, reference.friction.compute_columns(qd)], axis=-1),)

    def magnitudes(reference: Any, q: Any, qd: Any, qdd: Any) -> tuple[Any]:
        (matrix,) = regressor.expected_results.compute_scales(reference, q, qd, qdd)
        return (np.concatenate([matrix, np.abs(reference.friction.compute_columns(qd))], axis=-1),)

    return replace(
        regressor,
        name=f"{regressor.name}_with_friction",
        formula=regressor.formula.replace("tau =", "tau + tau_f ="),
        outputs=outputs,
        methods={"": record},
        expected_results=replace(
            regressor.expected_results, outputs=expected, magnitudes=magnitudes
        ),
        availability=replace(regressor.availability, on_request=True, with_loops=False),
    )


REGRESSOR_WITH_FRICTION = add_friction_columns(REGRESSOR)
BASE_REGRESSOR_WITH_FRICTION = add_friction_columns(BASE_REGRESSOR)
