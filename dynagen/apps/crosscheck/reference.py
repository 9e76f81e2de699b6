"""The numeric reference, which other tools are compared with: the same functions and parts, on many states at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from dynagen.apps.crosscheck.tool import NOTHING, JointLine, RigidBody, accelerations
from dynagen.robot.description import RobotDescription, central_inertia
from dynagen.robot.edits import substitute
from dynagen.verification.kinematics import Array, joint_frames, symmetric, vector
from dynagen.verification.reference import Reference, references


@dataclass(frozen=True)
class ReferenceModel:
    """A description under the numeric reference."""

    description: RobotDescription

    @cached_property
    def reference(self) -> Reference:
        """The reference by Newton-Euler."""
        return references(self.description)[0]

    @cached_property
    def _poses(self) -> tuple[list[Array], list[Array]]:
        coordinates = self.reference.coordinates
        return joint_frames(self.reference.links, coordinates.positions(coordinates.home))

    @cached_property
    def joints(self) -> Mapping[str, JointLine]:
        """Lines of the joints that have an axis."""
        return {
            link.joint_name: JointLine(
                pose[:3, 3], pose[:3, :3] @ numeric.axis, bool(link.joint.angular)
            )
            for link, numeric, pose in zip(
                self.description.links, self.reference.links, self._poses[0], strict=True
            )
            if link.joint.moves and not link.joint.type.is_free
        }

    @cached_property
    def links(self) -> Mapping[str, RigidBody]:
        """The inertia of every link."""
        known = substitute(self.description, {})
        return {
            link.name: RigidBody.placed(
                float(central.mass),
                vector(central.com),
                symmetric(central.inertia),
                pose[:3, :3],
                pose[:3, 3],
            )
            for link, pose in zip(known.links, self._poses[1], strict=True)
            for central in (central_inertia(link.inertial),)
        }

    @cached_property
    def moved_with(self) -> Mapping[str, tuple[str, ...]]:
        """By the names of joints that move: the link that each moves, and those that are fixed to it."""
        groups: dict[str, list[str]] = {}
        joint_of: dict[str | None, str] = {}
        for link in self.description.links:
            joint = link.joint_name if link.joint.moves else joint_of.get(link.parent, "")
            joint_of[link.name] = joint
            if joint:
                groups.setdefault(joint, []).append(link.name)
        return {joint: tuple(names) for joint, names in groups.items()}

    @cached_property
    def bodies(self) -> Mapping[str, RigidBody]:
        """The inertia that each joint moves, by its name."""
        return {
            joint: sum((self.links[name] for name in names), NOTHING)
            for joint, names in self.moved_with.items()
        }

    @cached_property
    def frames(self) -> tuple[str, ...]:
        """All named frames."""
        return tuple(frame.name for frame in self.description.frames)

    @cached_property
    def functions(self) -> Mapping[str, Callable[..., Array]]:
        """The FUNCTIONS of all tools, made of inverse dynamics by Newton-Euler; nothing is remembered between calls."""
        forces, gravity = self.reference.joint_forces, self.reference.gravity_vector
        still = np.zeros(self.reference.degrees_of_freedom)

        def bias_forces(q: Array, qd: Array) -> Array:
            return forces(gravity, q, qd, np.zeros_like(qd))

        def mass_matrix(q: Array) -> Array:
            """Column by column: the forces of unit accelerations."""
            return np.stack(
                [forces(np.zeros(3), q, still, unit) for unit in np.eye(len(still))], axis=-1
            )

        return {
            "inverse_dynamics": partial(forces, gravity),
            "gravity_forces": lambda q: bias_forces(q, still),
            "bias_forces": bias_forces,
            "mass_matrix": mass_matrix,
            "forward_dynamics": lambda q, qd, tau: accelerations(
                mass_matrix(q), tau - bias_forces(q, qd)
            ),
        }

    def pose(self, frame: str, q: Array) -> tuple[Array, Array]:
        """Return the rotation, shape (..., 3, 3), and the origin, shape (..., 3) in m, of a named frame."""
        rotation, origin = self.reference.frame(frame).pose(q)
        return rotation, origin
