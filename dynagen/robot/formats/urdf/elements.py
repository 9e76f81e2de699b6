"""Elements of a URDF: quantities, the tree of links, inertial data, joints and transmissions.

The numbers of a URDF: attributes -> exact numbers, and what is wrong, suspicious, or read otherwise than it is written.

Tools write URDF with rounded numbers: 1.5707963 for a right angle, 1e-17 for nothing. Unless the user says otherwise such
numbers are snapped within `snapping.OF_TOOLS`; all others are as written.

The tree of links, from the root to the tips: the links and joints of a document -> which link carries which.

Links come depth first, so that the joints of a limb have neighbouring places in q. Among the joints on one link, those that
carry nothing that moves come first, all others in the order of the file: the last link is the tip of an arm, not a camera on
its base. Pinocchio sorts the joints on one link by their names instead; along a chain there is no difference.

The <inertial> of a link -> centre of mass and inertia about it, in the axes of the link.

URDF gives the inertia in a frame of its own, at the centre of mass, whose axes <origin rpy> rotates against those of the link.

The <joint> that a link hangs on -> its Joint, friction and limits.

Inertia of motors in <transmission>, reflected to the joint: an extension of URDF, which itself has none.

Two tools write it. Drake reads <drake:rotor_inertia value=""/> and <drake:gear_ratio value=""/> of the <actuator> (1 if left
out); FROST a <motorInertia> with the <mechanicalReduction> that URDF has. Both count ratio^2 inertia qdd on the joint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dynagen.errors import Fault, RobotDescriptionError, did_you_mean, shown
from dynagen.numbers.exact import ONE, PI, ZERO, Exact
from dynagen.robot.description import NO_INERTIA, CentralInertia, Friction, Limits, Tensor
from dynagen.robot.formats.xml_document import Element
from dynagen.robot.joints import FIXED, FLOATING, PRISMATIC, REVOLUTE, Joint
from dynagen.robot.literals import (
    DECIMAL,
    MAX_ANGLE,
    MAX_EXPONENT,
    MAX_MAGNITUDE,
    OF_TOOLS,
    Snapper,
    Snapping,
)
from dynagen.robot.names import find_circles, find_name_faults
from dynagen.robot.pose import ORIGIN, Vector, pose_after, product, translation_and_rpy, transpose

_MAX_LENGTH = 100


class Quantities:
    """Reads the numbers of one description. A faulty number is reported and read as zero.

    Attributes:
        faults: why this is no robot description that can be used.
        warnings: what is most likely a mistake.
        notes: what a user should know besides.
        snaps: numbers that were read otherwise than they are written.
        link: name of the link that is read, for warnings.
    """

    def __init__(self, source: str, snapping: Snapping) -> None:
        self._source = source
        self._snapper = Snapper(snapping, OF_TOOLS)
        self.snaps = self._snapper.snaps
        self.link = ""
        self.faults: list[Fault] = []
        self.warnings: list[Fault] = []
        self.notes: list[str] = []

    def fault(self, where: str, message: str, element: Element) -> None:
        """Report what is wrong with an element."""
        self.faults.append(Fault(where, message, element.line))

    def warn(self, where: str, message: str, element: Element) -> None:
        """Keep what is most likely a mistake: the rule that is broken, and what to do."""
        self.warnings.append(Fault(where, message, element.line, self.link))

    def note(self, where: str, message: str, element: Element) -> None:
        """Keep what a user should know about an element."""
        self.notes.append(f"{_place(where, element)}: {message}")

    def error(self) -> RobotDescriptionError:
        """All faults as one error, in the order of lines."""
        return RobotDescriptionError(
            self._source, sorted(self.faults, key=lambda fault: fault.line or 0)
        )

    def number(
        self, element: Element, attribute: str, where: str, default: Exact | None = ZERO
    ) -> Exact:
        """A number; without a default it must be given."""
        text = element.attributes.get(attribute)
        if text is not None:
            return self._exact(text, f"{where}.{attribute}", element)
        if default is None:
            self.fault(where, f"`{attribute}` is missing in <{shown(element.tag)}>", element)
        return default or ZERO

    def content(self, element: Element, where: str) -> Exact:
        """A number that is an element's attribute `value`, or else the text inside it."""
        return self._exact(element.attributes.get("value", element.text), where, element)

    def angle(self, element: Element, attribute: str, where: str) -> Exact:
        """An angle in rad, zero if not given."""
        return self._angle(element.attributes.get(attribute, "0"), f"{where}.{attribute}", element)

    def length(self, element: Element, attribute: str, where: str) -> Exact:
        """A length in m, zero if not given."""
        return self._length(element.attributes.get(attribute, "0"), f"{where}.{attribute}", element)

    def origin(self, parent: Element, where: str) -> tuple[Vector, Vector]:
        """The xyz (m) and rpy (roll, pitch, yaw, rad) of an element's <origin>, each zero where it is left out."""
        origin = parent.find("origin")
        if origin is None:
            return (ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO)
        x, y, z = (
            self._length(text, f"{where}.xyz", origin)
            for text in self._three(origin, "xyz", "0 0 0", where)
        )
        roll, pitch, yaw = (
            self._angle(text, f"{where}.rpy", origin)
            for text in self._three(origin, "rpy", "0 0 0", where)
        )
        return (x, y, z), (roll, pitch, yaw)

    def axis(self, element: Element, where: str) -> Vector:
        """The direction of a joint's axis, of any length but zero."""
        texts = self._three(element, "xyz", "1 0 0", where)
        x, y, z = (self._length(text, where, element) for text in texts)
        if not (x or y or z):
            self.fault(
                where, f"an axis needs a direction, found `{shown(' '.join(texts))}`", element
            )
            return ZERO, ZERO, Exact(1)
        norm = float(x * x + y * y + z * z) ** 0.5
        if abs(norm - 1) > 1e-3:
            self.note(
                where, f"the axis has length {norm:.4g}, not 1, and is read as a direction", element
            )
        return x, y, z

    def _three(self, element: Element, attribute: str, default: str, where: str) -> Sequence[str]:
        text = element.attributes.get(attribute, default)
        texts = text.split()
        if len(texts) == 3:
            return texts
        self.fault(where, f"`{attribute}` takes three numbers, found `{shown(text)}`", element)
        return "0", "0", "1"

    def _exact(self, text: str, where: str, element: Element) -> Exact:
        text = text.strip()
        match = DECIMAL.fullmatch(text) if len(text) <= _MAX_LENGTH else None
        expected = None
        if match is None:
            expected = f"expected a decimal number of at most {_MAX_LENGTH} characters"
        elif abs(int(match.group(1) or 0)) > MAX_EXPONENT:
            expected = f"an exponent lies between -{MAX_EXPONENT} and {MAX_EXPONENT}"
        elif abs(value := Exact(text)) > Fraction(10) ** MAX_MAGNITUDE:
            expected = f"a number is at most 1e{MAX_MAGNITUDE}"
        else:
            return value
        self.fault(where, f"{expected}, found `{shown(text)}`", element)
        return ZERO

    def _angle(self, text: str, where: str, element: Element) -> Exact:
        written = self._exact(text, where, element)
        radians = self._snapper.angle(text, written, _place(where, element))
        if abs(radians) > MAX_ANGLE:
            self.fault(
                where,
                f"beyond {MAX_ANGLE} rad: angles are in radians, found `{shown(text)}`",
                element,
            )
            return ZERO
        if radians == written and abs(radians) > 2 * PI:
            self.warn(
                where,
                f"{float(radians):.6g} rad is more than a full rotation: URDF has angles in radians",
                element,
            )
        return radians

    def _length(self, text: str, where: str, element: Element) -> Exact:
        return self._snapper.length(text, self._exact(text, where, element), _place(where, element))


