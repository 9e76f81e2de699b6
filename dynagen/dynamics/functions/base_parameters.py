"""Base parameters: the numbers that joint forces depend on, from the standard inertial parameters of all links."""

from __future__ import annotations

from typing import Any

from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.function import Availability, Dependence, DynamicsFunction, Oracle, Results
from dynagen.dynamics.inertial_arguments import base_vector, standard_vector
from dynagen.dynamics.recording.formula import Quantity
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.robot.model.base_parameters import (
    base_parameters,
    base_unavailable_because,
    standard_parameters,
)
from dynagen.robot.model.model import BASE
from dynagen.robot.model.regrouping import PARAMETERS, Combination, unobservable_changes

PI = Symbol(
    "pi",
    "i",
    SCALAR,
    "parameter of body i, with what the bodies that it carries hand over to it",
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


def _record(recording: Recording) -> Results:
    """Move what joints cannot observe to the bodies before, from the tips to the base, as `regrouping.move_inward` does."""
    model = recording.model
    tables = [dict.fromkeys(PARAMETERS, recording.constant(0)) for _ in model.bodies]
    for number, each in enumerate(standard_parameters(model)):
        if each.body != BASE:
            _add(tables[each.body], each.in_body, recording.element("pi", number))
    for index, body in model.inward():
        recording.section(f"Body {index + 1} ({body.name})")
        table = tables[index]
        for name, total in table.items():
            table[name] = total.name(PI(index + 1, label=name.lower()))
        for change in unobservable_changes(model, index):
            (measure,) = change.amount
            amount = table[measure]
            _add(table, {name: -factor for name, factor in change.change.items()}, amount)
            if body.parent != BASE:
                _add(tables[body.parent], change.in_parent(body.placement), amount)
    return (
        [
            tables[each.body][each.parameter].name(
                PI_BASE(each.body + 1, label=each.parameter.lower())
            )
            for each in base_parameters(model)
        ],
    )


def _add(table: dict[str, Quantity], parameters: Combination, amount: Quantity) -> None:
    for name, factor in parameters.items():
        table[name] += amount * factor


def _expected(reference: Any, pi: Any) -> tuple[Any]:
    return (pi @ reference.regressors.grouping.T,)


def _magnitudes(reference: Any, pi: Any) -> tuple[Any]:
    return (abs(pi) @ abs(reference.regressors.grouping).T,)


BASE_PARAMETERS = DynamicsFunction(
    name="base_parameters",
    formula="pi_base = K pi",
    inputs=lambda model: (standard_vector(model),),
    outputs=lambda model: (base_vector(model),),
    methods={"": _record},
    oracle=Oracle(
        _expected,
        magnitudes=_magnitudes,
    ),
    availability=Availability(unavailable_because=base_unavailable_because),
    as_described=True,
    base_parameters=True,
    depends_on=Dependence.NOTHING,
)
