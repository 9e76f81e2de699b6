"""Selection of the frames at which external wrenches and contact forces act on a robot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dynagen.errors import UsageError, clip, suggest_word
from dynagen.robot.description import TOOL, RobotDescription
from dynagen.robot.names import make_identifier


def find_contact_faults(named: Sequence[str], frames: Sequence[str]) -> Iterator[str]:
    """Yield a message for each named frame that the robot lacks, or that is named twice.

    Args:
        named: names of the frames at which wrenches or forces act.
        frames: names of the frames of the robot.
    """
    known = tuple(dict.fromkeys((TOOL, *frames)))
    for name in named:
        if make_identifier(name) not in map(make_identifier, known):
            yield (
                f"there is no frame `{clip(name)}`{suggest_word(name, known)}; "
                f"there are {', '.join(known)}"
            )
    for name, times in Counter(map(make_identifier, named)).items():
        if times > 1:
            yield f"the frame `{clip(name)}` is named {times} times: name it once"


def set_external_forces(
    description: RobotDescription, wrenches: Sequence[str], forces: Sequence[str]
) -> RobotDescription:
    """Set the frames at which external wrenches act, and the frames at which contact forces act.

    Args:
        description: the robot.
        wrenches: names of frames; an empty sequence keeps the wrenches of the description.
        forces: names of frames; an empty sequence keeps the contact forces of the description.

    Raises:
        UsageError: a frame is unknown or named twice.
    """
    frames = [frame.name for frame in description.frames]
    for option, named in (("wrench_at", wrenches), ("contact_force", forces)):
        if faults := list(find_contact_faults(named, frames)):
            raise UsageError(f"{option}: {'; '.join(faults)}")
    return replace(
        description,
        external_wrenches=tuple(wrenches) or description.external_wrenches,
        contact_forces=tuple(forces) or description.contact_forces,
    )
