"""External wrenches: the frames at which a force and a moment are an input. RobotDescription -> one with such inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dynagen.description.description import TOOL, RobotDescription
from dynagen.description.names import identifier
from dynagen.errors import UsageError, did_you_mean, shown


def wrench_faults(wrenches: Sequence[str], frames: Sequence[str]) -> Iterator[str]:
    """Faults in names of frames for wrenches, of a robot with these named frames."""
    known = tuple(dict.fromkeys((TOOL, *frames)))
    for wrench in wrenches:
        if identifier(wrench) not in map(identifier, known):
            yield f"there is no frame `{shown(wrench)}`{did_you_mean(wrench, known)}; there are {', '.join(known)}"
    for name, times in Counter(map(identifier, wrenches)).items():
        if times > 1:
            yield f"the frame `{shown(name)}` is named {times} times: name it once"


def with_wrenches(description: RobotDescription, wrenches: Sequence[str]) -> RobotDescription:
    """The robot with wrenches at some frames as an input, instead of those that it has.

    Raises:
        UsageError: there is no such frame, or it is named twice.
    """
    if not wrenches:
        return description
    if faults := list(wrench_faults(wrenches, [frame.name for frame in description.frames])):
        raise UsageError(f"wrench_at: {'; '.join(faults)}")
    return replace(description, external_wrenches=tuple(wrenches))
