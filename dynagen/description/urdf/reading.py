"""A URDF's bytes -> RobotDescription, or one RobotDescriptionError with the faults that were found.

bytes -> Element (document) -> branches, root first (tree) -> links (joints, inertial; their numbers by quantities)

The frame of the root link is the base frame. Every link, fixed ones too, is a named frame for kinematics.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dynagen.description.coordinates import with_coordinates
from dynagen.description.description import LinkDescription, NamedFrame, RobotDescription
from dynagen.description.displacement import Displacement, Vector, translation_and_rpy
from dynagen.description.floating import floating_fault
from dynagen.description.inertia import central_inertia
from dynagen.description.joints import Joint
from dynagen.description.names import MAX_PREFIX, name_fault
from dynagen.description.options import ReadingOptions
from dynagen.description.plausibility import implausibilities
from dynagen.description.urdf.inertial import read_inertial
from dynagen.description.urdf.joints import check_mimics, joint_name, read_friction, read_joint, read_limits
from dynagen.description.urdf.planar import expand_planar_joints
from dynagen.description.urdf.quantities import Quantities
from dynagen.description.urdf.transmissions import read_motor_inertias
from dynagen.description.urdf.tree import Branch, read_tree
from dynagen.description.xml_document import Element, read_document
from dynagen.errors import shown
from dynagen.numbers.exact import ZERO, Exact

_GRAVITY: Vector = (ZERO, ZERO, Exact("-9.81"))
_LIGHTEST = Exact("1e-5")  # kg; what stands for zero in many files, because some simulators refuse zero
_EXPAND = "this is xacro, a program that writes a URDF: give the file a name that ends in .xacro"


def read_urdf(data: bytes, path: str, options: ReadingOptions) -> RobotDescription:
    """Read a description.

    Args:
        data: the file's content.
        path: names it in messages.
        options: which numbers to snap.

    Raises:
        RobotDescriptionError: it is no robot description, or says what is not available.
    """
    robot = read_document(data, path)
    quantities = Quantities(path, options.snapping)
    name = _name(robot, path, quantities)
    if quantities.faults:
        raise quantities.error()
    robot, steps = expand_planar_joints(robot, quantities)
    branches = read_tree(robot, quantities)
    links = _read_links(robot, branches, quantities)
    if not quantities.faults and not options.floats and not any(link.joint.moves for link in links):
        quantities.fault("", "no joint moves: a robot needs at least one that is not fixed", robot)
    if not quantities.faults and (fault := floating_fault(links)):
        link = next(branch for branch in branches if branch.name == fault[0])
        quantities.fault(f"link {link.name}", fault[1], link.joint or link.link)
    if quantities.faults:
        raise quantities.error()
    description = RobotDescription(
        name=name,
        gravity=_GRAVITY,
        links=with_coordinates(links),
        frames=tuple(NamedFrame(link.name, link.name, ()) for link in links),
        notation="URDF",
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        notes=(*_notes(branches), *quantities.notes),
        snaps=tuple(quantities.snaps),
    )
    _warn(description, branches, steps, quantities)
    return replace(description, warnings=tuple(sorted(quantities.warnings, key=lambda warning: warning.line or 0)))


def _name(robot: Element, path: str, quantities: Quantities) -> str:
    """The robot's name; the file's where generated names cannot begin with it. Checks that the document is a URDF at all."""
    if robot.tag != "robot":
        quantities.fault("", f'expected <robot name="...">, found <{shown(robot.tag)}>', robot)
    if macro := next((child for child in robot.children if child.tag.startswith("xacro:")), None):
        quantities.fault("", _EXPAND, macro)
    name, of_file = robot.attributes.get("name", ""), Path(path).stem
    fault = name_fault(name, MAX_PREFIX)
    if fault is None:
        return name
    if name_fault(of_file, MAX_PREFIX):
        quantities.fault("robot", f"{fault}; neither can the file's name be taken", robot)
    else:
        quantities.note("robot", f"called {of_file} like the file, because {fault}", robot)
    return of_file


def _read_links(robot: Element, branches: Sequence[Branch], quantities: Quantities) -> tuple[LinkDescription, ...]:
    moved_by = {branch.joint.attributes["name"]: branch for branch in branches if branch.joint is not None}
    joints = [read_joint(branch, moved_by, quantities) for branch in branches]
    check_mimics(branches, joints, quantities)
    moving = {name: branch.joint for name, branch in moved_by.items() if branch.moves and branch.joint is not None}
    motors = read_motor_inertias(robot, moving, quantities)
    return tuple(_read_link(branch, joint, motors, quantities) for branch, joint in zip(branches, joints, strict=True))


def _read_link(branch: Branch, joint: Joint, motors: Mapping[str, Exact], quantities: Quantities) -> LinkDescription:
    quantities.link = branch.name
    return LinkDescription(
        name=branch.name,
        parent=branch.parent,
        before=_before(branch, quantities),
        joint=joint,
        after=(),
        inertial=read_inertial(branch.link, f"link {branch.name}", quantities),
        motor_inertia=motors.get(joint.name, ZERO),
        friction=read_friction(branch, quantities),
        limits=read_limits(branch, quantities),
    )


def _before(branch: Branch, quantities: Quantities) -> Displacement:
    if branch.joint is None:
        return ()
    return translation_and_rpy(*quantities.origin(branch.joint, f"{joint_name(branch)}.origin"))


def _notes(branches: Sequence[Branch]) -> list[str]:
    """Notes on what the file does not say, or says in vain, and on how its joints are numbered."""
    moving = [f"{joint_name(branch).removeprefix('joint ')} ({branch.name})" for branch in branches if branch.moves]
    return [
        f"URDF has no gravity: 0 0 -9.81 m/s^2 is taken, in the axes of the root link {branches[0].name}",
        *([f"joints and the links that they move, depth first: {', '.join(moving)}"] if moving else []),
    ]


def _warn(description: RobotDescription, branches: Sequence[Branch], steps: Collection[str], quantities: Quantities) -> None:
    """Warn of what no robot can be, and of joints that move next to nothing, unless they are steps of planar joints."""
    branch_of = {branch.name: branch for branch in branches}
    for name, message in implausibilities(description):
        element, quantities.link = branch_of[name].link, name
        quantities.warn(f"link {name}", message, element.find("inertial") or element)
    moved = {link.name: central_inertia(link.inertial).mass for link in description.links}
    for link in reversed(description.links):  # what is fixed to a link moves with it
        if link.joint.moves and link.name not in steps and abs(moved[link.name]) < _LIGHTEST:
            mass, branch, quantities.link = float(moved[link.name]), branch_of[link.name], link.name
            message = f"moves with a mass of {mass:.3g} kg: write its mass in <inertial>, or make {joint_name(branch)} fixed"
            quantities.warn(f"link {link.name}", message, branch.link)
        elif not link.joint.moves and link.parent is not None:
            moved[link.parent] += moved[link.name]
