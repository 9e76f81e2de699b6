"""A robot in another tool, seen in the coordinates of its description; and rigid bodies, to compare part by part."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

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
    """Solve for the accelerations that forces less the bias cause, by the mass matrix; of one state or many."""
    return np.asarray(np.linalg.solve(matrix, forces[..., None])[..., 0], dtype=np.float64)


def home(moving: Sequence[LinkDescription]) -> Array:
    """Return the q at which all joints are at zero, shape (nq,); a floating base is not rotated there."""
    q = np.zeros(sum(link.joint.nq for link in moving))
    for link in moving:
        if link.joint.type.is_free:
            q[link.joint.idx_q + 6] = 1.0  # w of its quaternion
    return q


FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    "inverse_dynamics": ("q", "qd", "qdd"),
    "gravity_forces": ("q",),
    "bias_forces": ("q", "qd"),
    "mass_matrix": ("q",),
    "forward_dynamics": ("q", "qd", "tau"),
}
"""Functions that every tool has, with their inputs."""


@dataclass(frozen=True)
class ToolFunction:
    """A function of another tool.

    Attributes:
        call: computes it for one state in the tool's coordinates; only this is timed.
        read: converts what `call` has returned to the description's coordinates; valid until the next call.
    """

    call: Callable[..., Any]
    read: Callable[[Any], Array]


@dataclass(frozen=True)
class OtherTool(ABC):
    """A robot in another tool, whose coordinates differ from the description's; mimic joints are free joints there.

    Attributes:
        title: the tool's name.
        library: the module.
        model, data: the tool's.
        moving: links of the description whose joints move, in its order.
        source: what the tool has read, for people.
    """

    title: ClassVar[str]
    library: Any
    model: Any
    data: Any
    moving: tuple[LinkDescription, ...]
    source: str

    @property
    def name(self) -> str:
        """The tool's name and version."""
        return f"{self.title} {self.library.__version__}"

    @property
    @abstractmethod
    def rates(self) -> Array:
        """The matrix from the description's joint velocities to the tool's, shape (its nv, nv)."""

    @property
    @abstractmethod
    def functions(self) -> Mapping[str, ToolFunction]:
        """The tool's own version of each of FUNCTIONS."""

    @property
    @abstractmethod
    def joints(self) -> Mapping[str, JointLine]:
        """The joints that move about or along an axis, by name."""

    @property
    @abstractmethod
    def bodies(self) -> Mapping[str, RigidBody]:
        """By the names of the joints that move them, the links with all that is fixed to them."""

    @property
    @abstractmethod
    def links(self) -> Mapping[str, RigidBody]:
        """Single links by name, as far as the tool keeps them apart."""

    @property
    @abstractmethod
    def frames(self) -> tuple[str, ...]:
        """Names of the frames that it places."""

    @abstractmethod
    def pose(self, frame: str, q: Array) -> tuple[Array, Array]:
        """Return the rotation, shape (3, 3), and the origin, shape (3,) in m, of a frame in the base frame."""

    @abstractmethod
    def coordinates(self, q: Array, *motion: Array) -> tuple[Array, ...]:
        """Convert positions, then joint velocities, then accelerations or forces, as far as given, to the tool's."""

    @property
    def computes_accelerations(self) -> bool:
        """Whether the tool's forward dynamics is the description's: it knows nothing of mimic joints."""
        return not any(link.joint.mimics for link in self.moving)

    def compute(self, function: str, *state: Array) -> Array:
        """Compute one of FUNCTIONS for one state; inputs and result are in the description's coordinates."""
        if function == "forward_dynamics" and not self.computes_accelerations:
            q, v, tau = state
            return accelerations(
                self.compute("mass_matrix", q), tau - self.compute("bias_forces", q, v)
            )
        own = self.functions[function]
        return own.read(own.call(*self.coordinates(*state)))
