"""Links whose frames stand behind their joints, for formats that have none: they are fixed to links without mass that move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from dynagen.description.coordinates import with_coordinates
from dynagen.description.description import NO_INERTIA, LinkDescription, RobotDescription
from dynagen.description.joints import FIXED, Joint
from dynagen.description.names import identifier

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


def with_joint_frames(
    description: RobotDescription, can_say: Callable[[LinkDescription], bool] = lambda link: False
) -> RobotDescription:
    """The same robot, in which nothing stands behind a joint that moves.

    Args:
        description: a robot.
        can_say: whether a link stays as it is.
    """
    split = [link for link in description.links if link.joint.moves and link.after and not can_say(link)]
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
            of_joint = tuple((key, text) for key, text in link.remarks if key in ("motor", "friction"))
            links.append(replace(link, name=names[link.name], after=(), inertial=NO_INERTIA, remarks=of_joint))
            link = LinkDescription(
                link.name, names[link.name], link.after, Joint(FIXED), (), link.inertial, remarks=link.remarks
            )
        links.append(link)
    return replace(description, links=with_coordinates(links)) if split else description
