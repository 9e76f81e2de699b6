"""Derivatives of forward dynamics by the joint positions, rates and forces.

They follow from those of inverse dynamics where the joints accelerate as the forces make them: with M dqdd + dtau_dq dq +
dtau_dqd dqd = dtau (J. Carpentier, N. Mansard, "Analytical Derivatives of Rigid Body Dynamics Algorithms", RSS 2018). As the
derivatives by the rates are twice the Coriolis matrix, the velocity forces cost one product of it with the rates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sympy import Expr, Matrix

from dynagen.dynamics.algorithms.algebra import half, negative, sum_of
from dynagen.dynamics.algorithms.composite import (
    carry_inward,
    record_composites,
    record_gravity_forces,
    record_mass_matrix,
)
from dynagen.dynamics.algorithms.contact import Contacts, record_contacts
from dynagen.dynamics.algorithms.coordinates import project_on_joint
from dynagen.dynamics.algorithms.derivatives import (
    record_position_derivatives,
    record_rate_derivatives,
)
from dynagen.dynamics.algorithms.factorisation import solve
from dynagen.dynamics.algorithms.floating_base import ANGULAR, LINEAR, record_up, vector
from dynagen.dynamics.algorithms.frames import Frames
from dynagen.dynamics.algorithms.joint_matrix import JointMatrix, elements_of
from dynagen.dynamics.algorithms.newton_euler import JointMotion, motion_in_fall
from dynagen.dynamics.arguments import elements, joint_motion, zeros
from dynagen.dynamics.function import Availability, DynamicsFunction, Oracle, Results
from dynagen.dynamics.functions.forward_dynamics import FORWARD_DYNAMICS
from dynagen.dynamics.functions.inverse_dynamics_derivatives import (
    INVERSE_DYNAMICS_DERIVATIVES,
    derivatives,
    inverse_dynamics_magnitudes,
    tangent,
)
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.recording.formula import formula
from dynagen.dynamics.recording.memoised import MemoisedRecorder
from dynagen.dynamics.recording.recorder import Quantity, Recorder
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.robot.model.model import RobotModel

QDD = Symbol("qdd", "i", SCALAR, "acceleration of joint i", "rad/s^2 or m/s^2")


@formula
def crossing(vector: Matrix) -> Matrix:
    """The matrix [u x] of vector products with u."""
    return vector.hat()


@formula
def accelerating_force(force: Expr, gravity: Expr, by_rates: Matrix, half_rates: Matrix) -> Expr:
    """The force that accelerates a joint: tau - g - C qd, with the derivatives by the rates, 2 C."""
    return force - gravity - by_rates.dot(half_rates)


def _record(recorder: Recorder, model: RobotModel, frames: Frames) -> Results:
    recorder = MemoisedRecorder(recorder)
    joints, names = range(model.nv), [body.name for body in model.coordinates for _ in body.entries]
    velocities, forces = elements(recorder, model, "qd"), list(elements(recorder, model, "tau"))
    contacts = record_contacts(recorder, model, frames)
    for joint, force in _contact_forces(recorder, model, frames, contacts):
        forces[joint] = recorder.apply(sum_of, forces[joint], force)
    # On a floating base all this is in free fall: gravity and its velocity come in at the end.
    moving = motion_in_fall(recorder, model, velocities).velocities
    derivatives_by_rates, found = record_rate_derivatives(
        recorder, model, frames, moving, in_fall=model.floats
    )
    by_rates = _rows(recorder, model, derivatives_by_rates)
    gravity = zeros(recorder, model)
    if not model.floats:
        gravity = record_gravity_forces(
            recorder, model, frames, record_composites(recorder.unnamed, model, frames)
        )
    mass_matrix = record_mass_matrix(recorder.unnamed, model, frames)

    # Accelerations and inverse of the mass matrix: one solution with 1 + n right-hand sides.
    recorder.section("Forces that accelerate the joints")
    half_rates = vector(recorder.apply(half, velocity) for velocity in moving)
    right_hand_sides = []
    for joint in joints:
        net = recorder.apply(
            accelerating_force, forces[joint], gravity[joint], by_rates[joint], half_rates
        )
        right_hand_sides.append(
            vector([net, *(recorder.constant(int(joint == column)) for column in joints)])
        )
    solution = solve(recorder, names, mass_matrix, right_hand_sides)
    accelerations = tuple(recorder.name(QDD(joint + 1), solution[joint][0]) for joint in joints)
    inverse = [
        solution[min(row, column)][1 + max(row, column)] for row in joints for column in joints
    ]

    def changes(derivatives: tuple[Quantity, ...], cause: str) -> list[Quantity]:
        """The accelerations that make up for changes of forces, row-major.

        Columns are solved one by one: a compiler then keeps L in registers, and few other values live.
        """
        rows = [recorder.apply(negative, row) for row in derivatives]
        columns = []
        for column, name in enumerate(names):
            title = f"Change of accelerations by {cause} of joint {column + 1} ({name})"
            columns.append(
                solve(recorder.unnamed, names, mass_matrix, [row[column] for row in rows], title)
            )
        return [column[row] for row in joints for column in columns]

    by_rate = changes(by_rates, "the rate")
    motion = JointMotion(moving, accelerations)
    by_positions = _rows(
        recorder,
        model,
        record_position_derivatives(
            recorder, model, frames, motion, not model.floats, contacts, found
        ),
    )
    by_position = changes(by_positions, "the position")
    if model.floats:
        _add_fall(recorder, model, velocities, by_position, by_rate)
    return by_position, by_rate, inverse


def _add_fall(
    recorder: Recorder,
    model: RobotModel,
    velocities: tuple[Quantity, ...],
    by_position: list[Quantity],
    by_rate: list[Quantity],
) -> None:
    """Add the derivatives of -up - w x v, which `record_accelerations` adds to the linear acceleration of a floating base.

    By a small rotation e of the base up changes by up x e. The base comes first in v.
    """
    recorder.section("Free fall")
    up, v, w = record_up(recorder, model), vector(velocities[LINEAR]), vector(velocities[ANGULAR])
    blocks = (
        (by_position, ANGULAR, recorder.apply(negative, recorder.apply(crossing, up))),
        (by_rate, LINEAR, recorder.apply(negative, recorder.apply(crossing, w))),
        (by_rate, ANGULAR, recorder.apply(crossing, v)),
    )
    for matrix, columns, block in blocks:
        places = [
            row * model.nv + column
            for row in range(model.nv)[LINEAR]
            for column in range(model.nv)[columns]
        ]
        for place, entry in zip(places, block, strict=True):
            matrix[place] = recorder.apply(sum_of, matrix[place], entry)


def _contact_forces(
    recorder: Recorder, model: RobotModel, frames: Frames, contacts: Contacts
) -> Iterator[tuple[int, Quantity]]:
    """Joints that contacts act on: the entry of v of each, and the contact's generalised force."""
    for body, contact in contacts.items():
        force, moment = contact.force, contact.moment
        for index in model.path_to_base(body):
            joint = model.bodies[index]
            yield from zip(
                joint.entries, project_on_joint(recorder, joint, force, moment), strict=True
            )
            force, moment = carry_inward(recorder, frames[index], force, moment)


