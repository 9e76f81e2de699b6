"""Products of derivatives with vectors: for reverse and forward modes, and for second derivatives.

With the derivatives J of inverse dynamics by (q, qd, qdd), `inverse_dynamics_jvp` computes J times
changes of the inputs, and `inverse_dynamics_vjp` computes J^T times weights of the joint forces.
They are differentiated automatically (`dynagen.ir.differentiation`), and cost less than J.

Products with derivatives of forward dynamics follow from derivatives of inverse dynamics at the
accelerations qdd that the forces cause (J. Carpentier, N. Mansard, "Analytical Derivatives of Rigid
Body Dynamics Algorithms", RSS 2018). Changes of qdd solve M dqdd = dtau - dID, where dID is the
change of inverse dynamics at constant qdd. In reverse, with y = M^-1 qdd_bar, the forces have the
adjoint y, and positions and velocities have the derivatives of inverse dynamics with the weights
-y.

Changes of q are small motions: of a floating base along and about its own axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.external_wrenches import record_contacts
from dynagen.dynamics.algorithms.frames import (
    ANGULAR,
    LINEAR,
    record_base_quaternion,
    record_base_rotation,
)
from dynagen.dynamics.algorithms.newton_euler import record_newton_euler
from dynagen.dynamics.algorithms.recording import JointMotion, Recording
from dynagen.dynamics.arguments import Arguments, make_joint_forces, make_joint_motion
from dynagen.dynamics.function import Availability, DynamicsFunction, ExpectedResults, Results
from dynagen.dynamics.functions.derivatives import (
    FORWARD_DYNAMICS_DERIVATIVES,
    INVERSE_DYNAMICS_DERIVATIVES,
    divide_unit,
    make_tangent_argument,
)
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.recording import Quantity, formula, join
from dynagen.ir.program import Argument, Element
from dynagen.robot.model.model import RobotModel

_WEIGHTED = "1"
"""Unit of the weighted sum of results whose derivatives reverse mode computes."""


@formula
def changed_position(rotation: Matrix, motion: Matrix) -> Matrix:
    """Return the change of the base's position for a small motion along its own axes: R u."""
    return rotation * motion


@formula
def changed_quaternion(x: Expr, y: Expr, z: Expr, w: Expr, rotation: Matrix) -> Matrix:
    """Return the change of the quaternion x, y, z, w for a small rotation of the base.

    It is 1/2 (w r + v x r) for x, y, z and -1/2 v.r for w, with v = (x, y, z). `rotation` is r, a
    rotation vector in the axes of the base (rad).
    """
    # Half the product of the quaternion with (r, 0), as Pinocchio's `integrate` to first order.
    vector, half = Matrix([x, y, z]), rotation / 2
    return Matrix([*(w * half + vector.cross(half)), -vector.dot(half)])


@formula
def moved_base(rotation: Matrix, by_position: Matrix) -> Matrix:
    """Return R^T g: derivatives by the base's motion along its own axes.

    `by_position` is g, the derivatives by the position in the base frame; `rotation` is R, whose
    columns are the unit vectors of the base.
    """
    return rotation.T * by_position


@formula
def turned_base(x: Expr, y: Expr, z: Expr, w: Expr, by_quaternion: Matrix) -> Matrix:
    """Return derivatives by small rotations about the base's own axes, from those by x, y, z, w.

    `by_quaternion` has the four derivatives by the entries of the quaternion. The result is their
    product with the transposed matrix of `changed_quaternion`.
    """
    vector, (a, b, c, d) = Matrix([x, y, z]), by_quaternion / 2
    part = Matrix([a, b, c])
    return w * part + part.cross(vector) - d * vector


def list_elements(recording: Recording, name: str) -> list[Element]:
    """Return the elements of the input `name`: q, or an input with one element per entry of v."""
    model = recording.model
    # The quaternion of a floating base has four entries for three rotations.
    count = model.nv + (model.floats and name == "q")
    return [Element(name, index) for index in range(count)]


def record_changes_of_positions(
    recording: Recording, motions: Sequence[Quantity]
) -> list[Quantity]:
    """Record the changes of all entries of q for small motions of the entries of v.

    Args:
        recording: of the robot.
        motions: small motion of each entry of v (rad or m), of a floating base along and about its
            own axes.

    Returns:
        Changes of the nq entries of q. Without a floating base they equal the motions.
    """
    if not recording.model.floats:
        return list(motions)
    return [
        *changed_position(record_base_rotation(recording), join(motions[LINEAR])),
        *changed_quaternion(*record_base_quaternion(recording), join(motions[ANGULAR])),
        *motions[ANGULAR.stop :],
    ]


def record_derivatives_by_motions(
    recording: Recording, by_positions: Sequence[Quantity]
) -> list[Quantity]:
    """Record the derivatives by small motions of the entries of v, from those by the entries of q.

    Args:
        recording: of the robot.
        by_positions: derivative by each of the nq entries of q.

    Returns:
        The derivative by each of the nv entries of v; of a floating base along and about its axes.
    """
    if not recording.model.floats:
        return list(by_positions)
    return [
        *moved_base(record_base_rotation(recording), join(by_positions[0:3])),
        *turned_base(*record_base_quaternion(recording), join(by_positions[3:7])),
        *by_positions[7:],
    ]


