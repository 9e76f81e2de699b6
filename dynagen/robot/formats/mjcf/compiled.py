"""MJCF files compiled by MuJoCo, as plain data.

Lengths are in m, angles in rad, masses in kg. Quaternions have the order w, x, y, z.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynagen.errors import Fault, RobotDescriptionError
from dynagen.robot.formats.mujoco_compiler import compile_model

Floats = tuple[float, ...]

# Arrays of a compiled model that change the motion and have no equal here. Old versions of MuJoCo
# do not have all of them.
_HIGHER = {
    "higher coefficients of damping (dampingpoly)": ("dof_dampingpoly", "actuator_dampingpoly"),
    "higher coefficients of springs (stiffnesspoly)": ("jnt_stiffnesspoly",),
    "yielding springs (springyield)": ("jnt_springyield",),
    "armature and damping of actuators on other elements than hinges and slides": (
        "actuator_armature",
        "actuator_damping",
    ),
}


@dataclass(frozen=True)
class CompiledJoint:
    """A joint of a body in a compiled MuJoCo model.

    Attributes:
        kind: "hinge", "slide", "ball" or "free".
        anchor: position of a point on the axis, in the body's frame (m).
        axis: direction of the axis, in the body's frame.
        reference: value of the joint variable in the pose that the file describes (rad or m).
        limits: lower and upper limit of the joint variable (rad or m); None without limits.
        force_limits: lower and upper limit of the joint force (N m or N); None without limits.
        stiffness: stiffness of the joint's spring (N m/rad or N/m).
        armature: motor inertia, reflected to the joint (kg m^2 or kg).
        damping: viscous friction (N m s/rad or N s/m).
        friction_loss: Coulomb friction (N m or N).
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
    """A body of a compiled MuJoCo model.

    Attributes:
        parent: index of the parent body; None for the world.
        position: position of the body's frame in the parent's frame (m).
        quaternion: orientation of the body's frame in the parent's frame, as w, x, y, z.
        com: position of the centre of mass in the body's frame (m).
        inertia: principal moments about the centre of mass (kg m^2).
        inertia_quaternion: orientation of the principal axes in the body's frame, as w, x, y, z.
        gravity_compensation: fraction of the body's weight that MuJoCo compensates.
        joints: joints between the body and its parent, outward.
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
    """A named frame that is fixed to a body.

    Attributes:
        body: index of the body; None for the world.
        position: position of the frame in the body's frame (m).
        quaternion: orientation of the frame in the body's frame, as w, x, y, z.
    """

    name: str
    body: int | None
    position: Floats
    quaternion: Floats


@dataclass(frozen=True)
class CompiledEquality:
    """An equality constraint in a compiled MuJoCo model.

    Attributes:
        kind: "joint", "connect", "weld" or another kind of MuJoCo.
        first: name of the joint with the position y, for the kind "joint".
        second: name of the joint with the position x; empty if the constraint fixes y.
        coefficients: coefficients c0 to c4 of the constraint y - y0 = c0 + c1 (x - x0) + ... + c4
            (x - x0)^4 of the kind "joint", with the reference positions y0 and x0.
        ends: the two unnamed frames that a constraint "connect" or "weld" keeps together.
    """

    name: str
    kind: str
    first: str = ""
    second: str = ""
    coefficients: Floats = ()
    ends: tuple[CompiledSite, ...] = ()


@dataclass(frozen=True)
class CompiledModel:
    """A compiled MuJoCo model; the world is not one of its bodies.

    Attributes:
        gravity: acceleration of gravity (m/s^2); zero if a flag of the file disables it.
        equalities: constraints that are active at the start.
        inactive: number of constraints that are not active at the start.
        acting: phrases for the elements that affect the motion in MuJoCo, but not in dynagen.
        ignored: phrases for the elements without effect on the equations of motion.
    """

    name: str
    gravity: Floats
    bodies: tuple[CompiledBody, ...]
    sites: tuple[CompiledSite, ...]
    equalities: tuple[CompiledEquality, ...]
    inactive: int
    acting: tuple[str, ...]
    ignored: tuple[str, ...]


def compile_mjcf(path: str) -> CompiledModel:
    """Return the model that MuJoCo compiles from an MJCF file.

    Raises:
        ToolchainError: MuJoCo is not installed.
        RobotDescriptionError: MuJoCo rejects the file.
    """
    try:
        mujoco, model = compile_model(f"{path}, which is MJCF", path)
    except ValueError as error:
        raise RobotDescriptionError(path, [Fault("", f"MuJoCo: {error}")]) from None
    disabled = _list_disabled(mujoco, model)
    _add_actuators(mujoco, model, disabled)
    bodies = tuple(_convert_body(mujoco, model, index, disabled) for index in range(1, model.nbody))
    sites = tuple(
        CompiledSite(
            name,
            body - 1 if body else None,
            _floats(model.site_pos[index]),
            _floats(model.site_quat[index]),
        )
        for index in range(model.nsite)
        if (name := _find_name(mujoco, model, "SITE", index))
        for body in (int(model.site_bodyid[index]),)
    )
    equalities = tuple(
        _convert_equality(mujoco, model, index)
        for index in range(model.neq)
        if model.eq_active0[index] and not disabled & {"CONSTRAINT", "EQUALITY"}
    )
    title = bytes(model.names).split(b"\0", 1)[0].decode()
    return CompiledModel(
        title,
        (0.0, 0.0, 0.0) if "GRAVITY" in disabled else _floats(model.opt.gravity),
        bodies,
        sites,
        equalities,
        int(model.neq) - len(equalities),
        tuple(_list_acting(model)),
        tuple(_list_ignored(model)),
    )


def _list_disabled(mujoco: Any, model: Any) -> frozenset[str]:
    """Return MuJoCo's names of the parts of the physics that a file disables, such as GRAVITY."""
    flags = mujoco.mjtDisableBit.__members__.items()
    return frozenset(
        name.removeprefix("mjDSBL_")
        for name, bit in flags
        if int(model.opt.disableflags) & int(bit)
    )


