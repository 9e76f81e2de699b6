"""Writing of robot descriptions as YAML; reading the written text yields the same robot."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

from dynagen.numbers.exact import Exact
from dynagen.robot.composite_joints import CompositeJoint, collapse_joints
from dynagen.robot.description import (
    Bearing,
    CentralInertia,
    Coupling,
    Friction,
    Limits,
    LinkDescription,
    NamedFrame,
    OriginInertia,
    RobotDescription,
    Tensor,
    Transmission,
)
from dynagen.robot.formats.placements import (
    DenavitHartenbergRow,
    Origin,
    WrittenRobot,
    convert_to_origin,
    find_row,
    split_joint_frames,
)
from dynagen.robot.formats.yaml.links import Convention
from dynagen.robot.literals import format_angle, format_arithmetic
from dynagen.robot.names import make_identifier
from dynagen.robot.payload import PAYLOAD, name_payload_place

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_NOT_TEXT = re.compile(r"(?i:true|false|null|yes|no|on|off|y|n)")


def write_yaml(description: RobotDescription) -> WrittenRobot:
    """Write a description as YAML.

    Numbers are written exactly, except approximations such as directions computed from general
    angles, which have 30 digits. A displacement after a joint that is not part of a
    Denavit-Hartenberg row becomes a separate fixed link.
    """
    convention = _find_convention(description)
    description = split_joint_frames(
        _rename_base(description), lambda link: _find_own_row(link, convention) is not None
    )
    moving = [link for link in description.links if link.joint.moves]
    framed = frozenset(frame.link for frame in description.frames)
    collapsed, composites = collapse_joints(description.links, framed)
    links = [link for link in collapsed if not (description.payload and link.name == PAYLOAD)]
    lines = [
        f"name: {_write_text(description.name)}",
        *([f"source: {_write_text(description.source)}"] if description.source else []),
        *([f"convention: {convention}"] if convention else []),
        f"gravity: {_write_list(description.gravity)}",
        *_write_parameters(description),
        "links:",
    ]
    before: str | None = None
    for link in links:
        lines += ["", *_write_link(link, before, convention, composites.get(link.name))]
        before = link.name
    if description.payload:
        lines += ["", f"payload: {_write_text(name_payload_place(description))}"]
    for key, frames in (
        ("external_wrench", description.external_wrenches),
        ("contact_force", description.contact_forces),
    ):
        if names := [*map(_write_text, frames)]:
            listed = names[0] if len(names) == 1 else f"[{', '.join(names)}]"
            lines += ["", f"{key}: {listed}"]
    if description.couplings:
        lines += ["", "couplings:", *map(_write_coupling, description.couplings)]
    if description.frames:
        lines += ["", "frames:", *map(_write_frame, description.frames)]
    return WrittenRobot("\n".join(lines) + "\n", tuple(link.joint_name for link in moving))


def _rename_base(description: RobotDescription) -> RobotDescription:
    """Rename a link called `base`, which is a reserved name; its frame keeps the name."""
    names = {link.name: link.name for link in description.links}
    for name in [name for name in names if make_identifier(name) == "base"]:
        names[name] = next(
            new for new in (f"base_{n}" for n in count(1)) if new not in map(make_identifier, names)
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
        frames=tuple(replace(frame, link=names[frame.link]) for frame in description.frames),
        couplings=tuple(
            replace(each, links=tuple(names[link] for link in each.links))
            for each in description.couplings
        ),
    )


def _find_convention(description: RobotDescription) -> Convention | None:
    """Return the Denavit-Hartenberg convention of the file that was read; None without rows."""
    conventions: tuple[Convention, ...] = ("modified", "standard")
    notation = description.notation
    return next((name for name in conventions if notation.startswith(name)), None)


def _write_parameters(description: RobotDescription) -> Iterator[str]:
    own = [
        parameter
        for parameter in description.parameters
        if parameter.name not in description.payload
    ]
    if own:
        yield "parameters:"
    for parameter in own:
        entries = {"value": format_arithmetic(parameter.value)}
        if parameter.unit:
            entries["unit"] = _write_text(parameter.unit)
        yield f"  {parameter.name}: {_write_mapping(entries | {'runtime': 'true'})}"


def _write_link(
    link: LinkDescription,
    before: str | None,
    convention: Convention | None,
    composite: CompositeJoint | None,
) -> Iterator[str]:
    yield f"  - name: {_write_text(link.name)}"
    if link.parent != before:
        yield f"    parent: {_write_text(link.parent or 'base')}"
    yield f"    joint: {composite.kind.name if composite else link.joint.type.name}"
    if composite is None and link.joint.name and link.joint.name != link.name:
        yield f"    joint_name: {_write_text(link.joint.name)}"
    yield from (f"    {line}" for line in _write_geometry(link, convention, composite))
    if link.joint.type.has_pitch:
        yield f"    pitch: {format_arithmetic(link.joint.pitch)}"
    if link.joint.mimics:
        write = format_angle if link.joint.type.angular else format_arithmetic
        entries = {
            "joint": _write_text(link.joint.mimics),
            "ratio": format_arithmetic(link.joint.ratio),
        }
        if link.joint.offset:
            entries["offset"] = write(link.joint.offset)
        yield f"    mimic: {_write_mapping(entries)}"
    yield from (f"    {_append_remark(line, link)}" for line in _write_dynamics(link))
    if link.limits is not None and (limits := _list_limits(link.limits)):
        yield f"    limits: {_write_mapping(limits)}"


def _append_remark(line: str, link: LinkDescription) -> str:
    """Append the remark on a line's key as a YAML comment, if there is one."""
    remark = dict(link.remarks).get(line.partition(":")[0])
    return f"{line}  # {' '.join(remark.split())}" if remark else line


