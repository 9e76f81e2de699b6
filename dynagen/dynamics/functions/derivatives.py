"""Derivatives of inverse dynamics and of forward dynamics.

Inverse dynamics is differentiated by the joint positions q and velocities qd. The derivative by the
accelerations qdd is the mass matrix M.

Forward dynamics is differentiated by the joint positions, velocities and forces tau. For a robot
with contact forces, both functions are also differentiated by these forces.

The derivatives of forward dynamics solve M dqdd + dtau_dq dq + dtau_dqd dqd = dtau, where dtau_dq
and dtau_dqd are the derivatives of inverse dynamics at the resulting accelerations (Carpentier and
Mansard, "Analytical Derivatives of Rigid Body Dynamics Algorithms", RSS 2018).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.bases import find_base
from dynagen.dynamics.algorithms.constraints import POINT, record_frame_rows
from dynagen.dynamics.algorithms.contact_derivatives import record_contact_derivatives
from dynagen.dynamics.algorithms.coriolis import CoriolisEntries
from dynagen.dynamics.algorithms.derivatives import (
    record_position_derivatives,
    record_velocity_derivatives,
)
from dynagen.dynamics.algorithms.external_wrenches import (
    Contacts,
    make_contact_force_argument,
    record_contacts,
    record_wrenches,
)
from dynagen.dynamics.algorithms.factorisation import solve_and_keep_factors, solve_with_factors
from dynagen.dynamics.algorithms.mass_matrix import record_gravity_forces, record_mass_matrix
from dynagen.dynamics.algorithms.recording import JointMatrix, JointMotion, Recording, flatten
from dynagen.dynamics.arguments import (
    Arguments,
    find_rotating_entries,
    make_joint_forces,
    make_joint_motion,
)
from dynagen.dynamics.function import Availability, DynamicsFunction, ExpectedResults, Results
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.recording import Quantity, formula, join
from dynagen.dynamics.symbolic import Expr, Matrix
from dynagen.ir.program import Argument
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.numbers.exact import ONE
from dynagen.robot.model.model import RobotModel

_STEP = 1e-30


def make_derivative_matrices(of: Arguments, by: Arguments) -> Arguments:
    """Return a function that makes the arguments for the derivatives of a joint-space vector.

    The function has the robot model as its argument, like `of` and `by`. There is one matrix for
    each variable. For example, entry [i][j] of `dtau_dq` is the derivative of tau[i] by q[j].

    Args:
        of: returns one argument: the vector to differentiate, for example tau.
        by: returns the variables, for example q and qd.
    """

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        (vector,) = of(model)
        return tuple(
            Argument(
                f"d{vector.name}_d{variable.name}",
                (vector.size, variable.size),
                tuple(divide_unit(unit, per) for unit in vector.units for per in variable.units),
                f"derivatives of {vector.meaning} by {variable.meaning}",
            )
            for variable in by(model)
        )

    return arguments


def make_tangent_argument(model: RobotModel) -> tuple[Argument, ...]:
    """Return an argument `q` for small motions of the joints, as a tuple with one entry.

    The argument has one element (rad or m) for each entry of the joint velocities qd. A floating
    base moves along and about its own axes, and a spherical joint rotates about the axes of its
    link.
    """
    units = tuple("rad" if rotates else "m" for rotates in find_rotating_entries(model))
    base = "small motions of the base along and about its axes, then " if model.floats else ""
    return (Argument("q", (len(units),), units, f"{base}joint positions"),)


def _steps(model: RobotModel) -> tuple[Argument, ...]:
    return (
        *make_tangent_argument(model),
        *make_joint_motion("qd")(model),
        *make_contact_force_argument(model),
    )


def divide_unit(unit: str, per: str) -> str:
    """Return the text of one unit divided by another, for example N m/(rad/s)."""
    return "/".join(
        (f"({unit})" if "/" in unit else unit, f"({per})" if set(per) & set(" /") else per)
    )


def _record_inverse(recording: Recording) -> Results:
    with recording.recorder.memoise():
        motion = recording.motion
        # Velocities first: their composites and momenta serve the derivatives by positions too.
        by_velocities, found = record_velocity_derivatives(recording, motion.velocities)
        by_positions = _record_by_positions(recording, motion, found)
        return (
            flatten(recording, by_positions),
            flatten(recording, by_velocities),
            *_record_by_contact_forces(recording),
        )


def _record_by_positions(
    recording: Recording, motion: JointMotion, found: CoriolisEntries
) -> JointMatrix:
    """Record the derivatives of inverse dynamics by positions.

    They include the derivatives of the joint forces that external wrenches and contact forces
    cause. `found` is the second result of `record_velocity_derivatives`.
    """
    wrenches = record_wrenches(recording)
    entries, _ = record_position_derivatives(recording, motion, wrenches, found)
    sums = dict(entries)
    # Forces that are constant in base axes do not turn with the bodies, as wrenches do.
    for place, entry in record_contact_derivatives(recording).items():
        sums[place] = sums[place] + entry if place in sums else entry
    return sums


def _record_by_contact_forces(recording: Recording) -> Iterator[list[Quantity]]:
    """Yield -J^T, the derivatives of the joint forces by the contact forces, if there are any.

    J maps the joint velocities to the velocities of the contact points, in base axes. The result is
    row-major.
    """
    rows = [
        row
        for name in recording.model.contact_forces
        for row in record_frame_rows(recording, recording.model.find_frame(name), POINT)
    ]
    if rows:
        yield [-row[entry] for entry in range(recording.model.nv) for row in rows]


def _expect_inverse(reference: Any, q: Any, qd: Any, qdd: Any, *wrench: Any) -> tuple[Any, ...]:
    """Return the expected derivatives of inverse dynamics, computed by complex steps.

    The only error of complex steps is rounding (Squire and Trapp, SIAM Review 40(1), 1998).
    `wrench` contains external wrenches and contact forces, if the robot has them.
    """
    # A complex step has no cancellation, so it may be arbitrarily short.
    steps = 1j * _STEP * reference.units
    by_position = [
        reference.compute_inverse_dynamics(reference.move(q, step), qd, qdd, *wrench).imag / _STEP
        for step in steps
    ]
    by_rate = [
        reference.compute_inverse_dynamics(q, qd + step, qdd, *wrench).imag / _STEP
        for step in steps
    ]
    return (
        np.stack(by_position, axis=-1),
        np.stack(by_rate, axis=-1),
        *_expect_by_contact_forces(reference, q),
    )


def _expect_by_contact_forces(reference: Any, q: Any) -> Iterator[Any]:
    """Yield the expected derivatives of joint forces by all contact forces, if there are any.

    The shape is (..., n, 3 m) for n joint velocities and m contact forces, which are in base axes.
    """
    rows = [-frame.compute_axes_jacobian(q)[..., :3, :] for frame in reference.contact_forces]
    if rows:
        yield np.swapaxes(np.concatenate(rows, axis=-2), -1, -2)


def _compute_contact_magnitudes(reference: Any, q: Any) -> Iterator[Any]:
    """Yield magnitudes to which rounding errors of derivatives by contact forces are proportional.

    Nothing is yielded for a robot without contact forces.
    """
    rows = [frame.compute_jacobian_magnitudes(q)[..., :3, :] for frame in reference.contact_forces]
    if rows:
        yield np.swapaxes(np.concatenate(rows, axis=-2), -1, -2)


def compute_inverse_dynamics_magnitudes(
    reference: Any, q: Any, qd: Any, qdd: Any, *wrench: Any
) -> tuple[Any, ...]:
    """Return, for each derivative, an upper bound of the sum of the absolute values of its terms.

    The joint forces are differentiated by q and qd, and by m contact forces if there are any. The
    shapes are (states, n, n), (states, n, n) and (states, n, 3 m) for n joint velocities. Rounding
    errors are proportional to the sums.

    Args:
        reference: numeric dynamics.
        q: positions, shape (states, nq).
        qd: velocities, shape (states, n).
        qdd: accelerations, shape (states, n).
        wrench: arrays of external wrenches and of contact forces, if the robot has them.
    """
    by_position, by_rate = [], []
    for joint, unit in enumerate(reference.units):
        # Terms of derivatives by a joint belong to the links that it carries. The terms of a
        # derivative by a velocity are no larger than the increase of the terms at a velocity larger
        # by 1, and those of a derivative by a position than the terms after a motion by 1.
        terms = reference.restrict_inertia(joint).magnitudes.compute_inverse_dynamics
        # Displacements grow in one direction and shrink in the other: the larger bound counts.
        step = reference.coordinates.compute_step(unit)
        by_position.append(
            np.maximum(terms(q + step, qd, qdd, *wrench), terms(q - step, qd, qdd, *wrench))
        )
        by_rate.append(terms(q, np.abs(qd) + unit, qdd) - terms(q, qd, qdd))
    return (
        np.stack(by_position, axis=-1),
        np.stack(by_rate, axis=-1),
        *_compute_contact_magnitudes(reference, q),
    )


INVERSE_DYNAMICS_DERIVATIVES = DynamicsFunction(
    name="inverse_dynamics_derivatives",
    formula="dtau = dtau_dq dq + dtau_dqd dqd + M(q) dqdd",
    inputs=INVERSE_DYNAMICS.inputs,
    outputs=make_derivative_matrices(make_joint_forces("tau", "joint forces"), _steps),
    methods={"": _record_inverse},
    expected_results=ExpectedResults(
        _expect_inverse,
        magnitudes=compute_inverse_dynamics_magnitudes,
    ),
)


def evaluate_inverse_derivatives(name: str, reference: Any, *state: Any) -> tuple[Any, ...]:
    """Return the expected derivatives of joint forces by q, qd and qdd, (states, n, n) each.

    Rows are joint forces, and columns are small motions, velocities or accelerations of the joints.
    If there are m contact forces, the derivatives by these forces, (states, n, 3 m), come last.

    Args:
        name: `outputs` for the derivatives, or `compute_scales` for magnitudes to which their
            rounding errors are proportional.
        reference: numeric dynamics.
        state: inputs of inverse dynamics, q first.
    """
    derivatives = getattr(INVERSE_DYNAMICS_DERIVATIVES.expected_results, name)
    mass_matrix = getattr(MASS_MATRIX.expected_results, name)
    by_position, by_velocity, *by_force = derivatives(reference, *state)
    return by_position, by_velocity, *mass_matrix(reference, state[0]), *by_force


QDD = Symbol("qdd", "i", SCALAR, "acceleration of joint i", "rad/s^2 or m/s^2")


@formula
def accelerating_force(
    force: Expr, gravity: Expr, by_velocities: Matrix, half_velocities: Matrix
) -> Expr:
    """Return tau - g - c, the part of a joint's force tau that accelerates the joint.

    Args:
        force: force tau of the joint.
        gravity: gravity force g of the joint.
        by_velocities: derivatives of the joint's Coriolis and centrifugal force c by the joint
            velocities qd; c equals this vector times qd / 2.
        half_velocities: half of the joint velocities, qd / 2, a vector.
    """
    return force - gravity - by_velocities.dot(half_velocities)


def record_forward_derivatives(recording: Recording) -> Results:
    """Record the accelerations qdd and their derivatives by q, qd and tau, in this order.

    Each derivative is a row-major matrix with one row for each joint velocity. Derivatives by q are
    derivatives by small motions of the joints. If there are contact forces, the derivative by these
    forces comes last.
    """
    with recording.recorder.memoise():
        return _record_derivatives(recording)


def _record_forward(recording: Recording) -> Results:
    _, *derivatives = record_forward_derivatives(recording)
    return tuple(derivatives)


def _record_derivatives(recording: Recording) -> Results:
    model, recorder = recording.model, recording.recorder
    joints, names = range(model.nv), [body.name for body in model.coordinates for _ in body.entries]
    base = find_base(recording)
    motion, forces = base.make_fall_motion(), list(recording.add_elements("tau"))
    contacts = record_contacts(recording)
    # External wrenches act like additional joint forces, J^T wrench.
    for joint, force in _contact_forces(recording, contacts):
        forces[joint] += force
    # A floating base is in free fall here. Gravity and its linear velocity are added at the end.
    velocity_derivatives, found = record_velocity_derivatives(
        recording, motion.velocities, in_fall=not motion.gravity
    )
    by_velocities = _rows(recording, velocity_derivatives)
    gravity = (
        record_gravity_forces(recording, found.composites) if motion.gravity else recording.zeros
    )
    with recorder.suppress_names():
        mass_matrix = record_mass_matrix(recording)

    # Accelerations and inverse of the mass matrix: one factorisation with 1 + n right-hand sides.
    recording.begin_section("Forces that accelerate the joints")
    # The rows contain 2 C, so C qd is their product with qd / 2.
    half_velocities = join(velocity * (ONE / 2) for velocity in motion.velocities)
    right_hand_sides = []
    for joint in joints:
        net = accelerating_force(
            forces[joint], gravity[joint], by_velocities[joint], half_velocities
        )
        right_hand_sides.append(
            join([net, *(recording.add_constant(int(joint == column)) for column in joints)])
        )
    solution, elimination = solve_and_keep_factors(recorder, names, mass_matrix, right_hand_sides)
    accelerations = tuple(solution[joint][0].name(QDD(joint + 1)) for joint in joints)
    inverse = [
        # The inverse is symmetric: only its upper triangle is computed, and dead code removed.
        solution[min(row, column)][1 + max(row, column)]
        for row in joints
        for column in joints
    ]

    def changes(derivatives: Sequence[Quantity], titles: Sequence[str]) -> list[Quantity]:
        """Record the derivatives of accelerations from derivatives of inverse dynamics, row-major.

        The columns are solved for one by one, so that a compiler can keep the factored mass matrix
        in registers.
        """
        rows = [-row for row in derivatives]
        columns = []
        for column, cause in enumerate(titles):
            recorder.begin_section(f"Change of accelerations by {cause}")
            columns.append(solve_with_factors(elimination, [row[column] for row in rows]))
        return [column[row] for row in joints for column in columns]

    of_joints = [f"of joint {number} ({name})" for number, name in enumerate(names, start=1)]
    by_velocity = changes(by_velocities, [f"the velocity {each}" for each in of_joints])
    # dqdd/dq = -M^-1 dtau/dq at the accelerations of forward dynamics.
    accelerated = replace(motion, accelerations=accelerations)
    by_positions = _rows(recording, _record_by_positions(recording, accelerated, found))
    by_position = changes(by_positions, [f"the position {each}" for each in of_joints])
    by_contact_force = [
        changes(_split(entries, model.nv), _name_contact_columns(model))
        for entries in _record_by_contact_forces(recording)
    ]
    base.add_fall_derivatives(by_position, by_velocity)
    return base.add_fall(accelerations), by_position, by_velocity, inverse, *by_contact_force


def _contact_forces(recording: Recording, contacts: Contacts) -> Iterator[tuple[int, Quantity]]:
    """Yield pairs of an index in qd and a joint force that a contact causes.

    Several pairs may have the same index; their forces add up.
    """
    for index, wrench in contacts.items():
        for body in recording.find_path(index):
            yield from zip(body.entries, body.project(wrench), strict=True)
            wrench = body.carry_inward(wrench)


def _rows(recording: Recording, matrix: JointMatrix) -> tuple[Quantity, ...]:
    """Return the rows, as vectors, of a matrix with a row and a column per joint velocity."""
    return _split(flatten(recording, matrix), recording.model.nv)


def _split(entries: Sequence[Quantity], count: int) -> tuple[Quantity, ...]:
    """Return the rows of a row-major matrix with `count` rows."""
    width = len(entries) // count
    return tuple(join(entries[start : start + width]) for start in range(0, len(entries), width))


def _name_contact_columns(model: RobotModel) -> list[str]:
    return [f"the force along {axis} at {name}" for name in model.contact_forces for axis in "xyz"]


def _expect_forward(reference: Any, q: Any, qd: Any, tau: Any, *wrench: Any) -> tuple[Any, ...]:
    (qdd,) = FORWARD_DYNAMICS.expected_results.outputs(reference, q, qd, tau, *wrench)
    (mass_matrix,) = MASS_MATRIX.expected_results.outputs(reference, q)
    by_position, by_rate, *by_force = INVERSE_DYNAMICS_DERIVATIVES.expected_results.outputs(
        reference, q, qd, qdd, *wrench
    )
    return (
        # Implicit differentiation of tau(q, qd, qdd(q, qd, tau)) = tau.
        -np.linalg.solve(mass_matrix, by_position),
        -np.linalg.solve(mass_matrix, by_rate),
        np.linalg.inv(mass_matrix),
        *(-np.linalg.solve(mass_matrix, each) for each in by_force),
    )


def _forward_magnitudes(reference: Any, q: Any, qd: Any, tau: Any, *wrench: Any) -> tuple[Any, ...]:
    """Return magnitudes to which rounding errors of the derivatives are proportional.

    The derivatives are those of forward dynamics. A derivative X of the accelerations solves M X +
    B = 0, with the mass matrix M and the derivative B of inverse dynamics. The magnitude for X is
    |M^-1| (|M| |X| + |B|). |M| and |B| contain, for each element, the sum of the absolute values of
    its terms.
    """
    (qdd,) = FORWARD_DYNAMICS.expected_results.outputs(reference, q, qd, tau, *wrench)
    solutions = _expect_forward(reference, q, qd, tau, *wrench)
    inverse = np.abs(solutions[2])
    residual = np.abs(tau) + reference.magnitudes.compute_inverse_dynamics(
        q, qd, np.abs(qdd), *wrench
    )
    accelerations = (inverse @ residual[..., None])[..., 0]
    (mass_matrix,) = MASS_MATRIX.expected_results.outputs(reference.magnitudes, q)
    by_position, by_rate, *by_force = compute_inverse_dynamics_magnitudes(
        reference, q, qd, accelerations, *wrench
    )
    constants = by_position, by_rate, reference.units, *by_force
    return tuple(
        inverse @ (mass_matrix @ np.abs(solution) + constant)
        for solution, constant in zip(solutions, constants, strict=True)
    )


FORWARD_DYNAMICS_DERIVATIVES = DynamicsFunction(
    name="forward_dynamics_derivatives",
    formula="dqdd = dqdd_dq dq + dqdd_dqd dqd + dqdd_dtau dtau",
    inputs=FORWARD_DYNAMICS.inputs,
    outputs=make_derivative_matrices(
        make_joint_motion("qdd"),
        lambda model: (
            *make_tangent_argument(model),
            *FORWARD_DYNAMICS.inputs(model)[1:3],
            *make_contact_force_argument(model),
        ),
    ),
    methods={"": _record_forward},
    expected_results=ExpectedResults(
        _expect_forward,
        magnitudes=_forward_magnitudes,
        defined=FORWARD_DYNAMICS.expected_results.defined,
        solvable=FORWARD_DYNAMICS.expected_results.solvable,
    ),
    availability=Availability(
        unavailable_because=FORWARD_DYNAMICS.availability.unavailable_because
    ),
)