def _add_actuators(mujoco: Any, model: Any, disabled: Set[str]) -> None:
    """Add the armature and damping of actuators to the hinges and slides that they drive.

    Both are multiplied by the square of the gear ratio, and act even without a control signal.
    Actuators have armature and damping since MuJoCo 3.6.
    """
    if not hasattr(model, "actuator_armature"):
        return
    transmissions = {
        int(mujoco.mjtTrn.mjTRN_JOINT),
        int(mujoco.mjtTrn.mjTRN_JOINTINPARENT),
    }
    axes = {int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)}
    for index in range(model.nu):
        joint = int(model.actuator_trnid[index, 0])
        if (
            int(model.actuator_trntype[index]) not in transmissions
            or int(model.jnt_type[joint]) not in axes
        ):
            continue
        dof, squared = int(model.jnt_dofadr[joint]), float(model.actuator_gear[index, 0]) ** 2
        model.dof_armature[dof] += squared * _first(model.actuator_armature[index])
        model.actuator_armature[index] = 0.0
        if not disabled & {"PASSIVE", "DAMPER"}:
            model.dof_damping[dof] += squared * _first(model.actuator_damping[index])
        model.actuator_damping[index] = 0.0


def _list_acting(model: Any) -> Iterator[str]:
    """Yield phrases for the elements that affect the motion in MuJoCo, but not in dynagen."""
    for title, names in _HIGHER.items():
        if any(np.any(getattr(model, name, 0.0)) for name in names):
            yield title
    if model.opt.density or model.opt.viscosity:
        yield "forces of a fluid (option density, viscosity)"
    # Tendons act by springs, damping, friction, or the inertia of their motors.
    properties = ("stiffness", "damping", "frictionloss", "armature")
    values = [getattr(model, f"tendon_{name}", None) for name in properties]
    if any(each is not None and np.any(each) for each in values):
        yield "springs, damping, friction and inertia of tendons"
    if getattr(model, "nflex", 0):
        yield "elasticity of flexible bodies (flex)"
    if getattr(model, "nplugin", 0):
        yield "forces of plugins"


def _list_ignored(model: Any) -> Iterator[str]:
    """Yield phrases for the elements without effect on the equations of motion."""
    counts = {
        "tendons": model.ntendon,
        "actuators": model.nu,
        "sensors": model.nsensor,
        "keyframes": model.nkey,
        "pairs and exclusions of contacts": model.npair + model.nexclude,
    }
    yield from (name for name, count in counts.items() if count)