def _write_dynamics(link: LinkDescription) -> Iterator[str]:
    """Yield the lines of the keys that determine joint forces: inertia, motor and friction."""
    yield from _write_inertial(link.inertial)
    if link.motor_inertia or link.elasticity is not None:
        numbers = {"inertia": link.motor_inertia}
        if link.elasticity is not None:
            numbers |= {"stiffness": link.elasticity.stiffness, "damping": link.elasticity.damping}
        yield f"motor: {_write_numbers(numbers)}"
    if link.friction is not None:
        yield f"friction: {_write_mapping(_list_friction(link.friction))}"


def _write_geometry(
    link: LinkDescription, convention: Convention | None, composite: CompositeJoint | None
) -> Iterator[str]:
    """Yield the line of the key `origin`, and the line of `dh`, `axis` or `axes`."""
    joint = link.joint
    if joint.type.is_free:
        return
    axes = composite.axes if composite else (joint.axis,)
    row = _find_own_row(link, convention) if len(axes) == 1 else None
    if row is not None:
        if row.origin:
            yield f"origin: {_write_origin(row.origin)}"
        # The offset of the joint variable is left out if it is zero; all other numbers are
        # required.
        optional = "theta" if joint.angular else "d" if joint.linear else ""
        entries = {
            "alpha": format_angle(row.alpha),
            "a": format_arithmetic(row.a),
            "d": format_arithmetic(row.d),
            "theta": format_angle(row.theta),
        }
        if optional and not getattr(row, optional):
            del entries[optional]
        yield f"dh: {_write_mapping(entries)}"
        return
    origin = convert_to_origin((*link.before, *link.after))
    if origin or not joint.moves:
        yield f"origin: {_write_origin(origin)}"
    if len(axes) > 1:
        yield f"axes: [{', '.join(map(_write_list, axes))}]"
    elif joint.type.has_axis:
        yield f"axis: {_write_list(joint.axis)}"


def _find_own_row(
    link: LinkDescription, convention: Convention | None
) -> DenavitHartenbergRow | None:
    """Return a link's displacements as an origin and a Denavit-Hartenberg row.

    The result is None if they cannot be written as a row, or if there is no convention.
    """
    joint = link.joint
    x, y, z = joint.axis
    is_along_z = joint.type.has_axis and not (x or y) and z > 0
    return (
        find_row(link.before, link.after, convention)
        if convention and (is_along_z or not joint.moves)
        else None
    )


def _write_origin(origin: Origin) -> str:
    has_xyz = any(origin.xyz) or not any(origin.rpy)  # a mapping must not be empty
    xyz = {"xyz": _write_list(origin.xyz)} if has_xyz else {}
    return _write_mapping(xyz | _rpy_entry(origin))


def _rpy_entry(origin: Origin) -> dict[str, str]:
    return {"rpy": f"[{', '.join(map(format_angle, origin.rpy))}]"} if any(origin.rpy) else {}


