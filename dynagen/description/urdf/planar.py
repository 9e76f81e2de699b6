"""Planar joints: two prismatic joints and a continuous one, with links without mass between them. Elements -> elements.

A planar joint moves its link in a plane, to which its axis is perpendicular. Its three coordinates are those of the link's
origin in the plane, in axes that stay with the parent, and the angle about the axis: so the entries of q have rates that are
those of v, which Pinocchio's planar joint, with cosine and sine in q and velocities in the axes of the link, has not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dynagen.description.urdf.quantities import Quantities
from dynagen.description.xml_document import Element
from dynagen.errors import shown

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
        quantities.fault(where, "the axis of a planar joint has to be along x, y or z of its frame: rotate the frame", joint)
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
        yield _joint(step, "prismatic", axis, line, (*origin, *([parent] if parent else []), _end("child", step, line)))
        parent = _end("parent", step, line)
    kept = [child for child in joint.children if child.tag not in ("origin", "parent", *_UNREAD)]
    kept += [parent] if parent else []
    yield replace(joint, attributes={**joint.attributes, "type": "continuous"}, children=tuple(kept))


def _joint(name: str, kind: str, axis: int, line: int, children: tuple[Element, ...]) -> Element:
    direction = Element("axis", {"xyz": _DIRECTIONS[axis]}, line)
    return Element("joint", {"name": name, "type": kind}, line, (*children, direction))


def _end(tag: str, link: str, line: int) -> Element:
    return Element(tag, {"link": link}, line)