def _rows(recorder: Recorder, model: RobotModel, matrix: JointMatrix) -> tuple[Quantity, ...]:
    entries, width = elements_of(recorder, model, matrix), model.nv
    return tuple(vector(entries[start : start + width]) for start in range(0, len(entries), width))


def _expected(reference: Any, q: Any, qd: Any, tau: Any, *wrench: Any) -> tuple[Any, Any, Any]:
    (qdd,) = FORWARD_DYNAMICS.oracle.expected(reference, q, qd, tau, *wrench)
    (mass_matrix,) = MASS_MATRIX.oracle.expected(reference, q)
    by_position, by_rate = INVERSE_DYNAMICS_DERIVATIVES.oracle.expected(
        reference, q, qd, qdd, *wrench
    )
    return (
        -np.linalg.solve(mass_matrix, by_position),
        -np.linalg.solve(mass_matrix, by_rate),
        np.linalg.inv(mass_matrix),
    )


def _magnitudes(reference: Any, q: Any, qd: Any, tau: Any, *wrench: Any) -> tuple[Any, Any, Any]:
    """The rule of forward dynamics, for every derivative X, where M X + B = 0: |M^-1| (|M| |X| + |B|).

    |M| and |B| are sums of the magnitudes of terms. The accelerations in B count with their own scale of rounding.
    """
    (qdd,) = FORWARD_DYNAMICS.oracle.expected(reference, q, qd, tau, *wrench)
    solutions = _expected(reference, q, qd, tau, *wrench)
    inverse = np.abs(solutions[2])
    residual = np.abs(tau) + reference.magnitudes.inverse_dynamics(q, qd, np.abs(qdd), *wrench)
    accelerations = (inverse @ residual[..., None])[..., 0]
    (mass_matrix,) = MASS_MATRIX.oracle.expected(reference.magnitudes, q)
    constants = (
        *inverse_dynamics_magnitudes(reference, q, qd, accelerations, *wrench),
        reference.units,
    )
    by_position, by_rate, by_force = (
        inverse @ (mass_matrix @ np.abs(solution) + constant)
        for solution, constant in zip(solutions, constants, strict=True)
    )
    return by_position, by_rate, by_force


FORWARD_DYNAMICS_DERIVATIVES = DynamicsFunction(
    name="forward_dynamics_derivatives",
    formula="dqdd = dqdd_dq dq + dqdd_dqd dqd + dqdd_dtau dtau",
    inputs=FORWARD_DYNAMICS.inputs,
    outputs=derivatives(
        joint_motion("qdd"), lambda model: (*tangent(model), *FORWARD_DYNAMICS.inputs(model)[1:3])
    ),
    methods={"": _record},
    oracle=Oracle(
        _expected,
        magnitudes=_magnitudes,
        defined=FORWARD_DYNAMICS.oracle.defined,
        solvable=FORWARD_DYNAMICS.oracle.solvable,
    ),
    availability=Availability(
        unavailable_because=FORWARD_DYNAMICS.availability.unavailable_because
    ),
)
