"""Reading of MJCF files into a `RobotDescription`; one error lists all faults of a file.

MuJoCo's compiler reads the file with its defaults, includes and meshes. The bodies of the compiled
model become links. A body with several joints becomes a chain of links, with one joint each. Only
the last link of the chain has mass. The axis of a joint passes through its anchor. If the anchor is
not the origin of the body's frame, a translation back to the origin follows the joint.

The constraints "connect" and "weld" close loops (`dynagen.robot.loops`).

Elements that dynagen does not support are faults if they constrain the motion. Unsupported elements
that only apply forces (springs, gravity compensation) are warnings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from dynagen.errors import Fault, RobotDescriptionError, UsageError, clip
from dynagen.numbers.exact import Exact
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import (
    NO_INERTIA,
    CentralInertia,
    Friction,
    Limits,
    LinkDescription,
    Loop,
    NamedFrame,
    RobotDescription,
)
from dynagen.robot.edits import displace_joint, find_floating_fault
from dynagen.robot.formats.mjcf.compiled import (
    CompiledBody,
    CompiledJoint,
    CompiledModel,
    compile_mjcf,
)
from dynagen.robot.formats.mjcf.numbers import (
    convert_to_rpy,
    rotate_principal_tensor,
    snap_lengths,
)
from dynagen.robot.formats.xml_document import read_xml
from dynagen.robot.joints import FIXED, FLOATING, PRISMATIC, REVOLUTE, SPHERICAL, Joint
from dynagen.robot.literals import OF_TOOLS, Snapper
from dynagen.robot.loops import close_loops
from dynagen.robot.names import (
    MAX_PREFIX,
    find_circles,
    find_name_fault,
    find_name_faults,
    make_identifier,
)
from dynagen.robot.options import ReadingOptions
from dynagen.robot.plausibility import find_implausibilities
from dynagen.robot.pose import Translation, compose, make_translation_and_rpy

_TYPES = {"hinge": REVOLUTE, "slide": PRISMATIC}


def _read_bodies(
    model: CompiledModel, snapper: Snapper, warnings: list[Fault]
) -> list[LinkDescription]:
    """Return the links of all bodies, parents first; no joint mimics another joint yet."""
    links: list[LinkDescription] = []
    for body in model.bodies:
        parent = None if body.parent is None else model.bodies[body.parent].name
        links += _read_body(body, parent, snapper, warnings)
    return links


def _read_body(
    body: CompiledBody,
    parent: str | None,
    snapper: Snapper,
    warnings: list[Fault],
) -> Iterator[LinkDescription]:
    where = f"body {clip(body.name)}"
    if body.gravity_compensation:
        warnings.append(
            Fault(
                where,
                "gravcomp is not read, because dynagen has no gravity compensation: gravity acts "
                "on the whole body; subtract the compensated part from the joint forces, or remove "
                "gravcomp",
                link=body.name,
            )
        )
    before = make_translation_and_rpy(
        snap_lengths(body.position, snapper, f"{where}.pos"),
        convert_to_rpy(body.quaternion, snapper, f"{where}.quat"),
    )
    *first, last = body.joints or (None,)
    for number, joint in enumerate(first, start=1):
        name = f"{body.name}_{joint.name or number}"
        yield _move_link(
            LinkDescription(name, parent, before, Joint(FIXED), (), NO_INERTIA),
            joint,
            snapper,
            warnings,
        )
        parent, before = name, ()
    link = LinkDescription(
        body.name, parent, before, Joint(FIXED), (), _read_inertial(body, snapper, where)
    )
    yield link if last is None else _move_link(link, last, snapper, warnings)


def _move_link(
    link: LinkDescription,
    joint: CompiledJoint,
    snapper: Snapper,
    warnings: list[Fault],
) -> LinkDescription:
    """Return the link with the given joint of the MuJoCo model in place of its own joint."""
    where = f"joint {clip(joint.name or link.name)}"
    if joint.kind == "ball":
        if joint.stiffness or joint.damping or joint.friction_loss or joint.armature:
            warnings.append(
                Fault(
                    where,
                    "stiffness, damping, frictionloss and armature of a ball joint are not read, "
                    "because spherical joints of dynagen have no motor or friction: add these "
                    "torques to "
                    "the joint forces, or write three hinges",
                    link=link.name,
                )
            )
        x, y, z = anchor = snap_lengths(joint.anchor, snapper, f"{where}.pos")
        return replace(
            link,
            before=compose(*link.before, Translation(anchor)),
            joint=Joint(SPHERICAL, name=joint.name),
            after=compose(Translation((-x, -y, -z))),
        )
    if joint.kind == "free":
        if joint.damping or joint.armature:
            warnings.append(
                Fault(
                    where,
                    "damping and armature of a free joint are not read, because no motor drives "
                    "it: add these forces to those of the joint, or set them to zero",
                    link=link.name,
                )
            )
        # Without displacement: q is the pose of the link in the base frame.
        return replace(link, before=(), joint=Joint(FLOATING, name=joint.name))
    if joint.stiffness:
        warnings.append(
            Fault(
                where,
                "the spring (stiffness) is not read, because joints of dynagen have no spring "
                "towards a position: add the "
                "torque -stiffness (q - springref) to the input of forward dynamics, or set it to "
                "zero",
                link=link.name,
            )
        )
    made = Joint(
        _TYPES[joint.kind], snap_lengths(joint.axis, snapper, f"{where}.axis"), name=joint.name
    )
    x, y, z = anchor = snap_lengths(joint.anchor, snapper, f"{where}.pos")
    # The file shows the pose at the reference. Displaced by minus the reference it is that at zero.
    at_reference = compose(*link.before, Translation(anchor))
    return replace(
        link,
        before=displace_joint(at_reference, made, -Exact(joint.reference)),
        joint=made,
        after=compose(Translation((-x, -y, -z))),
        motor_inertia=Exact(joint.armature),
        friction=Friction(Exact(joint.damping), Exact(joint.friction_loss))
        if joint.damping or joint.friction_loss
        else None,
        limits=_read_limits(joint),
    )


def _read_limits(joint: CompiledJoint) -> Limits | None:
    position = None
    if joint.limits is not None and joint.limits[0] < joint.limits[1]:
        position = (Exact(joint.limits[0]), Exact(joint.limits[1]))
    effort = None if joint.force_limits is None else Exact(max(map(abs, joint.force_limits)))
    return Limits(position, None, effort or None) if position or effort else None


def _read_inertial(body: CompiledBody, snapper: Snapper, where: str) -> CentralInertia:
    com = snap_lengths(body.com, snapper, f"{where}.ipos")
    return CentralInertia(
        Exact(body.mass), com, rotate_principal_tensor(body.inertia, body.inertia_quaternion)
    )


_LOOPS: dict[str, Literal["spherical", "fixed"]] = {"connect": "spherical", "weld": "fixed"}
"""Type of joint in `Loop` for each MuJoCo constraint that closes a loop."""

_UNNAMED = "MuJoCo Model"
"""MuJoCo's name for a model without a name."""

