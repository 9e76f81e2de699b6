"""Robots in Pinocchio, from the user's URDF, or from a URDF that dynagen writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dynagen.apps.crosscheck.source import ROOT_JOINT, Source
from dynagen.apps.crosscheck.tool import (
    NO_BODY,
    JointLine,
    OtherTool,
    RigidBody,
    ToolFunction,
    make_home_position,
)
from dynagen.errors import UsageError, clip
from dynagen.numbers.arrays import Array
from dynagen.resources import require_extra
from dynagen.robot.description import LinkDescription, RobotDescription


@dataclass(frozen=True)
class Pinocchio(OtherTool):
    """Robot in Pinocchio, whose joints have the names in the description."""

    title = "Pinocchio"

    @cached_property
    def velocity_matrix(self) -> Array:
        """Matrix whose product with the description's velocities is Pinocchio's velocity vector.

        The matrix has a row for each velocity of Pinocchio, and a column for each velocity of the
        description.
        """
        rates = np.zeros((self.model.nv, sum(link.joint.nv for link in self.moving)))
        for link in self.moving:
            place, own = self._joint(link).idx_v, link.joint.idx_v
            size = len(link.joint.type.rotates)
            rates[place : place + size, own : own + size] = float(link.joint.ratio) * np.eye(size)
        return rates

    def _joint(self, link: LinkDescription) -> Any:
        return self.model.joints[self.model.getJointId(link.joint_name)]

    def convert_state(self, q: Array, *motion: Array) -> tuple[Array, ...]:
        """Convert a state from the description's coordinates to Pinocchio's.

        Args:
            q: the nq positions in rad or m, shape (nq,).
            motion: optionally velocities, then accelerations or joint forces, each with one entry
                for each velocity.

        Returns:
            The given quantities in Pinocchio's coordinates: positions, then the vectors of
            `motion`.
        """
        return self._configuration(q), *(self.velocity_matrix @ vector for vector in motion)

    def _configuration(self, q: Array) -> Array:
        """Convert the description's joint positions to Pinocchio's configuration vector."""
        configuration: Array = self.library.neutral(self.model)
        for link in self.moving:
            joint, own = self._joint(link), link.joint
            values = (
                q[own.idx_q : own.idx_q + 7]
                if own.type.is_free
                else float(own.ratio) * q[own.idx_q] + float(own.offset)
            )
            if joint.nq == 2:  # a continuous joint has cosine and sine as its configuration
                values = [np.cos(values), np.sin(values)]
            configuration[joint.idx_q : joint.idx_q + joint.nq] = values
        return configuration

    @cached_property
    def joints(self) -> Mapping[str, JointLine]:
        """Joint axes by joint name, in the base frame with all joints at zero.

        The joints of floating bases are left out. The axes are columns of Pinocchio's joint
        Jacobians.
        """
        self._move_home()
        lines = {}
        for index in range(1, self.model.njoints):
            joint, pose = self.model.joints[index], self.data.oMi[index]
            if joint.nv == 1:
                column = self.library.computeJointJacobians(self.model, self.data)[:, joint.idx_v]
                linear, angular = column[:3], column[3:]
                is_angular = bool(np.linalg.norm(angular) > 0.5)
                lines[self.model.names[index]] = JointLine(
                    pose.translation.copy(), (angular if is_angular else linear).copy(), is_angular
                )
        return lines

    def _move_home(self) -> None:
        """Compute the poses of all joints and frames in Pinocchio, with all joints at zero."""
        self.library.forwardKinematics(
            self.model, self.data, self._configuration(make_home_position(self.moving))
        )
        self.library.updateFramePlacements(self.model, self.data)

    @cached_property
    def bodies(self) -> Mapping[str, RigidBody]:
        """Mapping from joint name to the total inertia of the links that the joint carries.

        These are the link that the joint moves and all links that are fixed to this link. The
        values are in the base frame with all joints at zero.
        """
        self._move_home()
        return {
            self.model.names[index]: _make_body(self.model.inertias[index], self.data.oMi[index])
            for index in range(1, self.model.njoints)
        }

    @cached_property
    def links(self) -> Mapping[str, RigidBody]:
        """Mass, first moment and inertia of each single link, by link name.

        The values are in the base frame with all joints at zero.

        Pinocchio merges links on fixed joints into bodies, and also keeps the inertia of each
        merged link. The inertia of a moving joint's own link is the body's inertia minus the
        inertias of the merged links.
        """
        self._move_home()
        found: dict[str, RigidBody] = {}
        rest = dict(self.bodies)
        children = {
            frame.parentFrame: frame.name
            for frame in self.model.frames
            if frame.type == self.library.FrameType.BODY
        }
        for index, frame in enumerate(self.model.frames):
            if (
                frame.type == self.library.FrameType.FIXED_JOINT
                and index in children
                and frame.parentJoint
            ):
                body = _make_body(frame.inertia, self.data.oMf[index])
                found[children[index]] = body
                joint = self.model.names[frame.parentJoint]
                rest[joint] = rest[joint] - body
        return found | {link.name: rest.get(link.joint_name, NO_BODY) for link in self.moving}

    @cached_property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames in Pinocchio's model that belong to links."""
        return tuple(
            frame.name for frame in self.model.frames if frame.type == self.library.FrameType.BODY
        )

    @cached_property
    def functions(self) -> Mapping[str, ToolFunction]:
        """Pinocchio's dynamics by function name, for one state in Pinocchio's coordinates.

        The names are inverse_dynamics, gravity_forces, bias_forces, mass_matrix and
        forward_dynamics.
        """
        library, model, data, rates = self.library, self.model, self.data, self.velocity_matrix

        def forces(tau: Array) -> Array:
            own: Array = rates.T @ tau
            return own

        def matrix(upper: Array) -> Array:
            upper = np.triu(upper)  # crba computes only the upper triangle
            own: Array = rates.T @ (upper + np.triu(upper, 1).T) @ rates
            return own

        return {
            "inverse_dynamics": ToolFunction(
                lambda q, v, a: library.rnea(model, data, q, v, a), forces
            ),
            "gravity_forces": ToolFunction(
                lambda q: library.computeGeneralizedGravity(model, data, q), forces
            ),
            "bias_forces": ToolFunction(
                lambda q, v: library.nonLinearEffects(model, data, q, v), forces
            ),
            "mass_matrix": ToolFunction(lambda q: library.crba(model, data, q), matrix),
            "forward_dynamics": ToolFunction(
                lambda q, v, tau: library.aba(model, data, q, v, tau), forces
            ),
        }

    def compute_pose(self, frame: str, q: Array) -> tuple[Array, Array]:
        """Return the pose of a link in the base frame.

        Args:
            frame: name of the link.
            q: the nq positions in the description's coordinates, shape (nq,).

        Returns:
            Rotation matrix from the link's axes to base axes, shape (3, 3), and origin of the
            link's frame in m, shape (3,).
        """
        self.library.forwardKinematics(self.model, self.data, self._configuration(q))
        placement = self.library.updateFramePlacement(
            self.model, self.data, self.model.getFrameId(frame, self.library.FrameType.BODY)
        )
        return placement.rotation.copy(), placement.translation.copy()


