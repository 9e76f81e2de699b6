"""Numeric reference of a robot for cross-checks: its functions, joint axes and inertias.

Joint axes and inertias are in the base frame, with all joints at zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from dynagen.apps.crosscheck.tool import NO_BODY, JointLine, RigidBody, solve_accelerations
from dynagen.numbers.arrays import Array
from dynagen.robot.description import RobotDescription, convert_to_central_inertia
from dynagen.robot.edits import substitute
from dynagen.verification.kinematics import compute_joint_frames, make_symmetric, round_vector
from dynagen.verification.reference import Reference, make_references


@dataclass(frozen=True)
class ReferenceModel:
    """Robot in the numeric reference, for comparisons with other tools."""

    description: RobotDescription

    @cached_property
    def reference(self) -> Reference:
        """Numeric dynamics of the robot by the recursive Newton-Euler algorithm in numpy."""
        return make_references(self.description)[0]

    @cached_property
    def _poses(self) -> tuple[list[Array], list[Array]]:
        """Poses (4, 4) of all joint frames and all link frames in the base frame at q = 0."""
        coordinates = self.reference.coordinates
        return compute_joint_frames(
            self.reference.links, coordinates.compute_positions(coordinates.home)
        )

    @cached_property
    def joints(self) -> Mapping[str, JointLine]:
        """Joint axes by joint name, in the base frame with all joints at zero.

        The joints of floating bases are left out.
        """
        return {
            link.joint_name: JointLine(
                pose[:3, 3], pose[:3, :3] @ numeric.axis, bool(link.joint.angular)
            )
            for link, numeric, pose in zip(
                self.description.links, self.reference.links, self._poses[0], strict=True
            )
            if link.joint.type.has_axis
        }

    @cached_property
    def links(self) -> Mapping[str, RigidBody]:
        """Mass, first moment and inertia of each link, by link name.

        The values are in the base frame with all joints at zero; run-time parameters have their
        defaults.
        """
        known = substitute(self.description, {})
        return {
            link.name: RigidBody.from_frame(
                float(central.mass),
                round_vector(central.com),
                make_symmetric(central.inertia),
                pose[:3, :3],
                pose[:3, 3],
            )
            for link, pose in zip(known.links, self._poses[1], strict=True)
            for central in (convert_to_central_inertia(link.inertial),)
        }

    @cached_property
    def carried_links(self) -> Mapping[str, tuple[str, ...]]:
        """Mapping from joint name to the names of the links that the joint carries.

        The link that the joint moves comes first, then the links that are fixed to this link.
        """
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
        """Mapping from joint name to the total inertia of the links that the joint carries.

        These are the link that the joint moves and all links that are fixed to this link. The
        values are in the base frame with all joints at zero.
        """
        return {
            joint: sum((self.links[name] for name in names), NO_BODY)
            for joint, names in self.carried_links.items()
        }

    @cached_property
    def frames(self) -> tuple[str, ...]:
        """Names of all named frames of the description."""
        return tuple(frame.name for frame in self.description.frames)

    @cached_property
    def functions(self) -> Mapping[str, Callable[..., Array]]:
        """The compared dynamics functions by name, computed from inverse dynamics in numpy.

        The names are inverse_dynamics, gravity_forces, bias_forces, mass_matrix and
        forward_dynamics. Each function accepts one state, or many states along the first axis.
        Results are not cached between calls, so that benchmarks can time repeated calls.
        """
        forces, gravity = self.reference.compute_joint_forces, self.reference.gravity_vector
        still = np.zeros(self.reference.degrees_of_freedom)

        def bias_forces(q: Array, qd: Array) -> Array:
            return forces(gravity, q, qd, np.zeros_like(qd))

        def mass_matrix(q: Array) -> Array:
            """Compute the mass matrix; column j is the force for a unit acceleration of joint j."""
            return np.stack(
                [forces(np.zeros(3), q, still, unit) for unit in np.eye(len(still))], axis=-1
            )

        return {
            "inverse_dynamics": partial(forces, gravity),
            "gravity_forces": lambda q: bias_forces(q, still),
            "bias_forces": bias_forces,
            "mass_matrix": mass_matrix,
            "forward_dynamics": lambda q, qd, tau: solve_accelerations(
                mass_matrix(q), tau - bias_forces(q, qd)
            ),
        }

    def compute_pose(self, frame: str, q: Array) -> tuple[Array, Array]:
        """Return the pose of a named frame in the base frame.

        Args:
            frame: name of a frame of the description.
            q: the nq positions in rad or m, shape (..., nq).

        Returns:
            Rotation matrices from the frame's axes to base axes, shape (..., 3, 3), and origins in
            m, shape (..., 3).
        """
        rotation, origin = self.reference.find_frame(frame).compute_pose(q)
        return rotation, origin