def _convert_body(mujoco: Any, model: Any, index: int, disabled: Set[str]) -> CompiledBody:
    first, count = int(model.body_jntadr[index]), int(model.body_jntnum[index])
    parent = int(model.body_parentid[index])
    return CompiledBody(
        name=_find_name(mujoco, model, "BODY", index) or f"body_{index}",
        parent=parent - 1 if parent else None,
        position=_floats(model.body_pos[index]),
        quaternion=_floats(model.body_quat[index]),
        mass=float(model.body_mass[index]),
        com=_floats(model.body_ipos[index]),
        inertia=_floats(model.body_inertia[index]),
        inertia_quaternion=_floats(model.body_iquat[index]),
        gravity_compensation=float(model.body_gravcomp[index]),
        joints=tuple(
            _convert_joint(mujoco, model, joint, disabled) for joint in range(first, first + count)
        ),
    )


def _convert_joint(mujoco: Any, model: Any, index: int, disabled: Set[str]) -> CompiledJoint:
    dof, kind = int(model.jnt_dofadr[index]), mujoco.mjtJoint(int(model.jnt_type[index])).name
    limited, force_limited = bool(model.jnt_limited[index]), bool(model.jnt_actfrclimited[index])
    return CompiledJoint(
        name=_find_name(mujoco, model, "JOINT", index),
        kind=kind.removeprefix("mjJNT_").lower(),
        anchor=_floats(model.jnt_pos[index]),
        axis=_floats(model.jnt_axis[index]),
        reference=float(model.qpos0[model.jnt_qposadr[index]]),
        limits=_floats(model.jnt_range[index]) if limited else None,
        force_limits=_floats(model.jnt_actfrcrange[index]) if force_limited else None,
        # Older versions of MuJoCo disable springs and dampers together: PASSIVE.
        stiffness=0.0 if disabled & {"PASSIVE", "SPRING"} else _first(model.jnt_stiffness[index]),
        armature=float(model.dof_armature[dof]),
        damping=0.0 if disabled & {"PASSIVE", "DAMPER"} else _first(model.dof_damping[dof]),
        friction_loss=0.0
        if disabled & {"CONSTRAINT", "FRICTIONLOSS"}
        else float(model.dof_frictionloss[dof]),
    )


def _convert_equality(mujoco: Any, model: Any, index: int) -> CompiledEquality:
    kind = mujoco.mjtEq(int(model.eq_type[index])).name.removeprefix("mjEQ_").lower()
    name = _find_name(mujoco, model, "EQUALITY", index)
    if kind in ("connect", "weld"):
        return CompiledEquality(name, kind, ends=_find_ends(mujoco, model, index, kind))
    if kind != "joint":
        return CompiledEquality(name, kind)
    first, second = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    other = _find_name(mujoco, model, "JOINT", second) if second >= 0 else ""
    return CompiledEquality(
        name,
        kind,
        _find_name(mujoco, model, "JOINT", first),
        other,
        _floats(model.eq_data[index][:5]),
    )


def _find_ends(mujoco: Any, model: Any, index: int, kind: str) -> tuple[CompiledSite, ...]:
    """Return the two frames that a constraint "connect" or "weld" keeps together."""
    numbers = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    # Old versions of MuJoCo have no constraints between sites.
    types = getattr(model, "eq_objtype", None)
    if types is not None and int(types[index]) == int(mujoco.mjtObj.mjOBJ_SITE):
        return tuple(
            CompiledSite(
                "",
                body - 1 if body else None,
                _floats(model.site_pos[site]),
                _floats(model.site_quat[site]),
            )
            for site in numbers
            for body in (int(model.site_bodyid[site]),)
        )
    data, unit = model.eq_data[index], (1.0, 0.0, 0.0, 0.0)
    # A weld has the anchor in the second body first, and the orientation of the second body in the
    # first one behind both anchors.
    anchors = (data[:3], data[3:6]) if kind == "connect" else (data[3:6], data[:3])
    turns = (unit, unit) if kind == "connect" else (_floats(data[6:10]), unit)
    return tuple(
        CompiledSite("", body - 1 if body else None, _floats(anchor), turn)
        for body, anchor, turn in zip(numbers, anchors, turns, strict=True)
    )


def _find_name(mujoco: Any, model: Any, kind: str, index: int) -> str:
    return str(mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind}"), index) or "")


def _first(values: Any) -> float:
    """Return a number, or the first coefficient if MuJoCo stores a polynomial."""
    return float(np.ravel(values)[0])


def _floats(values: Any) -> Floats:
    return tuple(map(float, values))