def _place(where: str, element: Element) -> str:
    return f"line {element.line}: {where}"


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
        return self.joint is not None and self.joint.attributes.get("type") not in (
            "fixed",
            "floating",
        )


def read_tree(robot: Element, quantities: Quantities) -> tuple[Branch, ...]:
    """All links, parents first; nothing where names or connections are at fault."""
    links = _named(robot, "link", quantities)
    joints = _named(robot, "joint", quantities)
    if max(len(links), len(joints)) > MAX_LINKS:
        quantities.fault(
            "", f"{len(links)} links and {len(joints)} joints: at most {MAX_LINKS} are read", robot
        )
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
            message = f"link `{shown(child)}` hangs on joint `{shown(other.attributes['name'])}` already: closed loops are not read"
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
    for place, fault in find_name_faults(links):
        name, link = elements[place]
        quantities.fault(f"link {shown(name)}", fault, link)


def _end(
    joint: Element, end: str, name: str, links: Mapping[str, Element], quantities: Quantities
) -> str | None:
    """The link at one end of a joint; None, and a fault, where there is none."""
    where = f"joint {shown(name)}"
    element = joint.find(end)
    if element is None:
        quantities.fault(where, f'<{end} link="..."/> is missing', joint)
        return None
    link = element.attributes.get("link", "")
    if link in links:
        return link
    quantities.fault(
        f"{where}.{end}", f"there is no link `{shown(link)}`{did_you_mean(link, links)}", element
    )
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
        waiting += [child for child in children if child in moving] + [
            child for child in children if child not in moving
        ]
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


