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
        robot: the robot description.
        functions: compiled functions by name, such as mass_matrix. friction_forces exists only with
            friction, inverse_dynamics only with external forces.
        external: constant external forces, one array for each kind. The array for k external
            wrenches contains forces (N) and moments (N m) in the axes of their frames, shape (6
            k,). The array for m contact forces contains forces (N) in base axes, shape (3 m,).
    """

    robot: RobotDescription
    functions: Mapping[str, Ufunc]
    external: tuple[Array, ...]

    forward_dynamics: ClassVar[str] = "forward_dynamics"
    """Name of the function that computes accelerations."""

    @property
    def motors(self) -> int:
        """Number m of motors that move separately from joints, one for each elastic joint.

        In vectors of positions and velocities, the motors follow the joints.
        """
        return 0

    @property
    def positions(self) -> int:
        """Length nq + m of the position vector.

        nq is the number of joint positions (four for each quaternion), m the number of separate
        motors.
        """
        return self.functions[self.forward_dynamics].inputs[0].size + self.motors

    @property
    def count(self) -> int:
        """Length n + m of the velocity vector: n joint velocities and m motor velocities."""
        return self.functions[self.forward_dynamics].inputs[1].size + self.motors

    def add_motors(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Append positions and velocities of motors that move separately from the joints.

        A robot with rigid joints has no such motors (m = 0).

        Args:
            q: the nq joint positions in rad or m, shape (..., nq).
            qd: the n joint velocities in rad/s or m/s, shape (..., n).

        Returns:
            Positions, shape (..., nq + m), and velocities, shape (..., n + m), for m separate
            motors.
        """
        return q, qd

    def drive_motors(self, law: Torques) -> Torques:
        """Return a control law for n joints and m separate motors, from a law for the joints.

        Each elastic joint has a separate motor. If all joints are rigid, m is 0, and the returned
        law is the given law.

        Args:
            law: control law (t, q, qd) -> forces of the n joints in N m or N, shape (..., n).

        Returns:
            Control law for positions and velocities of joints and separate motors, shapes (..., nq
            + m) and (..., n + m), with results of shape (..., n + m).
        """
        return law

    def take_joint_forces(self, forces: Array) -> Array:
        """Return the forces of n joints from the forces on joints and separate motors.

        Each elastic joint has a separate motor. If all joints are rigid, m is 0.

        Args:
            forces: forces on n joints, then on m separate motors, in N m or N, shape (..., n + m).
        """
        return forces

    @cached_property
    def coordinates(self) -> Coordinates:
        """Conversion from the position vector q to the positions of all joints."""
        return make_coordinates(self.robot)

    def compute_position_derivatives(self, q: Array, qd: Array) -> Array:
        """Compute dq/dt, shape (..., nq), from the joint velocities qd.

        The derivative of a quaternion contains a term that corrects errors of the quaternion's norm
        from integration. The term is zero for unit quaternions.

        Args:
            q: the nq positions in rad or m, shape (..., nq).
            qd: the n velocities in rad/s or m/s, shape (..., n).
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
        """Whether the simulation includes the described joint friction."""
        return "friction_forces" in self.functions

    def compute_acceleration(self, q: Array, qd: Array, tau: Array) -> Array:
        """Compute accelerations without friction: qdd = M^-1 (tau - C qd - g + J^T f).

        M is the mass matrix, C qd + g the bias forces, and J^T f the joint forces of the constant
        external forces f.

        Args:
            q: the nq positions in rad or m, shape (..., nq).
            qd: the n velocities in rad/s or m/s, shape (..., n).
            tau: joint forces in N m or N, shape (..., n).

        Returns:
            The joint accelerations, shape (..., n), in rad/s^2 or m/s^2.
        """
        return self._compute(self.forward_dynamics, q, qd, tau, *self.external)

    def compute_mass_matrix(self, q: Array) -> Array:
        """Compute the mass matrix for n velocities, shape (..., n, n), at q of shape (..., nq)."""
        return self._compute("mass_matrix", q)

    def compute_friction(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Compute friction forces, N m or N, shape (..., n), positive for positive velocities.

        Args:
            q: the nq positions in rad or m, shape (..., nq).
            qd: the n velocities in rad/s or m/s, shape (..., n).
            qdd: accelerations in rad/s^2 or m/s^2, shape (..., n), for load-dependent friction.
        """
        if not self.has_friction:
            return np.zeros(np.shape(qd))
        motion = (
            (qd,) if self.functions["friction_forces"].nin == 1 else (q, qd, qdd, *self.external)
        )
        forces: Array = self.functions["friction_forces"](*motion)
        return forces

    def compute_sliding_friction(self, q: Array, qd: Array, qdd: Array, direction: Array) -> Array:
        """Compute the friction of joints that slide in given directions, N m or N, shape (..., n).

        A joint with a given direction slides in this direction even if its velocity is zero.

        Args:
            q: the nq positions in rad or m, shape (..., nq).
            qd: the n velocities in rad/s or m/s, shape (..., n).
            qdd: accelerations in rad/s^2 or m/s^2, shape (..., n).
            direction: 1 or -1 for the direction of sliding; 0 to use the sign of the velocity;
                shape (n,).
        """
        return self.compute_friction(
            q,
            np.where(direction != 0, direction * np.maximum(direction * qd, _BARELY_MOVING), qd),
            qdd,
        )

    def compute_acceleration_with_friction(self, q: Array, qd: Array, tau: Array) -> Array:
        """Compute joint accelerations with friction, shape (..., n), in rad/s^2 or m/s^2.

        Friction is evaluated at the velocities qd, and may depend on the load of the joints.

        Args:
            q: the nq positions in rad or m, shape (..., nq).
            qd: the n velocities in rad/s or m/s, shape (..., n).
            tau: joint forces of the drive in N m or N, shape (..., n).
        """
        if not self.has_friction:
            return self.compute_acceleration(q, qd, tau)
        return self.iterate_friction(
            lambda qdd: self.compute_acceleration(q, qd, tau - self.compute_friction(q, qd, qdd)),
            qd,
        )

    def iterate_friction(self, step: Any, start: Array) -> Array:
        """Compute accelerations and load-dependent friction in turn until both are constant.

        Friction of bearings and gears depends on the forces that joints carry.

        Args:
            step: function that computes the friction for given accelerations, and returns the
                accelerations with this friction, shape (..., n).
            start: array with the shape of the accelerations; the values are not used.

        Returns:
            The accelerations, shape (..., n). If friction is independent of loads, `step` is called
            only once.

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
        """Whether friction depends on the forces that joints carry, hence on accelerations."""
        return self.has_friction and self.functions["friction_forces"].nin > 1

    @cached_property
    def dry_coordinates(self) -> NDArray[np.bool_]:
        """Whether dry friction can hold each of the n joints at rest, shape (n,).

        This requires a friction law with the exact sign of the velocity, and not a smooth function.
        """
        held = np.zeros(self.count, dtype=bool)
        for link in self.robot.links:
            if self.has_friction and link.friction is not None and _can_stick(link.friction):
                held[link.joint.idx_v] = True
        return held

    def compute_external_forces(self, q: Array) -> Array:
        """Compute the joint forces J^T f of the constant external forces f.

        The result is in N m or N, shape (..., n). J is the Jacobian of the frames where the
        external forces act.

        Args:
            q: the nq positions in rad or m, shape (..., nq).
        """
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
        """Compute the power of given joint forces and of the external forces in W, shape (...).

        Args:
            q: the nq positions in rad or m, shape (..., nq).
            qd: the n velocities in rad/s or m/s, shape (..., n).
            forces: joint forces of drive and friction in N m or N, shape (..., n).
        """
        if self.external:
            forces = forces + self.compute_external_forces(q)
        power: Array = np.sum(qd * forces, axis=-1)
        return power

    def _compute(self, name: str, *inputs: Array, output: int = 0) -> Array:
        """Return one output of the compiled function `name`; `output` is its number from 0.

        The result is NaN for states in which the robot's closed loops cannot close.
        """
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
        """Whether compiled functions return a status code, since closed loops may fail to close."""
        return any(not isinstance(step, LinearRow) for step in self.robot.closure)

    def compute_kinetic_energy(self, q: Array, qd: Array) -> Array:
        """Compute the kinetic energy 1/2 qd^T M(q) qd in J, shape (...).

        The position q has shape (..., nq), the velocity qd has shape (..., n), and M is the mass
        matrix.
        """
        energy: Array = 0.5 * np.einsum("...i,...ij,...j->...", qd, self.compute_mass_matrix(q), qd)
        return energy

    def compute_potential_energy(self, q: Array) -> Array:
        """Compute the potential energy of gravity in J, shape (...), for q of shape (..., nq).

        The energy is zero for mass at the origin of the base frame. The energy is computed from the
        description, not by generated code, so that the energy balance checks the generated code.
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
        """Compute the position of the tool's origin in the base frame in m, shape (..., 3).

        Args:
            q: the nq positions in rad or m, shape (..., nq).
        """
        return self._compute("forward_kinematics", q, output=1)

    def compute_smallest_pivot(self, q: Array) -> tuple[int, float]:
        """Compute the smallest pivot of Gaussian elimination of the scaled mass matrix.

        The mass matrix at positions q, shape (nq,), is scaled to a diagonal of ones, and eliminated
        from the last coordinate to the first. The mass matrix is positive definite if and only if
        the smallest pivot is positive.

        Returns:
            The index of the pivot's coordinate, from 0, and the pivot, a number without unit.
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
        """Return whether the mass matrix M(q) is positive definite, for q of shape (nq,)."""
        return self.compute_smallest_pivot(q)[1] > 0


def _can_stick(friction: Friction) -> bool:
    """Return whether friction contains dry friction with the exact sign of the velocity."""
    dry = (
        friction.coulomb,
        friction.coulomb_negative,
        friction.stribeck,
        friction.bearings,
        friction.transmission,
    )
    return friction.sign == "exact" and any(dry)
