"""Floating bases: a robot whose first link moves freely. RobotDescription -> the same robot on a floating base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dynagen.description.coordinates import with_coordinates
from dynagen.description.description import NO_INERTIA, LinkDescription, RobotDescription, path_to_base
from dynagen.description.joints import FLOATING, Joint

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
        return others[0].name, f"its joint is floating, and so is that of {floating.name}: a robot has one floating link"
    by_name = {link.name: link for link in links}
    for link in path_to_base(by_name, floating.name):
        if link is not floating and link.joint.moves:
            return floating.name, f"its joint is floating, and {link.name} carries it: only what sits on the base can float"
        if link.before or link.after:
            return (
                link.name,
                "q says where the floating link is in the base frame: remove the displacement in front of it",
            )
    for link in links:
        if link.joint.moves and floating not in path_to_base(by_name, link.name):
            return link.name, f"it moves, and is not carried by the floating link {floating.name}: let that carry it"
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
    if not first.joint.moves and not (first.before or first.after) and all(link.parent is not None for link in others):
        floating: Sequence[LinkDescription] = (replace(first, joint=Joint(FLOATING)), *others)
    else:
        base = LinkDescription(BASE_LINK, None, before=(), joint=Joint(FLOATING), after=(), inertial=NO_INERTIA)
        on_base = (replace(link, parent=BASE_LINK) if link.parent is None else link for link in links)
        floating = (base, *on_base)
    return replace(description, links=with_coordinates(floating))
