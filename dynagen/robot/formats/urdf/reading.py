"""Reading of URDF files into a `RobotDescription`; one error lists all faults of a file.

The frame of the root link is the base frame. Each link, even a fixed link, is a named frame.

A planar joint moves its link in the plane perpendicular to its axis. It is replaced by two
prismatic joints and a continuous joint, with links without mass between them. Its three coordinates
are the position of the link's origin in the plane, in axes of the parent, and the angle about the
axis. Pinocchio's planar joint has cosine and sine in q instead, and velocities in the axes of the
link.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dynagen.errors import clip
from dynagen.numbers.exact import ZERO, Exact
from dynagen.robot.composite_joints import find_plane
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import (
    LinkDescription,
    NamedFrame,
    RobotDescription,
    convert_to_central_inertia,
)
from dynagen.robot.edits import find_floating_fault
from dynagen.robot.formats.urdf.elements import (
    Branch,
    check_mimics,
    label_joint,
    read_friction,
    read_inertial,
    read_joint,
    read_limits,
    read_tree,
)
from dynagen.robot.formats.urdf.quantities import UrdfQuantities
from dynagen.robot.formats.urdf.transmissions import read_motor_inertias
from dynagen.robot.formats.xml_document import XmlElement, read_xml
from dynagen.robot.joints import Joint
from dynagen.robot.names import MAX_PREFIX, find_name_fault
from dynagen.robot.options import ReadingOptions
from dynagen.robot.plausibility import find_implausibilities
from dynagen.robot.pose import Displacement, Vector, make_translation_and_rpy

_DIRECTIONS = ("1 0 0", "0 1 0", "0 0 1")
_NAMES = "xyz"
_UNREAD = ("limit", "dynamics", "mimic")


def expand_planar_joints(
    robot: XmlElement, quantities: UrdfQuantities
) -> tuple[XmlElement, frozenset[str]]:
    """Replace planar joints by prismatic and continuous joints.

    Args:
        robot: the outermost element.
        quantities: reader of axes, which collects faults and notes.

    Returns:
        The new outermost element, and the names of the added links without mass.
    """
    steps: list[str] = []
    children: list[XmlElement] = []
    for child in robot.children:
        if child.tag == "joint" and child.attributes.get("type") == "planar":
            expanded = list(_expand_joint(child, quantities))
            steps += [element.attributes["name"] for element in expanded if element.tag == "link"]
            children += expanded
        else:
            children.append(child)
    return replace(robot, children=tuple(children)), frozenset(steps)


def _expand_joint(joint: XmlElement, quantities: UrdfQuantities) -> Iterator[XmlElement]:
    """Yield the three joints that replace a planar joint, and the links between them."""
    name, line = joint.attributes.get("name", ""), joint.line
    where = f"joint {clip(name)}"
    normal = quantities.read_axis(joint.find("axis") or joint, f"{where}.axis")
    directions = [axis for axis, component in enumerate(normal) if component]
    if len(directions) > 1:
        quantities.add_fault(
            where,
            "expected the axis of a planar joint along x, y or z of its frame: rotate the frame",
            joint,
        )
    if unread := [tag for tag in _UNREAD if joint.find(tag) is not None]:
        quantities.add_note(
            where,
            f"<{'>, <'.join(unread)}> of a planar joint is not read, because it becomes three "
            "joints: write two prismatic joints and a revolute one to give them limits and "
            "friction",
            joint,
        )
    about = directions[0]
    first, second = find_plane(about, normal)
    parent = joint.find("parent")
    for axis in (first, second):
        step = f"{name}_{_NAMES[axis]}"
        yield XmlElement("link", {"name": step}, line)
        origin = [*joint.find_all("origin")] if axis == first else []
        yield _build_joint(
            step,
            "prismatic",
            axis,
            line,
            (*origin, *([parent] if parent else []), _build_link_end("child", step, line)),
        )
        parent = _build_link_end("parent", step, line)
    kept = [child for child in joint.children if child.tag not in ("origin", "parent", *_UNREAD)]
    kept += [parent] if parent else []
    yield replace(
        joint, attributes={**joint.attributes, "type": "continuous"}, children=tuple(kept)
    )


def _build_joint(
    name: str, kind: str, axis: int, line: int, children: tuple[XmlElement, ...]
) -> XmlElement:
    direction = XmlElement("axis", {"xyz": _DIRECTIONS[axis]}, line)
    return XmlElement("joint", {"name": name, "type": kind}, line, (*children, direction))


def _build_link_end(tag: str, link: str, line: int) -> XmlElement:
    return XmlElement(tag, {"link": link}, line)


_GRAVITY: Vector = (ZERO, ZERO, Exact("-9.81"))
# Many files have such a mass (kg) instead of zero, because some simulators reject zero.
_LIGHTEST = Exact("1e-5")
_USE_XACRO = "this is xacro, a program that writes a URDF: give the file a name that ends in .xacro"


def read_urdf(data: bytes, path: str, options: ReadingOptions) -> RobotDescription:
    """Read a description in URDF.

    Args:
        data: content of the file.
        path: name of the file, for messages.
        options: options of reading, of which `snapping` and `base` are used.

    Raises:
        RobotDescriptionError: the file is not a valid description, or contains elements that are
            not supported.
    """
    robot = read_xml(data, path)
    quantities = UrdfQuantities(path, options.snapping)
    name = _read_name(robot, path, quantities)
    if quantities.faults:
        raise quantities.make_error()
    robot, steps = expand_planar_joints(robot, quantities)
    branches = read_tree(robot, quantities)
    links = _read_links(robot, branches, quantities)
    if not quantities.faults and not options.floats and not any(link.joint.moves for link in links):
        quantities.add_fault(
            "", "all joints are fixed; expected at least one joint that moves", robot
        )
    if not quantities.faults and (fault := find_floating_fault(links)):
        link = next(branch for branch in branches if branch.name == fault[0])
        quantities.add_fault(f"link {link.name}", fault[1], link.joint or link.link)
    if quantities.faults:
        raise quantities.make_error()
    description = RobotDescription(
        name=name,
        gravity=_GRAVITY,
        links=number_coordinates(links),
        frames=tuple(NamedFrame(link.name, link.name, ()) for link in links),
        notation="URDF",
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        notes=(*_list_notes(branches, steps), *quantities.notes),
        snaps=tuple(quantities.snaps),
    )
    _warn(description, branches, steps, quantities)
    return replace(
        description,
        warnings=tuple(sorted(quantities.warnings, key=lambda warning: warning.line or 0)),
    )


def _read_name(robot: XmlElement, path: str, quantities: UrdfQuantities) -> str:
    """Check the root element; return the robot's name, or the file's name if that is invalid."""
    if robot.tag != "robot":
        quantities.add_fault("", f'expected <robot name="...">, found <{clip(robot.tag)}>', robot)
    if macro := next((child for child in robot.children if child.tag.startswith("xacro:")), None):
        quantities.add_fault("", _USE_XACRO, macro)
    name, file_name = robot.attributes.get("name", ""), Path(path).stem
    fault = find_name_fault(name, MAX_PREFIX)
    if fault is None:
        return name
    if find_name_fault(file_name, MAX_PREFIX):
        quantities.add_fault(
            "robot",
            f"{fault}; the name of the file is invalid too: rename the robot or the file",
            robot,
        )
    else:
        quantities.add_note(
            "robot", f"the robot gets the file's name {file_name}, because {fault}", robot
        )
    return file_name


def _read_links(
    robot: XmlElement, branches: Sequence[Branch], quantities: UrdfQuantities
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
    branch: Branch, joint: Joint, motors: Mapping[str, Exact], quantities: UrdfQuantities
) -> LinkDescription:
    quantities.link = branch.name
    return LinkDescription(
        name=branch.name,
        parent=branch.parent,
        before=_read_before(branch, quantities),
        joint=joint,
        after=(),
        inertial=read_inertial(branch.link, f"link {branch.name}", quantities),
        motor_inertia=motors.get(joint.name, ZERO),
        friction=read_friction(branch, quantities),
        limits=read_limits(branch, quantities),
    )


def _read_before(branch: Branch, quantities: UrdfQuantities) -> Displacement:
    if branch.joint is None:
        return ()
    return make_translation_and_rpy(
        *quantities.read_origin(branch.joint, f"{label_joint(branch)}.origin")
    )


def _list_notes(branches: Sequence[Branch], steps: Collection[str]) -> list[str]:
    """Return notes on gravity, on the order of the joints, and on missing limits.

    `branches` contains the links with their joints, `steps` the names of links that were added for
    planar joints.
    """
    unlimited = [
        clip(branch.joint.attributes["name"])
        for branch in branches
        if branch.joint is not None
        and branch.name not in steps  # of planar joints
        and branch.joint.attributes.get("type") in ("revolute", "prismatic")
        and branch.joint.find("limit") is None
    ]
    moving = [
        f"{label_joint(branch).removeprefix('joint ')} ({branch.name})"
        for branch in branches
        if branch.moves
    ]
    return [
        "URDF files do not contain gravity: 0 0 -9.81 m/s^2 is used, "
        f"in the axes of the root link {branches[0].name}; for another gravity, convert the file "
        "to YAML (dynagen convert) and change `gravity`",
        *(
            [f"joints and the links that they move, depth first: {', '.join(moving)}"]
            if moving
            else []
        ),
        *(
            [
                "URDF requires <limit> in revolute and prismatic joints; <limit> is missing in "
                f"{', '.join(unlimited)}: add <limit>, or make the joints continuous"
            ]
            if unlimited
            else []
        ),
    ]


def _warn(
    description: RobotDescription,
    branches: Sequence[Branch],
    steps: Collection[str],
    quantities: UrdfQuantities,
) -> None:
    """Add warnings on implausible numbers, and on joints that move almost no mass.

    `steps` contains the names of the links that were added for planar joints.
    """
    branch_of = {branch.name: branch for branch in branches}
    for name, message in find_implausibilities(description):
        element, quantities.link = branch_of[name].link, name
        quantities.warn(f"link {name}", message, element.find("inertial") or element)
    moved_mass = {
        link.name: convert_to_central_inertia(link.inertial).mass for link in description.links
    }
    for link in reversed(description.links):  # children first: fixed links move with their parents
        if link.joint.moves and link.name not in steps and abs(moved_mass[link.name]) < _LIGHTEST:
            mass, branch, quantities.link = (
                float(moved_mass[link.name]),
                branch_of[link.name],
                link.name,
            )
            message = (
                f"moves with a mass of {mass:.3g} kg, so that the mass matrix may be singular: "
                f"write its mass in <inertial>, or make {label_joint(branch)} fixed"
            )
            quantities.warn(f"link {link.name}", message, branch.link)
        elif not link.joint.moves and link.parent is not None:
            moved_mass[link.parent] += moved_mass[link.name]
