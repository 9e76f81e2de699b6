"""The limits of a joint: LimitsSchema -> Limits, and a warning where they look like degrees."""

from __future__ import annotations

from dynagen.description.description import Limits
from dynagen.description.joints import Joint
from dynagen.description.yaml.document import Path
from dynagen.description.yaml.quantities import Quantities
from dynagen.description.yaml.schema import LimitsSchema
from dynagen.errors import shown
from dynagen.numbers.exact import PI, ZERO, Exact

_MOST_ROTATIONS = 2  # from zero to either end: no joint of a robot with cables goes further
_FASTEST = 60  # rad/s: no joint of a robot is as fast; what degrees a second would mean is slower than 1 rad/s below it


def read_limits(limits: LimitsSchema, joint: Joint, path: Path, quantities: Quantities) -> Limits:
    """The limits of a joint, checked."""
    position: tuple[Exact, Exact] | None = None
    if limits.position is not None:
        low, high = (quantities.number(text, (*path, "position", i)) for i, text in enumerate(limits.position))
        if not low < high:
            quantities.faults.add((*path, "position"), "expected [low, high] with low < high")
        if joint.angular and max(abs(low), abs(high)) > _MOST_ROTATIONS * 2 * PI:
            degrees = ", ".join(f"deg({shown(text)})" for text in limits.position)
            quantities.warn((*path, "position"), f"beyond {_MOST_ROTATIONS} rotations: for degrees write [{degrees}]")
        position = low, high
    velocity = _positive(limits.velocity, (*path, "velocity"), quantities)
    if joint.angular and velocity is not None and velocity > _FASTEST:
        message = f"faster than {_FASTEST} rad/s: for degrees a second write deg({shown(limits.velocity or '')})"
        quantities.warn((*path, "velocity"), message)
    return Limits(position, velocity, _positive(limits.effort, (*path, "effort"), quantities))


def _positive(text: str | None, path: Path, quantities: Quantities) -> Exact | None:
    if text is None:
        return None
    number = quantities.number(text, path)
    if not number > ZERO:
        quantities.faults.add(path, f"expected a positive number, found `{shown(text)}`")
    return number
