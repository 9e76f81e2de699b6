"""The <joint> that a link hangs on -> its Joint, friction and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dynagen.description.description import Friction, Limits
from dynagen.description.joints import FIXED, FLOATING, PRISMATIC, REVOLUTE, Joint
from dynagen.description.names import circles
from dynagen.description.urdf.quantities import Quantities
from dynagen.description.urdf.tree import Branch
from dynagen.description.xml_document import Element
from dynagen.errors import did_you_mean, shown
from dynagen.numbers.exact import ONE, ZERO, Exact

_TYPES = {"revolute": REVOLUTE, "continuous": REVOLUTE, "prismatic": PRISMATIC, "fixed": FIXED, "floating": FLOATING}


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
        remedy = f"expected {', '.join((*_TYPES, 'planar'))}{did_you_mean(kind, (*_TYPES, 'planar'))}"
        quantities.fault(where, f"joints of type `{shown(kind)}` are not available: {remedy}", branch.joint)
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
        quantities.fault(f"{where}.mimic", f"there is no joint `{shown(master)}`{did_you_mean(master, moved_by)}", mimic)
        return Joint(joint_type, axis, name=name)
    if not moved_by[master].has_axis:
        quantities.fault(f"{where}.mimic", f"joint {shown(master)} is fixed or floating: name one that has an axis", mimic)
    ratio = quantities.number(mimic, "multiplier", f"{where}.mimic", default=ONE)
    if not ratio:
        quantities.fault(f"{where}.mimic", "multiplier 0: a joint that never moves has type fixed", mimic)
    read = quantities.angle if joint_type.angular else quantities.length
    offset = read(mimic, "offset", f"{where}.mimic")
    return Joint(joint_type, axis, mimics=moved_by[master].name, ratio=ratio, offset=offset, name=name)


def check_mimics(branches: Sequence[Branch], joints: Sequence[Joint], quantities: Quantities) -> None:
    """Report joints that follow each other in a circle."""
    by_name = {branch.name: branch for branch in branches}
    for name, *_ in circles({branch.name: joint.mimics or None for branch, joint in zip(branches, joints, strict=True)}):
        branch = by_name[name]
        quantities.fault(
            f"{joint_name(branch)}.mimic", "the joints follow each other in a circle", branch.joint or branch.link
        )


def joint_name(branch: Branch) -> str:
    """The name that messages have for the joint of a link."""
    return f"joint {shown(branch.joint.attributes['name'])}" if branch.joint is not None else f"root {shown(branch.name)}"


def read_friction(branch: Branch, quantities: Quantities) -> Friction | None:
    """Viscous friction (`damping`) and Coulomb friction (`friction`) of <dynamics>; None where both are zero."""
    dynamics = branch.joint.find("dynamics") if branch.joint is not None and branch.has_axis else None
    if dynamics is None:
        return None
    where = f"{joint_name(branch)}.dynamics"
    viscous, coulomb = (quantities.number(dynamics, name, where) for name in ("damping", "friction"))
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
    velocity, effort = (_magnitude(limit, name, where, quantities) for name in ("velocity", "effort"))
    return Limits(position, velocity, effort)


def _magnitude(limit: Element, name: str, where: str, quantities: Quantities) -> Exact | None:
    if limit.attributes.get(name, "").strip().lower() in ("inf", "infinity"):
        return None
    value = quantities.number(limit, name, where)
    if value < ZERO:
        quantities.warn(where, f"`{name}` is negative, read as no limit: remove the sign", limit)
    return value if value > ZERO else None
