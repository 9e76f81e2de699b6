"""Links of a YAML description: LinkSchema to LinkDescription, with placement, limits and friction of their joints.

The links of a description: LinkSchema -> LinkDescription, in an order in which every parent comes before its children.

Place and motion of a link's joint: `origin`, `dh`, `axis`, `pitch` and `mimic` of a LinkSchema -> steps and a Joint.

This is the only place that knows of Denavit and Hartenberg. From a link's parent frame to its own lead, behind `origin`,

    modified (Craig, Khalil)   Rx(alpha) Tx(a) Rz(theta) Tz(d)
    standard (Paul, Spong)     Rz(theta) Tz(d) Tx(a) Rx(alpha)

where the joint's variable adds to theta or d (or, of a helical joint, to both). As Rz and Tz commute, the joint itself stands
behind these two in either convention. With `axis` the joint stands behind `origin`, and the link's frame moves with it.

The limits of a joint: LimitsSchema -> Limits, and a warning where they look like degrees.

The `friction` of a joint: FrictionSchema -> Friction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from dynagen.errors import did_you_mean, shown
from dynagen.numbers.exact import ONE, PI, ZERO, Exact
from dynagen.robot.coordinates import with_coordinates
from dynagen.robot.description import (
    Bearing,
    CentralInertia,
    Friction,
    Limits,
    LinkDescription,
    OriginInertia,
    Stribeck,
    Transmission,
)
from dynagen.robot.edits import find_floating_fault
from dynagen.robot.formats.yaml.document import Faults, Path
from dynagen.robot.formats.yaml.quantities import Quantities
from dynagen.robot.formats.yaml.schema import (
    BearingSchema,
    CoulombSchema,
    DenavitHartenbergSchema,
    FrictionSchema,
    LimitsSchema,
    LinkSchema,
    MimicSchema,
    MotorSchema,
    TransmissionSchema,
)
from dynagen.robot.joints import JOINT_TYPES, Joint, JointType
from dynagen.robot.literals import MAX_MAGNITUDE
from dynagen.robot.names import find_circles, identifier, find_name_faults
from dynagen.robot.pose import Displacement, Rotation, Vector, X, Z, along, displacement

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
            quantities.faults.add(
                ("links", i, "name"), "`base` means the robot's base: choose another name"
            )
    parents = _parents(links, quantities.faults)
    _check_mimics(links, quantities.faults)
    described = [
        _link(link, parent, convention, i, quantities)
        for i, (link, parent) in enumerate(zip(links, parents, strict=True))
    ]
    if not floats and not any(link.joint.moves for link in described):
        quantities.faults.add(
            ("links",), "no joint moves: a robot needs at least one that is not fixed"
        )
    if not quantities.faults and (fault := find_floating_fault(described)):
        quantities.faults.add(
            ("links", [link.name for link in links].index(fault[0]), "joint"), fault[1]
        )
    if quantities.faults:
        return tuple(described)
    ordered = _parents_first(described)
    if [link.name for link in ordered] != [link.name for link in described]:
        order = ", ".join(link.name for link in ordered)
        quantities.note(
            ("links",), f"reordered so that parents come first, and joints with them: {order}"
        )
    return with_coordinates(ordered)


def check_names(names: Sequence[str], section: str, faults: Faults) -> None:
    """Report names in a list that cannot be identifiers, or that two entries share."""
    for i, fault in find_name_faults(names):
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
            faults.add(
                ("links", i, "parent"),
                f"there is no link `{shown(parent)}`{did_you_mean(parent, (*names, _BASE))}",
            )
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
            faults.add(
                path,
                f"the joint of {shown(other)} {what}: name the link of one that moves about or along an axis",
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
    """Report links from which the next ones lead back to them; where names are not unique nothing can be said."""
    if len(set(names)) == len(names):
        for circle in find_circles(dict(zip(names, nexts, strict=True))):
            faults.add(
                ("links", names.index(circle[0]), field),
                f"{fault}: {' -> '.join(map(shown, circle))}",
            )


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
    link: LinkSchema,
    parent: str | None,
    convention: Convention | None,
    index: int,
    quantities: Quantities,
) -> LinkDescription:
    path: Path = ("links", index)
    before, joint, after = read_geometry(link, convention, path, quantities)
    if not joint.moves or joint.type.is_free:
        why = "has no axis" if joint.moves else "does not move"
        for name in ("motor", "friction", "limits", "mimic"):
            if getattr(link, name) is not None:
                quantities.faults.add(
                    (*path, name), f"a {joint.type.name} joint {why}: remove `{name}`"
                )
    return LinkDescription(
        name=link.name,
        parent=parent,
        before=before,
        joint=joint,
        after=after,
        inertial=_inertial(link, path, quantities),
        motor_inertia=_motor_inertia(link.motor, (*path, "motor"), quantities)
        if link.motor
        else ZERO,
        friction=read_friction(link.friction, joint.type, (*path, "friction"), quantities)
        if link.friction
        else None,
        limits=read_limits(link.limits, joint, (*path, "limits"), quantities)
        if link.limits
        else None,
    )


def _inertial(
    link: LinkSchema, path: Path, quantities: Quantities
) -> CentralInertia | OriginInertia:
    central = [name for name in ("com", "inertia") if getattr(link, name) is not None]
    about_origin = [
        name for name in ("first_moment", "inertia_about_origin") if getattr(link, name) is not None
    ]
    if central and about_origin:
        mixed = " and ".join(f"`{name}`" for name in central + about_origin)
        message = f"{mixed} are of two forms: give `com` and `inertia`, or `first_moment` and `inertia_about_origin`"
        quantities.faults.add((*path, about_origin[0]), message)
    if link.mass is None and not central and not about_origin:
        quantities.warn(path, "no inertial data, read as zero: write mass: 0 if that is meant")
    elif link.mass is None and link.com is not None:
        quantities.warn(
            path,
            "no mass, read as zero, and its com has no effect: write the mass, or remove the com",
        )
    mass = quantities.number(link.mass, (*path, "mass"))
    if mass and not about_origin:
        for name, meaning in (("com", "at the link's origin"), ("inertia", "zero, a point mass")):
            if getattr(link, name) is None:
                quantities.warn(
                    path,
                    f"mass without `{name}`, read as {meaning}: write {name}: [0, 0, 0] if that is meant",
                )
    if about_origin:
        first_moment = quantities.vector(link.first_moment, (*path, "first_moment"))
        return OriginInertia(
            mass,
            first_moment,
            quantities.tensor(link.inertia_about_origin, (*path, "inertia_about_origin")),
        )
    com = quantities.vector(link.com, (*path, "com"))
    return CentralInertia(mass, com, quantities.tensor(link.inertia, (*path, "inertia")))


def _motor_inertia(motor: MotorSchema, path: Path, quantities: Quantities) -> Exact:
    """Inertia reflected to the joint: the rotor's times the square of its gear ratio."""
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
        return quantities.number(motor.inertia, (*path, "inertia"))
    ratio = quantities.number(motor.gear_ratio, (*path, "gear_ratio"))
    inertia = quantities.number(motor.rotor_inertia, (*path, "rotor_inertia")) * ratio**2
    if abs(inertia) > Fraction(10) ** MAX_MAGNITUDE:
        quantities.faults.add(path, f"reflected to the joint this is beyond 1e{MAX_MAGNITUDE}")
    return inertia


