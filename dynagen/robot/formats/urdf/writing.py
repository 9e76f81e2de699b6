"""RobotDescription -> the text of a URDF that says the same: what `read_urdf` reads backwards.

The frame of a URDF's link is that in which its joint moves. Where a link's frame stands behind its joint, as in standard
Denavit-Hartenberg tables, a link without mass stands in the joint's frame, and the link is fixed to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    central_inertia,
)
from dynagen.robot.formats.placements import Written, origin_of, split_joint_frames
from dynagen.robot.joints import FLOATING, PRISMATIC, REVOLUTE
from dynagen.robot.literals import format_decimal
from dynagen.robot.names import identifier
from dynagen.robot.pose import Displacement

_BASE = "base"
_SIMPLE = "transmission_interface/SimpleTransmission"


@dataclass(frozen=True)
class _Hanging:
    """A link of the file and the joint that it hangs on; `moved` is the link that moves there, if it does."""

    name: str
    parent: str
    joint_name: str
    before: Displacement
    inertial: CentralInertia | None = None
    moved: LinkDescription | None = None


def write_urdf(description: RobotDescription) -> Written:
    """The text of a URDF.

    Numbers are exactly those of the description where they are decimals, else good to 30 digits; multiples of pi/12 have the
    digits of double precision, by which they are known again. URDF has no gravity: whoever reads the file takes its own.

    Raises:
        UsageError: the robot has what URDF cannot say; tells all of it.
    """
    if unsaid := tuple(_unsaid(description)):
        raise UsageError(
            f"URDF cannot say all of {description.name}: {'; '.join(unsaid)}. Write YAML instead"
        )
    named = [
        replace(link, joint=replace(link.joint, name=link.joint.name or f"{link.name}_joint"))
        for link in description.links
    ]
    joints = tuple(link.joint.name for link in named if link.joint.moves)
    description = split_joint_frames(replace(description, links=tuple(named)))
    root, hanging = _root(description), tuple(_hanging(description))
    motors = [link for link in description.links if link.motor_inertia]
    drake = ' xmlns:drake="https://drake.mit.edu"' if motors else ""
    names = [root.name if root else _BASE, *(each.name for each in hanging)]
    if len(set(map(identifier, names))) < len(names):
        raise UsageError(
            f"{description.name}: two links or frames would have the same name in the URDF; rename one"
        )
    lines = [
        '<?xml version="1.0"?>',
        f"<robot name={quoteattr(description.name)}{drake}>",
        *_link(names[0], None if root is None else central_inertia(root.inertial)),
    ]
    for each in hanging:
        lines += [*_link(each.name, each.inertial), *_joint(each, description.links)]
    for link in motors:
        lines += _transmission(link)
    return Written("\n".join([*lines, "</robot>"]) + "\n", joints)


def _unsaid(description: RobotDescription) -> Iterator[str]:
    if description.payload:
        yield "a payload comes at run time"
    own = [
        parameter.name
        for parameter in description.parameters
        if parameter.name not in description.payload
    ]
    if own and any(map(_depends, description.links)):
        yield f"numbers depend on the run-time parameter{'s' if len(own) > 1 else ''} {', '.join(own)}"
    if description.external_wrenches:
        yield "an external wrench is an input"
    for link in description.links:
        where = f"link {link.name}"
        if link.joint.moves and link.joint.type not in (REVOLUTE, PRISMATIC, FLOATING):
            yield f"{where} has a {link.joint.type.name} joint"
        if link.friction is not None and link.friction != Friction(
            link.friction.viscous, link.friction.coulomb
        ):
            yield f"{where} has friction that is more than viscous and Coulomb friction"
        if (
            isinstance(link.inertial, OriginInertia)
            and not link.inertial.mass
            and any(link.inertial.first_moment)
        ):
            yield f"{where} has a first moment without mass"


def _depends(data: object) -> bool:
    """Whether a number anywhere in it depends on a run-time parameter."""
    if isinstance(data, Exact):
        return not data.is_known
    if is_dataclass(data):
        return any(_depends(getattr(data, field.name)) for field in fields(data))
    return isinstance(data, tuple) and any(map(_depends, data))


def _root(description: RobotDescription) -> LinkDescription | None:
    """The one link that the base is, if there is such a link."""
    on_base = [link for link in description.links if link.parent is None]
    first = on_base[0]
    is_base = len(on_base) == 1 and not (first.joint.moves or first.before or first.after)
    return first if is_base else None


def _hanging(description: RobotDescription) -> Iterator[_Hanging]:
    """The links of the file but the root, parents first, with links for named frames."""
    root = _root(description)
    for link in description.links:
        if link is root:
            continue
        steps, inertia = (*link.before, *link.after), central_inertia(link.inertial)
        moved = link if link.joint.moves else None
        yield _Hanging(
            link.name,
            link.parent or _BASE,
            link.joint.name or f"{link.name}_frame",
            steps,
            inertia,
            moved,
        )
    for frame in description.frames:
        if frame.name != frame.link or frame.placement:
            yield _Hanging(frame.name, frame.link, f"{frame.name}_frame", frame.placement)


def _link(name: str, inertial: CentralInertia | None) -> Iterator[str]:
    if inertial is None or not any((inertial.mass, *inertial.inertia)):
        yield f"  <link name={quoteattr(name)}/>"
        return
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    elements = " ".join(
        f'{key}="{format_decimal(number)}"'
        for key, number in zip(keys, inertial.inertia, strict=True)
    )
    yield f"  <link name={quoteattr(name)}>"
    yield f'    <inertial><origin xyz="{_numbers(inertial.com)}"/><mass value="{format_decimal(inertial.mass)}"/>'
    yield f"      <inertia {elements}/></inertial>"
    yield "  </link>"


def _joint(hanging: _Hanging, links: Sequence[LinkDescription]) -> Iterator[str]:
    origin, link = origin_of(hanging.before), hanging.moved
    position = link.limits.position if link and link.limits else None
    kind = "fixed" if link is None else link.joint.type.name
    kind = "continuous" if kind == REVOLUTE.name and position is None else kind
    yield f'  <joint name={quoteattr(hanging.joint_name)} type="{kind}">'
    yield f"    <parent link={quoteattr(hanging.parent)}/><child link={quoteattr(hanging.name)}/>"
    if origin:
        yield f'    <origin xyz="{_numbers(origin.xyz)}" rpy="{_numbers(origin.rpy)}"/>'
    if link is not None and not link.joint.type.is_free:
        joint = link.joint
        yield f'    <axis xyz="{_numbers(joint.axis)}"/>'
        if link.limits is not None or kind == "prismatic":
            yield f"    <limit {_limits(link)}/>"
        if link.friction is not None:
            yield f'    <dynamics damping="{format_decimal(link.friction.viscous)}" friction="{format_decimal(link.friction.coulomb)}"/>'
        if joint.mimics:
            (leader,) = (each.joint.name for each in links if each.name == joint.mimics)
            numbers = f'multiplier="{format_decimal(joint.ratio)}" offset="{format_decimal(joint.offset)}"'
            yield f"    <mimic joint={quoteattr(leader)} {numbers}/>"
    yield "  </joint>"


def _limits(link: LinkDescription) -> str:
    """What readers of URDF expect; an effort or a velocity of zero is taken for none."""
    limits = link.limits or Limits()
    ends = (
        {}
        if limits.position is None
        else dict(zip(("lower", "upper"), limits.position, strict=True))
    )
    values = {**ends, "effort": limits.effort or ZERO, "velocity": limits.velocity or ZERO}
    return " ".join(f'{name}="{format_decimal(value)}"' for name, value in values.items())


def _transmission(link: LinkDescription) -> Iterator[str]:
    """The inertia of the motor, reflected to the joint, as Drake has it."""
    yield f"  <transmission name={quoteattr(f'{link.name}_transmission')}><type>{_SIMPLE}</type>"
    yield f"    <joint name={quoteattr(link.joint.name)}/><actuator name={quoteattr(f'{link.name}_motor')}>"
    yield f'      <drake:rotor_inertia value="{format_decimal(link.motor_inertia)}"/><drake:gear_ratio value="1"/></actuator>'
    yield "  </transmission>"


def _numbers(numbers: Sequence[Exact]) -> str:
    return " ".join(map(format_decimal, numbers))
