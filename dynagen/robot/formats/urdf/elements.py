"""Reading of URDF elements: the tree of links, inertial data and joints.

Links are ordered depth first, so that the joints of a limb have adjacent entries of q. Among the
children of a link, children that neither move nor carry a moving link come first. The last link of
a robot is thus the tip of its arm, and not a camera on its base. The other children have the order
of the file. Pinocchio sorts the children of a link by name instead.

The inertia tensor in a URDF is about the centre of mass, in axes that <origin rpy> rotates relative
to the link's axes. The tensor is converted to the link's axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dynagen.errors import clip, suggest_word
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.robot.description import NO_INERTIA, CentralInertia, Friction, Limits, Tensor
from dynagen.robot.formats.urdf.quantities import UrdfQuantities
from dynagen.robot.formats.xml_document import XmlElement
from dynagen.robot.joints import FIXED, FLOATING, PRISMATIC, REVOLUTE, Joint
from dynagen.robot.names import find_circles, find_name_faults
from dynagen.robot.pose import (
    ORIGIN,
    Vector,
    compute_pose,
    make_translation_and_rpy,
    multiply,
    transpose,
)

MAX_LINKS = 1000


@dataclass(frozen=True)
class Branch:
    """A link with the joint that connects it to its parent.

    Attributes:
        joint: element of the joint; None for the root.
        parent: name of the parent link; None for the root.
    """

    name: str
    link: XmlElement
    joint: XmlElement | None = None
    parent: str | None = None

    @property
    def moves(self) -> bool:
        """Whether the link moves relative to its parent."""
        return self.joint is not None and self.joint.attributes.get("type") != "fixed"

    @property
    def has_axis(self) -> bool:
        """Whether the joint of the link has an axis."""
        return self.joint is not None and self.joint.attributes.get("type") not in (
            "fixed",
            "floating",
        )


def read_tree(robot: XmlElement, quantities: UrdfQuantities) -> tuple[Branch, ...]:
    """Return all links of a URDF file, parents first; empty if names or connections are invalid.

    Args:
        robot: the outermost element of the file.
        quantities: reader of the file, which collects the faults.
    """
    links = _index_by_name(robot, "link", quantities)
    joints = _index_by_name(robot, "joint", quantities)
    if max(len(links), len(joints)) > MAX_LINKS:
        quantities.add_fault(
            "",
            f"{len(links)} links and {len(joints)} joints: at most {MAX_LINKS} of each are read",
            robot,
        )
        return ()
    if not links:
        quantities.add_fault("", 'expected at least one <link name="...">, found none', robot)
    _check_identifiers(links, quantities)
    branches = {name: Branch(name, link) for name, link in links.items()}
    for name, joint in joints.items():
        parent, child = (
            _find_end(joint, end, name, links, quantities) for end in ("parent", "child")
        )
        if parent is None or child is None:
            continue
        if (other := branches[child].joint) is not None:
            message = (
                f"link `{clip(child)}` is the child of joint "
                f"`{clip(other.attributes['name'])}` already: URDF files with closed loops are not "
                "supported"
            )
            quantities.add_fault(f"joint {clip(name)}", message, joint)
            continue
        # Removed and added again, so that links come in the order of their joints.
        del branches[child]
        branches[child] = Branch(child, links[child], joint, parent)
    if quantities.faults:
        return ()
    roots = [name for name, branch in branches.items() if branch.joint is None]
    if len(roots) > 1:
        message = (
            f"{len(roots)} links are not the child of a joint: "
            f"{', '.join(map(clip, roots[:5]))}; expected one such link, the root: connect the "
            "other "
            "links with joints"
        )
        quantities.add_fault(f"link {clip(roots[1])}", message, links[roots[1]])
        return ()
    ordered = _sort_depth_first(roots, branches)
    reached = {branch.name for branch in ordered}
    if unreached := [name for name in links if name not in reached]:
        message = f"the joints form a circle: {', '.join(map(clip, unreached[:5]))}"
        quantities.add_fault(f"link {clip(unreached[0])}", message, links[unreached[0]])
        return ()
    return ordered


def _index_by_name(
    robot: XmlElement, tag: str, quantities: UrdfQuantities
) -> dict[str, XmlElement]:
    """Return the links or joints by their names; report missing and repeated names."""
    found: dict[str, XmlElement] = {}
    for element in robot.find_all(tag):
        name = element.attributes.get("name", "")
        if not name.strip():
            quantities.add_fault(tag, "`name` is missing", element)
        elif name in found:
            message = f"the name is taken already, in line {found[name].line}"
            quantities.add_fault(f"{tag} {clip(name)}", message, element)
        else:
            found[name] = element
    return found


def _check_identifiers(links: Mapping[str, XmlElement], quantities: UrdfQuantities) -> None:
    elements = list(links.items())
    for position, fault in find_name_faults(links):
        name, link = elements[position]
        quantities.add_fault(f"link {clip(name)}", fault, link)


def _find_end(
    joint: XmlElement,
    end: str,
    name: str,
    links: Mapping[str, XmlElement],
    quantities: UrdfQuantities,
) -> str | None:
    """Return the link at the end "parent" or "child" of a joint; report a missing link."""
    where = f"joint {clip(name)}"
    element = joint.find(end)
    if element is None:
        quantities.add_fault(where, f'<{end} link="..."/> is missing', joint)
        return None
    link = element.attributes.get("link", "")
    if link in links:
        return link
    quantities.add_fault(
        f"{where}.{end}", f"there is no link `{clip(link)}`{suggest_word(link, links)}", element
    )
    return None


def _sort_depth_first(roots: Sequence[str], branches: Mapping[str, Branch]) -> tuple[Branch, ...]:
    """Sort the links depth first: a link comes before its children, a limb before the next limb.

    Children that neither move nor carry a moving link come first. The others keep the file's order.
    """
    carried: dict[str, list[str]] = {name: [] for name in branches}
    for branch in branches.values():
        if branch.parent is not None:
            carried[branch.parent].append(branch.name)
    moving = _find_moving(branches)
    ordered: list[Branch] = []
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        ordered.append(branches[name])
        # The list is a stack: its last entry is visited first.
        children = carried[name][::-1]
        waiting += [child for child in children if child in moving] + [
            child for child in children if child not in moving
        ]
    return tuple(ordered)


def _find_moving(branches: Mapping[str, Branch]) -> set[str]:
    """Return the names of the links that move relative to their parents, or carry such links."""
    moving: set[str] = set()
    for branch in branches.values():
        link: str | None = branch.name if branch.moves else None
        while link is not None and link not in moving:
            moving.add(link)
            link = branches[link].parent
    return moving


def read_inertial(link: XmlElement, where: str, quantities: UrdfQuantities) -> CentralInertia:
    """Read the inertial data of a link; without <inertial>, all numbers are zero.

    Args:
        link: element of the link.
        where: text that identifies the link in messages.
        quantities: reader of numbers, which collects faults and warnings.

    Returns:
        Mass (kg), centre of mass (m) and inertia about the centre of mass (kg m^2), in the link's
            axes.
    """
    inertial = link.find("inertial")
    if inertial is None:
        return NO_INERTIA
    where += ".inertial"
    xyz, rpy = quantities.read_origin(inertial, f"{where}.origin")
    mass, inertia = inertial.find("mass"), inertial.find("inertia")
    if mass is None:
        quantities.add_fault(
            where, '<mass value="..."/> is missing: write the mass, or remove <inertial>', inertial
        )
        return NO_INERTIA
    kilograms = quantities.read_number(mass, "value", f"{where}.mass", default=None)
    if inertia is None:
        if kilograms:
            quantities.warn(
                where, "mass without <inertia>, read as a point mass: write the inertia", inertial
            )
        return CentralInertia(kilograms, xyz, NO_INERTIA.inertia)
    xx, yy, zz = (
        quantities.read_number(inertia, name, f"{where}.inertia", default=None)
        for name in ("ixx", "iyy", "izz")
    )
    xy, xz, yz = (
        quantities.read_number(inertia, name, f"{where}.inertia") for name in ("ixy", "ixz", "iyz")
    )
    return CentralInertia(kilograms, xyz, rotate_tensor((xx, yy, zz, xy, xz, yz), rpy))


def rotate_tensor(tensor: Tensor, rpy: Vector) -> Tensor:
    """Rotate an inertia tensor I into target axes.

    The result is R I R^T, with the product R of rotations by yaw about z, pitch about y and roll
    about x.

    Args:
        tensor: elements xx, yy, zz, xy, xz, yz of the tensor I in the rotated axes (kg m^2).
        rpy: roll, pitch and yaw of the rotated axes in the target axes (rad).
    """
    if not any(rpy):
        return tensor
    xx, yy, zz, xy, xz, yz = tensor
    rotation = compute_pose(make_translation_and_rpy(ORIGIN, rpy)).rotation
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = multiply(
        multiply(rotation, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))), transpose(rotation)
    )
    return xx, yy, zz, xy, xz, yz


_TYPES = {
    "revolute": REVOLUTE,
    "continuous": REVOLUTE,
    "prismatic": PRISMATIC,
    "fixed": FIXED,
    "floating": FLOATING,
}


def read_joint(branch: Branch, moved_by: Mapping[str, Branch], quantities: UrdfQuantities) -> Joint:
    """Read the joint of a link; the root has a fixed joint.

    Args:
        branch: the link and the element of its joint.
        moved_by: mapping from the name of a joint to the link that it moves.
        quantities: reader of numbers, which collects faults.
    """
    if branch.joint is None:
        return Joint(FIXED)
    where, name = label_joint(branch), branch.joint.attributes["name"]
    kind = branch.joint.attributes.get("type", "")
    if kind not in _TYPES:
        remedy = (
            f"expected {', '.join((*_TYPES, 'planar'))}{suggest_word(kind, (*_TYPES, 'planar'))}"
        )
        quantities.add_fault(
            where, f"joints of type `{clip(kind)}` are not supported: {remedy}", branch.joint
        )
        return Joint(FIXED)
    joint_type = _TYPES[kind]
    if not joint_type.moves or joint_type.is_free:
        return Joint(joint_type, name=name)
    axis = quantities.read_axis(branch.joint.find("axis") or branch.joint, f"{where}.axis")
    mimic = branch.joint.find("mimic")
    if mimic is None:
        return Joint(joint_type, axis, name=name)
    leader = mimic.attributes.get("joint", "")
    if leader not in moved_by:
        quantities.add_fault(
            f"{where}.mimic",
            f"there is no joint `{clip(leader)}`{suggest_word(leader, moved_by)}",
            mimic,
        )
        return Joint(joint_type, axis, name=name)
    if not moved_by[leader].has_axis:
        quantities.add_fault(
            f"{where}.mimic",
            f"joint {clip(leader)} is fixed or floating: name a joint with an axis",
            mimic,
        )
    ratio = quantities.read_number(mimic, "multiplier", f"{where}.mimic", default=ONE)
    if not ratio:
        quantities.add_fault(
            f"{where}.mimic",
            'the multiplier is 0, so this joint never moves: write type="fixed"',
            mimic,
        )
    read = quantities.read_angle if joint_type.angular else quantities.read_length
    offset = read(mimic, "offset", f"{where}.mimic")
    return Joint(
        joint_type, axis, mimics=moved_by[leader].name, ratio=ratio, offset=offset, name=name
    )


def check_mimics(
    branches: Sequence[Branch], joints: Sequence[Joint], quantities: UrdfQuantities
) -> None:
    """Add a fault for each cycle of joints, in which each joint mimics the next joint.

    Args:
        branches: the links.
        joints: joints of the links, in the same order.
        quantities: reader of the file, which collects the faults.
    """
    by_name = {branch.name: branch for branch in branches}
    for name, *_ in find_circles(
        {branch.name: joint.mimics or None for branch, joint in zip(branches, joints, strict=True)}
    ):
        branch = by_name[name]
        quantities.add_fault(
            f"{label_joint(branch)}.mimic",
            "the joints follow each other in a circle",
            branch.joint or branch.link,
        )


def label_joint(branch: Branch) -> str:
    """Return the name of a link's joint for messages, such as `joint elbow`."""
    return (
        f"joint {clip(branch.joint.attributes['name'])}"
        if branch.joint is not None
        else f"root {clip(branch.name)}"
    )


