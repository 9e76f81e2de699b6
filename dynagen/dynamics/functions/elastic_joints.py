"""Forward dynamics with elastic joints: springs between motors and links.

The model is from Spong, "Modeling and Control of Elastic Joint Robots", ASME Journal of Dynamic
Systems, Measurement, and Control 109(4), 1987. The model neglects the kinetic energy of a rotor
except for its own rotation, so that only the springs couple motors and links:

    M(q) qdd + C(q, qd) qd + g(q) = tau_J,   tau_J = K (theta - q) + D (thetad - qd)
    B thetadd + tau_J = tau

In these equations q are the positions of the joints, and theta the positions of the motors,
reflected to the joints. M is the mass matrix without motor inertias, C the Coriolis matrix and g
the gravity forces. K and D are the stiffnesses and dampings of the springs, tau_J their forces, B
the inertias of the motors, and tau the forces of the motors. Joints without a spring are rigid:
tau_J = tau, and M contains their motor inertia.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from dynagen.dynamics.algorithms.recording import Recording
from dynagen.dynamics.arguments import make_joint_motion
from dynagen.dynamics.candidate import ARTICULATED
from dynagen.dynamics.function import (
    Availability,
    DynamicsFunction,
    ExpectedResults,
    Results,
)
from dynagen.dynamics.functions.forward_dynamics import (
    FORWARD_DYNAMICS,
    SOLUTIONS,
    describe_missing_inertia,
    is_defined,
    is_solvable,
)
from dynagen.dynamics.functions.mass_matrix import MASS_MATRIX
from dynagen.dynamics.recording import Quantity, formula
from dynagen.dynamics.symbolic import Expr
from dynagen.ir.program import Argument
from dynagen.ir.symbols import SCALAR, Symbol
from dynagen.numbers.exact import ZERO, is_zero
from dynagen.robot.description import Elasticity
from dynagen.robot.model.model import Body, RobotModel

MOTOR_POSITIONS, MOTOR_VELOCITIES, MOTOR_ACCELERATIONS = "theta", "thetad", "thetadd"

TJ = Symbol("tj", "i", SCALAR, "force of the spring between motor and link at joint i", "N m or N")


@formula
def spring_force(stiffness: Expr, stretch: Expr, damping: Expr, relative_velocity: Expr) -> Expr:
    """Return K (theta - q) + D (thetad - qd), the force of the spring between motor and link.

    Args:
        stiffness: stiffness K of the spring.
        stretch: position theta of the motor minus position q of the joint.
        damping: damping D of the spring.
        relative_velocity: velocity thetad of the motor minus velocity qd of the joint.
    """
    return stiffness * stretch + damping * relative_velocity


def list_elastic_bodies(model: RobotModel) -> tuple[Body, ...]:
    """Return the bodies whose joints are elastic, in the order of the joint positions q."""
    return tuple(body for body in model.coordinates if body.elasticity is not None)


def remove_motors(model: RobotModel) -> RobotModel:
    """Return the robot with zero motor inertia at every elastic joint."""
    return replace(model, bodies=tuple(map(_remove_motor, model.bodies)))


def _remove_motor(body: Any) -> Any:
    """Return a body without its motor's inertia if its joint is elastic."""
    return body if body.elasticity is None else replace(body, motor_inertia=ZERO)


def _make_motor_motion(model: RobotModel, *names: str) -> tuple[Argument, ...]:
    """Return arguments of the motors' motion, with one entry for each elastic joint.

    `names` are among `MOTOR_POSITIONS`, `MOTOR_VELOCITIES` and `MOTOR_ACCELERATIONS`.
    """
    bodies = list_elastic_bodies(model)
    words = {
        MOTOR_POSITIONS: ("positions", ""),
        MOTOR_VELOCITIES: ("velocities", "/s"),
        MOTOR_ACCELERATIONS: ("accelerations", "/s^2"),
    }
    joints = ", ".join(body.name for body in bodies)
    return tuple(
        Argument(
            name,
            (len(bodies),),
            tuple(f"{body.joint.type.position_unit}{words[name][1]}" for body in bodies),
            f"{words[name][0]} of the motors of elastic joints ({joints}), at the joint",
        )
        for name in names
    )