def _seed(
    recording: Recording, changes: Mapping[str, Sequence[Quantity]]
) -> dict[Element, Quantity]:
    """Return the changes of input elements, from the changes of inputs by name."""
    # Small motions of a floating base become changes of the seven entries of its pose.
    seeds: dict[Element, Quantity] = {}
    for name, change in changes.items():
        moved = record_changes_of_positions(recording, change) if name == "q" else change
        seeds |= dict(zip(list_elements(recording, name), moved, strict=True))
    return seeds


def _record_weighted(
    recording: Recording,
    results: Sequence[Quantity],
    weights: Sequence[Quantity],
    names: Sequence[str],
    fixed: Sequence[Quantity] = (),
) -> list[list[Quantity]]:
    """Record the derivatives of a weighted sum by inputs; those by q are by small motions."""
    elements = {name: list_elements(recording, name) for name in names}
    # Reverse mode: one sweep gives the derivatives by all elements of all inputs.
    adjoints = iter(
        recording.recorder.record_adjoints(
            results, weights, [each for group in elements.values() for each in group], fixed
        )
    )
    derivatives = {name: [next(adjoints) for _ in group] for name, group in elements.items()}
    return [
        record_derivatives_by_motions(recording, each) if name == "q" else each
        for name, each in derivatives.items()
    ]


def _record_forces(recording: Recording) -> tuple[Quantity, ...]:
    return record_newton_euler(recording, recording.motion, record_contacts(recording))


def record_inverse_weighted(
    recording: Recording, weights: Sequence[Quantity]
) -> list[list[Quantity]]:
    """Record the derivatives of the sum of weight times joint force by q, qd and qdd.

    `weights` has one weight for each entry of v. The result has three lists with a derivative for
    each entry of v; derivatives by q are by small motions.
    """
    forces = _record_forces(recording)
    recording.begin_section("Derivatives of the weighted sum of joint forces")
    return _record_weighted(recording, forces, weights, ("q", "qd", "qdd"))


def _record_inverse_vjp(recording: Recording) -> Results:
    with recording.recorder.memoise():
        return tuple(record_inverse_weighted(recording, recording.add_elements("tau_bar")))


def _record_inverse_jvp(recording: Recording) -> Results:
    with recording.recorder.memoise():
        forces = _record_forces(recording)
        recording.begin_section("Changes of the joint forces")
        changes = {name: recording.add_elements(f"d{name}") for name in ("q", "qd", "qdd")}
        return (recording.recorder.record_tangents(forces, _seed(recording, changes)),)


def _record_forward(
    method: str, recording: Recording
) -> tuple[tuple[Quantity, ...], tuple[Quantity, ...]]:
    """Record forward dynamics, and inverse dynamics at its accelerations."""
    (found,) = FORWARD_DYNAMICS.methods[method](recording)
    accelerations = tuple(found)
    with recording.recorder.suppress_names():
        motion = JointMotion(recording.velocities, accelerations)
        # At these accelerations the forces are tau, so their derivatives determine the derivatives
        # of qdd.
        forces = record_newton_euler(recording, motion, record_contacts(recording))
    return accelerations, forces


def record_forward_weighted(
    method: str, recording: Recording, weights: Sequence[Quantity]
) -> list[list[Quantity]]:
    """Record the derivatives of a weighted sum of accelerations by q, qd and tau.

    Args:
        method: name of the method of forward dynamics.
        recording: of the robot.
        weights: weight of each acceleration, one for each entry of v.

    Returns:
        Three lists with a derivative for each entry of v; derivatives by q are by small motions.
    """
    accelerations, forces = _record_forward(method, recording)
    recording.begin_section("Derivatives of the weighted sum of accelerations")
    # Accelerations are linear in the forces, with the symmetric matrix M^-1.
    (by_force,) = _record_weighted(recording, accelerations, weights, ("tau",))
    by_position, by_velocity = _record_weighted(
        recording, forces, [-each for each in by_force], ("q", "qd"), accelerations
    )
    return [by_position, by_velocity, by_force]


def _record_forward_vjp(method: str, recording: Recording) -> Results:
    with recording.recorder.memoise():
        return tuple(record_forward_weighted(method, recording, recording.add_elements("qdd_bar")))


def _record_forward_jvp(method: str, recording: Recording) -> Results:
    with recording.recorder.memoise():
        accelerations, forces = _record_forward(method, recording)
        recording.begin_section("Changes of the accelerations")
        motions = {name: recording.add_elements(f"d{name}") for name in ("q", "qd")}
        changes = recording.recorder.record_tangents(
            forces, _seed(recording, motions), accelerations
        )
        net = [
            force - change
            for force, change in zip(recording.add_elements("dtau"), changes, strict=True)
        ]
        return (recording.recorder.record_tangents(accelerations, _seed(recording, {"tau": net})),)


def _make_changes(*names: str) -> Arguments:
    """Return a function that makes the changes of inputs for a model; dq is a small motion."""

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        return tuple(
            Argument(f"d{each.name}", each.shape, each.units, f"changes of {each.meaning}")
            for each in make_variables(*names)(model)
        )

    return arguments