def _make_body(inertia: Any, pose: Any) -> RigidBody:
    return RigidBody.from_frame(
        float(inertia.mass), inertia.lever, inertia.inertia, pose.rotation, pose.translation
    )


def load_pinocchio(description: RobotDescription) -> tuple[Pinocchio, RobotDescription]:
    """Load a robot into Pinocchio, from the user's URDF or from a URDF that dynagen writes.

    Returns:
        The robot in Pinocchio, and the description of the same robot without motor inertias, which
        URDF cannot express.

    Raises:
        ToolchainError: Pinocchio is not installed.
        UsageError: Pinocchio cannot read the robot, or URDF cannot express it.
    """
    require_extra("pinocchio", "pinocchio", "to cross-check a robot with it")
    import pinocchio

    source = Source.choose(description, "URDF")
    try:
        free_flyer = (pinocchio.JointModelFreeFlyer(), ROOT_JOINT) if source.floats else ()
        model = pinocchio.buildModelFromXML(source.text, *free_flyer)
    except (ValueError, RuntimeError) as error:
        message = clip(str(error), 200)
        raise UsageError(f"Pinocchio cannot read {source.title}: {message}") from None
    model.gravity.linear = np.array([float(component) for component in description.gravity])
    robot = source.adapt_description(description, with_motors=False)
    moving = tuple(link for link in robot.links if link.joint.moves)
    if missing := [link.joint_name for link in moving if not model.existJointName(link.joint_name)]:
        raise UsageError(
            f"Pinocchio has no joint {', '.join(map(clip, missing))} in {source.title}"
        )
    return Pinocchio(pinocchio, model, model.createData(), moving, source.title), robot