_FREE = (
    "the base floats: in q its quaternion is x y z w (MuJoCo: w x y z), and in v its linear "
    "velocity is in the axes of the base (MuJoCo: of the world)"
)


_BALL = "in q, quaternions of ball joints are x y z w (MuJoCo: w x y z)"


def read_mjcf(data: bytes, path: str, options: ReadingOptions) -> RobotDescription:
    """Read a description in MJCF.

    Args:
        data: content of the file. MuJoCo reads the file again, because it may include other files.
        path: path of the file.
        options: options of reading, of which `snapping` and `base` are used.

    Raises:
        ToolchainError: MuJoCo is not installed.
        RobotDescriptionError: the file is not a valid description, or contains elements that are
            not supported.
    """
    root = read_xml(data, path)
    if root.tag != "mujoco":
        hint = ": give a URDF a name that ends in .urdf" if root.tag == "robot" else ""
        raise RobotDescriptionError(
            path, [Fault("", f"expected <mujoco>, found <{clip(root.tag)}>{hint}", root.line)]
        )
    model = compile_mjcf(path)
    faults: list[Fault] = []
    warnings: list[Fault] = []
    notes: list[str] = []
    snapper = Snapper(options.snapping, OF_TOOLS)
    links = _couple_joints(_read_bodies(model, snapper, warnings), model, faults, notes)
    faults += (
        Fault(f"body {clip(links[position].name)}", fault)
        for position, fault in find_name_faults(link.name for link in links)
    )
    if not faults and (fault := find_floating_fault(links)):
        faults.append(Fault(f"body {fault[0]}", fault[1]))
    if not faults and not options.floats and not any(link.joint.moves for link in links):
        faults.append(Fault("", "all joints are fixed; expected at least one joint that moves"))
    if faults:
        raise RobotDescriptionError(path, faults)
    if any(link.joint.type.is_free for link in links):
        notes.append(_FREE)
    notes += (
        f"{element} are not read: they do not change the dynamics of the robot alone"
        for element in model.ignored
    )
    if any(link.joint.type.is_spherical for link in links):
        notes.append(_BALL)
    if model.inactive:
        notes.append(f"{model.inactive} inactive equality constraints are not read, as in MuJoCo")
    warnings += (
        Fault(
            "",
            f"{element} are not read, because dynagen does not model them; MuJoCo computes another "
            "motion: add these forces to the joint forces, or remove the elements",
        )
        for element in model.acting
    )
    x, y, z = map(Exact, model.gravity)
    description = RobotDescription(
        name=_choose_name(model, path),
        gravity=(x, y, z),
        links=number_coordinates(links),
        frames=tuple(_list_frames(model, links, snapper, notes)),
        notation="MJCF",
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        notes=tuple(notes),
        snaps=tuple(snapper.snaps),
    )
    implausible = (
        Fault(f"body {name}", message, link=name)
        for name, message in find_implausibilities(description)
    )
    return _close_loops(
        replace(description, warnings=(*warnings, *implausible)), model, snapper, path
    )


