"""Reading of links from YAML descriptions, parents first.

The displacement from the parent's frame to the link's frame consists of `origin` and a
Denavit-Hartenberg row of one convention:

    modified (Craig, Khalil)   Rx(alpha) Tx(a) Rz(theta) Tz(d)
    standard (Paul, Spong)     Rz(theta) Tz(d) Tx(a) Rx(alpha)

Rx and Rz are rotations about x and z, Tx and Tz translations along x and z. The joint variable is
added to theta or d, or to both for a helical joint. In both conventions, the joint directly follows
Rz and Tz, which commute. If a link has `axis` instead of a row, the joint follows `origin`, and no
displacement follows the joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from dynagen.errors import clip, suggest_word
from dynagen.numbers.exact import ONE, ZERO, Exact
from dynagen.robot.composite_joints import COMPOSITE_TYPES, UNIVERSAL
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import (
    CentralInertia,
    Elasticity,
    LinkDescription,
    OriginInertia,
)
from dynagen.robot.edits import find_floating_fault
from dynagen.robot.formats.yaml.composite_links import (
    check_fields,
    expand_links,
    read_direction,
)
from dynagen.robot.formats.yaml.document import Faults, Path
from dynagen.robot.formats.yaml.friction import read_friction
from dynagen.robot.formats.yaml.limits import read_limits
from dynagen.robot.formats.yaml.quantities import YamlQuantities
from dynagen.robot.formats.yaml.schema import (
    DenavitHartenbergSchema,
    LinkSchema,
    MimicSchema,
    MotorSchema,
)
from dynagen.robot.joints import JOINT_TYPES, REVOLUTE, Joint, JointType
from dynagen.robot.literals import MAX_MAGNITUDE
from dynagen.robot.names import find_circles, find_name_faults, make_identifier
from dynagen.robot.pose import Displacement, Rotation, Vector, X, Z, compose, translate

Convention = Literal["modified", "standard"]
"""A Denavit-Hartenberg convention."""

_BASE = "base"  # the word for the base as a parent
_Z: Vector = (ZERO, ZERO, ONE)


def read_links(
    links: Sequence[LinkSchema],
    convention: Convention | None,
    quantities: YamlQuantities,
    floats: bool,
) -> tuple[LinkDescription, ...]:
    """Read all links of a robot, and check each link and the links together.

    Args:
        links: the links of the file.
        convention: Denavit-Hartenberg convention of the rows.
        quantities: reader of numbers, which collects faults, warnings and notes.
        floats: whether the base moves freely; a robot with a free base may have no moving joint.

    Returns:
        The links, parents first. If the file has faults, the links have the order of the file and
        no indices in q and v.
    """
    check_names([link.name for link in links], "links", quantities.faults)
    for i, link in enumerate(links):
        if make_identifier(link.name) == _BASE:
            quantities.faults.add(
                ("links", i, "name"),
                "the name `base` is reserved for the robot's base: choose another name",
            )
    parents = _find_parents(links, quantities.faults)
    _check_joint_names(links, quantities.faults)
    _check_mimics(links, quantities.faults)
    described = [
        _read_link(link, parent, convention, i, quantities)
        for i, (link, parent) in enumerate(zip(links, parents, strict=True))
    ]
    if not floats and not any(link.joint.moves for link in described):
        quantities.faults.add(
            ("links",), "all joints are fixed; expected at least one joint that moves"
        )
    if not quantities.faults and (fault := find_floating_fault(described)):
        quantities.faults.add(
            ("links", [link.name for link in links].index(fault[0]), "joint"), fault[1]
        )
    if quantities.faults:
        return tuple(described)
    expanded = tuple(expand_links(links, ordered := _sort_parents_first(described), quantities))
    if quantities.faults:
        return tuple(described)
    if [link.name for link in ordered] != [link.name for link in described]:
        order = ", ".join(link.name for link in ordered)
        quantities.add_note(
            ("links",), f"links and their joints were reordered so that parents come first: {order}"
        )
    return number_coordinates(expanded)


def check_names(names: Sequence[str], section: str, faults: Faults) -> None:
    """Add a fault for each invalid or repeated name of links or frames.

    Args:
        names: names in the order of the list.
        section: key of the list in the file, "links" or "frames".
        faults: record to which the faults are added.
    """
    for i, fault in find_name_faults(names):
        faults.add((section, i, "name"), fault)


def _find_parents(links: Sequence[LinkSchema], faults: Faults) -> list[str | None]:
    """Return the parent of each link (None for the base); report unknown parents and cycles."""
    names = [link.name for link in links]
    known = {*names, _BASE}
    parents: list[str | None] = []
    for i, link in enumerate(links):
        before = names[i - 1] if i else _BASE
        parent = before if link.parent is None else link.parent
        if parent not in known:
            faults.add(
                ("links", i, "parent"),
                f"there is no link `{clip(parent)}`{suggest_word(parent, (*names, _BASE))}",
            )
            parent = _BASE
        parents.append(None if parent == _BASE else parent)
    _report_cycles(names, parents, "parent", "the parents of these links form a circle", faults)
    return parents


def _check_joint_names(links: Sequence[LinkSchema], faults: Faults) -> None:
    """Report names of joints that are empty, or equal to the name of another moving joint."""
    names = [link.joint_name or link.name if _find_type(link).moves else "" for link in links]
    for i, link in enumerate(links):
        path, name = ("links", i, "joint_name"), link.joint_name
        if name is not None and not name.strip():
            faults.add(path, "a name must not be empty")
        elif name is not None and names[i] and names.count(names[i]) > 1:
            faults.add(path, f"another joint is called `{clip(name)}` already")


def _check_mimics(links: Sequence[LinkSchema], faults: Faults) -> None:
    """Report mimicking joints that mimic an unknown or fixed joint, or each other in a cycle."""
    joints = {link.name: _find_type(link) for link in links}
    spherical = {name for name, joint in joints.items() if joint.is_spherical}
    composite = {link.name for link in links if link.joint in COMPOSITE_TYPES}
    followed: list[str | None] = []
    for i, link in enumerate(links):
        path: Path = ("links", i, "mimic", "joint")
        other = None if link.mimic is None else link.mimic.joint
        if other is not None and other not in joints:
            faults.add(path, f"there is no link `{clip(other)}`{suggest_word(other, joints)}")
            other = None
        elif other is not None and (not joints[other].has_axis or other in composite):
            state = "is floating" if joints[other].is_free else "does not move"
            state = "has several coordinates" if other in composite | spherical else state
            faults.add(
                path,
                f"the joint of {clip(other)} {state}: "
                "name a link whose joint moves about or along an axis",
            )
        followed.append(other)
    _report_cycles(
        [link.name for link in links],
        followed,
        "mimic",
        "the joints follow each other in a circle",
        faults,
    )


def _report_cycles(
    names: Sequence[str], nexts: Sequence[str | None], field: str, fault: str, faults: Faults
) -> None:
    """Report cycles of links in which each link names the next link of the cycle.

    The link `names[i]` names `nexts[i]` in the field `field`; `fault` is the message.
    """
    if len(set(names)) == len(names):  # otherwise the circles are ambiguous
        for circle in find_circles(dict(zip(names, nexts, strict=True))):
            faults.add(
                ("links", names.index(circle[0]), field),
                f"{fault}: {' -> '.join(map(clip, circle))}",
            )


def _sort_parents_first(links: list[LinkDescription]) -> tuple[LinkDescription, ...]:
    """Sort the links so that parents come first; otherwise their order is kept."""
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


def _read_link(
    link: LinkSchema,
    parent: str | None,
    convention: Convention | None,
    index: int,
    quantities: YamlQuantities,
) -> LinkDescription:
    path: Path = ("links", index)
    check_fields(link, path, quantities)
    before, joint, after = read_geometry(link, convention, path, quantities)
    if not joint.type.has_axis:
        reason = "has no axis" if joint.moves else "does not move"
        for name in ("motor", "friction", "limits", "mimic"):
            if getattr(link, name) is not None:
                quantities.faults.add(
                    (*path, name), f"a {joint.type.name} joint {reason}: remove `{name}`"
                )
    return LinkDescription(
        name=link.name,
        parent=parent,
        before=before,
        joint=replace(joint, name=link.joint_name or ""),
        after=after,
        inertial=_read_inertial(link, path, quantities),
        motor_inertia=_read_motor_inertia(link.motor, (*path, "motor"), quantities)
        if link.motor
        else ZERO,
        friction=read_friction(link.friction, joint.type, (*path, "friction"), quantities)
        if link.friction
        else None,
        limits=read_limits(link.limits, joint, (*path, "limits"), quantities)
        if link.limits
        else None,
        elasticity=_read_elasticity(link.motor, (*path, "motor"), quantities)
        if link.motor
        else None,
    )


def _read_inertial(
    link: LinkSchema, path: Path, quantities: YamlQuantities
) -> CentralInertia | OriginInertia:
    central = [name for name in ("com", "inertia") if getattr(link, name) is not None]
    about_origin = [
        name for name in ("first_moment", "inertia_about_origin") if getattr(link, name) is not None
    ]
    if central and about_origin:
        mixed = " and ".join(f"`{name}`" for name in central + about_origin)
        message = (
            f"{mixed} exclude each other: write `com` and `inertia`, "
            "or `first_moment` and `inertia_about_origin`"
        )
        quantities.faults.add((*path, about_origin[0]), message)
    if link.mass is None and not central and not about_origin:
        quantities.warn(
            path, "inertial data are missing and read as zero: write mass: 0 to confirm"
        )
    elif link.mass is None and link.com is not None:
        quantities.warn(
            path,
            "the mass is missing and read as zero, so `com` has no effect: write the mass, or "
            "remove "
            "`com`",
        )
    mass = quantities.read_number(link.mass, (*path, "mass"))
    if mass and not about_origin:
        for name, meaning in (("com", "at the link's origin"), ("inertia", "zero, a point mass")):
            if getattr(link, name) is None:
                quantities.warn(
                    path,
                    f"`{name}` is missing and read as {meaning}: "
                    f"write {name}: [0, 0, 0] to confirm",
                )
    if about_origin:
        first_moment = quantities.read_vector(link.first_moment, (*path, "first_moment"))
        return OriginInertia(
            mass,
            first_moment,
            quantities.read_tensor(link.inertia_about_origin, (*path, "inertia_about_origin")),
        )
    com = quantities.read_vector(link.com, (*path, "com"))
    return CentralInertia(mass, com, quantities.read_tensor(link.inertia, (*path, "inertia")))


def _read_motor_inertia(motor: MotorSchema, path: Path, quantities: YamlQuantities) -> Exact:
    """Return the reflected motor inertia: the rotor's inertia times the squared gear ratio."""
    given = [
        name
        for name in ("inertia", "rotor_inertia", "gear_ratio")
        if getattr(motor, name) is not None
    ]
    if given not in (["inertia"], ["rotor_inertia", "gear_ratio"]):
        found = " and ".join(f"`{name}`" for name in given) or "nothing"
        quantities.faults.add(
            path, f"expected `inertia`, or `rotor_inertia` and `gear_ratio`, found {found}"
        )
    if motor.inertia is not None:
        return quantities.read_number(motor.inertia, (*path, "inertia"))
    ratio = quantities.read_number(motor.gear_ratio, (*path, "gear_ratio"))
    inertia = quantities.read_number(motor.rotor_inertia, (*path, "rotor_inertia")) * ratio**2
    if abs(inertia) > Fraction(10) ** MAX_MAGNITUDE:
        quantities.faults.add(
            path,
            f"the inertia reflected to the joint is above 1e{MAX_MAGNITUDE}: check the numbers",
        )
    return inertia


