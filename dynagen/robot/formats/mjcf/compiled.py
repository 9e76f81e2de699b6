"""An MJCF file as MuJoCo's compiler understands it, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dynagen.errors import Fault, RobotDescriptionError
from dynagen.robot.formats.mujoco_compiler import compile_model

Floats = tuple[float, ...]


@dataclass(frozen=True)
class CompiledJoint:
    """A joint of a body.

    Attributes:
        kind: hinge, slide, ball or free.
        anchor, axis: in the frame of the body (m).
        reference: value of its variable where the body is as the file has it (rad or m).
        limits: of its variable, if it is limited.
        force_limits: of its force, if that is.
    """

    name: str
    kind: str
    anchor: Floats
    axis: Floats
    reference: float
    limits: Floats | None
    force_limits: Floats | None
    stiffness: float
    armature: float
    damping: float
    friction_loss: float


@dataclass(frozen=True)
class CompiledBody:
    """A body, in the frame of its parent; quaternions are w, x, y, z.

    Attributes:
        parent: position among the bodies; None for the world.
        inertia: principal moments (kg m^2) about the centre of mass, in the axes of `inertia_quaternion`.
    """

    name: str
    parent: int | None
    position: Floats
    quaternion: Floats
    mass: float
    com: Floats
    inertia: Floats
    inertia_quaternion: Floats
    gravity_compensation: float
    joints: tuple[CompiledJoint, ...]


@dataclass(frozen=True)
class CompiledSite:
    """A named frame on a body (None: on the world)."""

    name: str
    body: int | None
    position: Floats
    quaternion: Floats


@dataclass(frozen=True)
class CompiledEquality:
    """A constraint: its kind (joint, connect, weld, ...), the joints of one between joints, and its numbers."""

    name: str
    kind: str
    first: str = ""
    second: str = ""
    coefficients: Floats = ()


@dataclass(frozen=True)
class CompiledModel:
    """A whole model; the world is not among its bodies."""

    name: str
    gravity: Floats
    bodies: tuple[CompiledBody, ...]
    sites: tuple[CompiledSite, ...]
    equalities: tuple[CompiledEquality, ...]
    tendons: int


def compile_mjcf(path: str) -> CompiledModel:
    """Let MuJoCo read a file.

    Raises:
        ToolchainError: MuJoCo is not installed.
        RobotDescriptionError: it refuses the file.
    """
    try:
        mujoco, model = compile_model(f"{path}, which is MJCF", path)
    except ValueError as error:
        raise RobotDescriptionError(path, [Fault("", f"MuJoCo: {error}")]) from None
    bodies = tuple(_body(mujoco, model, index) for index in range(1, model.nbody))
    sites = tuple(
        CompiledSite(
            name,
            body - 1 if body else None,
            _floats(model.site_pos[index]),
            _floats(model.site_quat[index]),
        )
        for index in range(model.nsite)
        if (name := _name(mujoco, model, "SITE", index))
        for body in (int(model.site_bodyid[index]),)
    )
    equalities = tuple(
        _equality(mujoco, model, index) for index in range(model.neq) if model.eq_active0[index]
    )
    title = bytes(model.names).split(b"\0", 1)[0].decode()
    return CompiledModel(
        title, _floats(model.opt.gravity), bodies, sites, equalities, int(model.ntendon)
    )


def _body(mujoco: Any, model: Any, index: int) -> CompiledBody:
    first, count = int(model.body_jntadr[index]), int(model.body_jntnum[index])
    parent = int(model.body_parentid[index])
    return CompiledBody(
        name=_name(mujoco, model, "BODY", index) or f"body_{index}",
        parent=parent - 1 if parent else None,
        position=_floats(model.body_pos[index]),
        quaternion=_floats(model.body_quat[index]),
        mass=float(model.body_mass[index]),
        com=_floats(model.body_ipos[index]),
        inertia=_floats(model.body_inertia[index]),
        inertia_quaternion=_floats(model.body_iquat[index]),
        gravity_compensation=float(model.body_gravcomp[index]),
        joints=tuple(_joint(mujoco, model, joint) for joint in range(first, first + count)),
    )


def _joint(mujoco: Any, model: Any, index: int) -> CompiledJoint:
    dof, kind = int(model.jnt_dofadr[index]), mujoco.mjtJoint(int(model.jnt_type[index])).name
    limited, force_limited = bool(model.jnt_limited[index]), bool(model.jnt_actfrclimited[index])
    return CompiledJoint(
        name=_name(mujoco, model, "JOINT", index),
        kind=kind.removeprefix("mjJNT_").lower(),
        anchor=_floats(model.jnt_pos[index]),
        axis=_floats(model.jnt_axis[index]),
        reference=float(model.qpos0[model.jnt_qposadr[index]]),
        limits=_floats(model.jnt_range[index]) if limited else None,
        force_limits=_floats(model.jnt_actfrcrange[index]) if force_limited else None,
        stiffness=float(model.jnt_stiffness[index]),
        armature=float(model.dof_armature[dof]),
        damping=float(model.dof_damping[dof]),
        friction_loss=float(model.dof_frictionloss[dof]),
    )


def _equality(mujoco: Any, model: Any, index: int) -> CompiledEquality:
    kind = mujoco.mjtEq(int(model.eq_type[index])).name.removeprefix("mjEQ_").lower()
    name = _name(mujoco, model, "EQUALITY", index)
    if kind != "joint":
        return CompiledEquality(name, kind)
    first, second = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    other = _name(mujoco, model, "JOINT", second) if second >= 0 else ""
    return CompiledEquality(
        name, kind, _name(mujoco, model, "JOINT", first), other, _floats(model.eq_data[index][:5])
    )


def _name(mujoco: Any, model: Any, kind: str, index: int) -> str:
    return str(mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind}"), index) or "")


def _floats(values: Any) -> Floats:
    return tuple(map(float, values))
