"""Numbering of coordinates: indices of each joint's entries in q and v."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from dynagen.errors import UsageError
from dynagen.robot.description import LinkDescription
from dynagen.robot.joints import Joint


def refuse_special_joints(
    robot: str,
    joints: Iterable[Joint],
    subject: str,
    with_loops: bool = False,
    with_spherical_joints: bool = False,
) -> None:
    """Raise an error if a robot has spherical joints, or joints that closed loops determine.

    Args:
        robot: name of the robot.
        joints: joints of the robot.
        subject: function or format that does not support such joints, for the message.
        with_loops: whether `subject` supports closed loops.
        with_spherical_joints: whether `subject` supports spherical joints.

    Raises:
        UsageError: one of the joints is spherical, or is determined by closed loops.
    """
    joints = tuple(joints)
    if not with_loops and any(joint.is_dependent for joint in joints):
        raise UsageError(
            f"{subject} does not support closed loops, and {robot} has loops: "
            "leave out `loops` in its description"
        )
    if not with_spherical_joints and any(
        "qw" in joint.type.position_names and not joint.type.is_free for joint in joints
    ):
        raise UsageError(
            f"{subject} does not support spherical joints, and {robot} has one: "
            "write three revolute joints about different axes instead"
        )


def number_coordinates(links: Sequence[LinkDescription]) -> tuple[LinkDescription, ...]:
    """Return the links with indices `idx_q` and `idx_v` of their joints' first entries in q and v.

    A mimicking joint has the indices of the joint that it mimics. If a joint mimics another
    mimicking joint, the result combines the ratios and offsets of both, so that every mimicking
    joint refers to an independent joint.

    Args:
        links: the links in their final order.
    """
    joints = {link.name: link.joint for link in links}
    q = v = 0
    for name, joint in joints.items():
        joints[name] = replace(joint, idx_q=q, idx_v=v)
        q, v = q + joint.nq, v + joint.nv
    resolved = _resolve_mimics(joints)
    return tuple(replace(link, joint=resolved[link.name]) for link in links)


def _resolve_mimics(joints: Mapping[str, Joint]) -> dict[str, Joint]:
    """Return the joints, changed so that each mimicking joint mimics an independent joint."""
    resolved: dict[str, Joint] = {}
    # A loop and not a recursion: a chain of mimicking joints may be as long as the robot.
    for name in joints:
        trail: list[str] = []
        while name not in resolved and joints[name].mimics:
            trail.append(name)
            name = joints[name].mimics
        resolved.setdefault(name, joints[name])
        for follower in reversed(trail):
            resolved[follower] = _follow(joints[follower], resolved[joints[follower].mimics])
    return resolved


def _follow(joint: Joint, other: Joint) -> Joint:
    """Return a mimicking joint that refers to an independent joint.

    `joint` mimics `other`. If `other` mimics a third joint, the result mimics the third joint, with
    the same motion as before.
    """
    return replace(
        joint,
        mimics=other.mimics or joint.mimics,
        ratio=joint.ratio * other.ratio,
        offset=joint.ratio * other.offset + joint.offset,
        idx_q=other.idx_q,
        idx_v=other.idx_v,
    )
