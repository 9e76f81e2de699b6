"""Placements of joints and links in the patterns that formats have for them.

Displacements by the pattern that a format has for them: an origin with roll, pitch and yaw, a Denavit-Hartenberg row.

Links whose frames stand behind their joints, for formats that have none: they are fixed to links without mass that move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dynagen.numbers.exact import ZERO, Angle, Exact, is_zero
from dynagen.robot.coordinates import with_coordinates
from dynagen.robot.description import NO_INERTIA, LinkDescription, RobotDescription
from dynagen.robot.joints import FIXED, Joint
from dynagen.robot.names import identifier
from dynagen.robot.pose import (
    ORIGIN,
    Displacement,
    Rotation,
    Translation,
    Vector,
    X,
    Y,
    Z,
    part_about,
    pose_after,
)

Slot = tuple[Literal["about", "along"], int]
"""A step of a pattern: a rotation about one of the axes X, Y, Z, or a translation along it."""

_MODIFIED: tuple[Slot, ...] = (("about", X), ("along", X), ("about", Z), ("along", Z))
_STANDARD: tuple[Slot, ...] = (("about", Z), ("along", Z), ("along", X), ("about", X))


@dataclass(frozen=True)
class Origin:
    """T(xyz) Rz(yaw) Ry(pitch) Rx(roll): xyz in m, rpy = (roll, pitch, yaw) in rad."""

    xyz: Vector = ORIGIN
    rpy: Vector = ORIGIN

    def __bool__(self) -> bool:
        return any((*self.xyz, *self.rpy))


@dataclass(frozen=True)
class Row:
    """An origin and a Denavit-Hartenberg row behind it: rad and m."""

    origin: Origin
    alpha: Exact
    a: Exact
    d: Exact
    theta: Exact


def origin_of(steps: Displacement) -> Origin:
    """Any displacement as an origin; with the very numbers of its steps if these are those of one, else composed."""
    if (found := _as_origin(steps)) is not None:
        return found
    pose = pose_after(steps)
    (r00, r01, _), (r10, r11, _), (r20, r21, r22) = (
        tuple(ZERO if is_zero(x) else x for x in row) for row in pose.rotation
    )
    x, y, z = (ZERO if is_zero(length) else length for length in pose.translation)
    if not (r00 or r10):  # pitch is a right angle: roll and yaw are about one axis
        pitch = Angle.from_cosine_sine(ZERO, -r20)
        return Origin((x, y, z), (ZERO, pitch.radians, Angle.from_cosine_sine(r11, -r01).radians))
    yaw = Angle.from_cosine_sine(r00, r10)
    pitch = Angle.from_cosine_sine(yaw.cos * r00 + yaw.sin * r10, -r20)
    return Origin((x, y, z), (Angle.from_cosine_sine(r22, r21).radians, pitch.radians, yaw.radians))


def row_of(
    before: Displacement, after: Displacement, convention: Literal["modified", "standard"]
) -> Row | None:
    """The steps in front of a joint along z and behind it as an origin and a row; None if they are none."""
    pattern, behind = (
        (_MODIFIED, ()) if convention == "modified" else (_STANDARD[:2], _STANDARD[2:])
    )
    if (last := _matched(after, behind)) is None:
        return None
    for place in range(len(before) + 1):
        origin, first = _as_origin(before[:place]), _matched(before[place:], pattern)
        if origin is not None and first is not None:
            numbers = {
                **dict(zip(pattern, first, strict=True)),
                **dict(zip(behind, last, strict=True)),
            }
            alpha, a, theta, d = (numbers[slot] for slot in _MODIFIED)
            return Row(origin, alpha, a, d, theta)
    return None


def _as_origin(steps: Displacement) -> Origin | None:
    """A translation, then yaw, pitch and roll, each at most once."""
    xyz = ORIGIN
    if steps and isinstance(steps[0], Translation):
        xyz, steps = steps[0].vector, steps[1:]
    angles = _matched(steps, (("about", Z), ("about", Y), ("about", X)))
    return None if angles is None else Origin(xyz, (angles[2], angles[1], angles[0]))


def _matched(steps: Displacement, pattern: Sequence[Slot]) -> tuple[Exact, ...] | None:
    """The numbers of the slots of a pattern, zero where there is no step for one; None if a step is left over."""
    rest = list(steps)
    numbers = []
    for kind, axis in pattern:
        number = _in_slot(rest[0], kind, axis) if rest else None
        if number is not None:
            rest.pop(0)
        numbers.append(number or ZERO)
    return None if rest else tuple(numbers)


def _in_slot(step: Rotation | Translation, kind: str, axis: int) -> Exact | None:
    return part_about(axis, step) if (kind == "about") == isinstance(step, Rotation) else None


SUFFIX = "_joint_frame"


@dataclass(frozen=True)
class Written:
    """A robot as it has been written in some syntax.

    Attributes:
        text: of the file.
        joints: what that calls the joints that move, in the order of the robot that was written.
    """

    text: str
    joints: tuple[str, ...]


def split_joint_frames(
    description: RobotDescription, can_say: Callable[[LinkDescription], bool] = lambda link: False
) -> RobotDescription:
    """The same robot, in which nothing stands behind a joint that moves.

    Args:
        description: a robot.
        can_say: whether a link stays as it is.
    """
    split = [
        link for link in description.links if link.joint.moves and link.after and not can_say(link)
    ]
    taken = {identifier(link.name) for link in description.links}
    names = {link.name: link.name + SUFFIX for link in split}
    for name in names:
        while identifier(names[name]) in taken:
            names[name] += "_2"
    links: list[LinkDescription] = []
    for link in description.links:
        joint = replace(link.joint, mimics=names.get(link.joint.mimics, link.joint.mimics))
        link = replace(link, joint=joint)
        if link.name in names:
            of_joint = tuple(
                (key, text) for key, text in link.remarks if key in ("motor", "friction")
            )
            links.append(
                replace(
                    link, name=names[link.name], after=(), inertial=NO_INERTIA, remarks=of_joint
                )
            )
            link = LinkDescription(
                link.name,
                names[link.name],
                link.after,
                Joint(FIXED),
                (),
                link.inertial,
                remarks=link.remarks,
            )
        links.append(link)
    return replace(description, links=with_coordinates(links)) if split else description
