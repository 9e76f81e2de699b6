"""Simulated robots with elastic joints or coupled motors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynagen.apps.simulation.rigid_plant import Plant
from dynagen.apps.simulation.torques import Torques
from dynagen.errors import UsageError
from dynagen.numbers.arrays import Array
from dynagen.robot.description import RobotDescription


def choose_plant(robot: RobotDescription) -> type[Plant]:
    """Return the class for simulating a robot: rigid joints, elastic joints or coupled motors.

    Raises:
        UsageError: the robot has elastic joints, and coupled motors or friction that depends on the
            load.
    """
    elastic = [link for link in robot.links if link.elasticity is not None]
    if not elastic:
        return CoupledPlant if robot.couplings else Plant
    name = elastic[0].name
    if robot.couplings:
        raise UsageError(
            f"the simulation does not support elastic joints ({name}) next to coupled motors: "
            "leave out `stiffness` or `couplings` in the description"
        )
    for link in elastic:
        if link.friction is not None and (link.friction.bearings or link.friction.transmission):
            raise UsageError(
                f"the simulation does not support friction that depends on the load in an elastic "
                f"joint ({link.name}): leave out `stiffness`, or use coulomb friction"
            )
    return ElasticPlant


class _Springs(NamedTuple):
    """Springs of a robot, one entry for each of its m elastic joints, in SI units.

    `places` and `entries` are the indices of these joints in the position and the velocity vector.
    `inertia` is the inertia of each motor, as seen at the joint.
    """

    places: NDArray[np.int_]
    entries: NDArray[np.int_]
    stiffness: Array
    damping: Array
    inertia: Array


@dataclass(frozen=True)
class ElasticPlant(Plant):
    """Robot with m elastic joints, whose state also contains the motion of the m motors.

    With motor positions theta, the position and velocity vectors are (q, theta) and (qd, thetad). A
    force vector contains the forces of n joints, followed by the forces of m motors. The motor
    force tau and the friction of an elastic joint act on the motor (Spong 1987), because friction
    arises in motors and gears. If all joints are elastic,

        M(q) qdd + C(q, qd) qd + g(q) = tau_J,   tau_J = K (theta - q) + D (thetad - qd)
        B thetadd + tau_J = tau - friction(thetad)

    with mass matrix M, bias forces C qd + g and spring forces tau_J. K (stiffness), D (damping) and
    B (motor inertia) are diagonal matrices. Motor positions theta and inertias B are converted to
    the joints by the gear ratios.
    """

    forward_dynamics: ClassVar[str] = "elastic_forward_dynamics"

    @cached_property
    def springs(self) -> _Springs:
        """Stiffness, damping and motor inertia of elastic joints, in the order of the joints."""
        elastic = [
            (link, spring) for link in self.robot.links if (spring := link.elasticity) is not None
        ]
        return _Springs(
            np.array([link.joint.idx_q for link, _ in elastic]),
            np.array([link.joint.idx_v for link, _ in elastic]),
            np.array([float(spring.stiffness) for _, spring in elastic]),
            np.array([float(spring.damping) for _, spring in elastic]),
            np.array([float(link.motor_inertia) for link, _ in elastic]),
        )

    @property
    def motors(self) -> int:
        """Number m of elastic joints, whose motors move separately from the joints."""
        return len(self.springs.entries)

    def add_motors(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Append motor positions and velocities for which all spring forces are zero.

        Args:
            q: the nq joint positions in rad or m, shape (..., nq).
            qd: the n joint velocities in rad/s or m/s, shape (..., n).

        Returns:
            Positions, shape (..., nq + m), and velocities, shape (..., n + m), of joints and m
            motors. Each motor has the position and velocity of its joint.
        """
        springs = self.springs
        return (
            np.concatenate([q, q[..., springs.places]], axis=-1),
            np.concatenate([qd, qd[..., springs.entries]], axis=-1),
        )

    def drive_motors(self, law: Torques) -> Torques:
        """Return a control law for the forces on n joints and m motors, from a law for n joints.

        At elastic joints, the given law receives the positions and velocities of the motors, and
        its forces act on the motors.

        Args:
            law: control law (t, q, qd) -> joint forces in N m or N, shape (..., n).
        """
        springs, m = self.springs, self.motors

        def drive(t: float, q: Array, qd: Array) -> Array:
            seen, moved = q[..., :-m].copy(), qd[..., :-m].copy()
            seen[..., springs.places], moved[..., springs.entries] = q[..., -m:], qd[..., -m:]
            return self._move_to_motors(np.asarray(law(t, seen, moved)))

        return drive

    def take_joint_forces(self, forces: Array) -> Array:
        """Return the sum of the forces on each joint and on its separate motor, if any.

        Args:
            forces: forces of n joints and m motors in N m or N, shape (..., n + m).
        """
        joints = forces[..., : -self.motors].copy()
        joints[..., self.springs.entries] += forces[..., -self.motors :]
        return joints

    def _move_to_motors(self, forces: Array) -> Array:
        """Return forces of joints and motors, from forces of joints.

        The force of an elastic joint is moved to its motor; the joint's own force becomes zero.
        """
        joints = np.array(forces)
        joints[..., self.springs.entries] = 0.0
        return np.concatenate([joints, forces[..., self.springs.entries]], axis=-1)

    def compute_position_derivatives(self, q: Array, qd: Array) -> Array:
        """Compute the time derivatives of joint and motor positions, shape (..., nq + m).

        Args:
            q: nq joint and m motor positions in rad or m, shape (..., nq + m).
            qd: n joint and m motor velocities in rad/s or m/s, shape (..., n + m).
        """
        m = self.motors
        joints = super().compute_position_derivatives(q[..., :-m], qd[..., :-m])
        return np.concatenate([joints, qd[..., -m:]], axis=-1)

    def compute_acceleration(self, q: Array, qd: Array, tau: Array) -> Array:
        """Compute accelerations of joints and motors without friction, shape (..., n + m).

        Args:
            q: nq joint and m motor positions in rad or m, shape (..., nq + m).
            qd: n joint and m motor velocities in rad/s or m/s, shape (..., n + m).
            tau: forces of the drive on joints and motors in N m or N, shape (..., n + m).
        """
        m = self.motors
        state = (q[..., :-m], qd[..., :-m], q[..., -m:], qd[..., -m:])
        forces = self.take_joint_forces(tau)
        results = self.functions[self.forward_dynamics](*state, forces, *self.external)
        return np.concatenate([np.asarray(result) for result in results], axis=-1)

    def compute_mass_matrix(self, q: Array) -> Array:
        """Compute the mass matrix of n joints and m motors, shape (..., n + m, n + m).

        Args:
            q: nq joint and m motor positions in rad or m, shape (..., nq + m).
        """
        m, (_, entries, _, _, inertia) = self.motors, self.springs
        joints = super().compute_mass_matrix(q[..., :-m])
        n = joints.shape[-1]
        matrix = np.zeros((*joints.shape[:-2], n + m, n + m))
        matrix[..., :n, :n] = joints
        matrix[..., entries, entries] -= inertia  # the function counts motors at their joints
        matrix[..., range(n, n + m), range(n, n + m)] = inertia
        return matrix

    def compute_friction(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Compute friction on joints and motors, N m or N, shape (..., n + m).

        The friction of an elastic joint acts on its motor, and depends on the motor's velocity.

        Args:
            q: nq joint and m motor positions in rad or m, shape (..., nq + m).
            qd: n joint and m motor velocities in rad/s or m/s, shape (..., n + m).
            qdd: accelerations of joints and motors in rad/s^2 or m/s^2, shape (..., n + m).
        """
        if not self.has_friction:
            return np.zeros(np.shape(qd))
        m = self.motors
        velocities = qd[..., :-m].copy()
        velocities[..., self.springs.entries] = qd[..., -m:]
        forces = super().compute_friction(q[..., :-m], velocities, qdd[..., :-m])
        return self._move_to_motors(forces)

    @cached_property
    def dry_coordinates(self) -> NDArray[np.bool_]:
        """Whether dry friction can hold each of the n joints, then each of m motors, at rest."""
        held = super().dry_coordinates
        return self._move_to_motors(held[: -self.motors].astype(float)).astype(bool)

    def compute_external_forces(self, q: Array) -> Array:
        """Compute the joint forces J^T f of the external forces f, shape (..., n + m).

        The last m entries belong to the motors and are zero.

        Args:
            q: nq joint and m motor positions in rad or m, shape (..., nq + m).
        """
        joints = super().compute_external_forces(q[..., : -self.motors])
        return np.concatenate([joints, np.zeros((*joints.shape[:-1], self.motors))], axis=-1)

    def compute_power(self, q: Array, qd: Array, forces: Array) -> Array:
        """Compute the power of given and external forces minus the losses in springs.

        The power is in W and has the shape (...).

        Args:
            q: nq joint and m motor positions in rad or m, shape (..., nq + m).
            qd: n joint and m motor velocities in rad/s or m/s, shape (..., n + m).
            forces: forces of drive and friction on joints and motors in N m or N, shape (..., n +
                m).
        """
        m, springs = self.motors, self.springs
        relative = qd[..., -m:] - qd[..., springs.entries]
        losses: Array = np.sum(springs.damping * relative**2, axis=-1)
        return super().compute_power(q, qd, forces) - losses

    def compute_potential_energy(self, q: Array) -> Array:
        """Compute the potential energy of gravity and springs in J, shape (...).

        Args:
            q: nq joint and m motor positions in rad or m, shape (..., nq + m).
        """
        m, springs = self.motors, self.springs
        stretch = q[..., -m:] - q[..., springs.places]
        stored: Array = 0.5 * np.sum(springs.stiffness * stretch**2, axis=-1)
        return super().compute_potential_energy(q[..., :-m]) + stored

    def compute_tool_position(self, q: Array) -> Array:
        """Compute the position of the tool's origin in the base frame in m, shape (..., 3).

        Args:
            q: nq joint and m motor positions in rad or m, shape (..., nq + m).
        """
        return super().compute_tool_position(q[..., : -self.motors])


@dataclass(frozen=True)
class CoupledPlant(Plant):
    """Robot with coupled motors, whose inertia couples the joints.

    With the coupling matrix T, the joint velocities are T times the motor velocities. Motors with
    inertias B (a diagonal matrix) have the inertia A = T^-T B T^-1 at the joints. Joint forces are
    T^-T times the torques of the motors.
    """

    forward_dynamics: ClassVar[str] = "motor_forward_dynamics"

    @cached_property
    def _coupling(self) -> tuple[Array, Array]:
        """Coupling matrix T, and inertia A of the motors at the joints, shape (n, n) each.

        The joint velocities are T times the motor velocities. For joints without coupled motors, T
        is the identity and A is zero.
        """
        entries = {link.name: link.joint.idx_v for link in self.robot.links}
        coupling, inertia = np.eye(self.count), np.zeros((self.count, self.count))
        for motors in self.robot.couplings:
            place = np.ix_(*([entries[name] for name in motors.links],) * 2)
            matrix = np.array([[float(number) for number in row] for row in motors.matrix])
            inverse = np.linalg.inv(matrix)
            coupling[place] = matrix
            inertia[place] = inverse.T @ np.diag([float(b) for b in motors.inertias]) @ inverse
        return coupling, inertia

    def compute_acceleration(self, q: Array, qd: Array, tau: Array) -> Array:
        """Compute joint accelerations without friction, shape (..., n), in rad/s^2 or m/s^2.

        Args:
            q: the nq positions in rad or m, shape (..., nq).
            qd: the n velocities in rad/s or m/s, shape (..., n).
            tau: joint forces in N m or N, shape (..., n).
        """
        return self._compute(self.forward_dynamics, q, qd, tau @ self._coupling[0], *self.external)

    def compute_mass_matrix(self, q: Array) -> Array:
        """Compute the mass matrix of n joints with coupled motors, shape (..., n, n).

        Args:
            q: the nq positions in rad or m, shape (..., nq).
        """
        return super().compute_mass_matrix(q) + self._coupling[1]
