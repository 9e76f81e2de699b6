"""Simulated robot: accelerations, friction and energies from compiled functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynagen.errors import UsageError, refuse_if, suggest_word
from dynagen.numbers.arrays import Array
from dynagen.numbers.exact import Exact
from dynagen.pipeline.settings import Settings
from dynagen.robot.coordinates import refuse_special_joints
from dynagen.robot.description import CentralInertia, Friction, LinearRow, RobotDescription
from dynagen.robot.edits import substitute
from dynagen.robot.options import ReadingKeywords, make_reading_options
from dynagen.runtime.api import AnyRobot, as_description
from dynagen.runtime.compilation import compile_ufuncs
from dynagen.runtime.ufunc import Ufunc
from dynagen.verification.coordinates import Coordinates
from dynagen.verification.kinematics import (
    compute_joint_frames,
    make_numeric_links,
    round_vector,
)
from dynagen.verification.loops import make_coordinates

if TYPE_CHECKING:
    from typing_extensions import Unpack


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
            shape (3 m,). Absent kinds have no array.
    """

    robot: RobotDescription
    functions: Mapping[str, Ufunc]
    external: tuple[Array, ...]

    @property
    def positions(self) -> int:
        """Number nq of positions: the number n of velocities plus one for each quaternion."""
        return self.functions["forward_dynamics"].inputs[0].size

    @property
    def count(self) -> int:
        """Number n of joint velocities."""
        return self.functions["forward_dynamics"].inputs[1].size

    @cached_property
    def coordinates(self) -> Coordinates:
        """Conversion from q to the positions of all joints."""
        return make_coordinates(self.robot)

    def compute_position_derivatives(self, q: Array, qd: Array) -> Array:
        """Compute dq/dt, shape (..., nq), from the joint velocities qd.

        For quaternions, dq/dt contains a term that corrects integration errors of their length and
        vanishes for unit quaternions.

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
        """Whether friction is simulated."""
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
        return self._compute("forward_dynamics", q, qd, tau, *self.external)

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
        rest = np.zeros((*np.shape(q)[:-1], self.count))
        if not self.external:
            return rest
        # Inverse dynamics with external forces lacks J^T f: the difference is that term.
        without, acting = (
            self._compute("inverse_dynamics", q, rest, rest, *(scale * f for f in self.external))
            for scale in (0.0, 1.0)
        )
        return without - acting

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

        The energy is computed from the description, not by generated code, so that the energy
        balance checks the generated code.
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


def plant_of(
    robot: AnyRobot,
    parameters: Mapping[str, float] | None = None,
    wrench: ArrayLike | None = None,
    friction: bool = True,
    force: ArrayLike | None = None,
    **options: Unpack[ReadingKeywords],
) -> Plant:
    """Compile and prove the functions for the simulation of a robot.

    Args:
        robot: a description, or any argument of `load_robot`.
        parameters: values of run-time parameters by name, including those of a payload; other
            parameters keep their defaults.
        wrench: six numbers (N, N m) for each frame of external wrenches in the description; None
            for zero.
        friction: whether the described friction is simulated.
        force: three numbers (N), in base axes, for each frame of contact forces in the description;
            None for zero.
        options: options of `load_robot`.

    Raises:
        UsageError: the robot lacks a given parameter or a frame for external forces, or a number is
            not finite.
    """
    robot = as_description(robot, make_reading_options(**options))
    joints = (link.joint for link in robot.links)
    refuse_special_joints(
        robot.name, joints, "the simulation", with_loops=True, with_spherical_joints=True
    )
    known = [parameter.name for parameter in robot.parameters]
    for name, value in (parameters or {}).items():
        if name not in known:
            listed = f"; expected {', '.join(known)}" if known else ", nor any other"
            raise UsageError(
                f"{robot.name} has no run-time parameter `{name}`{suggest_word(name, known)}"
                f"{listed}"
            )
        refuse_if(
            not np.isfinite(value), f"parameter {name}: expected a finite number, found {value}"
        )
    external = (
        *_read_external(robot.name, "wrench", wrench, robot.external_wrenches),
        *_read_external(robot.name, "force", force, robot.contact_forces),
    )
    numeric = set_parameter_values(robot, parameters or {})
    names = ["forward_dynamics", "mass_matrix", "forward_kinematics"]
    names += (
        ["friction_forces"]
        if friction and any(link.friction is not None for link in robot.links)
        else []
    )
    names += ["inverse_dynamics"] if external else []
    return Plant(numeric, compile_ufuncs(numeric, Settings(functions=tuple(names))), external)


_EXTERNAL = {
    "wrench": (6, "force and moment", "external_wrench", "wrench_at"),
    "force": (3, "force in base axes", "contact_force", "contact_force"),
}
"""Kinds of external forces: count and meaning of a frame's numbers, YAML key, Python option."""


def _read_external(
    robot: str, kind: str, values: ArrayLike | None, frames: Sequence[str]
) -> tuple[Array, ...]:
    """Return the numbers of one kind of external force; () if the robot has no frame for it."""
    each, meaning, key, option = _EXTERNAL[kind]
    if not frames:
        refuse_if(
            values is not None,
            f"{robot} has no frame for a {kind}: name it in the description ({key}) or with "
            f"{option}",
        )
        return ()
    size = each * len(frames)
    acting = np.zeros(size) if values is None else np.asarray(values, dtype=float)
    numbers = f"{size} numbers, {meaning}" + (" for each frame" if len(frames) > 1 else "")
    refuse_if(
        acting.shape != (size,),
        f"{kind}: expected {numbers}, found an array of shape {acting.shape}",
    )
    refuse_if(not np.isfinite(acting).all(), f"{kind}: expected finite numbers")
    return (acting,)


def set_parameter_values(
    robot: RobotDescription, parameters: Mapping[str, float]
) -> RobotDescription:
    """Return the robot with numbers in place of its run-time parameters.

    Args:
        robot: the description.
        parameters: value by parameter name; other parameters have their defaults.
    """
    values = {name: Exact(Fraction(repr(float(value)))) for name, value in parameters.items()}
    return replace(substitute(robot, values), parameters=(), payload=())


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
