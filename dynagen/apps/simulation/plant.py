"""Plant: what a simulation asks of a robot: accelerations, friction, energies, all on compiled functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynagen.errors import UsageError, did_you_mean, refuse_if
from dynagen.numbers.exact import Exact
from dynagen.pipeline.settings import Settings
from dynagen.robot.description import CentralInertia, Friction, RobotDescription
from dynagen.robot.edits import substitute
from dynagen.robot.options import ReadingKeywords, reading_options
from dynagen.runtime.api import AnyRobot, as_description
from dynagen.runtime.robot import compile_ufuncs
from dynagen.runtime.ufuncs import Ufunc
from dynagen.verification.kinematics import Coordinates, joint_frames, numeric_links, vector

if TYPE_CHECKING:
    from typing_extensions import Unpack

Array = NDArray[np.float64]

_BARELY_MOVING = 1e-12  # rad/s or m/s: has the sign of a rate and none of its viscous friction
_RESTORING = 1.0  # 1/s
_ROUNDS = 100
_WITHIN = 1e-13


@dataclass(frozen=True)
class Plant:
    """A robot that is simulated: without run-time parameters, their values are in.

    Attributes:
        robot: its description.
        functions: what is compiled of it, by name; friction_forces if friction counts, inverse_dynamics if there is a wrench.
        wrench: force (N) and moment (N m) on it at each of its k external wrenches' frames, shape (6 k,); None if it has none.
    """

    robot: RobotDescription
    functions: Mapping[str, Ufunc]
    wrench: Array | None

    @property
    def positions(self) -> int:
        """Number of positions, nq: one more than of rates if the base floats."""
        return self.functions["forward_dynamics"].inputs[0].size

    @property
    def count(self) -> int:
        """Number of rates, n."""
        return self.functions["forward_dynamics"].inputs[1].size

    @cached_property
    def coordinates(self) -> Coordinates:
        """The coordinates that the joints' variables follow from."""
        return Coordinates.of(self.robot)

    def position_rates(self, q: Array, qd: Array) -> Array:
        """The derivative of q by time, shape (..., nq): qd, and of a floating base what its twist does to its pose.

        A term that vanishes for unit quaternions draws back those that the error of integration has made longer or shorter.
        """
        if not self.coordinates.floats:
            return qd
        rates: Array = self.coordinates.moved(q, qd) - q
        quaternion = q[..., 3:7]
        rates[..., 3:7] += (
            _RESTORING * (1 - np.sum(quaternion**2, axis=-1, keepdims=True)) * quaternion
        )
        return rates

    @property
    def has_friction(self) -> bool:
        """Whether friction counts."""
        return "friction_forces" in self.functions

    def acceleration(self, q: Array, qd: Array, tau: Array) -> Array:
        """Accelerations without friction, shape (..., n): qdd = M^-1 (tau - C qd - g + J^T wrench)."""
        qdd: Array = self.functions["forward_dynamics"](q, qd, tau, *self._load)
        return qdd

    def mass_matrix(self, q: Array) -> Array:
        """M(q), shape (..., n, n)."""
        matrix: Array = self.functions["mass_matrix"](q)
        return matrix

    def friction(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Friction torques, positive against positive rates, shape (..., n)."""
        if not self.has_friction:
            return np.zeros(np.shape(qd))
        motion = (qd,) if self.functions["friction_forces"].nin == 1 else (q, qd, qdd, *self._load)
        forces: Array = self.functions["friction_forces"](*motion)
        return forces

    def friction_sliding(self, q: Array, qd: Array, qdd: Array, direction: Array) -> Array:
        """Friction of joints that slide in given directions (1, -1, or 0: as their rates say), also at rest."""
        return self.friction(
            q,
            np.where(direction != 0, direction * np.maximum(direction * qd, _BARELY_MOVING), qd),
            qdd,
        )

    def acceleration_with_friction(self, q: Array, qd: Array, tau: Array) -> Array:
        """Accelerations under friction that follows from the rates, shape (..., n)."""
        if not self.has_friction:
            return self.acceleration(q, qd, tau)
        return self.settled(
            lambda qdd: self.acceleration(q, qd, tau - self.friction(q, qd, qdd)), qd
        )

    def settled(self, step: Any, start: Array) -> Array:
        """Accelerations that agree with the friction that they cause: of bearings and gears, it depends on what joints carry.

        Raises:
            UsageError: they do not settle: friction locks the joint whatever drives it.
        """
        qdd: Array = step(np.zeros_like(start))
        if not self.friction_depends_on_load:
            return qdd
        for _ in range(_ROUNDS):
            before, qdd = qdd, step(qdd)
            if np.all(np.abs(qdd - before) <= _WITHIN * (1 + np.abs(qdd))):
                return qdd
        raise UsageError(
            f"{self.robot.name}: friction that depends on the load has no solution here: a joint locks itself. "
            "Lower the coefficient of its bearing, or raise the efficiency of its transmission"
        )

    @cached_property
    def friction_depends_on_load(self) -> bool:
        """Whether friction takes accelerations to compute."""
        return self.has_friction and self.functions["friction_forces"].nin > 1

    @cached_property
    def dry(self) -> NDArray[np.bool_]:
        """Coordinates that friction can hold at rest: their sign of the rate is exact, shape (n,)."""
        held = np.zeros(self.count, dtype=bool)
        for link in self.robot.links:
            if self.has_friction and link.friction is not None and _can_stick(link.friction):
                held[link.joint.idx_v] = True
        return held

    def external_forces(self, q: Array) -> Array:
        """Joint forces J^T wrench that the external wrench causes, shape (..., n)."""
        if self.wrench is None:
            return np.zeros((*np.shape(q)[:-1], self.count))
        rest = np.zeros((*np.shape(q)[:-1], self.count))
        inverse_dynamics = self.functions["inverse_dynamics"]
        forces: Array = inverse_dynamics(q, rest, rest, 0 * self.wrench) - inverse_dynamics(
            q, rest, rest, self.wrench
        )
        return forces

    def kinetic_energy(self, q: Array, qd: Array) -> Array:
        """1/2 qd^T M qd in J, shape (...)."""
        energy: Array = 0.5 * np.einsum("...i,...ij,...j->...", qd, self.mass_matrix(q), qd)
        return energy

    def potential_energy(self, q: Array) -> Array:
        """Energy in the field of gravity in J, zero where masses lie in the base frame's origin, shape (...).

        From the description's own frames and masses, not from generated code: energies check the code.
        """
        links, gravity = numeric_links(self.robot), vector(self.robot.gravity)
        positions = self.coordinates.positions(q)
        energy: Array = np.zeros(np.shape(q)[:-1])
        for link, pose in zip(links, joint_frames(links, positions)[1], strict=True):
            inertial, mass = link.inertial, float(link.inertial.mass)
            moment = (
                mass * vector(inertial.com)
                if isinstance(inertial, CentralInertia)
                else vector(inertial.first_moment)
            )
            energy = energy - (mass * pose[..., :3, 3] + pose[..., :3, :3] @ moment) @ gravity
        return energy

    def tool_position(self, q: Array) -> Array:
        """The tool's position in the base frame in m, shape (..., 3)."""
        position: Array = self.functions["forward_kinematics"](q)[1]
        return position

    def smallest_pivot(self, q: Array) -> tuple[int, float]:
        """The smallest pivot of M = L D L^T in units of M's diagonal, and its joint; not positive: neither is M."""
        matrix = self.mass_matrix(q)
        size = np.sqrt(np.maximum(np.abs(np.diagonal(matrix)), np.finfo(float).tiny))
        rest, pivots = matrix / np.outer(size, size), np.empty(len(size))
        for joint in reversed(range(len(size))):  # from the tip, as the generated solvers do
            pivots[joint] = pivot = rest[joint, joint]
            if pivot > 0:
                rest = rest - np.outer(rest[:, joint], rest[joint]) / pivot
        worst = int(np.argmin(pivots))
        return worst, float(pivots[worst])

    def is_definite(self, q: Array) -> bool:
        """Whether M is positive definite, as that of every physical robot is."""
        return self.smallest_pivot(q)[1] > 0

    @property
    def _load(self) -> tuple[Array, ...]:
        return () if self.wrench is None else (self.wrench,)


def plant_of(
    robot: AnyRobot,
    parameters: Mapping[str, float] | None = None,
    wrench: ArrayLike | None = None,
    friction: bool = True,
    **options: Unpack[ReadingKeywords],
) -> Plant:
    """The robot to simulate, compiled and proved.

    Args:
        robot: a description, or what `load_robot` takes.
        parameters: values of run-time parameters by name, a payload's among them; others keep their defaults.
        wrench: on the robot at the frames that its description names, six numbers each; None is zero.
        friction: whether the description's friction counts.
        options: of `load_robot`.

    Raises:
        UsageError: a parameter that the robot does not have, a wrench that it has no frame for, or no finite number.
    """
    robot = as_description(robot, reading_options(**options))
    known = [parameter.name for parameter in robot.parameters]
    for name, value in (parameters or {}).items():
        if name not in known:
            listed = f"; it has {', '.join(known)}" if known else ": it has none"
            raise UsageError(
                f"{robot.name} has no run-time parameter `{name}`{did_you_mean(name, known)}{listed}"
            )
        refuse_if(
            not np.isfinite(value), f"parameter {name}: expected a finite number, found {value}"
        )
    size = 6 * len(robot.external_wrenches)
    if wrench is not None and not size:
        raise UsageError(
            f"{robot.name} takes no wrench: name the frame where it acts (external_wrench, or wrench_at)"
        )
    acting = (
        (np.zeros(size) if wrench is None else np.asarray(wrench, dtype=float)) if size else None
    )
    if acting is not None and acting.shape != (size,):
        numbers = (
            "six numbers, force and moment"
            if size == 6
            else f"{size} numbers, a force and a moment for each frame"
        )
        raise UsageError(f"wrench: expected {numbers}, found an array of shape {acting.shape}")
    refuse_if(
        acting is not None and not np.isfinite(acting).all(), "wrench: expected finite numbers"
    )
    numeric = with_values(robot, parameters or {})
    names = ["forward_dynamics", "mass_matrix", "forward_kinematics"]
    names += (
        ["friction_forces"]
        if friction and any(link.friction is not None for link in robot.links)
        else []
    )
    names += ["inverse_dynamics"] if acting is not None else []
    return Plant(numeric, compile_ufuncs(numeric, Settings(functions=tuple(names))), acting)


def with_values(robot: RobotDescription, parameters: Mapping[str, float]) -> RobotDescription:
    """The robot without run-time parameters: these values, and defaults for the others, are in."""
    values = {name: Exact(Fraction(repr(float(value)))) for name, value in parameters.items()}
    return replace(substitute(robot, values), parameters=(), payload=())


def _can_stick(friction: Friction) -> bool:
    """Whether friction is dry and starts with the rate's exact sign."""
    dry = (
        friction.coulomb,
        friction.coulomb_negative,
        friction.stribeck,
        friction.bearings,
        friction.transmission,
    )
    return friction.sign == "exact" and any(dry)