def _inputs(model: RobotModel) -> tuple[Argument, ...]:
    q, qd, *forces = FORWARD_DYNAMICS.inputs(model)
    return (q, qd, *_make_motor_motion(model, MOTOR_POSITIONS, MOTOR_VELOCITIES), *forces)


def _outputs(model: RobotModel) -> tuple[Argument, ...]:
    return (*make_joint_motion("qdd")(model), *_make_motor_motion(model, MOTOR_ACCELERATIONS))


def _explain_absence(model: RobotModel) -> str:
    """Return why a robot has no forward dynamics with elastic joints, or an empty string."""
    bodies = list_elastic_bodies(model)
    if model.has_mimics:
        return "the robot has mimicking joints"
    if not bodies:
        return "no joint is elastic: give motors a stiffness (motor: {inertia, stiffness})"
    for body in bodies:
        if is_zero(body.motor_inertia):
            return f"the motor of {body.name} has no inertia, so its acceleration is undefined"
    return describe_missing_inertia(remove_motors(model))


@dataclass(frozen=True)
class _LinkRecording(Recording):
    """Recording of the links' dynamics, with spring forces as joint forces of elastic joints."""

    forces: tuple[Quantity, ...] = ()

    def add_elements(self, argument: str) -> tuple[Quantity, ...]:
        """Return the elements of an input argument; for tau, return the attribute `forces`."""
        return self.forces if argument == "tau" else super().add_elements(argument)


def _record(method: str, recording: Recording) -> Results:
    """Record accelerations of joints and motors by a method of forward dynamics."""
    recording.begin_section("Springs between motors and links")
    forces = list(recording.add_elements("tau"))
    motors = []
    for number, body in enumerate(list_elastic_bodies(recording.model)):
        spring, entry = body.elasticity, body.joint.idx_v
        assert isinstance(spring, Elasticity)  # of elastic bodies
        stretch = recording.add_element(MOTOR_POSITIONS, number) - recording.find_position(body)
        velocity = recording.add_element(MOTOR_VELOCITIES, number) - recording.velocities[entry]
        force = spring_force(spring.stiffness, stretch, spring.damping, velocity)
        # tau_J acts on the link, and its reaction on the motor (Spong 1987).
        force = force.name(TJ(entry + 1))
        motors.append((forces[entry] - force) * body.motor_inertia.reciprocal())
        forces[entry] = force
    # Any method of forward dynamics serves for the links: their tau is tau_J, without motors.
    links = _LinkRecording(
        recording.recorder,
        remove_motors(recording.model),
        tuple(map(_remove_motor, recording.bodies)),
        tuple(forces),
    )
    (accelerations,) = FORWARD_DYNAMICS.methods[method](links)
    return accelerations, motors


