"""Read an MJCF file: MuJoCo's compiler resolves defaults, includes and meshes; bodies become links.

Rotations that MuJoCo's compiler has made quaternions of -> roll, pitch and yaw, and tensors in other axes.

The compiler's numbers have double precision: an angle or an element that is within their rounding of a round one is that.

Bodies of a compiled MJCF model -> links.

A body moves by its joints one after the other, each about an axis through its anchor in the body's frame: the link of each
joint but the last has no mass. Where the anchor is not the origin, the translation back to that stands behind the joint.

An MJCF file -> RobotDescription: MuJoCo's compiler reads it, with its defaults, includes and meshes; this reads the result.

What MuJoCo has and a robot here has not is refused where it changes what moves (ball joints, closed loops), and warned of
where it only acts on what moves (springs, gravity compensation).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import atan2, hypot
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dynagen.errors import Fault, RobotDescriptionError, shown
from dynagen.numbers.exact import PI, ZERO, Exact, twelfths_of_pi
from dynagen.robot.coordinates import with_coordinates
from dynagen.robot.description import (
    NO_INERTIA,
    CentralInertia,
    Friction,
    Limits,
    LinkDescription,
    NamedFrame,
    RobotDescription,
    Tensor,
)
from dynagen.robot.edits import displace_joint, find_floating_fault
from dynagen.robot.formats.mjcf.compiled import (
    CompiledBody,
    CompiledJoint,
    CompiledModel,
    Floats,
    compile_mjcf,
)
from dynagen.robot.formats.xml_document import read_document
from dynagen.robot.joints import FIXED, FLOATING, PRISMATIC, REVOLUTE, Joint
from dynagen.robot.literals import OF_TOOLS, Snapper, multiple_of_pi
from dynagen.robot.names import (
    MAX_PREFIX,
    find_circles,
    identifier,
    find_name_fault,
    find_name_faults,
)
from dynagen.robot.options import ReadingOptions
from dynagen.robot.plausibility import find_implausibilities
from dynagen.robot.pose import Translation, Vector, displacement, translation_and_rpy

_ROUNDING = 1e-12


def roll_pitch_yaw(quaternion: Floats, snapper: Snapper, where: str) -> tuple[Exact, Exact, Exact]:
    """The angles (rad) of R = Rz(yaw) Ry(pitch) Rx(roll), some of them snapped."""
    r = rotation(quaternion)
    across = hypot(r[0, 0], r[1, 0])
    if across < _ROUNDING:  # pitch is a right angle: roll and yaw are about one axis
        angles = 0.0, atan2(-r[2, 0], across), atan2(-r[0, 1], r[1, 1])
    else:
        angles = atan2(r[2, 1], r[2, 2]), atan2(-r[2, 0], across), atan2(r[1, 0], r[0, 0])
    roll, pitch, yaw = (_angle(angle, snapper, where) for angle in angles)
    return roll, pitch, yaw


def _angle(radians: float, snapper: Snapper, where: str) -> Exact:
    exact = Exact(radians)
    twelfths = twelfths_of_pi(exact, within=Fraction(_ROUNDING) * 12 / PI.to_fraction())
    return (
        snapper.angle(repr(radians), exact, where)
        if twelfths is None
        else multiple_of_pi(twelfths)[0]
    )


def rotation(quaternion: Floats) -> NDArray[np.float64]:
    """The rotation matrix of a quaternion w, x, y, z of any length, entries within rounding of 0 and 1 made these."""
    w, x, y, z = np.array(quaternion) / np.linalg.norm(quaternion)
    matrix = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    round_ones = np.round(matrix)
    return np.where(np.abs(matrix - round_ones) < _ROUNDING, round_ones, matrix)


def tensor(moments: Floats, quaternion: Floats) -> Tensor:
    """Principal moments in their axes -> the elements in the axes that these are given in."""
    r = rotation(quaternion)
    full = r @ np.diag(moments) @ r.T
    least = _ROUNDING * max(map(abs, moments))
    places = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    xx, yy, zz, xy, xz, yz = (
        Exact(float(full[i])) if abs(full[i]) > least else ZERO for i in places
    )
    return xx, yy, zz, xy, xz, yz


_TYPES = {"hinge": REVOLUTE, "slide": PRISMATIC}


def links_of(
    model: CompiledModel, snapper: Snapper, faults: list[Fault], warnings: list[Fault]
) -> list[LinkDescription]:
    """The links of all bodies, parents first; joints that mimic others are not yet told from those that do not.

    Args:
        model: what was compiled.
        snapper: snaps numbers.
        faults: takes joints that are not available.
        warnings: takes what acts on the robot and is not read.
    """
    links: list[LinkDescription] = []
    for body in model.bodies:
        parent = None if body.parent is None else model.bodies[body.parent].name
        links += _links(body, parent, snapper, faults, warnings)
    return links


def _links(
    body: CompiledBody,
    parent: str | None,
    snapper: Snapper,
    faults: list[Fault],
    warnings: list[Fault],
) -> Iterator[LinkDescription]:
    where = f"body {shown(body.name)}"
    if body.gravity_compensation:
        warnings.append(
            Fault(where, "gravcomp is not read: gravity acts on all of the body", link=body.name)
        )
    before = translation_and_rpy(
        lengths(body.position, snapper, f"{where}.pos"),
        roll_pitch_yaw(body.quaternion, snapper, f"{where}.quat"),
    )
    *first, last = body.joints or (None,)
    for number, joint in enumerate(first, start=1):
        name = f"{body.name}_{joint.name or number}"
        yield _moving(
            LinkDescription(name, parent, before, Joint(FIXED), (), NO_INERTIA),
            joint,
            snapper,
            faults,
            warnings,
        )
        parent, before = name, ()
    link = LinkDescription(
        body.name, parent, before, Joint(FIXED), (), _inertial(body, snapper, where)
    )
    yield link if last is None else _moving(link, last, snapper, faults, warnings)


def _moving(
    link: LinkDescription,
    joint: CompiledJoint,
    snapper: Snapper,
    faults: list[Fault],
    warnings: list[Fault],
) -> LinkDescription:
    """A link that is moved by a joint."""
    where = f"joint {shown(joint.name or link.name)}"
    if joint.kind == "ball":
        faults.append(
            Fault(where, "ball joints are not available: write three hinges about different axes")
        )
        return link
    if joint.kind == "free":
        if joint.damping or joint.armature:
            warnings.append(
                Fault(where, "damping and armature of a free joint are not read", link=link.name)
            )
        return replace(
            link, before=(), joint=Joint(FLOATING, name=joint.name)
        )  # q says where it is, not the file
    if joint.stiffness:
        warnings.append(
            Fault(
                where, "the spring (stiffness) is not read: no joint here has one", link=link.name
            )
        )
    made = Joint(_TYPES[joint.kind], lengths(joint.axis, snapper, f"{where}.axis"), name=joint.name)
    x, y, z = anchor = lengths(joint.anchor, snapper, f"{where}.pos")
    at_zero = displacement(*link.before, Translation(anchor))
    return replace(
        link,
        before=displace_joint(at_zero, made, -Exact(joint.reference)),
        joint=made,
        after=displacement(Translation((-x, -y, -z))),
        motor_inertia=Exact(joint.armature),
        friction=Friction(Exact(joint.damping), Exact(joint.friction_loss))
        if joint.damping or joint.friction_loss
        else None,
        limits=_limits(joint),
    )


def _limits(joint: CompiledJoint) -> Limits | None:
    position = None
    if joint.limits is not None and joint.limits[0] < joint.limits[1]:
        position = (Exact(joint.limits[0]), Exact(joint.limits[1]))
    effort = None if joint.force_limits is None else Exact(max(map(abs, joint.force_limits)))
    return Limits(position, None, effort or None) if position or effort else None


def _inertial(body: CompiledBody, snapper: Snapper, where: str) -> CentralInertia:
    com = lengths(body.com, snapper, f"{where}.ipos")
    return CentralInertia(Exact(body.mass), com, tensor(body.inertia, body.inertia_quaternion))


def lengths(values: Floats, snapper: Snapper, where: str) -> Vector:
    """Three lengths in m, or components of an axis, some of them snapped to zero."""
    x, y, z = (snapper.length(repr(value), Exact(value), where) for value in values)
    return x, y, z


_UNNAMED = "MuJoCo Model"
"""What MuJoCo calls a model without a name."""

_FREE = (
    "the base floats: q has its quaternion as x y z w, v its linear velocity in its own axes; "
    "MuJoCo has w x y z, and the axes of the world"
)


def read_mjcf(data: bytes, path: str, options: ReadingOptions) -> RobotDescription:
    """Read a description.

    Args:
        data: the file's content, which MuJoCo reads again from its path, because it may include others.
        path: of the file.
        options: which numbers to snap.

    Raises:
        ToolchainError: MuJoCo is not installed.
        RobotDescriptionError: it is no robot description, or says what is not available.
    """
    root = read_document(data, path)
    if root.tag != "mujoco":
        hint = ": give a URDF a name that ends in .urdf" if root.tag == "robot" else ""
        raise RobotDescriptionError(
            path, [Fault("", f"expected <mujoco>, found <{shown(root.tag)}>{hint}", root.line)]
        )
    model = compile_mjcf(path)
    faults: list[Fault] = []
    warnings: list[Fault] = []
    notes: list[str] = []
    snapper = Snapper(options.snapping, OF_TOOLS)
    links = _coupled(links_of(model, snapper, faults, warnings), model, faults, notes)
    faults += (
        Fault(f"body {shown(links[place].name)}", fault)
        for place, fault in find_name_faults(link.name for link in links)
    )
    if not faults and (fault := find_floating_fault(links)):
        faults.append(Fault(f"body {fault[0]}", fault[1]))
    if not faults and not options.floats and not any(link.joint.moves for link in links):
        faults.append(Fault("", "no joint moves: a robot needs at least one that is not fixed"))
    if faults:
        raise RobotDescriptionError(path, faults)
    if any(link.joint.type.is_free for link in links):
        notes.append(_FREE)
    if model.tendons:
        notes.append("tendons are not read")
    x, y, z = map(Exact, model.gravity)
    description = RobotDescription(
        name=_name(model, path),
        gravity=(x, y, z),
        links=with_coordinates(links),
        frames=tuple(_frames(model, links, snapper, notes)),
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
    return replace(description, warnings=(*warnings, *implausible))


def _name(model: CompiledModel, path: str) -> str:
    """The model's name; the file's where generated names cannot begin with it."""
    for name in (model.name, Path(path).stem):
        if name != _UNNAMED and find_name_fault(name, MAX_PREFIX) is None:
            return name
    raise RobotDescriptionError(
        path,
        [
            Fault(
                "mujoco",
                f"the model {find_name_fault(model.name, MAX_PREFIX)}; neither can the file",
            )
        ],
    )


def _coupled(
    links: list[LinkDescription], model: CompiledModel, faults: list[Fault], notes: list[str]
) -> list[LinkDescription]:
    """The links, whose joints follow others where a linear constraint between two joints says so.

    MuJoCo has y - y0 = c0 + c1 (x - x0) with the references y0 and x0 of the joints, and lets it give way a little.
    """
    moved_by = {link.joint.name: place for place, link in enumerate(links) if link.joint.moves}
    references = {
        joint.name: Exact(joint.reference) for body in model.bodies for joint in body.joints
    }
    for equality in model.equalities:
        where = f"equality {shown(equality.name)}".strip()
        if equality.kind != "joint":
            faults.append(
                Fault(
                    where,
                    f"a constraint of type {equality.kind} closes a loop: closed loops are not read",
                )
            )
            continue
        constant, ratio, *higher = map(Exact, equality.coefficients)
        if equality.second not in moved_by or not ratio or any(higher):
            message = "expected a joint that is a linear function of another; lock the joint, or remove the constraint"
            faults.append(Fault(where, message))
            continue
        place, leader = moved_by[equality.first], links[moved_by[equality.second]]
        offset = references[equality.first] + constant - ratio * references[equality.second]
        joint = replace(links[place].joint, mimics=leader.name, ratio=ratio, offset=offset)
        links[place] = replace(links[place], joint=joint)
        notes.append(
            f"{where}: joint {equality.first} follows {equality.second}, exactly, where MuJoCo lets it give way"
        )
    if not faults:
        in_circles = find_circles({link.name: link.joint.mimics or None for link in links})
        faults += (
            Fault(f"body {shown(name)}", "the joints follow each other in a circle")
            for name, *_ in in_circles
        )
    return links


def _frames(
    model: CompiledModel, links: Sequence[LinkDescription], snapper: Snapper, notes: list[str]
) -> Iterator[NamedFrame]:
    """A frame for every link, and for every site whose name is not taken."""
    names = {identifier(link.name) for link in links}
    yield from (NamedFrame(link.name, link.name, ()) for link in links)
    for site in model.sites:
        if site.body is None or find_name_fault(site.name) or identifier(site.name) in names:
            notes.append(
                f"site {shown(site.name)} is no frame: it is fixed to the world, or its name is taken or none"
            )
            continue
        names.add(identifier(site.name))
        xyz = lengths(site.position, snapper, f"site {site.name}.pos")
        rpy = roll_pitch_yaw(site.quaternion, snapper, f"site {site.name}.quat")
        yield NamedFrame(site.name, model.bodies[site.body].name, translation_and_rpy(xyz, rpy))