def _read_elasticity(
    motor: MotorSchema, path: Path, quantities: YamlQuantities
) -> Elasticity | None:
    """Return the spring between motor and joint, or None."""
    damping = quantities.read_number(motor.damping, (*path, "damping"))
    if motor.stiffness is not None:
        return Elasticity(quantities.read_number(motor.stiffness, (*path, "stiffness")), damping)
    if motor.damping is not None:
        quantities.faults.add(
            (*path, "damping"),
            "`damping` of a motor requires `stiffness`: add `stiffness`, or use `friction`",
        )
    return None


def read_geometry(
    link: LinkSchema, convention: Convention | None, path: Path, quantities: YamlQuantities
) -> tuple[Displacement, Joint, Displacement]:
    """Return the displacement before a link's joint, the joint, and the displacement after it.

    Args:
        link: the fields of the link.
        convention: Denavit-Hartenberg convention of the link's row.
        path: path of the link, for messages.
        quantities: reader of numbers, which collects faults.
    """
    joint_type = _find_type(link)
    if joint_type.is_free:
        for name in ("origin", "dh", "axis", "pitch"):
            if getattr(link, name) is not None:
                quantities.faults.add(
                    (*path, name),
                    f"q contains the pose of a floating link in the base frame: remove `{name}`",
                )
        return (), Joint(joint_type), ()
    origin = quantities.read_placement(link.origin, (*path, "origin")) if link.origin else ()
    if joint_type.is_spherical:
        for name in ("dh", "axis", "pitch"):
            if getattr(link, name) is not None:
                quantities.faults.add(
                    (*path, name), f"a spherical joint has no axis: write `origin`, not `{name}`"
                )
        return origin, Joint(joint_type), ()
    before, after = (
        _read_row(link.dh, joint_type, convention, (*path, "dh"), quantities)
        if link.dh
        else ((), ())
    )
    has_axis = link.axis is not None or link.joint == UNIVERSAL.name
    if link.dh is None and not has_axis and (joint_type.moves or link.origin is None):
        choice = "`dh` (or `axis`, and `origin`)" if joint_type.moves else "`dh` or `origin`"
        quantities.faults.add(
            path, f"the transform from the parent's frame is missing: add {choice}", (*path, "dh")
        )
    axis, pitch = (
        _read_axis(link, joint_type, path, quantities),
        quantities.read_number(link.pitch, (*path, "pitch")),
    )
    joint = Joint(joint_type, axis, pitch)
    if link.mimic is not None:
        joint = _read_mimic(link.mimic, joint, (*path, "mimic"), quantities)
    if joint_type.has_pitch and link.pitch is None:
        message = (
            f"`pitch` is missing: write the translation of the {joint_type.name} joint per "
            "radian of its rotation, m/rad"
        )
        quantities.faults.add(path, message, (*path, "pitch"))
    elif link.pitch is not None and not joint_type.has_pitch:
        quantities.faults.add(
            (*path, "pitch"),
            f"a {link.joint} joint has no pitch: remove `pitch`, or write joint: helical",
        )
    return (*origin, *before), joint, after


