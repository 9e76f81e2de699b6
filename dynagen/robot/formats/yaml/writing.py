"""Write a RobotDescription as YAML that reads back as the same robot.

RobotDescription -> the text of a YAML file that says the same: what `read_yaml` reads backwards.

The friction of a joint -> the text of its mapping in YAML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from dynagen.numbers.exact import Exact
from dynagen.robot.description import (
    Bearing,
    CentralInertia,
    Friction,
    LinkDescription,
    NamedFrame,
    OriginInertia,
    RobotDescription,
    Tensor,
    Transmission,
)
from dynagen.robot.edits import PAYLOAD
from dynagen.robot.formats.placements import (
    Origin,
    Row,
    Written,
    origin_of,
    row_of,
    split_joint_frames,
)
from dynagen.robot.formats.yaml.links import Convention
from dynagen.robot.literals import format_angle, format_arithmetic
from dynagen.robot.names import identifier

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_NOT_TEXT = re.compile(r"(?i:true|false|null|yes|no|on|off|y|n)")


def write_yaml(description: RobotDescription) -> Written:
    """The text of a description.

    Numbers are those of the description, exactly; where they are approximations themselves (directions that angles in general
    position lead to), to 30 digits. What stands behind a joint and is not of a row is a link of its own.
    """
    convention = _convention(description)
    description = split_joint_frames(
        _without_base(description), lambda link: _row(link, convention) is not None
    )
    links = [
        link for link in description.links if not (description.payload and link.name == PAYLOAD)
    ]
    lines = [
        f"name: {_text(description.name)}",
        *([f"source: {_text(description.source)}"] if description.source else []),
        *([f"convention: {convention}"] if convention else []),
        f"gravity: {_list(description.gravity)}",
        *_parameters(description),
        "links:",
    ]
    before: str | None = None
    for link in links:
        lines += ["", *_link(link, before, convention)]
        before = link.name
    if description.payload:
        (carrier,) = (link.parent for link in description.links if link.name == PAYLOAD)
        lines += ["", f"payload: {_text(carrier or '')}"]
    if wrenches := [*map(_text, description.external_wrenches)]:
        lines += [
            "",
            f"external_wrench: {wrenches[0] if len(wrenches) == 1 else '[' + ', '.join(wrenches) + ']'}",
        ]
    if description.frames:
        lines += ["", "frames:", *map(_frame, description.frames)]
    return Written("\n".join(lines) + "\n", tuple(link.name for link in links if link.joint.moves))


def _without_base(description: RobotDescription) -> RobotDescription:
    """The robot with another name for a link called `base`, which means the robot's base here; its frame keeps the name."""
    names = {link.name: link.name for link in description.links}
    for name in [name for name in names if identifier(name) == "base"]:
        names[name] = next(
            new for new in (f"base_{n}" for n in count(1)) if new not in map(identifier, names)
        )
    if all(name == new for name, new in names.items()):
        return description
    links = tuple(
        replace(
            link,
            name=names[link.name],
            parent=link.parent and names[link.parent],
            joint=replace(link.joint, mimics=link.joint.mimics and names[link.joint.mimics]),
        )
        for link in description.links
    )
    return replace(
        description,
        links=links,
        frames=tuple(replace(each, link=names[each.link]) for each in description.frames),
    )


def _convention(description: RobotDescription) -> Convention | None:
    """The convention whose rows the file had."""
    conventions: tuple[Convention, ...] = ("modified", "standard")
    return next((each for each in conventions if description.notation.startswith(each)), None)


def _parameters(description: RobotDescription) -> Iterator[str]:
    own = [
        parameter
        for parameter in description.parameters
        if parameter.name not in description.payload
    ]
    if own:
        yield "parameters:"
    for parameter in own:
        unit = f", unit: {_text(parameter.unit)}" if parameter.unit else ""
        yield f"  {parameter.name}: {{value: {format_arithmetic(parameter.value)}{unit}, runtime: true}}"


