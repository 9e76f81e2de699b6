"""Base parameters: the numbers that joint forces depend on, from the standard inertial parameters of all links."""

from __future__ import annotations

from typing import Any

from dynagen.dynamics.algorithms.algebra import product, sum_of
from dynagen.dynamics.algorithms.frames import Frames
from dynagen.dynamics.function import Availability, Dependence, DynamicsFunction, Oracle, Results
from dynagen.dynamics.inertial_arguments import base_vector, standard_vector
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.robot.model.base_parameters import (
    base_parameters,
    base_unavailable_because,
    standard_parameters,
)
from dynagen.robot.model.model import BASE, RobotModel
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


def _record(recorder: Recorder, model: RobotModel, frames: Frames) -> Results:
    """Move what joints cannot observe to the bodies before, from the tips to the base, as `regrouping.move_inward` does."""
    tables = [dict.fromkeys(PARAMETERS, recorder.constant(0)) for _ in model.bodies]
    for number, each in enumerate(standard_parameters(model)):
        if each.body != BASE:
            _add(recorder, tables[each.body], each.in_body, recorder.element("pi", number))
    for index, body in model.inward():
        recorder.section(f"Body {index + 1} ({body.name})")
        table = tables[index]
        for name, total in table.items():
            table[name] = recorder.name(PI(index + 1, label=name.lower()), total)
        for change in unobservable_changes(model, index):
            (measure,) = change.amount
            amount = table[measure]
            _add(recorder, table, {name: -factor for name, factor in change.change.items()}, amount)
            if body.parent != BASE:
                _add(recorder, tables[body.parent], change.in_parent(body.placement), amount)
    base = [
        (PI_BASE(each.body + 1, label=each.parameter.lower()), tables[each.body][each.parameter])
        for each in base_parameters(model)
    ]
    return ([recorder.name(name, value) for name, value in base],)


def _add(
    recorder: Recorder, table: dict[str, Quantity], parameters: Combination, amount: Quantity
) -> None:
    for name, factor in parameters.items():
        table[name] = recorder.apply(
            sum_of, table[name], recorder.apply(product, recorder.constant(factor), amount)
        )


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
