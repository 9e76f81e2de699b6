"""Robots in MuJoCo, from the user's MJCF or URDF, or from a URDF that dynagen writes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from xml.etree import ElementTree

import numpy as np

from dynagen.apps.crosscheck.reference import ReferenceModel
from dynagen.apps.crosscheck.source import Source
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
from dynagen.robot.description import LinkDescription, RobotDescription
from dynagen.robot.formats.mujoco_compiler import compile_model

_FREE, _HINGE = 0, 3  # values of MuJoCo's enum mjtJoint
_NEEDED = "a comparison with MuJoCo"


@dataclass(frozen=True)
class Mujoco(OtherTool):
    """Robot in MuJoCo, possibly with nameless joints and bodies.

    For a floating base, MuJoCo uses the quaternion w x y z and the linear velocity in world axes.
    Descriptions use the quaternion x y z w and the linear velocity in the axes of the base.

    Attributes:
        numbers: mapping from the name of a joint in the description to the index of the joint in
            MuJoCo's model.
    """

    title = "MuJoCo"
    numbers: Mapping[str, int]

    @cached_property
    def floating(self) -> LinkDescription | None:
        """Link that a floating base moves; None for a fixed base."""
        return next((link for link in self.moving if link.joint.type.is_free), None)

    @property
    def velocity_matrix(self) -> Array:
        """Matrix whose product with the description's joint velocities is MuJoCo's velocity vector.

        The matrix has a row for each MuJoCo velocity, and a column for each velocity of the
        description. With a floating base, it depends on the current pose of MuJoCo's model.
        """
        rates = np.zeros((self.model.nv, sum(link.joint.nv for link in self.moving)))
        for link in self.moving:
            place, own = self._first_velocity(link), link.joint
            if own.type.is_free:
                rates[place : place + 3, own.idx_v : own.idx_v + 3] = self._pose(link.name)[0]
                rates[place + 3 : place + 6, own.idx_v + 3 : own.idx_v + 6] = np.eye(3)
            else:
                rates[place, own.idx_v] = float(own.ratio)
        return rates

    def _first_velocity(self, link: LinkDescription) -> int:
        return int(self.model.joint(self.numbers[link.joint_name]).dofadr[0])

    def convert_state(self, q: Array, *motion: Array) -> tuple[Array, ...]:
        """Convert a state to MuJoCo's coordinates, and move MuJoCo's model to the state.

        Args:
            q: the nq positions in the description's coordinates, shape (nq,).
            motion: optionally the n velocities, then n accelerations or joint forces, shape (n,)
                each. With a floating base, the second vector must contain accelerations.

        Returns:
            The given quantities in MuJoCo's coordinates: positions, then the vectors of `motion`.
        """
        positions = self._place(q)
        converted = [self.velocity_matrix @ vector for vector in motion]
        # The linear velocity R v in world axes has the derivative R (dv/dt + w x v).
        if self.floating and len(motion) == 2:
            place, own = self._first_velocity(self.floating), self.floating.joint.idx_v
            linear, angular = motion[0][own : own + 3], motion[0][own + 3 : own + 6]
            converted[1][place : place + 3] += self._pose(self.floating.name)[0] @ np.cross(
                angular, linear
            )
        return positions, *converted

    def _place(self, q: Array) -> Array:
        """Move MuJoCo's model to q in the description's coordinates; return MuJoCo's positions."""
        positions: Array = self.model.qpos0.copy()
        for link in self.moving:
            own, place = link.joint, int(self.model.joint(self.numbers[link.joint_name]).qposadr[0])
            if own.type.is_free:
                x, y, z, w = q[own.idx_q + 3 : own.idx_q + 7]
                positions[place : place + 7] = [*q[own.idx_q : own.idx_q + 3], w, x, y, z]
            else:
                positions[place] = float(own.ratio) * q[own.idx_q] + float(own.offset)
        self.data.qpos[:] = positions
        self.library.mj_kinematics(self.model, self.data)
        return positions

    @property
    def computes_accelerations(self) -> bool:
        """Whether MuJoCo's own forward dynamics is compared, not M^-1 (tau - bias forces).

        MuJoCo's forward dynamics is compared only for robots without mimicking joints and without a
        floating base. A floating base is excluded, because its accelerations in world axes are not
        converted to the axes of the base.
        """
        return super().computes_accelerations and not self.floating

    def compute(self, function: str, *state: Array) -> Array:
        """Compute a dynamics function for one state in MuJoCo, in the description's coordinates.

        Args:
            function: name of the function, such as `mass_matrix`.
            state: inputs of the function in SI units: nq positions, shape (nq,), n velocities,
                shape (n,), and n accelerations or joint forces, shape (n,), as far as the function
                requires them.

        Returns:
            The function's result in SI units: joint forces or accelerations, shape (n,), or the
            mass matrix, shape (n, n).
        """
        # Zero acceleration in base axes is not zero in world axes (w x v), so that MuJoCo's bias
        # forces differ from the description for a floating base.
        if function == "bias_forces" and self.floating:
            return super().compute("inverse_dynamics", *state, np.zeros_like(state[1]))
        return super().compute(function, *state)

    @cached_property
    def functions(self) -> Mapping[str, ToolFunction]:
        """MuJoCo's dynamics by function name, as functions of one state in MuJoCo's coordinates.

        The names are inverse_dynamics, gravity_forces, bias_forces, mass_matrix and
        forward_dynamics.
        """
        library, model, data = self.library, self.model, self.data
        result, still = np.zeros(model.nv), np.zeros(model.nv)

        def place(q: Array, v: Array) -> None:
            data.qpos[:], data.qvel[:] = q, v
            library.mj_kinematics(model, data)
            library.mj_comPos(model, data)

        def bias(q: Array, v: Array) -> Array:
            place(q, v)
            library.mj_comVel(model, data)
            library.mj_rne(model, data, 0, result)
            return result

        def inverse_dynamics(q: Array, v: Array, a: Array) -> Array:
            place(q, v)
            data.qacc[:] = a
            library.mj_comVel(model, data)
            library.mj_rne(model, data, 1, result)
            return result

        def mass_matrix(q: Array) -> None:
            place(q, still)
            library.mj_crb(model, data)

        def forward_dynamics(q: Array, v: Array, tau: Array) -> Array:
            forces = tau - bias(q, v)
            library.mj_crb(model, data)
            library.mj_factorM(model, data)
            library.mj_solveM(model, data, result[None], forces[None])
            return result

        def forces(found: Array) -> Array:
            own: Array = self.velocity_matrix.T @ found
            return own

        def forces_with_armature(found: Array) -> Array:
            return forces(found + model.dof_armature * data.qacc)  # mj_rne omits motor inertia

        def matrix(_: None) -> Array:
            full = np.zeros((model.nv, model.nv))
            for row, unit in zip(full, np.eye(model.nv), strict=True):
                library.mj_mulM(model, data, row, unit)
            own: Array = self.velocity_matrix.T @ full @ self.velocity_matrix
            return own

        return {
            "inverse_dynamics": ToolFunction(inverse_dynamics, forces_with_armature),
            "gravity_forces": ToolFunction(lambda q: bias(q, still), forces),
            "bias_forces": ToolFunction(bias, forces),
            "mass_matrix": ToolFunction(mass_matrix, matrix),
            "forward_dynamics": ToolFunction(forward_dynamics, forces),
        }

    def compute_pose(self, frame: str, q: Array) -> tuple[Array, Array]:
        """Return the pose of a body in the base frame.

        Args:
            frame: name of the body in MuJoCo.
            q: the nq positions in the description's coordinates, shape (nq,).

        Returns:
            Rotation matrix from the body's axes to base axes, shape (3, 3), and origin of the
            body's frame in m, shape (3,).
        """
        self._place(q)
        return self._pose(frame)

    def _pose(self, body: str) -> tuple[Array, Array]:
        index = 1 + self.frames.index(body)
        return self.data.xmat[index].reshape(3, 3).copy(), self.data.xpos[index].copy()

    @cached_property
    def joints(self) -> Mapping[str, JointLine]:
        """Joint axes in MuJoCo's world frame with all joints at zero, by joint name.

        The names are the joint names in the description. The joints of floating bases are left out.
        """
        self._place(make_home_position(self.moving))
        return {
            self._joint_name(index): JointLine(
                self.data.xanchor[index].copy(),
                self.data.xaxis[index].copy(),
                int(self.model.jnt_type[index]) == _HINGE,
            )
            for index in range(self.model.njnt)
            if int(self.model.jnt_type[index]) != _FREE
        }

    @cached_property
    def links(self) -> Mapping[str, RigidBody]:
        """Mass, first moment and inertia of each body in MuJoCo, by body name.

        The values are in MuJoCo's world frame with all joints at zero.
        """
        self._place(make_home_position(self.moving))
        return {name: self._body(index) for index, name in enumerate(self.frames, start=1)}

    def _joint_name(self, index: int) -> str:
        """Return the name of a joint in the description, or MuJoCo's name for an unknown joint."""
        return next(
            (name for name, number in self.numbers.items() if number == index),
            self.model.joint(index).name,
        )

    def _body(self, index: int) -> RigidBody:
        axes, centre = self.data.ximat[index].reshape(3, 3), self.data.xipos[index]
        inertia = np.diag(self.model.body_inertia[index])
        return RigidBody.from_frame(
            float(self.model.body_mass[index]), np.zeros(3), inertia, axes, centre
        )

    @cached_property
    def bodies(self) -> Mapping[str, RigidBody]:
        """Mapping from joint name to the total inertia of the bodies that the joint carries.

        These are the body that the joint moves and all bodies that are fixed to this body. The
        values are in MuJoCo's world frame with all joints at zero. A body of MuJoCo may have
        several joints; the last of the joints carries the body.
        """
        moved: dict[int, RigidBody] = {}
        for index, name in enumerate(self.frames, start=1):
            weld = int(self.model.body_weldid[index])
            moved[weld] = moved.get(weld, NO_BODY) + self.links[name]
        return {
            self._joint_name(
                int(self.model.body_jntadr[weld] + self.model.body_jntnum[weld] - 1)
            ): body
            for weld, body in moved.items()
            if weld
        }

    @cached_property
    def frames(self) -> tuple[str, ...]:
        """Names of the bodies in MuJoCo's order; nameless body number N is called `body_N`."""
        return tuple(
            self.model.body(index).name or f"body_{index}" for index in range(1, self.model.nbody)
        )