def read_inertial(link: Element, where: str, quantities: Quantities) -> CentralInertia:
    """Mass (kg), centre of mass (m) and inertia about it (kg m^2) of a link, all zero where it has no <inertial>."""
    inertial = link.find("inertial")
    if inertial is None:
        return NO_INERTIA
    where += ".inertial"
    xyz, rpy = quantities.origin(inertial, f"{where}.origin")
    mass, inertia = inertial.find("mass"), inertial.find("inertia")
    if mass is None:
        quantities.fault(
            where, '<mass value="..."/> is missing: write the mass, or remove <inertial>', inertial
        )
        return NO_INERTIA
    kilograms = quantities.number(mass, "value", f"{where}.mass", default=None)
    if inertia is None:
        if kilograms:
            quantities.warn(
                where, "mass without <inertia>, read as a point mass: write the inertia", inertial
            )
        return CentralInertia(kilograms, xyz, NO_INERTIA.inertia)
    xx, yy, zz = (
        quantities.number(inertia, name, f"{where}.inertia", default=None)
        for name in ("ixx", "iyy", "izz")
    )
    xy, xz, yz = (
        quantities.number(inertia, name, f"{where}.inertia") for name in ("ixy", "ixz", "iyz")
    )
    return CentralInertia(kilograms, xyz, rotated((xx, yy, zz, xy, xz, yz), rpy))


def rotated(tensor: Tensor, rpy: Vector) -> Tensor:
    """R I R^T with R = Rz(yaw) Ry(pitch) Rx(roll): a tensor in rotated axes -> in the axes that these were rotated against."""
    if not any(rpy):
        return tensor
    xx, yy, zz, xy, xz, yz = tensor
    rotation = pose_after(translation_and_rpy(ORIGIN, rpy)).rotation
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = product(
        product(rotation, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))), transpose(rotation)
    )
    return xx, yy, zz, xy, xz, yz


_TYPES = {
    "revolute": REVOLUTE,
    "continuous": REVOLUTE,
    "prismatic": PRISMATIC,
    "fixed": FIXED,
    "floating": FLOATING,
}


