"""Read a URDF: bytes to RobotDescription, or one error with all faults of the file.

Planar joints: two prismatic joints and a continuous one, with links without mass between them. Elements -> elements.

A planar joint moves its link in a plane, to which its axis is perpendicular. Its three coordinates are those of the link's
origin in the plane, in axes that stay with the parent, and the angle about the axis: so the entries of q have rates that are
those of v, which Pinocchio's planar joint, with cosine and sine in q and velocities in the axes of the link, has not.

A URDF's bytes -> RobotDescription, or one RobotDescriptionError with the faults that were found.

bytes -> Element (document) -> branches, root first (tree) -> links (joints, inertial; their numbers by quantities)

The frame of the root link is the base frame. Every link, fixed ones too, is a named frame for kinematics.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dynagen.errors import shown
from dynagen.numbers.exact import ZERO, Exact
from dynagen.robot.coordinates import with_coordinates
from dynagen.robot.description import LinkDescription, NamedFrame, RobotDescription, central_inertia
from dynagen.robot.edits import find_floating_fault
from dynagen.robot.formats.urdf.elements import (
    Branch,
    Quantities,
    check_mimics,
    joint_name,
    read_friction,
    read_inertial,
    read_joint,
    read_limits,
    read_motor_inertias,
    read_tree,
)
from dynagen.robot.formats.xml_document import Element, read_document
from dynagen.robot.joints import Joint
from dynagen.robot.names import MAX_PREFIX, find_name_fault
from dynagen.robot.options import ReadingOptions
from dynagen.robot.plausibility import find_implausibilities
from dynagen.robot.pose import Displacement, Vector, translation_and_rpy

_DIRECTIONS = ("1 0 0", "0 1 0", "0 0 1")
_NAMES = "xyz"
_UNREAD = ("limit", "dynamics", "mimic")


def expand_planar_joints(robot: Element, quantities: Quantities) -> tuple[Element, frozenset[str]]:
    """The document without planar joints, and the names of the links that stand for their steps.

    Args:
        robot: the outermost element.
        quantities: reads axes and takes faults.
    """
    steps: list[str] = []
    children: list[Element] = []
    for child in robot.children:
        if child.tag == "joint" and child.attributes.get("type") == "planar":
            expanded = list(_expand(child, quantities))
            steps += [each.attributes["name"] for each in expanded if each.tag == "link"]
            children += expanded
        else:
            children.append(child)
    return replace(robot, children=tuple(children)), frozenset(steps)


def _expand(joint: Element, quantities: Quantities) -> Iterator[Element]:
    """The three joints of a planar one: along the first axis of the plane, along the second, and about its normal."""
    name, line = joint.attributes.get("name", ""), joint.line
    where = f"joint {shown(name)}"
    normal = quantities.axis(joint.find("axis") or joint, f"{where}.axis")
    directions = [axis for axis, component in enumerate(normal) if component]
    if len(directions) > 1:
        quantities.fault(
            where,
            "the axis of a planar joint has to be along x, y or z of its frame: rotate the frame",
            joint,
        )
    if unread := [tag for tag in _UNREAD if joint.find(tag) is not None]:
        quantities.note(where, f"<{'>, <'.join(unread)}> of a planar joint is not read", joint)
    about = directions[0]
    first, second = (about + 1) % 3, (about + 2) % 3
    if normal[about].is_negative:
        first, second = second, first
    parent = joint.find("parent")
    for axis in (first, second):
        step = f"{name}_{_NAMES[axis]}"
        yield Element("link", {"name": step}, line)
        origin = [each for each in joint.find_all("origin") if axis == first]
        yield _joint(
            step,
            "prismatic",
            axis,
            line,
            (*origin, *([parent] if parent else []), _link_end("child", step, line)),
        )
        parent = _link_end("parent", step, line)
    kept = [child for child in joint.children if child.tag not in ("origin", "parent", *_UNREAD)]
    kept += [parent] if parent else []
    yield replace(
        joint, attributes={**joint.attributes, "type": "continuous"}, children=tuple(kept)
    )


def _joint(name: str, kind: str, axis: int, line: int, children: tuple[Element, ...]) -> Element:
    direction = Element("axis", {"xyz": _DIRECTIONS[axis]}, line)
    return Element("joint", {"name": name, "type": kind}, line, (*children, direction))


def _link_end(tag: str, link: str, line: int) -> Element:
    return Element(tag, {"link": link}, line)


_GRAVITY: Vector = (ZERO, ZERO, Exact("-9.81"))
_LIGHTEST = Exact(
    "1e-5"
)  # kg; what stands for zero in many files, because some simulators refuse zero
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
    if not quantities.faults and (fault := find_floating_fault(links)):
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
    return replace(
        description,
        warnings=tuple(sorted(quantities.warnings, key=lambda warning: warning.line or 0)),
    )


def _name(robot: Element, path: str, quantities: Quantities) -> str:
    """The robot's name; the file's where generated names cannot begin with it. Checks that the document is a URDF at all."""
    if robot.tag != "robot":
        quantities.fault("", f'expected <robot name="...">, found <{shown(robot.tag)}>', robot)
    if macro := next((child for child in robot.children if child.tag.startswith("xacro:")), None):
        quantities.fault("", _EXPAND, macro)
    name, of_file = robot.attributes.get("name", ""), Path(path).stem
    fault = find_name_fault(name, MAX_PREFIX)
    if fault is None:
        return name
    if find_name_fault(of_file, MAX_PREFIX):
        quantities.fault("robot", f"{fault}; neither can the file's name be taken", robot)
    else:
        quantities.note("robot", f"called {of_file} like the file, because {fault}", robot)
    return of_file


def _read_links(
    robot: Element, branches: Sequence[Branch], quantities: Quantities
) -> tuple[LinkDescription, ...]:
    moved_by = {
        branch.joint.attributes["name"]: branch for branch in branches if branch.joint is not None
    }
    joints = [read_joint(branch, moved_by, quantities) for branch in branches]
    check_mimics(branches, joints, quantities)
    moving = {
        name: branch.joint
        for name, branch in moved_by.items()
        if branch.moves and branch.joint is not None
    }
    motors = read_motor_inertias(robot, moving, quantities)
    return tuple(
        _read_link(branch, joint, motors, quantities)
        for branch, joint in zip(branches, joints, strict=True)
    )


def _read_link(
    branch: Branch, joint: Joint, motors: Mapping[str, Exact], quantities: Quantities
) -> LinkDescription:
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
    moving = [
        f"{joint_name(branch).removeprefix('joint ')} ({branch.name})"
        for branch in branches
        if branch.moves
    ]
    return [
        f"URDF has no gravity: 0 0 -9.81 m/s^2 is taken, in the axes of the root link {branches[0].name}",
        *(
            [f"joints and the links that they move, depth first: {', '.join(moving)}"]
            if moving
            else []
        ),
    ]


def _warn(
    description: RobotDescription,
    branches: Sequence[Branch],
    steps: Collection[str],
    quantities: Quantities,
) -> None:
    """Warn of what no robot can be, and of joints that move next to nothing, unless they are steps of planar joints."""
    branch_of = {branch.name: branch for branch in branches}
    for name, message in find_implausibilities(description):
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
