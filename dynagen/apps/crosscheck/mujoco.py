"""MuJoCo's opinion: its own reader of MJCF or URDF where the robot is a whole file, else a URDF that is written for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from xml.etree import ElementTree

import numpy as np

from dynagen.apps.crosscheck.opinion import NOTHING, JointLine, RigidBody, accelerations, home
from dynagen.apps.crosscheck.own import Own
from dynagen.apps.crosscheck.source import Source
from dynagen.errors import UsageError, shown
from dynagen.robot.description import LinkDescription, RobotDescription
from dynagen.robot.formats.mujoco_compiler import compile_model
from dynagen.verification.kinematics import Array

_FREE, _HINGE = 0, 3  # of mjtJoint
_NEEDED = "a comparison with MuJoCo"


@dataclass(frozen=True)
class Mujoco:
    """A robot in MuJoCo, whose joints and bodies may have no names; mimic joints are joints of their own there.

    A free joint has its quaternion as w x y z and its linear velocity in the axes of the world; here it is x y z w, and in the
    axes of the base.

    Attributes:
        library: the module.
        model, data: MuJoCo's.
        moving: links of the description whose joints move, in its order.
        numbers: of MuJoCo's joints, by the names that the description has for them.
    """

    library: Any
    model: Any
    data: Any
    moving: tuple[LinkDescription, ...]
    numbers: Mapping[str, int]
    source: str

    @property
    def tool(self) -> str:
        """MuJoCo and its version."""
        return f"MuJoCo {self.library.__version__}"

    def place(self, q: Array) -> None:
        """Put the model where a configuration has it."""
        for link in self.moving:
            joint, own = self.model.joint(self.numbers[link.joint_name]), link.joint
            place = int(joint.qposadr[0])
            if own.type.is_free:
                x, y, z, w = q[own.idx_q + 3 : own.idx_q + 7]
                self.data.qpos[place : place + 7] = [*q[own.idx_q : own.idx_q + 3], w, x, y, z]
            else:
                self.data.qpos[place] = float(own.ratio) * q[own.idx_q] + float(own.offset)
        self.library.mj_fwdPosition(self.model, self.data)

    def rates(self) -> Array:
        """The matrix from the description's rates to MuJoCo's, in the present pose."""
        rates = np.zeros((self.model.nv, sum(link.joint.nv for link in self.moving)))
        for link in self.moving:
            place, own = int(self.model.joint(self.numbers[link.joint_name]).dofadr[0]), link.joint
            if own.type.is_free:
                rates[place : place + 3, own.idx_v : own.idx_v + 3] = self._axes(link)
                rates[place + 3 : place + 6, own.idx_v + 3 : own.idx_v + 6] = np.eye(3)
            else:
                rates[place, own.idx_v] = float(own.ratio)
        return rates

    def _axes(self, link: LinkDescription) -> Array:
        return self._pose(link.name)[0]

    def _pose(self, body: str) -> tuple[Array, Array]:
        index = 1 + self.frames.index(body)
        return self.data.xmat[index].reshape(3, 3).copy(), self.data.xpos[index].copy()

    def _drift(self, v: Array) -> Array:
        """What MuJoCo's accelerations have besides the rates' matrix times ours: the axes of a floating base rotate."""
        drift = np.zeros(self.model.nv)
        for link in self.moving:
            if link.joint.type.is_free:
                place, own = (
                    int(self.model.joint(self.numbers[link.joint_name]).dofadr[0]),
                    link.joint.idx_v,
                )
                drift[place : place + 3] = self._axes(link) @ np.cross(
                    v[own + 3 : own + 6], v[own : own + 3]
                )
        return drift

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """Joint forces by mj_rne, and those of the armature, which that leaves out."""
        self.place(q)
        rates = self.rates()
        acceleration = rates @ a + self._drift(v)
        self.data.qvel[:] = rates @ v
        self.library.mj_fwdVelocity(self.model, self.data)
        self.data.qacc[:] = acceleration
        tau = np.zeros(self.model.nv)
        self.library.mj_rne(self.model, self.data, 1, tau)
        forces: Array = rates.T @ (tau + self.model.dof_armature * acceleration)
        return forces

    def gravity_forces(self, q: Array) -> Array:
        """Joint forces that hold the robot: the bias at rest."""
        return self.bias_forces(q, np.zeros(sum(link.joint.nv for link in self.moving)))

    def bias_forces(self, q: Array, v: Array) -> Array:
        """Joint forces without acceleration: qfrc_bias, and with a floating base what its rotating axes add."""
        self.place(q)
        rates = self.rates()
        self.data.qvel[:] = rates @ v
        self.library.mj_fwdVelocity(self.model, self.data)
        forces: Array = rates.T @ (self.data.qfrc_bias + self._full() @ self._drift(v))
        return forces

    def _full(self) -> Array:
        full = np.zeros((self.model.nv, self.model.nv))
        for column, unit in enumerate(np.eye(self.model.nv)):
            self.library.mj_mulM(self.model, self.data, full[column], unit)
        return full

    def mass_matrix(self, q: Array) -> Array:
        """M, by mj_mulM."""
        self.place(q)
        rates = self.rates()
        matrix: Array = rates.T @ self._full() @ rates
        return matrix

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """Accelerations, by its own mass matrix and bias."""
        return accelerations(self.mass_matrix(q), tau - self.bias_forces(q, v))

    def pose(self, frame: str, q: Array) -> tuple[Array, Array]:
        """Rotation and origin of a body."""
        self.place(q)
        return self._pose(frame)

    def _at_home(self) -> None:
        """Put the model where all joints are at zero."""
        self.place(home(self.moving))

    @cached_property
    def joints(self) -> Mapping[str, JointLine]:
        """Anchors and axes of its joints."""
        self._at_home()
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
        """The inertia of every body that it has."""
        self._at_home()
        return {name: self._body(index) for index, name in enumerate(self.frames, start=1)}

    def _joint_name(self, index: int) -> str:
        """What the description calls a joint, if it has it."""
        return next(
            (name for name, number in self.numbers.items() if number == index),
            self.model.joint(index).name,
        )

    def _body(self, index: int) -> RigidBody:
        axes, centre = self.data.ximat[index].reshape(3, 3), self.data.xipos[index]
        inertia = np.diag(self.model.body_inertia[index])
        return RigidBody.placed(
            float(self.model.body_mass[index]), np.zeros(3), inertia, axes, centre
        )

    @cached_property
    def bodies(self) -> Mapping[str, RigidBody]:
        """Bodies that are welded to what a joint moves; of a body with several joints, what the last of them moves."""
        moved: dict[int, RigidBody] = {}
        for index, name in enumerate(self.frames, start=1):
            weld = int(self.model.body_weldid[index])
            moved[weld] = moved.get(weld, NOTHING) + self.links[name]
        return {
            self._joint_name(
                int(self.model.body_jntadr[weld] + self.model.body_jntnum[weld] - 1)
            ): body
            for weld, body in moved.items()
            if weld
        }

    @cached_property
    def frames(self) -> tuple[str, ...]:
        """Names of its bodies, in their order, those that have none as the description has them."""
        return tuple(
            self.model.body(index).name or f"body_{index}" for index in range(1, self.model.nbody)
        )


def ask_mujoco(description: RobotDescription) -> tuple[Mujoco, RobotDescription]:
    """MuJoCo's opinion on a robot, and the robot as MuJoCo can know it: of a URDF, without motors.

    Raises:
        ToolchainError: MuJoCo is not installed.
        UsageError: it cannot read the robot, or the robot cannot be written for it.
    """
    is_mjcf = description.notation == "MJCF"
    source = Source.of(description, "MJCF" if is_mjcf else "URDF")
    native = is_mjcf and source.is_file
    still = {link.name for link in description.links} - {
        name for names in Own(description).moved_with.values() for name in names
    }
    try:
        if native:
            mujoco, model = compile_model(_NEEDED, description.path)
        else:
            mujoco, model = _from_urdf(source.text, still)
    except (ValueError, ElementTree.ParseError) as error:
        raise UsageError(f"MuJoCo cannot read {source.said}: {error}") from None
    if not native:
        model.opt.gravity[:] = [float(component) for component in description.gravity]
    robot = source.robot(description, with_motors=native)
    moving = tuple(link for link in robot.links if link.joint.moves)
    numbers = _numbers(model, moving, source.said)
    return Mujoco(mujoco, model, mujoco.MjData(model), moving, numbers, source.said), robot


def _numbers(model: Any, moving: Sequence[LinkDescription], said: str) -> dict[str, int]:
    """MuJoCo's joints by the names that the description has for them: one without a name goes by its link.

    Raises:
        UsageError: MuJoCo has no such joint.
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
                f"MuJoCo fixes the base of {said}, which does not let it float: leave out --base floating, or ask Pinocchio"
            )
        found = (
            free[0]
            if link.joint.type.is_free
            else named.get(link.joint.name)
            if link.joint.name
            else next(nameless, None)
        )
        if found is None:
            missing.append(shown(link.joint_name))
        else:
            numbers[link.joint_name] = found
    if missing:
        raise UsageError(f"MuJoCo has no joint {', '.join(missing)} in {said}")
    return numbers


def _from_urdf(text: str, still: Collection[str]) -> tuple[Any, Any]:
    """A URDF without its shapes, whose files MuJoCo would look for, and without the inertia of links that never move.

    Links on fixed joints stay bodies, unless MuJoCo refuses that because a link that moves has no mass of its own.
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
