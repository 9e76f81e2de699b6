"""Closed loops in descriptions: independent joints, formulas, and messages on mistakes."""

from __future__ import annotations

import pytest

from dynagen.errors import DynagenError, UsageError
from dynagen.robot.description import Dyad, LinearRow, NewtonGroup
from dynagen.robot.loading import load_robot, parse_robot, write_robot
from dynagen.robot.model.model import build_model
from tests.support.root import ROOT

ROBOTS = ROOT / "tests" / "robots"


def read(name: str, *changes: str):
    text = (ROBOTS / f"{name}.yaml").read_text()
    for before, after in zip(changes[::2], changes[1::2], strict=True):
        assert before in text
        text = text.replace(before, after)
    return parse_robot(text, f"{name}.yaml")


def test_the_first_joints_that_determine_the_others_are_independent():
    robot = read("fivebar", "independent: [left_crank, right_crank]\n", "")
    assert [link.name for link in robot.links if link.joint.nv] == ["left_crank", "left_rod"]
    assert [link.joint.idx_v for link in load_robot(ROBOTS / "fivebar.yaml").links][::2] == [0, 1]


def test_a_palletiser_of_parallelograms_needs_sums_alone():
    robot = load_robot(ROBOTS / "palletiser.yaml")
    mimics = {link.name: link.joint.mimics for link in robot.links if link.joint.mimics}
    assert mimics == {
        "wrist": "crank",
        "level_rod": "lower_arm",
        "triangle": "lower_arm",
        "upper_rod": "crank",
    }
    assert robot.closure == (
        LinearRow("upper_arm", (("lower_arm", -1), ("crank", -1))),
        LinearRow("rod", (("lower_arm", 1), ("crank", 1))),
    )


def test_two_arms_of_a_triangle_are_a_dyad_with_the_branch_of_zero():
    robot = load_robot(ROBOTS / "fivebar.yaml")
    assert robot.closure == (Dyad("left_rod", "right_rod", "left_end", "right_end", 1),)
    assert build_model(robot).nv == 2


MISTAKES = {
    "open at zero": (("xyz: [0.22, 0.24, 0]}", "xyz: [0.22, 0.25, 0]}"), "is open by 0.01 m"),
    "unknown frame": (("between: [left_end", "between: [left_and"), "did you mean `left_end`"),
    "too few independent joints": (
        ("[left_crank, right_crank]", "[left_crank]"),
        "2 of left_crank",
    ),
    "dependent joints as independent": (
        ("[left_crank, right_crank]", "[left_crank, left_rod, right_rod]"),
        "do not determine",
    ),
    "unknown joint": (("[left_crank, right", "[left_cranc, right"), "there is no joint of a link"),
    "axis across the plane": (
        ("xyz: [-0.2, 0.24, 0]}", "xyz: [-0.2, 0.24, 0], rpy: [1, 0, 0]}"),
        "the z axes of the frames differ",
    ),
    "run-time length": (
        (
            "gravity:",
            "parameters: {a: {value: 0.16, runtime: true}}\ngravity:",
            "origin: {xyz: [-0.12, 0.16, 0]}",
            "origin: {xyz: [-0.12, a, 0]}",
        ),
        "run-time parameters",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_refused_with_the_reason(mistake):
    changes, message = MISTAKES[mistake]
    with pytest.raises(DynagenError, match=message):
        read("fivebar", *changes)


def read_flat(left: str, right: str):
    """Read the five-bar with other ends of its rods: x and y from their joints."""
    return read(
        "fivebar",
        "link: left_rod, xyz: [0.22, 0.24, 0]}\n",
        f"link: left_rod, xyz: [{left}, 0]}}\n",
        "xyz: [-0.2, 0.24, 0]}",
        f"xyz: [{right}, 0]}}",
        "tool, link: left_rod, xyz: [0.22, 0.3, 0]",
        f"tool, link: left_rod, xyz: [{left}, 0.1]",
    )


def test_a_singular_pose_at_zero_is_refused():
    # The right rod continues the left one: the five-bar is stretched.
    with pytest.raises(DynagenError, match="is singular"):
        read_flat("0.2, 0", "-0.22, 0")


def test_a_nearly_singular_pose_at_zero_is_refused():
    # The rods differ by 5.4 degrees from a line; 7.6 degrees are enough.
    with pytest.raises(
        DynagenError,
        match=r"nearly singular: .* of left_rod, right_rod .* 11 "
        "times",
    ):
        read_flat("0.22, 0.01", "-0.2, 0.01")
    assert read_flat("0.22, 0.014", "-0.2, 0.014").closure


def test_a_loop_that_cannot_move_is_refused():
    # With the z axes of the frames in the plane of motion, the joint locks the loop.
    with pytest.raises(DynagenError, match="no joint of the loops can move"):
        read(
            "fourbar", "rpy: [-pi/2, 0, 0]", "rpy: [0, 0, 0]", "rpy: [pi/2, 0, 0]", "rpy: [0, 0, 0]"
        )


def test_a_loop_without_a_closed_formula_has_newton_steps():
    robot = read("fourbar", "loops:", "independent: [coupler]\nloops:")
    assert robot.closure == (NewtonGroup(("crank", "rocker"), robot.loops),)


def test_loops_with_a_common_dependent_joint_are_solved_together():
    robot = load_robot(ROBOTS / "ankle_leg.yaml")
    assert [len(step.loops) for step in robot.closure] == [2]
    # With the ankle as independent joints, every rod has a loop of its own.
    robot = read("ankle_leg", "[left_crank, right_crank]", "[cross, foot]")
    assert [step.links for step in robot.closure] == [
        ("left_crank", "left_pin", "left_rod"),
        ("right_crank", "right_pin", "right_rod"),
    ]


def test_a_joint_cannot_mimic_a_dependent_joint():
    with pytest.raises(DynagenError, match="follows coupler, which the loops determine"):
        read(
            "fourbar",
            "frames:",
            "  - {name: hand, joint: revolute, axis: [1, 0, 0], mimic: {joint: coupler}}\nframes:",
        )


def test_robots_with_loops_are_not_written(tmp_path):
    with pytest.raises(UsageError, match="closed loops"):
        write_robot(load_robot(ROBOTS / "fourbar.yaml"), tmp_path / "robot.yaml")
