"""RobotDescription -> the text of a URDF that says the same: what `read_urdf` reads backwards.

The frame of a URDF's link is that in which its joint moves. Where a link's own frame stands behind its joint, as in standard
Denavit-Hartenberg tables, a link without mass stands in the joint's frame, and the link is fixed to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from xml.sax.saxutils import quoteattr

from dynagen.description.description import CentralInertia, Friction, Limits, LinkDescription, OriginInertia, RobotDescription
from dynagen.description.displacement import Displacement
from dynagen.description.inertia import central_inertia
from dynagen.description.joints import PRISMATIC, REVOLUTE, Joint
from dynagen.description.literals import decimal
from dynagen.description.names import identifier
from dynagen.description.patterns import origin_of
from dynagen.errors import UsageError
from dynagen.numbers.exact import ZERO, Exact

_BASE = "base"
_MOVING = "_joint_frame"
_SIMPLE = "transmission_interface/SimpleTransmission"


@dataclass(frozen=True)
class _Hanging:
    """A link of the file and the joint that it hangs on."""

    name: str
    parent: str
    joint_name: str
    before: Displacement
    joint: Joint | None = None
    inertial: CentralInertia | None = None
    moved: LinkDescription | None = None


def joint_name_of(link: LinkDescription) -> str:
    """What the joint of a link is called in the file."""
    return link.joint.name or f"{link.name}_joint"


def write_urdf(description: RobotDescription) -> str:
    """The text of a URDF.

    Numbers are exactly those of the description where they are decimals, else good to 30 digits; multiples of pi/12 have the
    digits of double precision, by which they are known again. URDF has no gravity: whoever reads the file takes its own.

    Raises:
        UsageError: the robot has what URDF cannot say; tells all of it.
    """
    if unsaid := tuple(_unsaid(description)):
        raise UsageError(f"URDF cannot say all of {description.name}: {'; '.join(unsaid)}. Write YAML instead")
    root, hanging = _root(description), tuple(_hanging(description))
    motors = [link for link in description.links if link.motor_inertia]
    drake = ' xmlns:drake="https://drake.mit.edu"' if motors else ""
    names = [root.name if root else _BASE, *(each.name for each in hanging)]
    if len(set(map(identifier, names))) < len(names):
        raise UsageError(f"{description.name}: two links or frames would have the same name in the URDF; rename one")
    lines = [
        '<?xml version="1.0"?>',
        f"<robot name={quoteattr(description.name)}{drake}>",
        *_link(names[0], None if root is None else central_inertia(root.inertial)),
    ]
    for each in hanging:
        lines += [*_link(each.name, each.inertial), *_joint(each, description.links)]
    for link in motors:
        lines += _transmission(link)
    return "\n".join([*lines, "</robot>"]) + "\n"


def _unsaid(description: RobotDescription) -> Iterator[str]:
    if description.payload:
        yield "a payload comes at run time"
    own = [parameter.name for parameter in description.parameters if parameter.name not in description.payload]
    if own and any(map(_depends, description.links)):
        yield f"numbers depend on the run-time parameter{'s' if len(own) > 1 else ''} {', '.join(own)}"
    if description.external_wrench is not None:
        yield "an external wrench is an input"
    for link in description.links:
        where = f"link {link.name}"
        if link.joint.moves and link.joint.type not in (REVOLUTE, PRISMATIC):
            yield f"{where} has a {link.joint.type.name} joint"
        if link.friction is not None and link.friction != Friction(link.friction.viscous, link.friction.coulomb):
            yield f"{where} has friction that is more than viscous and Coulomb friction"
        if isinstance(link.inertial, OriginInertia) and not link.inertial.mass and any(link.inertial.first_moment):
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
        parent, joint, inertia = link.parent or _BASE, joint_name_of(link), central_inertia(link.inertial)
        if not link.joint.moves:
            yield _Hanging(link.name, parent, joint, (*link.before, *link.after), inertial=inertia)
        elif not link.after:
            yield _Hanging(link.name, parent, joint, link.before, link.joint, inertia, link)
        else:
            yield _Hanging(link.name + _MOVING, parent, joint, link.before, link.joint, None, link)
            yield _Hanging(link.name, link.name + _MOVING, f"{link.name}_frame", link.after, inertial=inertia)
    for frame in description.frames:
        if frame.name != frame.link or frame.placement:
            yield _Hanging(frame.name, frame.link, f"{frame.name}_frame", frame.placement)


def _link(name: str, inertial: CentralInertia | None) -> Iterator[str]:
    if inertial is None or not any((inertial.mass, *inertial.inertia)):
        yield f"  <link name={quoteattr(name)}/>"
        return
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    elements = " ".join(f'{key}="{decimal(number)}"' for key, number in zip(keys, inertial.inertia, strict=True))
    yield f"  <link name={quoteattr(name)}>"
    yield f'    <inertial><origin xyz="{_numbers(inertial.com)}"/><mass value="{decimal(inertial.mass)}"/>'
    yield f"      <inertia {elements}/></inertial>"
    yield "  </link>"


def _joint(hanging: _Hanging, links: Sequence[LinkDescription]) -> Iterator[str]:
    origin, joint, link = origin_of(hanging.before), hanging.joint, hanging.moved
    position = link.limits.position if link and link.limits else None
    kind = "fixed" if joint is None else "continuous" if joint.type is REVOLUTE and position is None else joint.type.name
    yield f'  <joint name={quoteattr(hanging.joint_name)} type="{kind}">'
    yield f"    <parent link={quoteattr(hanging.parent)}/><child link={quoteattr(hanging.name)}/>"
    if origin:
        yield f'    <origin xyz="{_numbers(origin.xyz)}" rpy="{_numbers(origin.rpy)}"/>'
    if joint is not None and link is not None:
        yield f'    <axis xyz="{_numbers(joint.axis)}"/>'
        if link.limits is not None or kind == "prismatic":
            yield f"    <limit {_limits(link)}/>"
        if link.friction is not None:
            yield f'    <dynamics damping="{decimal(link.friction.viscous)}" friction="{decimal(link.friction.coulomb)}"/>'
        if joint.mimics:
            (leader,) = (joint_name_of(each) for each in links if each.name == joint.mimics)
            numbers = f'multiplier="{decimal(joint.ratio)}" offset="{decimal(joint.offset)}"'
            yield f"    <mimic joint={quoteattr(leader)} {numbers}/>"
    yield "  </joint>"


def _limits(link: LinkDescription) -> str:
    """What readers of URDF expect; an effort or a velocity of zero is taken for none."""
    limits = link.limits or Limits()
    ends = {} if limits.position is None else dict(zip(("lower", "upper"), limits.position, strict=True))
    values = {**ends, "effort": limits.effort or ZERO, "velocity": limits.velocity or ZERO}
    return " ".join(f'{name}="{decimal(value)}"' for name, value in values.items())


def _transmission(link: LinkDescription) -> Iterator[str]:
    """The inertia of the motor, reflected to the joint, as Drake has it."""
    yield f"  <transmission name={quoteattr(f'{link.name}_transmission')}><type>{_SIMPLE}</type>"
    yield f"    <joint name={quoteattr(joint_name_of(link))}/><actuator name={quoteattr(f'{link.name}_motor')}>"
    yield f'      <drake:rotor_inertia value="{decimal(link.motor_inertia)}"/><drake:gear_ratio value="1"/></actuator>'
    yield "  </transmission>"


def _numbers(numbers: Sequence[Exact]) -> str:
    return " ".join(map(decimal, numbers))
