"""Joints that do not move: a RobotDescription -> the same robot with joints frozen where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dynagen.description.arithmetic import ArithmeticTextError, evaluate
from dynagen.description.coordinates import with_coordinates
from dynagen.description.decimals import MAX_ANGLE, snap_angle
from dynagen.description.description import LinkDescription, RobotDescription
from dynagen.description.displacement import Displacement, Rotation, Z, along, displacement, part_about
from dynagen.description.joints import FIXED, Joint
from dynagen.errors import Fault, UsageError, did_you_mean, shown
from dynagen.numbers.exact import PI, ZERO, Exact


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
        notes.append(f"joint {link.joint_name} is locked at {text.strip()} {link.joint.type.position_unit}")
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
    return replace(description, links=links, notes=(*description.notes, *notes), warnings=(*description.warnings, *warnings))


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
            raise UsageError(f"lock {shown(name)}: it floats; --root {shown(link.name)} makes it the fixed base")
        if link.joint.mimics:
            (leader,) = (each.joint_name for each in moving if each.name == link.joint.mimics)
            raise UsageError(
                f"lock {shown(name)}: it follows the joint {shown(leader)}; lock that one, and it stands still too"
            )
        return link
    known = [link.joint_name for link in moving if not link.joint.mimics]
    meant = did_you_mean(name, (*known, *(link.name for link in moving)))
    raise UsageError(f"lock: there is no joint `{shown(name)}`{meant}; there are {', '.join(map(shown, known))}")


def _position(link: LinkDescription, name: str, text: str) -> Exact:
    try:
        position = evaluate(text)
    except ArithmeticTextError as error:
        raise UsageError(f"lock {shown(name)}: {error}") from None
    if not link.joint.angular:
        return position
    if abs(position) > MAX_ANGLE:
        raise UsageError(f"lock {shown(name)}: beyond {MAX_ANGLE} rad: angles are in radians, deg(90) is pi/2")
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
    while kept and (part := part_about(axis, kept[-1])) is not None:  # it commutes with others about or along this axis
        if isinstance(kept.pop(), Rotation):
            angle += part
        else:
            length += part
    return displacement(*kept, Rotation(axis, angle), along(axis, length))


def _inverse(steps: Displacement) -> Displacement:
    """The inverse of rotations that follow each other."""
    return tuple(Rotation(step.axis, -step.angle) for step in reversed(steps) if isinstance(step, Rotation))