Convention = Literal["modified", "standard"]

_Z: Vector = (ZERO, ZERO, ONE)


def read_geometry(
    link: LinkSchema, convention: Convention | None, path: Path, quantities: Quantities
) -> tuple[Displacement, Joint, Displacement]:
    """The steps in front of a link's joint, the joint, and the steps behind it; faults go to `quantities.faults`."""
    joint_type = JOINT_TYPES[link.joint]
    if joint_type.is_free:
        for name in ("origin", "dh", "axis", "pitch"):
            if getattr(link, name) is not None:
                quantities.faults.add(
                    (*path, name),
                    f"a floating link is where q says, in the base frame: remove `{name}`",
                )
        return (), Joint(joint_type), ()
    origin = quantities.placement(link.origin, (*path, "origin")) if link.origin else ()
    before, after = (
        _row(link.dh, joint_type, convention, (*path, "dh"), quantities) if link.dh else ((), ())
    )
    if link.dh is None and link.axis is None and (joint_type.moves or link.origin is None):
        choice = "`dh` (or `axis`, and `origin`)" if joint_type.moves else "`dh` or `origin`"
        quantities.faults.add(
            path, f"{choice} is missing: the step from the parent's frame", (*path, "dh")
        )
    axis, pitch = (
        _axis(link, joint_type, path, quantities),
        quantities.number(link.pitch, (*path, "pitch")),
    )
    joint = Joint(joint_type, axis, pitch)
    if link.mimic is not None:
        joint = _following(link.mimic, joint, (*path, "mimic"), quantities)
    if joint_type.has_pitch and link.pitch is None:
        message = (
            f"`pitch` is missing: translation of the {joint_type.name} joint per rotation, m/rad"
        )
        quantities.faults.add(path, message, (*path, "pitch"))
    elif link.pitch is not None and not joint_type.has_pitch:
        quantities.faults.add(
            (*path, "pitch"),
            f"a {joint_type.name} joint has no pitch: remove it, or write joint: helical",
        )
    return (*origin, *before), joint, after


