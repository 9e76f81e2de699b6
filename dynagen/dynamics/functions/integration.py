"""One step of an integrator: classical Runge-Kutta, and semi-implicit Euler with its derivatives.

One step of the semi-implicit Euler method, and its derivatives: simulation in a controller's own time, predictive control.

The new rates move the joints: qd' = qd + dt M^-1 (tau - C qd - g), q' = q + dt qd'. The method is symplectic where forces
follow from positions, so that energy does not drift (E. Hairer, C. Lubich, G. Wanner, "Geometric Numerical Integration", 2006,
section I.1.2); its local error is of order dt^2.

Derivatives of one step of the semi-implicit Euler method by the state that it starts from and by joint forces.

With X = dqdd/dx of forward dynamics they are dqd'/dx = dqd/dx + dt X and dq'/dx = dq/dx + dt dqd'/dx: the matrices A and B of
the linear system x' = A x + B tau that predictive control and state estimation take.

One step of the classical Runge-Kutta method of fourth order: simulation in a controller's own time.

M. W. Kutta, "Beitrag zur naeherungsweisen Integration totaler Differentialgleichungen", Zeitschrift fuer Mathematik und Physik
46, 1901. Forward dynamics is called four times; torques stay through the step. The local error is of order dt^5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.integration import (
    STEP_LENGTH,
    advance,
    record_next_positions,
    record_next_velocities,
    step_argument,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import Arguments, joint_motion
from dynagen.dynamics.function import (
    Availability,
    ComposedFunction,
    DynamicsFunction,
    Oracle,
    Results,
)
from dynagen.dynamics.functions.derivatives import FORWARD_DYNAMICS_DERIVATIVES, derivatives
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS, is_defined, is_solvable
from dynagen.dynamics.recording import Quantity
from dynagen.ir.composition import Composition, Factor, Stage, Sum
from dynagen.ir.program import Argument
from dynagen.numbers.exact import Exact
from dynagen.robot.model.model import RobotModel


def step_inputs(model: RobotModel) -> tuple[Argument, ...]:
    """What forward dynamics takes, and the length of the step."""
    return (*FORWARD_DYNAMICS.inputs(model), *step_argument(model))


def next_state(model: RobotModel) -> tuple[Argument, ...]:
    """Positions and rates after the step."""
    q, qd = joint_motion("q", "qd")(model)
    return tuple(
        Argument(f"{each.name}_next", each.shape, each.units, f"{each.meaning} after the step")
        for each in (q, qd)
    )


def _record_euler(method: str, recording: Recording) -> Results:
    (accelerations,) = FORWARD_DYNAMICS.methods[method](recording)
    velocities = record_next_velocities(recording, accelerations)
    return record_next_positions(recording, velocities), velocities


def _expected_euler(reference: Any, *inputs: Any) -> tuple[Any, Any]:
    *state, dt = inputs
    q, qd = state[:2]
    (qdd,) = FORWARD_DYNAMICS.oracle.expected(reference, *state)
    rates = qd + dt[:, None] * qdd
    return reference.integrated(q, dt[:, None] * rates), rates


def _euler_magnitudes(reference: Any, *inputs: Any) -> tuple[Any, Any]:
    """Sums of the magnitudes of the terms; that of accelerations is forward dynamics' scale of rounding."""
    *state, dt = inputs
    q, qd = state[:2]
    (qdd,) = FORWARD_DYNAMICS.oracle.scales(reference, *state)
    rates = np.abs(qd) + dt[:, None] * qdd
    return reference.integrated_magnitudes(q, dt[:, None] * rates), rates


def on_state(question: Any, reference: Any, *inputs: Any) -> Any:
    """The answer to a question that forward dynamics is asked, about the state that a step starts from."""
    return question(reference, *inputs[:-1])


