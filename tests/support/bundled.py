"""Bundled robots with more in their descriptions than they come with."""

from dynagen.description.description import RobotDescription
from dynagen.description.loading import parse_robot
from dynagen.resources import robots_folder


def extended(text: str, *lines: str) -> RobotDescription:
    """A description with more lines at its top level."""
    return parse_robot("\n".join([*lines, text]), "extended.yaml")


def bundled(name: str, *lines: str) -> RobotDescription:
    """A bundled robot with more lines at the top level of its description."""
    return extended((robots_folder() / f"{name}.yaml").read_text(encoding="utf-8"), *lines)