def _link(
    link: LinkDescription, before: str | None, convention: Convention | None
) -> Iterator[str]:
    comment = (
        f"  # joint {' '.join(link.joint.name.split())}" if link.joint.name else ""
    )  # in one line
    yield f"  - name: {_text(link.name)}{comment}"
    if link.parent != before:
        yield f"    parent: {_text(link.parent or 'base')}"
    yield f"    joint: {link.joint.type.name}"
    yield from (f"    {line}" for line in _geometry(link, convention))
    if link.joint.type.has_pitch:
        yield f"    pitch: {format_arithmetic(link.joint.pitch)}"
    if link.joint.mimics:
        read = format_angle if link.joint.type.angular else format_arithmetic
        offset = f", offset: {read(link.joint.offset)}" if link.joint.offset else ""
        yield f"    mimic: {{joint: {_text(link.joint.mimics)}, ratio: {format_arithmetic(link.joint.ratio)}{offset}}}"
    yield from (f"    {_remarked(line, link)}" for line in _forces(link))
    if link.limits is not None and (limits := ", ".join(_limits(link))):
        yield f"    limits: {{{limits}}}"


def _remarked(line: str, link: LinkDescription) -> str:
    """A line with the remark on the numbers of its key, if there is one, as a comment."""
    remark = dict(link.remarks).get(line.partition(":")[0])
    return f"{line}  # {' '.join(remark.split())}" if remark else line


def _forces(link: LinkDescription) -> Iterator[str]:
    """The keys that decide forces: inertia, motor and friction."""
    yield from _inertial(link.inertial)
    if link.motor_inertia:
        yield f"motor: {{inertia: {format_arithmetic(link.motor_inertia)}}}"
    if link.friction is not None:
        yield f"friction: {friction_text(link.friction)}"


def _geometry(link: LinkDescription, convention: Convention | None) -> Iterator[str]:
    """`origin`, and `dh` or `axis`."""
    joint = link.joint
    if joint.type.is_free:
        return
    row = _row(link, convention)
    if row is not None:
        if row.origin:
            yield f"origin: {_origin(row.origin)}"
        optional = {"theta": row.theta} if joint.angular else {"d": row.d} if joint.linear else {}
        rest = {"d": row.d, "theta": row.theta}
        numbers = {
            "alpha": row.alpha,
            "a": row.a,
            **{key: rest[key] for key in rest if rest[key] or key not in optional},
        }
        yield f"dh: {{{', '.join(f'{key}: {_dh(key, number)}' for key, number in numbers.items())}}}"
        return
    origin = origin_of((*link.before, *link.after))
    if origin or not joint.moves:
        yield f"origin: {_origin(origin)}"
    if joint.moves:
        yield f"axis: {_list(joint.axis)}"


def _row(link: LinkDescription, convention: Convention | None) -> Row | None:
    """The link as an origin and a row of the convention; None where it is none."""
    x, y, z = link.joint.axis
    is_along_z = not (x or y) and z > 0
    return (
        row_of(link.before, link.after, convention)
        if convention and (is_along_z or not link.joint.moves)
        else None
    )


def _dh(key: str, number: Exact) -> str:
    return format_angle(number) if key in ("alpha", "theta") else format_arithmetic(number)


def _origin(origin: Origin) -> str:
    parts = [f"xyz: {_list(origin.xyz)}"] if any(origin.xyz) or not any(origin.rpy) else []
    parts += [f"rpy: [{', '.join(map(format_angle, origin.rpy))}]"] if any(origin.rpy) else []
    return f"{{{', '.join(parts)}}}"


def _inertial(inertial: CentralInertia | OriginInertia) -> Iterator[str]:
    yield f"mass: {format_arithmetic(inertial.mass)}"
    if isinstance(inertial, OriginInertia):
        yield f"first_moment: {_list(inertial.first_moment)}"
        yield f"inertia_about_origin: {_tensor(inertial.inertia)}"
    elif inertial.mass or any((*inertial.com, *inertial.inertia)):
        yield f"com: {_list(inertial.com)}"
        yield f"inertia: {_tensor(inertial.inertia)}"


