"""One step of an integrator: semi-implicit Euler with its derivatives, and Runge-Kutta.

The new velocities of a semi-implicit Euler step of the length dt are qd' = qd + dt qdd, with the
joint accelerations qdd of forward dynamics. The new positions are q' = q + dt qd'. If the forces
depend only on the positions, the method is symplectic and the energy does not drift (Hairer, Lubich
and Wanner, "Geometric Numerical Integration", 2006, section I.1.2). The local error is of order
dt^2.

In predictive control and state estimation, the derivatives of the step are the matrices A and B of
the linear system dx' = A dx + B dtau, with the state x = (q, qd) and the joint forces tau.

The classical Runge-Kutta method of fourth order (RK4) is from Kutta, "Beitrag zur naeherungsweisen
Integration totaler Differentialgleichungen", Zeitschrift fuer Mathematik und Physik 46, 1901. An
RK4 step calls forward dynamics four times, with constant joint forces. The local error of an RK4
step is of order dt^5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.external_wrenches import make_contact_force_argument
from dynagen.dynamics.algorithms.integration import (
    STEP_LENGTH,
    advance,
    make_step_argument,
    record_difference,
    record_next_positions,
    record_next_velocities,
)
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import Arguments, find_rotating_entries, make_joint_motion
from dynagen.dynamics.function import (
    Availability,
    ComposedFunction,
    Dependence,
    DynamicsFunction,
    ExpectedResults,
    Results,
    ignore_last_inputs,
)
from dynagen.dynamics.functions.derivatives import (
    FORWARD_DYNAMICS_DERIVATIVES,
    make_derivative_matrices,
)
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS, is_defined, is_solvable
from dynagen.dynamics.recording import Quantity
from dynagen.ir.composition import Composition, Factor, Stage, Sum
from dynagen.ir.program import Argument
from dynagen.numbers.exact import Exact
from dynagen.robot.model.model import RobotModel


def list_step_inputs(model: RobotModel) -> tuple[Argument, ...]:
    """Return the input arguments of a time step: those of forward dynamics, then dt (s)."""
    return (*FORWARD_DYNAMICS.inputs(model), *make_step_argument(model))


def make_next_state(model: RobotModel) -> tuple[Argument, ...]:
    """Return the arguments `q_next` and `qd_next`, joint positions and velocities after a step."""
    q, qd = make_joint_motion("q", "qd")(model)
    return tuple(
        Argument(f"{each.name}_next", each.shape, each.units, f"{each.meaning} after the step")
        for each in (q, qd)
    )


def _record_euler(method: str, recording: Recording) -> Results:
    (accelerations,) = FORWARD_DYNAMICS.methods[method](recording)
    # Semi-implicit: positions move by the new velocities, which keeps the energy of oscillations
    # bounded.
    velocities = record_next_velocities(recording, accelerations)
    step = recording.add_element(STEP_LENGTH)
    return record_next_positions(recording, velocities, step), velocities


def _expect_euler(reference: Any, *inputs: Any) -> tuple[Any, Any]:
    *state, dt = inputs
    q, qd = state[:2]
    (qdd,) = FORWARD_DYNAMICS.expected_results.outputs(reference, *state)
    velocities = qd + dt[:, None] * qdd
    # dt has one value for each state; the new axis broadcasts over the joints.
    return reference.integrate(q, dt[:, None] * velocities), velocities


def _euler_magnitudes(reference: Any, *inputs: Any) -> tuple[Any, Any]:
    """Return magnitudes to which rounding errors after an Euler step are proportional.

    There is one for each position and velocity after the step. `inputs` are q, qd, tau, external
    wrenches and contact forces, if the robot has them, and dt.
    """
    *state, dt = inputs
    q, qd = state[:2]
    (qdd,) = FORWARD_DYNAMICS.expected_results.compute_scales(reference, *state)
    velocities = np.abs(qd) + dt[:, None] * qdd
    return reference.compute_integrated_magnitudes(q, dt[:, None] * velocities), velocities


# Cosine of half the angle: 1e-6 rad from half a turn.
_CLOSE_TO_HALF_TURN = 1e-6

MOTION = "motion"
"""Name of the input for a motion: joint velocities times a duration, in rad or m."""
_AFTER = "q_next"


def _make_motion(model: RobotModel) -> tuple[Argument, ...]:
    units = tuple("rad" if rotates else "m" for rotates in find_rotating_entries(model))
    base = "translation and rotation vector of the base in its own axes, then "
    meaning = f"{base if model.floats else ''}motions of the joints"
    return (Argument(MOTION, (model.nv,), units, meaning),)


def _integrate_inputs(model: RobotModel) -> tuple[Argument, ...]:
    return (*make_joint_motion("q")(model), *_make_motion(model))


def _difference_inputs(model: RobotModel) -> tuple[Argument, ...]:
    (q,) = make_joint_motion("q")(model)
    return (q, replace(q, name=_AFTER, meaning=f"{q.meaning} after the motion"))


def _record_integrate(recording: Recording) -> Results:
    motion = recording.add_elements(MOTION)
    return (record_next_positions(recording, motion, recording.add_constant(1)),)


INTEGRATE = DynamicsFunction(
    name="integrate",
    formula="q_next = q + motion, the pose of a floating base times exp(motion)",
    inputs=_integrate_inputs,
    outputs=lambda model: (make_next_state(model)[0],),
    methods={"": _record_integrate},
    expected_results=ExpectedResults(
        lambda reference, q, motion: (reference.integrate(q, motion),),
        magnitudes=lambda reference, q, motion: (
            reference.compute_integrated_magnitudes(q, np.abs(motion)),
        ),
    ),
    availability=Availability(on_request=True),
    depends_on=Dependence.NOTHING,
)


def _is_shortest(reference: Any, q: Any, after: Any) -> Any:
    """Return for each state whether all quaternions rotate by clearly less than 180 degrees.

    At 180 degrees the shortest rotation from q to `after` is not unique.
    """
    defined = np.ones(len(q), dtype=bool)
    for place in reference.coordinates.orientations:
        entries = slice(place, place + 4)
        cosines = np.abs(np.einsum("ki,ki->k", q[:, entries], after[:, entries]))
        defined &= cosines > _CLOSE_TO_HALF_TURN
    return defined


DIFFERENCE = DynamicsFunction(
    name="difference",
    formula="motion = q_next - q, log(pose^-1 pose_next) of a floating base and spherical joints: "
    "integrate(q, motion) = q_next",
    inputs=_difference_inputs,
    outputs=_make_motion,
    methods={"": lambda recording: (record_difference(recording, _AFTER),)},
    expected_results=ExpectedResults(
        lambda reference, q, after: (reference.compute_difference(q, after),),
        magnitudes=lambda reference, q, after: (reference.compute_difference_magnitudes(q, after),),
        defined=_is_shortest,
    ),
    availability=Availability(on_request=True),
    depends_on=Dependence.NOTHING,
)


STEP_EULER = DynamicsFunction(
    name="step_euler",
    formula="qd_next = qd + dt M(q)^-1 (tau - C(q, qd) qd - g(q)); q_next = q + dt qd_next, "
    "the pose of a floating base times exp(dt twist)",
    inputs=list_step_inputs,
    outputs=make_next_state,
    methods={name: partial(_record_euler, name) for name in FORWARD_DYNAMICS.methods},
    expected_results=ExpectedResults(
        _expect_euler,
        magnitudes=_euler_magnitudes,
        defined=ignore_last_inputs(1, FORWARD_DYNAMICS.expected_results.defined),
        solvable=ignore_last_inputs(1, FORWARD_DYNAMICS.expected_results.solvable),
    ),
    availability=Availability(
        unavailable_because=FORWARD_DYNAMICS.availability.unavailable_because,
        on_request=True,
        methods_for_free_joints=FORWARD_DYNAMICS.availability.methods_for_free_joints,
    ),
)


def make_step_derivatives(by: Arguments) -> Arguments:
    """Return a function that makes the arguments for the derivatives of q_next and qd_next.

    The function has the robot model as its argument, like the function `by`, which returns the
    variables, such as q, qd and tau. There is one matrix for each variable and result; its columns
    belong to the elements of the variable. The matrices for q_next come first.
    """
    return lambda model: tuple(
        argument
        for place in (0, 1)
        for argument in make_derivative_matrices(_after_step(place), by)(model)
    )


def _after_step(place: int) -> Arguments:
    """Return a function that makes the argument `q_next` (place 0) or `qd_next` (1) of a robot."""
    return lambda model: (make_next_state(model)[place],)


def _variables(model: RobotModel) -> tuple[Argument, ...]:
    return (*list_step_inputs(model)[:3], *make_contact_force_argument(model))


def _record_euler_derivatives(recording: Recording) -> Results:
    return record_step_derivatives(recording, *FORWARD_DYNAMICS_DERIVATIVES.methods[""](recording))


def record_step_derivatives(
    recording: Recording,
    by_position: Iterable[Quantity],
    by_velocity: Iterable[Quantity],
    *by_forces: Iterable[Quantity],
) -> Results:
    """Record the derivatives of a semi-implicit Euler step from the derivatives of accelerations.

    All matrices are row-major, with one row for each joint velocity.

    Args:
        recording: recording of the function for the robot.
        by_position: derivatives of the joint accelerations by small motions of the joints.
        by_velocity: derivatives of the joint accelerations by the joint velocities.
        by_forces: derivatives of the joint accelerations by the joint forces, and by the contact
            forces if there are any.

    Returns:
        Derivatives of q_next by positions, velocities and forces, then the derivatives of qd_next.
    """
    recording.begin_section("Derivatives after the step")
    step, nv = recording.add_element(STEP_LENGTH), recording.model.nv
    # dq/dq and dqd/dqd are the identity.
    unit = [recording.add_constant(int(row == column)) for row in range(nv) for column in range(nv)]

    def times_step(matrix: Iterable[Quantity]) -> list[Quantity]:
        return [step * entry for entry in matrix]

    def from_unit(matrix: Iterable[Quantity]) -> list[Quantity]:
        return [advance(one, step, entry) for one, entry in zip(unit, matrix, strict=True)]

    # dqd'/dx = dqd/dx + dt X, for x = q, qd and tau.
    velocities = (
        times_step(by_position),
        from_unit(by_velocity),
        *(times_step(each) for each in by_forces),
    )
    # dq'/dx = dq/dx + dt dqd'/dx.
    return (
        from_unit(velocities[0]),
        *(times_step(each) for each in velocities[1:]),
        *velocities,
    )


def _derivatives_after_step(function: Any, reference: Any, *inputs: Any) -> tuple[Any, ...]:
    """Return the derivatives of q_next and qd_next from the derivatives of joint accelerations.

    `function` returns the derivatives of the joint accelerations. If it returns magnitudes to which
    their rounding errors are proportional, such magnitudes for q_next and qd_next are returned.
    """
    dt = inputs[-1][:, None, None]
    by_position, by_velocity, *by_forces = (dt * each for each in function(reference, *inputs[:-1]))
    unit = reference.units
    return (
        unit + dt * by_position,
        dt * (unit + by_velocity),
        *(dt * each for each in by_forces),
        by_position,
        unit + by_velocity,
        *by_forces,
    )


def _derivatives_unavailable_because(model: RobotModel) -> str:
    """Return the reason why a robot has no derivatives of a step, or an empty string."""
    if model.floats:
        return (
            "the robot has a floating base; request step_euler_jacobian, which has the derivatives "
            "by "
            "the entries of q"
        )
    return FORWARD_DYNAMICS_DERIVATIVES.availability.unavailable_because(model)


STEP_EULER_DERIVATIVES = DynamicsFunction(
    name="step_euler_derivatives",
    formula="d(q_next, qd_next) of step_euler = A d(q, qd) + B dtau, by blocks",
    inputs=list_step_inputs,
    outputs=make_step_derivatives(_variables),
    methods={"": _record_euler_derivatives},
    expected_results=ExpectedResults(
        partial(_derivatives_after_step, FORWARD_DYNAMICS_DERIVATIVES.expected_results.outputs),
        magnitudes=partial(
            _derivatives_after_step, FORWARD_DYNAMICS_DERIVATIVES.expected_results.compute_scales
        ),
        defined=ignore_last_inputs(1, FORWARD_DYNAMICS_DERIVATIVES.expected_results.defined),
        solvable=ignore_last_inputs(1, FORWARD_DYNAMICS_DERIVATIVES.expected_results.solvable),
    ),
    availability=Availability(
        _derivatives_unavailable_because, on_request=True, with_spherical_joints=False
    ),
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
# Kutta's tableau: nodes of the stages in units of dt, and weights of their derivatives.
_NODES = (0.0, 0.5, 0.5, 1.0)
_WEIGHTS = (1 / 6, 1 / 3, 1 / 3, 1 / 6)


def _stages(
    reference: Any, q: Any, qd: Any, tau: Any, *others: Any
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the inputs and the result of forward dynamics in each stage of a Runge-Kutta step.

    The result contains the joint accelerations. `others` contains external wrenches and contact
    forces, if the robot has them, and the time step dt.
    """
    *wrench, dt = others
    # The first stage has the node 0, so its velocity and acceleration have no effect.
    velocity, acceleration = qd, np.zeros_like(qd)
    for node in _NODES:
        # Kutta's tableau has one entry per row: a stage starts from the derivatives of the previous
        # one.
        h = node * dt[:, None]
        state = q + h * velocity, qd + h * acceleration, tau, *wrench
        (acceleration,) = FORWARD_DYNAMICS.expected_results.outputs(reference, *state)
        velocity = state[1]
        yield state, acceleration


