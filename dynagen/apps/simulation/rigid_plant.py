"""Simulated robot with rigid joints: accelerations, friction and energies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dynagen.apps.simulation.torques import Torques
from dynagen.errors import UsageError
from dynagen.numbers.arrays import Array
from dynagen.robot.description import CentralInertia, Friction, LinearRow, RobotDescription
from dynagen.runtime.ufunc import Ufunc
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.kinematics import (
    compute_joint_frames,
    make_numeric_links,
    round_vector,
)
from dynagen.verification.loops import make_coordinates

_BARELY_MOVING = 1e-12  # rad/s or m/s: a velocity with a sign but negligible viscous friction
_RESTORING = 1.0  # 1/s, gain that restores the length of the quaternion
_ROUNDS = 100  # of the fixed-point iteration for load-dependent friction
_WITHIN = 1e-13  # relative change at which it has converged


@dataclass(frozen=True)
class Plant:
    """Robot for simulation, with numbers in place of its run-time parameters.

    Attributes:
        robot: the description.
        functions: compiled functions by name. friction_forces is present only with friction, and
            inverse_dynamics only with external forces.
        external: constant external forces. For k frames of external wrenches: forces (N) and
            moments (N m), shape (6 k,). For m frames of contact forces: forces (N) in base axes,
            shape (3 m,). A kind of force that does not act has no array.
    """

    robot: RobotDescription
    functions: Mapping[str, Ufunc]
    external: tuple[Array, ...]

    forward_dynamics: ClassVar[str] = "forward_dynamics"
    """Name of the function that computes accelerations."""

    @property
    def motors(self) -> int:
        """Number m of motors that are elastic joints' own: their entries are the last ones."""
        return 0

    @property
    def positions(self) -> int:
        """Number of positions: n velocities, one more for each quaternion, and m motors."""
        return self.functions[self.forward_dynamics].inputs[0].size + self.motors

    @property
    def count(self) -> int:
        """Number of velocities: n of joints and m of motors."""
        return self.functions[self.forward_dynamics].inputs[1].size + self.motors

    def add_motors(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return positions and velocities, including the motors of elastic joints."""
        return q, qd

    def drive_motors(self, law: Torques) -> Torques:
        """Return a law of joint forces as one of the forces on joints and motors."""
        return law

    def take_joint_forces(self, forces: Array) -> Array:
        """Return the forces of n joints from the forces of joints and motors."""
        return forces

    @cached_property
    def coordinates(self) -> Coordinates:
        """Conversion from q to the positions of all joints."""
        return make_coordinates(self.robot)

    def compute_position_derivatives(self, q: Array, qd: Array) -> Array:
        """Compute dq/dt, shape (..., nq), from the joint velocities qd.

        For quaternions, dq/dt contains a term that corrects integration errors of the quaternion's
        length and vanishes for unit quaternions.

        Args:
            q: positions, shape (..., nq).
            qd: velocities, shape (..., n).
        """
        if not self.coordinates.has_turning_axes:
            return qd
        rates: Array = self.coordinates.move(q, qd) - q
        for place in self.coordinates.orientations:
            quaternion = q[..., place : place + 4]
            rates[..., place : place + 4] += (
                _RESTORING * (1 - np.sum(quaternion**2, axis=-1, keepdims=True)) * quaternion
            )
        return rates

    @property
    def has_friction(self) -> bool:
        """Whether the simulation includes joint friction."""
        return "friction_forces" in self.functions

    def compute_acceleration(self, q: Array, qd: Array, tau: Array) -> Array:
        """Compute accelerations without friction: qdd = M^-1 (tau - C qd - g + J^T f).

        Args:
            q: positions, shape (..., nq).
            qd: velocities, shape (..., n).
            tau: joint forces, shape (..., n).

        Returns:
            The joint accelerations, shape (..., n), in rad/s^2 or m/s^2.
        """
        return self._compute(self.forward_dynamics, q, qd, tau, *self.external)

    def compute_mass_matrix(self, q: Array) -> Array:
        """Compute the mass matrix M(q), shape (..., n, n), for positions q of shape (..., nq)."""
        return self._compute("mass_matrix", q)

    def compute_friction(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Compute friction forces, shape (..., n), which are positive for positive velocities.

        Args:
            q: positions, shape (..., nq).
            qd: velocities, shape (..., n).
            qdd: accelerations, shape (..., n), for friction that depends on the load.
        """
        if not self.has_friction:
            return np.zeros(np.shape(qd))
        motion = (
            (qd,) if self.functions["friction_forces"].nin == 1 else (q, qd, qdd, *self.external)
        )
        forces: Array = self.functions["friction_forces"](*motion)
        return forces

    def compute_sliding_friction(self, q: Array, qd: Array, qdd: Array, direction: Array) -> Array:
        """Compute friction forces for given sliding directions, shape (..., n), also at rest.

        Args:
            q: positions, shape (..., nq).
            qd: velocities, shape (..., n).
            qdd: accelerations, shape (..., n).
            direction: 1 or -1 for the direction of sliding; 0 to use the sign of the velocity.
        """
        return self.compute_friction(
            q,
            np.where(direction != 0, direction * np.maximum(direction * qd, _BARELY_MOVING), qd),
            qdd,
        )

    def compute_acceleration_with_friction(self, q: Array, qd: Array, tau: Array) -> Array:
        """Compute accelerations with the friction forces of the velocities, shape (..., n).

        Args:
            q: positions, shape (..., nq).
            qd: velocities, shape (..., n).
            tau: joint forces, shape (..., n).
        """
        if not self.has_friction:
            return self.compute_acceleration(q, qd, tau)
        return self.iterate_friction(
            lambda qdd: self.compute_acceleration(q, qd, tau - self.compute_friction(q, qd, qdd)),
            qd,
        )

    def iterate_friction(self, step: Any, start: Array) -> Array:
        """Iterate accelerations and load-dependent friction until both are constant.

        Friction of bearings and gears depends on the forces that joints carry.

        Args:
            step: function from accelerations to accelerations, shape (..., n).
            start: array with the shape of the accelerations; its values are not used.

        Raises:
            UsageError: the iteration does not converge, because friction locks a joint.
        """
        qdd: Array = step(np.zeros_like(start))
        if not self.friction_depends_on_load:
            return qdd
        for _ in range(_ROUNDS):
            before, qdd = qdd, step(qdd)
            if np.all(np.abs(qdd - before) <= _WITHIN * (1 + np.abs(qdd))):
                return qdd
        raise UsageError(
            f"{self.robot.name}: friction that depends on the load has no solution in this "
            "state, because a joint locks itself. Lower the coefficient of its bearing, or raise "
            "the efficiency of its "
            "transmission"
        )

    @cached_property
    def friction_depends_on_load(self) -> bool:
        """Whether friction depends on the load of joints, and therefore on accelerations."""
        return self.has_friction and self.functions["friction_forces"].nin > 1

    @cached_property
    def dry_coordinates(self) -> NDArray[np.bool_]:
        """True for coordinates that dry friction (exact sign) can hold at rest, shape (n,)."""
        held = np.zeros(self.count, dtype=bool)
        for link in self.robot.links:
            if self.has_friction and link.friction is not None and _can_stick(link.friction):
                held[link.joint.idx_v] = True
        return held

    def compute_external_forces(self, q: Array) -> Array:
        """Compute the joint forces J^T f of the external forces, shape (..., n)."""
        joints = self.functions[self.forward_dynamics].inputs[1].size
        rest = np.zeros((*np.shape(q)[:-1], joints))
        if not self.external:
            return rest
        # Inverse dynamics with external forces lacks J^T f: the difference is that term.
        without, acting = (
            self._compute("inverse_dynamics", q, rest, rest, *(scale * f for f in self.external))
            for scale in (0.0, 1.0)
        )
        return without - acting

    def compute_power(self, q: Array, qd: Array, forces: Array) -> Array:
        """Compute the power of joint forces and external forces in W, shape (...)."""
        if self.external:
            forces = forces + self.compute_external_forces(q)
        power: Array = np.sum(qd * forces, axis=-1)
        return power

    def _compute(self, name: str, *inputs: Array, output: int = 0) -> Array:
        """Return an output of a compiled function, or NaN where closed loops cannot close."""
        results = self.functions[name](*inputs)
        if not isinstance(results, tuple):
            return np.asarray(results)
        result = np.asarray(results[output])
        if not self.has_status:
            return result
        status = np.asarray(results[-1])
        return np.where(
            status.reshape(status.shape + (1,) * (result.ndim - status.ndim)), np.nan, result
        )

    @property
    def has_status(self) -> bool:
        """Whether the robot's loops can fail to close, so that its functions return a status."""
        return any(not isinstance(step, LinearRow) for step in self.robot.closure)

    def compute_kinetic_energy(self, q: Array, qd: Array) -> Array:
        """Compute 1/2 qd^T M qd in J, shape (...)."""
        energy: Array = 0.5 * np.einsum("...i,...ij,...j->...", qd, self.compute_mass_matrix(q), qd)
        return energy

    def compute_potential_energy(self, q: Array) -> Array:
        """Compute the potential energy of gravity in J, shape (...), zero at the base origin.

        The potential energy is computed from the description, not by generated code, so that the
        energy balance checks the generated code.
        """
        links, gravity = make_numeric_links(self.robot), round_vector(self.robot.gravity)
        positions = self.coordinates.compute_positions(q)
        energy: Array = np.zeros(np.shape(q)[:-1])
        for link, pose in zip(links, compute_joint_frames(links, positions)[1], strict=True):
            inertial, mass = link.inertial, float(link.inertial.mass)
            moment = (
                mass * round_vector(inertial.com)
                if isinstance(inertial, CentralInertia)
                else round_vector(inertial.first_moment)
            )
            energy = energy - (mass * pose[..., :3, 3] + pose[..., :3, :3] @ moment) @ gravity
        return energy

    def compute_tool_position(self, q: Array) -> Array:
        """Compute the tool's position in the base frame in m, shape (..., 3)."""
        return self._compute("forward_kinematics", q, output=1)

    def compute_smallest_pivot(self, q: Array) -> tuple[int, float]:
        """Compute the smallest pivot of M = L D L^T relative to M's diagonal, for q (nq,).

        The mass matrix M is positive definite if and only if the smallest pivot is positive.

        Returns:
            The index of the pivot's coordinate, from 0, and the pivot.
        """
        matrix = self.compute_mass_matrix(q)
        size = np.sqrt(np.maximum(np.abs(np.diagonal(matrix)), np.finfo(float).tiny))
        rest, pivots = matrix / np.outer(size, size), np.empty(len(size))
        for joint in reversed(range(len(size))):  # from the tip, as the generated solvers do
            pivots[joint] = pivot = rest[joint, joint]
            if pivot > 0:
                rest = rest - np.outer(rest[:, joint], rest[joint]) / pivot
        worst = int(np.argmin(pivots))
        return worst, float(pivots[worst])

    def is_definite(self, q: Array) -> bool:
        """Return whether M(q) is positive definite, for positions q of shape (nq,)."""
        return self.compute_smallest_pivot(q)[1] > 0


def _can_stick(friction: Friction) -> bool:
    """Return whether friction is dry and uses the exact sign of the velocity."""
    dry = (
        friction.coulomb,
        friction.coulomb_negative,
        friction.stribeck,
        friction.bearings,
        friction.transmission,
    )
    return friction.sign == "exact" and any(dry)