def _write_inertial(inertial: CentralInertia | OriginInertia) -> Iterator[str]:
    yield f"mass: {format_arithmetic(inertial.mass)}"
    if isinstance(inertial, OriginInertia):
        yield f"first_moment: {_write_list(inertial.first_moment)}"
        yield f"inertia_about_origin: {_write_tensor(inertial.inertia)}"
    elif inertial.mass or any((*inertial.com, *inertial.inertia)):
        yield f"com: {_write_list(inertial.com)}"
        yield f"inertia: {_write_tensor(inertial.inertia)}"


def _list_limits(limits: Limits) -> dict[str, str]:
    """Return the entries of the key `limits` that are set."""
    position = {} if limits.position is None else {"position": _write_list(limits.position)}
    magnitudes = {"velocity": limits.velocity, "effort": limits.effort}
    return position | {
        name: format_arithmetic(value) for name, value in magnitudes.items() if value is not None
    }


def _write_coupling(coupling: Coupling) -> str:
    entries = {
        "joints": f"[{', '.join(map(_write_text, coupling.links))}]",
        "matrix": f"[{', '.join(map(_write_list, coupling.matrix))}]",
        "inertia": _write_list(coupling.inertias),
    }
    return f"  - {_write_mapping(entries)}"


def _write_frame(frame: NamedFrame) -> str:
    entries = {"name": _write_text(frame.name), "link": _write_text(frame.link)}
    origin = convert_to_origin(frame.placement)
    if any(origin.xyz):
        entries["xyz"] = _write_list(origin.xyz)
    return f"  - {_write_mapping(entries | _rpy_entry(origin))}"


def _write_mapping(entries: Mapping[str, str]) -> str:
    return f"{{{', '.join(f'{key}: {text}' for key, text in entries.items())}}}"


def _write_tensor(tensor: Tensor) -> str:
    return _write_list(tensor if any(tensor[3:]) else tensor[:3])


def _write_list(numbers: Sequence[Exact]) -> str:
    return f"[{', '.join(map(format_arithmetic, numbers))}]"


def _write_text(text: str) -> str:
    """Write a text, in quotes if YAML would read it as another type."""
    plain = _WORD.fullmatch(text) and not _NOT_TEXT.fullmatch(text)
    return text if plain else json.dumps(text, ensure_ascii=False)


def _list_friction(friction: Friction) -> dict[str, str]:
    """Return `viscous`, and the other entries of `friction` that differ from their defaults."""
    entries = {"viscous": format_arithmetic(friction.viscous)}
    if friction.coulomb_negative is not None:
        directions = {"positive": friction.coulomb, "negative": friction.coulomb_negative}
        entries["coulomb"] = _write_numbers(directions)
    elif friction.coulomb:
        entries["coulomb"] = format_arithmetic(friction.coulomb)
    if friction.offset:
        entries["offset"] = format_arithmetic(friction.offset)
    if (stribeck := friction.stribeck) is not None:
        entries["stribeck"] = _write_numbers(
            {"static": stribeck.static, "velocity": stribeck.velocity}
        )
    if friction.sign != "exact":
        entries |= {"sign": friction.sign, "width": format_arithmetic(friction.width)}
    if friction.bearings:
        entries["bearings"] = f"[{', '.join(map(_write_bearing, friction.bearings))}]"
    if friction.transmission is not None:
        entries["transmission"] = _write_transmission(friction.transmission)
    return entries


def _write_numbers(numbers: Mapping[str, Exact]) -> str:
    return _write_mapping({key: format_arithmetic(number) for key, number in numbers.items()})


def _write_bearing(bearing: Bearing) -> str:
    lengths = {"radius": bearing.radius, "length": bearing.length, "centre": bearing.centre}
    numbers = {"coefficient": bearing.coefficient} | {
        name: length for name, length in lengths.items() if length
    }
    return _write_mapping(
        {"type": bearing.kind}
        | {name: format_arithmetic(number) for name, number in numbers.items()}
    )


def _write_transmission(transmission: Transmission) -> str:
    entries = {}
    if transmission.breakaway:
        entries["breakaway"] = format_arithmetic(transmission.breakaway)
    if len(transmission.efficiency) == 1:  # a constant efficiency
        ((_, efficiency),) = transmission.efficiency
        return _write_mapping(entries | {"efficiency": format_arithmetic(efficiency)})
    points = f"[{', '.join(map(_write_list, transmission.efficiency))}]"
    rated = format_arithmetic(transmission.rated)
    return _write_mapping(
        entries
        | {"efficiency": points, "rated": rated, "interpolation": transmission.interpolation}
    )