def load_mujoco(description: RobotDescription) -> tuple[Mujoco, RobotDescription]:
    """Load a robot into MuJoCo, from the user's file or from a URDF that dynagen writes.

    Returns:
        The robot in MuJoCo, and the description of the robot that MuJoCo read. If MuJoCo reads a
        URDF, the returned description has no motor inertias.

    Raises:
        ToolchainError: MuJoCo is not installed.
        UsageError: MuJoCo cannot read the robot, or URDF cannot express it.
    """
    is_mjcf = description.notation == "MJCF"
    source = Source.choose(description, "MJCF" if is_mjcf else "URDF")
    native = is_mjcf and source.is_file
    still = {link.name for link in description.links} - {
        name for names in ReferenceModel(description).carried_links.values() for name in names
    }
    try:
        if native:
            mujoco, model = compile_model(_NEEDED, description.path)
        else:
            mujoco, model = _compile_urdf(source.text, still)
    except (ValueError, ElementTree.ParseError) as error:
        raise UsageError(f"MuJoCo cannot read {source.title}: {error}") from None
    if not native:
        model.opt.gravity[:] = [float(component) for component in description.gravity]
    robot = source.adapt_description(description, with_motors=native)
    moving = tuple(link for link in robot.links if link.joint.moves)
    numbers = _match_joints(model, moving, source.title)
    return Mujoco(mujoco, model, mujoco.MjData(model), moving, source.title, numbers), robot