def read_friction(branch: Branch, quantities: UrdfQuantities) -> Friction | None:
    """Return `damping` (viscous) and `friction` (Coulomb) of a joint's element <dynamics>.

    Args:
        branch: the link that the joint moves.
        quantities: reader of numbers, which collects faults.

    Returns:
        The friction; None for a joint without axis or <dynamics>, or if both numbers are zero.
    """
    dynamics = (
        branch.joint.find("dynamics") if branch.joint is not None and branch.has_axis else None
    )
    if dynamics is None:
        return None
    where = f"{label_joint(branch)}.dynamics"
    viscous, coulomb = (
        quantities.read_number(dynamics, name, where) for name in ("damping", "friction")
    )
    return Friction(viscous, coulomb) if viscous or coulomb else None


def read_limits(branch: Branch, quantities: UrdfQuantities) -> Limits | None:
    """Return the limits in a joint's element <limit>; None for a joint without axis or <limit>.

    The position limits of a continuous joint are ignored. A velocity or an effort of zero means no
    limit.

    Args:
        branch: the link that the joint moves.
        quantities: reader of numbers, which collects faults and warnings.
    """
    limit = branch.joint.find("limit") if branch.joint is not None and branch.has_axis else None
    if branch.joint is None or limit is None:
        return None
    where = f"{label_joint(branch)}.limit"
    position = None
    if branch.joint.attributes.get("type") != "continuous":
        low, high = (quantities.read_number(limit, end, where) for end in ("lower", "upper"))
        position = (low, high) if low < high else None
        if low > high:
            quantities.warn(
                where,
                "the lower limit is above the upper limit, so both are ignored: exchange them",
                limit,
            )
    velocity, effort = (
        _read_magnitude(limit, name, where, quantities) for name in ("velocity", "effort")
    )
    return Limits(position, velocity, effort)


def _read_magnitude(
    limit: XmlElement, name: str, where: str, quantities: UrdfQuantities
) -> Exact | None:
    if limit.attributes.get(name, "").strip().lower() in ("inf", "infinity"):
        return None
    value = quantities.read_number(limit, name, where)
    if value < ZERO:
        quantities.warn(
            where, f"`{name}` is negative and therefore ignored: remove the sign", limit
        )
    return value if value > ZERO else None
