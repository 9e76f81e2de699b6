"""The links of a description: LinkSchema -> LinkDescription, in an order in which every parent comes before its children."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dynagen.description.coordinates import with_coordinates
from dynagen.description.decimals import MAX_MAGNITUDE
from dynagen.description.description import (
    CentralInertia,
    LinkDescription,
    OriginInertia,
)
from dynagen.description.floating import floating_fault
from dynagen.description.joints import JOINT_TYPES
from dynagen.description.names import circles, identifier, name_faults
from dynagen.description.yaml.document import Path
from dynagen.description.yaml.faults import Faults
from dynagen.description.yaml.friction import read_friction
from dynagen.description.yaml.geometry import Convention, read_geometry
from dynagen.description.yaml.limits import read_limits
from dynagen.description.yaml.quantities import Quantities
from dynagen.description.yaml.schema import LinkSchema, MotorSchema
from dynagen.errors import did_you_mean, shown
from dynagen.numbers.exact import ZERO, Exact

_BASE = "base"


def read_links(
    links: Sequence[LinkSchema], convention: Convention | None, quantities: Quantities, floats: bool
) -> tuple[LinkDescription, ...]:
    """All links of a robot, checked one by one and together; faults go to `quantities.faults`.

    Args:
        links: as the file has them.
        convention: of their rows.
        quantities: reads numbers.
        floats: whether the base is going to move: then no joint needs to.
    """
    check_names([link.name for link in links], "links", quantities.faults)
    for i, link in enumerate(links):
        if identifier(link.name) == _BASE:
            quantities.faults.add(("links", i, "name"), "`base` means the robot's base: choose another name")
    parents = _parents(links, quantities.faults)
    _check_mimics(links, quantities.faults)
    described = [
        _link(link, parent, convention, i, quantities) for i, (link, parent) in enumerate(zip(links, parents, strict=True))
    ]
    if not floats and not any(link.joint.moves for link in described):
        quantities.faults.add(("links",), "no joint moves: a robot needs at least one that is not fixed")
    if not quantities.faults and (fault := floating_fault(described)):
        quantities.faults.add(("links", [link.name for link in links].index(fault[0]), "joint"), fault[1])
    if quantities.faults:
        return tuple(described)
    ordered = _parents_first(described)
    if [link.name for link in ordered] != [link.name for link in described]:
        order = ", ".join(link.name for link in ordered)
        quantities.note(("links",), f"reordered so that parents come first, and joints with them: {order}")
    return with_coordinates(ordered)


def check_names(names: Sequence[str], section: str, faults: Faults) -> None:
    """Report names in a list that cannot be identifiers, or that two entries share."""
    for i, fault in name_faults(names):
        faults.add((section, i, "name"), fault)


def _parents(links: Sequence[LinkSchema], faults: Faults) -> list[str | None]:
    """Each link's parent (None for the base), with unknown ones and cycles reported."""
    names = [link.name for link in links]
    known = {*names, _BASE}
    parents: list[str | None] = []
    for i, link in enumerate(links):
        before = names[i - 1] if i else _BASE
        parent = before if link.parent is None else link.parent
        if parent not in known:
            faults.add(("links", i, "parent"), f"there is no link `{shown(parent)}`{did_you_mean(parent, (*names, _BASE))}")
            parent = _BASE
        parents.append(None if parent == _BASE else parent)
    _report_cycles(names, parents, "parent", "the parents form a circle", faults)
    return parents


def _check_mimics(links: Sequence[LinkSchema], faults: Faults) -> None:
    """Report mimic joints that follow none, or each other."""
    joints = {link.name: JOINT_TYPES[link.joint] for link in links}
    followed: list[str | None] = []
    for i, link in enumerate(links):
        path: Path = ("links", i, "mimic", "joint")
        other = None if link.mimic is None else link.mimic.joint
        if other is not None and other not in joints:
            faults.add(path, f"there is no link `{shown(other)}`{did_you_mean(other, joints)}")
            other = None
        elif other is not None and (not joints[other].moves or joints[other].is_free):
            what = "is floating" if joints[other].is_free else "does not move"
            faults.add(path, f"the joint of {shown(other)} {what}: name the link of one that moves about or along an axis")
        followed.append(other)
    _report_cycles([link.name for link in links], followed, "mimic", "the joints follow each other in a circle", faults)


