"""Writing of robot descriptions as URDF; reading the written text yields the same robot.

In a URDF, the frame of a link is the frame that its joint moves. If a description has a
displacement after a joint, as in standard Denavit-Hartenberg tables, a link without mass is added.
The joint moves the frame of the added link, and the original link is fixed to this frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from xml.sax.saxutils import quoteattr

from dynagen.errors import UsageError
from dynagen.numbers.exact import ZERO, Exact
from dynagen.robot.description import (
    CentralInertia,
    Friction,
    Limits,
    LinkDescription,
    OriginInertia,
    RobotDescription,
    convert_to_central_inertia,
)
from dynagen.robot.formats.placements import WrittenRobot, convert_to_origin, split_joint_frames
from dynagen.robot.joints import FLOATING, PRISMATIC, REVOLUTE
from dynagen.robot.literals import format_decimal
from dynagen.robot.names import make_identifier
from dynagen.robot.pose import Displacement

_BASE = "base"
_SIMPLE = "transmission_interface/SimpleTransmission"


@dataclass(frozen=True)
class _WrittenLink:
    """A link in the written file, and the joint that connects it to its parent.

    Attributes:
        before: displacement from the parent's frame to the joint.
        inertial: inertial data; None for a link that represents a named frame.
        moved: the described link, whose joint moves; None for a fixed joint.
    """

    name: str
    parent: str
    joint_name: str
    before: Displacement
    inertial: CentralInertia | None = None
    moved: LinkDescription | None = None


def write_urdf(description: RobotDescription) -> WrittenRobot:
    """Write a description as URDF.

    Finite decimals are written exactly, multiples of pi/12 with the digits of double precision, and
    other numbers with 30 digits. URDF has no element for gravity: readers use their own value.

    Raises:
        UsageError: URDF cannot express the whole robot; the message lists the unsupported features.
    """
    if unsupported := "; ".join(_list_unsupported(description)):
        raise UsageError(
            f"URDF cannot express all of {description.name}: {unsupported}. Write YAML instead"
        )
    named = [
        replace(link, joint=replace(link.joint, name=link.joint.name or f"{link.name}_joint"))
        for link in description.links
    ]
    joints = tuple(link.joint.name for link in named if link.joint.moves)
    description = split_joint_frames(replace(description, links=tuple(named)))
    root, links = _find_root(description), tuple(_list_links(description))
    motors = [link for link in description.links if link.motor_inertia]
    drake = ' xmlns:drake="https://drake.mit.edu"' if motors else ""
    names = [root.name if root else _BASE, *(link.name for link in links)]
    if len(set(map(make_identifier, names))) < len(names):
        raise UsageError(
            f"{description.name}: two links or frames would have the same name in the URDF; "
            "rename one"
        )
    lines = [
        '<?xml version="1.0"?>',
        f"<robot name={quoteattr(description.name)}{drake}>",
        *_write_link(names[0], None if root is None else convert_to_central_inertia(root.inertial)),
    ]
    for link in links:
        lines += [*_write_link(link.name, link.inertial), *_write_joint(link, description.links)]
    for motor_link in motors:
        lines += _write_transmission(motor_link)
    return WrittenRobot("\n".join([*lines, "</robot>"]) + "\n", joints)


def _list_unsupported(description: RobotDescription) -> Iterator[str]:
    if description.payload:
        yield "it has a payload with run-time parameters"
    own = [
        parameter.name
        for parameter in description.parameters
        if parameter.name not in description.payload
    ]
    if own and any(map(_has_parameters, description.links)):
        plural = "s" if len(own) > 1 else ""
        yield f"its numbers depend on the run-time parameter{plural} {', '.join(own)}"
    if description.couplings:
        yield "it has motors that move several joints together (`couplings`)"
    if description.external_wrenches:
        yield "it has external wrenches as inputs (`external_wrench`)"
    if description.contact_forces:
        yield "it has contact forces as inputs (`contact_force`)"
    for link in description.links:
        where = f"link {link.name}"
        if link.joint.moves and link.joint.type not in (REVOLUTE, PRISMATIC, FLOATING):
            yield f"{where} has a {link.joint.type.name} joint"
        if link.elasticity is not None:
            yield f"{where} has an elastic joint"
        if link.friction is not None and link.friction != Friction(
            link.friction.viscous, link.friction.coulomb
        ):
            yield f"{where} has friction other than viscous and Coulomb friction"
        if (
            isinstance(link.inertial, OriginInertia)
            and not link.inertial.mass
            and any(link.inertial.first_moment)
        ):
            yield f"{where} has a first moment without mass"


def _has_parameters(data: object) -> bool:
    """Return whether any number in the data depends on a run-time parameter."""
    if isinstance(data, Exact):
        return not data.is_known
    if is_dataclass(data):
        return any(_has_parameters(getattr(data, field.name)) for field in fields(data))
    return isinstance(data, tuple) and any(map(_has_parameters, data))


def _find_root(description: RobotDescription) -> LinkDescription | None:
    """Return the only link without parent if it is fixed at the base frame, else None."""
    on_base = [link for link in description.links if link.parent is None]
    first = on_base[0]
    is_base = len(on_base) == 1 and not (first.joint.moves or first.before or first.after)
    return first if is_base else None


def _list_links(description: RobotDescription) -> Iterator[_WrittenLink]:
    """Yield all links except the root, parents first, and links for the named frames."""
    root = _find_root(description)
    for link in description.links:
        if link is root:
            continue
        steps, inertia = (*link.before, *link.after), convert_to_central_inertia(link.inertial)
        moved = link if link.joint.moves else None
        yield _WrittenLink(
            link.name,
            link.parent or _BASE,
            link.joint.name or f"{link.name}_frame",
            steps,
            inertia,
            moved,
        )
    for frame in description.frames:
        if frame.name != frame.link or frame.placement:
            yield _WrittenLink(frame.name, frame.link, f"{frame.name}_frame", frame.placement)


def _write_link(name: str, inertial: CentralInertia | None) -> Iterator[str]:
    if inertial is None or not any((inertial.mass, *inertial.inertia)):
        yield f"  <link name={quoteattr(name)}/>"
        return
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    mass = _write_attributes({"value": inertial.mass})
    elements = _write_attributes(dict(zip(keys, inertial.inertia, strict=True)))
    yield f"  <link name={quoteattr(name)}>"
    yield f'    <inertial><origin xyz="{_write_numbers(inertial.com)}"/><mass {mass}/>'
    yield f"      <inertia {elements}/></inertial>"
    yield "  </link>"


def _write_joint(written: _WrittenLink, links: Sequence[LinkDescription]) -> Iterator[str]:
    origin, link = convert_to_origin(written.before), written.moved
    position = link.limits.position if link and link.limits else None
    kind = "fixed" if link is None else link.joint.type.name
    kind = "continuous" if kind == REVOLUTE.name and position is None else kind
    yield f'  <joint name={quoteattr(written.joint_name)} type="{kind}">'
    yield f"    <parent link={quoteattr(written.parent)}/><child link={quoteattr(written.name)}/>"
    if origin:
        yield f'    <origin xyz="{_write_numbers(origin.xyz)}" rpy="{_write_numbers(origin.rpy)}"/>'
    if link is not None and not link.joint.type.is_free:
        joint = link.joint
        yield f'    <axis xyz="{_write_numbers(joint.axis)}"/>'
        if link.limits is not None or kind == "prismatic":
            yield f"    <limit {_write_limits(link)}/>"
        if link.friction is not None:
            viscous, coulomb = link.friction.viscous, link.friction.coulomb
            yield f"    <dynamics {_write_attributes({'damping': viscous, 'friction': coulomb})}/>"
        if joint.mimics:
            (leader,) = (other.joint.name for other in links if other.name == joint.mimics)
            numbers = _write_attributes({"multiplier": joint.ratio, "offset": joint.offset})
            yield f"    <mimic joint={quoteattr(leader)} {numbers}/>"
    yield "  </joint>"


def _write_limits(link: LinkDescription) -> str:
    """Return the attributes of <limit>; zero effort or velocity means that there is no limit."""
    limits = link.limits or Limits()
    ends = (
        {}
        if limits.position is None
        else dict(zip(("lower", "upper"), limits.position, strict=True))
    )
    values = {**ends, "effort": limits.effort or ZERO, "velocity": limits.velocity or ZERO}
    return _write_attributes(values)


def _write_transmission(link: LinkDescription) -> Iterator[str]:
    """Yield a <transmission> with the reflected motor inertia, in Drake's extension of URDF."""
    yield f"  <transmission name={quoteattr(f'{link.name}_transmission')}><type>{_SIMPLE}</type>"
    motor, inertia = f"{link.name}_motor", format_decimal(link.motor_inertia)
    yield f"    <joint name={quoteattr(link.joint.name)}/><actuator name={quoteattr(motor)}>"
    yield (
        f'      <drake:rotor_inertia value="{inertia}"/><drake:gear_ratio value="1"/></actuator>'
    )
    yield "  </transmission>"


def _write_attributes(values: Mapping[str, Exact]) -> str:
    return " ".join(f'{name}="{format_decimal(value)}"' for name, value in values.items())


def _write_numbers(numbers: Sequence[Exact]) -> str:
    return " ".join(map(format_decimal, numbers))