def _choose_name(model: CompiledModel, path: str) -> str:
    """Return the model's name, or the file's name if the model's name is invalid."""
    for name in (model.name, Path(path).stem):
        if name != _UNNAMED and find_name_fault(name, MAX_PREFIX) is None:
            return name
    fault = find_name_fault(model.name, MAX_PREFIX) or "the model has no name"
    message = f"{fault}; the name of the file is invalid too: rename the model or the file"
    raise RobotDescriptionError(path, [Fault("mujoco", message)])


def _couple_joints(
    links: list[LinkDescription], model: CompiledModel, faults: list[Fault], notes: list[str]
) -> list[LinkDescription]:
    """Turn joints with a linear constraint to another joint into mimicking joints.

    MuJoCo satisfies the constraint approximately, a mimicking joint exactly. The list `links` is
    changed and returned.
    """
    moved_by = {link.joint.name: index for index, link in enumerate(links) if link.joint.moves}
    references = {
        joint.name: Exact(joint.reference) for body in model.bodies for joint in body.joints
    }
    for equality in model.equalities:
        where = f"equality {clip(equality.name)}".strip()
        if equality.kind in _LOOPS:
            continue
        if equality.kind != "joint":
            message = f"a constraint of type {equality.kind} is not supported; remove it"
            faults.append(Fault(where, message))
            continue
        constant, ratio, *higher = map(Exact, equality.coefficients)
        if equality.second not in moved_by or not ratio or any(higher):
            message = (
                "expected a joint position that is a linear function of one other joint position; "
                "lock the joint, or remove the constraint"
            )
            faults.append(Fault(where, message))
            continue
        follower, leader = moved_by[equality.first], links[moved_by[equality.second]]
        if links[follower].joint.mimics:
            message = (
                f"joint {clip(equality.first)} follows two joints: expected one; "
                "remove one of the constraints"
            )
            faults.append(Fault(where, message))
            continue
        offset = references[equality.first] + constant - ratio * references[equality.second]
        joint = replace(links[follower].joint, mimics=leader.name, ratio=ratio, offset=offset)
        links[follower] = replace(links[follower], joint=joint)
        notes.append(
            f"{where}: joint {equality.first} follows {equality.second} exactly; "
            "in MuJoCo it follows approximately"
        )
    if not faults:
        circles = find_circles({link.name: link.joint.mimics or None for link in links})
        faults += (
            Fault(f"body {clip(name)}", "the joints follow each other in a circle")
            for name, *_ in circles
        )
    return links


