"""The payload: a link whose ten inertial parameters are run-time parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dynagen.errors import UsageError, clip, suggest_word
from dynagen.numbers.exact import ZERO
from dynagen.numbers.parametric import Parameter, ParametricNumber
from dynagen.robot.description import (
    TOOL,
    LinkDescription,
    NamedFrame,
    OriginInertia,
    RobotDescription,
)
from dynagen.robot.joints import FIXED, Joint
from dynagen.robot.names import make_identifier

PAYLOAD = "payload"
"""Name of the link that represents the payload."""

PAYLOAD_PARAMETERS = {
    f"{PAYLOAD}_{name}": unit
    for names, unit in (
        (("mass",), "kg"),
        (("mx", "my", "mz"), "kg m"),
        (("jxx", "jyy", "jzz", "jxy", "jxz", "jyz"), "kg m^2"),
    )
    for name in names
}
"""Mapping from the name of each payload parameter to its unit.

The parameters are mass, first moments, and inertia about the origin of the payload's frame, in the
axes of this frame.
"""


def find_payload_fault(
    name: str,
    links: Sequence[str],
    frames: Sequence[str],
    parameters: Sequence[Parameter],
) -> str | None:
    """Return the reason why a payload cannot be fixed to a link or frame; None if it can be fixed.

    Args:
        name: name of the link or frame.
        links: names of the robot's links.
        frames: names of the robot's frames.
        parameters: run-time parameters of the robot, without those of a payload.
    """
    known = tuple(dict.fromkeys((*links, *frames, TOOL)))
    if make_identifier(name) not in map(make_identifier, known):
        return f"there is no link or frame `{clip(name)}`{suggest_word(name, known)}"
    if PAYLOAD in map(make_identifier, links):
        return f"the name `{PAYLOAD}` is reserved for the payload: rename the link `{PAYLOAD}`"
    for parameter in parameters:
        if make_identifier(parameter.name) in PAYLOAD_PARAMETERS:
            return (
                f"the run-time parameter `{clip(parameter.name)}` has the name of a parameter of "
                "the "
                "payload: rename the run-time parameter"
            )
    return None


def set_payload(description: RobotDescription, name: str) -> RobotDescription:
    """Return a robot with a payload on a link or frame; an existing payload is replaced.

    Args:
        description: the robot.
        name: a link or frame of the robot, or `tool`; an empty name keeps the robot as it is.

    Raises:
        UsageError: the link or frame does not exist, or a link or parameter already has a name that
            the payload requires.
    """
    if not name:
        return description
    bare = _remove_payload(description)
    fault = find_payload_fault(
        name,
        [link.name for link in bare.links],
        [frame.name for frame in bare.frames],
        bare.parameters,
    )
    if fault:
        raise UsageError(f"payload: {fault}")
    return add_payload(bare, name)


def add_payload(description: RobotDescription, name: str) -> RobotDescription:
    """Add a payload to a robot without payload.

    The payload is a fixed link. Its mass (kg), first moments (kg m) and inertia (kg m^2) are ten
    run-time parameters with the default zero. They refer to the origin and the axes of the link or
    frame.

    Args:
        description: the robot.
        name: link or frame that carries the payload. `find_payload_fault` must return None for it.
    """
    frame = _find_frame(description, name)
    parameters = tuple(
        Parameter(parameter, ZERO, unit) for parameter, unit in PAYLOAD_PARAMETERS.items()
    )
    mass, x, y, z, xx, yy, zz, xy, xz, yz = map(ParametricNumber, parameters)
    link = LinkDescription(
        name=PAYLOAD,
        parent=frame.link,
        before=frame.placement,
        joint=Joint(FIXED),
        after=(),
        inertial=OriginInertia(mass, (x, y, z), (xx, yy, zz, xy, xz, yz)),
    )
    links, frames = description.links, description.frames
    behind = [link.name for link in links].index(frame.link) + 1
    if behind == len(links) and frame.placement and TOOL not in _identify(frames):
        # The payload becomes the last link, and `tool` must not move with it.
        frames = (*frames, NamedFrame(TOOL, frame.link, ()))
    return replace(
        description,
        links=(*links[:behind], link, *links[behind:]),
        frames=frames,
        parameters=(*description.parameters, *parameters),
        payload=tuple(PAYLOAD_PARAMETERS),
    )


def name_payload_place(description: RobotDescription) -> str:
    """Return the name of the link or frame that carries a robot's payload."""
    (payload,) = (link for link in description.links if link.name == PAYLOAD)
    place = payload.parent, payload.before
    frames = (frame.name for frame in description.frames if (frame.link, frame.placement) == place)
    return next(frames) if payload.before else payload.parent or ""


def _remove_payload(description: RobotDescription) -> RobotDescription:
    """Return the robot without its payload and the payload's parameters."""
    if not description.payload:
        return description
    return replace(
        description,
        links=tuple(link for link in description.links if link.name != PAYLOAD),
        parameters=tuple(
            parameter
            for parameter in description.parameters
            if parameter.name not in description.payload
        ),
        payload=(),
    )


def _find_frame(description: RobotDescription, name: str) -> NamedFrame:
    """Return the frame of a link, a named frame, or for `tool` the frame of the last link."""
    for link in description.links:
        if link.name == name:
            return NamedFrame(name, name, ())
    last = NamedFrame(TOOL, description.links[-1].name, ())
    links = (NamedFrame(link.name, link.name, ()) for link in description.links)
    identifier = make_identifier(name)
    return next(
        frame
        for frame in (*description.frames, *links, last)
        if make_identifier(frame.name) == identifier
    )


def _identify(frames: Sequence[NamedFrame]) -> list[str]:
    return [make_identifier(frame.name) for frame in frames]
