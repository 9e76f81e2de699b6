"""Inverse dynamics at two rates: a slow background task and a fast synchronous task.

The mass matrix and bias forces change slowly, so a background task computes them (Izaguirre,
Hashimoto, Paul and Hayward, "A New Computational Structure for Real-Time Dynamics", International
Journal of Robotics Research 11(4), 1992, section 3). In every sampling period, the synchronous task
only multiplies the mass matrix by the accelerations qdd.

The vector `state`, which contains mass matrix and forces, is the output of `background` and the
input of `synchronous`. With two processors, one can compute mass matrix and gravity forces
(`background_inertia`), and the other the Coriolis and centrifugal forces c (`coriolis_forces`). The
joint forces are then tau = synchronous(state, qdd) + c.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.external_wrenches import make_motion_and_wrench
from dynagen.dynamics.algorithms.mass_matrix import (
    record_composites,
    record_gravity_forces,
    record_mass_matrix,
)
from dynagen.dynamics.algorithms.recording import Recording, lower_pairs
from dynagen.dynamics.arguments import (
    INERTIA_UNITS,
    Arguments,
    find_rotating_entries,
    make_joint_forces,
    make_joint_motion,
)
from dynagen.dynamics.function import Dependence, DynamicsFunction, ExpectedResults, Results
from dynagen.dynamics.functions.inverse_dynamics import record_bias_forces
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.recording import Quantity
from dynagen.ir.program import Argument
from dynagen.robot.model.model import RobotModel

STATE = "state"


def make_state_argument(forces: str = "forces") -> Arguments:
    """Return a function that makes the argument `state` of a robot's two-rate computation.

    The state begins with the lower triangle of the mass matrix, row by row. Entries for two joints
    on different branches are always zero, and are left out. One joint force h for each joint
    velocity follows.

    Args:
        forces: meaning of the joint forces h, for documentation.
    """

    def arguments(model: RobotModel) -> tuple[Argument, ...]:
        # M is symmetric, so its lower triangle is sufficient.
        rotates, pairs = find_rotating_entries(model), lower_pairs(model)
        # kg for two translations, kg m for a translation and a rotation, kg m^2 for two rotations.
        inertias = (INERTIA_UNITS[rotates[row] + rotates[column]] for row, column in pairs)
        units = (
            *inertias,
            *(unit for body in model.coordinates for unit in body.joint.type.force_units),
        )
        names = (
            *(f"m_{row + 1}_{column + 1}" for row, column in pairs),
            *(f"h_{row + 1}" for row in range(model.nv)),
        )
        meaning = f"lower triangle of the mass matrix, row by row, then {forces}"
        return (Argument(STATE, (len(units),), units, meaning, names),)

    return arguments


def _record_background(recording: Recording) -> Results:
    # h contains Coriolis, centrifugal and gravity forces, and external wrenches.
    return _make_state(recording, record_bias_forces(recording))


def _record_inertia(recording: Recording) -> Results:
    with recording.recorder.memoise():
        with recording.recorder.suppress_names():
            # The mass matrix records the same composites, and gives them their names.
            composites = record_composites(recording)
        return _make_state(recording, record_gravity_forces(recording, composites))


def _make_state(recording: Recording, forces: Iterable[Quantity]) -> Results:
    matrix = record_mass_matrix(recording)
    return ([*(matrix[pair] for pair in lower_pairs(recording.model)), *forces],)


def _expect_background(reference: Any, q: Any, qd: Any, *wrench: Any) -> tuple[Any]:
    (matrix,) = MASS_MATRIX.expected_results.outputs(reference, q)
    inertias = [matrix[..., row, column] for row, column in reference.joint_pairs]
    return (
        np.concatenate(
            [
                np.stack(inertias, axis=-1),
                reference.compute_inverse_dynamics(q, qd, 0 * qd, *wrench),
            ],
            axis=-1,
        ),
    )


BACKGROUND = DynamicsFunction(
    name="background",
    formula="state = (M(q), C(q, qd) qd + g(q))",
    inputs=make_motion_and_wrench("q", "qd"),
    outputs=make_state_argument("velocity and gravity forces"),
    methods={"": _record_background},
    expected_results=ExpectedResults(_expect_background),
)

BACKGROUND_INERTIA = DynamicsFunction(
    name="background_inertia",
    formula="state = (M(q), g(q)), without coriolis_forces",
    inputs=make_joint_motion("q"),
    outputs=make_state_argument("gravity forces"),
    methods={"": _record_inertia},
    expected_results=ExpectedResults(
        lambda reference, q: _expect_background(reference, q, reference.make_rest(q))
    ),
)


def _synchronous_inputs(model: RobotModel) -> tuple[Argument, ...]:
    return (*make_state_argument()(model), *make_joint_motion("qdd")(model))


def _record_synchronous(recording: Recording) -> Results:
    pairs, accelerations = lower_pairs(recording.model), recording.add_elements("qdd")
    forces = [recording.add_element(STATE, len(pairs) + row) for row in range(recording.model.nv)]
    for index, (row, column) in enumerate(pairs):
        inertia = recording.add_element(STATE, index)
        # One product for each of the two symmetric entries; absent entries of M are zero.
        forces[row] += inertia * accelerations[column]
        if column != row:
            forces[column] += inertia * accelerations[row]
    return (forces,)


def _expect_synchronous(reference: Any, state: Any, qdd: Any) -> tuple[Any]:
    return (reference.compute_two_rate_forces(state, qdd),)


def _synchronous_magnitudes(reference: Any, state: Any, qdd: Any) -> tuple[Any]:
    # Every term is a product of an element of the state and an acceleration.
    return (reference.compute_two_rate_forces(abs(state), abs(qdd)),)


SYNCHRONOUS = DynamicsFunction(
    name="synchronous",
    formula="tau = M qdd + (C qd + g), from the state",
    inputs=_synchronous_inputs,
    outputs=make_joint_forces("tau", "joint forces"),
    methods={"": _record_synchronous},
    expected_results=ExpectedResults(
        _expect_synchronous,
        magnitudes=_synchronous_magnitudes,
    ),
    depends_on=Dependence.NOTHING,
)