class _Expected:
    """Expected results of forward dynamics with elastic joints.

    They are computed from the spring forces and the numeric dynamics of the links. In all methods,
    `state` contains q, qd, the positions and the velocities of the motors, tau, and external
    wrenches and contact forces, if the robot has them.
    """

    def compute(self, reference: Any, *state: Any) -> tuple[Any, Any]:
        """Return the expected accelerations of joints and motors."""
        links, forces, spring, entries = self._separate(reference, *state)
        q, qd, _, _, tau, *wrench = state
        (qdd,) = FORWARD_DYNAMICS.expected_results.outputs(links, q, qd, forces, *wrench)
        return qdd, (tau[..., entries] - spring) / self._list_inertias(reference)

    def compute_magnitudes(self, reference: Any, *state: Any) -> tuple[Any, Any]:
        """Return magnitudes to which rounding errors of the accelerations are proportional.

        There is one for each acceleration of a joint or a motor.
        """
        links, forces, _, entries = self._separate(reference, *state)
        q, qd, theta, thetad, tau, *wrench = state
        (scale,) = FORWARD_DYNAMICS.expected_results.compute_scales(links, q, qd, forces, *wrench)
        stiffness, damping = self._list_springs(reference)
        at = self._find_positions(reference)
        terms = stiffness * (np.abs(theta) + np.abs(q[..., at]))
        terms = terms + damping * (np.abs(thetad) + np.abs(qd[..., entries]))
        (mass_matrix,) = MASS_MATRIX.expected_results.outputs(links, q)
        inverse = np.abs(np.linalg.inv(mass_matrix))[..., entries]
        return (
            scale + np.einsum("...ij,...j->...i", inverse, terms),
            (np.abs(tau[..., entries]) + terms) / self._list_inertias(reference),
        )

    def is_defined(self, reference: Any, *state: Any) -> Any:
        """Return for each state whether the mass matrix of the links is well conditioned."""
        return is_defined(self._remove_motors(reference), state[0])

    def is_solvable(self, reference: Any, *state: Any) -> Any:
        """Return for each state whether the mass matrix of the links is positive definite."""
        return is_solvable(self._remove_motors(reference), state[0])

    def _separate(self, reference: Any, *state: Any) -> tuple[Any, Any, Any, list[int]]:
        """Separate the links from the motors of elastic joints.

        Returns:
            The numeric reference without the motors of elastic joints; the joint forces that act on
            the links; the spring forces; the indices of elastic joints in qd.
        """
        q, qd, theta, thetad, tau, *_ = state
        entries = [link.variable for link in self._list_elastic(reference)]
        stiffness, damping = self._list_springs(reference)
        stretch = theta - q[..., self._find_positions(reference)]
        spring = stiffness * stretch + damping * (thetad - qd[..., entries])
        forces = tau.copy()
        # Rigid joints keep tau; only elastic joints have the force of their spring.
        forces[..., entries] = spring
        return self._remove_motors(reference), forces, spring, entries

    def _remove_motors(self, reference: Any) -> Any:
        links = tuple(
            replace(link, motor_inertia=0.0) if link.elasticity else link
            for link in reference.links
        )
        return replace(reference, links=links)

    def _list_elastic(self, reference: Any) -> list[Any]:
        return [link for link in reference.links if link.elasticity is not None]

    def _find_positions(self, reference: Any) -> list[int]:
        return [link.place for link in self._list_elastic(reference)]

    def _list_inertias(self, reference: Any) -> Any:
        return np.array([link.motor_inertia for link in self._list_elastic(reference)])

    def _list_springs(self, reference: Any) -> tuple[Any, Any]:
        springs = [link.elasticity for link in self._list_elastic(reference)]
        return (
            np.array([float(spring.stiffness) for spring in springs]),
            np.array([float(spring.damping) for spring in springs]),
        )


_EXPECTED = _Expected()
ELASTIC_FORWARD_DYNAMICS = DynamicsFunction(
    name="elastic_forward_dynamics",
    formula="qdd = M(q)^-1 (tau_J - C(q, qd) qd - g(q)), thetadd = B^-1 (tau - tau_J), "
    "tau_J = K (theta - q) + D (thetad - qd)",
    inputs=_inputs,
    outputs=_outputs,
    methods={method: partial(_record, method) for method in SOLUTIONS},
    expected_results=ExpectedResults(
        _EXPECTED.compute,
        magnitudes=_EXPECTED.compute_magnitudes,
        defined=_EXPECTED.is_defined,
        solvable=_EXPECTED.is_solvable,
    ),
    availability=Availability(
        _explain_absence, on_request=True, methods_for_free_joints=(ARTICULATED,)
    ),
    # Motor inertias stay apart from the links: regrouping must not add them to moments of inertia.
    keeps_loads=True,
)
