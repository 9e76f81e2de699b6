"""Edits of a robot description; each edit returns a new `RobotDescription`.

lock                 fix joints at given positions
select_part          keep the subtree of a link, or the chain that leads to a link
add_floating_base    let the base move freely
substitute           replace run-time parameters by values
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from dynagen.errors import Fault, UsageError, clip, suggest_word
from dynagen.numbers.exact import PI, ZERO, Exact, is_zero
from dynagen.numbers.parametric import ParametricNumber
from dynagen.robot.arithmetic import ArithmeticTextError, evaluate
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import (
    NO_INERTIA,
    TOOL,
    LinkDescription,
    NamedFrame,
    RobotDescription,
    find_path,
)
from dynagen.robot.joints import FIXED, FLOATING, Joint
from dynagen.robot.literals import MAX_ANGLE, find_multiple_of_pi
from dynagen.robot.names import make_identifier
from dynagen.robot.payload import PAYLOAD
from dynagen.robot.pose import Displacement, Rotation, Vector, Z, compose, find_part, translate


def lock(description: RobotDescription, locks: Sequence[tuple[str, str]]) -> RobotDescription:
    """Return a robot with some joints fixed at given positions.

    Joints that mimic a locked joint are locked too. Motor inertia, friction and limits of a locked
    joint are dropped.

    Args:
        description: the robot.
        locks: pairs of a name and a position. The name identifies a joint, or the link that the
            joint moves. The position (rad or m) is a number or arithmetic, as text.

    Raises:
        UsageError: a joint is unknown, fixed, floating, spherical, mimicking or locked twice, a
            position is not a number, all joints are locked, or the robot has closed loops or
            coupled motors.
    """
    if not locks:
        return description
    _refuse_loops(description, "lock", "couplings")
    positions: dict[str, Exact] = {}
    notes, warnings = [], []
    for name, text in locks:
        link = _find_link(description, name)
        if link.name in positions:
            raise UsageError(f"lock {clip(name)}: the joint is locked twice; name it once")
        positions[link.name] = position = _read_position(link, name, text)
        notes.append(
            f"joint {link.joint_name} is locked at {text.strip()} {link.joint.type.position_unit}"
        )
        if link.joint.angular and find_multiple_of_pi(text) is None and abs(position) > 2 * PI:
            message = (
                f"{text.strip()} rad is more than a full rotation: "
                f"if it is in degrees, write deg({clip(text.strip())})"
            )
            warnings.append(Fault(f"lock {link.joint_name}", message, link=link.name))
        ends = link.limits.position if link.limits else None
        if ends is not None and not ends[0] <= position <= ends[1]:
            limits = f"{float(ends[0]):.5g} to {float(ends[1]):.5g} {link.joint.type.position_unit}"
            beyond = (
                f"locked at {clip(text)}, beyond the limits {limits}: lock the joint within the "
                "limits, "
                "or correct the limits"
            )
            warnings.append(Fault(f"joint {link.joint_name}", beyond, link=link.name))
    links = number_coordinates([_lock_link(link, positions) for link in description.links])
    if not any(link.joint.moves for link in links):
        raise UsageError(
            f"all joints of {description.name} are locked; expected at least one joint that moves"
        )
    return replace(
        description,
        links=links,
        notes=(*description.notes, *notes),
        warnings=(*description.warnings, *warnings),
    )


def freeze_joint(link: LinkDescription, position: Exact) -> LinkDescription:
    """Fix the joint of a link at a position; remove motor, friction and limits."""
    return replace(
        link,
        before=displace_joint(link.before, link.joint, position),
        joint=Joint(FIXED, name=link.joint.name),
        motor_inertia=ZERO,
        friction=None,
        limits=None,
        elasticity=None,
    )


def _find_link(description: RobotDescription, name: str) -> LinkDescription:
    """Return the link whose joint is to be locked, by the joint's or the link's name."""
    moving = [link for link in description.links if link.joint.moves]
    by_joint = [link for link in moving if link.joint_name == name]
    for link in (*by_joint, *description.links):  # names of joints come before names of links
        if name not in (link.joint_name, link.name):
            continue
        if not link.joint.moves:
            raise UsageError(f"lock {clip(name)}: the joint is fixed already; leave out this lock")
        if not link.joint.type.has_axis:
            floats = link.joint.type.is_free
            remedy = (
                f"--root {clip(link.name)} makes the link the fixed base"
                if floats
                else "edit the description"
            )
            raise UsageError(f"lock {clip(name)}: the joint is {link.joint.type.name}; {remedy}")
        if link.joint.mimics:
            (leader,) = (other.joint_name for other in moving if other.name == link.joint.mimics)
            raise UsageError(
                f"lock {clip(name)}: the joint follows the joint {clip(leader)}; "
                f"lock {clip(leader)}, and both stand still"
            )
        return link
    known = [link.joint_name for link in moving if not link.joint.mimics]
    meant = suggest_word(name, (*known, *(link.name for link in moving)))
    raise UsageError(
        f"lock: there is no joint `{clip(name)}`{meant}; there are {', '.join(map(clip, known))}"
    )


def _read_position(link: LinkDescription, name: str, text: str) -> Exact:
    """Return the value of a text as a joint position (rad or m), after snapping of angles."""
    try:
        position = evaluate(text)
    except ArithmeticTextError as error:
        raise UsageError(f"lock {clip(name)}: {error}") from None
    if not link.joint.angular:
        return position
    if abs(position) > MAX_ANGLE:
        raise UsageError(
            f"lock {clip(name)}: expected an angle up to {MAX_ANGLE} rad; if it is in degrees, "
            "write "
            "for example deg(90)"
        )
    meant = find_multiple_of_pi(text)
    return position if meant is None else meant[0]


def _lock_link(link: LinkDescription, positions: dict[str, Exact]) -> LinkDescription:
    """Fix the joint of a link if the joint is locked or mimics a locked joint."""
    joint = link.joint
    leader = joint.mimics or link.name
    if not joint.moves or leader not in positions:
        return link
    return freeze_joint(link, joint.ratio * positions[leader] + joint.offset)


def displace_joint(before: Displacement, joint: Joint, position: Exact) -> Displacement:
    """Return the displacement to a joint, followed by the joint's motion to a fixed position.

    A displacement consists of rotations and translations. If the joint axis is X, Y or Z, and the
    displacement ends with rotations about and translations along this axis, the motion is added to
    them. A Denavit-Hartenberg row thus remains a Denavit-Hartenberg row.

    Args:
        before: constant displacement from the parent's frame to the joint.
        joint: the joint to move; revolute, prismatic or helical.
        position: value of the joint variable (rad or m).
    """
    angle, length = joint.angular * position, joint.linear * position
    aligned = [axis for axis, component in enumerate(joint.axis) if component]
    if len(aligned) > 1:  # a general axis: rotate z onto it, move about and along z, rotate back
        turn = joint.axis_frame
        return compose(*before, *turn, Rotation(Z, angle), translate(Z, length), *_invert(turn))
    (axis,) = aligned
    if joint.axis[axis] < 0:
        angle, length = -angle, -length
    kept = list(before)
    while kept and (part := find_part(axis, kept[-1])) is not None:
        if isinstance(kept.pop(), Rotation):
            angle += part
        else:
            length += part
    return compose(*kept, Rotation(axis, angle), translate(axis, length))


def _invert(steps: Displacement) -> Displacement:
    """Return the inverse of a sequence of rotations."""
    return tuple(
        Rotation(step.axis, -step.angle) for step in reversed(steps) if isinstance(step, Rotation)
    )


_MAX_NAMES = 8  # in a note
_REFUSED = {"loops": "closed loops", "couplings": "coupled motors"}


def _refuse_loops(description: RobotDescription, subject: str, *others: str) -> None:
    """Raise a UsageError if a robot has loops, or if one of its fields `others` is not empty.

    `subject` names the edit that does not support them, for the message.
    """
    if refused := [kind for kind in ("loops", *others) if getattr(description, kind)]:
        raise UsageError(
            f"{description.name} has {_REFUSED[refused[0]]}, which {subject} does not support; "
            f"leave out `{refused[0]}` or this option"
        )


def select_part(
    description: RobotDescription, root: str | None, tip: str | None
) -> RobotDescription:
    """Return a robot that is a part of another robot: a subtree, or a chain of links.

    The root link becomes the base: it no longer moves, and its frame becomes the base frame.
    Gravity is rotated into the axes of the root, with all joints that carry the root at zero.

    If a tip is given, the robot becomes the chain of links from the base to the tip. Links that are
    fixed to the chain before the tip are kept too. The frame `tool` becomes the tip's frame.

    Args:
        description: the robot.
        root: name of a link; None keeps the base.
        tip: name of a link; None keeps all branches.

    Raises:
        UsageError: a link is unknown, the root does not carry the tip, no moving joint remains, or
            the robot has closed loops or coupled motors. The error is also raised if a mimicking
            joint, the payload or an external wrench requires an omitted link.
    """
    if root is None and tip is None:
        return description
    _refuse_loops(description, "root or tip", "couplings")
    links = {link.name: link for link in description.links}
    for link in filter(None, (root, tip)):
        if link not in links:
            meant = suggest_word(link, links)
            raise UsageError(
                f"there is no link `{clip(link)}`{meant}; there are {_list_names(list(links))}"
            )
    names = _select_names(links, root, tip)
    kept = [_fix_to_base(links[name]) if name == root else links[name] for name in names]
    _check_part(description, {link.name: link for link in kept})
    notes = [
        *description.notes,
        *_note_left_out([link for name, link in links.items() if name not in names]),
    ]
    gravity = description.gravity
    if root is not None:
        gravity = _rotate_into_last(find_path(links, root)[::-1], gravity)
        direction = " ".join(f"{float(component):.5g}" for component in gravity)
        notes.append(
            f"gravity is {direction} m/s^2 in the axes of {root}, "
            "with the joints in front of it at zero"
        )
    frames = tuple(frame for frame in description.frames if frame.link in names)
    if tip is not None and TOOL not in map(
        make_identifier, (*names, *(frame.name for frame in frames))
    ):
        frames = (*frames, NamedFrame(TOOL, tip, ()))
    return replace(
        description,
        gravity=gravity,
        links=number_coordinates(kept),
        frames=frames,
        notes=tuple(notes),
        warnings=tuple(
            warning for warning in description.warnings if not warning.link or warning.link in names
        ),
    )


def _note_left_out(links: Sequence[LinkDescription]) -> Iterator[str]:
    """Yield a note that lists the omitted links, if there are any."""
    mass = float(sum((link.inertial.mass for link in links), ZERO))
    if links:
        count, verb = ("1 link", "is") if len(links) == 1 else (f"{len(links)} links", "are")
        names = _list_names([link.name for link in links])
        yield (
            f"{count} with {mass:.5g} kg {verb} left out by root or tip, without effect on the "
            "other "
            f"links: {names}"
        )


def _select_names(
    links: Mapping[str, LinkDescription], root: str | None, tip: str | None
) -> dict[str, None]:
    """Return the names of the links that `select_part` keeps, in order, as keys of a dict."""
    carried = [
        name
        for name in links
        if root is None or root in (link.name for link in find_path(links, name))
    ]
    if tip is None:
        return dict.fromkeys(carried)
    if tip not in carried:
        raise UsageError(
            f"link {clip(root or '')} does not carry {clip(tip)}: the root comes before the tip"
        )
    chain = {link.name for link in find_path(links, tip)}
    kept: dict[str, None] = {}
    for name in carried:
        link = links[name]
        # Links fixed to the tip are beyond the end of the chain, except the payload.
        is_fixed = (
            not link.joint.moves and link.parent in kept and (link.parent != tip or name == PAYLOAD)
        )
        if name in chain or is_fixed:
            kept[name] = None
    return kept


def _fix_to_base(link: LinkDescription) -> LinkDescription:
    """Return a link, changed so that it is fixed to the base and its frame is the base frame."""
    return replace(freeze_joint(link, ZERO), parent=None, before=(), after=())


def _check_part(description: RobotDescription, kept: Mapping[str, LinkDescription]) -> None:
    """Raise a UsageError if the kept part of a robot is not a valid robot.

    It is not valid if no joint moves, or if a mimicking joint, the payload, a wrench or a contact
    force of the part requires a link that is not kept.
    """
    if not any(link.joint.moves for link in kept.values()):
        raise UsageError(
            f"no joint of {description.name} between root and tip moves: name links further apart"
        )
    for link in kept.values():
        leader = link.joint.mimics
        if leader and (leader not in kept or not kept[leader].joint.moves):
            (joint,) = (other.joint_name for other in description.links if other.name == leader)
            raise UsageError(
                f"joint {link.joint_name} follows {joint}, which is left out: "
                f"lock {joint} at a position, and both stand still"
            )
    if description.payload and PAYLOAD not in kept:
        raise UsageError(
            "the link that carries the payload is left out: "
            "keep it, or remove `payload` from the description"
        )
    placed = {make_identifier(frame.name): frame.link for frame in description.frames}
    for kind, names in (
        ("wrench", description.external_wrenches),
        ("force", description.contact_forces),
    ):
        for name in names:
            if placed.get(make_identifier(name), next(iter(kept))) not in kept:
                raise UsageError(
                    f"the frame {name}, at which an external {kind} acts, is left out: "
                    f"keep it, or remove the {kind}"
                )


def _rotate_into_last(path: list[LinkDescription], vector: Vector) -> Vector:
    """Convert a vector from base axes to the axes of a path's last link, for joints at zero."""
    for link in path:
        # A mimicking joint is at its offset if the joint that it follows is at zero.
        at_zero = freeze_joint(link, link.joint.offset if link.joint.mimics else ZERO)
        vector = _rotate_into((*at_zero.before, *at_zero.after), vector)
    return vector


