"""A part of a robot: a RobotDescription -> the subtree that one of its links carries, or the chain that leads to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from dynagen.description.coordinates import with_coordinates
from dynagen.description.description import TOOL, LinkDescription, NamedFrame, RobotDescription, path_to_base
from dynagen.description.displacement import Displacement, Rotation, Vector
from dynagen.description.joints import FIXED, Joint
from dynagen.description.locking import frozen
from dynagen.description.names import identifier
from dynagen.description.payload import PAYLOAD
from dynagen.errors import UsageError, did_you_mean, shown
from dynagen.numbers.exact import ZERO, is_zero

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
            raise UsageError(f"there is no link `{shown(link)}`{meant}; there are {_listed(list(links))}")
    names = _kept(links, root, tip)
    kept = [_as_base(links[name]) if name == root else links[name] for name in names]
    _check(description, {link.name: link for link in kept})
    notes = [*description.notes, *_left_out([link for name, link in links.items() if name not in names])]
    gravity = description.gravity
    if root is not None:
        gravity = _in_axes_of(path_to_base(links, root)[::-1], gravity)
        direction = " ".join(f"{float(component):.5g}" for component in gravity)
        notes.append(f"gravity is {direction} m/s^2 in the axes of {root}, with the joints in front of it at zero")
    frames = tuple(frame for frame in description.frames if frame.link in names)
    if tip is not None and TOOL not in map(identifier, (*names, *(frame.name for frame in frames))):
        frames = (*frames, NamedFrame(TOOL, tip, ()))
    return replace(
        description,
        gravity=gravity,
        links=with_coordinates(kept),
        frames=frames,
        notes=tuple(notes),
        warnings=tuple(warning for warning in description.warnings if not warning.link or warning.link in names),
    )


def _left_out(links: Sequence[LinkDescription]) -> Iterator[str]:
    """A note on links that are left out, if there are any."""
    mass = float(sum((link.inertial.mass for link in links), ZERO))
    if links:
        links_are = f"{len(links)} links with {mass:.5g} kg are" if len(links) > 1 else f"1 link with {mass:.5g} kg is"
        yield f"{links_are} left out: {_listed([link.name for link in links])}"


def _kept(links: Mapping[str, LinkDescription], root: str | None, tip: str | None) -> dict[str, None]:
    """Names of the links that are kept, in the order of the robot."""
    carried = [name for name in links if root is None or root in (each.name for each in path_to_base(links, name))]
    if tip is None:
        return dict.fromkeys(carried)
    if tip not in carried:
        raise UsageError(f"link {shown(root or '')} does not carry {shown(tip)}: the root comes before the tip")
    chain = {link.name for link in path_to_base(links, tip)}
    kept: dict[str, None] = {}
    for name in carried:
        link = links[name]
        is_fixed = not link.joint.moves and link.parent in kept and (link.parent != tip or name == PAYLOAD)
        if name in chain or is_fixed:
            kept[name] = None
    return kept


def _as_base(link: LinkDescription) -> LinkDescription:
    """A link whose frame is the base frame."""
    fixed = Joint(FIXED, name=link.joint.name)
    return replace(link, parent=None, before=(), joint=fixed, after=(), motor_inertia=ZERO, friction=None, limits=None)


def _check(description: RobotDescription, kept: Mapping[str, LinkDescription]) -> None:
    """Refuse a part that needs what is left out."""
    if not any(link.joint.moves for link in kept.values()):
        raise UsageError(f"between root and tip no joint of {description.name} moves: name links further apart")
    for link in kept.values():
        leader = link.joint.mimics
        if leader and (leader not in kept or not kept[leader].joint.moves):
            (joint,) = (each.joint_name for each in description.links if each.name == leader)
            raise UsageError(
                f"joint {link.joint_name} follows {joint}, which is left out: lock {joint} at a position, and both stand still"
            )
    if description.payload and PAYLOAD not in kept:
        raise UsageError("the link that carries the payload is left out: keep it, or remove `payload` from the description")
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
