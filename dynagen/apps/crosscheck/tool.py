"""Adapter for robots in other tools, and the rigid bodies and joint axes to compare.

`OtherTool` is the adapter that cross-checks and benchmarks use. Other tools order joints
differently, and may use other coordinates. The adapter converts q, velocities and forces between
the description's and the tool's coordinates.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dynagen.numbers.arrays import Array
from dynagen.robot.description import LinkDescription


@dataclass(frozen=True)
class RigidBody:
    """Inertia of one or several links, in the base frame with all joints at zero.

    Attributes:
        mass: total mass of the links, kg.
        first_moment: mass times centre of mass in base axes, shape (3,), kg m.
        inertia: inertia tensor about the origin of the base frame in base axes, shape (3, 3), kg
            m^2.
    """

    mass: float
    first_moment: Array
    inertia: Array

    @classmethod
    def from_frame(
        cls, mass: float, com: Array, inertia: Array, rotation: Array, translation: Array
    ) -> RigidBody:
        """Return a rigid body in the base frame, from its inertial data in another frame.

        Args:
            mass: mass of the body, kg.
            com: centre of mass in the frame, shape (3,), m.
            inertia: inertia tensor about the centre of mass, in the frame's axes, shape (3, 3), kg
                m^2.
            rotation: rotation matrix from the frame's axes to base axes, shape (3, 3).
            translation: origin of the frame in the base frame, shape (3,), m.
        """
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
        """Centre of mass in the base frame, shape (3,), m; zeros if the mass is zero."""
        return self.first_moment / self.mass if self.mass else np.zeros(3)

    @property
    def inertia_about_com(self) -> Array:
        """Inertia about the centre of mass in base axes, shape (3, 3), kg m^2."""
        com = self.com
        return self.inertia - self.mass * (com @ com * np.eye(3) - np.outer(com, com))


NO_BODY = RigidBody(0.0, np.zeros(3), np.zeros((3, 3)))
"""Body of zero mass: the start value of a sum of bodies."""


@dataclass(frozen=True)
class JointLine:
    """Axis of a joint, in the base frame with all joints at zero.

    Attributes:
        point: a point on the axis, shape (3,), m.
        direction: unit vector along the axis, shape (3,).
        is_angular: True for a revolute joint, False for a prismatic joint.
    """

    point: Array
    direction: Array
    is_angular: bool


def solve_accelerations(matrix: Array, forces: Array) -> Array:
    """Solve M qdd = forces for the n joint accelerations qdd, shape (..., n).

    Args:
        matrix: mass matrix M, shape (..., n, n).
        forces: joint forces minus bias forces in N m or N, shape (..., n).
    """
    return np.asarray(np.linalg.solve(matrix, forces[..., None])[..., 0], dtype=np.float64)


def make_home_position(moving: Sequence[LinkDescription]) -> Array:
    """Return positions q with all joints at zero and a floating base without rotation.

    Args:
        moving: links with moving joints, in the order of q.
    """
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
"""Dynamics functions that all tools compute: the names of a function's inputs by function name."""


@dataclass(frozen=True)
class ToolFunction:
    """Function of another tool, with the conversion of its result.

    Attributes:
        call: function that computes the result for one state, in the tool's coordinates. Benchmarks
            measure its time.
        read: function that converts the return value of `call` to the description's coordinates.
            The converted array is valid until the next call.
    """

    call: Callable[..., Any]
    read: Callable[[Any], Array]