def _rotate_into(steps: Displacement, vector: Vector) -> Vector:
    """Convert a vector from the axes before a displacement to the axes after it."""
    for step in steps:
        if isinstance(step, Rotation):
            cosine, sine = step.angle.cosine_sine()
            rotated = list(vector)
            # The transpose of the rotation in the plane of the other two axes.
            first, second = (step.axis + 1) % 3, (step.axis + 2) % 3
            rotated[first] = cosine * vector[first] + sine * vector[second]
            rotated[second] = cosine * vector[second] - sine * vector[first]
            x, y, z = (ZERO if is_zero(component) else component for component in rotated)
            vector = x, y, z
    return vector


def _list_names(names: list[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(map(clip, names[:_MAX_NAMES])) + more


BASE_LINK = "base"
"""Name of the link without inertia that `add_floating_base` adds."""


def find_floating_fault(links: Sequence[LinkDescription]) -> tuple[str, str] | None:
    """Return the first link that contradicts the rules for floating joints, and a message.

    A robot has at most one floating link. No moving joint and no displacement may precede it,
    because q contains its pose in the fixed base frame. The floating link must carry all other
    moving links.

    Returns:
        Name of the link, and message; None for a valid robot.
    """
    free = [link for link in links if link.joint.type.is_free]
    if not free:
        return None
    floating, *others = free
    if others:
        return (
            others[0].name,
            f"the joints of this link and of {floating.name} are both floating: expected at most "
            "one "
            "floating joint",
        )
    by_name = {link.name: link for link in links}
    for link in find_path(by_name, floating.name):
        if link is not floating and link.joint.moves:
            return (
                floating.name,
                f"the joint is floating, but the moving link {link.name} carries it: "
                "only a link that no moving link carries can float",
            )
        if link.before or link.after:
            return (
                link.name,
                "q is the position of the floating link in the base frame: "
                "remove the displacement in front of it",
            )
    for link in links:
        if link.joint.moves and floating not in find_path(by_name, link.name):
            return (
                link.name,
                f"the link moves, but the floating link {floating.name} does not carry it: "
                f"make {floating.name} its parent",
            )
    return None


def add_floating_base(description: RobotDescription) -> RobotDescription:
    """Return a robot whose base moves freely; a robot with a floating joint is not changed.

    If a root link is fixed at the base frame and carries all other links, as in a URDF, it becomes
    the floating link. For any other robot, a floating link named `base` without inertia is added at
    the base frame. All links without a parent are then attached to the added link.

    Raises:
        UsageError: the robot has closed loops.
    """
    links = description.links
    if any(link.joint.type.is_free for link in links):
        return description
    _refuse_loops(description, "a floating base")
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
    return replace(description, links=number_coordinates(floating))


T = TypeVar("T")


def substitute(data: T, values: Mapping[str, Exact]) -> T:
    """Return data with values in place of all numbers that depend on run-time parameters.

    Args:
        data: a description, or a part of it (a dataclass, tuple or number).
        values: values by parameter name; other parameters have their defaults.
    """
    result: Any = data
    if isinstance(data, ParametricNumber):
        result = data.substitute(values)
    elif isinstance(data, tuple):
        result = tuple(substitute(item, values) for item in data)
    elif is_dataclass(data) and not isinstance(data, type):
        result = replace(
            data,
            **{field.name: substitute(getattr(data, field.name), values) for field in fields(data)},
        )
    return cast("T", result)