def _row(
    dh: DenavitHartenbergSchema,
    joint: JointType,
    convention: Convention | None,
    path: Path,
    quantities: Quantities,
) -> tuple[Displacement, Displacement]:
    """The steps of a row in front of the joint and behind it. Only the joint variable's own offset has a default."""
    given = {"alpha": dh.alpha, "a": dh.a, "d": dh.d, "theta": dh.theta}
    variables = {"theta": joint.angular, "d": joint.linear}
    missing = [f"`{key}`" for key, text in given.items() if text is None and not variables.get(key)]
    if missing:
        needed = " and ".join(missing)
        quantities.faults.add(
            path,
            f"{needed} {'is' if len(missing) == 1 else 'are'} missing: write 0 where it is zero",
        )
    return row_steps(
        convention or "modified",
        alpha=quantities.angle(dh.alpha, (*path, "alpha")),
        a=quantities.length(dh.a, (*path, "a")),
        d=quantities.length(dh.d, (*path, "d")),
        theta=quantities.angle(dh.theta, (*path, "theta")),
    )


def row_steps(
    convention: Convention, alpha: Exact, a: Exact, d: Exact, theta: Exact
) -> tuple[Displacement, Displacement]:
    """The steps of a Denavit-Hartenberg row in front of its joint, which is along z, and behind it: rad and m."""
    about_x, along_x = Rotation(X, alpha, "alpha"), along(X, a, "a")
    about_z, along_z = Rotation(Z, theta, "theta"), along(Z, d, "d")
    if convention == "standard":
        return displacement(about_z, along_z), displacement(along_x, about_x)
    return displacement(about_x, along_x, about_z, along_z), ()


def _following(mimic: MimicSchema, joint: Joint, path: Path, quantities: Quantities) -> Joint:
    """The joint as one that follows another (mimic)."""
    read = quantities.angle if joint.type.angular else quantities.length
    ratio = quantities.number(mimic.ratio, (*path, "ratio"))
    if not ratio:
        quantities.faults.add(
            (*path, "ratio"),
            "a joint that does not move with the other is fixed: write joint: fixed",
        )
    return replace(
        joint, mimics=mimic.joint, ratio=ratio, offset=read(mimic.offset, (*path, "offset"))
    )


