"""Dynamics with frames held fixed: accelerations, the forces that hold the frames, and impacts.

A request names the held frames, for example `constrained_forward_dynamics@left_foot,right_foot`.
Three constraints hold the origin of a frame. With the suffix `:frame`, as in `hand:frame`, six
constraints hold origin and rotation. The constraint matrix J maps the joint velocities to the
velocities that are held at zero, in base axes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.constraints import ConstrainedMotion, record_constrained_motion
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import Arguments, make_joint_motion
from dynagen.dynamics.function import Availability, DynamicsFunction, ExpectedResults, Results
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS, is_defined, is_solvable
from dynagen.dynamics.functions.held_frames import HeldFrames
from dynagen.dynamics.functions.inverse_dynamics import record_bias_forces
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.numbers.exact import ZERO
from dynagen.robot.description import TOOL
from dynagen.robot.model.model import RobotModel

_WORST_CONDITION = 1e6  # of J M^-1 J^T; near singular poses its inverse is mostly rounding


def _record_motion(held: HeldFrames, recording: Recording) -> ConstrainedMotion:
    """Record joint accelerations, and the forces that hold the frames."""
    with recording.recorder.memoise():
        bias = record_bias_forces(recording)
        net = [
            force - known for force, known in zip(recording.add_elements("tau"), bias, strict=True)
        ]
        return record_constrained_motion(
            recording, held.record_rows(recording), held.record_biases(recording), net
        )


def _record_accelerations(held: HeldFrames, recording: Recording) -> Results:
    motion = _record_motion(held, recording)
    return motion.accelerations, motion.forces


def _record_forces(held: HeldFrames, recording: Recording) -> Results:
    return (_record_motion(held, recording).forces,)


def _record_impact(held: HeldFrames, recording: Recording) -> Results:
    """Record the joint velocities after an impact, and the impulses that stop the held frames."""
    with recording.recorder.memoise():
        # An impact has no finite forces: M change = J^T impulse, J (qd + change) = 0.
        still = [recording.add_constant(ZERO)] * recording.model.nv
        motion = record_constrained_motion(
            recording, held.record_rows(recording), held.record_velocities(recording), still
        )
        velocities = zip(recording.velocities, motion.accelerations, strict=True)
        return [before + change for before, change in velocities], motion.forces


def _solve(mass: Any, jacobian: Any, net: Any, bias: Any) -> tuple[Any, Any]:
    """Return the solution of the KKT system [M, -J^T; J, 0] [a; f] = [net; -b] for each state.

    `mass` is M, shape (states, n, n) for n joint velocities, and `jacobian` is J, shape (states,
    constraints, n). `net` contains joint forces minus bias forces, and `bias` is b in J a + b = 0.
    The results are the accelerations a, shape (states, n), and one constraint force f for each row
    of J.
    """
    rows, n = jacobian.shape[-2:]
    zero = np.zeros((*jacobian.shape[:-2], rows, rows))
    # The reference solves for accelerations and forces at once, without the Schur complement.
    kkt = np.block([[mass, -_turn(jacobian)], [jacobian, zero]])
    solution = np.linalg.solve(kkt, np.concatenate([net, -bias], axis=-1)[..., None])[..., 0]
    return solution[..., :n], solution[..., n:]


def _compute_scales(
    system: tuple[Any, Any, Any, Any], terms: tuple[Any, Any, Any, Any]
) -> tuple[Any, Any]:
    """Return magnitudes to which rounding errors of accelerations a and forces f are proportional.

    a and the constraint forces f solve M a = net + J^T f and J a + b = 0, where M is the mass
    matrix, and net the joint forces minus the bias forces. `system` contains M, J, net and b.
    `terms` contains, for each of their elements, the sum of the absolute values of its terms. Near
    singular positions, the errors grow with the condition number of J M^-1 J^T.
    """
    mass, jacobian, net, _ = system
    mass_terms, jacobian_terms, net_terms, bias_terms = terms
    force = np.abs(_solve(*system)[1])
    inverse = np.linalg.inv(mass)
    # With W = M^-1 J^T, A = J W and c = M^-1 net: f = -A^-1 (J c + b) and a = W f + c. Rounding
    # errors of W and c reach the forces through A^-1.
    columns = inverse @ _turn(jacobian)
    flexibility = jacobian @ columns
    solved = np.linalg.inv(flexibility)
    moved = _apply(np.abs(columns), force) + np.abs(_apply(inverse, net))
    acting = _apply(mass_terms, moved) + _apply(_turn(jacobian_terms), force) + net_terms
    # The magnitudes of the terms of A add up to at most sqrt(A_ii A_jj): it is X^T D^-1 X.
    roots = np.sqrt(np.diagonal(flexibility, axis1=-2, axis2=-1))
    summed = roots * np.sum(roots * force, axis=-1, keepdims=True)
    residual = (
        _apply(np.abs(_turn(columns)), acting) + _apply(jacobian_terms, moved) + summed + bias_terms
    )
    return (
        _apply(np.abs(inverse), acting) + _apply(np.abs(columns @ solved), residual),
        _apply(np.abs(solved), residual),
    )


def _turn(matrix: Any) -> Any:
    """Return the transposes of matrices, whose rows and columns are the last two axes."""
    return np.swapaxes(matrix, -1, -2)


def _apply(matrix: Any, vector: Any) -> Any:
    """Return the products of matrices and vectors."""
    return (matrix @ vector[..., None])[..., 0]


def _make_system(
    held: HeldFrames, reference: Any, q: Any, qd: Any, tau: Any, *inputs: Any
) -> tuple[Any, Any, Any, Any]:
    """Return the mass matrix M, the constraint matrix J, net = tau - h, and b of J qdd + b = 0.

    tau are the joint forces and h the bias forces. `inputs` are the inputs of the function that
    follow q, qd and tau.
    """
    wrench, anchors = held.split_inputs(reference, *inputs)
    return (
        MASS_MATRIX.expected_results.outputs(reference, q)[0],
        held.compute_jacobian(reference, q),
        tau - reference.compute_inverse_dynamics(q, qd, 0 * qd, *wrench),
        held.compute_biases(reference, q, qd, *anchors),
    )


def _make_terms(
    held: HeldFrames, reference: Any, q: Any, qd: Any, tau: Any, *inputs: Any
) -> tuple[Any, Any, Any, Any]:
    """Return, for each element of M, J, net and b, the sum of the absolute values of its terms.

    M is the mass matrix, J the constraint matrix, and net the joint forces minus the bias forces. b
    is the constant term of the constraints J qdd + b = 0.
    """
    wrench, anchors = held.split_inputs(reference, *inputs)
    return (
        MASS_MATRIX.expected_results.compute_scales(reference, q)[0],
        held.compute_jacobian_magnitudes(reference, q),
        np.abs(tau) + reference.magnitudes.compute_inverse_dynamics(q, qd, 0 * qd, *wrench),
        held.compute_bias_magnitudes(reference, q, qd, *anchors),
    )


def _expect(held: HeldFrames, reference: Any, *state: Any) -> tuple[Any, Any]:
    return _solve(*_make_system(held, reference, *state))


def _magnitudes(held: HeldFrames, reference: Any, *state: Any) -> tuple[Any, Any]:
    return _compute_scales(
        _make_system(held, reference, *state), _make_terms(held, reference, *state)
    )


def _make_impact(held: HeldFrames, reference: Any, q: Any, qd: Any) -> tuple[Any, Any, Any, Any]:
    """Return the equations of an impact: M, J, net = 0 and b = J qd.

    M is the mass matrix, and J the constraint matrix. The change dqd of the joint velocities and
    the impulses f on the held frames solve M dqd = net + J^T f and J dqd + b = 0.
    """
    jacobian = held.compute_jacobian(reference, q)
    (mass,) = MASS_MATRIX.expected_results.outputs(reference, q)
    return mass, jacobian, 0 * qd, _apply(jacobian, qd)


def _expect_impact(held: HeldFrames, reference: Any, q: Any, qd: Any) -> tuple[Any, Any]:
    change, impulse = _solve(*_make_impact(held, reference, q, qd))
    return qd + change, impulse


def _impact_magnitudes(held: HeldFrames, reference: Any, q: Any, qd: Any) -> tuple[Any, Any]:
    (mass,) = MASS_MATRIX.expected_results.compute_scales(reference, q)
    jacobian = held.compute_jacobian_magnitudes(reference, q)
    terms = mass, jacobian, 0 * qd, _apply(jacobian, np.abs(qd))
    change, impulse = _compute_scales(_make_impact(held, reference, q, qd), terms)
    return np.abs(qd) + change, impulse


def _is_defined(held: HeldFrames, reference: Any, q: Any, *state: Any) -> Any:
    """Return for each state whether M and J M^-1 J^T are well conditioned.

    M is the mass matrix and J the constraint matrix. The inverse of a nearly singular matrix
    consists mostly of rounding errors.
    """
    defined = is_defined(reference, q)
    (mass,) = MASS_MATRIX.expected_results.outputs(reference, q)
    mass = np.where(defined[:, None, None], mass, reference.units)
    jacobian = held.compute_jacobian(reference, q)
    flexibility = jacobian @ np.linalg.solve(mass, _turn(jacobian))
    return defined & (np.linalg.cond(flexibility) <= _WORST_CONDITION)


def _make_function(
    held: HeldFrames,
    make: Callable[[str], DynamicsFunction],
    name: str,
    formula: str,
    inputs: Arguments,
    outputs: Arguments,
    record: Callable[[HeldFrames, Recording], Results],
    expect: Callable[..., tuple[Any, ...]],
    magnitudes: Callable[..., tuple[Any, ...]],
) -> DynamicsFunction:
    """Return a function of a robot with held frames.

    The held frames are the first argument of `record`, `expect` and `magnitudes`. `make` returns
    the same kind of function for other held frames.
    """
    return DynamicsFunction(
        name=name,
        formula=f"{formula}, where J qd is the velocity of the frames {held.request}",
        inputs=inputs,
        outputs=outputs,
        methods={"": partial(record, held)},
        expected_results=ExpectedResults(
            partial(expect, held),
            magnitudes=partial(magnitudes, held),
            defined=partial(_is_defined, held),
            solvable=is_solvable,
            subjects=("dynamics", "kinematics"),
        ),
        availability=Availability(held.explain_absence, on_request=True, for_frame=make),
    )


_LAW = (
    "M(q) qdd + C(q, qd) qd + g(q) = tau + J^T f with "
    "J qdd + dJ/dt qd + damping J qd + stiffness (position - anchor) = 0"
)


def _list_state(held: HeldFrames, model: RobotModel) -> Any:
    return (*FORWARD_DYNAMICS.inputs(model), *held.make_anchor_arguments())


def _make_force(held: HeldFrames) -> Any:
    return held.make_result("constraint_force", "N", "N m", "forces", "hold")


def make_constrained_forward_dynamics(frames: str) -> DynamicsFunction:
    """Return the function for joint accelerations and constraint forces while frames are held.

    The forces act on the robot at the held frames, in base axes: three components (N) for each
    frame, followed by three moments (N m) if its rotation is held. The status code is 1 if the
    constraints are dependent in the given position.

    `frames` are names separated by commas, for example `left_foot,hand:frame`. A name holds the
    frame's origin; with `:frame` its rotation is held too.
    """
    held = HeldFrames(frames)
    return _make_function(
        held,
        make_constrained_forward_dynamics,
        "constrained_forward_dynamics",
        f"qdd, f from {_LAW}",
        partial(_list_state, held),
        lambda model: (*make_joint_motion("qdd")(model), _make_force(held)),
        _record_accelerations,
        _expect,
        _magnitudes,
    )


def make_contact_forces(frames: str) -> DynamicsFunction:
    """Return the function for the forces that hold frames, without the joint accelerations.

    The forces act on the robot at the held frames, in base axes: three components (N) for each
    frame, followed by three moments (N m) if its rotation is held. The status code is 1 if the
    constraints are dependent in the given position.

    `frames` are names separated by commas, for example `left_foot,hand:frame`. A name holds the
    frame's origin; with `:frame` its rotation is held too.
    """
    held = HeldFrames(frames)
    return _make_function(
        held,
        make_contact_forces,
        "contact_forces",
        f"f from {_LAW}",
        partial(_list_state, held),
        lambda model: (_make_force(held),),
        _record_forces,
        lambda *state: _expect(*state)[1:],
        lambda *state: _magnitudes(*state)[1:],
    )


def make_impact(frames: str) -> DynamicsFunction:
    """Return the function for an impact in which frames come to rest at once.

    The outputs are the joint velocities after the impact, and the impulses on the robot at the
    frames, in base axes: three components (N s) for each frame, followed by three moments (N m s)
    if its rotation is stopped. The status code is 1 if the constraints are dependent in the given
    position.

    `frames` are names separated by commas, for example `left_foot,hand:frame`. A name stops the
    frame's origin; with `:frame` its rotation is stopped too.
    """
    held = HeldFrames(frames)
    impulse = held.make_result("impulse", "N s", "N m s", "impulses", "stop")
    return _make_function(
        held,
        make_impact,
        "impact",
        "M(q) (qd_after - qd) = J^T impulse with J qd_after = 0",
        make_joint_motion("q", "qd"),
        lambda model: (*make_joint_motion("qd_after")(model), impulse),
        _record_impact,
        _expect_impact,
        _impact_magnitudes,
    )


CONSTRAINED_FORWARD_DYNAMICS = make_constrained_forward_dynamics(TOOL)
CONTACT_FORCES = make_contact_forces(TOOL)
IMPACT = make_impact(TOOL)
