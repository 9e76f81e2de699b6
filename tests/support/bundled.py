"""Bundled robots with more in their descriptions than they come with."""

import re

import pytest

from dynagen.resources import find_robots_folder, list_bundled_robots
from dynagen.robot.description import RobotDescription
from dynagen.robot.loading import parse_robot

ALL_BUNDLED = [
    pytest.param(name, marks=pytest.mark.slow) if name == "g1" else name
    for name in list_bundled_robots()
]
"""The names of all bundled robots, as values of a parameter: the humanoid takes longer than all
others together.
"""


def extended(text: str, *lines: str) -> RobotDescription:
    """A description with more lines at its top level."""
    return parse_robot("\n".join([*lines, text]), "extended.yaml")


def bundled(name: str, *lines: str) -> RobotDescription:
    """A bundled robot with more lines at the top level of its description."""
    return extended((find_robots_folder() / f"{name}.yaml").read_text(encoding="utf-8"), *lines)


def with_masses_at_run_time(name: str) -> RobotDescription:
    """A bundled robot whose masses are parameters at run time."""
    text = (find_robots_folder() / f"{name}.yaml").read_text(encoding="utf-8")
    masses = re.findall(r"^    mass: ([\d.]+)", text, flags=re.MULTILINE)
    for number, mass in enumerate(masses):
        text = re.sub(
            rf"^    mass: {re.escape(mass)}",
            f"    mass: m{number}",
            text,
            count=1,
            flags=re.MULTILINE,
        )
    parameters = "".join(
        f"  m{number}: {{value: {mass}, unit: kg, runtime: true}}\n"
        for number, mass in enumerate(masses)
    )
    return parse_robot(
        text.replace("links:\n", f"parameters:\n{parameters}links:\n", 1), f"{name}.yaml"
    )
