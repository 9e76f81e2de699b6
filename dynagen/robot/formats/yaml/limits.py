"""Reading of joint limits from YAML descriptions."""

from __future__ import annotations

from dynagen.errors import clip
from dynagen.numbers.exact import PI, ZERO, Exact
from dynagen.robot.description import Limits
from dynagen.robot.formats.yaml.document import Path
from dynagen.robot.formats.yaml.quantities import YamlQuantities
from dynagen.robot.formats.yaml.schema import LimitsSchema
from dynagen.robot.joints import Joint

# Limits beyond these are probably degrees. Cables allow few rotations from zero to either end, and
# no joint of a robot is as fast as 60 rad/s.
_MOST_ROTATIONS = 2
_FASTEST = 60  # rad/s


def read_limits(
    limits: LimitsSchema, joint: Joint, path: Path, quantities: YamlQuantities
) -> Limits:
    """Return the limits of a joint in SI units.

    Limits that are probably in degrees cause a warning.

    Args:
        limits: the fields of the file.
        joint: the joint.
        path: path of `limits` in the file, for messages.
        quantities: reader of numbers, which collects faults and warnings.
    """
    position: tuple[Exact, Exact] | None = None
    if limits.position is not None:
        low, high = (
            quantities.read_number(text, (*path, "position", i))
            for i, text in enumerate(limits.position)
        )
        if not low < high:
            quantities.faults.add((*path, "position"), "expected [low, high] with low < high")
        if joint.angular and max(abs(low), abs(high)) > _MOST_ROTATIONS * 2 * PI:
            degrees = ", ".join(f"deg({clip(text)})" for text in limits.position)
            quantities.warn(
                (*path, "position"),
                f"the limits are more than {_MOST_ROTATIONS} rotations: if they are in degrees, "
                "write "
                f"[{degrees}]",
            )
        position = low, high
    velocity = _read_positive(limits.velocity, (*path, "velocity"), quantities)
    if joint.angular and velocity is not None and velocity > _FASTEST:
        message = (
            f"the limit is above {_FASTEST} rad/s: "
            f"if it is in degrees per second, write deg({clip(limits.velocity or '')})"
        )
        quantities.warn((*path, "velocity"), message)
    return Limits(position, velocity, _read_positive(limits.effort, (*path, "effort"), quantities))


def _read_positive(text: str | None, path: Path, quantities: YamlQuantities) -> Exact | None:
    if text is None:
        return None
    number = quantities.read_number(text, path)
    if not number > ZERO:
        quantities.faults.add(path, f"expected a positive number, found `{clip(text)}`")
    return number