def _match_joints(model: Any, moving: Sequence[LinkDescription], title: str) -> dict[str, int]:
    """Return the index of each joint in MuJoCo, by its name in the description.

    Joints without a name in MuJoCo are matched by their order.

    Raises:
        UsageError: MuJoCo's model lacks a joint of the description.
    """
    free = [index for index in range(model.njnt) if model.jnt_type[index] == _FREE]
    named = {model.joint(index).name: index for index in range(model.njnt) if index not in free}
    nameless = iter(
        [index for index in range(model.njnt) if index not in free and not model.joint(index).name]
    )
    numbers, missing = {}, []
    for link in moving:
        if link.joint.type.is_free and not free:
            raise UsageError(
                f"MuJoCo fixes the base of {title} to the world: omit --base floating, or "
                f"cross-check with Pinocchio"
            )
        found = (
            free[0]
            if link.joint.type.is_free
            else named.get(link.joint.name)
            if link.joint.name
            else next(nameless, None)
        )
        if found is None:
            missing.append(clip(link.joint_name))
        else:
            numbers[link.joint_name] = found
    if missing:
        raise UsageError(f"MuJoCo has no joint {', '.join(missing)} in {title}")
    return numbers


def _compile_urdf(text: str, still: Collection[str]) -> tuple[Any, Any]:
    """Compile a URDF in MuJoCo, without shapes and without the inertias of links that never move.

    Shapes are removed because MuJoCo would search for their mesh files. Links on fixed joints are
    separate bodies, unless MuJoCo rejects such a model because a moving link has no mass.

    Returns:
        The Python module `mujoco`, and MuJoCo's model.
    """
    root = ElementTree.fromstring(text)
    for link in root.iter("link"):
        dropped = (
            ("visual", "collision", "inertial")
            if link.get("name") in still
            else ("visual", "collision")
        )
        for part in [part for tag in dropped for part in link.findall(tag)]:
            link.remove(part)
    for extension in root.findall("mujoco"):
        root.remove(extension)
    compiler = ElementTree.SubElement(
        ElementTree.SubElement(root, "mujoco"), "compiler", {"fusestatic": "false"}
    )
    try:
        return compile_model(_NEEDED, text=ElementTree.tostring(root, encoding="unicode"))
    except ValueError:
        compiler.set("fusestatic", "true")
        return compile_model(_NEEDED, text=ElementTree.tostring(root, encoding="unicode"))