def _find_type(link: LinkSchema) -> JointType:
    """Return the type of a link's joint; for a composite joint, of the last joint in its chain."""
    return REVOLUTE if link.joint in COMPOSITE_TYPES else JOINT_TYPES[link.joint]


def _read_row(
    dh: DenavitHartenbergSchema,
    joint: JointType,
    convention: Convention | None,
    path: Path,
    quantities: YamlQuantities,
) -> tuple[Displacement, Displacement]:
    """Return the constant displacements of a Denavit-Hartenberg row before and after the joint."""
    given = {"alpha": dh.alpha, "a": dh.a, "d": dh.d, "theta": dh.theta}
    # Only the offset of the joint variable may be left out.
    variables = {"theta": joint.angular, "d": joint.linear}
    missing = [f"`{key}`" for key, text in given.items() if text is None and not variables.get(key)]
    if missing:
        keys = " and ".join(missing)
        quantities.faults.add(
            path,
            f"{keys} {'is' if len(missing) == 1 else 'are'} missing: write 0 where it is zero",
        )
    return make_row_steps(
        convention or "modified",
        alpha=quantities.read_angle(dh.alpha, (*path, "alpha")),
        a=quantities.read_length(dh.a, (*path, "a")),
        d=quantities.read_length(dh.d, (*path, "d")),
        theta=quantities.read_angle(dh.theta, (*path, "theta")),
    )


