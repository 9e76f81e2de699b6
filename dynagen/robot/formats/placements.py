"""Conversion of displacements to the forms that file formats support, for writers of files.

In a file, a displacement is an origin (translation, roll, pitch, yaw) or a Denavit-Hartenberg row.
If a format cannot express a displacement after a joint, the link is split into two links
(`split_joint_frames`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dynagen.numbers.exact import ZERO, Angle, Exact, is_zero
from dynagen.robot.coordinates import number_coordinates
from dynagen.robot.description import NO_INERTIA, LinkDescription, RobotDescription
from dynagen.robot.joints import FIXED, Joint
from dynagen.robot.names import make_identifier
from dynagen.robot.pose import (
    ORIGIN,
    Displacement,
    Rotation,
    Translation,
    Vector,
    X,
    Y,
    Z,
    compute_pose,
    find_part,
)

Slot = tuple[Literal["about", "along"], int]
"""Kind of a step: `about` for a rotation or `along` for a translation, and the axis X, Y or Z."""

_MODIFIED: tuple[Slot, ...] = (("about", X), ("along", X), ("about", Z), ("along", Z))
_STANDARD: tuple[Slot, ...] = (("about", Z), ("along", Z), ("along", X), ("about", X))


@dataclass(frozen=True)
class Origin:
    """A translation, then rotations by yaw about z, pitch about y and roll about x, as in URDF.

    Attributes:
        xyz: translation (m).
        rpy: roll, pitch and yaw (rad).
    """

    xyz: Vector = ORIGIN
    rpy: Vector = ORIGIN

    def __bool__(self) -> bool:
        return any((*self.xyz, *self.rpy))


@dataclass(frozen=True)
class DenavitHartenbergRow:
    """An origin followed by a Denavit-Hartenberg row; angles in rad, lengths in m."""

    origin: Origin
    alpha: Exact
    a: Exact
    d: Exact
    theta: Exact


def convert_to_origin(steps: Displacement) -> Origin:
    """Convert any displacement to a translation, followed by rotations by yaw, pitch and roll.

    A displacement that already has this form keeps its exact numbers. For other displacements, the
    angles have errors up to 1e-25.
    """
    if (origin := _match_origin(steps)) is not None:
        return origin
    pose = compute_pose(steps)
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


def find_row(
    before: Displacement, after: Displacement, convention: Literal["modified", "standard"]
) -> DenavitHartenbergRow | None:
    """Convert the displacements around a joint to an origin and a Denavit-Hartenberg row.

    Args:
        before: displacement before the joint, whose axis is z.
        after: displacement after the joint.
        convention: convention of the Denavit-Hartenberg row.

    Returns:
        The origin and the row; None if they cannot express the displacements.
    """
    # In the standard convention the joint is in the middle of the row.
    pattern, behind = (
        (_MODIFIED, ()) if convention == "modified" else (_STANDARD[:2], _STANDARD[2:])
    )
    if (last := _match_slots(after, behind)) is None:
        return None
    for split in range(len(before) + 1):
        origin, first = _match_origin(before[:split]), _match_slots(before[split:], pattern)
        if origin is not None and first is not None:
            numbers = {
                **dict(zip(pattern, first, strict=True)),
                **dict(zip(behind, last, strict=True)),
            }
            alpha, a, theta, d = (numbers[slot] for slot in _MODIFIED)
            return DenavitHartenbergRow(origin, alpha, a, d, theta)
    return None


def _match_origin(steps: Displacement) -> Origin | None:
    """Return a displacement as an `Origin`; None unless its steps have the order of an origin.

    The order is a translation, and rotations by yaw, pitch and roll. Steps may be missing.
    """
    xyz = ORIGIN
    if steps and isinstance(steps[0], Translation):
        xyz, steps = steps[0].vector, steps[1:]
    angles = _match_slots(steps, (("about", Z), ("about", Y), ("about", X)))
    return None if angles is None else Origin(xyz, (angles[2], angles[1], angles[0]))


def _match_slots(steps: Displacement, pattern: Sequence[Slot]) -> tuple[Exact, ...] | None:
    """Return the angle or length of each step in `pattern`; None if `steps` does not match.

    `steps` matches if its steps have the kinds, axes and order of the pattern. A step of the
    pattern that is missing in `steps` has the result zero.
    """
    rest = list(steps)
    numbers = []
    for kind, axis in pattern:
        number = _number_in_slot(rest[0], kind, axis) if rest else None
        if number is not None:
            rest.pop(0)
        numbers.append(number or ZERO)
    return None if rest else tuple(numbers)


def _number_in_slot(step: Rotation | Translation, kind: str, axis: int) -> Exact | None:
    """Return the angle or length of a step, or None if the step has another kind or axis."""
    return find_part(axis, step) if (kind == "about") == isinstance(step, Rotation) else None


_SUFFIX = "_joint_frame"


@dataclass(frozen=True)
class WrittenRobot:
    """A robot as text in a file format.

    Attributes:
        text: content of the file.
        joints: names of the moving joints in the file, in the order of the description.
    """

    text: str
    joints: tuple[str, ...]


def split_joint_frames(
    description: RobotDescription,
    keeps_link: Callable[[LinkDescription], bool] = lambda link: False,
) -> RobotDescription:
    """Split each link with a constant displacement after a moving joint into two links.

    The first link has the frame that the joint moves, and no mass. The second link has the inertia
    and the name of the original link. It is fixed to the first link.

    Args:
        description: description of the robot.
        keeps_link: function that returns whether the format can express a link without a split.
    """
    split = [
        link
        for link in description.links
        if link.joint.moves and link.after and not keeps_link(link)
    ]
    taken = {make_identifier(link.name) for link in description.links}
    names = {link.name: link.name + _SUFFIX for link in split}
    for name in names:
        while make_identifier(names[name]) in taken:
            names[name] += "_2"
    links: list[LinkDescription] = []
    for link in description.links:
        joint = replace(link.joint, mimics=names.get(link.joint.mimics, link.joint.mimics))
        link = replace(link, joint=joint)
        if link.name in names:
            joint_remarks = tuple(
                (key, text) for key, text in link.remarks if key in ("motor", "friction")
            )
            links.append(
                replace(
                    link,
                    name=names[link.name],
                    after=(),
                    inertial=NO_INERTIA,
                    remarks=joint_remarks,
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
    return replace(description, links=number_coordinates(links)) if split else description
