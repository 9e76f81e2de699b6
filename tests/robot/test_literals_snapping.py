"""Rounded numbers are read as round ones within a tolerance that users may choose; each is kept."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from dynagen.errors import UsageError
from dynagen.numbers.exact import PI, ZERO, Exact
from dynagen.robot.literals import Snap, Snapping
from dynagen.robot.loading import parse_robot
from dynagen.robot.options import ReadingOptions, make_reading_options
from dynagen.robot.pose import Rotation, Translation, Y, Z
from tests.support.urdf_robots import joint, link, robot

URDF = robot(
    link("base_link"),
    link("a"),
    joint("j", "base_link", "a", '<origin xyz="1e-12 1e-5 1" rpy="0 1.5708 1.0471"/>'),
)
YAML = """name: arm
convention: modified
gravity: [0, 0, -9.81]
links:
- {name: a, joint: revolute, dh: {alpha: 1.5708, a: 1e-5, d: 0.3}, mass: 1, com: [0, 0, 0.1],
    inertia: [1, 1, 1]}
- {name: b, joint: revolute, dh: {alpha: 1.5706, a: 1e-5 + 0, d: 1/100000},
    mass: 1, com: [0, 0, 0.1], inertia: [1, 1, 1]}
"""


def test_a_urdf_is_snapped_by_digits_and_within_what_single_precision_leaves() -> None:
    description = parse_robot(URDF, "arm.urdf")
    assert description.links[1].before == (
        Translation((ZERO, Exact("1e-5"), Exact(1))),
        Rotation(Z, PI / 3),
        Rotation(Y, PI / 2),
    )
    where = "line 7: joint j.origin"
    assert description.snaps == (
        Snap(f"{where}.xyz", "1e-12", "0"),
        Snap(f"{where}.rpy", "1.5708", "pi/2"),
        Snap(f"{where}.rpy", "1.0471", "pi/3"),
    )


def test_zero_reads_every_number_as_it_is_written() -> None:
    description = parse_robot(URDF, "arm.urdf", make_reading_options(snap=0))
    assert description.snaps == ()
    assert description.links[1].before == (
        Translation((Exact("1e-12"), Exact("1e-5"), Exact(1))),
        Rotation(Z, Exact("1.0471")),
        Rotation(Y, Exact("1.5708")),
    )
    assert parse_robot(YAML, "arm.yaml", make_reading_options(snap=0)).links[0].before[
        0
    ] == Rotation(0, Exact("1.5708"))


def test_a_tolerance_is_for_angles_and_lengths_of_every_syntax_but_not_for_arithmetic() -> None:
    description = parse_robot(URDF, "arm.urdf", make_reading_options(snap="2e-5"))
    assert description.links[1].before[0] == Translation((ZERO, ZERO, Exact(1)))
    first, second = parse_robot(YAML, "arm.yaml", make_reading_options(snap=1e-3)).links
    assert first.before == (Rotation(0, PI / 2), Translation((ZERO, ZERO, Exact("0.3"))))
    assert second.before[:2] == (Rotation(0, PI / 2), Translation((Exact("1e-5"), ZERO, ZERO)))
    assert len(parse_robot(YAML, "arm.yaml").snaps) == 1


def test_one_number_alone_is_snapped_to_be_measured() -> None:
    usual = parse_robot(URDF, "arm.urdf")
    for place, snap in enumerate(usual.snaps):
        options = replace(ReadingOptions(), snapping=Snapping(only=place))
        assert parse_robot(URDF, "arm.urdf", options).snaps == (snap,)


@pytest.mark.parametrize("snap", ["-1e-9", "nan", "x", "1/0", "0.2", float("inf")])
def test_a_tolerance_is_a_small_number(snap: str | float) -> None:
    with pytest.raises(UsageError, match="snap: expected a tolerance"):
        make_reading_options(snap=snap)


def test_options_are_kept_as_they_were_given() -> None:
    options = make_reading_options(root="a", lock={"j": "pi/2"}, snap="1e-4")
    assert (options.snapping.tolerance, options.changes) == (
        Fraction(1, 10_000),
        {"root": "a", "lock": {"j": "pi/2"}, "snap": 0.0001},
    )
