"""The opinion of another tool on a robot, in the coordinates of its description; and rigid bodies, to compare part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dynagen.robot.description import LinkDescription
from dynagen.verification.kinematics import Array


@dataclass(frozen=True)
class RigidBody:
    """Inertia of one or more links, in the base frame with all joints at zero.

    Attributes:
        mass: kg.
        first_moment: shape (3,), kg m.
        inertia: about the origin of the base frame, shape (3, 3), kg m^2.
    """

    mass: float
    first_moment: Array
    inertia: Array

    @classmethod
    def placed(
        cls, mass: float, com: Array, inertia: Array, rotation: Array, translation: Array
    ) -> RigidBody:
        """A body whose centre of mass and inertia about it are given in a frame that has this pose."""
        centre = rotation @ com + translation
        about_com = rotation @ inertia @ rotation.T
        return cls(
            mass,
            mass * centre,
            about_com + mass * (centre @ centre * np.eye(3) - np.outer(centre, centre)),
        )

    def __add__(self, other: RigidBody) -> RigidBody:
        return RigidBody(
            self.mass + other.mass,
            self.first_moment + other.first_moment,
            self.inertia + other.inertia,
        )

    def __sub__(self, other: RigidBody) -> RigidBody:
        return RigidBody(
            self.mass - other.mass,
            self.first_moment - other.first_moment,
            self.inertia - other.inertia,
        )

    @property
    def com(self) -> Array:
        """Centre of mass, shape (3,), m; the origin without mass."""
        return self.first_moment / self.mass if self.mass else np.zeros(3)

    @property
    def inertia_about_com(self) -> Array:
        """Inertia about the centre of mass in base axes, shape (3, 3), kg m^2."""
        com = self.com
        return self.inertia - self.mass * (com @ com * np.eye(3) - np.outer(com, com))


NOTHING = RigidBody(0.0, np.zeros(3), np.zeros((3, 3)))


@dataclass(frozen=True)
class JointLine:
    """The line that a joint moves about or along, in the base frame with all joints at zero.

    Attributes:
        point: a point on it, shape (3,), m.
        direction: a unit vector, shape (3,).
        is_angular: whether the joint rotates.
    """

    point: Array
    direction: Array
    is_angular: bool


def accelerations(matrix: Array, forces: Array) -> Array:
    """The accelerations that forces less the bias cause, by the mass matrix; of one state or many."""
    return np.asarray(np.linalg.solve(matrix, forces[..., None])[..., 0], dtype=np.float64)


def home(moving: Sequence[LinkDescription]) -> Array:
    """The q at which all joints of links that move are at zero, shape (nq,): of a floating base without a rotation."""
    q = np.zeros(sum(link.joint.nq for link in moving))
    for link in moving:
        if link.joint.type.is_free:
            q[link.joint.idx_q + 6] = 1.0  # w of its quaternion
    return q


class Opinion(Protocol):
    """A robot as another tool has it; states and results have the entries of the description's q and v, a state at a time."""

    @property
    def tool(self) -> str:
        """Its name and version."""

    @property
    def source(self) -> str:
        """What it has read, for people."""

    @property
    def joints(self) -> Mapping[str, JointLine]:
        """The joints that move about or along an axis, by name."""

    @property
    def bodies(self) -> Mapping[str, RigidBody]:
        """By the names of the joints that move them, the links with all that is fixed to them."""

    @property
    def links(self) -> Mapping[str, RigidBody]:
        """Single links by name, as far as the tool keeps them apart."""

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames that it places."""

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """Joint forces."""

    def gravity_forces(self, q: Array) -> Array:
        """Joint forces that hold the robot."""

    def bias_forces(self, q: Array, v: Array) -> Array:
        """Joint forces without acceleration."""

    def mass_matrix(self, q: Array) -> Array:
        """M, shape (nv, nv)."""

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """Accelerations."""

    def pose(self, frame: str, q: Array) -> tuple[Array, Array]:
        """Rotation, shape (3, 3), and origin, shape (3,), of a frame in the base frame."""