def make_variables(*names: str) -> Arguments:
    """Return a function that makes inputs for a model; q is a small motion."""

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        made = {
            "q": make_tangent_argument,
            "qd": make_joint_motion("qd"),
            "qdd": make_joint_motion("qdd"),
            "tau": make_joint_forces("tau", "joint forces"),
        }
        return tuple(argument for name in names for argument in made[name](model))

    return arguments


def _make_adjoints(*names: str) -> Arguments:
    """Return a function that makes the derivatives of a weighted sum by inputs for a model."""

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


def _make_weights(name: str) -> Arguments:
    """Return a function that makes the weights of results for a model."""

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        (each,) = make_variables(name)(model)
        units = tuple(divide_unit(_WEIGHTED, unit) for unit in each.units)
        return (Argument(f"{name}_bar", each.shape, units, f"weights of {each.meaning}"),)

    return arguments


def add_inputs(function: DynamicsFunction, more: Arguments) -> Arguments:
    """Return a function that makes the inputs of a function and more for a model."""
    return lambda model: (*function.inputs(model), *more(model))


def _split(count: int, inputs: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """Divide the inputs of a product: the function's own inputs, and the last `count`."""
    return inputs[: len(inputs) - count], inputs[len(inputs) - count :]


def _multiply(matrix: Any, vector: Any) -> Any:
    """Return the products of matrices with vectors, shapes (states, m, n) and (states, n)."""
    return (matrix @ vector[..., None])[..., 0]


def _evaluate_inverse(name: str, reference: Any, *state: Any) -> tuple[Any, ...]:
    """Return expected derivatives of inverse dynamics by q, qd and qdd, or scales of rounding."""
    derivatives = getattr(INVERSE_DYNAMICS_DERIVATIVES.expected_results, name)
    mass_matrix = getattr(MASS_MATRIX.expected_results, name)
    return *derivatives(reference, *state), *mass_matrix(reference, state[0])


def _evaluate_forward(name: str, reference: Any, *state: Any) -> tuple[Any, ...]:
    """Return expected derivatives of forward dynamics, or their scales of rounding."""
    return tuple(getattr(FORWARD_DYNAMICS_DERIVATIVES.expected_results, name)(reference, *state))


def _expect_weighted(evaluate: Any, name: str, reference: Any, *inputs: Any) -> tuple[Any, ...]:
    """Return expected products of the transposed derivatives with weights."""
    state, (weights,) = _split(1, inputs)
    weights = weights if name == "outputs" else np.abs(weights)
    return tuple(
        _multiply(np.swapaxes(matrix, -1, -2), weights)
        for matrix in evaluate(name, reference, *state)
    )


def _expect_changes(evaluate: Any, name: str, reference: Any, *inputs: Any) -> tuple[Any, ...]:
    """Return expected products of the derivatives with changes."""
    state, changes = _split(3, inputs)
    changes = changes if name == "outputs" else [np.abs(change) for change in changes]
    matrices = evaluate(name, reference, *state)
    return (sum(_multiply(*pair) for pair in zip(matrices, changes, strict=True)),)


def _expected_results(expect: Any, evaluate: Any, extra: int, of: DynamicsFunction) -> Any:
    """Return the expected results of a product with the derivatives of a function."""

    def on_state(function: Any) -> Any:
        if function is None:
            return None
        return lambda reference, *inputs: function(reference, *_split(extra, inputs)[0])

    return ExpectedResults(
        partial(expect, evaluate, "outputs"),
        magnitudes=partial(expect, evaluate, "compute_scales"),
        defined=on_state(of.expected_results.defined),
        solvable=on_state(of.expected_results.solvable),
    )


INVERSE_DYNAMICS_VJP = DynamicsFunction(
    name="inverse_dynamics_vjp",
    formula="q_bar, qd_bar, qdd_bar = derivatives of tau_bar^T tau by q, qd, qdd",
    inputs=add_inputs(INVERSE_DYNAMICS, _make_weights("tau")),
    outputs=_make_adjoints("q", "qd", "qdd"),
    methods={"": _record_inverse_vjp},
    expected_results=_expected_results(
        _expect_weighted, _evaluate_inverse, 1, INVERSE_DYNAMICS_DERIVATIVES
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
        _expect_changes, _evaluate_inverse, 3, INVERSE_DYNAMICS_DERIVATIVES
    ),
    availability=Availability(on_request=True),
)

_FORWARD = Availability(
    unavailable_because=FORWARD_DYNAMICS.availability.unavailable_because,
    on_request=True,
    methods_for_free_joints=FORWARD_DYNAMICS.availability.methods_for_free_joints,
)

FORWARD_DYNAMICS_VJP = DynamicsFunction(
    name="forward_dynamics_vjp",
    formula="q_bar, qd_bar, tau_bar = derivatives of qdd_bar^T qdd by q, qd, tau",
    inputs=add_inputs(FORWARD_DYNAMICS, _make_weights("qdd")),
    outputs=_make_adjoints("q", "qd", "tau"),
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
