"""Edits of a description: lock joints, cut a subtree, add a floating base, wrench frames or a payload, substitute parameters.

Joints that do not move: a RobotDescription -> the same robot with joints frozen where they stand.

A part of a robot: a RobotDescription -> the subtree that one of its links carries, or the chain that leads to another.

Floating bases: a robot whose first link moves freely. RobotDescription -> the same robot on a floating base.

External wrenches: the frames at which a force and a moment are an input. RobotDescription -> one with such inputs.

The payload that a robot carries: a link called so, whose ten inertial parameters come at run time.

RobotDescription with run-time parameters -> the description for given values of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from dynagen.errors import Fault, UsageError, did_you_mean, shown
from dynagen.numbers.exact import PI, ZERO, Exact, is_zero
from dynagen.numbers.parametric import Parametric
from dynagen.robot.arithmetic import ArithmeticTextError, evaluate
from dynagen.robot.coordinates import with_coordinates
from dynagen.robot.description import (
    NO_INERTIA,
    TOOL,
    LinkDescription,
    NamedFrame,
    RobotDescription,
    path_to_base,
)
from dynagen.robot.joints import FIXED, FLOATING, Joint
from dynagen.robot.literals import MAX_ANGLE, snap_angle
from dynagen.robot.names import identifier
from dynagen.robot.pose import Displacement, Rotation, Vector, Z, along, displacement, part_about


def lock(description: RobotDescription, locks: Sequence[tuple[str, str]]) -> RobotDescription:
    """Freeze joints.

    What follows a locked joint is locked with it. Inertia of the motor, friction and limits of a locked joint have no effect.

    Args:
        description: the robot.
        locks: names of joints, or of the links that they move, and their positions (rad or m), as numbers or arithmetic.

    Raises:
        UsageError: there is no such joint, it does not move, it follows another, or a position is no number.
    """
    if not locks:
        return description
    positions: dict[str, Exact] = {}
    notes, warnings = [], []
    for name, text in locks:
        link = _find(description, name)
        if link.name in positions:
            raise UsageError(f"lock {shown(name)}: it is locked twice; name it once")
        positions[link.name] = position = _position(link, name, text)
        notes.append(
            f"joint {link.joint_name} is locked at {text.strip()} {link.joint.type.position_unit}"
        )
        if link.joint.angular and snap_angle(text) is None and abs(position) > 2 * PI:
            message = f"{text.strip()} rad is more than a full rotation: for degrees write deg({shown(text.strip())})"
            warnings.append(Fault(f"lock {link.joint_name}", message, link=link.name))
        ends = link.limits.position if link.limits else None
        if ends is not None and not ends[0] <= position <= ends[1]:
            limits = f"{float(ends[0]):.5g} to {float(ends[1]):.5g} {link.joint.type.position_unit}"
            beyond = f"locked at {shown(text)}, beyond its limits {limits}"
            warnings.append(Fault(f"joint {link.joint_name}", beyond, link=link.name))
    links = with_coordinates([_locked(link, positions) for link in description.links])
    if not any(link.joint.moves for link in links):
        raise UsageError(f"all joints of {description.name} are locked: at least one has to move")
    return replace(
        description,
        links=links,
        notes=(*description.notes, *notes),
        warnings=(*description.warnings, *warnings),
    )


def frozen(link: LinkDescription, position: Exact) -> LinkDescription:
    """A link whose joint is fixed at a position."""
    return replace(
        link,
        before=moved(link.before, link.joint, position),
        joint=Joint(FIXED, name=link.joint.name),
        motor_inertia=ZERO,
        friction=None,
        limits=None,
    )


def _find(description: RobotDescription, name: str) -> LinkDescription:
    """The link that a joint moves, by the name of either."""
    moving = [link for link in description.links if link.joint.moves]
    by_joint = [link for link in moving if link.joint_name == name]
    for link in (*by_joint, *description.links):
        if name not in (link.joint_name, link.name):
            continue
        if not link.joint.moves:
            raise UsageError(f"lock {shown(name)}: it does not move; leave it out")
        if link.joint.type.is_free:
            raise UsageError(
                f"lock {shown(name)}: it floats; --root {shown(link.name)} makes it the fixed base"
            )
        if link.joint.mimics:
            (leader,) = (each.joint_name for each in moving if each.name == link.joint.mimics)
            raise UsageError(
                f"lock {shown(name)}: it follows the joint {shown(leader)}; lock that one, and it stands still too"
            )
        return link
    known = [link.joint_name for link in moving if not link.joint.mimics]
    meant = did_you_mean(name, (*known, *(link.name for link in moving)))
    raise UsageError(
        f"lock: there is no joint `{shown(name)}`{meant}; there are {', '.join(map(shown, known))}"
    )


def _position(link: LinkDescription, name: str, text: str) -> Exact:
    try:
        position = evaluate(text)
    except ArithmeticTextError as error:
        raise UsageError(f"lock {shown(name)}: {error}") from None
    if not link.joint.angular:
        return position
    if abs(position) > MAX_ANGLE:
        raise UsageError(
            f"lock {shown(name)}: beyond {MAX_ANGLE} rad: angles are in radians, deg(90) is pi/2"
        )
    meant = snap_angle(text)
    return position if meant is None else meant[0]


def _locked(link: LinkDescription, positions: dict[str, Exact]) -> LinkDescription:
    joint = link.joint
    leader = joint.mimics or link.name
    if not joint.moves or leader not in positions:
        return link
    return frozen(link, joint.ratio * positions[leader] + joint.offset)


def moved(before: Displacement, joint: Joint, position: Exact) -> Displacement:
    """The displacement that a joint at a position makes, with the steps in front of it.

    About an axis of the frame that is one more rotation and translation; they commute with such steps before them, and go into
    these, so that a Denavit-Hartenberg row stays one.
    """
    angle, length = joint.angular * position, joint.linear * position
    aligned = [axis for axis, component in enumerate(joint.axis) if component]
    if len(aligned) > 1:
        there = joint.axis_frame
        return displacement(*before, *there, Rotation(Z, angle), along(Z, length), *_inverse(there))
    (axis,) = aligned
    if joint.axis[axis] < 0:
        angle, length = -angle, -length
    kept = list(before)
    while (
        kept and (part := part_about(axis, kept[-1])) is not None
    ):  # it commutes with others about or along this axis
        if isinstance(kept.pop(), Rotation):
            angle += part
        else:
            length += part
    return displacement(*kept, Rotation(axis, angle), along(axis, length))


def _inverse(steps: Displacement) -> Displacement:
    """The inverse of rotations that follow each other."""
    return tuple(
        Rotation(step.axis, -step.angle) for step in reversed(steps) if isinstance(step, Rotation)
    )


_SHOWN = 8  # names in a note


def cut(description: RobotDescription, root: str | None, tip: str | None) -> RobotDescription:
    """Keep a part of a robot.

    With a root, that link is the base: its frame is the base frame, and it no longer moves. Gravity keeps its direction in
    space, with the joints in front of the root at zero. With a tip, the robot is the chain from the base to that link, and
    what is fixed to the links in front of it; `tool` is the tip.

    Args:
        description: the robot.
        root: name of a link; None keeps the base.
        tip: name of a link; None keeps all branches.

    Raises:
        UsageError: there is no such link, the root does not carry the tip, no joint is left that moves, or what is left needs
            what is not.
    """
    if root is None and tip is None:
        return description
    links = {link.name: link for link in description.links}
    for link in filter(None, (root, tip)):
        if link not in links:
            meant = did_you_mean(link, links)
            raise UsageError(
                f"there is no link `{shown(link)}`{meant}; there are {_listed(list(links))}"
            )
    names = _kept(links, root, tip)
    kept = [_as_base(links[name]) if name == root else links[name] for name in names]
    _check(description, {link.name: link for link in kept})
    notes = [
        *description.notes,
        *_left_out([link for name, link in links.items() if name not in names]),
    ]
    gravity = description.gravity
    if root is not None:
        gravity = _in_axes_of(path_to_base(links, root)[::-1], gravity)
        direction = " ".join(f"{float(component):.5g}" for component in gravity)
        notes.append(
            f"gravity is {direction} m/s^2 in the axes of {root}, with the joints in front of it at zero"
        )
    frames = tuple(frame for frame in description.frames if frame.link in names)
    if tip is not None and TOOL not in map(identifier, (*names, *(frame.name for frame in frames))):
        frames = (*frames, NamedFrame(TOOL, tip, ()))
    return replace(
        description,
        gravity=gravity,
        links=with_coordinates(kept),
        frames=frames,
        notes=tuple(notes),
        warnings=tuple(
            warning for warning in description.warnings if not warning.link or warning.link in names
        ),
    )


def _left_out(links: Sequence[LinkDescription]) -> Iterator[str]:
    """A note on links that are left out, if there are any."""
    mass = float(sum((link.inertial.mass for link in links), ZERO))
    if links:
        links_are = (
            f"{len(links)} links with {mass:.5g} kg are"
            if len(links) > 1
            else f"1 link with {mass:.5g} kg is"
        )
        yield f"{links_are} left out: {_listed([link.name for link in links])}"


def _kept(
    links: Mapping[str, LinkDescription], root: str | None, tip: str | None
) -> dict[str, None]:
    """Names of the links that are kept, in the order of the robot."""
    carried = [
        name
        for name in links
        if root is None or root in (each.name for each in path_to_base(links, name))
    ]
    if tip is None:
        return dict.fromkeys(carried)
    if tip not in carried:
        raise UsageError(
            f"link {shown(root or '')} does not carry {shown(tip)}: the root comes before the tip"
        )
    chain = {link.name for link in path_to_base(links, tip)}
    kept: dict[str, None] = {}
    for name in carried:
        link = links[name]
        is_fixed = (
            not link.joint.moves and link.parent in kept and (link.parent != tip or name == PAYLOAD)
        )
        if name in chain or is_fixed:
            kept[name] = None
    return kept


def _as_base(link: LinkDescription) -> LinkDescription:
    """A link whose frame is the base frame."""
    fixed = Joint(FIXED, name=link.joint.name)
    return replace(
        link,
        parent=None,
        before=(),
        joint=fixed,
        after=(),
        motor_inertia=ZERO,
        friction=None,
        limits=None,
    )


def _check(description: RobotDescription, kept: Mapping[str, LinkDescription]) -> None:
    """Refuse a part that needs what is left out."""
    if not any(link.joint.moves for link in kept.values()):
        raise UsageError(
            f"between root and tip no joint of {description.name} moves: name links further apart"
        )
    for link in kept.values():
        leader = link.joint.mimics
        if leader and (leader not in kept or not kept[leader].joint.moves):
            (joint,) = (each.joint_name for each in description.links if each.name == leader)
            raise UsageError(
                f"joint {link.joint_name} follows {joint}, which is left out: lock {joint} at a position, and both stand still"
            )
    if description.payload and PAYLOAD not in kept:
        raise UsageError(
            "the link that carries the payload is left out: keep it, or remove `payload` from the description"
        )
    placed = {identifier(frame.name): frame.link for frame in description.frames}
    for wrench in description.external_wrenches:
        if placed.get(identifier(wrench), next(iter(kept))) not in kept:
            raise UsageError(
                f"the frame {wrench}, at which an external wrench acts, is left out: keep it, or remove the wrench"
            )


def _in_axes_of(path: list[LinkDescription], vector: Vector) -> Vector:
    """A vector in base axes -> in the axes of the last link of a path from the base, its joints at zero."""
    for link in path:
        at_zero = frozen(link, link.joint.offset if link.joint.mimics else ZERO)
        vector = _rotated_back((*at_zero.before, *at_zero.after), vector)
    return vector


def _rotated_back(steps: Displacement, vector: Vector) -> Vector:
    for step in steps:
        if isinstance(step, Rotation):
            cosine, sine = step.angle.cosine_sine()
            rotated = list(vector)
            first, second = (step.axis + 1) % 3, (step.axis + 2) % 3
            rotated[first] = cosine * vector[first] + sine * vector[second]
            rotated[second] = cosine * vector[second] - sine * vector[first]
            x, y, z = (ZERO if is_zero(component) else component for component in rotated)
            vector = x, y, z
    return vector


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(shown, names[:_SHOWN])) + more


BASE_LINK = "base"
"""Name of the link that stands for the base frame of a robot whose description has no link for it."""


def floating_fault(links: Sequence[LinkDescription]) -> tuple[str, str] | None:
    """The name of a link that contradicts a floating joint, and why; None if none does, or no joint floats.

    A floating link is the one that q places in the base frame, and carries all that moves.
    """
    free = [link for link in links if link.joint.type.is_free]
    if not free:
        return None
    floating, *others = free
    if others:
        return (
            others[0].name,
            f"its joint is floating, and so is that of {floating.name}: a robot has one floating link",
        )
    by_name = {link.name: link for link in links}
    for link in path_to_base(by_name, floating.name):
        if link is not floating and link.joint.moves:
            return (
                floating.name,
                f"its joint is floating, and {link.name} carries it: only what sits on the base can float",
            )
        if link.before or link.after:
            return (
                link.name,
                "q says where the floating link is in the base frame: remove the displacement in front of it",
            )
    for link in links:
        if link.joint.moves and floating not in path_to_base(by_name, link.name):
            return (
                link.name,
                f"it moves, and is not carried by the floating link {floating.name}: let that carry it",
            )
    return None


def with_floating_base(description: RobotDescription) -> RobotDescription:
    """The robot with a base that moves freely; one that floats already stays as it is.

    The base is the link that everything sits on, as the root link of a URDF, if that is where the base frame is. Otherwise it
    is a link named `base` at the base frame, with the inertia of the links that are fixed to it.
    """
    links = description.links
    if any(link.joint.type.is_free for link in links):
        return description
    first, *others = links
    if (
        not first.joint.moves
        and not (first.before or first.after)
        and all(link.parent is not None for link in others)
    ):
        floating: Sequence[LinkDescription] = (replace(first, joint=Joint(FLOATING)), *others)
    else:
        base = LinkDescription(
            BASE_LINK, None, before=(), joint=Joint(FLOATING), after=(), inertial=NO_INERTIA
        )
        on_base = (
            replace(link, parent=BASE_LINK) if link.parent is None else link for link in links
        )
        floating = (base, *on_base)
    return replace(description, links=with_coordinates(floating))


def wrench_faults(wrenches: Sequence[str], frames: Sequence[str]) -> Iterator[str]:
    """Faults in names of frames for wrenches, of a robot with these named frames."""
    known = tuple(dict.fromkeys((TOOL, *frames)))
    for wrench in wrenches:
        if identifier(wrench) not in map(identifier, known):
            yield f"there is no frame `{shown(wrench)}`{did_you_mean(wrench, known)}; there are {', '.join(known)}"
    for name, times in Counter(map(identifier, wrenches)).items():
        if times > 1:
            yield f"the frame `{shown(name)}` is named {times} times: name it once"


def with_wrenches(description: RobotDescription, wrenches: Sequence[str]) -> RobotDescription:
    """The robot with wrenches at some frames as an input, instead of those that it has.

    Raises:
        UsageError: there is no such frame, or it is named twice.
    """
    if not wrenches:
        return description
    if faults := list(wrench_faults(wrenches, [frame.name for frame in description.frames])):
        raise UsageError(f"wrench_at: {'; '.join(faults)}")
    return replace(description, external_wrenches=tuple(wrenches))


PAYLOAD = "payload"

PAYLOAD_PARAMETERS = {
    f"{PAYLOAD}_{name}": unit
    for names, unit in (
        (("mass",), "kg"),
        (("mx", "my", "mz"), "kg m"),
        (("jxx", "jyy", "jzz", "jxy", "jxz", "jyz"), "kg m^2"),
    )
    for name in names
}
"""Names and units of the run-time parameters: mass, first moments, inertia about the origin of the link's frame."""


T = TypeVar("T")


def substitute(data: T, values: Mapping[str, Exact]) -> T:
    """Replace every number that depends on parameters, anywhere inside frozen dataclasses and tuples, by its value.

    Args:
        data: a description, or any part of one.
        values: by name; parameters that are not named keep their defaults.
    """
    result: Any = data
    if isinstance(data, Parametric):
        result = data.substitute(values)
    elif isinstance(data, tuple):
        result = tuple(substitute(item, values) for item in data)
    elif is_dataclass(data) and not isinstance(data, type):
        result = replace(
            data,
            **{field.name: substitute(getattr(data, field.name), values) for field in fields(data)},
        )
    return cast("T", result)