STEP_EULER = DynamicsFunction(
    name="step_euler",
    formula="qd_next = qd + dt M(q)^-1 (tau - C(q, qd) qd - g(q)); q_next = q + dt qd_next, the pose of a floating base "
    "times exp(dt twist)",
    inputs=step_inputs,
    outputs=next_state,
    methods={name: partial(_record_euler, name) for name in FORWARD_DYNAMICS.methods},
    oracle=Oracle(
        _expected_euler,
        magnitudes=_euler_magnitudes,
        defined=partial(on_state, FORWARD_DYNAMICS.oracle.defined),
        solvable=partial(on_state, FORWARD_DYNAMICS.oracle.solvable),
    ),
    availability=Availability(
        unavailable_because=FORWARD_DYNAMICS.availability.unavailable_because,
        on_request=True,
        methods_for_free_joints=FORWARD_DYNAMICS.availability.methods_for_free_joints,
    ),
)


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


def _record_euler_derivatives(recording: Recording) -> Results:
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


def _derivatives_unavailable_because(model: RobotModel) -> str:
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
    methods={"": _record_euler_derivatives},
    oracle=Oracle(
        partial(_scaled, FORWARD_DYNAMICS_DERIVATIVES.oracle.expected),
        magnitudes=partial(_scaled, FORWARD_DYNAMICS_DERIVATIVES.oracle.scales),
        defined=partial(on_state, FORWARD_DYNAMICS_DERIVATIVES.oracle.defined),
        solvable=partial(on_state, FORWARD_DYNAMICS_DERIVATIVES.oracle.solvable),
    ),
    availability=Availability(_derivatives_unavailable_because, on_request=True),
)


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


def _expected_runge_kutta(reference: Any, *inputs: Any) -> tuple[Any, Any]:
    (q, qd, *_), dt = inputs, inputs[-1][:, None]
    found = list(zip(_WEIGHTS, _stages(reference, *inputs), strict=True))
    rates = sum(weight * state[1] for weight, (state, _) in found)
    changes = sum(weight * change for weight, (_, change) in found)
    return q + dt * rates, qd + dt * changes


def _runge_kutta_magnitudes(reference: Any, *inputs: Any) -> tuple[Any, Any]:
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


def _is_runge_kutta_defined(reference: Any, *inputs: Any) -> Any:
    """States from which forward dynamics is defined at all stages."""
    defined = is_defined(reference, *inputs[:-1])
    from_there = np.flatnonzero(defined)
    for state, _ in _stages(reference, *(each[from_there] for each in inputs)):
        defined[from_there] &= is_defined(reference, *state)
    return defined


def _is_runge_kutta_solvable(reference: Any, *inputs: Any) -> Any:
    """States from which the mass matrix is positive definite at all stages."""
    return np.logical_and.reduce(
        [is_solvable(reference, *state) for state, _ in _stages(reference, *inputs)]
    )


def _runge_kutta_unavailable_because(model: RobotModel) -> str:
    if model.floats:
        return "its stages add rates to positions, and the orientation of a floating base is no vector; take step_euler"
    return FORWARD_DYNAMICS.availability.unavailable_because(model)


STEP = ComposedFunction(
    name="step",
    formula="(q_next, qd_next) = one step of RK4 from (q, qd), with qdd = M(q)^-1 (tau - C(q, qd) qd - g(q))",
    inputs=step_inputs,
    outputs=next_state,
    methods=FORWARD_DYNAMICS.methods,
    oracle=Oracle(
        _expected_runge_kutta,
        magnitudes=_runge_kutta_magnitudes,
        defined=_is_runge_kutta_defined,
        solvable=_is_runge_kutta_solvable,
    ),
    availability=Availability(
        _runge_kutta_unavailable_because,
        on_request=True,
        methods_for_free_joints=FORWARD_DYNAMICS.availability.methods_for_free_joints,
    ),
    callee=FORWARD_DYNAMICS,
    composition=_RUNGE_KUTTA,
)