def _axis(link: LinkSchema, joint: JointType, path: Path, quantities: Quantities) -> Vector:
    """Direction of the joint's axis; z unless the link has another."""
    if link.axis is None:
        return _Z
    here = (*path, "axis")
    if link.dh is not None:
        quantities.faults.add(
            here,
            "the joint of a `dh` row is along z: remove `axis`, or write `origin` instead of `dh`",
        )
    elif not joint.moves:
        quantities.faults.add(here, f"a {joint.name} joint does not move: remove `axis`")
    axis = quantities.vector(link.axis, here)
    if not all(component.is_known for component in axis):
        quantities.faults.add(
            here, "an axis cannot depend on run-time parameters: remove `runtime`"
        )
    elif not any(axis):
        quantities.faults.add(here, "an axis needs a direction, found [0, 0, 0]")
    else:
        return axis
    return _Z


_MOST_ROTATIONS = 2  # from zero to either end: no joint of a robot with cables goes further
_FASTEST = 60  # rad/s: no joint of a robot is as fast; what degrees a second would mean is slower than 1 rad/s below it


def read_limits(limits: LimitsSchema, joint: Joint, path: Path, quantities: Quantities) -> Limits:
    """The limits of a joint, checked."""
    position: tuple[Exact, Exact] | None = None
    if limits.position is not None:
        low, high = (
            quantities.number(text, (*path, "position", i))
            for i, text in enumerate(limits.position)
        )
        if not low < high:
            quantities.faults.add((*path, "position"), "expected [low, high] with low < high")
        if joint.angular and max(abs(low), abs(high)) > _MOST_ROTATIONS * 2 * PI:
            degrees = ", ".join(f"deg({shown(text)})" for text in limits.position)
            quantities.warn(
                (*path, "position"),
                f"beyond {_MOST_ROTATIONS} rotations: for degrees write [{degrees}]",
            )
        position = low, high
    velocity = _positive(limits.velocity, (*path, "velocity"), quantities)
    if joint.angular and velocity is not None and velocity > _FASTEST:
        message = f"faster than {_FASTEST} rad/s: for degrees a second write deg({shown(limits.velocity or '')})"
        quantities.warn((*path, "velocity"), message)
    return Limits(position, velocity, _positive(limits.effort, (*path, "effort"), quantities))


def _positive(text: str | None, path: Path, quantities: Quantities) -> Exact | None:
    if text is None:
        return None
    number = quantities.number(text, path)
    if not number > ZERO:
        quantities.faults.add(path, f"expected a positive number, found `{shown(text)}`")
    return number


_DIMENSIONS = {"journal": ("radius", "length"), "linear": ("length",), "thrust": ("radius",)}


def read_friction(
    friction: FrictionSchema, joint: JointType, path: Path, quantities: Quantities
) -> Friction:
    """The friction of a joint; faults go to `quantities.faults`."""
    forward, backward = _coulomb(friction.coulomb, (*path, "coulomb"), quantities)
    stribeck = None
    if friction.stribeck is not None:
        inside = (*path, "stribeck")
        static = quantities.number(friction.stribeck.static, (*inside, "static"))
        stribeck = Stribeck(
            static,
            _required_positive(friction.stribeck.velocity, (*inside, "velocity"), quantities),
        )
    width = ZERO
    if friction.sign != "exact":
        width = _required_positive(friction.width, (*path, "width"), quantities)
    elif friction.width is not None:
        quantities.faults.add(
            (*path, "width"),
            "goes with `sign: tanh` or `sign: linear`: remove it, or choose one of them",
        )
    bearings = [
        _bearing(bearing, joint, (*path, "bearings", index), quantities)
        for index, bearing in enumerate(friction.bearings)
    ]
    transmission = friction.transmission
    return Friction(
        viscous=quantities.number(friction.viscous, (*path, "viscous")),
        coulomb=forward,
        coulomb_negative=backward,
        offset=quantities.number(friction.offset, (*path, "offset")),
        stribeck=stribeck,
        sign=friction.sign,
        width=width,
        bearings=tuple(bearings),
        transmission=_transmission(transmission, (*path, "transmission"), quantities)
        if transmission
        else None,
    )