def _report_cycles(names: Sequence[str], nexts: Sequence[str | None], field: str, fault: str, faults: Faults) -> None:
    """Report links from which the next ones lead back to them; where names are not unique nothing can be said."""
    if len(set(names)) == len(names):
        for circle in circles(dict(zip(names, nexts, strict=True))):
            faults.add(("links", names.index(circle[0]), field), f"{fault}: {' -> '.join(map(shown, circle))}")


def _parents_first(links: list[LinkDescription]) -> tuple[LinkDescription, ...]:
    """The links in their order, except that a child waits for its parent."""
    waiting: dict[str, list[LinkDescription]] = {}
    placed: set[str | None] = {None}
    ordered: list[LinkDescription] = []
    for link in links:
        if link.parent not in placed:
            waiting.setdefault(link.parent or "", []).append(link)
            continue
        ready = [link]
        while ready:
            ordered.append(ready.pop(0))
            placed.add(ordered[-1].name)
            ready += waiting.pop(ordered[-1].name, [])
    return tuple(ordered)


def _link(
    link: LinkSchema, parent: str | None, convention: Convention | None, index: int, quantities: Quantities
) -> LinkDescription:
    path: Path = ("links", index)
    before, joint, after = read_geometry(link, convention, path, quantities)
    if not joint.moves or joint.type.is_free:
        why = "has no axis" if joint.moves else "does not move"
        for name in ("motor", "friction", "limits", "mimic"):
            if getattr(link, name) is not None:
                quantities.faults.add((*path, name), f"a {joint.type.name} joint {why}: remove `{name}`")
    return LinkDescription(
        name=link.name,
        parent=parent,
        before=before,
        joint=joint,
        after=after,
        inertial=_inertial(link, path, quantities),
        motor_inertia=_motor_inertia(link.motor, (*path, "motor"), quantities) if link.motor else ZERO,
        friction=read_friction(link.friction, joint.type, (*path, "friction"), quantities) if link.friction else None,
        limits=read_limits(link.limits, joint, (*path, "limits"), quantities) if link.limits else None,
    )


def _inertial(link: LinkSchema, path: Path, quantities: Quantities) -> CentralInertia | OriginInertia:
    central = [name for name in ("com", "inertia") if getattr(link, name) is not None]
    about_origin = [name for name in ("first_moment", "inertia_about_origin") if getattr(link, name) is not None]
    if central and about_origin:
        mixed = " and ".join(f"`{name}`" for name in central + about_origin)
        message = f"{mixed} are of two forms: give `com` and `inertia`, or `first_moment` and `inertia_about_origin`"
        quantities.faults.add((*path, about_origin[0]), message)
    if link.mass is None and not central and not about_origin:
        quantities.warn(path, "no inertial data, read as zero: write mass: 0 if that is meant")
    elif link.mass is None and link.com is not None:
        quantities.warn(path, "no mass, read as zero, and its com has no effect: write the mass, or remove the com")
    mass = quantities.number(link.mass, (*path, "mass"))
    if mass and not about_origin:
        for name, meaning in (("com", "at the link's origin"), ("inertia", "zero, a point mass")):
            if getattr(link, name) is None:
                quantities.warn(path, f"mass without `{name}`, read as {meaning}: write {name}: [0, 0, 0] if that is meant")
    if about_origin:
        first_moment = quantities.vector(link.first_moment, (*path, "first_moment"))
        return OriginInertia(mass, first_moment, quantities.tensor(link.inertia_about_origin, (*path, "inertia_about_origin")))
    com = quantities.vector(link.com, (*path, "com"))
    return CentralInertia(mass, com, quantities.tensor(link.inertia, (*path, "inertia")))


def _motor_inertia(motor: MotorSchema, path: Path, quantities: Quantities) -> Exact:
    """Inertia reflected to the joint: the rotor's times the square of its gear ratio."""
    given = [name for name in ("inertia", "rotor_inertia", "gear_ratio") if getattr(motor, name) is not None]
    if given not in (["inertia"], ["rotor_inertia", "gear_ratio"]):
        found = " and ".join(f"`{name}`" for name in given) or "nothing"
        quantities.faults.add(path, f"expected `inertia`, or `rotor_inertia` and `gear_ratio`, found {found}")
    if motor.inertia is not None:
        return quantities.number(motor.inertia, (*path, "inertia"))
    ratio = quantities.number(motor.gear_ratio, (*path, "gear_ratio"))
    inertia = quantities.number(motor.rotor_inertia, (*path, "rotor_inertia")) * ratio**2
    if abs(inertia) > Fraction(10) ** MAX_MAGNITUDE:
        quantities.faults.add(path, f"reflected to the joint this is beyond 1e{MAX_MAGNITUDE}")
    return inertia