def read_joint(branch: Branch, moved_by: Mapping[str, Branch], quantities: Quantities) -> Joint:
    """The joint of a link; the root, which has none in the file, is fixed.

    Args:
        branch: the link and its joint's element.
        moved_by: by the name of each joint, what it moves.
        quantities: reads numbers and takes faults.
    """
    if branch.joint is None:
        return Joint(FIXED)
    where, name = joint_name(branch), branch.joint.attributes["name"]
    kind = branch.joint.attributes.get("type", "")
    if kind not in _TYPES:
        remedy = (
            f"expected {', '.join((*_TYPES, 'planar'))}{did_you_mean(kind, (*_TYPES, 'planar'))}"
        )
        quantities.fault(
            where, f"joints of type `{shown(kind)}` are not available: {remedy}", branch.joint
        )
        return Joint(FIXED)
    joint_type = _TYPES[kind]
    if not joint_type.moves or joint_type.is_free:
        return Joint(joint_type, name=name)
    axis = quantities.axis(branch.joint.find("axis") or branch.joint, f"{where}.axis")
    mimic = branch.joint.find("mimic")
    if mimic is None:
        return Joint(joint_type, axis, name=name)
    master = mimic.attributes.get("joint", "")
    if master not in moved_by:
        quantities.fault(
            f"{where}.mimic",
            f"there is no joint `{shown(master)}`{did_you_mean(master, moved_by)}",
            mimic,
        )
        return Joint(joint_type, axis, name=name)
    if not moved_by[master].has_axis:
        quantities.fault(
            f"{where}.mimic",
            f"joint {shown(master)} is fixed or floating: name one that has an axis",
            mimic,
        )
    ratio = quantities.number(mimic, "multiplier", f"{where}.mimic", default=ONE)
    if not ratio:
        quantities.fault(
            f"{where}.mimic", "multiplier 0: a joint that never moves has type fixed", mimic
        )
    read = quantities.angle if joint_type.angular else quantities.length
    offset = read(mimic, "offset", f"{where}.mimic")
    return Joint(
        joint_type, axis, mimics=moved_by[master].name, ratio=ratio, offset=offset, name=name
    )


def check_mimics(
    branches: Sequence[Branch], joints: Sequence[Joint], quantities: Quantities
) -> None:
    """Report joints that follow each other in a circle."""
    by_name = {branch.name: branch for branch in branches}
    for name, *_ in find_circles(
        {branch.name: joint.mimics or None for branch, joint in zip(branches, joints, strict=True)}
    ):
        branch = by_name[name]
        quantities.fault(
            f"{joint_name(branch)}.mimic",
            "the joints follow each other in a circle",
            branch.joint or branch.link,
        )


def joint_name(branch: Branch) -> str:
    """The name that messages have for the joint of a link."""
    return (
        f"joint {shown(branch.joint.attributes['name'])}"
        if branch.joint is not None
        else f"root {shown(branch.name)}"
    )


def read_friction(branch: Branch, quantities: Quantities) -> Friction | None:
    """Viscous friction (`damping`) and Coulomb friction (`friction`) of <dynamics>; None where both are zero."""
    dynamics = (
        branch.joint.find("dynamics") if branch.joint is not None and branch.has_axis else None
    )
    if dynamics is None:
        return None
    where = f"{joint_name(branch)}.dynamics"
    viscous, coulomb = (
        quantities.number(dynamics, name, where) for name in ("damping", "friction")
    )
    return Friction(viscous, coulomb) if viscous or coulomb else None


def read_limits(branch: Branch, quantities: Quantities) -> Limits | None:
    """The <limit> of a joint: no position of a continuous joint, and zero velocity or effort are not given."""
    limit = branch.joint.find("limit") if branch.joint is not None and branch.has_axis else None
    if branch.joint is None or limit is None:
        return None
    where = f"{joint_name(branch)}.limit"
    position = None
    if branch.joint.attributes.get("type") != "continuous":
        low, high = (quantities.number(limit, end, where) for end in ("lower", "upper"))
        position = (low, high) if low < high else None
        if low > high:
            quantities.warn(where, "lower above upper, read as no limits: exchange them", limit)
    velocity, effort = (
        _magnitude(limit, name, where, quantities) for name in ("velocity", "effort")
    )
    return Limits(position, velocity, effort)


