"""Warnings for numbers that make sense in other units only, as mm, g or kg cm^2: beyond bounds that no usual robot reaches."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynagen.description.description import LinkDescription, RobotDescription
from dynagen.description.displacement import Translation
from dynagen.description.inertia import central_inertia

_FURTHEST = (
    3  # times the robot's reach, of a centre of mass or a radius of gyration; kg cm^2 would be 100 times, mm 1000 times
)
_DENSEST = 2000  # kg/m^3 of a cube as wide as the robot reaches; grams would be 1000 times an arm's mass


def scale_implausibilities(robot: RobotDescription) -> Iterator[tuple[str, str]]:
    """Names of links, and what about them is most likely in other units; numbers of the robot must be known."""
    reach = _reach(robot)
    if not reach:
        return  # no lengths to compare with
    extents = [reach]
    for link in robot.links:
        if link.inertial.mass > 0:
            com, gyration = _com_distance(link), radius_of_gyration(link)
            extents += [com, gyration]
            beside = f"though the robot reaches {reach:.4g} m"
            if com > _FURTHEST * reach:
                yield link.name, f"centre of mass {com:.4g} m from the link's origin {beside}: write lengths in m"
            if gyration > _FURTHEST * reach:
                yield link.name, f"radius of gyration {gyration:.4g} m {beside}: write inertia in kg m^2 (1 kg cm^2 is 1e-4)"
    heaviest = max(robot.links, key=lambda link: float(link.inertial.mass))
    total, most = sum(float(link.inertial.mass) for link in robot.links), _DENSEST * max(extents) ** 3
    if total > most:
        yield (
            heaviest.name,
            f"all links together have {total:.4g} kg, more than a block of stone of the robot's reach: write kg",
        )


def _com_distance(link: LinkDescription) -> float:
    """Distance of the centre of mass from the origin of the link's frame, m."""
    return float(np.linalg.norm([float(each) for each in central_inertia(link.inertial).com]))


def radius_of_gyration(link: LinkDescription) -> float:
    """The largest about an axis through the centre of mass, m; of a link with mass."""
    xx, yy, zz, xy, xz, yz = (float(each) for each in central_inertia(link.inertial).inertia)
    largest = np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))[-1]
    return float(np.sqrt(max(0.0, largest) / float(link.inertial.mass)))


def _reach(robot: RobotDescription) -> float:
    """The longest path from the base to a link or a frame, joint by joint, m; 0 if a joint slides without limits."""
    reaches: dict[str | None, float] = {None: 0.0}
    for link in robot.links:
        position = link.limits.position if link.limits else None
        if link.joint.linear and position is None:
            return 0.0
        travel = max(abs(float(end * link.joint.linear)) for end in position) if position else 0.0
        reaches[link.name] = reaches[link.parent] + travel + _length(link.before) + _length(link.after)
    at_frames = (reaches[frame.link] + _length(frame.placement) for frame in robot.frames)
    return max((*reaches.values(), *at_frames))


def _length(steps: tuple[object, ...]) -> float:
    vectors = (step.vector for step in steps if isinstance(step, Translation))
    return sum(float(np.linalg.norm([float(each) for each in vector])) for vector in vectors)