def _coulomb(
    coulomb: str | CoulombSchema | None, path: Path, quantities: Quantities
) -> tuple[Exact, Exact | None]:
    """Coulomb friction against positive and against negative rates; the second is None if both are equal."""
    if not isinstance(coulomb, CoulombSchema):
        return quantities.number(coulomb, path), None
    return (
        quantities.number(coulomb.positive, (*path, "positive")),
        quantities.number(coulomb.negative, (*path, "negative")),
    )


def _bearing(
    bearing: BearingSchema, joint: JointType, path: Path, quantities: Quantities
) -> Bearing:
    rotates = bearing.type != "linear"
    if rotates != bool(joint.angular):
        expected = "journal or thrust" if joint.angular else "linear"
        quantities.faults.add(
            (*path, "type"),
            f"a {joint.name} joint takes a {expected} bearing, found `{bearing.type}`",
        )
    lengths = {}
    for name in ("radius", "length"):
        text, here = getattr(bearing, name), (*path, name)
        if name in _DIMENSIONS[bearing.type]:
            lengths[name] = _required_positive(text, here, quantities)
        elif text is not None:
            quantities.faults.add(here, f"a {bearing.type} bearing has no `{name}`: remove it")
    if bearing.type == "thrust" and bearing.centre is not None:
        quantities.faults.add(
            (*path, "centre"),
            "the friction of a thrust bearing does not depend on its place: remove it",
        )
    return Bearing(
        kind=bearing.type,
        coefficient=quantities.number(bearing.coefficient, (*path, "coefficient")),
        radius=lengths.get("radius", ZERO),
        length=lengths.get("length", ZERO),
        centre=quantities.number(bearing.centre, (*path, "centre")),
    )


def _transmission(
    transmission: TransmissionSchema, path: Path, quantities: Quantities
) -> Transmission:
    breakaway = quantities.number(transmission.breakaway, (*path, "breakaway"))
    inside = (*path, "efficiency")
    if isinstance(transmission.efficiency, str):
        points = [(ZERO, quantities.number(transmission.efficiency, inside))]
        rated = ONE
        if transmission.rated is not None:
            quantities.faults.add(
                (*path, "rated"), "a constant efficiency does not depend on the load: remove it"
            )
    else:
        numbers = [
            [quantities.number(text, (*inside, row, column)) for column, text in enumerate(texts)]
            for row, texts in enumerate(transmission.efficiency)
        ]
        points = [(load, efficiency) for load, efficiency in numbers]
        rated = _required_positive(transmission.rated, (*path, "rated"), quantities)
        if len(points) < 2:
            quantities.faults.add(
                inside,
                f"expected a number or at least two points [load / rated, efficiency], found {len(points)}",
            )
            points = [(ZERO, ONE)]
    for row, (load, efficiency) in enumerate(points):
        where = inside if len(points) == 1 else (*inside, row)
        if not (load.is_known and efficiency.is_known):
            quantities.faults.add(
                where, "an efficiency cannot depend on run-time parameters: remove `runtime`"
            )
        elif not 0 < efficiency <= 1:
            quantities.faults.add(
                where, f"an efficiency is more than 0 and at most 1, found {float(efficiency):.6g}"
            )
        if load < 0 or (row and not load > points[row - 1][0]):
            quantities.faults.add(where, "loads start at 0 or above and ascend from point to point")
    return Transmission(breakaway, rated, tuple(points), transmission.interpolation)


def _required_positive(text: str | None, path: Path, quantities: Quantities) -> Exact:
    """A number above zero; one where a number is missing or is not, so that nothing divides by zero."""
    value = quantities.number(text, path)
    if text is None:
        quantities.faults.add(path[:-1], f"`{path[-1]}` is missing: a positive number", path)
    elif not value > 0:
        quantities.faults.add(path, f"expected a positive number, found `{shown(text)}`")
    return value if value > 0 else ONE