def _magnitude(limit: Element, name: str, where: str, quantities: Quantities) -> Exact | None:
    if limit.attributes.get(name, "").strip().lower() in ("inf", "infinity"):
        return None
    value = quantities.number(limit, name, where)
    if value < ZERO:
        quantities.warn(where, f"`{name}` is negative, read as no limit: remove the sign", limit)
    return value if value > ZERO else None


_SIMPLE = "SimpleTransmission"


def read_motor_inertias(
    robot: Element, moving: Mapping[str, Element], quantities: Quantities
) -> dict[str, Exact]:
    """Inertia of the motor by the name of each joint that has one (kg m^2 or kg).

    Where it is not clear which inertia acts on which joint, a warning says so, and none is counted.

    Args:
        robot: the document.
        moving: by name, the joints that move.
        quantities: reads numbers and takes warnings and notes.
    """
    inertias: dict[str, Exact] = {}
    without = False
    for transmission in robot.find_all("transmission"):
        where = f"transmission {shown(transmission.attributes.get('name', ''))}"
        rotor, drake = _rotor(transmission)
        if rotor is None:
            without = True
            continue
        unclear = _unclear(transmission, drake)
        joints = [each.attributes.get("name", "") for each in transmission.find_all("joint")]
        joint = joints[0] if len(joints) == 1 else ""
        if not unclear and joint not in moving:
            unclear = (
                f"there is no joint `{shown(joint)}` that moves" if joints else "it names no joint"
            )
        if not unclear and joint in inertias:
            unclear = f"joint {shown(joint)} has a motor already"
        if unclear:
            quantities.warn(where, f"its motor's inertia is not counted: {unclear}", transmission)
            continue
        inertias[joint] = (
            quantities.content(rotor, f"{where}.{rotor.tag}")
            * _ratio(transmission, drake, where, quantities) ** 2
        )
        quantities.note(
            where,
            f"motor inertia {float(inertias[joint]):.6g} is counted at joint {shown(joint)}",
            transmission,
        )
    if without:
        quantities.notes.append(
            "<transmission> without the inertia of a motor (URDF itself has none): none is counted"
        )
    return inertias


def _rotor(transmission: Element) -> tuple[Element | None, bool]:
    """The element that gives the inertia of the motor, and whether it is Drake's."""
    for parent in (*transmission.find_all("actuator"), transmission):
        for tag in ("drake:rotor_inertia", "motorInertia"):
            if (found := parent.find(tag)) is not None:
                return found, tag.startswith("drake")
    return None, False


def _unclear(transmission: Element, drake: bool) -> str:
    """The reason for which it is not clear what a transmission means; empty if it is."""
    kind = transmission.find("type")
    name = transmission.attributes.get("type", "") if kind is None else kind.text.strip()
    if not name.endswith(_SIMPLE):
        return f"its type is `{shown(name)}`, expected {_SIMPLE}"
    for tag in ("joint", "actuator"):
        if (count := len(list(transmission.find_all(tag)))) != 1:
            return f"it has {count} elements <{tag}>, expected one"
    if (
        drake
        and _find(transmission, "drake:gear_ratio") is None
        and _find(transmission, "mechanicalReduction") is not None
    ):
        return "it has <mechanicalReduction> and no <drake:gear_ratio>, which is 1 to Drake; write both"
    return ""


def _ratio(transmission: Element, drake: bool, where: str, quantities: Quantities) -> Exact:
    """Rotations of the motor per rotation of the joint."""
    tag = "drake:gear_ratio" if drake else "mechanicalReduction"
    element = _find(transmission, tag)
    return ONE if element is None else quantities.content(element, f"{where}.{tag}")


def _find(transmission: Element, tag: str) -> Element | None:
    """An element of the actuator, or of the transmission itself."""
    parents = (*transmission.find_all("actuator"), transmission)
    return next((found for parent in parents if (found := parent.find(tag)) is not None), None)
