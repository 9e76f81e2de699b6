"""The tree of links, from the root to the tips: the links and joints of a document -> which link carries which.

Links come depth first, so that the joints of a limb have neighbouring places in q. Among the joints on one link, those that
carry nothing that moves come first, all others in the order of the file: the last link is the tip of an arm, not a camera on
its base. Pinocchio sorts the joints on one link by their names instead; along a chain there is no difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dynagen.description.names import name_faults
from dynagen.description.urdf.quantities import Quantities
from dynagen.description.xml_document import Element
from dynagen.errors import did_you_mean, shown

MAX_LINKS = 1000


@dataclass(frozen=True)
class Branch:
    """A link and the joint that it hangs on.

    Attributes:
        joint, parent: of every link but the root.
    """

    name: str
    link: Element
    joint: Element | None = None
    parent: str | None = None

    @property
    def moves(self) -> bool:
        """Whether the joint does."""
        return self.joint is not None and self.joint.attributes.get("type") != "fixed"

    @property
    def has_axis(self) -> bool:
        """Whether it moves about or along an axis."""
        return self.joint is not None and self.joint.attributes.get("type") not in ("fixed", "floating")


def read_tree(robot: Element, quantities: Quantities) -> tuple[Branch, ...]:
    """All links, parents first; nothing where names or connections are at fault."""
    links = _named(robot, "link", quantities)
    joints = _named(robot, "joint", quantities)
    if max(len(links), len(joints)) > MAX_LINKS:
        quantities.fault("", f"{len(links)} links and {len(joints)} joints: at most {MAX_LINKS} are read", robot)
        return ()
    if not links:
        quantities.fault("", 'there is no <link name="...">', robot)
    _check_identifiers(links, quantities)
    branches = {name: Branch(name, link) for name, link in links.items()}
    for name, joint in joints.items():
        parent, child = (_end(joint, end, name, links, quantities) for end in ("parent", "child"))
        if parent is None or child is None:
            continue
        if (other := branches[child].joint) is not None:
            message = (
                f"link `{shown(child)}` hangs on joint `{shown(other.attributes['name'])}` already: closed loops are not read"
            )
            quantities.fault(f"joint {shown(name)}", message, joint)
            continue
        del branches[child]  # and back behind the others: in the order of the joints
        branches[child] = Branch(child, links[child], joint, parent)
    if quantities.faults:
        return ()
    roots = [name for name, branch in branches.items() if branch.joint is None]
    if len(roots) > 1:
        message = f"{len(roots)} links hang on no joint: {', '.join(map(shown, roots[:5]))}; a robot has one root"
        quantities.fault(f"link {shown(roots[1])}", message, links[roots[1]])
        return ()
    ordered = _depth_first(roots, branches)
    reached = {branch.name for branch in ordered}
    if adrift := [name for name in links if name not in reached]:
        message = f"the joints go round in a circle: {', '.join(map(shown, adrift[:5]))}"
        quantities.fault(f"link {shown(adrift[0])}", message, links[adrift[0]])
        return ()
    return ordered


def _named(robot: Element, tag: str, quantities: Quantities) -> dict[str, Element]:
    """The links or joints by their names, which must be given and be different."""
    found: dict[str, Element] = {}
    for element in robot.find_all(tag):
        name = element.attributes.get("name", "")
        if not name.strip():
            quantities.fault(tag, "`name` is missing", element)
        elif name in found:
            message = f"the name is taken already, in line {found[name].line}"
            quantities.fault(f"{tag} {shown(name)}", message, element)
        else:
            found[name] = element
    return found


def _check_identifiers(links: Mapping[str, Element], quantities: Quantities) -> None:
    elements = list(links.items())
    for place, fault in name_faults(links):
        name, link = elements[place]
        quantities.fault(f"link {shown(name)}", fault, link)


def _end(joint: Element, end: str, name: str, links: Mapping[str, Element], quantities: Quantities) -> str | None:
    """The link at one end of a joint; None, and a fault, where there is none."""
    where = f"joint {shown(name)}"
    element = joint.find(end)
    if element is None:
        quantities.fault(where, f'<{end} link="..."/> is missing', joint)
        return None
    link = element.attributes.get("link", "")
    if link in links:
        return link
    quantities.fault(f"{where}.{end}", f"there is no link `{shown(link)}`{did_you_mean(link, links)}", element)
    return None


def _depth_first(roots: Sequence[str], branches: Mapping[str, Branch]) -> tuple[Branch, ...]:
    carried: dict[str, list[str]] = {name: [] for name in branches}
    for branch in branches.values():
        if branch.parent is not None:
            carried[branch.parent].append(branch.name)
    moving = _carrying_motion(branches)
    ordered: list[Branch] = []
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        ordered.append(branches[name])
        children = carried[name][::-1]  # the last in the list is visited first
        waiting += [child for child in children if child in moving] + [child for child in children if child not in moving]
    return tuple(ordered)


def _carrying_motion(branches: Mapping[str, Branch]) -> set[str]:
    """Links that move against their parents, and those that carry such links."""
    moving: set[str] = set()
    for branch in branches.values():
        link: str | None = branch.name if branch.moves else None
        while link is not None and link not in moving:
            moving.add(link)
            link = branches[link].parent
    return moving