def make_row_steps(
    convention: Convention, alpha: Exact, a: Exact, d: Exact, theta: Exact
) -> tuple[Displacement, Displacement]:
    """Return the displacements of a Denavit-Hartenberg row before and after the joint.

    Args:
        convention: modified or standard.
        alpha: angle about x (rad).
        a: length along x (m).
        d: length along z, the joint axis (m).
        theta: angle about z (rad).
    """
    about_x, along_x = Rotation(X, alpha, "alpha"), translate(X, a, "a")
    about_z, along_z = Rotation(Z, theta, "theta"), translate(Z, d, "d")
    if convention == "standard":
        return compose(about_z, along_z), compose(along_x, about_x)
    return compose(about_x, along_x, about_z, along_z), ()


def _read_mimic(mimic: MimicSchema, joint: Joint, path: Path, quantities: YamlQuantities) -> Joint:
    """Return the joint, changed so that it mimics the joint in the field `mimic`."""
    read = quantities.read_angle if joint.type.angular else quantities.read_length
    ratio = quantities.read_number(mimic.ratio, (*path, "ratio"))
    if not ratio:
        quantities.faults.add(
            (*path, "ratio"),
            "a mimicking joint with ratio 0 never moves: write joint: fixed",
        )
    return replace(
        joint, mimics=mimic.joint, ratio=ratio, offset=read(mimic.offset, (*path, "offset"))
    )


def _read_axis(
    link: LinkSchema, joint: JointType, path: Path, quantities: YamlQuantities
) -> Vector:
    """Return the direction of the joint axis, by default z."""
    if link.axis is None:
        return _Z
    field = (*path, "axis")
    if link.dh is not None:
        quantities.faults.add(
            field,
            "the joint axis of a `dh` row is z: remove `axis`, or write `origin` instead of `dh`",
        )
    elif not joint.moves:
        quantities.faults.add(field, f"a {joint.name} joint does not move: remove `axis`")
    return read_direction(link.axis, field, quantities) or _Z
