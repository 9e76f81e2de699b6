"""One step of the classical Runge-Kutta method of fourth order: simulation in a controller's own time.

M. W. Kutta, "Beitrag zur naeherungsweisen Integration totaler Differentialgleichungen", Zeitschrift fuer Mathematik und Physik
46, 1901. Forward dynamics is called four times; torques stay through the step. The local error is of order dt^5.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dynagen.dynamics.composing import ComposedFunction
from dynagen.dynamics.function import Availability, Oracle
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS, is_defined, is_solvable
from dynagen.dynamics.functions.step_euler import next_state, step_inputs
from dynagen.ir.composition import Composition, Factor, Stage, Sum
from dynagen.numbers.exact import Exact
from dynagen.robot.model.model import RobotModel

_RUNGE_KUTTA = Composition(
    factors=(Factor("half", Exact("1/2"), "dt"), Factor("sixth", Exact("1/6"), "dt")),
    stages=(
        Stage(
            {},
            "qdd_first",
            (Sum("q_second", "q", "half", ("qd",)), Sum("qd_second", "qd", "half", ("qdd_first",))),
        ),
        Stage(
            {"q": "q_second", "qd": "qd_second"},
            "qdd_second",
            (
                Sum("q_third", "q", "half", ("qd_second",)),
                Sum("qd_third", "qd", "half", ("qdd_second",)),
            ),
        ),
        Stage(
            {"q": "q_third", "qd": "qd_third"},
            "qdd_third",
            (
                Sum("q_fourth", "q", "dt", ("qd_third",)),
                Sum("qd_fourth", "qd", "dt", ("qdd_third",)),
            ),
        ),
        Stage(
            {"q": "q_fourth", "qd": "qd_fourth"},
            "qdd_fourth",
            (
                Sum("q_next", "q", "sixth", ("qd", "qd_fourth"), ("qd_second", "qd_third")),
                Sum(
                    "qd_next",
                    "qd",
                    "sixth",
                    ("qdd_first", "qdd_fourth"),
                    ("qdd_second", "qdd_third"),
                ),
            ),
        ),
    ),
)
_NODES = (0.0, 0.5, 0.5, 1.0)
_WEIGHTS = (1 / 6, 1 / 3, 1 / 3, 1 / 6)


def _stages(
    reference: Any, q: Any, qd: Any, tau: Any, *others: Any
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The states of the four stages, as forward dynamics takes them, with their accelerations."""
    *wrench, dt = others
    rate, change = qd, np.zeros_like(qd)
    for node in _NODES:
        h = node * dt[:, None]
        state = q + h * rate, qd + h * change, tau, *wrench
        (change,) = FORWARD_DYNAMICS.oracle.expected(reference, *state)
        rate = state[1]
        yield state, change


def _expected(reference: Any, *inputs: Any) -> tuple[Any, Any]:
    (q, qd, *_), dt = inputs, inputs[-1][:, None]
    found = list(zip(_WEIGHTS, _stages(reference, *inputs), strict=True))
    rates = sum(weight * state[1] for weight, (state, _) in found)
    changes = sum(weight * change for weight, (_, change) in found)
    return q + dt * rates, qd + dt * changes


def _magnitudes(reference: Any, *inputs: Any) -> tuple[Any, Any]:
    """Sums of the magnitudes of the terms; those of accelerations are forward dynamics' scale of rounding at their stage."""
    (q, qd, *_), dt = inputs, inputs[-1][:, None]
    of_stages = (
        FORWARD_DYNAMICS.oracle.scales(reference, *state)
        for state, _ in _stages(reference, *inputs)
    )
    rates = np.abs(qd) + dt * sum(
        weight * change for weight, (change,) in zip(_WEIGHTS, of_stages, strict=True)
    )
    return np.abs(q) + dt * rates, rates


def _defined(reference: Any, *inputs: Any) -> Any:
    """States from which forward dynamics is defined at all stages."""
    defined = is_defined(reference, *inputs[:-1])
    from_there = np.flatnonzero(defined)
    for state, _ in _stages(reference, *(each[from_there] for each in inputs)):
        defined[from_there] &= is_defined(reference, *state)
    return defined


def _solvable(reference: Any, *inputs: Any) -> Any:
    """States from which the mass matrix is positive definite at all stages."""
    return np.logical_and.reduce(
        [is_solvable(reference, *state) for state, _ in _stages(reference, *inputs)]
    )


def _unavailable_because(model: RobotModel) -> str:
    if model.floats:
        return "its stages add rates to positions, and the orientation of a floating base is no vector; take step_euler"
    return FORWARD_DYNAMICS.availability.unavailable_because(model)


STEP = ComposedFunction(
    name="step",
    formula="(q_next, qd_next) = one step of RK4 from (q, qd), with qdd = M(q)^-1 (tau - C(q, qd) qd - g(q))",
    inputs=step_inputs,
    outputs=next_state,
    methods=FORWARD_DYNAMICS.methods,
    oracle=Oracle(_expected, magnitudes=_magnitudes, defined=_defined, solvable=_solvable),
    availability=Availability(
        _unavailable_because,
        on_request=True,
        methods_for_free_joints=FORWARD_DYNAMICS.availability.methods_for_free_joints,
    ),
    callee=FORWARD_DYNAMICS,
    composition=_RUNGE_KUTTA,
)