def _expect_runge_kutta(reference: Any, *inputs: Any) -> tuple[Any, Any]:
    (q, qd, *_), dt = inputs, inputs[-1][:, None]
    # The stages are computed once for velocities and accelerations.
    weighted_stages = list(zip(_WEIGHTS, _stages(reference, *inputs), strict=True))
    velocities = sum(weight * state[1] for weight, (state, _) in weighted_stages)
    accelerations = sum(weight * acceleration for weight, (_, acceleration) in weighted_stages)
    return q + dt * velocities, qd + dt * accelerations


def _runge_kutta_magnitudes(reference: Any, *inputs: Any) -> tuple[Any, Any]:
    """Return magnitudes to which rounding errors after a Runge-Kutta step are proportional.

    There is one for each position and velocity after the step.
    """
    (q, qd, *_), dt = inputs, inputs[-1][:, None]
    scales = (
        FORWARD_DYNAMICS.expected_results.compute_scales(reference, *state)
        for state, _ in _stages(reference, *inputs)
    )
    velocities = np.abs(qd) + dt * sum(
        weight * acceleration for weight, (acceleration,) in zip(_WEIGHTS, scales, strict=True)
    )
    return np.abs(q) + dt * velocities, velocities


def _is_runge_kutta_defined(reference: Any, *inputs: Any) -> Any:
    """Return for each initial state whether forward dynamics is well conditioned at all stages."""
    defined = is_defined(reference, *inputs[:-1])
    # Stages are only evaluated where the first is defined; others may overflow.
    indices = np.flatnonzero(defined)
    for state, _ in _stages(reference, *(each[indices] for each in inputs)):
        defined[indices] &= is_defined(reference, *state)
    return defined


def _is_runge_kutta_solvable(reference: Any, *inputs: Any) -> Any:
    """Return for each initial state whether the mass matrix is positive definite at all stages."""
    return np.logical_and.reduce(
        [is_solvable(reference, *state) for state, _ in _stages(reference, *inputs)]
    )


def _runge_kutta_unavailable_because(model: RobotModel) -> str:
    """Return the reason why a robot has no Runge-Kutta step, or an empty string."""
    if model.has_turning_axes:
        return (
            "the Runge-Kutta method adds velocities to positions, which is not possible for "
            "quaternions; use step_euler"
        )
    return FORWARD_DYNAMICS.availability.unavailable_because(model)


STEP = ComposedFunction(
    name="step",
    formula="(q_next, qd_next) = one step of RK4 from (q, qd), "
    "with qdd = M(q)^-1 (tau - C(q, qd) qd - g(q))",
    inputs=list_step_inputs,
    outputs=make_next_state,
    methods=FORWARD_DYNAMICS.methods,
    expected_results=ExpectedResults(
        _expect_runge_kutta,
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