def _close_loops(
    description: RobotDescription, model: CompiledModel, snapper: Snapper, path: str
) -> RobotDescription:
    """Close the loops of the constraints "connect" and "weld"; add two named frames for each."""
    equalities = [each for each in model.equalities if each.kind in _LOOPS]
    names = {make_identifier(frame.name) for frame in description.frames}
    frames, loops = list(description.frames), []
    for number, equality in enumerate(equalities, start=1):
        where = f"equality {clip(equality.name)}".strip()
        ends = []
        for suffix, end in zip(("first", "second"), equality.ends, strict=True):
            if end.body is None:
                message = (
                    f"{equality.kind} to the world is not supported: add a body without joints to "
                    "the world, and use it instead"
                )
                raise RobotDescriptionError(path, [Fault(where, message)])
            name = f"{equality.name or f'loop_{number}'}_{suffix}"
            if find_name_fault(name) or make_identifier(name) in names:
                name = f"closing_{number}_{suffix}"
            names.add(make_identifier(name))
            xyz = snap_lengths(end.position, snapper, f"{where}.anchor")
            rpy = convert_to_rpy(end.quaternion, snapper, f"{where}.relpose")
            link = model.bodies[end.body].name
            frames.append(NamedFrame(name, link, make_translation_and_rpy(xyz, rpy)))
            ends.append(name)
        loops.append(Loop(ends[0], ends[1], _LOOPS[equality.kind]))
    if not loops:
        return description
    try:
        closed = close_loops(
            replace(description, frames=tuple(frames), snaps=tuple(snapper.snaps)), loops
        )
    except UsageError as error:
        raise RobotDescriptionError(path, [Fault("equality", str(error))]) from None
    note = "loops are closed exactly; in MuJoCo they are closed approximately"
    return replace(closed, notes=(*closed.notes, note))


def _list_frames(
    model: CompiledModel, links: Sequence[LinkDescription], snapper: Snapper, notes: list[str]
) -> Iterator[NamedFrame]:
    """Yield a frame for each link, and for each site with a valid and unused name."""
    names = {make_identifier(link.name) for link in links}
    yield from (NamedFrame(link.name, link.name, ()) for link in links)
    for site in model.sites:
        fault = find_name_fault(site.name)
        if site.body is None or fault or make_identifier(site.name) in names:
            reason = (
                "it is fixed to the world; move the site into a body"
                if site.body is None
                else f"its name is invalid ({fault}); rename the site"
                if fault
                else "another frame has this name; rename the site"
            )
            notes.append(f"site {clip(site.name)} is not a frame, because {reason}")
            continue
        names.add(make_identifier(site.name))
        xyz = snap_lengths(site.position, snapper, f"site {site.name}.pos")
        rpy = convert_to_rpy(site.quaternion, snapper, f"site {site.name}.quat")
        yield NamedFrame(
            site.name, model.bodies[site.body].name, make_translation_and_rpy(xyz, rpy)
        )
