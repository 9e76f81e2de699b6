"""The entries of q and v of every joint. Links whose joints name what they mimic -> links whose joints have places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dynagen.robot.description import LinkDescription
from dynagen.robot.joints import Joint


def with_coordinates(links: Sequence[LinkDescription]) -> tuple[LinkDescription, ...]:
    """Give the joints of links their entries of q and v, in the order of the links.

    A mimic joint has those of the joint that it follows. Where that one is a mimic too, it follows the first of them that is
    none: q = r1 (r2 q' + o2) + o1 is one ratio and one offset.
    """
    joints = {link.name: link.joint for link in links}
    q = v = 0
    for name, joint in joints.items():
        joints[name] = replace(joint, idx_q=q, idx_v=v)
        q, v = q + joint.nq, v + joint.nv
    resolved = _resolved(joints)
    return tuple(replace(link, joint=resolved[link.name]) for link in links)


def _resolved(joints: Mapping[str, Joint]) -> dict[str, Joint]:
    """The joints, each mimic following one that is no mimic. A loop, because a chain of mimics may be as long as a robot."""
    resolved: dict[str, Joint] = {}
    for name in joints:
        trail: list[str] = []
        while name not in resolved and joints[name].mimics:
            trail.append(name)
            name = joints[name].mimics
        resolved.setdefault(name, joints[name])
        for follower in reversed(trail):
            resolved[follower] = _following(joints[follower], resolved[joints[follower].mimics])
    return resolved


def _following(joint: Joint, other: Joint) -> Joint:
    return replace(
        joint,
        mimics=other.mimics or joint.mimics,
        ratio=joint.ratio * other.ratio,
        offset=joint.ratio * other.offset + joint.offset,
        idx_q=other.idx_q,
        idx_v=other.idx_v,
    )