@dataclass(frozen=True)
class OtherTool(ABC):
    """Robot in another tool, with conversions from the description's coordinates and back.

    Other tools treat mimicking joints as independent joints. `velocity_matrix` computes the
    velocity of a mimicking joint from the velocity of the joint that it follows. In the docstrings,
    nq is the number of positions q in the description, and nv the number of velocities.

    Attributes:
        title: name of the tool.
        library: Python module of the tool.
        model, data: the tool's `model` and `data` objects.
        moving: links of the description whose joints move, in the order of q.
        source: description of the file that the tool read.
    """

    title: ClassVar[str]
    library: Any
    model: Any
    data: Any
    moving: tuple[LinkDescription, ...]
    source: str

    @property
    def name(self) -> str:
        """Name and version of the other tool, such as `MuJoCo 3.2.0`."""
        return f"{self.title} {self.library.__version__}"

    @property
    @abstractmethod
    def velocity_matrix(self) -> Array:
        """Matrix whose product with the description's joint velocities is the tool's velocities.

        The matrix has a row for each velocity of the tool, and a column for each velocity of the
        description.
        """

    @property
    @abstractmethod
    def functions(self) -> Mapping[str, ToolFunction]:
        """The tool's dynamics by function name, for one state in the tool's coordinates.

        The names are inverse_dynamics, gravity_forces, bias_forces, mass_matrix and
        forward_dynamics.
        """

    @property
    @abstractmethod
    def joints(self) -> Mapping[str, JointLine]:
        """Axes of the tool's joints by joint name, in the base frame with all joints at zero.

        The joints of floating bases are left out.
        """

    @property
    @abstractmethod
    def bodies(self) -> Mapping[str, RigidBody]:
        """Mapping from joint name to the total inertia of the links that the joint carries.

        These are the link that the joint moves and all links that are fixed to this link. The
        values are in the base frame with all joints at zero.
        """

    @property
    @abstractmethod
    def links(self) -> Mapping[str, RigidBody]:
        """Mapping from link name to the inertia of this link alone.

        The values are in the base frame with all joints at zero. Links that the tool merges into
        other links are left out.
        """

    @property
    @abstractmethod
    def frames(self) -> tuple[str, ...]:
        """Names of the frames or bodies whose poses `compute_pose` can return."""

    @abstractmethod
    def compute_pose(self, frame: str, q: Array) -> tuple[Array, Array]:
        """Return the pose of a frame or body in the base frame.

        Args:
            frame: name of the frame or body in the tool.
            q: the nq positions in the description's coordinates, shape (nq,).

        Returns:
            Rotation matrix from the frame's axes to base axes, shape (3, 3), and origin in m, shape
            (3,).
        """

    @abstractmethod
    def convert_state(self, q: Array, *motion: Array) -> tuple[Array, ...]:
        """Convert a state from the description's coordinates to the tool's.

        Args:
            q: the nq positions in rad or m, shape (nq,).
            motion: optionally velocities, then accelerations or joint forces, each with one entry
                for each velocity.

        Returns:
            The given quantities in the tool's coordinates: positions, then the vectors of `motion`.
        """

    @property
    def computes_accelerations(self) -> bool:
        """Whether the tool's own forward dynamics is compared, not M^-1 (tau - bias forces).

        This is the case only for robots without mimicking joints, which the tool treats as
        independent.
        """
        return not any(link.joint.mimics for link in self.moving)

    def compute(self, function: str, *state: Array) -> Array:
        """Compute a dynamics function in the tool for one state, in the description's coordinates.

        Args:
            function: name of the function: inverse_dynamics (inputs q, qd, qdd), gravity_forces
                (q), bias_forces (q, qd), mass_matrix (q) or forward_dynamics (q, qd, tau).
            state: inputs of the function in this order, in SI units: the nq positions q, shape
                (nq,), and other inputs with one entry for each of the nv velocities, shape (nv,).

        Returns:
            The function's result in SI units: joint forces or accelerations, shape (nv,), or the
            mass matrix, shape (nv, nv).
        """
        if function == "forward_dynamics" and not self.computes_accelerations:
            q, v, tau = state
            return solve_accelerations(
                self.compute("mass_matrix", q), tau - self.compute("bias_forces", q, v)
            )
        own = self.functions[function]
        return own.read(own.call(*self.convert_state(*state)))