def _limits(link: LinkDescription) -> Iterator[str]:
    limits = link.limits
    if limits is None:
        return
    if limits.position is not None:
        yield f"position: {_list(limits.position)}"
    for name, value in (("velocity", limits.velocity), ("effort", limits.effort)):
        if value is not None:
            yield f"{name}: {format_arithmetic(value)}"


def _frame(frame: NamedFrame) -> str:
    origin = origin_of(frame.placement)
    xyz = f", xyz: {_list(origin.xyz)}" if any(origin.xyz) else ""
    rpy = f", rpy: [{', '.join(map(format_angle, origin.rpy))}]" if any(origin.rpy) else ""
    return f"  - {{name: {_text(frame.name)}, link: {_text(frame.link)}{xyz}{rpy}}}"


def _tensor(tensor: Tensor) -> str:
    return _list(tensor if any(tensor[3:]) else tensor[:3])


def _list(numbers: Sequence[Exact]) -> str:
    return f"[{', '.join(map(format_arithmetic, numbers))}]"


def _text(text: str) -> str:
    """A text, in quotes where YAML would take it for something else."""
    plain = _WORD.fullmatch(text) and not _NOT_TEXT.fullmatch(text)
    return text if plain else json.dumps(text, ensure_ascii=False)


def friction_text(friction: Friction) -> str:
    """A mapping in braces, which `read_friction` reads as the same friction."""
    return f"{{{', '.join(_parts(friction))}}}"


def _parts(friction: Friction) -> Iterator[str]:
    yield f"viscous: {format_arithmetic(friction.viscous)}"
    if friction.coulomb_negative is not None:
        both = f"positive: {format_arithmetic(friction.coulomb)}, negative: {format_arithmetic(friction.coulomb_negative)}"
        yield f"coulomb: {{{both}}}"
    elif friction.coulomb:
        yield f"coulomb: {format_arithmetic(friction.coulomb)}"
    if friction.offset:
        yield f"offset: {format_arithmetic(friction.offset)}"
    if friction.stribeck is not None:
        static, velocity = (
            format_arithmetic(friction.stribeck.static),
            format_arithmetic(friction.stribeck.velocity),
        )
        yield f"stribeck: {{static: {static}, velocity: {velocity}}}"
    if friction.sign != "exact":
        yield f"sign: {friction.sign}, width: {format_arithmetic(friction.width)}"
    if friction.bearings:
        yield f"bearings: [{', '.join(map(_bearing, friction.bearings))}]"
    if friction.transmission is not None:
        yield f"transmission: {_transmission(friction.transmission)}"


def _bearing(bearing: Bearing) -> str:
    lengths = {"radius": bearing.radius, "length": bearing.length, "centre": bearing.centre}
    given = "".join(
        f", {name}: {format_arithmetic(value)}" for name, value in lengths.items() if value
    )
    return f"{{type: {bearing.kind}, coefficient: {format_arithmetic(bearing.coefficient)}{given}}}"


def _transmission(transmission: Transmission) -> str:
    parts = (
        [f"breakaway: {format_arithmetic(transmission.breakaway)}"]
        if transmission.breakaway
        else []
    )
    if len(transmission.efficiency) == 1:
        ((_, efficiency),) = transmission.efficiency
        return f"{{{', '.join([*parts, f'efficiency: {format_arithmetic(efficiency)}'])}}}"
    points = ", ".join(
        f"[{format_arithmetic(load)}, {format_arithmetic(each)}]"
        for load, each in transmission.efficiency
    )
    parts += [f"efficiency: [{points}]"]
    parts += [f"rated: {format_arithmetic(transmission.rated)}"]
    return f"{{{', '.join([*parts, f'interpolation: {transmission.interpolation}'])}}}"
