"""Dynamics at the motors of joints that several motors move together, as in a wrist.

The velocities qd of the coupled joints are a matrix T times the velocities of their motors
(`Coupling`). By virtual work, the joint forces tau require the motor torques T^T tau. The motors
must also accelerate their own inertias, which form a diagonal matrix B. At the joints, these
inertias act like the inertia matrix A = T^-T B T^-1. At a joint without coupling, the motor force
is the joint force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.bases import find_base
from dynagen.dynamics.algorithms.external_wrenches import make_motion_and_wrench, record_contacts
from dynagen.dynamics.algorithms.factorisation import solve
from dynagen.dynamics.algorithms.mass_matrix import record_mass_matrix
from dynagen.dynamics.algorithms.newton_euler import record_newton_euler
from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import make_joint_forces, make_joint_motion
from dynagen.dynamics.function import Availability, DynamicsFunction, ExpectedResults, Results
from dynagen.dynamics.functions.forward_dynamics import describe_missing_inertia, find_bare_bodies
from dynagen.dynamics.functions.inverse_dynamics import INVERSE_DYNAMICS
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.recording import Quantity
from dynagen.ir.program import Argument
from dynagen.numbers.exact import ZERO, Exact
from dynagen.robot.description import Coupling
from dynagen.robot.matrices import Rows, invert
from dynagen.robot.model.model import RobotModel

MOTOR_TORQUES = "tau_motor"
_WORST_CONDITION = 1e6

_make_torques = make_joint_forces(
    MOTOR_TORQUES,
    "forces of the motors; for coupled joints, conjugate to the motor velocities",
)


@dataclass(frozen=True)
class _Motors:
    """Coupled motors of a robot.

    Attributes:
        coupling: the names of the coupled joints' links, the matrix T (joint velocities are T times
            motor velocities) and the motor inertias.
        entries: indices of the coupled joints in the joint velocities qd, in the order of T's rows.
    """

    coupling: Coupling
    entries: tuple[int, ...]

    @cached_property
    def inverse(self) -> Rows:
        """The matrix T^-1 from joint velocities to motor velocities."""
        inverse = invert(self.coupling.matrix)
        assert inverse is not None  # checked when the description was read
        return inverse

    @cached_property
    def joint_inertia(self) -> Rows:
        """The inertia matrix T^-T B T^-1 of the motors at the joints (kg m^2 or kg).

        The joint velocities are T times the motor velocities, and B is the diagonal matrix of the
        motors' inertias.
        """
        size = range(len(self.entries))
        return tuple(
            tuple(
                sum(
                    (
                        self.inverse[motor][row] * inertia * self.inverse[motor][column]
                        for motor, inertia in enumerate(self.coupling.inertias)
                    ),
                    ZERO,
                )
                for column in size
            )
            for row in size
        )


def _list_motors(model: RobotModel) -> tuple[_Motors, ...]:
    entries = {body.name: body.joint.idx_v for body in model.bodies}
    return tuple(
        _Motors(coupling, tuple(entries[name] for name in coupling.links))
        for coupling in model.couplings
    )


def _combine(factors: Sequence[Exact], quantities: Sequence[Quantity]) -> Quantity:
    """Record the sum of constant factors times quantities."""
    return reduce(
        lambda left, right: left + right,
        (quantity * factor for factor, quantity in zip(factors, quantities, strict=True)),
    )


def _record_inverse(recording: Recording) -> Results:
    (joint_forces,) = INVERSE_DYNAMICS.methods[""](recording)
    forces, accelerations = list(joint_forces), recording.add_elements("qdd")
    recording.begin_section("Coupled motors")
    for motors in _list_motors(recording.model):
        coupling = motors.coupling
        own = [forces[entry] for entry in motors.entries]
        motion = [accelerations[entry] for entry in motors.entries]
        for motor, entry in enumerate(motors.entries):
            # tau_motor = T^T tau + B T^-1 qdd: the second term is the motors' own inertia.
            torque = _combine([row[motor] for row in coupling.matrix], own)
            acceleration = _combine(motors.inverse[motor], motion)
            forces[entry] = torque + acceleration * coupling.inertias[motor]
    return (forces,)


def _record_forward(recording: Recording) -> Results:
    model = recording.model
    bias = record_newton_euler(
        recording, find_base(recording).make_fall_motion(), record_contacts(recording)
    )
    matrix, forces = (
        dict(record_mass_matrix(recording)),
        list(recording.add_elements(MOTOR_TORQUES)),
    )
    recording.begin_section("Coupled motors")
    for motors in _list_motors(model):
        own = [forces[entry] for entry in motors.entries]
        for joint, entry in enumerate(motors.entries):
            # (M + A) qdd = T^-T tau_motor - h, with A = T^-T B T^-1 of the motors.
            forces[entry] = _combine([row[joint] for row in motors.inverse], own)
            for other, column in enumerate(motors.entries):
                inertia = motors.joint_inertia[joint][other]
                matrix[entry, column] = matrix[entry, column] + recording.add_constant(inertia)
    names = [body.name for body in model.coordinates for _ in body.entries]
    net = [force - known for force, known in zip(forces, bias, strict=True)]
    return (find_base(recording).add_fall(solve(recording.recorder, names, matrix, net)),)


def _explain_absence(model: RobotModel) -> str:
    """Return the reason why a robot has no coupled motors, or an empty string."""
    if not model.couplings:
        return "no motors are coupled: add `couplings` to the description"
    indices = {body.name: index for index, body in enumerate(model.bodies)}
    for coupling in model.couplings:
        missing = [name for name in coupling.links if name not in indices]
        if missing:
            return f"the coupled joint of {missing[0]} does not move"
        path = model.find_path(max(indices[name] for name in coupling.links))
        apart = [name for name in coupling.links if indices[name] not in path]
        if apart:
            return f"the coupled joint of {apart[0]} is on another branch"
    return ""


def _explain_singular(model: RobotModel) -> str:
    """Return why a robot has no forward dynamics with coupled motors, or an empty string."""
    if reason := _explain_absence(model):
        return reason
    bare = find_bare_bodies(model)
    for motors in _list_motors(model):
        places = [place for place, entry in enumerate(motors.entries) if entry in bare]
        # Joints S whose bodies have no inertia move the inertia B of the motors: their part of the
        # mass matrix is A_SS = W^T B W, where W has the columns S of T^-1. A_SS has an inverse if
        # the rows of W for motors with inertia have the rank |S|.
        turned = [
            [float(row[place]) for place in places]
            for row, inertia in zip(motors.inverse, motors.coupling.inertias, strict=True)
            if inertia or not inertia.is_known
        ]
        if places and (not turned or np.linalg.matrix_rank(turned) < len(places)):
            return (
                f"link {bare[motors.entries[places[0]]].name} has no inertia that its joint can "
                "move, and too few of its coupled motors have inertia. Give the link mass and "
                "inertia, or give each motor an inertia"
            )
    coupled = [entry for motors in _list_motors(model) for entry in motors.entries]
    return describe_missing_inertia(model, coupled)


def _couple(reference: Any, forces: Any, qdd: Any, magnitudes: bool = False) -> Any:
    """Return the motor forces that cause given joint forces and joint accelerations.

    `forces` are the joint forces without coupled motors, and `qdd` the joint accelerations, both of
    shape (states, n) for n joint velocities. With `magnitudes`, the sum of the absolute values of
    the terms of each motor force is returned.
    """
    torques = forces.copy()
    for motors in reference.couplings:
        entries, matrix = list(motors.entries), motors.matrix
        inverse = np.linalg.inv(matrix)
        if magnitudes:
            matrix, inverse = np.abs(matrix), np.abs(inverse)
        acceleration = qdd[..., entries] @ inverse.T
        torques[..., entries] = forces[..., entries] @ matrix + motors.inertias * acceleration
    return torques


def _expect_inverse(reference: Any, *state: Any) -> tuple[Any]:
    forces = reference.compute_inverse_dynamics(*state)
    return (_couple(reference, forces, state[2]),)


def _inverse_magnitudes(reference: Any, *state: Any) -> tuple[Any]:
    forces = reference.magnitudes.compute_inverse_dynamics(*state)
    return (_couple(reference, forces, np.abs(state[2]), magnitudes=True),)


def _compute_mass_matrix(reference: Any, q: Any) -> Any:
    """Return the mass matrix with the inertias of coupled motors."""
    (matrix,) = MASS_MATRIX.expected_results.outputs(reference, q)
    matrix = matrix.copy()
    for motors in reference.couplings:
        matrix[(..., *np.ix_(motors.entries, motors.entries))] += motors.joint_inertia
    return matrix


def _split(reference: Any, *state: Any) -> tuple[Any, Any, Any]:
    """Return the mass matrix with coupled motors, the joint forces, and their magnitudes.

    `state` contains q, qd, the motor forces, and external wrenches and contact forces, if the robot
    has them. The magnitude of a joint force is the sum of the absolute values of its terms.
    """
    q, _, torques, *_ = state
    forces, sizes = torques.copy(), np.abs(torques)
    for motors in reference.couplings:
        entries, inverse = list(motors.entries), np.linalg.inv(motors.matrix)
        forces[..., entries] = torques[..., entries] @ inverse
        sizes[..., entries] = np.abs(torques[..., entries]) @ np.abs(inverse)
    return _compute_mass_matrix(reference, q), forces, sizes


def _expect_forward(reference: Any, *state: Any) -> tuple[Any]:
    q, qd, _, *wrench = state
    matrix, forces, _ = _split(reference, *state)
    net = forces - reference.compute_inverse_dynamics(q, qd, 0 * qd, *wrench)
    return (np.linalg.solve(matrix, net[..., None])[..., 0],)


def _forward_magnitudes(reference: Any, *state: Any) -> tuple[Any]:
    """Return magnitudes to which rounding errors of the accelerations qdd are proportional.

    They are |M^-1| (|tau| + |M| |qdd| + |h|). M is the mass matrix with coupled motors, tau are the
    joint forces of the motor torques, and h the bias forces. `state` contains q, qd, the motor
    forces, and external wrenches and contact forces, if the robot has them.
    """
    q, qd, _, *wrench = state
    (qdd,) = _expect_forward(reference, *state)
    matrix, _, sizes = _split(reference, *state)
    residual = sizes + reference.magnitudes.compute_inverse_dynamics(q, qd, np.abs(qdd), *wrench)
    for motors in reference.couplings:
        entries = list(motors.entries)
        residual[..., entries] += np.abs(qdd[..., entries]) @ np.abs(motors.joint_inertia)
    return (np.einsum("...ij,...j->...i", np.abs(np.linalg.inv(matrix)), residual),)


def _scale_mass_matrix(reference: Any, q: Any) -> Any:
    """Return the mass matrix with coupled motors, scaled to diagonal entries of one."""
    matrix = _compute_mass_matrix(reference, q)
    unit = np.sqrt(np.abs(np.diagonal(matrix, axis1=-2, axis2=-1)))
    return matrix / (unit[..., None] * unit[..., None, :])


MOTOR_INVERSE_DYNAMICS = DynamicsFunction(
    name="motor_inverse_dynamics",
    formula="tau_motor = T^T (M(q) qdd + C(q, qd) qd + g(q)) + B T^-1 qdd, "
    "with qd = T motor velocities",
    inputs=make_motion_and_wrench("q", "qd", "qdd"),
    outputs=_make_torques,
    methods={"": _record_inverse},
    expected_results=ExpectedResults(_expect_inverse, magnitudes=_inverse_magnitudes),
    availability=Availability(_explain_absence, on_request=True),
)


def _forward_inputs(model: RobotModel) -> tuple[Argument, ...]:
    q, qd, *wrench = make_motion_and_wrench("q", "qd")(model)
    return (q, qd, *_make_torques(model), *wrench)


MOTOR_FORWARD_DYNAMICS = DynamicsFunction(
    name="motor_forward_dynamics",
    formula="qdd = (M(q) + T^-T B T^-1)^-1 (T^-T tau_motor - C(q, qd) qd - g(q)), "
    "with qd = T motor velocities",
    inputs=_forward_inputs,
    outputs=make_joint_motion("qdd"),
    methods={"": _record_forward},
    expected_results=ExpectedResults(
        _expect_forward,
        magnitudes=_forward_magnitudes,
        defined=lambda reference, q, *state: (
            np.linalg.cond(_scale_mass_matrix(reference, q)) <= _WORST_CONDITION
        ),
        solvable=lambda reference, q, *state: (
            np.linalg.eigvalsh(_scale_mass_matrix(reference, q)).min(axis=-1) > 0
        ),
    ),
    availability=Availability(_explain_singular, on_request=True),
)
